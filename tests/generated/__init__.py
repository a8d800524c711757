"""Small valid kernels by the hundred: what each must survive is in `examine.py`."""
