"""One module a file format: what a file holds, read and written."""
