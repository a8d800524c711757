"""Programs of route pto on the public CPU simulator of PTO."""
