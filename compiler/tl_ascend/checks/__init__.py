"""Rules that a kernel must keep, one file a family; each says what is wrong, where, and why."""
