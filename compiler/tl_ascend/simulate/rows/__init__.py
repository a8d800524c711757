"""The semantics, one file for each family of rows. Importing this package registers them all."""

from importlib import import_module

FAMILIES = (
    "bitwise copy debug deprecated experimental gather math matmul reduce remote sort values vector"
).split()
for _family in FAMILIES:
    import_module(f"{__name__}.{_family}")
