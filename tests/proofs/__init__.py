"""Proofs that emitted programs mean what their kernels say, on machines that are not ours."""
