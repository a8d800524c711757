"""What is outside: the user's interpreter, CANN, Bisheng, devices. Looked at in child processes, with
time limits, and never imported."""
