"""Proofs that what a kernel means survives emission: independent executions agree."""
