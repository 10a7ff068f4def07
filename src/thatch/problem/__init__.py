"""What is solved, and an answer to it: problems, their graphs, selections of items."""
