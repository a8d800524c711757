"""Our memory plan and synchronisation beside those of AscendNPU IR, on the same vector loops."""
