"""Lowering: one file a pass, `pipeline.py` the only list of them."""
