"""Benchmarks that are commands of their own."""
