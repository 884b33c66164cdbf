# SPDX-License-Identifier: Apache-2.0
"""Tests of Arrow tables on a GPU, in memory of PyTorch or CuPy: numbers, bits, strings
and nulls, against Python's values."""

import ctypes
import unittest

import producer
import winnow
from arrays import needs, np
from test_gpu import Torch, each_library, on_a_gpu, torch

N = 50000
FORMATS = {"x": b"i", "y": b"g", "flag": b"b", "name": b"u", "note": b"U"}
CUDA = 2  # Arrow's number of this type of device


class Memory:
    """Bytes on the device, which PyTorch can read."""

    def __init__(self, address, number):
        self.__cuda_array_interface__ = {
            "data": (address, False),
            "shape": (number,),
            "typestr": "|u1",
            "version": 3,
        }


def bits(values):
    return np.packbits(np.array(values, bool), bitorder="little")


def buffers(name, values):
    """Make the buffers of an Arrow column. Null values have bytes that are not zero."""
    valid = bits([value is not None for value in values])
    if name == "flag":
        return [valid, bits([value in (True, None) for value in values])]
    if name in ("name", "note"):
        texts = [b"?" if value is None else value.encode() for value in values]
        ends = np.cumsum([0, *map(len, texts)])
        return [
            valid,
            ends.astype(np.int32 if name == "name" else np.int64),
            np.frombuffer(b"".join(texts), np.uint8),
        ]
    kind = np.int32 if name == "x" else np.float64
    return [valid, np.array([7 if value is None else value for value in values], kind)]


class Table(producer._Producer):
    """A batch on GPU 0. Its rows begin `offset` items after the start of its memory."""

    def __init__(self, library, columns, offset):
        super().__init__(device=(CUDA, 0))
        self.offset = offset
        self.length = len(next(iter(columns.values()))) - offset
        self.columns = {
            name: [library.put(buffer) for buffer in buffers(name, values)]
            for name, values in columns.items()
        }

    def _children(self, kind, release, members):
        children = [
            kind(release=self._release(release, getattr(producer, f"RELEASE_{release.upper()}"), False), **m)
            for m in members
        ]
        return producer.keep(
            (ctypes.POINTER(kind) * len(children))(
                *(ctypes.pointer(producer.keep(child)) for child in children)
            )
        )

    def _schema(self, struct):
        super()._schema(struct)
        struct.n_children = len(self.columns)
        struct.children = self._children(
            producer.Schema,
            "schema",
            [
                {"format": FORMATS[name], "name": name.encode(), "flags": producer.NULLABLE}
                for name in self.columns
            ],
        )

    def _array(self, struct, numbers):
        super()._array(struct, [])
        members = []
        for of in self.columns.values():
            addresses = [
                buffer.data_ptr() if hasattr(buffer, "data_ptr") else buffer.data.ptr
                for buffer in of
            ]
            members.append(
                {
                    "length": self.length,
                    "offset": self.offset,
                    "null_count": -1,
                    "n_buffers": len(of),
                    "buffers": producer.keep(
                        (ctypes.c_void_p * len(of))(*addresses)
                    ),
                }
            )
        struct.length = self.length
        struct.n_children = len(members)
        struct.children = self._children(producer.Array, "array", members)

    def __arrow_c_device_array__(self, requested_schema=None, **unused):
        self.batches = [None]
        return producer.Batch.__arrow_c_device_array__(self, requested_schema)


def read(address, kind, number):
    if number == 0:
        return np.zeros(0, kind)
    bytes_ = torch.as_tensor(Memory(address, number * np.dtype(kind).itemsize), device="cuda")
    return np.frombuffer(bytes_.cpu().numpy().tobytes(), kind)


def values_of(name, array):
    """Return the values of a column on the device, None for nulls."""
    first, n = array.offset, array.length
    address = [array.buffers[i] for i in range(array.n_buffers)]

    def take_bits(which):
        packed = read(address[which], np.uint8, (first + n + 7) // 8)
        return np.unpackbits(packed, bitorder="little")[first : first + n].astype(bool)

    if name == "flag":
        values = take_bits(1).tolist()
    elif name in ("name", "note"):
        kind = np.int32 if name == "name" else np.int64
        ends = read(address[1], kind, first + n + 1)[first:]
        text = read(address[2], np.uint8, int(ends[-1])).tobytes()
        values = [text[a:b].decode() for a, b in zip(ends[:-1], ends[1:])]
    else:
        kind = np.int32 if name == "x" else np.float64
        values = read(address[1], kind, first + n)[first:].tolist()
    valid = take_bits(0) if address[0] else [True] * n
    return [value if there else None for value, there in zip(values, valid)]


def rows_of(batch):
    """Return the rows that winnow kept, each with its values in column order."""
    schema, array = batch.__arrow_c_device_array__()
    torch.cuda.synchronize()
    made = producer.contents(array, b"arrow_device_array", producer.DeviceArray)
    names = producer.contents(schema, b"arrow_schema", producer.Schema)
    assert (made.device_type, made.device_id) == (CUDA, 0)
    columns = []
    for i in range(made.array.n_children):
        name = names.children[i].contents.name.decode()
        assert names.children[i].contents.format == FORMATS[name]
        columns.append(values_of(name, made.array.children[i].contents))
    return list(zip(*columns))


def at_most(a, b):
    return None if a is None or b is None else a <= b


# The outcome for the values of a row. None means unknown.
CONDITIONS = {
    "x <= 3": lambda x, y, flag, name, note: at_most(x, 3),
    "flag": lambda x, y, flag, name, note: flag,
    "x is null": lambda x, y, flag, name, note: x is None,
    "name = 'bee'": lambda x, y, flag, name, note: name == "bee",
    "note in ('', 'a longer text of more than sixteen bytes')": lambda x, y, flag, name, note: (
        note in ("", "a longer text of more than sixteen bytes")
    ),
    "starts_with(name, 'b') and x <= 0": lambda x, y, flag, name, note: (
        name is not None and name.startswith("b") and at_most(x, 0)
    ),
    "not flag and y * 2 <= x": lambda x, y, flag, name, note: (
        flag is False and None not in (x, y) and y * 2 <= x
    ),
    "name like '%e_' or x = 4": lambda x, y, flag, name, note: (
        x == 4 or (name is not None and len(name) > 1 and name[-2] == "e")
    ),
    "name = note": lambda x, y, flag, name, note: name is not None and name == note,
    "length(note) > 3": lambda x, y, flag, name, note: note is not None and len(note) > 3,
}


def random_columns(seed):
    random = np.random.default_rng(seed)
    texts = ["", "a", "bee", "bet", "a longer text of more than sixteen bytes", "cede"]

    def with_nulls(values):
        null = random.random(N) < 0.1
        return [None if is_null else value for value, is_null in zip(values, null)]

    return {
        "x": with_nulls(random.integers(-6, 6, N).tolist()),
        "y": with_nulls((random.integers(-40, 40, N) / 8).tolist()),
        "flag": with_nulls((random.random(N) < 0.4).tolist()),
        "name": with_nulls([texts[i] for i in random.integers(0, 6, N)]),
        "note": with_nulls([texts[i] for i in random.integers(0, 6, N)]),
    }


@on_a_gpu
@needs("numpy")
@unittest.skipUnless(torch, "no PyTorch with a CUDA device, which reads what is kept")
class Tables(unittest.TestCase):
    @each_library
    def test_conditions(self, library):
        columns = random_columns(8)
        for offset in (0, 13):
            rows = list(zip(*columns.values()))[offset:]
            made = Table(library, columns, offset)
            for text, oracle in CONDITIONS.items():
                with self.subTest(text=text, offset=offset):
                    kept = winnow.filter(made, text)
                    self.assertIsInstance(kept, winnow.Batch)
                    wanted = [row for row in rows if oracle(*row)]
                    self.assertEqual(rows_of(kept), wanted)
                    self.assertGreater(len(wanted), 100)

    def test_is_released(self):
        made = Table(Torch, random_columns(9), 0)
        kept = winnow.filter(made, "x <= 3")
        again = winnow.filter(kept, "x <= 0")
        self.assertEqual(
            rows_of(again), [row for row in rows_of(kept) if at_most(row[0], 0)]
        )
        del kept, again
        torch.cuda.synchronize()
        self.assertEqual(made.released["array"], made.made["array"])


if __name__ == "__main__":
    unittest.main()
