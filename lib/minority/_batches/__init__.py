"""Examples in batches: rows in memory, datasets of pyarrow and data frames of Dask alike."""
