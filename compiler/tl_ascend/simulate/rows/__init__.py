"""The semantics, one file for each family of rows. Importing this package registers them all."""

from tl_ascend.simulate.rows import (
    bitwise,
    copy,
    debug,
    deprecated,
    experimental,
    gather,
    math,
    matmul,
    reduce,
    remote,
    sort,
    values,
    vector,
)

LOADED = (
    bitwise,
    copy,
    debug,
    deprecated,
    experimental,
    gather,
    math,
    matmul,
    reduce,
    remote,
    sort,
    values,
    vector,
)
