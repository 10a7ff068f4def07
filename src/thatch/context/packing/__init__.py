"""Packing files: a prompt made of the parts of files that matter."""
