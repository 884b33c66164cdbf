# SPDX-License-Identifier: Apache-2.0
"""A producer of Arrow tables, written with ctypes, which counts releases.

A table has one column x of int32, in batches. Tests can make its parts wrong.
"""

import ctypes

NULLABLE = 2


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class DeviceArray(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


RELEASE_SCHEMA = ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))
RELEASE_ARRAY = ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))
RELEASE_STREAM = ctypes.CFUNCTYPE(None, ctypes.POINTER(Stream))
GET_SCHEMA = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Schema)
)
GET_NEXT = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Array)
)
LAST_ERROR = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(Stream))
Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
    ("dictionary", ctypes.POINTER(Schema)),
    ("release", RELEASE_SCHEMA),
    ("private_data", ctypes.c_void_p),
]
Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(Array))),
    ("dictionary", ctypes.POINTER(Array)),
    ("release", RELEASE_ARRAY),
    ("private_data", ctypes.c_void_p),
]
DeviceArray._fields_ = [
    ("array", Array),
    ("device_id", ctypes.c_int64),
    ("device_type", ctypes.c_int32),
    ("sync_event", ctypes.c_void_p),
    ("reserved", ctypes.c_int64 * 3),
]
Stream._fields_ = [
    ("get_schema", GET_SCHEMA),
    ("get_next", GET_NEXT),
    ("get_last_error", LAST_ERROR),
    ("release", RELEASE_STREAM),
    ("private_data", ctypes.c_void_p),
]

END = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_new = ctypes.pythonapi.PyCapsule_New
_new.restype = ctypes.py_object
_new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype = ctypes.c_void_p
_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]


def contents(capsule, name, kind):
    """Return the struct of a capsule."""
    return kind.from_address(_pointer(capsule, name))


def text_of(address):
    return ctypes.string_at(address).decode()


def numbers(struct):
    """Return the column x of a batch."""
    column = struct.children[0].contents
    valid, data = column.buffers[0], column.buffers[1]
    found = []
    for i in range(column.offset, column.offset + column.length):
        is_valid = not valid or ctypes.c_uint8.from_address(valid + i // 8).value >> i % 8 & 1
        number = ctypes.c_int32.from_address(data + 4 * i).value
        found.append(number if is_valid else None)
    return found


# Functions and memory that capsules refer to. They stay until the process ends, since
# a capsule may be the last object that the interpreter frees.
_kept = []
ctypes.pythonapi.Py_IncRef(ctypes.py_object(_kept))


def keep(*objects):
    _kept.extend(objects)
    return objects[0]


class _Producer:
    """Batches of numbers and None. `made` and `released` count structs by kind."""

    def __init__(self, *batches, fails_at=None, device=(1, -1), **wrong):
        self.batches = batches
        self.fails_at = fails_at  # the number of a batch, or "schema"
        self.device = device  # Arrow's type of the device, and its ordinal
        self.wrong = wrong  # members of the column's array
        self.made = {"schema": 0, "array": 0, "stream": 0}
        self.released = dict(self.made)

    def _release(self, kind, function_type, counts=True):
        """Make a release function. Only the release of the outermost struct counts."""

        def release(pointer):
            item = pointer.contents
            for i in range(item.n_children if counts and kind != "stream" else 0):
                child = item.children[i].contents
                if child.release:
                    child.release(ctypes.pointer(child))
            item.release = function_type()
            self.released[kind] += counts

        self.made[kind] += counts
        return keep(function_type(release))

    def _schema(self, struct):
        child = Schema(
            format=b"i",
            name=b"x",
            flags=NULLABLE,
            release=self._release("schema", RELEASE_SCHEMA, False),
        )
        children = (ctypes.POINTER(Schema) * 1)(ctypes.pointer(child))
        keep(child, children)
        struct.format = b"+s"
        struct.name = b""
        struct.metadata = None
        struct.flags = 0
        struct.n_children = 1
        struct.children = children
        struct.dictionary = None
        struct.release = self._release("schema", RELEASE_SCHEMA)

    def _array(self, struct, numbers):
        n = len(numbers)
        bits = (ctypes.c_uint8 * (n // 8 + 1))()
        for i, number in enumerate(numbers):
            bits[i // 8] |= (number is not None) << i % 8
        data = (ctypes.c_int32 * (n + 1))(*(number or 0 for number in numbers))
        valid = ctypes.addressof(bits) if None in numbers else None
        buffers = (ctypes.c_void_p * 2)(valid, ctypes.addressof(data))
        none = (ctypes.c_void_p * 1)(None)
        child = Array(
            length=n,
            null_count=-1,
            n_buffers=2,
            buffers=buffers,
            release=self._release("array", RELEASE_ARRAY, False),
        )
        for member, value in self.wrong.items():
            setattr(child, member, value)
        children = (ctypes.POINTER(Array) * 1)(ctypes.pointer(child))
        keep(bits, data, buffers, none, child, children)
        struct.length = n
        struct.null_count = 0
        struct.offset = 0
        struct.n_buffers = 1
        struct.n_children = 1
        struct.buffers = none
        struct.children = children
        struct.dictionary = None
        struct.release = self._release("array", RELEASE_ARRAY)

    def _capsule(self, kind, name):
        struct = keep(kind())
        owner = struct.array if kind is DeviceArray else struct

        def end(_):
            if owner.release:
                owner.release(ctypes.pointer(owner))

        destructor = keep(END(end))
        address = ctypes.addressof(struct)
        return struct, _new(address, name, ctypes.cast(destructor, ctypes.c_void_p))


class Batches(_Producer):
    """A table that is exported as a stream."""

    def __arrow_c_stream__(self, requested_schema=None):
        left = list(enumerate(self.batches))
        text = keep(ctypes.create_string_buffer(b"the disk is on fire"))

        def get_schema(_, out):
            if self.fails_at == "schema":
                return 5
            self._schema(out.contents)
            return 0

        def get_next(_, out):
            if not left:
                out.contents.release = RELEASE_ARRAY()
                return 0
            number, numbers = left.pop(0)
            if number == self.fails_at:
                return 5
            self._array(out.contents, numbers)
            return 0

        struct, capsule = self._capsule(Stream, b"arrow_array_stream")
        struct.get_schema = keep(GET_SCHEMA(get_schema))
        struct.get_next = keep(GET_NEXT(get_next))
        struct.get_last_error = keep(
            LAST_ERROR(lambda _: ctypes.addressof(text))
        )
        struct.release = self._release("stream", RELEASE_STREAM)
        return capsule


class Batch(_Producer):
    """A table that is exported as one batch on a device."""

    def __arrow_c_device_array__(self, requested_schema=None, **unused):
        schema, schema_capsule = self._capsule(Schema, b"arrow_schema")
        self._schema(schema)
        array, capsule = self._capsule(DeviceArray, b"arrow_device_array")
        self._array(array.array, self.batches[0])
        array.device_type, array.device_id = self.device
        return schema_capsule, capsule
