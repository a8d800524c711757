"""The operation table: one typed row for every name that kernels call. Rows are data."""
