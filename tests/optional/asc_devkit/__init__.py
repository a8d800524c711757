"""Emitted Ascend C, type-checked against the vendor's own headers."""
