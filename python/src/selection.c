/*
 * winnow.Selection. On the host the object itself owns the memory of the bits:
 * to allocate it takes less time than to make an array. On a GPU the bits are
 * in an array of the items' library.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "selection.h"

#include "kind.h"
#include "result.h"
#include "table.h"
#include "words.h"

#include <string.h>

#define BIT(key) (1u << (key))

typedef struct py_selection {
    PyObject ob_base;
    uint64_t n;
    size_t bytes;
    void *memory;     /* the bits on the host, or NULL */
    PyObject *buffer; /* array of the bits; on the host NULL until read */
    PyObject *x;      /* an array of the items; its library makes outputs */
    /* The array of n=, the number of items that count, or NULL. None:
     * selections with different arrays were joined. */
    PyObject *counted;
    py_array like; /* x as it was opened; a borrowed array */
} py_selection;

static py_state *state_at(PyObject *self) {
    return PyType_GetModuleState(Py_TYPE(self));
}

static PyObject *selection_new(py_state *state, PyObject *x,
                               const py_array *like, uint64_t n) {
    py_selection *const made =
        PyObject_GC_New(py_selection, state->selection_type);
    if (!made)
        return NULL;
    made->n = n;
    made->memory = NULL;
    made->bytes = 0;
    made->buffer = NULL;
    made->x = Py_NewRef(x);
    made->counted = NULL;
    array_borrow(&made->like, like, like->object);
    Py_CLEAR(made->like.key);
    made->like.name = "the selection";
    PyObject_GC_Track((PyObject *)made);
    return (PyObject *)made;
}

static int selection_visit(PyObject *self, visitproc visit, void *arg) {
    py_selection *const selection = (py_selection *)self;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(selection->buffer);
    Py_VISIT(selection->x);
    Py_VISIT(selection->counted);
    Py_VISIT(selection->like.owner);
    return 0;
}

static int selection_clear(PyObject *self) {
    py_selection *const selection = (py_selection *)self;
    Py_CLEAR(selection->buffer);
    Py_CLEAR(selection->x);
    Py_CLEAR(selection->counted);
    array_close(&selection->like);
    return 0;
}

static void selection_free(PyObject *self) {
    PyTypeObject *const type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    selection_clear(self);
    PyMem_Free(((py_selection *)self)->memory);
    PyObject_GC_Del(self);
    Py_DECREF(type);
}

/* -------------------------------------------------------------- their
 * memory */

py_array *selection_room(py_work *work, const py_array *like, uint64_t n,
                         size_t *bytes_p) {
    const winnow_status status = winnow_selection_bytes(n, bytes_p);
    if (status)
        return raise_status(work->call.state, status);
    if (like->item_bytes == 0 && !can_move(like))
        return NULL;
    return call_new(&work->call, like,
                    (*bytes_p + like->item_bytes - 1) / like->item_bytes, NULL);
}

/* Make the memory for the bits and return its address. `out` is an array to use
 * as this memory, or NULL. NULL with an exception. */
static void *make_memory(py_work *work, py_selection *made,
                         const py_array *like, PyObject *out) {
    py_array *room;
    const winnow_status status = winnow_selection_bytes(made->n, &made->bytes);
    if (status)
        return raise_status(work->call.state, status);
    if (!out && work->call.device < 0) {
        made->memory = PyMem_Malloc(made->bytes);
        if (!made->memory)
            PyErr_NoMemory();
        return made->memory;
    }
    room = out ? call_array(&work->call, out, "selection", ARRAY_WRITE)
               : selection_room(work, like, made->n, &made->bytes);
    if (!room)
        return NULL;
    made->bytes = room->n * room->item_bytes;
    made->buffer = Py_NewRef(room->object);
    return room->data;
}

/* Open the bits of a selection as an input of a call. *like_p is an array like
 * which the outputs are made. */
static const void *open_bits(py_work *work, py_selection *selection,
                             const py_array **like_p) {
    *like_p = &selection->like;
    if (selection->memory) {
        if (work->call.device >= 0)
            PyErr_Format(PyExc_ValueError,
                         "%s is on GPU %d, and the selection is on the CPU",
                         array_name(work->call.decided_by), work->call.device);
        work->call.device = WINNOW_DEVICE_HOST;
        work->call.decided_by = &selection->like;
        return PyErr_Occurred() ? NULL : selection->memory;
    }
    const py_array *const array =
        call_array(&work->call, selection->buffer, "the selection", ARRAY_READ);
    *like_p = array;
    return array ? array->data : NULL;
}

/* buffer: return the bits as an array of x's library, with x's type. */
static PyObject *get_buffer(PyObject *self, void *unused) {
    py_selection *const selection = (py_selection *)self;
    py_work *const work = selection->buffer ? NULL : work_new(state_at(self));
    size_t bytes;
    (void)unused;
    if (work) {
        const py_array *const made =
            selection_room(work, &selection->like, selection->n, &bytes);
        if (made) {
            memcpy(made->data, selection->memory, selection->bytes);
            selection->buffer = Py_NewRef(made->object);
        }
        work_free(work);
    }
    return Py_XNewRef(selection->buffer);
}

/* -------------------------------------------------------------------
 * sources */

typedef struct py_source {
    py_work *work;
    py_selection *made;
    const py_array *like;
    void *bits;
} py_source;

/* Return the array of n=, the number of items that count. A new reference, or
 * NULL if there is none. */
static PyObject *counted_by(const py_work *work) {
    const py_call *const call = &work->call;
    for (unsigned i = 0; i < call->count && call->launch.d_n; i++)
        if (call->arrays[i].data == call->launch.d_n && call->arrays[i].n == 1)
            return Py_NewRef(call->arrays[i].object);
    return NULL;
}

static int begin(py_source *source, PyObject *x, const py_array *like,
                 PyObject *out) {
    py_work *const work = source->work;
    source->made =
        (py_selection *)selection_new(work->call.state, x, like, work->n);
    if (source->made) {
        source->made->counted = counted_by(work);
        source->bits =
            make_memory(work, source->made, like, out != Py_None ? out : NULL);
    }
    return source->bits != NULL;
}

/* End the call. Returns the selection, or NULL with an exception. */
static PyObject *end(py_source *source, int opened, winnow_status status) {
    const int done = work_done(source->work, opened, status);
    work_free(source->work);
    if (!done)
        Py_CLEAR(source->made);
    return (PyObject *)source->made;
}

static PyObject *select_mask(py_state *state, PyObject *mask, PyObject *n,
                             PyObject *out) {
    py_source source = {.work = work_new(state)};
    py_work *const work = source.work;
    winnow_status status = WINNOW_OK;
    const py_array *flags = NULL;
    winnow_mask bytes;
    if (!work)
        return NULL;
    const int opened = work_mask(work, mask, &flags, &bytes) &&
                       work_n(work, n, flags->n) &&
                       begin(&source, mask, flags, out) && work_ready(work);
    RUN(winnow_select_flagged(CONTEXT, &bytes, work->n, source.bits,
                              source.made->bytes, LAUNCH));
    return end(&source, opened, status);
}

/* Open what a condition tests: an array, or the columns of a table. */
static int open_tests(py_work *work, PyObject *x, PyObject *columns,
                      PyObject *condition, PyObject *n) {
    if (columns)
        return table_open(work, columns, ARRAY_READ, "column %R", 2) &&
               work_n(work, n, work->table->n) &&
               table_condition(work, condition);
    py_array *const seen = call_array(
        &work->call, x, "x", ARRAY_FLAT | ARRAY_NUMBERS | ARRAY_STRIDES);
    if (!seen || !work_n(work, n, seen->n))
        return 0;
    work->condition = prepared_find(work->call.state, condition, seen->kind);
    return work->condition && work_column(work, seen);
}

static PyObject *select_where(py_state *state, PyObject *x, PyObject *columns,
                              PyObject *condition, PyObject *n, PyObject *out) {
    py_source source = {.work = work_new(state)};
    py_work *const work = source.work;
    winnow_status status = WINNOW_OK;
    if (!work)
        return NULL;
    const py_array *const first = work->call.arrays;
    const int opened = open_tests(work, x, columns, condition, n) &&
                       begin(&source, columns ? work->table->object : x,
                             columns ? work->table : first, out) &&
                       work_ready(work);
    RUN(winnow_select_where(CONTEXT, work->condition->condition, work->columns,
                            work->tests, work->n, source.bits,
                            source.made->bytes, LAUNCH));
    return end(&source, opened, status);
}

/* select(x, condition, mask, n, out): out is an array for the bits, or None. */
static PyObject *select_items(PyObject *module, PyObject *const *args,
                              Py_ssize_t count) {
    py_state *const state = state_of(module);
    if (count != 5) {
        PyErr_SetString(PyExc_TypeError, "select() takes 5 arguments");
        return NULL;
    }
    PyObject *mask = args[2], *n = args[3], *made = NULL;
    if (mask != Py_None)
        return select_mask(state, mask, n, args[4]);
    PyObject *const x = work_unpack(state, args[0], &n);
    const int is_ndarray = x && (PyObject *)Py_TYPE(x) == state->ndarray;
    PyObject *columns = x && !is_ndarray ? table_of(state, x, 1) : NULL;
    if (x && !PyErr_Occurred())
        made = select_where(state, x, columns, args[1], n, args[4]);
    /* The array may have records, which are no numbers: try its columns. */
    if (!made && is_ndarray && PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyObject *type, *error, *trace;
        PyErr_Fetch(&type, &error, &trace);
        columns = table_of(state, x, 1);
        PyErr_Restore(type, error, trace);
        if (columns) {
            PyErr_Clear();
            made = select_where(state, x, columns, args[1], n, args[4]);
        }
    }
    Py_XDECREF(columns);
    Py_XDECREF(x);
    return made;
}

/* Does the array have as many bytes as a selection of n items, apart from the
 * rest of its last element? */
static int has_bits_of(py_state *state, const py_array *array, uint64_t n) {
    const uint64_t bytes = (uint64_t)array->n * array->item_bytes;
    size_t wanted;
    const winnow_status status = winnow_selection_bytes(n, &wanted);
    if (status)
        return raise_status(state, status) != NULL;
    if (bytes >= wanted && bytes - wanted < array->item_bytes)
        return 1;
    PyErr_Format(PyExc_ValueError,
                 "selection has %llu bytes: a selection of %llu items has %zu",
                 (unsigned long long)bytes, (unsigned long long)n, wanted);
    return 0;
}

/* from_bits(array, n): make a selection of n items from an array of its
 * bits. */
static PyObject *from_bits(PyObject *module, PyObject *arguments) {
    py_state *const state = state_of(module);
    PyObject *object, *made = NULL;
    unsigned long long n;
    if (!PyArg_ParseTuple(arguments, "OK", &object, &n))
        return NULL;
    py_work *const work = work_new(state);
    const py_array *const array =
        work ? call_array(&work->call, object, "selection", ARRAY_READ) : NULL;
    if (array && has_bits_of(state, array, n) &&
        (made = selection_new(state, object, array, n)))
        ((py_selection *)made)->buffer = Py_NewRef(object);
    if (work)
        work_free(work);
    return made;
}

/* ---------------------------------------------------------------- operators */

static PyObject *join(PyObject *a, PyObject *b, int operation) {
    if (Py_TYPE(a) != Py_TYPE(b))
        return Py_NewRef(Py_NotImplemented);
    py_selection *const first = (py_selection *)a, *const second =
                                                       (py_selection *)b;
    if (first->n != second->n)
        return PyErr_Format(PyExc_ValueError,
                            "selections of %llu and of %llu items do not join",
                            (unsigned long long)first->n,
                            (unsigned long long)second->n);
    py_source source = {.work = work_new(state_at(a))};
    py_work *const work = source.work;
    winnow_status status = WINNOW_OK;
    const py_array *like, *other;
    const void *kept = NULL, *more = NULL;
    if (!work)
        return NULL;
    work->n = first->n;
    const int opened = (kept = open_bits(work, first, &like)) &&
                       (more = open_bits(work, second, &other)) &&
                       begin(&source, first->x, like, Py_None) &&
                       work_ready(work);
    if (opened)
        source.made->counted = Py_XNewRef(
            first->counted == second->counted ? first->counted : Py_None);
    RUN(winnow_selection_combine(CONTEXT, (winnow_combine)operation, kept, more,
                                 work->n, source.bits, source.made->bytes,
                                 LAUNCH));
    return end(&source, opened, status);
}

static PyObject *join_and(PyObject *a, PyObject *b) {
    return join(a, b, WINNOW_AND);
}

static PyObject *join_or(PyObject *a, PyObject *b) {
    return join(a, b, WINNOW_OR);
}

static PyObject *join_and_not(PyObject *a, PyObject *b) {
    return join(a, b, WINNOW_AND_NOT);
}

static PyObject *join_xor(PyObject *a, PyObject *b) {
    return join(a, b, WINNOW_XOR);
}

static PyObject *invert(PyObject *self) {
    py_source source = {.work = work_new(state_at(self))};
    py_work *const work = source.work;
    winnow_status status = WINNOW_OK;
    const py_array *like;
    const void *kept = NULL;
    if (!work)
        return NULL;
    py_selection *const selection = (py_selection *)self;
    if (selection->counted == Py_None)
        PyErr_SetString(
            PyExc_ValueError,
            "~ of joined selections whose n= differ: how many items "
            "count is not known");
    const int opened = selection->counted != Py_None &&
                       (kept = open_bits(work, selection, &like)) &&
                       work_n(work, selection->counted, selection->n) &&
                       begin(&source, selection->x, like, Py_None) &&
                       work_ready(work);
    RUN(winnow_selection_not(CONTEXT, kept, work->n, source.bits,
                             source.made->bytes, LAUNCH));
    return end(&source, opened, status);
}

/* -------------------------------------------------------------------- sinks */

/* A call on a selection: its work, its bits, and an array like which the
 * outputs are made. */
typedef struct py_sink {
    py_work *work;
    py_words words;
    const py_array *like;
    const void *bits;
} py_sink;

static int sink_begin(py_sink *sink, PyObject *self, const char *function,
                      Py_ssize_t wanted, unsigned allowed,
                      PyObject *const *args, Py_ssize_t positional,
                      PyObject *names) {
    py_state *const state = state_at(self);
    if (words_read(state, &sink->words, function, wanted, allowed, args,
                   positional, names) ||
        !(sink->work = work_new(state)))
        return 0;
    sink->work->n = ((py_selection *)self)->n;
    sink->bits = open_bits(sink->work, (py_selection *)self, &sink->like);
    if (sink->bits &&
        work_limit(sink->work, words_get(&sink->words, KEY_CAPACITY)))
        return 1;
    work_free(sink->work);
    return 0;
}

static PyObject *get_count(PyObject *self, void *unused) {
    py_selection *const selection = (py_selection *)self;
    py_work *const work = work_new(state_at(self));
    winnow_status status = WINNOW_OK;
    const py_array *like;
    const void *kept = NULL;
    PyObject *made = NULL;
    (void)unused;
    if (!work)
        return NULL;
    const int opened = (kept = open_bits(work, selection, &like)) &&
                       work_ready(work) && work_count(work, like);
    RUN(winnow_selection_count(CONTEXT, kept, selection->n, work->d_count,
                               LAUNCH));
    if (work_done(work, opened, status))
        made = work->count
                   ? work_like(work->call.state, selection->x, work->count)
                   : array_number(work->call.state, selection->x, work->known);
    work_free(work);
    return made;
}

/* Check the number of items of compact()'s x. If x was a Result, `n` is this
 * Result, and only its survivors count. On the host *known is their number. */
static int take_items(py_work *work, PyObject *n, py_array *x,
                      uint64_t *known) {
    uint64_t items = x->n;
    if (n == Py_None)
        return has_items(x, work->n);
    if (call_n(&work->call, n, &items))
        return 0;
    *known = items;
    if (items == work->n)
        return 1;
    if (!work->call.launch.d_n)
        work->call.launch.d_n = known;
    return has_items(x, work->n);
}

static PyObject *compact(PyObject *self, PyObject *const *args,
                         Py_ssize_t positional, PyObject *names) {
    py_sink sink;
    winnow_status status = WINNOW_OK;
    py_array *x = NULL;
    const py_array *out = NULL;
    PyObject *made = NULL, *fill = NULL, *n = Py_None;
    uint64_t known = 0;
    if (!sink_begin(&sink, self, "compact", 1,
                    BIT(KEY_OUT) | BIT(KEY_CAPACITY) | BIT(KEY_FILL), args,
                    positional, names))
        return NULL;
    py_work *const work = sink.work;
    PyObject *const given = words_get(&sink.words, KEY_OUT);
    PyObject *const items = work_unpack(work->call.state, sink.words.x, &n);
    const int opened =
        items &&
        (x = call_array(&work->call, items, "x",
                        ARRAY_NO_GRADIENT | ARRAY_BYTES)) &&
        take_items(work, n, x, &known) && work_move(work, 0, x, given) &&
        (out = &work->call.arrays[work->call.count - 1]) &&
        work_item(work, x, words_get(&sink.words, KEY_FILL), &fill) &&
        work_ready(work) && work_count(work, sink.like);
    RUN(winnow_compact_columns(CONTEXT, sink.bits, work->n, work->moves, 1,
                               work->capacity, work->d_count, LAUNCH));
    if (opened && !status)
        status = work_fill(work, fill);
    if (work_done(work, opened, status))
        made = work_result(work, items, out, given);
    work_free(work);
    Py_XDECREF(fill);
    Py_XDECREF(items);
    return made;
}

static int index_type(const py_array *out, winnow_type *type_p) {
    *type_p = out->item_bytes == 4 ? WINNOW_UINT32 : WINNOW_UINT64;
    if (out->dimensions == 1 && out->type < WINNOW_FLOAT16 &&
        out->type != WINNOW_OPAQUE &&
        (out->item_bytes == 4 || out->item_bytes == 8))
        return 1;
    PyErr_SetString(PyExc_TypeError,
                    "indices are of int64, uint64, int32 or uint32");
    return 0;
}

static PyObject *indices(PyObject *self, PyObject *const *args,
                         Py_ssize_t positional, PyObject *names) {
    py_sink sink;
    winnow_status status = WINNOW_OK;
    winnow_type type = WINNOW_UINT64;
    const py_array *out = NULL;
    PyObject *made = NULL;
    if (!sink_begin(&sink, self, "indices", 0, BIT(KEY_OUT) | BIT(KEY_CAPACITY),
                    args, positional, names))
        return NULL;
    py_work *const work = sink.work;
    PyObject *const given = words_get(&sink.words, KEY_OUT);
    const int opened =
        (out = work_out(work, given, sink.like, work->n, "int64")) &&
        index_type(out, &type) && work_ready(work) &&
        work_count(work, sink.like);
    RUN(winnow_compact_index(CONTEXT, sink.bits, work->n, type, out->data,
                             work->capacity, work->d_count, LAUNCH));
    if (work_done(work, opened, status))
        made = work_result(work, ((py_selection *)self)->x, out, given);
    work_free(work);
    return made;
}

static PyObject *to_mask(PyObject *self, PyObject *const *args,
                         Py_ssize_t positional, PyObject *names) {
    py_sink sink;
    winnow_status status = WINNOW_OK;
    const py_array *flags = NULL;
    PyObject *made = NULL;
    if (!sink_begin(&sink, self, "mask", 0, BIT(KEY_OUT), args, positional,
                    names))
        return NULL;
    py_work *const work = sink.work;
    PyObject *const given = words_get(&sink.words, KEY_OUT);
    int opened = (flags = work_out(work, given, sink.like, work->n, "bool")) &&
                 has_items(flags, work->n) && work_ready(work);
    if (opened && (flags->item_bytes != 1 || flags->dimensions != 1)) {
        PyErr_SetString(PyExc_TypeError,
                        "a mask is of bool, and has one dimension");
        opened = 0;
    }
    RUN(winnow_selection_to_mask(CONTEXT, sink.bits, work->n, WINNOW_MASK_BYTES,
                                 flags->data, 0, LAUNCH));
    if (work_done(work, opened, status))
        made = given != Py_None ? Py_NewRef(given)
                                : work_like(work->call.state,
                                            ((py_selection *)self)->x, flags);
    work_free(work);
    return made;
}

/* --------------------------------------------------------------------
 * expand */

/* Convert fill=, by default 0, to the bytes of an item of the output. */
static PyObject *fill_bytes(const py_sink *sink, const py_array *packed) {
    PyObject *const fill = sink->words.named[KEY_FILL];
    PyObject *const zero = PyLong_FromLong(0);
    PyObject *made = NULL;
    if (zero)
        work_item(sink->work, packed, fill ? fill : zero, &made);
    Py_XDECREF(zero);
    return made;
}

static int are_apart(const py_work *work, const py_array *a,
                     const py_array *b) {
    if (array_apart(a, b))
        return 1;
    PyErr_SetString(work->call.state->errors[WINNOW_ERR_ARGUMENT],
                    "packed and out overlap");
    return 0;
}

/* Find the number of items to expand. On the host a Result limits it to its
 * count. Returns 0 with an exception. */
static int count_packed(const py_state *state, PyObject *result,
                        const py_array *in, uint64_t *count_p) {
    *count_p = in->n;
    if (result == Py_None)
        return 1;
    PyObject *const count = result_count(state, result, count_p);
    if (count && PyLong_Check(count)) {
        const unsigned long long known = PyLong_AsUnsignedLongLong(count);
        *count_p = known < *count_p ? known : *count_p;
    }
    Py_XDECREF(count);
    return !PyErr_Occurred();
}

/* Expand packed items to `out`. `value` is the fill as bytes, or None. */
static PyObject *expand_to(py_sink *sink, PyObject *packed, PyObject *value,
                           const py_array *in, uint64_t count,
                           const py_array *out) {
    py_work *const work = sink->work;
    winnow_status status = WINNOW_OK;
    const py_array *room = NULL;
    size_t bytes = 0;
    const char *const fill = value != Py_None ? PyBytes_AsString(value) : NULL;
    const winnow_in column = {.element_bytes = (uint32_t)in->item_bytes,
                              .d_base = in->data};
    const winnow_out places = {.element_bytes = column.element_bytes,
                               .d_base = out->data};
    const winnow_in nothing = {.element_bytes = column.element_bytes};
    const int partly = fill && count < work->n && in->item_bytes;
    const int opened =
        (!partly || (room = selection_room(work, out, work->n, &bytes))) &&
        are_apart(work, in, out) && work_ready(work);
    /* winnow_expand() fills only the places that are not kept. If there are
     * fewer packed items than kept places, first fill all places. */
    if (partly)
        RUN(winnow_selection_combine(CONTEXT, WINNOW_AND_NOT, sink->bits,
                                     sink->bits, work->n, room->data, bytes,
                                     LAUNCH));
    if (partly && !status)
        RUN(winnow_expand(CONTEXT, room->data, &nothing, 0, work->n, fill,
                          &places, LAUNCH));
    if (!status)
        RUN(winnow_expand(CONTEXT, sink->bits, &column, count, work->n, fill,
                          &places, LAUNCH));
    return work_done(work, opened, status)
               ? work_like(work->call.state, packed, out)
               : NULL;
}

static PyObject *expand(PyObject *self, PyObject *const *args,
                        Py_ssize_t positional, PyObject *names) {
    py_sink sink;
    PyObject *n = Py_None, *value = NULL, *made = NULL;
    const py_array *in = NULL, *out = NULL;
    uint64_t count;
    if (!sink_begin(&sink, self, "expand", 1, BIT(KEY_OUT) | BIT(KEY_FILL),
                    args, positional, names))
        return NULL;
    py_work *const work = sink.work;
    PyObject *const given = words_get(&sink.words, KEY_OUT);
    PyObject *const packed = work_unpack(work->call.state, sink.words.x, &n);
    const int keeps = (sink.words.none & BIT(KEY_FILL)) != 0;
    if (keeps && given == Py_None)
        PyErr_SetString(PyExc_ValueError,
                        "fill=None keeps the contents of out=: pass out=");
    else if (packed &&
             (in = call_array(&work->call, packed, "packed",
                              ARRAY_NO_GRADIENT | ARRAY_BYTES)) &&
             count_packed(work->call.state, n, in, &count) && can_move(in) &&
             (out = work_out(work, given, in, work->n, NULL)) &&
             has_items(out, work->n) && same_items(in, out) &&
             (value = keeps ? Py_NewRef(Py_None) : fill_bytes(&sink, in)))
        made = expand_to(&sink, packed, value, in, count, out);
    if (made && given != Py_None) {
        Py_DECREF(made);
        made = Py_NewRef(given);
    }
    work_free(work);
    Py_XDECREF(packed);
    Py_XDECREF(value);
    return made;
}

/* ---------------------------------------------------------------- fill
 * holes */

/* Open the arriving items: columns with the same names as x, and their
 * number. */
static int open_arriving(py_work *work, PyObject *arriving, int is_one,
                         winnow_arrivals *arrivals) {
    PyObject *n = Py_None;
    PyObject *const came = work_unpack(work->call.state, arriving, &n);
    PyObject *const columns = !came    ? NULL
                              : is_one ? Py_BuildValue("{sO}", "x", came)
                                       : table_of(work->call.state, came, 0);
    const uint64_t items = work->n;
    const int done =
        columns &&
        table_open(work, columns, ARRAY_NO_GRADIENT,
                   is_one ? "arriving" : "column %R that arrives", 2) &&
        work_n(work, n, work->table->n);
    arrivals->n = work->n;
    arrivals->d_n = work->call.launch.d_n;
    work->call.launch.d_n = NULL;
    work->n = items;
    if (!columns && !PyErr_Occurred())
        PyErr_SetString(PyExc_TypeError,
                        "x is a mapping, so arriving must be one, too");
    Py_XDECREF(columns);
    Py_XDECREF(came);
    return done;
}

static PyObject *names_of(const py_array *columns, unsigned width) {
    PyObject *const comma = PyUnicode_FromString(", ");
    PyObject *const names = PyTuple_New(width);
    PyObject *all = NULL;
    for (unsigned i = 0; names && i < width; i++)
        PyTuple_SetItem(names, i, Py_NewRef(columns[i].key));
    if (comma && names)
        all = PyUnicode_Join(comma, names);
    Py_XDECREF(comma);
    Py_XDECREF(names);
    return all;
}

static void other_names(const py_array *there, unsigned width,
                        const py_array *came, unsigned arrive) {
    PyObject *const first = names_of(there, width);
    PyObject *const second = names_of(came, arrive);
    if (first && second)
        PyErr_Format(PyExc_ValueError,
                     "x has the columns %U, and arriving has %U", first,
                     second);
    Py_XDECREF(first);
    Py_XDECREF(second);
}

/* Return the arriving column of the same name, or NULL. */
static py_array *arriving_for(const py_array *column, py_array *came,
                              unsigned arrive) {
    for (unsigned i = 0; i < arrive; i++)
        if (PyUnicode_Compare(came[i].key, column->key) == 0)
            return &came[i];
    return NULL;
}

static int open_holes(py_work *work, const py_array *there, unsigned width) {
    py_array *const came = work->table != there ? work->table : NULL;
    for (unsigned i = 0; i < width; i++) {
        const py_array *in =
            came ? arriving_for(&there[i], came, work->width) : NULL;
        if (came && (!in || work->width != width)) {
            other_names(there, width, came, work->width);
            return 0;
        }
        if (!can_move(&there[i]))
            return 0;
        if (in && (!(in = call_again(&work->call, (py_array *)(uintptr_t)in,
                                     ARRAY_BYTES)) ||
                   !same_items(in, &there[i])))
            return 0;
        work->moves[i] = (winnow_move){.d_in = in ? in->data : NULL,
                                       .d_out = there[i].data,
                                       .element_bytes = there[i].item_bytes};
    }
    return 1;
}

static int few(PyObject *columns) {
    if (PyDict_Size(columns) <= MOST_COLUMNS)
        return 1;
    PyErr_Format(PyExc_ValueError, "there are %zd columns, more than %d",
                 PyDict_Size(columns), MOST_COLUMNS);
    return 0;
}

static int has_room_for(const py_work *work, uint64_t room) {
    if (room >= work->n)
        return 1;
    PyErr_Format(PyExc_ValueError, "x has %llu items, and the selection %llu",
                 (unsigned long long)room, (unsigned long long)work->n);
    return 0;
}

/* Fill the holes of a table. For an array x, `columns` is {"x": x}; for a table
 * x is NULL. */
static PyObject *fill(py_sink *sink, PyObject *columns, PyObject *arriving,
                      PyObject *x) {
    py_work *const work = sink->work;
    py_state *const state = work->call.state;
    winnow_status status = WINNOW_OK;
    winnow_arrivals arrivals = {0};
    const int is_one = x != NULL;
    PyObject *made = NULL;
    int opened = few(columns) && table_open(work, columns, ARRAY_WRITE,
                                            is_one ? "x" : "column %R", 2);
    const py_array *const there = work->table;
    const unsigned width = work->width;
    for (unsigned i = 0; opened && i < width; i++)
        work->table[i].is_written = 1;
    const uint64_t room = opened ? there->n : 0;
    opened = opened &&
             (arriving == Py_None ||
              open_arriving(work, arriving, is_one, &arrivals)) &&
             open_holes(work, there, width) && work_ready(work) &&
             work_count(work, there) && has_room_for(work, room);
    RUN(winnow_fill_holes(CONTEXT, sink->bits, work->n, &arrivals, work->moves,
                          width, room, work->d_count, LAUNCH));
    if (work_done(work, opened, status))
        made = result_new(state, is_one ? NULL : state->rows_class,
                          is_one ? x : columns, work->count, work->known, room);
    return made;
}

static PyObject *fill_holes(PyObject *self, PyObject *const *args,
                            Py_ssize_t positional, PyObject *names) {
    py_sink sink;
    PyObject *made = NULL, *one = NULL;
    const Py_ssize_t wanted = positional == 2 ? 2 : 1;
    if (!sink_begin(&sink, self, "fill_holes", wanted,
                    wanted == 1 ? BIT(KEY_ARRIVING) : 0, args, positional,
                    names))
        return NULL;
    py_state *const state = sink.work->call.state;
    PyObject *const x = sink.words.x;
    PyObject *const arriving = wanted == 2
                                   ? sink.words.predicate
                                   : words_get(&sink.words, KEY_ARRIVING);
    PyObject *const columns =
        PyDict_CheckExact(x) ? PyDict_Copy(x) : table_of(state, x, 0);
    if (columns)
        made = fill(&sink, columns, arriving, NULL);
    else if (!PyErr_Occurred() && (one = Py_BuildValue("{sO}", "x", x)))
        made = fill(&sink, one, arriving, x);
    Py_XDECREF(columns);
    Py_XDECREF(one);
    work_free(sink.work);
    return made;
}

/* --------------------------------------------------------------------- type */

static Py_ssize_t length(PyObject *self) {
    return (Py_ssize_t)((py_selection *)self)->n;
}

static PyObject *get_n(PyObject *self, void *unused) {
    (void)unused;
    return PyLong_FromUnsignedLongLong(((py_selection *)self)->n);
}

static PyObject *represent(PyObject *self) {
    return PyUnicode_FromFormat("<winnow.Selection of %llu items>",
                                (unsigned long long)((py_selection *)self)->n);
}

static PyGetSetDef attributes[] = {
    {"n", get_n, NULL, "The number of items, kept or not.", NULL},
    {"buffer", get_buffer, NULL,
     "The bits, as an array of the items' library. On the host it is a copy.",
     NULL},
    {"count", get_count, NULL,
     "The number of kept items: an array of int64 without dimensions, on\n"
     "the device of the items.",
     NULL},
    {NULL, NULL, NULL, NULL, NULL}};

#define METHOD(name, function, document)                                       \
    {                                                                          \
        name, (PyCFunction)(void (*)(void))function,                           \
            METH_FASTCALL | METH_KEYWORDS, document                            \
    }

static PyMethodDef methods[] = {
    METHOD(
        "compact", compact,
        "compact($self, x, /, *, out=None, capacity=None, fill=None)\n--\n\n"
        "Pack the items of x that the selection keeps.\n\n"
        "x has n items of any type. In an array of shape (n, 3) an item is\n"
        "a row. x may be a Result; only the items up to its count are kept.\n"
        "The buffer has the value `fill` behind the survivors. Without\n"
        "`fill` it is undefined there. Returns a Result."),
    METHOD(
        "expand", expand,
        "expand($self, packed, /, *, fill=0, out=None)\n--\n\n"
        "Scatter packed items to their places: the reverse of compact().\n\n"
        "All other places get the value `fill`; with fill=None they keep\n"
        "what `out` has. If packed has fewer items than the selection\n"
        "keeps, the remaining kept places count as other places. packed may\n"
        "be a Result. On the host it has as many items as its count says.\n"
        "On a GPU expand() does not wait for the count, and reads the whole\n"
        "buffer."),
    METHOD(
        "fill_holes", fill_holes,
        "fill_holes($self, x, /, arriving=None)\n--\n\n"
        "Replace, in place, the items that are not kept: first by arriving\n"
        "items, then by the last items of x.\n\n"
        "All other items stay where they are. The call moves at most as\n"
        "many items as leave or arrive, so it moves far less than compact()\n"
        "if few leave. It does not keep the order. winnow_fill_holes(3) says\n"
        "where each item goes.\n\n"
        "Parameters\n----------\n"
        "x : array, or mapping of up to 64 arrays\n"
        "    The n items, and behind them room for arriving items. In an\n"
        "    array of shape (n, 3) an item is a row.\n"
        "arriving : array or mapping as x, Result or Rows, optional\n"
        "    Items of x's types. A mapping has columns of the same names. If\n"
        "    there is not room for all, the call does not write the last.\n\n"
        "Returns\n-------\n"
        "Result of x, or Rows of a mapping\n"
        "    The count is the number of items that are left. overflow is true\n"
        "    if x does not have room for all of them."),
    METHOD("indices", indices,
           "indices($self, /, *, out=None, capacity=None)\n--\n\n"
           "The indices of the kept items, of int64, in ascending order."),
    METHOD("mask", to_mask,
           "mask($self, /, *, out=None)\n--\n\n"
           "An array of bool: True for each kept item."),
    {NULL, NULL, 0, NULL}};

int selection_type_make(PyObject *module, py_state *state) {
    PyType_Slot slots[] = {
        {Py_tp_doc,
         "Which of n items are kept: the result of winnow.select().\n\n"
         "Selections with the same n join by &, |, ^, - and ~."},
        {Py_tp_dealloc, selection_free},
        {Py_tp_traverse, selection_visit},
        {Py_tp_clear, selection_clear},
        {Py_tp_repr, represent},
        {Py_sq_length, length},
        {Py_nb_and, join_and},
        {Py_nb_or, join_or},
        {Py_nb_subtract, join_and_not},
        {Py_nb_xor, join_xor},
        {Py_nb_invert, invert},
        {Py_tp_getset, attributes},
        {Py_tp_methods, methods},
        {0, NULL}};
    PyType_Spec spec = {"winnow.Selection", sizeof(py_selection), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                            Py_TPFLAGS_IMMUTABLETYPE |
                            Py_TPFLAGS_DISALLOW_INSTANTIATION,
                        slots};
    PyObject *const type = PyType_FromModuleAndSpec(module, &spec, NULL);
    if (!type)
        return -1;
    state->selection_type = (PyTypeObject *)type;
    return PyModule_AddObjectRef(module, "Selection", type);
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

PyMethodDef selection_functions[] = {
    {"select", (PyCFunction)(void (*)(void))select_items, METH_FASTCALL, NULL},
    {"from_bits", from_bits, METH_VARARGS, NULL},
    {"selection_bytes", selection_bytes, METH_O, NULL},
    {NULL, NULL, 0, NULL}};
