/*
 * Filters of tables, and calls with a mask or with keys. The functions of the
 * module have the names of winnow's functions in Python, which describe the
 * arguments. The comment above a function here has the order of its arguments.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "operations.h"

#include "kind.h"
#include "result.h"
#include "selection.h"
#include "table.h"

#include <string.h>

/* Begin a function that takes `wanted` arguments. NULL with an exception. */
static py_work *begin(PyObject *module, const char *function, Py_ssize_t count,
                      Py_ssize_t wanted) {
    if (count == wanted)
        return work_new(state_of(module));
    PyErr_Format(PyExc_TypeError, "%s() takes %zd arguments", function, wanted);
    return NULL;
}

/* Limit the capacity of a result to the number of items. */
static void cap(py_work *work) {
    if (work->capacity > work->n)
        work->capacity = work->n;
}

/* ----------------------------------------------------------------- tables */

typedef struct py_filter_table {
    py_work *work;
    PyObject *columns; /* dictionary of the table's columns */
    PyObject *buffers; /* dictionary of the packed columns */
    py_array *selection;
} py_filter_table;

static int keep(const py_filter_table *filter, const py_array *column,
                const py_array *made) {
    PyObject *const x = PyDict_GetItemWithError(filter->columns, column->key);
    PyObject *const buffer =
        work_like(filter->work->call.state, x ? x : column->object, made);
    const int done =
        buffer && !PyDict_SetItem(filter->buffers, column->key, buffer);
    Py_XDECREF(buffer);
    return done;
}

/* Pack as many columns as one call of the library takes, from `first` on. */
static int filter_some(const py_filter_table *filter, unsigned first) {
    py_work *const work = filter->work;
    const unsigned left = work->width - first;
    const unsigned count = left < MOST_COLUMNS ? left : MOST_COLUMNS;
    const py_array *made[MOST_COLUMNS];
    winnow_status status = WINNOW_OK;
    int opened = 1;
    for (unsigned i = 0; opened && i < count; i++) {
        opened = work_move(work, i, &work->table[first + i], Py_None);
        made[i] = &work->call.arrays[work->call.count - 1];
    }
    if (filter->selection)
        RUN(winnow_compact_columns(CONTEXT, filter->selection->data, work->n,
                                   work->moves, count, work->capacity,
                                   work->d_count, LAUNCH));
    else
        RUN(winnow_copy_where(CONTEXT, work->condition->condition,
                              work->columns, work->tests, work->n, work->moves,
                              count, work->capacity, work->d_count, LAUNCH));
    opened = work_done(work, opened, status);
    for (unsigned i = 0; opened && i < count; i++)
        opened = keep(filter, &work->table[first + i], made[i]);
    return opened;
}

/* Make a selection of the rows if there are more columns than a call takes. */
static int filter_select(py_filter_table *filter) {
    py_work *const work = filter->work;
    winnow_status status = WINNOW_OK;
    size_t bytes;
    if (work->width <= MOST_COLUMNS)
        return 1;
    filter->selection = selection_room(work, work->table, work->n, &bytes);
    const int opened = filter->selection != NULL;
    RUN(winnow_select_where(CONTEXT, work->condition->condition, work->columns,
                            work->tests, work->n, filter->selection->data,
                            bytes, LAUNCH));
    /* The selection keeps no items from d_n on. */
    work->call.launch.d_n = NULL;
    return work_done(work, opened, status);
}

/* Filter the columns of a table. */
static PyObject *filter_columns(py_work *work, PyObject *columns,
                                PyObject *condition, PyObject *limit,
                                PyObject *n) {
    py_filter_table filter = {.work = work, .columns = columns};
    PyObject *made = NULL;
    int done = table_open(work, columns, ARRAY_NO_GRADIENT, "column %R", 3) &&
               work_n(work, n, work->table->n) && work_limit(work, limit) &&
               table_condition(work, condition) &&
               work_count(work, work->table) && work_ready(work) &&
               filter_select(&filter) && (filter.buffers = PyDict_New());
    for (unsigned i = 0; done && i < work->width; i += MOST_COLUMNS)
        done = filter_some(&filter, i);
    cap(work);
    if (done)
        made = result_new(work->call.state, work->call.state->rows_class,
                          filter.buffers, work->count, work->known,
                          work->capacity);
    Py_XDECREF(filter.buffers);
    return made;
}

/* Filter an array of records. The condition tests their columns. */
static PyObject *filter_records(py_work *work, PyObject *records,
                                PyObject *columns, PyObject *condition,
                                PyObject *limit, PyObject *n) {
    winnow_status status = WINNOW_OK;
    py_array *x = NULL;
    const int opened =
        table_open(work, columns, ARRAY_READ, "column %R", 2) &&
        (x = call_array(&work->call, records, "records", ARRAY_BYTES)) &&
        work_n(work, n, x->n) && work_limit(work, limit) &&
        table_condition(work, condition) && work_move(work, 0, x, Py_None) &&
        work_count(work, x) && work_ready(work);
    const py_array *const out =
        opened
            ? &work->call.arrays[work->call.count - 1 - (work->count != NULL)]
            : NULL;
    RUN(winnow_copy_where(CONTEXT, work->condition->condition, work->columns,
                          work->tests, work->n, work->moves, 1, work->capacity,
                          work->d_count, LAUNCH));
    cap(work);
    return work_done(work, opened, status)
               ? work_result(work, records, out, Py_None)
               : NULL;
}

/* filter(table, condition, capacity, n, columns): returns NotImplemented unless
 * the table is a dictionary, Rows, or records. columns is None, or the columns
 * of records that are not of the class numpy.ndarray. */
static PyObject *filter(PyObject *module, PyObject *const *args,
                        Py_ssize_t count) {
    py_state *const state = state_of(module);
    PyObject *n = count == 5 ? args[3] : NULL, *made = NULL;
    if (count != 5)
        return PyErr_Format(PyExc_TypeError, "filter() takes 5 arguments");
    PyObject *const x = (PyObject *)Py_TYPE(args[0]) == state->rows_class
                            ? work_unpack(state, args[0], &n)
                            : Py_NewRef(args[0]);
    const int is_table = x && PyDict_CheckExact(x);
    PyObject *const columns = !x                   ? NULL
                              : is_table           ? Py_NewRef(x)
                              : args[4] != Py_None ? Py_NewRef(args[4])
                              : (PyObject *)Py_TYPE(x) == state->ndarray
                                  ? table_of(state, x, 1)
                                  : NULL;
    py_work *const work = columns ? work_new(state) : NULL;
    if (work)
        made = is_table ? filter_columns(work, x, args[1], args[2], n)
                        : filter_records(work, x, columns, args[1], args[2], n);
    else if (!PyErr_Occurred())
        made = Py_NewRef(Py_NotImplemented);
    if (work)
        work_free(work);
    Py_XDECREF(columns);
    Py_XDECREF(x);
    return made;
}

/* ------------------------------------------------------- a mask, and runs */

static int as_many(const py_array *array, const py_array *first) {
    if (array->n == first->n)
        return 1;
    PyErr_Format(PyExc_ValueError, "%s has %llu items, and %s has %llu",
                 array_name(array), (unsigned long long)array->n,
                 array_name(first), (unsigned long long)first->n);
    return 0;
}

/* copy_flagged(x, mask, out, capacity, n, fill): fill is the value behind the
 * survivors, or None. */
static PyObject *copy_flagged(PyObject *module, PyObject *const *args,
                              Py_ssize_t count) {
    py_work *const work = begin(module, "copy_flagged", count, 6);
    winnow_status status = WINNOW_OK;
    winnow_mask mask;
    const py_array *flags = NULL, *out = NULL;
    py_array *in = NULL;
    PyObject *made = NULL, *n = args[4], *fill = NULL;
    if (!work)
        return NULL;
    PyObject *const x = work_unpack(work->call.state, args[0], &n);
    const int opened = x &&
                       (in = call_array(&work->call, x, "x",
                                        ARRAY_NO_GRADIENT | ARRAY_BYTES)) &&
                       work_mask(work, args[1], &flags, &mask) &&
                       as_many(flags, in) && work_n(work, n, in->n) &&
                       work_limit(work, args[3]) &&
                       work_move(work, 0, in, args[2]) &&
                       (out = &work->call.arrays[work->call.count - 1]) &&
                       work_item(work, in, args[5], &fill) &&
                       work_count(work, in) && work_ready(work);
    RUN(winnow_copy_flagged(CONTEXT, &mask, work->n, work->moves, 1,
                            work->capacity, work->d_count, LAUNCH));
    if (opened && !status)
        status = work_fill(work, fill);
    if (work_done(work, opened, status))
        made = work_result(work, x, out, args[2]);
    work_free(work);
    Py_XDECREF(fill);
    Py_XDECREF(x);
    return made;
}

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
        if (!column || !as_many(column, first))
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
    py_work *const work = begin(module, "unique", count, 6);
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
    cap(work);
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

/* Check that items have 1, 2, 4, 8 or 16 bytes, as partitions require. */
static int are_narrow(const py_work *work) {
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
    return 1;
}

static int take_keys(const py_array *keys, winnow_in *column) {
    if (keys->dimensions != 1 || key_type(keys) == WINNOW_OPAQUE) {
        PyErr_SetString(PyExc_TypeError,
                        "keys have one dimension, and are of uint32, uint64, "
                        "int32 or int64");
        return 0;
    }
    *column = (winnow_in){.type = key_type(keys), .d_base = keys->data};
    return 1;
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
    py_work *const work = begin(module, "partition_by_key", count, 7);
    winnow_status status = WINNOW_OK;
    const py_array *made[MOST_COLUMNS], *offsets = NULL;
    PyObject *result = NULL;
    winnow_in column = {0};
    if (!work)
        return NULL;
    const winnow_digit digit = {
        .bits = (unsigned)PyLong_AsUnsignedLong(args[2]),
        .shift = (unsigned)PyLong_AsUnsignedLong(args[3]),
        .parts = (unsigned)PyLong_AsUnsignedLong(args[4])};
    const py_array *const keys = work->call.arrays;
    const int opened =
        !PyErr_Occurred() &&
        open_beside(work, args[0], ARRAY_READ, args[1], ARRAY_READ) &&
        take_keys(keys, &column) && are_narrow(work) &&
        work_n(work, args[6], keys->n) && move_all(work, made) &&
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
        const py_array *const in = call_again(&work->call, x, ARRAY_BYTES);
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
    py_work *const work = begin(module, "partition_blocks", count, 9);
    winnow_status status = WINNOW_OK;
    const py_array *made[MOST_COLUMNS], *offsets = NULL, *counts = NULL;
    const py_array *of_block = NULL;
    PyObject *result = NULL;
    winnow_in column = {0};
    py_fills fills = {0};
    uint64_t parts = 0, room = 0;
    if (!work)
        return NULL;
    const winnow_digit digit = {
        .bits = (unsigned)PyLong_AsUnsignedLong(args[2]),
        .shift = (unsigned)PyLong_AsUnsignedLong(args[3]),
        .parts = (unsigned)PyLong_AsUnsignedLong(args[4])};
    winnow_blocks blocks = {.size = sizeof blocks,
                            .align = PyLong_AsUnsignedLong(args[7]),
                            .fills = fills.of};
    const py_array *const keys = work->call.arrays;
    int opened = !PyErr_Occurred() &&
                 open_beside(work, args[0], ARRAY_READ, args[1], ARRAY_READ) &&
                 take_keys(keys, &column) && are_narrow(work) &&
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

/* ------------------------------------------------------------------- sums */

/* Find the number of components of an array of shape (n,) or (n,
 * components). */
static int has_components(const py_array *array, unsigned *components) {
    *components = (unsigned)(array->item_bytes / array->element_bytes);
    if (array->dimensions <= 2 && *components > 0 && *components <= 16)
        return 1;
    PyErr_Format(PyExc_ValueError,
                 "%s has one number for each item, or a second dimension of 1 "
                 "to 16",
                 array_name(array));
    return 0;
}

/* Set an array on the host, or a tensor, to zeros. PyTorch clears a tensor on
 * its stream. */
static py_array *clear(const py_work *work, py_array *array) {
    PyObject *done;
    if (!array || work->call.device < 0) {
        if (array)
            memset(array->data, 0, array->n * array->item_bytes);
        return array;
    }
    done = PyObject_CallMethod(array->object, "zero_", NULL);
    Py_XDECREF(done);
    return done ? array : NULL;
}

/* Make sums of zeros, of the 8-byte type that holds the values. */
static py_array *new_sums(py_work *work, const py_array *values, uint64_t n) {
    const char *const type =
        values->type == WINNOW_FLOAT32 || values->type == WINNOW_FLOAT64
            ? "float64"
        : values->type == WINNOW_UINT32 || values->type == WINNOW_UINT64
            ? "uint64"
        : values->type == WINNOW_INT32 || values->type == WINNOW_INT64 ? "int64"
                                                                       : NULL;
    if (type && values->dimensions == 1 &&
        (work->call.device < 0 || values->is_tensor))
        return clear(work, call_new(&work->call, values, n, type));
    if (values->type == WINNOW_OPAQUE) {
        PyErr_SetString(PyExc_TypeError,
                        "values have elements that are no numbers");
        return NULL;
    }
    PyObject *const zeros = library_call(
        work->call.state, "sums", "OKLis", values->object,
        (unsigned long long)n,
        (long long)(values->dimensions > 1 ? values->shape[1] : -1),
        values->kind, type ? type : "");
    py_array *const made =
        zeros ? call_array(&work->call, zeros, "sums", ARRAY_WRITE) : NULL;
    Py_XDECREF(zeros);
    return made;
}

static py_array *open_sums(py_work *work, const py_array *values,
                           PyObject *bound, PyObject *object) {
    PyObject *const number =
        bound == Py_None ? PyLong_FromLong(0) : PyNumber_Index(bound);
    const unsigned long long n = number ? PyLong_AsUnsignedLongLong(number) : 0;
    Py_XDECREF(number);
    if (PyErr_Occurred())
        return NULL;
    if (object == Py_None) {
        if (bound != Py_None)
            return new_sums(work, values, n);
        PyErr_SetString(PyExc_TypeError,
                        "accumulate_by_key() needs key_bound or sums=");
        return NULL;
    }
    py_array *const sums = call_array(&work->call, object, "sums", ARRAY_WRITE);
    if (sums && bound != Py_None && sums->n != n) {
        PyErr_Format(PyExc_ValueError,
                     "key_bound is %llu, and there are %llu sums", n,
                     (unsigned long long)sums->n);
        return NULL;
    }
    if (sums)
        sums->is_written = 1;
    return sums;
}

/* Describe each component of the values and of the sums. */
static int open_places(py_work *work, const py_array *in, const py_array *out,
                       unsigned components) {
    const unsigned places =
        out->element_bytes ? (unsigned)(out->item_bytes / out->element_bytes)
                           : 0;
    if (places != components) {
        PyErr_Format(PyExc_ValueError,
                     "values have %u components, and sums have %u", components,
                     places);
        return 0;
    }
    for (unsigned i = 0; i < components; i++) {
        work->columns[i] = (winnow_in){.type = in->type,
                                       .d_base = (const char *)in->data +
                                                 i * in->element_bytes,
                                       .stride_bytes = (int64_t)in->item_bytes};
        work->sums[i] =
            (winnow_out){.type = out->type,
                         .d_base = (char *)out->data + i * out->element_bytes,
                         .stride_bytes = (int64_t)out->item_bytes};
    }
    return 1;
}

static int open_beyond(py_work *work, PyObject *object, uint64_t **word_p) {
    if (object == Py_None)
        return 1;
    py_array *const word =
        call_word(&work->call, object, "beyond", ARRAY_WRITE);
    if (!word)
        return 0;
    word->is_written = 1;
    *word_p = word->data;
    return 1;
}

/* accumulate_by_key(keys, values, key_bound, sums, beyond, n) */
static PyObject *accumulate_by_key(PyObject *module, PyObject *const *args,
                                   Py_ssize_t count) {
    py_work *const work = begin(module, "accumulate_by_key", count, 6);
    winnow_status status = WINNOW_OK;
    winnow_in column = {0};
    uint64_t *d_beyond = NULL;
    unsigned components = 1;
    py_array *keys = NULL, *in = NULL, *out = NULL;
    PyObject *made = NULL;
    if (!work)
        return NULL;
    const int opened =
        (keys = call_array(&work->call, args[0], "keys", ARRAY_READ)) &&
        (in = call_array(&work->call, args[1], "values", ARRAY_NO_GRADIENT)) &&
        as_many(in, keys) && take_keys(keys, &column) &&
        has_components(in, &components) && work_n(work, args[5], keys->n) &&
        (out = open_sums(work, in, args[2], args[3])) &&
        open_places(work, in, out, components) &&
        open_beyond(work, args[4], &d_beyond) && work_ready(work);
    RUN(winnow_accumulate_by_key(CONTEXT, &column, work->columns, components,
                                 work->n, out->n, work->sums, d_beyond,
                                 LAUNCH));
    if (work_done(work, opened, status))
        made = args[3] != Py_None ? Py_NewRef(args[3])
                                  : work_like(work->call.state, args[1], out);
    work_free(work);
    return made;
}

/* is_array(x): return whether x is an array, and not a number. */
static PyObject *is_array(PyObject *module, PyObject *object) {
    return PyBool_FromLong(array_is(state_of(module), object));
}

#define FUNCTION(name)                                                         \
    { #name, (PyCFunction)(void (*)(void))name, METH_FASTCALL, NULL }

PyMethodDef operation_functions[] = {FUNCTION(filter),
                                     FUNCTION(copy_flagged),
                                     FUNCTION(unique),
                                     FUNCTION(partition_by_key),
                                     FUNCTION(partition_blocks),
                                     FUNCTION(accumulate_by_key),
                                     {"is_array", is_array, METH_O, NULL},
                                     {NULL, NULL, 0, NULL}};
