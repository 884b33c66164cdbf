/*
 * Sinks of a selection: compact(), indices(), mask() and expand().
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "sink.h"

#include "kind.h"
#include "result.h"

int sink_begin(py_sink *sink, PyObject *self, const char *function,
               Py_ssize_t wanted, unsigned allowed, PyObject *const *args,
               Py_ssize_t positional, PyObject *names) {
    py_state *const state = selection_state(self);
    if (words_read(state, &sink->words, function, wanted, allowed, args,
                   positional, names) ||
        !(sink->work = work_new(state)))
        return 0;
    sink->work->n = sink->work->room = ((py_selection *)self)->n;
    sink->bits = selection_bits(sink->work, (py_selection *)self, &sink->like);
    if (sink->bits &&
        work_limit(sink->work, words_get(&sink->words, KEY_CAPACITY)))
        return 1;
    work_free(sink->work);
    return 0;
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

PyObject *selection_compact(PyObject *self, PyObject *const *args,
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

PyObject *selection_indices(PyObject *self, PyObject *const *args,
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

PyObject *selection_mask(PyObject *self, PyObject *const *args,
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

/* ------------------------------------------------------------------ expand */

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
static int count_packed(py_work *work, PyObject *result, const py_array *in,
                        uint64_t *count_p) {
    *count_p = in->n;
    if (result == Py_None)
        return 1;
    if (work->call.device < 0)
        return !call_counted(&work->call, result, count_p);
    Py_XDECREF(result_count(work->call.state, result, count_p));
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

PyObject *selection_expand(PyObject *self, PyObject *const *args,
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
             count_packed(work, n, in, &count) && can_move(in) &&
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
