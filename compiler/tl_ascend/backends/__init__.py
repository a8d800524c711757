"""Back ends: from a lowered kernel to device source. `registry.py` lists them."""
