"""Arithmetic on SIMD lanes inside numba kernels: LLVM instructions written by Python operators.

A numba intrinsic is a Python function that writes LLVM code. `Lanes` wraps a value of that code (a vector of 64 bytes:
16 float32 or 8 float64 lanes, or a plain number) so that a butterfly reads as arithmetic. LLVM splits the vectors
where the CPU's registers are narrower; nothing here depends on the CPU.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

VECTOR_BYTES = 64


def instructions(function: Callable[..., Any]) -> Any:
    """Make a numba intrinsic: `function` gets argument types, and returns a signature and a writer of LLVM code."""
    return intrinsic(function)


def n_lanes(itemsize: int) -> int:
    """Return how many values of `itemsize` bytes one vector holds."""
    return VECTOR_BYTES // itemsize


def aligned(n_values: int, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """Return a zeroed array of `n_values` numbers that starts at a multiple of a vector's 64 bytes."""
    memory = np.zeros(n_values * dtype.itemsize + VECTOR_BYTES, np.uint8)
    start = -memory.ctypes.data % VECTOR_BYTES
    return memory[start : start + n_values * dtype.itemsize].view(dtype)


@dataclass(frozen=True)
class Lanes:
    """One LLVM value, a vector or a number, and the place where code is being written."""

    builder: Any
    value: Any

    def _lift(self, other: Lanes | float) -> Any:
        return other.value if isinstance(other, Lanes) else _constant(self.value.type, float(other))

    def _wrap(self, value: Any) -> Lanes:
        return Lanes(self.builder, value)

    def __add__(self, other: Lanes | float) -> Lanes:
        return self._wrap(self.builder.fadd(self.value, self._lift(other), flags=("contract",)))

    def __sub__(self, other: Lanes | float) -> Lanes:
        return self._wrap(self.builder.fsub(self.value, self._lift(other), flags=("contract",)))

    def __mul__(self, other: Lanes | float) -> Lanes:
        return self._wrap(self.builder.fmul(self.value, self._lift(other), flags=("contract",)))

    def __neg__(self) -> Lanes:
        return self._wrap(self.builder.fneg(self.value))

    def constant(self, value: float) -> Lanes:
        """Return a constant of the same type."""
        return self._wrap(_constant(self.value.type, value))

    def fma(self, factor: Lanes | float, addend: Lanes | float) -> Lanes:
        """Return ``self * factor + addend``, rounded once where the CPU can."""
        return self._call("fmuladd", self.value, self._lift(factor), self._lift(addend))

    def plus_product(self, sign: int, a: Lanes, b: Lanes) -> Lanes:
        """Return ``self + sign a b``."""
        return (a if sign > 0 else -a).fma(b, self)

    def rint(self) -> Lanes:
        """Return the nearest integer."""
        return self._call("rint", self.value)

    def __abs__(self) -> Lanes:
        return self._call("fabs", self.value)

    def copysign(self, sign: Lanes) -> Lanes:
        """Return own magnitude with the sign of `sign`."""
        return self._call("copysign", self.value, sign.value)

    def smaller(self, other: Lanes) -> Lanes:
        """Return the smaller of both; `other` where one is nan."""
        less = self.builder.fcmp_ordered("<", self.value, other.value)
        return self._wrap(self.builder.select(less, self.value, other.value))

    def _call(self, name: str, *arguments: Any) -> Lanes:
        insert: Any = cgutils.get_or_insert_function
        kind = self.value.type
        function_type = ir.FunctionType(kind, [kind] * len(arguments))
        function = insert(self.builder.module, function_type, f"llvm.{name}.{_mangled(kind)}")
        return self._wrap(self.builder.call(function, arguments))


@dataclass(frozen=True)
class Memory:
    """A C-contiguous numba array seen as a sequence of numbers or of aligned 64-byte vectors."""

    builder: Any
    data: Any
    number: Any
    itemsize: int

    @classmethod
    def of(cls, context: Any, builder: Any, array_type: Any, value: Any) -> Memory:
        """Return the memory of an array argument of an intrinsic."""
        array = context.make_array(array_type)(context, builder, value)
        number = context.get_data_type(array_type.dtype)
        return cls(builder, array.data, number, array_type.dtype.bitwidth // 8)

    def at(self, address: Any) -> Memory:
        """Return memory of the same kind of numbers at an address, an integer."""
        return replace(self, data=self.builder.inttoptr(address, self.number.as_pointer()))

    @property
    def vector(self) -> Any:
        """The LLVM type of one vector."""
        return ir.VectorType(self.number, n_lanes(self.itemsize))

    def number_at(self, index: Any) -> Lanes:
        """Load one number."""
        return Lanes(self.builder, self.builder.load(self.builder.gep(self.data, [index])))

    def put(self, index: Any, number: Lanes) -> None:
        """Store one number."""
        self.builder.store(number.value, self.builder.gep(self.data, [index]))

    def zero(self) -> Lanes:
        """Return a vector of zeros."""
        return Lanes(self.builder, _constant(self.vector, 0.0))

    def splat(self, index: Any) -> Lanes:
        """Load one number into all lanes."""
        return Lanes(self.builder, _splat(self.builder, self.vector, self.number_at(index).value))

    def load(self, index: Any) -> Lanes:
        """Load the vector of number `index` (counted in vectors); the array starts at a multiple of 64 bytes."""
        return Lanes(self.builder, self.builder.load(self._vector_pointer(index), align=VECTOR_BYTES))

    def store(self, index: Any, lanes: Lanes) -> None:
        """Store a vector at place `index`, counted in vectors."""
        self.builder.store(lanes.value, self._vector_pointer(index), align=VECTOR_BYTES)

    def load_unaligned(self, offset: Any) -> Lanes:
        """Load a vector that starts at number `offset`."""
        return Lanes(self.builder, self.builder.load(self._pointer(offset), align=self.itemsize))

    def store_unaligned(self, offset: Any, lanes: Lanes) -> None:
        """Store a vector from number `offset` on."""
        self.builder.store(lanes.value, self._pointer(offset), align=self.itemsize)

    def _pointer(self, offset: Any) -> Any:
        return self.builder.bitcast(self.builder.gep(self.data, [offset]), self.vector.as_pointer())

    def _vector_pointer(self, index: Any) -> Any:
        base = self.builder.bitcast(self.data, self.vector.as_pointer())
        return self.builder.gep(base, [index])


def shuffle(a: Lanes, b: Lanes, picks: Sequence[int]) -> Lanes:
    """Return the lanes `picks` of the concatenation of a and b."""
    mask = ir.Constant(ir.VectorType(ir.IntType(32), len(picks)), [ir.Constant(ir.IntType(32), p) for p in picks])
    return Lanes(a.builder, a.builder.shuffle_vector(a.value, b.value, mask))


def splat_like(number: Lanes, vector: Lanes) -> Lanes:
    """Return a number in all lanes."""
    return Lanes(number.builder, _splat(number.builder, vector.value.type, number.value))


def index(value: int) -> Any:
    """Return an integer constant for places in memory."""
    return ir.Constant(ir.IntType(64), value)


def is_number(kind: Any) -> bool:
    """Return whether a numba type is float32 or float64."""
    return kind in (types.float32, types.float64)


def _splat(builder: Any, vector: Any, number: Any) -> Any:
    first = builder.insert_element(ir.Constant(vector, ir.Undefined), number, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), vector.count), None)
    return builder.shuffle_vector(first, ir.Constant(vector, ir.Undefined), zeros)


def _constant(kind: Any, value: float) -> Any:
    if isinstance(kind, ir.VectorType):
        return ir.Constant(kind, [ir.Constant(kind.element, value)] * kind.count)
    return ir.Constant(kind, value)


def _mangled(kind: Any) -> str:
    if isinstance(kind, ir.VectorType):
        return f"v{kind.count}{_mangled(kind.element)}"
    return "f32" if isinstance(kind, ir.FloatType) else "f64"
