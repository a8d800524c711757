"""A project of several files."""
#@ kernels: 0
