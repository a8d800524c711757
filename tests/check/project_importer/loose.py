"""A module may bind names that its text does not spell."""
#@ kernels: 0

for name in ("first", "second"):
    globals()[name] = 64
