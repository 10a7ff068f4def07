"""Readers of rows in Parquet, JSON lines and CSV files, in slices."""
