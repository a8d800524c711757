"""What turns one text into another, as edits of whole lines."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from tl_ascend.ide.model import TextEdit
from tl_ascend.source.span import Range
from tl_ascend.source.text import SourceText

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


def differences(path: str, old: str, new: str) -> tuple[TextEdit, ...]:
    """Edits of a text, in order, after which it is the other one."""
    before, after = _LINE.findall(old), _LINE.findall(new)
    source = SourceText(path, old)
    starts = [0]
    for line in before:
        starts.append(starts[-1] + len(line))
    found = []
    for kind, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind != "equal":
            start, end = (source.position_at(starts[row]) for row in (a, b))
            found.append(TextEdit(Range(path, start, end), "".join(after[c:d])))
    return tuple(found)
