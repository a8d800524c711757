"""Text as C++ spells it."""

from __future__ import annotations

_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def quoted(text: str) -> str:
    """A C string literal. Bytes beyond ASCII are octal, which ends after three digits."""
    out = []
    for char in text:
        if char in _ESCAPES:
            out.append(_ESCAPES[char])
        elif " " <= char <= "~":
            out.append(char)
        else:
            out += [f"\\{byte:03o}" for byte in char.encode("utf-8", "replace")]
    return '"' + "".join(out) + '"'
