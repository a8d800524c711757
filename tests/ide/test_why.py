"""Why lowering decided as it did, asked for by position. `|` is the cursor."""

from __future__ import annotations

import pytest
from tests.ide.asked import GEMM, SPLIT, SYNC, VECTORS, at, opened, text_of, told

from tl_ascend.ide.facts import Facts
from tl_ascend.ide.why import lines, why


def test_a_buffer_tells_memory_layout_address_and_life() -> None:
    found = told(at(GEMM, "a = T.alloc_sh"))
    assert found["memory"] == ["L1: operand A of T.gemm_v0 (used in line 20)"]
    assert found["layout"][0].startswith("zN: ")
    assert found["address"] == ["0 to 16,384: in order of first use"]
    assert found["size"][0].startswith("16 KiB of ")
    assert found["life"] == ["from first to last use (first used in line 18, last used in line 20)"]


def test_a_name_tells_the_same_wherever_it_stands() -> None:
    declared, used = told(at(GEMM, "    a")), told(at(GEMM, "k * 64], a"))
    assert declared == used and "memory" in declared


def test_a_statement_tells_what_it_became_and_the_flags_around_it() -> None:
    found = told(at(GEMM, "T.cop"))
    assert found["becomes"] == ["copy_gm_to_l1(A[:, k * 64:k * 64 + 64], a)"]
    assert found["core"] == ['cube: T.Scope("C") (scope in line 16)']
    assert found["pipe"] == ["MTE2: reads A, writes a"]
    (waits,) = found["waits for"]
    assert waits.startswith("flag MTE1 -> MTE2, event ")
    assert waits.endswith(
        ": WAR on a, MTE1 before MTE2, from an earlier iteration "
        "(read by gemm_v0 in line 20, written by copy_gm_to_l1 in line 18)"
    )
    (sets,) = found["is awaited by"]
    assert sets.startswith("flag MTE2 -> MTE1, event ")
    assert sets.endswith(
        ": RAW on a, MTE2 before MTE1 "
        "(written by copy_gm_to_l1 in line 18, read by gemm_v0 in line 20)"
    )


RUNNING = """
with T.Kernel(1, is_npu=True) as (cid, vid):
    a = T.alloc_ub((64,), "float32")
    c = T.alloc_ub((64,), "float32")
    with T.Scope("V"):
        T.copy(X[0, 0:64], a)
        for i in T.serial(8):
            T.tile.add(c, c, a)
"""


def test_a_barrier_orders_work_of_one_pipe() -> None:
    found = told(at(RUNNING, "T.tile.add", options=SYNC, params=VECTORS))
    (barrier,) = [text for text in found["waits for"] if text.startswith("barrier of V")]
    assert "RAW" in barrier and "on c" in barrier and "from an earlier iteration" in barrier


def test_a_product_orders_itself_behind_earlier_ones() -> None:
    found = told(at(GEMM, "T.gemm"))
    assert not [text for text in found["waits for"] if text.startswith("barrier")]


BY_HAND = """
with T.Kernel(1, is_npu=True) as (cid, vid):
    x = T.alloc_ub((2, 8, 4096), "float32")
    with T.Scope("V"):
        T.set_flag("v", "mte2", 0)
        T.set_flag("v", "mte2", 1)
        for i in T.serial(8):
            T.wait_flag("v", "mte2", i % 2)
            T.copy(X[i * 8, 0], x[i % 2, :, :])
            T.set_flag("mte2", "v", i % 2)
            T.wait_flag("mte2", "v", i % 2)
            T.tile.exp(x[i % 2, :, :], x[i % 2, :, :])
            T.set_flag("v", "mte2", i % 2)
        T.wait_flag("v", "mte2", 0)
        T.wait_flag("v", "mte2", 1)
"""


def test_flags_of_the_author_are_explained_too() -> None:
    found = told(at(BY_HAND, "T.wait", options="", params=VECTORS))
    (orders,) = found["orders"]
    assert orders.startswith("flag V -> MTE2, event i % 2 (yours): WAR, WAW on x, V before MTE2")
    assert (
        "from an earlier iteration (read by Exp in line 22, written by copy_gm_to_ub in line 19)"
        in (orders)
    )
    first = told(at(BY_HAND, 'T.set_flag("v"', options="", params=VECTORS))
    assert first["orders"] == [
        "flag V -> MTE2, event 0: no work that it joins was found to touch the same bytes"
    ]


def test_what_lowering_put_before_a_flag_between_the_cores_is_told_once() -> None:
    body = """
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_ub((8, 64), "float32")
        c = T.alloc_L0C((16, 64), "float32")
        with T.Scope("V"):
            T.copy(X[0, 0], x)
            T.set_cross_flag("V", 0)
        with T.Scope("C"):
            T.wait_cross_flag(0)
            T.copy(c, X[0, 0])
    """
    found = told(at(body, "T.set_cross", params=VECTORS))
    assert all("before the other core is told" in text for text in found["becomes"][:-1])
    assert found["becomes"][:-1] and "orders" not in found


def test_branches_that_exclude_each_other_need_no_order() -> None:
    body = """
    with T.Kernel(2, is_npu=True) as (cid, vid):
        x = T.alloc_ub((8, 64), "float32")
        with T.Scope("V"):
            if cid == 0:
                T.copy(X[0, 0], x)
            else:
                T.barrier_all()
                T.tile.exp(x, x)
    """
    (orders,) = told(at(body, "T.barr", options="", params=VECTORS))["orders"]
    assert "no work that it joins" in orders


def test_versions_of_a_tile_are_kept_apart() -> None:
    """The load of an iteration waits for the work two before it, not for that of the last one."""
    found = told(at(BY_HAND, "T.tile.e", options="", params=VECTORS))
    assert all("V -> MTE2, event i % 2" in text for text in found["is awaited by"])
    assert [text.split(",")[0] for text in found["waits for"]] == ["flag MTE2 -> V"]


REUSE = """
with T.Kernel(1, is_npu=True) as (cid, vid):
    x = T.alloc_ub((8, 4096), "float32")
    y = T.alloc_ub((8, 2048), "float32")
    with T.Scope("V"):
        T.copy(X[0, 0], x)
        T.copy(x, Y[0, 0])
        T.copy(X[8, 0], y)
        T.copy(y, Y[8, 0])
"""


def test_buffers_that_share_bytes_say_with_whom_and_why() -> None:
    body = REUSE.replace("8, 4096", "24, 2000").replace("8, 2048", "8, 2000")
    found = told(at(body, "    y", params=VECTORS))
    assert found["address"][0].startswith("0 to 64,000: shares bytes with x")
    assert found["shares"] == [
        "bytes 0 to 64,000 with x: their lives do not meet "
        "(x last used in line 17, y first used in line 18)"
    ]


def test_a_life_that_a_loop_stretches_names_the_loop() -> None:
    body = """
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_ub((8, 4096), "float32")
        s = T.alloc_ub((8, 4096), "float32")
        with T.Scope("V"):
            for i in T.serial(4):
                T.copy(X[i * 8, 0], x)
                T.tile.add(s, s, x)
            T.copy(x, Y[0, 0])
    """
    (life,) = told(at(body, "        s", params=VECTORS))["life"]
    assert "kept over the loop" in life and "loop in line 16" in life


def test_a_scalar_loop_tells_its_cost() -> None:
    body = """
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_ub((8, 64), "float32")
        y = T.alloc_ub((8, 64), "float32")
        with T.Scope("V"):
            for i, j in T.Parallel(8, 64):
                y[i, j] = x[i, j] % 2.0
    """
    found = told(at(body, "T.Par", params=VECTORS))
    assert found["limit"][0].startswith("lowered to 512 scalar operations")
    assert any(text.startswith("for i in serial(0, 8)") for text in found["becomes"])


def test_a_parallel_loop_tells_its_vector_operations() -> None:
    body = """
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_ub((8, 64), "float32")
        with T.Scope("V"):
            for i, j in T.Parallel(8, 64):
                x[i, j] = T.exp(x[i, j]) * 2.0
    """
    found = told(at(body, "T.Par", params=VECTORS))
    assert [text.split("(")[0] for text in found["becomes"]] == ["Exp", "Muls"]
    assert found["core"] and "limit" not in found


def test_a_tile_of_the_compiler_tells_whose_need_it_is() -> None:
    body = """
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_ub((8, 64), "float32")
        m = T.alloc_ub((8, 1), "float32")
        with T.Scope("V"):
            T.reduce_max(x, m, dim=-1)
    """
    (scratch,) = told(at(body, "T.reduce", params=VECTORS))["scratch"]
    assert scratch.startswith("tmp_ub, 2 KiB in the UB at ")
    assert scratch.endswith(": scratch of reduce_max")


CROSSING = """
with T.Kernel(1, is_npu=True) as (cid, vid):
    a = T.alloc_L1((128, 64), "float16")
    b = T.alloc_L1((64, 128), "float16")
    c = T.alloc_L0C((128, 128), "float32")
    u = T.alloc_ub((64, 128), "float32")
    T.copy(A[0, 0], a)
    T.copy(B[0, 0], b)
    T.gemm_v0(a, b, c, init=True)
    T.copy(c[vid * 64:vid * 64 + 64, :], u)
    T.tile.exp(u, u)
    T.copy(u, D[vid * 64, 0])
"""


def test_a_copy_between_the_cores_names_its_workspace_and_flags() -> None:
    found = told(at(CROSSING, "T.copy(c[", options=SPLIT))
    assert [text.split("(")[0] for text in found["becomes"]] == ["copy_l0c_to_gm", "copy_gm_to_ub"]
    assert all("c reaches u through workspace_1" in text for text in found["becomes"])
    assert {text.split(":")[0] for text in found["core"]} == {"cube", "vector"}
    assert any(text.startswith("wait_cross_flag") for text in found["order"])


def test_the_core_of_a_statement_has_its_reason() -> None:
    assert told(at(CROSSING, "T.cop", options=SPLIT))["core"] == [
        "cube: copy_gm_to_l1 runs on this core only"
    ]
    assert told(at(CROSSING, "T.tile", options=SPLIT))["core"] == [
        "vector: Exp runs on this core only"
    ]


PIPELINED = """
with T.Kernel(1, is_npu=True) as (cid, vid):
    x = T.alloc_ub((8, 1024), "float32")
    y = T.alloc_ub((8, 1024), "float32")
    with T.Scope("V"):
        for i in T.Pipelined(4, num_stages=2):
            T.copy(X[0, i * 1024], x)
            T.tile.exp(y, x)
            T.copy(y, Y[0, i * 1024])
"""


def test_a_pipeline_tells_how_far_it_runs_ahead() -> None:
    found = told(at(PIPELINED, "T.Pipe", params=VECTORS))
    assert found["overlap"] == ["the first statements run 2 iterations ahead: versions: 2 of x"]
    versions = told(at(PIPELINED, "    x", params=VECTORS))["versions"]
    assert versions[0].startswith("2: ") and "loop in line 16" in versions[0]


ROWS = """
with T.Kernel(1, is_npu=True) as (cid, vid):
    x = T.alloc_ub((8, 1024), "float32")
    y = T.alloc_ub((8, 1024), "float32")
    with T.Scope("V"):
        T.copy(X[0, 0], x)
        for i in T.serial(8):
            T.tile.exp(y[i, :], x[i, :])
            T.tile.ln(y[i, :], y[i, :])
"""


def test_a_loop_that_is_parted_tells_what_that_saves() -> None:
    found = told(at(ROWS, "T.serial", options=SPLIT, params=VECTORS))
    assert found["parts"] == ["2 loops: one barrier between two does for one in each iteration"]


def test_a_pipeline_that_stays_plain_tells_why() -> None:
    body = PIPELINED.replace("T.tile.exp(y, x)", "T.tile.add(x, x, x)")
    body = body.replace("T.copy(X[0, i * 1024], x)", "T.tile.add(x, x, y)")
    found = told(at(body, "T.Pipe", params=VECTORS))
    (overlap,) = found["overlap"]
    assert overlap.startswith("none: one iteration after the other: ") and "limit" not in found


def test_half_a_tile_for_each_vector_core() -> None:
    body = PIPELINED.replace("is_npu=True", "threads=2, is_npu=True").replace(
        "(8, 1024)", "(16, 1024)"
    )
    found = told(at(body, "    x", params=VECTORS))
    assert found["share"][0].startswith("8 of 16 rows: threads=2")


@pytest.mark.parametrize("before", ["with T.Kernel(1, is_npu=True) ", "\n"])
def test_where_nothing_was_decided_there_is_no_answer(before: str) -> None:
    assert told(at(GEMM, before)) == {}


@pytest.mark.parametrize("before", ["T.cop", "    a"])
def test_a_kernel_that_is_not_known_whole_says_why(before: str) -> None:
    body = GEMM.replace("T.copy(c, D)", "T.copy(c, D[int(input()), 0])")
    report, position = opened(at(body, before))
    facts = Facts(report, report.kernels[0])
    assert facts.kernel.status == "skipped"
    found = why(facts, position)
    assert found is not None
    assert [text for _, text in lines(facts, found.reasons)] == [
        f"not lowered: {facts.kernel.reason}"
    ]


def test_a_layout_that_the_author_asks_for() -> None:
    import_it = "import tilelang\nfrom tilelang.intrinsics import make_nz_layout\n"
    asked = "    T.annotate_layout({a: make_nz_layout(a)})\n    with T.Scope"
    text = at(GEMM.replace("    with T.Scope", asked), "    a")
    (layout,) = told(text.replace("import tilelang\n", import_it, 1))["layout"]
    assert layout == "nZ: T.annotate_layout asks for it"


def test_names_of_another_kernel_are_not_meant() -> None:
    first = text_of(GEMM)
    second = "\n\n" + text_of(BY_HAND.replace("    x", "    |a").replace(" x", " a"), "", VECTORS)
    second = second.replace("factory", "other")
    report, position = opened(first + second.replace("x[", "a["))
    assert why(Facts(report, report.kernels[0]), position) is None
    found = why(Facts(report, report.kernels[1]), position)
    assert found is not None and found.reasons[0].decision == "UB"
