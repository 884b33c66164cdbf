/*
 * Runs of equal keys, and partitions by a key.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "keyed.h"

#include "result.h"

/* Open keys, and columns with the same number of items, as the first arrays of
 * the call. */
static int open_beside(py_work *work, PyObject *keys, unsigned use,
                       PyObject *columns, unsigned columns_use) {
    if (PyTuple_Size(columns) >= MOST_COLUMNS) {
        PyErr_Format(PyExc_ValueError, "there are %zd columns, more than %d",
                     PyTuple_Size(columns) + 1, MOST_COLUMNS);
        return 0;
    }
    py_array *const first = call_array(&work->call, keys, "keys", use);
    for (Py_ssize_t i = 0; first && i < PyTuple_Size(columns); i++) {
        PyObject *const place = PyLong_FromSsize_t(i);
        const py_array *const column =
            place ? call_column(&work->call, PyTuple_GetItem(columns, i),
                                (py_name){"columns[%R]", place},
                                ARRAY_NO_GRADIENT | columns_use)
                  : NULL;
        Py_XDECREF(place);
        if (!column || !has_as_many(column, first))
            return 0;
    }
    work->width = 1 + (unsigned)PyTuple_Size(columns);
    return first != NULL;
}

/* Move the keys and each column to a new array, made[i]. */
static int move_all(py_work *work, const py_array **made) {
    for (unsigned i = 0; i < work->width; i++) {
        if (!work_move(work, i, &work->call.arrays[i], Py_None))
            return 0;
        made[i] = &work->call.arrays[work->call.count - 1];
    }
    return 1;
}

/* Return keys for 0, else column i - 1. */
static PyObject *given(PyObject *keys, PyObject *columns, unsigned i) {
    return i ? PyTuple_GetItem(columns, i - 1) : keys;
}

static PyObject *results_of(py_work *work, PyObject *keys, PyObject *columns,
                            const py_array **made) {
    PyObject *const all = PyTuple_New(work->width);
    for (unsigned i = 0; all && i < work->width; i++) {
        PyObject *const one =
            work_result(work, given(keys, columns, i), made[i], Py_None);
        if (!one || work->width == 1) {
            Py_DECREF(all);
            return one;
        }
        PyTuple_SetItem(all, i, one);
    }
    return all;
}

/* unique(keys, columns, last, equality, capacity, n) */
static PyObject *unique(PyObject *module, PyObject *const *args,
                        Py_ssize_t count) {
    py_work *const work = work_begin(module, "unique", count, 6);
    winnow_status status = WINNOW_OK;
    const py_array *made[MOST_COLUMNS];
    PyObject *result = NULL, *n = args[5];
    winnow_in column = {0};
    if (!work)
        return NULL;
    const winnow_unique_options options = {
        .size = sizeof options,
        .keep = args[2] == Py_True ? WINNOW_UNIQUE_LAST : WINNOW_UNIQUE_FIRST,
        .equality = (winnow_equality)PyLong_AsLong(args[3])};
    PyObject *const keys = work_unpack(work->call.state, args[0], &n);
    const py_array *const key = work->call.arrays;
    const int opened =
        keys &&
        open_beside(work, keys, ARRAY_NO_GRADIENT, args[1], ARRAY_BYTES) &&
        work_n(work, n, key->n) && work_limit(work, args[4]) &&
        move_all(work, made) && work_count(work, key) && work_ready(work);
    if (opened)
        column = (winnow_in){.type = key->dimensions == 1 ? key->type
                                                          : WINNOW_OPAQUE,
                             .element_bytes = (uint32_t)key->item_bytes,
                             .d_base = key->data};
    RUN(winnow_unique(CONTEXT, &column, work->n, &options, work->moves,
                      work->width, work->capacity, work->d_count, LAUNCH));
    if (work_done(work, opened, status))
        result = results_of(work, keys, args[1], made);
    work_free(work);
    Py_XDECREF(keys);
    return result;
}

/* -------------------------------------------------------------- by a key */

/* Return the unsigned type as which the library reads keys. Signed keys that
 * are not negative keep their value. Negative keys become the largest keys. */
static winnow_type key_type(const py_array *keys) {
    return keys->type == WINNOW_INT32 || keys->type == WINNOW_UINT32
               ? WINNOW_UINT32
           : keys->type == WINNOW_INT64 || keys->type == WINNOW_UINT64
               ? WINNOW_UINT64
               : WINNOW_OPAQUE;
}

/* Check that items have 1, 2, 4, 8 or 16 bytes, as partitions require, and that the
 * keys are not moved twice. */
static int are_movable(const py_work *work) {
    for (unsigned i = 0; i < work->width; i++) {
        const py_array *const x = &work->call.arrays[i];
        if (x->item_bytes == 0 || x->item_bytes > 16 ||
            (x->item_bytes & (x->item_bytes - 1)) != 0) {
            PyErr_Format(PyExc_ValueError,
                         "%s has items of %zu bytes: pass items of 1, 2, 4, 8 "
                         "or 16",
                         array_name(x), x->item_bytes);
            return 0;
        }
    }
    for (unsigned i = 1; i < work->width; i++) {
        const py_array *const x = &work->call.arrays[i];
        if (x->data && x->data == work->call.arrays[0].data) {
            PyErr_Format(PyExc_ValueError,
                         "%s has the memory of the keys: pass a copy of it",
                         array_name(x));
            return 0;
        }
    }
    return 1;
}

int keys_take(const py_array *keys, winnow_in *column) {
    if (keys->dimensions != 1 || key_type(keys) == WINNOW_OPAQUE) {
        PyErr_SetString(PyExc_TypeError,
                        "keys have one dimension, and are of uint32, uint64, "
                        "int32 or int64");
        return 0;
    }
    *column = (winnow_in){.type = key_type(keys), .d_base = keys->data};
    return 1;
}

/* Let the outputs have as many items as are read. */
static int limit_to_n(py_work *work) {
    work->limit = work->n;
    return 1;
}

/* Read bits, shift and parts. The caller looks for an exception. */
static winnow_digit digit_of(PyObject *const *args) {
    return (winnow_digit){.bits = (unsigned)PyLong_AsUnsignedLong(args[0]),
                          .shift = (unsigned)PyLong_AsUnsignedLong(args[1]),
                          .parts = (unsigned)PyLong_AsUnsignedLong(args[2])};
}

/* Return the number of parts: parts=, or else 2 to the number of bits. */
static uint64_t parts_of(const winnow_digit *digit, const py_array *keys) {
    const unsigned width = 8 * (unsigned)keys->item_bytes;
    const unsigned bits = digit->bits            ? digit->bits
                          : width > digit->shift ? width - digit->shift
                                                 : 0;
    const uint64_t parts =
        digit->parts ? digit->parts : UINT64_C(1) << (bits < 17 ? bits : 17);
    return parts < 65536 ? parts : 65536;
}

/* (keys, tuple of columns, offsets) */
static PyObject *parts_made(py_state *state, PyObject *keys, PyObject *columns,
                            const py_array **made, const py_array *offsets) {
    const Py_ssize_t count = PyTuple_Size(columns);
    PyObject *const beside = PyTuple_New(count);
    PyObject *const first = work_like(state, keys, made[0]);
    PyObject *const last = work_like(state, keys, offsets);
    for (Py_ssize_t i = 0; beside && i < count; i++)
        PyTuple_SetItem(
            beside, i,
            work_like(state, PyTuple_GetItem(columns, i), made[i + 1]));
    PyObject *const all = beside && first && last && !PyErr_Occurred()
                              ? PyTuple_Pack(3, first, beside, last)
                              : NULL;
    Py_XDECREF(beside);
    Py_XDECREF(first);
    Py_XDECREF(last);
    return all;
}

/* partition_by_key(keys, columns, bits, shift, parts, any, n) */
static PyObject *partition_by_key(PyObject *module, PyObject *const *args,
                                  Py_ssize_t count) {
    py_work *const work = work_begin(module, "partition_by_key", count, 7);
    winnow_status status = WINNOW_OK;
    const py_array *made[MOST_COLUMNS], *offsets = NULL;
    PyObject *result = NULL;
    winnow_in column = {0};
    if (!work)
        return NULL;
    const winnow_digit digit = digit_of(args + 2);
    const py_array *const keys = work->call.arrays;
    const int opened =
        !PyErr_Occurred() &&
        open_beside(work, args[0], ARRAY_READ, args[1], ARRAY_ITEMS) &&
        keys_take(keys, &column) && are_movable(work) &&
        work_n(work, args[6], keys->n) && limit_to_n(work) &&
        move_all(work, made) &&
        (offsets = call_new(&work->call, keys, parts_of(&digit, keys) + 1,
                            "int64")) &&
        work_ready(work);
    work->call.launch.order =
        args[5] == Py_True ? WINNOW_UNORDERED : WINNOW_STABLE;
    RUN(winnow_partition_by_key(CONTEXT, &column, work->n, &digit, work->moves,
                                work->width, offsets->data, LAUNCH));
    if (work_done(work, opened, status))
        result = parts_made(work->call.state, args[0], args[1], made, offsets);
    work_free(work);
    return result;
}

/* ----------------------------------------------------------------- blocks */

/* The values of the gaps between parts. */
typedef struct py_fills {
    PyObject *bytes; /* a list that keeps the bytes alive */
    const void
        *of[MOST_COLUMNS]; /* bytes of an item, or NULL, for each array */
} py_fills;

/* Read fill=: None, a value for all arrays, or a tuple with one for each. */
static int take_fills(py_work *work, PyObject *fill, py_fills *fills) {
    fills->bytes = PyList_New(0);
    work->call.ran_python = 1;
    if (fills->bytes && PyTuple_Check(fill) &&
        PyTuple_Size(fill) != (Py_ssize_t)work->width) {
        PyErr_Format(PyExc_ValueError,
                     "fill has %zd values: wanted %u, for keys and columns",
                     PyTuple_Size(fill), work->width);
        return 0;
    }
    for (unsigned i = 0; fills->bytes && i < work->width; i++) {
        const py_array *const array = &work->call.arrays[i];
        PyObject *const value =
            PyTuple_Check(fill) ? PyTuple_GetItem(fill, i) : fill;
        PyObject *const bytes =
            value == Py_None
                ? NULL
                : library_call(work->call.state, "item_bytes", "OinO",
                               array->object, array->kind,
                               (Py_ssize_t)array->item_bytes, value);
        fills->of[i] = NULL;
        if (value == Py_None)
            continue;
        if (!bytes || PyList_Append(fills->bytes, bytes)) {
            Py_XDECREF(bytes);
            return 0;
        }
        fills->of[i] = PyBytes_AsString(bytes);
        Py_DECREF(bytes); /* the list keeps it alive */
    }
    return fills->bytes != NULL;
}

/* Return the number of items of an output, by winnow_partition_blocks(3). */
static uint64_t room_of(const py_work *work, uint64_t parts, uint64_t align) {
    const uint64_t begun = work->n < parts ? work->n : parts;
    return (work->n + begun * (align - 1)) / align * align;
}

static int move_blocks(py_work *work, uint64_t room, const py_array **made) {
    for (unsigned i = 0; i < work->width; i++) {
        py_array *const x = &work->call.arrays[i];
        const py_array *const in = call_again(&work->call, x, ARRAY_ITEMS);
        made[i] = in ? call_new(&work->call, x, room, NULL) : NULL;
        if (!made[i])
            return 0;
        work->moves[i] = (winnow_move){.d_in = in->data,
                                       .d_out = made[i]->data,
                                       .element_bytes = in->item_bytes};
    }
    return 1;
}

/* (keys, tuple of columns, offsets, counts, parts of blocks) */
static PyObject *blocks_made(py_state *state, PyObject *keys, PyObject *parts,
                             const py_array *counts, const py_array *of_block) {
    PyObject *const two[] = {parts ? work_like(state, keys, counts) : NULL,
                             parts ? work_like(state, keys, of_block) : NULL};
    PyObject *const more =
        two[0] && two[1] ? PyTuple_Pack(2, two[0], two[1]) : NULL;
    PyObject *const all = more ? PySequence_Concat(parts, more) : NULL;
    Py_XDECREF(two[0]);
    Py_XDECREF(two[1]);
    Py_XDECREF(more);
    Py_XDECREF(parts);
    return all;
}

/* partition_blocks(keys, columns, bits, shift, parts, any, n, align, fill) */
static PyObject *partition_blocks(PyObject *module, PyObject *const *args,
                                  Py_ssize_t count) {
    py_work *const work = work_begin(module, "partition_blocks", count, 9);
    winnow_status status = WINNOW_OK;
    const py_array *made[MOST_COLUMNS], *offsets = NULL, *counts = NULL;
    const py_array *of_block = NULL;
    PyObject *result = NULL;
    winnow_in column = {0};
    py_fills fills = {0};
    uint64_t parts = 0, room = 0;
    if (!work)
        return NULL;
    const winnow_digit digit = digit_of(args + 2);
    winnow_blocks blocks = {.size = sizeof blocks,
                            .align = PyLong_AsUnsignedLong(args[7]),
                            .fills = fills.of};
    const py_array *const keys = work->call.arrays;
    int opened = !PyErr_Occurred() &&
                 open_beside(work, args[0], ARRAY_READ, args[1], ARRAY_ITEMS) &&
                 keys_take(keys, &column) && are_movable(work) &&
                 work_n(work, args[6], keys->n) &&
                 take_fills(work, args[8], &fills);
    if (opened) {
        column.type = keys->type; /* signed: a negative key is in no part */
        parts = parts_of(&digit, keys);
        room = room_of(work, parts, blocks.align);
        opened = move_blocks(work, room, made) &&
                 (offsets = call_new(&work->call, keys, parts + 1, "int64")) &&
                 (counts = call_new(&work->call, keys, parts, "int64")) &&
                 (of_block = call_new(&work->call, keys, room / blocks.align,
                                      "int32")) &&
                 work_ready(work);
    }
    if (opened) {
        blocks.d_counts = counts->data;
        blocks.d_block_parts = of_block->data;
    }
    work->call.launch.order =
        args[5] == Py_True ? WINNOW_UNORDERED : WINNOW_STABLE;
    RUN(winnow_partition_blocks(CONTEXT, &column, work->n, &digit, &blocks,
                                work->moves, work->width, offsets->data,
                                LAUNCH));
    if (work_done(work, opened, status))
        result = blocks_made(
            work->call.state, args[0],
            parts_made(work->call.state, args[0], args[1], made, offsets),
            counts, of_block);
    Py_XDECREF(fills.bytes);
    work_free(work);
    return result;
}

PyMethodDef keyed_functions[] = {FUNCTION(unique),
                                 FUNCTION(partition_by_key),
                                 FUNCTION(partition_blocks),
                                 {NULL, NULL, 0, NULL}};
