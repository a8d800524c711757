"""Files that a checker meets sooner or later, with what it must say about each."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Input:
    """A file, the codes of its errors and warnings, and the exit status of tl-check."""

    name: str
    data: bytes
    codes: tuple[str, ...] = ()
    status: int = 0


def _file(name: str, text: str | bytes, *codes: str, status: int = 0) -> Input:
    data = text if isinstance(text, bytes) else text.encode("utf-8")
    return Input(name, data, codes, status)


def _bad(name: str, text: str | bytes, *codes: str) -> Input:
    return _file(name, text, *codes, status=1)


def kernel(*lines: str, before: str = "") -> str:
    """A file with one kernel; `lines` stand in its frame, `before` above it."""
    body = "\n".join(f"        {line}" for line in lines)
    return f"""\
import tilelang
import tilelang.language as T
{before}

@T.prim_func
def main(A: T.Tensor((64, 64), "float32")):
    with T.Kernel(4, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), "float32")
        T.copy(A, a)
{body}
"""


def factory(*lines: str) -> str:
    """A file with one factory, called once; `lines` stand above its kernel."""
    body = "\n".join(f"    {line}" for line in lines)
    return f"""\
import tilelang.language as T

def build(n):
{body}
    @T.prim_func
    def main(A: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((64, 64), "float32")
            T.copy(A, a)
    return main

build(64)
"""


FAULT = kernel("T.copy(A[0, 0, 0], a)")
N = 30_000
MB = 1_000_000


def numbered(line: str) -> str:
    """A megabyte of copies of a line, with numbers."""
    count = MB // (len(line) + 6)
    return "".join(line.format(i, i) for i in range(count))


TEXTS = (
    _bad("C++", "int main() { return 0; }\n", "TL101"),
    _bad("prose", "Dear all,\n\nthis is not Python.\n" * 50, "TL101"),
    _file("empty", ""),
    _file("blank lines", "\n\n  \n"),
    _file("no tilelang", "x = 1\n\n\ndef f():\n    return x\n"),
    _bad("invalid UTF-8", b"x = 1\ny = '\xff\xfe'\n", "TL102"),
    _bad("UTF-16", kernel().encode("utf-16"), "TL102"),
    _bad("surrogate in UTF-8", b"x = '\xed\xa0\x80'\n", "TL102"),
    _bad("byte order mark", b"\xef\xbb\xbf" + FAULT.encode(), "TL202"),
    _bad("CR", FAULT.replace("\n", "\r"), "TL202"),
    _bad("CR LF", FAULT.replace("\n", "\r\n"), "TL202"),
    _bad("mixed line ends", FAULT.replace("\n", "\r\n", 3).replace("\n", "\r", 2), "TL202"),
    _bad("odd characters in a comment", "# \f \u2028 \u0085 \x1c\n" + FAULT, "TL202"),
    _bad("NUL", "x = 1\0\n" + kernel(), "TL101"),
    _file("escaped surrogate", kernel("T.printf('\\ud800')", before="x = '\\ud800'")),
    _file("a megabyte of constants", kernel() + numbered("x{} = {} + 7\n"), "TL105"),
    _file("a megabyte of statements", kernel() + numbered("if x{}:\n    y = f({})\n"), "TL105"),
    _file("a megabyte in a line", kernel() + f"x = [{numbered('{}, {},')}]\n", "TL105"),
    _file("a megabyte of signs", kernel() + f"x = f{'()' * (MB // 2)}\n", "TL105"),
    _file("a megabyte without kernels", numbered("x{} = {} + 7\n")),
    _bad("a megabyte of comments", FAULT + numbered("# {}, {}\n"), "TL202"),
    _file("many lines", kernel() + "".join(f"x{i} = {i} + 1  # {i}\n" for i in range(8000))),
    _file("long line", kernel() + f"x = [{', '.join(map(str, range(35_000)))}]\n"),
    _file("long string", kernel() + f"x = '{'a' * 1_000_000}'\n"),
)

DEEP = (
    _file("sum", f"x = {'+'.join(['1'] * N)}\n" + kernel(f"T.copy(A[x - {N}, 0], a)")),
    _file("sum of device values", kernel(f"T.copy(A[{'+'.join(['cid'] * N)}, 0], a)"), "TL105"),
    _bad("parentheses", f"x = {'(' * N}1{')' * N}\n" + kernel(), "TL101"),
    _bad("lists", f"x = {'[' * N}1{']' * N}\n" + kernel(), "TL101"),
    _bad("calls", f"x = {'f(' * N}1{')' * N}\n" + kernel(), "TL101"),
    _bad("signs", f"x = {'-' * N}1\n" + kernel(), "TL101"),
    _bad("lambdas", f"x = {'lambda: ' * N}1\n" + kernel(), "TL101"),
    _file("parentheses that parse", f"x = {'(' * 150}1{')' * 150}\n" + kernel()),
    _file("attributes", f"x = a{'.b' * N}\n" + kernel()),
    _file("subscripts", f"x = [1]\ny = x{'[0]' * N}\n" + kernel()),
    _file("called results", f"x = f{'()' * N}\n" + kernel()),
    _file("comparisons", f"x = {'<'.join(['1'] * N)}\n" + kernel()),
    _file("conditions", f"x = {' and '.join(['1'] * N)}\n" + kernel()),
    _file("else if", "x = 3\nif x == 0: pass\n" + "elif x: pass\n" * 2000 + kernel()),
)

BUDGETS = (
    _file(
        "recursion",
        kernel("T.copy(A[f(0), 0], a)", before="def f(n): return f(n + 1)"),
        "TL105",
    ),
    _file(
        "mutual recursion", factory("n = f(1)") + "def f(n): return g(n)\ndef g(n): return f(n)\n"
    ),
    _file("recursive macro", kernel("m()", before="@T.macro\ndef m():\n    m()"), "TL105"),
    _file("device loop", kernel("for i in range(10**9): T.copy(A, a)")),
    _file("host loop", "n = 0\nfor i in range(10**9):\n    n += 1\n" + kernel()),
    _file("factory loop", factory("for i in range(10**9): n += i"), "TL105"),
    _file("endless loop", factory("while True: n += 1"), "TL105"),
    _file("long sums", factory("s = sum(range(10**9))", "t = list(range(10**9))")),
    _file(
        "unrolled calls",
        kernel("f(A)", before="def f(A): return [T.copy(A, A) for i in range(10**6)]"),
        "TL105",
    ),
    _file(
        "growing value",
        kernel(
            "T.copy(A[f(cid), 0], a)",
            before="def f(x):\n    for i in range(10**4): x = x * x + x % 7\n    return x",
        ),
        "TL105",
    ),
)

SIZES = (
    _bad("negative size", kernel("b = T.alloc_ub((-4,), 'float32')"), "TL107"),
    _file("huge sizes", kernel("b = T.alloc_ub((10**4000, 10**300), 'float32')")),
    _file("huge index", kernel("T.copy(A[10**400, 0], a)"), "TL308"),
    _file("huge loop", kernel("for i in range(10**300): T.copy(A, a)")),
    _bad("long decimal", f"x = {'9' * 5000}\n" + kernel(), "TL101"),
    _file("long hexadecimal", f"x = 0x{'f' * 50_000}\n" + kernel("b = T.alloc_ub((x,), 'int8')")),
    _file("repeated text", factory("x = 'a' * 10**12")),
    _file("repeated list", factory("x = [0] * 10**10", "y = (0,) * 10**10", "z = 10**10 * [[1]]")),
    _file("repeated list as a shape", kernel("b = T.alloc_ub([1] * 10**10, 'float32')")),
    _file("bytes", factory("x = bytes(10**12)", "y = b'a' * 10**12")),
    _file("powers", factory("x = 10**10**10", "y = pow(10, 10**10)", "z = 1 << 10**10")),
    _file("squares", factory("x = 3", "for i in range(100): x = x * x")),
    _file(
        "formats",
        factory("x = '%1000000000d' % 3", "y = f'{3:1000000000}'", "z = '{:1000000000}'.format(3)"),
    ),
    _file("padding", factory("x = 'a'.ljust(10**12)", "y = 'a'.zfill(10**12)")),
    _file("replacement", factory("x = ('a' * 90000).replace('a', 'b' * 90000)")),
    _file("doubled text", factory("x = 'a'", "for i in range(100): x = x + x")),
    _file("doubled list", factory("x = [1]", "for i in range(100): x.extend(x)")),
    _file("unpacked range", factory("a, *b = range(10**10)", "c = max(*range(10**10), 1)")),
    _file("nested list", factory("x = []", "for i in range(20000): x = [x]", "y = x == [x]")),
    _file("list in itself", factory("x = []", "x.append(x)", "y = x == [x]")),
)

ODD = (
    _bad("no arguments", factory("x = range()", "z = int(1, 2, 3, 4)"), "TL103", "TL103"),
    _file("backward range", kernel("for i in range(-5): T.copy(A, a)")),
    _file("spread", kernel("T.copy(*[A, a], **{'enable_relu': False})")),
    _file("odd indices", kernel("a[::2]", "a[..., 0]", "a[None]", "a[1.5, 'x']", "a[-1, -1]")),
    _file("odd scalars", kernel("T.tile.fill(a, float('nan'))", "T.tile.fill(a, float('inf'))")),
    _bad(
        "odd operands",
        kernel("T.copy(1, 'b')", "T.copy(A)", "T.tile.add(a, 1j, {})"),
        "TL106",
        "TL104",
    ),
    _file("no parameters", "import tilelang.language as T\n@T.prim_func\ndef main(): pass\n"),
    _file(
        "no types",
        "import tilelang.language as T\n@T.prim_func\ndef main(A, *b, **c): T.copy(A, A)\n",
    ),
    _file("no blocks", kernel().replace("T.Kernel(4, ", "T.Kernel(0, "), "TL106"),
    _file("a match", kernel("match cid:", "    case 1: T.copy(A, a)")),
    _file("async", "import tilelang.language as T\n@T.prim_func\nasync def main(A): await A\n"),
)

ALL = (*TEXTS, *DEEP, *BUDGETS, *SIZES, *ODD)
