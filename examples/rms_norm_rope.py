"""Root mean square norm of every head, then the rotary embedding, in one pass over the data.

    y = x / sqrt(mean(x * x) + eps) * gamma        over the width of a head
    low, high = y[: width / 2], y[width / 2 :]     rotated by the angles of the token's position
    out = low * cos - high * sin, high * cos + low * sin

X, Y: (tokens, heads, width) float16. Gamma: (2, width / 2) float32, the scale of both halves. Cos, Sin:
(positions, width / 2) float32, a row for each position. Positions: (tokens,) int32.

Synchronised by hand. A vector core owns a run of tokens and has two slots for them: while it computes on
one, the next token arrives in the other and the last result leaves. Flags, one id for each slot:
MTE2 -> V "the token is here", V -> MTE2 "its slot is free", V -> MTE3 "the result is here", MTE3 -> V
"its slot is free". The free ones are set before the loop and waited for after it. Run on a device with
torch_npu.
"""

import numpy as np
import tilelang
import tilelang.language as T

CORES = 24
SLOTS = 2
# Id 0 of MTE2 -> V and V -> MTE2 is taken by copies from GM that pad.
FIRST = 1
EPSILON = 1e-6


@T.macro
def norm(low, high, square, other, total, root, scale, gamma, width):
    """Both halves of the heads times gamma over their root mean square."""
    T.tile.mul(square, low, low)
    T.tile.mul(other, high, high)
    T.pipe_barrier("v")
    T.tile.add(square, square, other)
    T.pipe_barrier("v")
    T.reduce_sum(square, total, dim=-1)
    T.pipe_barrier("v")
    T.tile.mul(total, total, 1.0 / width)
    T.pipe_barrier("v")
    T.tile.add(total, total, EPSILON)
    T.pipe_barrier("v")
    T.tile.sqrt(root, total)
    T.pipe_barrier("v")
    T.tile.broadcast(scale, root)
    T.pipe_barrier("v")
    T.tile.div(low, low, scale)
    T.tile.div(high, high, scale)
    T.pipe_barrier("v")
    T.tile.broadcast(scale, gamma[0:1, :])
    T.pipe_barrier("v")  # the two share scratch
    T.tile.broadcast(other, gamma[1:2, :])
    T.pipe_barrier("v")
    T.tile.mul(low, low, scale)
    T.tile.mul(high, high, other)
    T.pipe_barrier("v")


@T.macro
def rotate(low, high, cos, sin, turned, spare):
    """`turned` becomes the rotated low half, `high` the rotated high one; cos and sin are as wide."""
    T.tile.mul(turned, low, cos)
    T.tile.mul(spare, high, sin)
    T.pipe_barrier("v")
    T.tile.mul(high, high, cos)
    T.tile.mul(low, low, sin)
    T.pipe_barrier("v")
    T.tile.sub(turned, turned, spare)
    T.tile.add(high, high, low)
    T.pipe_barrier("v")


# tl: instance tokens=7, heads=8, width=64, positions=16, cores=2
@tilelang.jit(out_idx=[-1])
def rms_norm_rope(tokens, heads, width, positions, cores=CORES, dtype="float16"):  # noqa: PLR0915
    assert width % 32 == 0, "half a head must fill whole blocks of 32 bytes"
    half = width // 2
    share = T.ceildiv(tokens, 2 * cores)

    @T.prim_func
    def rope(  # noqa: PLR0915
        X: T.Tensor((tokens, heads, width), dtype),
        Gamma: T.Tensor((2, half), "float32"),
        Cos: T.Tensor((positions, half), "float32"),
        Sin: T.Tensor((positions, half), "float32"),
        Positions: T.Tensor((tokens,), "int32"),
        Y: T.Tensor((tokens, heads, width), dtype),
    ):
        with T.Kernel(cores, is_npu=True) as (block, core):
            low_in = T.alloc_ub((SLOTS, heads, half), dtype)
            high_in = T.alloc_ub((SLOTS, heads, half), dtype)
            cos_row = T.alloc_ub((SLOTS, 1, half), "float32")
            sin_row = T.alloc_ub((SLOTS, 1, half), "float32")
            low_out = T.alloc_ub((SLOTS, heads, half), dtype)
            high_out = T.alloc_ub((SLOTS, heads, half), dtype)
            gamma = T.alloc_ub((2, half), "float32")
            low = T.alloc_ub((heads, half), "float32")
            high = T.alloc_ub((heads, half), "float32")
            a = T.alloc_ub((heads, half), "float32")
            b = T.alloc_ub((heads, half), "float32")
            c = T.alloc_ub((heads, half), "float32")
            spare = T.alloc_ub((heads, half), "float32")
            total = T.alloc_ub((heads, 1), "float32")
            root = T.alloc_ub((heads, 1), "float32")

            start = (block * 2 + core) * share
            count = T.max(T.min(share, tokens - start), 0)
            with T.Scope("V"):
                T.copy(Gamma, gamma)
                for slot in T.serial(SLOTS):
                    T.set_flag("v", "mte2", FIRST + slot)
                    T.set_flag("mte3", "v", FIRST + slot)
                for step in T.serial(count):
                    slot = step % SLOTS
                    token = start + step
                    place = Positions[token]
                    T.wait_flag("v", "mte2", FIRST + slot)
                    T.copy(X[token, :, 0:half], low_in[slot, :, :])
                    T.copy(X[token, :, half:width], high_in[slot, :, :])
                    T.copy(Cos[place : place + 1, :], cos_row[slot, :, :])
                    T.copy(Sin[place : place + 1, :], sin_row[slot, :, :])
                    T.set_flag("mte2", "v", FIRST + slot)

                    T.wait_flag("mte2", "v", FIRST + slot)
                    T.copy(low_in[slot, :, :], low)
                    T.copy(high_in[slot, :, :], high)
                    T.pipe_barrier("v")
                    norm(low, high, a, b, total, root, c, gamma, width)
                    T.tile.broadcast(a, cos_row[slot, :, :])
                    T.pipe_barrier("v")
                    T.tile.broadcast(b, sin_row[slot, :, :])
                    T.pipe_barrier("v")
                    T.set_flag("v", "mte2", FIRST + slot)
                    rotate(low, high, a, b, c, spare)

                    T.wait_flag("mte3", "v", FIRST + slot)
                    T.copy(c, low_out[slot, :, :])
                    T.copy(high, high_out[slot, :, :])
                    T.pipe_barrier("v")
                    T.set_flag("v", "mte3", FIRST + slot)
                    T.wait_flag("v", "mte3", FIRST + slot)
                    T.copy(low_out[slot, :, :], Y[token, :, 0:half])
                    T.copy(high_out[slot, :, :], Y[token, :, half:width])
                    T.set_flag("mte3", "v", FIRST + slot)
                for slot in T.serial(SLOTS):
                    T.wait_flag("v", "mte2", FIRST + slot)
                    T.wait_flag("mte3", "v", FIRST + slot)

    return rope


def reference(x, gamma, cos, sin, positions):
    """What the kernel computes, in numpy."""
    x = x.astype(np.float32)
    y = x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-6) * gamma.reshape(-1)
    low, high = np.split(y, 2, axis=-1)
    c, s = cos[positions][:, None, :], sin[positions][:, None, :]
    return np.concatenate([low * c - high * s, high * c + low * s], axis=-1).astype(np.float16)


def main():
    import torch
    import torch_npu  # noqa: F401

    tokens, heads, width, positions = 4096, 32, 128, 32768
    kernel = rms_norm_rope(tokens, heads, width, positions)
    x = torch.randn(tokens, heads, width, dtype=torch.float16)
    gamma = torch.rand(2, width // 2)
    angles = torch.rand(positions, width // 2) * 6.28
    at = torch.randint(0, positions, (tokens,), dtype=torch.int32)
    given = (x, gamma, angles.cos(), angles.sin(), at)
    wanted = torch.from_numpy(reference(*(t.numpy() for t in given)))
    torch.testing.assert_close(
        kernel(*(t.npu() for t in given)).cpu(), wanted, rtol=1e-2, atol=1e-2
    )
    print("rms_norm_rope: the device agrees with numpy")


if __name__ == "__main__":
    main()
