"""Matrix products through BLAS whose sums run in short chains, without the GIL.

BLAS adds the products of an entry one after the other, so the rounding error grows with the length of that
chain: in float32, with 784 features, to 3e-6 of ``||x||/sigma`` where the maps promise 2e-6. Products of at most
128 features, added up by BLAS itself (``beta = 1``), halve it. numpy has no such call; scipy hands out its
BLAS as C functions.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

from scrf_bench.maps.tiles import Array, slices

# Measured: shorter chains gain little and cost more time; this one costs 4 to 9 percent of a product. float64
# is four orders below its bound as it is.
_CHAIN = {4: 128, 8: 2**30}
_MULTIPLE = 16


def multiply(A: Array, B: Array, out: Array) -> None:
    """Write ``A @ B`` into `out`.

    Parameters
    ----------
    A, B, out : ndarray of shapes (m, k), (k, n), (m, n)
        Of one dtype, float32 or float64, each row contiguous; rows may lie any distance apart.
    """
    (m, k), n, size = A.shape, B.shape[1], A.itemsize
    number = {4: ctypes.c_float, 8: ctypes.c_double}[size]
    routine = _routine(size)
    # BLAS counts by columns: it computes out' = B' A'.
    untouched, n_rows, n_columns = ctypes.c_char(b"N"), ctypes.c_int(n), ctypes.c_int(m)
    steps = [ctypes.c_int(array.strides[0] // size) for array in (B, A, out)]
    for part in slices(k, _chain_length(k, size)):
        length, alpha, beta = ctypes.c_int(part.stop - part.start), number(1), number(0 if part.start == 0 else 1)
        routine(
            ctypes.byref(untouched),
            ctypes.byref(untouched),
            ctypes.byref(n_rows),
            ctypes.byref(n_columns),
            ctypes.byref(length),
            ctypes.byref(alpha),
            B.ctypes.data + part.start * B.strides[0],
            ctypes.byref(steps[0]),
            A.ctypes.data + part.start * size,
            ctypes.byref(steps[1]),
            ctypes.byref(beta),
            out.ctypes.data,
            ctypes.byref(steps[2]),
        )


def _chain_length(k: int, itemsize: int) -> int:
    """Cut k into the fewest equal chains, in multiples of 16."""
    n_chains = -(-k // _CHAIN[itemsize])
    return -(-k // (n_chains * _MULTIPLE)) * _MULTIPLE


@cache
def _routine(itemsize: int) -> Any:
    """Return scipy's sgemm or dgemm: a C function of 13 pointers."""
    from scipy.linalg import cython_blas

    capsule = cython_blas.__pyx_capi__[{4: "sgemm", 8: "dgemm"}[itemsize]]
    api = ctypes.pythonapi
    api.PyCapsule_GetName.restype, api.PyCapsule_GetName.argtypes = ctypes.c_char_p, [ctypes.py_object]
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    address = api.PyCapsule_GetPointer(capsule, api.PyCapsule_GetName(capsule))
    return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 13)(address)
