# SPDX-License-Identifier: Apache-2.0
"""Values of fill= as the bytes of elements."""

import math
import sys
from typing import Any

from . import _tensors
from ._kinds import NAMES, is_of, numpy, type_of


def element_bytes(x: Any, kind: int, value: Any) -> bytes:
    """Return the bytes that a value has as an element of x."""
    check(value)
    is_tensor = is_of(x, "torch")
    if is_tensor:
        dtype = x.dtype
    else:
        dtype = numpy().dtype(x.dtype if hasattr(x, "dtype") else NAMES[type_of(kind)])
    cause: Exception | None = None
    try:
        made = (_tensor_bytes if is_tensor else _array_bytes)(dtype, value)
        if made is not None:
            return made
    except (OverflowError, RuntimeError, ValueError) as error:  # of NumPy or PyTorch
        cause = error
    raise ValueError(f"fill is {value!r}, which {dtype} cannot represent") from cause


def check(value: Any) -> None:
    """Raise an error if the value is masked, or has a gradient that would be lost."""
    if hasattr(value, "filled"):
        raise TypeError("fill is a masked array")
    if is_of(value, "torch") and (value.requires_grad or _tensors.tangents(value)):
        raise TypeError(
            "fill requires a gradient, which this call does not have: pass detach() of it"
        )


def _tensor_bytes(dtype: Any, value: Any) -> bytes | None:
    torch = sys.modules["torch"]
    one = torch.full((1,), value, dtype=dtype, device="cpu")
    if dtype.is_floating_point or dtype.is_complex:
        there = _is_near(one.item(), value, torch.finfo(dtype))
    else:
        there = one.item() == value
    return bytes(one.view(torch.uint8).numpy()) if there else None


def _array_bytes(dtype: Any, value: Any) -> bytes | None:
    np = numpy()
    # 0 means zero bytes for texts and records, too. numpy.array(0, "S1") is b"0".
    is_text = issubclass(dtype.type, np.flexible)
    is_zero = is_text and isinstance(value, (int, float)) and value == 0
    if isinstance(value, (complex, np.complexfloating)) and dtype.kind in "fiu":
        return None
    if type(value) is int and dtype.kind in "iu":  # NumPy 1.24 warns, later ones raise
        bits = 8 * dtype.itemsize - (dtype.kind == "i")
        if value >> bits not in (0, -1 if dtype.kind == "i" else 0):
            return None
    if is_zero:
        made = np.zeros((), dtype)
    elif type(value) in (int, float) and -65504 <= value <= 65504:
        made = np.array(value, dtype)  # every type of floats has such numbers
    else:
        with np.errstate(over="ignore"):
            made = np.array(value, dtype)
    if made.shape != ():
        raise TypeError(f"fill is one value, not {value!r}")
    return bytes(made.tobytes()) if is_zero or _represents(made, value) else None


def _is_near(one: Any, value: Any, kind: Any) -> bool:
    """Return whether the element `one`, of a type with this finfo, has this value but for
    rounding. Types of 8 bits may lack infinities, zero and signs."""
    if value != value:
        return bool(one != one)
    if math.isinf(abs(value)):
        return bool(one == value)
    return bool(abs(one - value) <= max(kind.eps * abs(value), kind.tiny))


def _represents(made: Any, value: Any) -> bool:
    """Return whether the element `made` has this value, but for rounding."""
    np = numpy()
    kind = made.dtype.kind
    is_number = type(value) in (int, float, bool)  # the rest of this is slower
    if is_number and kind in "biu":
        return bool(made.item() == value)
    if is_number and kind == "f":
        return not math.isinf(made) or math.isinf(value)
    if made.dtype.names:
        return _is_record(made, value)
    if isinstance(made[()], np.void):
        return bool(len(bytes(value)) <= made.nbytes)
    given = np.asarray(value)
    if kind in "Mm":
        return _is_moment(made, given)
    if given.dtype.kind in "Mm" or (given.dtype.kind == "c" and kind != "c"):
        return False
    if kind in "SU":
        return bool(made.astype(given.dtype) == given)
    if kind in "biu":
        return bool(made.item() == given.item())
    if kind == "c":
        return bool(np.isinf(made) == np.isinf(given.astype(complex)))
    if type(made[()]).__module__ == "ml_dtypes":
        return _is_narrow(made, float(given))
    # Types without infinities have NaN for what is beyond them.
    if math.isnan(made) or math.isinf(made):
        return bool(made == given or math.isnan(made) and math.isnan(given))
    return True


def _is_record(made: Any, value: Any) -> bool:
    """Return whether the fields of a record have the values of a tuple or a record, or
    all of them one value."""
    np = numpy()
    names = made.dtype.names
    if getattr(value, "dtype", None) == made.dtype:
        return True
    if not isinstance(value, (tuple, np.void)):
        value = (value,) * len(names)
    for name, part in zip(names, value):
        shape = made.dtype[name].shape
        parts = np.broadcast_to(np.asarray(part, object), shape).flat if shape else (part,)
        for one, wanted in zip(np.ravel(made[name]), parts):
            if not _represents(np.asarray(one), wanted):
                return False
    return True


def _is_narrow(made: Any, value: Any) -> bool:
    """Return whether an element of a type of ml_dtypes has this value, but for rounding.
    Its integers wrap around, and its floats have what is beyond them as an infinity, as
    NaN or as the largest number."""
    one = float(made)
    if math.isnan(one) or math.isinf(one) or made.dtype.name.startswith(("int", "uint")):
        return one == value or math.isnan(one) and math.isnan(value)
    limits = sys.modules["ml_dtypes"].finfo(made.dtype)
    most = float(limits.max)
    half = float(limits.eps) * 2.0 ** math.floor(math.log2(most)) / 2
    return bool(abs(value) < most + half)


def _is_moment(made: Any, given: Any) -> bool:
    """Return whether a date or a duration has the value that was given."""
    np = numpy()
    kind, from_kind = made.dtype.kind, given.dtype.kind
    if given.dtype.hasobject:  # a date, a datetime or a timedelta of Python
        given, from_kind = given.astype(f"{kind}8[us]"), kind
    if from_kind in "iu":
        return bool(int(made.view(np.int64)) == int(given))
    if from_kind == "U" and kind == "M":
        given, from_kind = np.asarray(np.datetime64(str(given))), kind
    if from_kind != kind:
        return bool(from_kind == "U")  # the number of a duration, which NumPy has read
    back = made.astype(given.dtype)
    return bool(back == given or np.isnat(back) and np.isnat(given))


def item_bytes(x: Any, kind: int, size: int, value: Any) -> bytes:
    """Return the bytes of an item of x all of whose elements have this value."""
    element = element_bytes(x, kind, value)
    return element * (size // len(element))
