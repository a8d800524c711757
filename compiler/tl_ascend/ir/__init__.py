"""The kernel as immutable data: index expressions, statements, buffers, and the TVM facade."""
