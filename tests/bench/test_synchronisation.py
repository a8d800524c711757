"""The benchmark of the analysis runs it, on all kernels of a file."""

from pathlib import Path

from tests.bench import synchronisation

from tl_ascend.driver.check import Checker
from tl_ascend.driver.files import Files

TESTS = Path(__file__).resolve().parents[1]


def test_each_round_is_measured() -> None:
    path = TESTS.parent / "examples" / "rms_norm_rope.py"
    values = synchronisation.measure(str(path), None, rounds=2)
    assert len(values) == 2 and all(value.work > 0 for value in values)


def test_the_analysis_is_that_of_the_checks() -> None:
    reports = Checker(Files()).check(str(TESTS / "check" / "sync_missing.py")).kernels
    for report in reports:
        assert report.lowered is not None
        found = {finding.message for finding in report.findings if finding.name == "sync-missing"}
        alone = synchronisation.analyse(report, report.lowered).findings
        assert found == {finding.message for finding in alone if finding.name == "sync-missing"}
    assert any(f.name == "sync-missing" for report in reports for f in report.findings)
