"""What an editor shows, as plain data: no LSP types, positions in characters."""
