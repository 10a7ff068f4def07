"""File formats of problems, one module per format."""
