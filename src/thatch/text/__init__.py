"""Text: documents, the sets they come in, and what they are made of."""
