"""Documents and the formats they are read from."""
