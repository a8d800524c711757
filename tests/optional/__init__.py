"""Checks against things that are not on every machine; each says in a line why it does not run."""
