"""Files changed in place: whole or not at all, in their encoding, and only as they were read."""

from __future__ import annotations

import codecs
import contextlib
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tl_ascend.source.text import SourceText, decoded, source_encoding


class NotRewritten(Exception):
    """Why a file was left as it is."""


@dataclass(frozen=True, slots=True)
class Original:
    """A file as it was read."""

    path: str
    data: bytes
    source: SourceText

    def encoded(self, text: str) -> bytes:
        """A text in the encoding of the file. Errors: NotRewritten."""
        encoding, _ = source_encoding(self.data)
        plain = "utf-8" if encoding == "utf-8-sig" else encoding
        mark = codecs.BOM_UTF8 if self.data.startswith(codecs.BOM_UTF8) else b""
        try:
            return mark + text.encode(plain)
        except UnicodeEncodeError as error:
            raise NotRewritten(f"{self.path}: the repaired text is not {plain}: {error}") from None


def read_original(path: str) -> Original:
    """Errors: OSError, NotRewritten (what cannot be decoded)."""
    data = Path(path).read_bytes()
    source = decoded(path, data)
    if source.problem:
        raise NotRewritten(f"{path}: {source.problem}")
    return Original(path, data, source)


def rewrite(original: Original, text: str) -> None:
    """Give a file another text. Errors: OSError, NotRewritten (it has changed meanwhile)."""
    target = os.path.realpath(original.path)
    data = original.encoded(text)
    if not os.access(target, os.W_OK):
        raise NotRewritten(f"{original.path}: the file may not be written")
    handle, name = tempfile.mkstemp(dir=os.path.dirname(target), prefix=".tl-check-")
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(data)
        shutil.copymode(target, name)
        if Path(target).read_bytes() != original.data:
            raise NotRewritten(f"{original.path}: the file has changed while it was checked")
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
