"""What back ends that print C++ share: expressions, names, layouts, views, the walk over statements."""
