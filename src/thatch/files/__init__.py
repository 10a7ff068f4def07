"""Reading and writing files: bytes, encodings, JSON lines, atomic writes."""
