"""What the hardware is: memories, pipes, cores, dtypes, platforms. Data only."""
