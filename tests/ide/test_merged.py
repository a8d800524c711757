"""Findings of several instances at one place."""

from __future__ import annotations

from dataclasses import replace

from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.diagnostics.report import Applicability
from tl_ascend.ide.merged import merged
from tl_ascend.ide.model import Diagnostic, QuickFix, RelatedPlace, TextEdit
from tl_ascend.source.span import Position, Range

PLACE = Range("a.py", Position(3, 0), Position(3, 4))


def one(message: str, *instances: str, note: str = "") -> Diagnostic:
    return Diagnostic(
        PLACE,
        Severity.ERROR,
        "TL302",
        "operand-size",
        message,
        (note,) if note else (),
        kernel="main",
        instances=instances,
    )


def test_a_message_is_told_once() -> None:
    (told,) = merged([one("same", "n=1", note="first"), one("same", "n=2", note="second")])
    assert told.instances == ("n=1", "n=2") and told.notes == ("first", "second")


def test_other_numbers_of_other_instances_are_notes() -> None:
    (told,) = merged([one("x has 16", "n=1"), one("x has 32", "n=2")])
    assert told.message == "x has 16" and told.notes == ("with n=2: x has 32",)
    assert told.instances == ("n=1", "n=2")


def test_two_findings_of_one_instance_stay_two() -> None:
    assert len(merged([one("flag 2", "n=1"), one("flag 3", "n=1")])) == 2
    assert len(merged([one("flag 2"), one("flag 3")])) == 2


def test_other_words_of_other_instances_are_notes() -> None:
    (told,) = merged([one("nobody sets it", "n=1"), one("set once too few", "n=8", "n=3", "n=9")])
    assert told.message == "nobody sets it"
    assert told.notes == ("with n=8; n=3: set once too few",)
    assert told.instances == ("n=1", "n=8", "n=3", "n=9")


def test_other_rules_and_kernels_stay_apart() -> None:
    first = one("x", "n=1")
    assert len(merged([first, replace(one("y", "n=2"), code="TL303")])) == 2
    assert len(merged([first, replace(one("y", "n=2"), kernel="other")])) == 2


ELSEWHERE = Range("a.py", Position(9, 0), Position(9, 4))


def about(subject: str, message: str, instance: str, place: Range = PLACE) -> Diagnostic:
    return replace(one(message, instance), subject=subject, range=place)


def test_a_subject_that_instances_show_at_several_places_is_told_once() -> None:
    (told,) = merged([about("flag", "waits", "n=1"), about("flag", "set", "n=2", ELSEWHERE)])
    assert told.range == PLACE and told.message == "waits" and told.notes == ()
    assert told.related == (RelatedPlace(ELSEWHERE, "with n=2: set"),)


def test_two_subjects_or_two_faults_of_one_instance_stay_two() -> None:
    first = about("flag", "waits", "n=1")
    assert len(merged([first, about("other", "set", "n=2", ELSEWHERE)])) == 2
    assert len(merged([first, about("flag", "set", "n=1", ELSEWHERE)])) == 2


def fixed(message: str, instance: str, *texts: str) -> Diagnostic:
    fixes = tuple(QuickFix(text, (TextEdit(PLACE, text),)) for text in texts)
    return replace(one(message, instance), fixes=fixes)


def test_a_repair_that_not_every_instance_asks_for_is_left_to_the_author() -> None:
    for messages in (("same", "same"), ("x has 16", "x has 32")):
        (told,) = merged(
            [
                fixed(messages[0], "n=1", "both", "first"),
                fixed(messages[1], "n=2", "both", "second"),
            ]
        )
        assert {fix.title: fix.applicability for fix in told.fixes} == {
            "both": Applicability.SAFE,
            "first": Applicability.UNSAFE,
            "second": Applicability.UNSAFE,
        }
