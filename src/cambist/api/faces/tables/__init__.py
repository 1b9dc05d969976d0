"""Answers as tables: CSV, NDJSON, XLSX, Arrow and Parquet, beside JSON."""
