"""Languages, words, terms and sentences."""
