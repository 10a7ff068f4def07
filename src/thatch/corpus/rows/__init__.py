"""Rows of Parquet, JSON lines and CSV files, cut into slices."""
