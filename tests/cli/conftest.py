"""Fixtures of the command line."""

from tests.cli.support import tool

__all__ = ["tool"]
