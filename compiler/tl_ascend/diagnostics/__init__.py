"""The catalogue of what can be reported, and the report: one row and one page a diagnostic."""
