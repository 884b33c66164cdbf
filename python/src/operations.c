/*
 * Selections, tables, keys and reductions. Each function here is one call of
 * the library; the comment above it has its arguments. `n` is the number of
 * items, and `d_n` what n= is of a public function.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "operations.h"

#include "call.h"
#include "kind.h"
#include "prepared.h"
#include "view.h"

#include <string.h>

#define MOST_COLUMNS 64

/* A call with the arrays that it opens. */
typedef struct py_work {
    py_call call;
    py_array arrays[MOST_ARRAYS];
    winnow_in columns[MOST_COLUMNS];
    int kinds[MOST_COLUMNS];
    winnow_move moves[MOST_COLUMNS];
    winnow_out sums[MOST_COLUMNS];
} py_work;

static py_work *work_new(PyObject *module) {
    py_work *const made = PyMem_Malloc(sizeof *made);
    if (!made) {
        PyErr_NoMemory();
        return NULL;
    }
    call_begin(&made->call, state_of(module), made->arrays, MOST_ARRAYS);
    return made;
}

/* None, or NULL with the exception that is set or that the status is. */
static PyObject *work_end(py_work *work, int opened, winnow_status status) {
    if (opened && status)
        call_failed(&work->call, status);
    const int done = opened && !status && !call_done(&work->call);
    call_end(&work->call);
    PyMem_Free(work);
    return done ? Py_NewRef(Py_None) : NULL;
}

static int has_items(const py_array *array, uint64_t n) {
    if (array->n == n)
        return 1;
    PyErr_Format(PyExc_ValueError, "%s has %llu items, not %llu", array->name,
                 (unsigned long long)array->n, (unsigned long long)n);
    return 0;
}

static int few(PyObject *tuple, const char *name) {
    if (PyTuple_Size(tuple) <= MOST_COLUMNS)
        return 1;
    PyErr_Format(PyExc_ValueError, "there are %zd %s, more than %d",
                 PyTuple_Size(tuple), name, MOST_COLUMNS);
    return 0;
}

/* Columns that a condition tests, of n items each. */
static int open_columns(py_work *work, PyObject *columns, uint64_t n) {
    if (!few(columns, "columns"))
        return 0;
    for (Py_ssize_t i = 0; i < PyTuple_Size(columns); i++) {
        const void *valid = NULL;
        py_array *const column =
            call_array(&work->call, PyTuple_GetItem(columns, i), "a column",
                       ARRAY_STRIDES | ARRAY_FLAT);
        if (!column || !has_items(column, n) || array_valid(column, &valid))
            return 0;
        work->kinds[i] = column->kind;
        work->columns[i] =
            (winnow_in){.type = column->type,
                        .element_bytes = (uint32_t)column->item_bytes,
                        .d_base = column->data,
                        .stride_bytes = column->stride,
                        .d_valid = valid};
    }
    return 1;
}

static int same_items(const py_array *in, const py_array *out) {
    if (array_same_items(in, out))
        return 1;
    PyErr_Format(PyExc_TypeError,
                 "%s has items of another type or shape than %s", out->name,
                 in->name);
    return 0;
}

/* Columns to pack, and where to; *capacity_p falls to the shortest output's. */
static int open_moves(py_work *work, PyObject *ins, PyObject *outs, uint64_t n,
                      uint64_t *capacity_p) {
    if (!few(ins, "columns"))
        return 0;
    if (PyTuple_Size(outs) != PyTuple_Size(ins)) {
        PyErr_Format(PyExc_ValueError, "there are %zd outputs for %zd inputs",
                     PyTuple_Size(outs), PyTuple_Size(ins));
        return 0;
    }
    for (Py_ssize_t i = 0; i < PyTuple_Size(ins); i++) {
        const py_array *const in = call_array(
            &work->call, PyTuple_GetItem(ins, i), "an input", ARRAY_BYTES);
        const py_array *const out =
            in ? call_array(&work->call, PyTuple_GetItem(outs, i), "an output",
                            ARRAY_WRITE)
               : NULL;
        if (!out || !has_items(in, n) || !same_items(in, out))
            return 0;
        if (capacity_p && out->n < *capacity_p)
            *capacity_p = out->n;
        work->moves[i] = (winnow_move){.d_in = in->data,
                                       .d_out = out->data,
                                       .element_bytes = in->item_bytes};
    }
    return 1;
}

/* A number of 64 bits to write, if it is not None. */
static int open_word(py_work *work, PyObject *object, const char *name,
                     uint64_t **word_p) {
    *word_p = NULL;
    if (object == Py_None)
        return 1;
    const py_array *const word =
        call_word(&work->call, object, name, ARRAY_WRITE);
    if (word)
        *word_p = word->data;
    return word != NULL;
}

static void *open_data(py_work *work, PyObject *object, const char *name,
                       unsigned use, size_t *bytes_p) {
    const py_array *const array = call_array(&work->call, object, name, use);
    if (!array)
        return NULL;
    if (bytes_p)
        *bytes_p = array->n * array->item_bytes;
    return array->data;
}

/* How many of the items count: None for all, or a number on the device. */
static int open_n(py_work *work, PyObject *object) {
    if (object == Py_None)
        return 1;
    const py_array *const word =
        call_word(&work->call, object, "n", ARRAY_READ);
    if (word)
        work->call.launch.d_n = word->data;
    return word && call_n_is_number(word);
}

static int ready(py_work *work) {
    return call_ready(&work->call) == 0;
}

/* For a condition, or None. */
static int ready_for(py_work *work, PyObject *condition) {
    if (condition != Py_None)
        work->call.condition = (const py_prepared *)condition;
    return ready(work);
}

/* Lets other Python threads run, if the call is long. */
#define RUN(expression)                                                        \
    do {                                                                       \
        if (opened)                                                            \
            CALL(&work->call, status, expression);                             \
    } while (0)
#define CONTEXT work->call.context
#define LAUNCH &work->call.launch

/* --------------------------------------------------- sources of selections */

/* select_where(columns, prepared, n, d_n, selection) */
static PyObject *select_where(PyObject *module, PyObject *arguments) {
    PyObject *columns, *condition, *d_n, *selection;
    unsigned long long n;
    if (!PyArg_ParseTuple(arguments, "O!O!KOO", &PyTuple_Type, &columns,
                          state_of(module)->prepared_type, &condition, &n, &d_n,
                          &selection))
        return NULL;
    py_work *const work = work_new(module);
    winnow_status status = WINNOW_OK;
    size_t bytes = 0;
    void *made = NULL;
    if (!work)
        return NULL;
    const int opened =
        open_columns(work, columns, n) &&
        (made = open_data(work, selection, "selection", ARRAY_WRITE, &bytes)) &&
        open_n(work, d_n) && ready_for(work, condition);
    RUN(winnow_select_where(CONTEXT, ((py_prepared *)condition)->condition,
                            work->columns, (unsigned)PyTuple_Size(columns), n,
                            made, bytes, LAUNCH));
    return work_end(work, opened, status);
}

/* A mask is an array of one byte for each item, of bool or integers. */
static int open_mask(py_work *work, PyObject *object, uint64_t n,
                     winnow_mask *mask) {
    const py_array *const flags =
        call_array(&work->call, object, "mask", ARRAY_FLAT);
    if (!flags || !has_items(flags, n))
        return 0;
    if (flags->item_bytes != 1 || flags->type == WINNOW_OPAQUE) {
        PyErr_Format(PyExc_TypeError,
                     "%s has elements of %zu bytes, and should be of bool",
                     flags->name, flags->item_bytes);
        return 0;
    }
    *mask = (winnow_mask){.kind = WINNOW_MASK_BYTES, .d_flags = flags->data};
    return 1;
}

/* select_flagged(mask, n, d_n, selection) */
static PyObject *select_flagged(PyObject *module, PyObject *arguments) {
    PyObject *flags, *d_n, *selection;
    unsigned long long n;
    if (!PyArg_ParseTuple(arguments, "OKOO", &flags, &n, &d_n, &selection))
        return NULL;
    py_work *const work = work_new(module);
    winnow_status status = WINNOW_OK;
    winnow_mask mask;
    size_t bytes = 0;
    void *made = NULL;
    if (!work)
        return NULL;
    const int opened =
        open_mask(work, flags, n, &mask) &&
        (made = open_data(work, selection, "selection", ARRAY_WRITE, &bytes)) &&
        open_n(work, d_n) && ready(work);
    RUN(winnow_select_flagged(CONTEXT, &mask, n, made, bytes, LAUNCH));
    return work_end(work, opened, status);
}

/* ------------------------------------------------------------- selections */

/* combine(operation, a, b, n, made): operation is a winnow_combine; b is None:
 * what a does not keep. */
static PyObject *combine(PyObject *module, PyObject *arguments) {
    PyObject *first, *second, *result;
    unsigned long long n;
    int operation;
    if (!PyArg_ParseTuple(arguments, "iOOKO", &operation, &first, &second, &n,
                          &result))
        return NULL;
    py_work *const work = work_new(module);
    winnow_status status = WINNOW_OK;
    const void *a = NULL, *b = NULL;
    size_t bytes = 0;
    void *made = NULL;
    if (!work)
        return NULL;
    const int opened =
        (a = open_data(work, first, "a selection", ARRAY_READ, NULL)) &&
        (second == Py_None ||
         (b = open_data(work, second, "a selection", ARRAY_READ, NULL))) &&
        (made = open_data(work, result, "selection", ARRAY_WRITE, &bytes)) &&
        ready(work);
    RUN(b ? winnow_selection_combine(CONTEXT, (winnow_combine)operation, a, b,
                                     n, made, bytes, LAUNCH)
          : winnow_selection_not(CONTEXT, a, n, made, bytes, LAUNCH));
    return work_end(work, opened, status);
}

/* selection_bytes(n) */
static PyObject *selection_bytes(PyObject *module, PyObject *number) {
    const unsigned long long n = PyLong_AsUnsignedLongLong(number);
    size_t bytes = 0;
    if (PyErr_Occurred())
        return NULL;
    const winnow_status status = winnow_selection_bytes(n, &bytes);
    return status ? raise_status(state_of(module), status)
                  : PyLong_FromSize_t(bytes);
}

/* selection_count(selection, n, count) */
static PyObject *selection_count(PyObject *module, PyObject *arguments) {
    PyObject *selection, *count;
    unsigned long long n;
    if (!PyArg_ParseTuple(arguments, "OKO", &selection, &n, &count))
        return NULL;
    py_work *const work = work_new(module);
    winnow_status status = WINNOW_OK;
    const void *kept = NULL;
    uint64_t *d_count = NULL;
    if (!work)
        return NULL;
    const int opened =
        (kept = open_data(work, selection, "selection", ARRAY_READ, NULL)) &&
        open_word(work, count, "count", &d_count) && ready(work);
    RUN(winnow_selection_count(CONTEXT, kept, n, d_count, LAUNCH));
    return work_end(work, opened, status);
}

/* compact(selection, n, ins, outs, capacity, count) */
static PyObject *compact(PyObject *module, PyObject *arguments) {
    PyObject *selection, *ins, *outs, *count;
    unsigned long long n, room;
    if (!PyArg_ParseTuple(arguments, "OKO!O!KO", &selection, &n, &PyTuple_Type,
                          &ins, &PyTuple_Type, &outs, &room, &count))
        return NULL;
    py_work *const work = work_new(module);
    winnow_status status = WINNOW_OK;
    const void *kept = NULL;
    uint64_t *d_count = NULL, capacity = room;
    if (!work)
        return NULL;
    const int opened =
        (kept = open_data(work, selection, "selection", ARRAY_READ, NULL)) &&
        open_moves(work, ins, outs, n, &capacity) &&
        open_word(work, count, "count", &d_count) && ready(work);
    RUN(winnow_compact_columns(CONTEXT, kept, n, work->moves,
                               (unsigned)PyTuple_Size(ins), capacity, d_count,
                               LAUNCH));
    return work_end(work, opened, status);
}

static int index_type(const py_array *out, winnow_type *type_p) {
    *type_p = out->item_bytes == 4 ? WINNOW_UINT32 : WINNOW_UINT64;
    if (out->type < WINNOW_FLOAT16 && out->type != WINNOW_OPAQUE &&
        (out->item_bytes == 4 || out->item_bytes == 8))
        return 1;
    PyErr_SetString(PyExc_TypeError,
                    "indices are of int64, uint64, int32 or uint32");
    return 0;
}

/* compact_index(selection, n, out, capacity, count) */
static PyObject *compact_index(PyObject *module, PyObject *arguments) {
    PyObject *selection, *out, *count;
    unsigned long long n, capacity;
    if (!PyArg_ParseTuple(arguments, "OKOKO", &selection, &n, &out, &capacity,
                          &count))
        return NULL;
    py_work *const work = work_new(module);
    winnow_status status = WINNOW_OK;
    const void *kept = NULL;
    uint64_t *d_count = NULL;
    const py_array *indices = NULL;
    winnow_type type = WINNOW_UINT64;
    if (!work)
        return NULL;
    const int opened =
        (kept = open_data(work, selection, "selection", ARRAY_READ, NULL)) &&
        (indices =
             call_array(&work->call, out, "out", ARRAY_WRITE | ARRAY_FLAT)) &&
        index_type(indices, &type) &&
        open_word(work, count, "count", &d_count) && ready(work);
    RUN(winnow_compact_index(CONTEXT, kept, n, type, indices->data,
                             capacity < indices->n ? capacity : indices->n,
                             d_count, LAUNCH));
    return work_end(work, opened, status);
}

/* Write the value to all n places. */
static winnow_status fill_all(py_work *work, const void *kept, uint64_t n,
                              const winnow_in *column, const void *fill,
                              const winnow_out *room, const py_array *empty) {
    const winnow_in nothing = {.element_bytes = column->element_bytes};
    const winnow_status status = winnow_selection_combine(
        CONTEXT, WINNOW_AND_NOT, kept, kept, n, empty->data,
        empty->n * empty->item_bytes, LAUNCH);
    return status ? status
                  : winnow_expand(CONTEXT, empty->data, &nothing, 0, n, fill,
                                  room, LAUNCH);
}

/* expand(selection, packed, n, fill, out, empty): fill is the bytes of an item, or
 * None. empty is room for a selection, if more than winnow_expand() fills has to
 * be filled, or None. */
static PyObject *expand(PyObject *module, PyObject *arguments) {
    PyObject *selection, *packed, *out, *room_for_empty;
    const char *fill;
    Py_ssize_t fill_bytes;
    unsigned long long n;
    if (!PyArg_ParseTuple(arguments, "OOKz#OO", &selection, &packed, &n, &fill,
                          &fill_bytes, &out, &room_for_empty))
        return NULL;
    py_work *const work = work_new(module);
    winnow_status status = WINNOW_OK;
    const void *kept = NULL;
    const py_array *in = NULL, *places = NULL, *empty = NULL;
    winnow_in column = {0};
    winnow_out room = {0};
    if (!work)
        return NULL;
    int opened =
        (kept = open_data(work, selection, "selection", ARRAY_READ, NULL)) &&
        (in = call_array(&work->call, packed, "packed", ARRAY_BYTES)) &&
        (places = call_array(&work->call, out, "out", ARRAY_WRITE)) &&
        has_items(places, n) && same_items(in, places) &&
        (room_for_empty == Py_None ||
         (empty = call_array(&work->call, room_for_empty, "selection",
                             ARRAY_WRITE))) &&
        ready(work);
    if (opened && !array_apart(in, places)) {
        PyErr_SetString(work->call.state->errors[WINNOW_ERR_ARGUMENT],
                        "packed and out overlap");
        opened = 0;
    }
    if (opened) {
        column = (winnow_in){.element_bytes = (uint32_t)in->item_bytes,
                             .d_base = in->data};
        room = (winnow_out){.element_bytes = column.element_bytes,
                            .d_base = places->data};
    }
    if (empty)
        RUN(fill_all(work, kept, n, &column, fill, &room, empty));
    if (!status)
        RUN(winnow_expand(CONTEXT, kept, &column, in->n, n, fill, &room,
                          LAUNCH));
    return work_end(work, opened, status);
}

/* Columns that change in place, and what arrives for each, or None. */
static int open_holes(py_work *work, PyObject *ins, uint64_t arrive,
                      PyObject *outs, uint64_t *capacity_p) {
    if (!few(outs, "columns"))
        return 0;
    for (Py_ssize_t i = 0; i < PyTuple_Size(outs); i++) {
        PyObject *const arriving = PyTuple_GetItem(ins, i);
        const py_array *in = NULL;
        const py_array *const out =
            call_array(&work->call, PyTuple_GetItem(outs, i), "x", ARRAY_WRITE);
        if (!out)
            return 0;
        if (arriving != Py_None &&
            (!(in = call_array(&work->call, arriving, "arriving",
                               ARRAY_BYTES)) ||
             !has_items(in, arrive) || !same_items(in, out)))
            return 0;
        if (out->n < *capacity_p)
            *capacity_p = out->n;
        work->moves[i] = (winnow_move){.d_in = in ? in->data : NULL,
                                       .d_out = out->data,
                                       .element_bytes = out->item_bytes};
    }
    return 1;
}

/* How many arrive: a number on the device, or None for all. */
static int open_arrivals(py_work *work, PyObject *object,
                         winnow_arrivals *arrivals) {
    if (object == Py_None)
        return 1;
    const py_array *const word =
        call_word(&work->call, object, "the count of arriving", ARRAY_READ);
    if (word)
        arrivals->d_n = word->data;
    return word && call_n_is_number(word);
}

/* fill_holes(selection, n, ins, arrive, d_arrive, outs, count) */
static PyObject *fill_holes(PyObject *module, PyObject *arguments) {
    PyObject *selection, *ins, *d_arrive, *outs, *count;
    unsigned long long n, arrive;
    if (!PyArg_ParseTuple(arguments, "OKO!KOO!O", &selection, &n, &PyTuple_Type,
                          &ins, &arrive, &d_arrive, &PyTuple_Type, &outs,
                          &count))
        return NULL;
    py_work *const work = work_new(module);
    winnow_status status = WINNOW_OK;
    const void *kept = NULL;
    uint64_t *d_count = NULL, capacity = WINNOW_NO_LIMIT;
    winnow_arrivals arrivals = {.n = arrive};
    if (!work)
        return NULL;
    int opened =
        (kept = open_data(work, selection, "selection", ARRAY_READ, NULL)) &&
        open_holes(work, ins, arrive, outs, &capacity) &&
        open_arrivals(work, d_arrive, &arrivals) &&
        open_word(work, count, "count", &d_count) && ready(work);
    if (opened && capacity < n) {
        PyErr_Format(PyExc_ValueError,
                     "x has %llu items, and the selection %llu",
                     (unsigned long long)capacity, n);
        opened = 0;
    }
    RUN(winnow_fill_holes(CONTEXT, kept, n, &arrivals, work->moves,
                          (unsigned)PyTuple_Size(outs), capacity, d_count,
                          LAUNCH));
    return work_end(work, opened, status);
}

/* to_mask(selection, n, out) */
static PyObject *to_mask(PyObject *module, PyObject *arguments) {
    PyObject *selection, *out;
    unsigned long long n;
    if (!PyArg_ParseTuple(arguments, "OKO", &selection, &n, &out))
        return NULL;
    py_work *const work = work_new(module);
    winnow_status status = WINNOW_OK;
    const void *kept = NULL;
    const py_array *flags = NULL;
    if (!work)
        return NULL;
    int opened =
        (kept = open_data(work, selection, "selection", ARRAY_READ, NULL)) &&
        (flags =
             call_array(&work->call, out, "out", ARRAY_WRITE | ARRAY_FLAT)) &&
        has_items(flags, n) && ready(work);
    if (opened && flags->item_bytes != 1) {
        PyErr_SetString(PyExc_TypeError, "a mask is of bool");
        opened = 0;
    }
    RUN(winnow_selection_to_mask(CONTEXT, kept, n, WINNOW_MASK_BYTES,
                                 flags->data, 0, LAUNCH));
    return work_end(work, opened, status);
}

/* ----------------------------------------------------------------- tables */

/* copy_where(columns, prepared, n, d_n, ins, outs, capacity, count) */
static PyObject *copy_where(PyObject *module, PyObject *arguments) {
    PyObject *columns, *condition, *d_n, *ins, *outs, *count;
    unsigned long long n, room;
    if (!PyArg_ParseTuple(arguments, "O!O!KOO!O!KO", &PyTuple_Type, &columns,
                          state_of(module)->prepared_type, &condition, &n, &d_n,
                          &PyTuple_Type, &ins, &PyTuple_Type, &outs, &room,
                          &count))
        return NULL;
    py_work *const work = work_new(module);
    winnow_status status = WINNOW_OK;
    uint64_t *d_count = NULL, capacity = room;
    if (!work)
        return NULL;
    const int opened = open_columns(work, columns, n) &&
                       open_moves(work, ins, outs, n, &capacity) &&
                       open_word(work, count, "count", &d_count) &&
                       open_n(work, d_n) && ready_for(work, condition);
    RUN(winnow_copy_where(CONTEXT, ((py_prepared *)condition)->condition,
                          work->columns, (unsigned)PyTuple_Size(columns), n,
                          work->moves, (unsigned)PyTuple_Size(ins), capacity,
                          d_count, LAUNCH));
    return work_end(work, opened, status);
}

/* copy_flagged(mask, n, d_n, ins, outs, capacity, count) */
static PyObject *copy_flagged(PyObject *module, PyObject *arguments) {
    PyObject *flags, *d_n, *ins, *outs, *count;
    unsigned long long n, room;
    if (!PyArg_ParseTuple(arguments, "OKOO!O!KO", &flags, &n, &d_n,
                          &PyTuple_Type, &ins, &PyTuple_Type, &outs, &room,
                          &count))
        return NULL;
    py_work *const work = work_new(module);
    winnow_status status = WINNOW_OK;
    winnow_mask mask;
    uint64_t *d_count = NULL, capacity = room;
    if (!work)
        return NULL;
    const int opened = open_mask(work, flags, n, &mask) &&
                       open_moves(work, ins, outs, n, &capacity) &&
                       open_word(work, count, "count", &d_count) &&
                       open_n(work, d_n) && ready(work);
    RUN(winnow_copy_flagged(CONTEXT, &mask, n, work->moves,
                            (unsigned)PyTuple_Size(ins), capacity, d_count,
                            LAUNCH));
    return work_end(work, opened, status);
}

/* unique(keys, last, equality, n, d_n, ins, outs, capacity, count) */
static PyObject *unique(PyObject *module, PyObject *arguments) {
    PyObject *keys, *d_n, *ins, *outs, *count;
    int last, equality;
    unsigned long long n, room;
    if (!PyArg_ParseTuple(arguments, "OpiKOO!O!KO", &keys, &last, &equality, &n,
                          &d_n, &PyTuple_Type, &ins, &PyTuple_Type, &outs,
                          &room, &count))
        return NULL;
    py_work *const work = work_new(module);
    winnow_status status = WINNOW_OK;
    uint64_t *d_count = NULL, capacity = room;
    const py_array *key = NULL;
    winnow_in column = {0};
    const winnow_unique_options options = {
        .size = sizeof options,
        .keep = last ? WINNOW_UNIQUE_LAST : WINNOW_UNIQUE_FIRST,
        .equality = (winnow_equality)equality};
    if (!work)
        return NULL;
    const int opened =
        (key = call_array(&work->call, keys, "keys", ARRAY_READ)) &&
        open_moves(work, ins, outs, n, &capacity) &&
        open_word(work, count, "count", &d_count) && open_n(work, d_n) &&
        ready(work);
    if (opened)
        column = (winnow_in){.type = key->dimensions == 1 ? key->type
                                                          : WINNOW_OPAQUE,
                             .element_bytes = (uint32_t)key->item_bytes,
                             .d_base = key->data};
    RUN(winnow_unique(CONTEXT, &column, n, &options, work->moves,
                      (unsigned)PyTuple_Size(ins), capacity, d_count, LAUNCH));
    return work_end(work, opened, status);
}

/* -------------------------------------------------------------- by a key */

/* Keys are unsigned to the library. Signed ones that are not negative are the
 * same, and a negative one is as large as can be. */
static winnow_type key_type(const py_array *keys) {
    return keys->type == WINNOW_INT32 || keys->type == WINNOW_UINT32
               ? WINNOW_UINT32
           : keys->type == WINNOW_INT64 || keys->type == WINNOW_UINT64
               ? WINNOW_UINT64
               : WINNOW_OPAQUE;
}

static int open_keys(py_work *work, PyObject *object, uint64_t *n,
                     winnow_in *column) {
    const py_array *const keys =
        call_array(&work->call, object, "keys", ARRAY_READ);
    if (!keys)
        return 0;
    if (keys->dimensions != 1 || key_type(keys) == WINNOW_OPAQUE) {
        PyErr_SetString(PyExc_TypeError,
                        "keys have one dimension, and are of uint32, uint64, "
                        "int32 or int64");
        return 0;
    }
    *n = keys->n;
    *column = (winnow_in){.type = key_type(keys), .d_base = keys->data};
    return 1;
}

/* partition_by_key(keys, shift, bits, parts, d_n, ins, outs, offsets, any) */
static PyObject *partition_by_key(PyObject *module, PyObject *arguments) {
    PyObject *keys, *d_n, *ins, *outs, *offsets;
    winnow_digit digit = {0};
    int any;
    if (!PyArg_ParseTuple(arguments, "OIIIOO!O!Op", &keys, &digit.shift,
                          &digit.bits, &digit.parts, &d_n, &PyTuple_Type, &ins,
                          &PyTuple_Type, &outs, &offsets, &any))
        return NULL;
    py_work *const work = work_new(module);
    winnow_status status = WINNOW_OK;
    winnow_in column = {0};
    uint64_t n = 0;
    void *d_offsets = NULL;
    if (!work)
        return NULL;
    const int opened =
        open_keys(work, keys, &n, &column) &&
        open_moves(work, ins, outs, n, NULL) &&
        (d_offsets = open_data(work, offsets, "offsets", ARRAY_WRITE, NULL)) &&
        open_n(work, d_n) && ready(work);
    work->call.launch.order = any ? WINNOW_UNORDERED : WINNOW_STABLE;
    RUN(winnow_partition_by_key(CONTEXT, &column, n, &digit, work->moves,
                                (unsigned)PyTuple_Size(ins), d_offsets,
                                LAUNCH));
    return work_end(work, opened, status);
}

/* The components of an array of n or of n x components elements. */
static int open_components(py_work *work, PyObject *object, const char *name,
                           unsigned use, unsigned *components, uint64_t n,
                           const py_array **array_p) {
    const py_array *const array = call_array(&work->call, object, name, use);
    if (!array || !has_items(array, n))
        return 0;
    *components = (unsigned)(array->item_bytes / array->element_bytes);
    if (array->dimensions > 2 || *components == 0 || *components > 16) {
        PyErr_Format(PyExc_ValueError,
                     "%s has one number for each item, or a second dimension "
                     "of 1 to 16",
                     name);
        return 0;
    }
    *array_p = array;
    return 1;
}

/* accumulate_by_key(keys, values, sums, beyond, d_n) */
static PyObject *accumulate_by_key(PyObject *module, PyObject *arguments) {
    PyObject *keys, *values, *sums, *beyond, *d_n;
    if (!PyArg_ParseTuple(arguments, "OOOOO", &keys, &values, &sums, &beyond,
                          &d_n))
        return NULL;
    py_work *const work = work_new(module);
    winnow_status status = WINNOW_OK;
    winnow_in column = {0};
    uint64_t n = 0, *d_beyond = NULL;
    unsigned components = 1, places = 1;
    const py_array *in = NULL, *out = NULL;
    if (!work)
        return NULL;
    int opened = open_keys(work, keys, &n, &column) &&
                 open_components(work, values, "values", ARRAY_READ,
                                 &components, n, &in) &&
                 (out = call_array(&work->call, sums, "sums", ARRAY_WRITE)) &&
                 open_word(work, beyond, "beyond", &d_beyond) &&
                 open_n(work, d_n) && ready(work);
    if (opened)
        places = (unsigned)(out->item_bytes / out->element_bytes);
    if (opened && places != components) {
        PyErr_Format(PyExc_ValueError,
                     "values have %u components, and sums have %u", components,
                     places);
        opened = 0;
    }
    for (unsigned i = 0; opened && i < components; i++) {
        work->columns[i] = (winnow_in){.type = in->type,
                                       .d_base = (const char *)in->data +
                                                 i * in->element_bytes,
                                       .stride_bytes = (int64_t)in->item_bytes};
        work->sums[i] =
            (winnow_out){.type = out->type,
                         .d_base = (char *)out->data + i * out->element_bytes,
                         .stride_bytes = (int64_t)out->item_bytes};
    }
    RUN(winnow_accumulate_by_key(CONTEXT, &column, work->columns, components, n,
                                 out->n, work->sums, d_beyond, LAUNCH));
    return work_end(work, opened, status);
}

/* ------------------------------------------------------------- reductions */

/* reduce_if(x, condition or None, wanted, d_n, result): the result is 8 numbers
 * of 64 bits. */
static PyObject *reduce_if(PyObject *module, PyObject *arguments) {
    PyObject *x, *condition, *d_n, *result;
    unsigned wanted;
    if (!PyArg_ParseTuple(arguments, "OOIOO", &x, &condition, &wanted, &d_n,
                          &result))
        return NULL;
    py_work *const work = work_new(module);
    winnow_status status = WINNOW_OK;
    const py_array *in = NULL;
    py_prepared *test = NULL;
    size_t bytes = 0;
    void *made = NULL;
    if (!work)
        return NULL;
    int opened =
        (in = call_array(&work->call, x, "x", ARRAY_FLAT | ARRAY_NUMBERS)) &&
        (condition == Py_None ||
         (test = prepared_find(state_of(module), condition, in->kind))) &&
        (made = open_data(work, result, "result", ARRAY_WRITE, &bytes)) &&
        open_n(work, d_n) && ready(work);
    if (opened && bytes != sizeof(winnow_reduction)) {
        PyErr_SetString(PyExc_ValueError,
                        "result has not 8 numbers of 64 bits");
        opened = 0;
    }
    RUN(winnow_reduce_if(CONTEXT, test ? test->predicate : NULL, in->type,
                         in->data, in->n, wanted, made, LAUNCH));
    Py_XDECREF((PyObject *)test);
    return work_end(work, opened, status);
}

/* The fields of columns that are open. */
static int name_fields(py_work *work, PyObject *names, winnow_field *fields) {
    for (Py_ssize_t i = 0; i < PyTuple_Size(names); i++) {
        fields[i] = (winnow_field){
            .name = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(names, i), NULL),
            .type = work->columns[i].type,
            .format = kind_format(work->kinds[i])};
        if (!fields[i].name)
            return 0;
    }
    return 1;
}

static void drop_expressions(winnow_aggregate list[]) {
    for (unsigned i = 0; i < WINNOW_MOST_AGGREGATES; i++)
        winnow_expression_destroy(
            (winnow_expression *)(uintptr_t)list[i].expression);
}

/* Of (text or None, wanted) each; and the letters of struct of their numbers. */
static int parse_aggregates(py_work *work, PyObject *names, PyObject *tuple,
                            winnow_aggregate list[], char *letters) {
    winnow_field fields[MOST_COLUMNS];
    if (PyTuple_Size(tuple) > (Py_ssize_t)WINNOW_MOST_AGGREGATES) {
        PyErr_Format(PyExc_ValueError, "there are %zd aggregates, more than %d",
                     PyTuple_Size(tuple), (int)WINNOW_MOST_AGGREGATES);
        return 0;
    }
    if (!name_fields(work, names, fields))
        return 0;
    for (Py_ssize_t i = 0; i < PyTuple_Size(tuple); i++) {
        const char *text;
        winnow_expression *made = NULL;
        if (!PyArg_ParseTuple(PyTuple_GetItem(tuple, i), "zI", &text,
                              &list[i].wanted))
            return 0;
        const winnow_status status =
            text ? winnow_expression_parse(&made, fields,
                                           (unsigned)PyTuple_Size(names), text)
                 : WINNOW_OK;
        if (status) {
            raise_status(work->call.state, status);
            return 0;
        }
        list[i].expression = made;
        const winnow_type type = winnow_expression_type(made);
        letters[i] = type == WINNOW_FLOAT32 || type == WINNOW_FLOAT64 ? 'd'
                     : type == WINNOW_UINT64                          ? 'Q'
                                                                      : 'q';
    }
    return 1;
}

/* reduce_where(columns, names, prepared or None, n, d_n, aggregates, result):
 * aggregates are (text or None, wanted) each, the result 8 numbers of 64 bits
 * for each. A letter of struct for each aggregate's numbers. */
static PyObject *reduce_where(PyObject *module, PyObject *arguments) {
    PyObject *columns, *names, *condition, *d_n, *aggregates, *result;
    unsigned long long n;
    if (!PyArg_ParseTuple(arguments, "O!O!OKOO!O", &PyTuple_Type, &columns,
                          &PyTuple_Type, &names, &condition, &n, &d_n,
                          &PyTuple_Type, &aggregates, &result))
        return NULL;
    py_work *const work = work_new(module);
    winnow_status status = WINNOW_OK;
    winnow_aggregate list[WINNOW_MOST_AGGREGATES] = {{0}};
    char letters[WINNOW_MOST_AGGREGATES + 1] = "";
    size_t bytes = 0;
    void *made = NULL;
    if (!work)
        return NULL;
    int opened =
        open_columns(work, columns, n) &&
        (made = open_data(work, result, "result", ARRAY_WRITE, &bytes)) &&
        open_n(work, d_n) && ready_for(work, condition) &&
        parse_aggregates(work, names, aggregates, list, letters);
    const size_t number = (size_t)PyTuple_Size(aggregates);
    if (opened && bytes != number * sizeof(winnow_reduction)) {
        PyErr_SetString(PyExc_ValueError,
                        "result has not 8 numbers of 64 bits for each");
        opened = 0;
    }
    RUN(winnow_reduce_where(
        CONTEXT,
        condition != Py_None ? ((py_prepared *)condition)->condition : NULL,
        work->columns, (unsigned)PyTuple_Size(columns), n, list,
        (unsigned)number, made, LAUNCH));
    drop_expressions(list);
    PyObject *const none = work_end(work, opened, status);
    if (!none)
        return NULL;
    Py_DECREF(none);
    return PyUnicode_FromString(letters);
}

/* is_test(condition, x): is the condition one comparison of elements of x, of
 * which none is null? */
static PyObject *is_test(PyObject *module, PyObject *arguments) {
    py_state *const state = state_of(module);
    PyObject *condition, *x;
    if (!PyArg_ParseTuple(arguments, "OO!", &condition, state->view_type, &x))
        return NULL;
    py_array *const array = &((py_view *)x)->array;
    const void *valid = NULL;
    py_prepared *const test = prepared_find(state, condition, array->kind);
    const int failed = test == NULL || array_valid(array, &valid);
    const int is = !failed && test->predicate != NULL && valid == NULL;
    Py_XDECREF((PyObject *)test);
    return failed ? NULL : PyBool_FromLong(is);
}

/* is_array(x): or is it a number? */
static PyObject *is_array(PyObject *module, PyObject *object) {
    return PyBool_FromLong(array_is(state_of(module), object));
}

#define FUNCTION(name)                                                         \
    { #name, name, METH_VARARGS, NULL }

PyMethodDef operation_functions[] = {
    FUNCTION(select_where),
    FUNCTION(select_flagged),
    FUNCTION(combine),
    {"selection_bytes", selection_bytes, METH_O, NULL},
    FUNCTION(selection_count),
    FUNCTION(compact),
    FUNCTION(compact_index),
    FUNCTION(expand),
    FUNCTION(fill_holes),
    FUNCTION(to_mask),
    FUNCTION(copy_where),
    FUNCTION(copy_flagged),
    FUNCTION(unique),
    FUNCTION(partition_by_key),
    FUNCTION(accumulate_by_key),
    FUNCTION(reduce_if),
    FUNCTION(reduce_where),
    FUNCTION(is_test),
    {"is_array", is_array, METH_O, NULL},
    {NULL, NULL, 0, NULL}};
