"""The program: its calls are instances of what it imports, and findings are told there."""
#@ kernels: 0

from kernels import build

if __name__ == "__main__":
    build(4096)
