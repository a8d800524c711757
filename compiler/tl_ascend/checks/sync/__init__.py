"""Execution of both halves of a core with their pipes, to find what manual synchronisation lacks."""
