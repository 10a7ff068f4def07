"""What Sphinx does for these pages alone."""
