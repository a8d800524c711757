"""JUnit's XML, as CI servers read it: a suite a file, a case a finding or a kernel that is right.

No times are written: equal runs give equal files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TextIO
from xml.etree import ElementTree

from tl_ascend.cli.formats.run_data import Run, shown_path
from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.ide.model import Diagnostic
from tl_ascend.ide.result import FileResult, KernelSummary

# What XML 1.0 has no way to write.
_UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
Element = ElementTree.Element


def write(run: Run, out: TextIO) -> None:
    """All files."""
    suites = [_suite(result, run.level) for result in run.results]
    if run.failures:
        suites.append(_failed(run))
    whole = Element("testsuites", {"name": "tl-check", **_counts(list(_cases(suites)))})
    whole.extend(suites)
    ElementTree.indent(whole)
    text = ElementTree.tostring(whole, encoding="unicode")
    out.write(f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n')


def _cases(suites: list[Element]) -> Iterator[Element]:
    for suite in suites:
        yield from suite


def _counts(cases: list[Element]) -> dict[str, str]:
    found = {"tests": len(cases)}
    for word, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        found[word] = sum(case.find(tag) is not None for case in cases)
    return {name: str(count) for name, count in found.items()}


def _suite(result: FileResult, level: Severity) -> Element:
    path = shown_path(result.path)
    told = [d for d in result.diagnostics if d.severity >= level]
    cases = [_finding(path, d) for d in told]
    cases += [_kernel(path, k) for k in result.kernels if not _is_faulty(k, told)]
    if not cases:
        cases.append(Element("testcase", classname=_text(path), name="no kernels"))
    suite = Element("testsuite", {"name": _text(path), **_counts(cases)})
    suite.extend(cases)
    return suite


def _is_faulty(kernel: KernelSummary, found: list[Diagnostic]) -> bool:
    """True where a case of its own says what is wrong with this instance."""
    return any(
        d.kernel == kernel.name and (not d.instances or kernel.instance in d.instances)
        for d in found
    )


def _finding(path: str, found: Diagnostic) -> Element:
    start = found.range.start
    name = f"{found.code} {found.name} {start.row}:{start.column + 1}"
    case = Element("testcase", classname=_text(path), name=_text(name), line=str(start.row))
    told = [f"{path}:{start.row}:{start.column + 1}: {found.severity.label}: {found.message}"]
    told += [f"note: {note}" for note in found.notes]
    told += [f"instance: {instance}" for instance in found.instances]
    text = _text("\n".join(told))
    if found.severity >= Severity.WARNING:
        kind, message = _text(f"{found.severity.label}[{found.code}]"), _text(found.message)
        ElementTree.SubElement(case, "failure", type=kind, message=message).text = text
    else:
        ElementTree.SubElement(case, "system-out").text = text
    return case


def _kernel(path: str, kernel: KernelSummary) -> Element:
    name = f"{kernel.name}({kernel.instance})"
    case = Element("testcase", classname=_text(path), name=_text(name), line=str(kernel.row))
    if kernel.status == "skipped":
        skipped = ElementTree.SubElement(case, "skipped", message=_text(kernel.reason))
        skipped.text = _text(f"{kernel.place}: {kernel.reason}")
    return case


def _failed(run: Run) -> Element:
    cases = []
    for text in run.failures:
        case = Element("testcase", classname="tl-check", name=_text(text))
        ElementTree.SubElement(case, "error", type="tl-check", message=_text(text))
        cases.append(case)
    suite = Element("testsuite", {"name": "tl-check", **_counts(cases)})
    suite.extend(cases)
    return suite


def _text(text: str) -> str:
    return _UNWRITABLE.sub("\N{REPLACEMENT CHARACTER}", text)
