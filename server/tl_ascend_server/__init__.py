"""The language server of tl-ascend: the protocol, and nothing about kernels."""
