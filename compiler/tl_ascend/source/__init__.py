"""Texts, positions and parsing. Knows nothing of TileLang."""
