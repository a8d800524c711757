#!/usr/bin/env python3
"""Draws vscode-extension/icon.png: a matrix cut into tiles, one of them on its way upwards."""

from __future__ import annotations

import struct
import sys
import zlib
from pathlib import Path

SIZE = 256
SAMPLES = 3
BACKGROUND = (16, 26, 43)
TILE = (58, 90, 140)
ACTIVE = (242, 108, 61)

Colour = tuple[int, int, int]
Box = tuple[float, float, float, float]


def tiles() -> list[tuple[Box, Colour]]:
    """Three by three tiles; the top right one is lifted off the grid."""
    boxes: list[tuple[Box, Colour]] = []
    for row in range(3):
        for column in range(3):
            x, y = 44.0 + column * 54, 60.0 + row * 54
            lifted = row == 0 and column == 2
            shift = 14.0 if lifted else 0.0
            box = (x + shift, y - shift, x + shift + 46, y - shift + 46)
            boxes.append((box, ACTIVE if lifted else TILE))
    return boxes


def inside(box: Box, x: float, y: float, radius: float) -> bool:
    """Whether a point lies in a box with rounded corners."""
    left, top, right, bottom = box
    dx = max(left + radius - x, x - right + radius, 0.0)
    dy = max(top + radius - y, y - bottom + radius, 0.0)
    return dx * dx + dy * dy <= radius * radius


def sample(x: float, y: float, boxes: list[tuple[Box, Colour]]) -> tuple[int, int, int, int]:
    """Colour and opacity of one point."""
    for box, colour in boxes:
        if inside(box, x, y, 8.0):
            return (*colour, 255)
    plate = inside((0.0, 0.0, float(SIZE), float(SIZE)), x, y, 48.0)
    return (*BACKGROUND, 255 if plate else 0)


def pixel(column: int, row: int, boxes: list[tuple[Box, Colour]]) -> bytes:
    """One pixel, averaged over a few points."""
    steps = [(i + 0.5) / SAMPLES for i in range(SAMPLES)]
    points = [sample(column + dx, row + dy, boxes) for dy in steps for dx in steps]
    return bytes(sum(channel) // len(points) for channel in zip(*points, strict=True))


def chunk(kind: bytes, data: bytes) -> bytes:
    """One chunk of a PNG file."""
    body = kind + data
    return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))


def png(width: int, height: int, rows: list[bytes]) -> bytes:
    """A PNG file of eight-bit RGBA rows."""
    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    pixels = zlib.compress(b"".join(b"\0" + row for row in rows), 9)
    signature = b"\x89PNG\r\n\x1a\n"
    return signature + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def main() -> int:
    """Writes the picture."""
    boxes = tiles()
    rows = [b"".join(pixel(x, y, boxes) for x in range(SIZE)) for y in range(SIZE)]
    target = Path(__file__).resolve().parent.parent / "vscode-extension" / "icon.png"
    target.write_bytes(png(SIZE, SIZE, rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
