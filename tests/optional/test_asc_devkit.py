"""Reading headers that only Bisheng can compile: what is made up for them, and what is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.optional.asc_devkit.headers import Headers, compiler
from tests.optional.asc_devkit.messages import always_runs, messages
from tests.optional.asc_devkit.stubs import tiling_header

pytestmark = pytest.mark.skipif(not compiler(), reason="needs clang++ 18 or later")

# Headers of ours, in the vendor's manner.
LOG = """#pragma once
#define ASCENDC_ASSERT(condition, ...)
#define ASCENDC_DEBUG_ASSERT(condition, ...)
#define ASCENDC_REPORT_NOT_SUPPORT(condition, ...)
"""
OPERATOR = """#pragma once
#include "kernel_tiling/kernel_tiling.h"
namespace AscendC {
template <typename T> struct LocalTensor {
  __ubuf__ T *address;
  LocalTensor operator[](int) const { return *this; }
};
template <typename T>
void Add(const LocalTensor<T> &dst, const LocalTensor<T> &a, const LocalTensor<T> &b, int count) {
  ASCENDC_DEBUG_ASSERT((sizeof(T) > 1), "no 8 bits");
  if (count > 64) {
    ASCENDC_DEBUG_ASSERT((sizeof(T) > 2), "few 16 bits");
  }
  set_count(count);
  vadd(dst.address, a.address, b.address, quant_t::NONE, VA0);
}
template <typename T> void Rare(const LocalTensor<T> &dst, int unused) {
  if constexpr (sizeof(T) == 8) {
    ASCENDC_DEBUG_ASSERT(false, "not on this device");
  }
  return vrare(dst.address);
}
inline int Rows(const RowTiling &tiling) { return tiling.rows + tiling.sizes[1] + get_rows(); }
} // namespace AscendC
"""
TILING = """BEGIN_TILING_DATA_DEF(RowTiling)
TILING_DATA_FIELD_DEF(uint32_t, rows);
TILING_DATA_FIELD_DEF_ARR(uint32_t, 4, sizes);
END_TILING_DATA_DEF;
"""


@pytest.fixture(scope="module")
def headers(tmp_path_factory: pytest.TempPathFactory) -> Headers:
    checkout = tmp_path_factory.mktemp("devkit")
    for name, text in {
        "include/kernel_operator.h": OPERATOR,
        "include/row_tilingdata.h": TILING,
        "impl/basic_api/kernel_log.h": LOG,
    }.items():
        path = checkout / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Headers(checkout, "VEC", tmp_path_factory.mktemp("kept"))


def refused(headers: Headers, folder: Path, *lines: str) -> dict[int, str]:
    """What is said of the lines of a function."""
    source = folder / "program.cpp"
    head = "using namespace AscendC; void f(LocalTensor<half> h, LocalTensor<float> w, float x) {"
    source.write_text("\n".join([head, *lines, "}"]) + "\n")
    found = [(error.place(str(source)), error.text) for error in headers.check(source)]
    assert all(path == str(source) for (path, _), _ in found), found
    return {row - 1: text for (_, row), text in reversed(found)}


def test_names_of_the_compiler_are_learnt(headers: Headers, tmp_path: Path) -> None:
    assert refused(headers, tmp_path, "Add(h, h, h, 8);", "Rare(h, 1);") == {}
    assert headers.remaining == []
    assert {"vadd", "set_count", "get_rows", "vrare"} == set(headers.stubs.functions)
    assert headers.stubs.functions["vrare"] == "void"
    assert headers.stubs.types == {"quant_t": {"NONE"}}
    assert headers.stubs.constants == {"VA0"}


@pytest.mark.parametrize(
    "line",
    [
        "Add(h, h, w, 8);",
        "Add<float>(h, h, h, 8);",
        "Addd(h, h, h, 8);",
        "AscendC::Addd(h, h, h, 8);",
        "vaddd(h.address);",
        "LocalTensr<half> tile;",
        "pipe_t pipe = PIPE_W;",
        "float *on_chip = w.address;",
        "bfloat16_t rounded = bfloat16_t(x);",
        "x = float(bfloat16_t(1.0f));",
    ],
)
def test_a_mistake_is_told_where_it_is(headers: Headers, tmp_path: Path, line: str) -> None:
    assert set(refused(headers, tmp_path, "Add(h, h, h, 8);", line)) == {2}
    assert not {"Addd", "vaddd", "LocalTensr", "PIPE_W"} & set(headers.stubs.text().split())


def test_conditions_on_types_are_judged(headers: Headers, tmp_path: Path) -> None:
    lines = ("LocalTensor<char> c; LocalTensor<double> d;", "Add(c, c, c, 8);", "Rare(d, 1);")
    found = refused(headers, tmp_path, *lines, "bfloat16_t one = bfloat16_t(1.0f);")
    assert found == dict.fromkeys((2, 3), "a condition of the API does not hold")


def test_branches_that_may_not_be_taken(tmp_path: Path) -> None:
    path = tmp_path / "code.h"
    text = """void f(int n) {
  here();
  if constexpr (sizeof(int) == 4) { // if (n) {
    here();
  } else {
    here();
  }
  if (n) {
    maybe();
  } else {
    maybe();
  }
  switch (n) { case 1: maybe(); }
  if ASCEND_IS_AIV {
    here("{");
  }
  for (;;) { maybe(); }
  here();
}
"""
    path.write_text(text)
    lines = text.splitlines()
    rows = [at for at, line in enumerate(lines, 1) if line.strip().startswith(("here", "maybe"))]
    assert rows
    for row in rows:
        assert always_runs(str(path), row) == ("here" in lines[row - 1]), row


def test_an_error_without_a_trail_has_that_of_the_one_before() -> None:
    text = """a.h:3:5: error: first
b.cpp:9:1: note: in instantiation of function 'f' requested here
a.h:4:5: error: second
c.cpp:1:1: error: third
b.cpp:10:1: note: in instantiation of function 'f' requested here
"""
    found = messages(text)
    assert [error.place("b.cpp") for error in found] == [("b.cpp", 9), ("b.cpp", 9), ("b.cpp", 10)]


def test_structures_of_the_host_side(tmp_path: Path) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "x_tilingdata.h").write_text(TILING)
    assert "struct RowTiling { uint32_t rows; uint32_t sizes[4]; };" in tiling_header(tmp_path)
