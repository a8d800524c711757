"""Kernel files as tests: expectations in comments, one pytest item a file (CONTRIBUTING.md)."""
