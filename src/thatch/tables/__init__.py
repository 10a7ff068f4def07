"""Tables in CSV, TSV and Parquet files: columns by name, rows in batches."""
