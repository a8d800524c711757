"""Checks a checkout of upstream's kernels: `python -m tests.corpus CHECKOUT`."""
