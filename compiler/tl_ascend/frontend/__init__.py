"""Partial evaluation of kernel files: Python around kernels, tile programs inside them (D1, D2).

Nothing of the user's file is executed. Values are Python values, symbolic expressions, buffers, or
unknown with a reason; what is unknown stays silent.
"""
