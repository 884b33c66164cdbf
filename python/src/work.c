/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "work.h"

#include "result.h"

#include <stddef.h>
#include <string.h>

/* work_free() keeps the memory in state->spare for the next call. */
py_work *work_new(py_state *state) {
    py_work *made = state->spare;
    state->spare = NULL;
    if (!made && !(made = PyMem_Malloc(sizeof *made))) {
        PyErr_NoMemory();
        return NULL;
    }
    memset(made, 0, offsetof(py_work, columns));
    made->more = NULL;
    made->limit = WINNOW_NO_LIMIT;
    call_begin(&made->call, state, made->arrays, MOST_ARRAYS);
    return made;
}

py_work *work_begin(PyObject *module, const char *function, Py_ssize_t count,
                    Py_ssize_t wanted) {
    if (count == wanted)
        return work_new(state_of(module));
    PyErr_Format(PyExc_TypeError, "%s() takes %zd arguments", function, wanted);
    return NULL;
}

int work_done(py_work *work, int opened, winnow_status status) {
    if (opened && status)
        call_failed(&work->call, status);
    return opened && !status && !call_done(&work->call);
}

void work_free(py_work *work) {
    py_state *const state = work->call.state;
    call_end(&work->call);
    Py_XDECREF((PyObject *)work->condition);
    PyMem_Free(work->more);
    if (state->spare)
        PyMem_Free(work);
    else
        state->spare = work;
}

int work_n(py_work *work, PyObject *object, uint64_t items) {
    work->n = items;
    if (call_n(&work->call, object, &work->n))
        return 0;
    work->room = call_room(&work->call, object, items, work->n);
    return 1;
}

int work_limit(py_work *work, PyObject *object) {
    return object == Py_None ||
           !call_capacity(&work->call, object, &work->limit);
}

py_array *work_out(py_work *work, PyObject *out, const py_array *like,
                   uint64_t n, const char *type) {
    const uint64_t room = work->limit == WINNOW_NO_LIMIT ? n : work->limit;
    py_array *const made =
        out == Py_None ? call_new(&work->call, like, room, type)
                       : call_array(&work->call, out, "out", ARRAY_WRITE);
    if (!made)
        return NULL;
    made->is_written = out != Py_None;
    work->capacity = made->n < work->limit ? made->n : work->limit;
    return made;
}

int has_as_many(const py_array *array, const py_array *first) {
    if (array->n == first->n)
        return 1;
    PyErr_Format(PyExc_ValueError, "%s has %llu items, and %s has %llu",
                 array_name(array), (unsigned long long)array->n,
                 array_name(first), (unsigned long long)first->n);
    return 0;
}

int has_items(const py_array *array, uint64_t n) {
    if (array->n == n)
        return 1;
    PyErr_Format(PyExc_ValueError, "%s has %llu items, not %llu",
                 array_name(array), (unsigned long long)array->n,
                 (unsigned long long)n);
    return 0;
}

int same_items(const py_array *in, const py_array *out) {
    if (array_same_items(in, out))
        return 1;
    PyErr_Format(PyExc_TypeError,
                 "%s has items of another type or shape than %s",
                 array_name(out), array_name(in));
    return 0;
}

int can_move(const py_array *x) {
    if (x->item_bytes && x->item_bytes <= MOST_ITEM_BYTES)
        return 1;
    PyErr_Format(PyExc_ValueError,
                 "%s has items of %zu bytes: pass items of 1 to %d",
                 array_name(x), x->item_bytes, MOST_ITEM_BYTES);
    return 0;
}

int work_move(py_work *work, unsigned i, py_array *x, PyObject *out) {
    const py_array *const in =
        can_move(x) ? call_again(&work->call, x, ARRAY_BYTES) : NULL;
    const py_array *const made =
        in ? work_out(work, out, x, work->room, NULL) : NULL;
    if (!made || (out != Py_None && !same_items(in, made)))
        return 0;
    work->moves[i] = (winnow_move){
        .d_in = in->data, .d_out = made->data, .element_bytes = in->item_bytes};
    return 1;
}

int work_item(py_work *work, const py_array *array, PyObject *value,
              PyObject **bytes_p) {
    static const char zeros[256];
    if (value == Py_None)
        return 1;
    work->call.ran_python = 1;
    *bytes_p =
        array->type != WINNOW_OPAQUE && PyLong_CheckExact(value) &&
                !PyObject_IsTrue(value) && array->item_bytes <= sizeof zeros
            ? PyBytes_FromStringAndSize(zeros, (Py_ssize_t)array->item_bytes)
            : library_call(work->call.state, "item_bytes", "OinO",
                           array->object, array->kind,
                           (Py_ssize_t)array->item_bytes, value);
    return *bytes_p != NULL;
}

winnow_status work_fill(py_work *work, PyObject *bytes) {
    winnow_status status = WINNOW_OK;
    const winnow_move *const move = &work->moves[0];
    const winnow_out places = {.element_bytes = (uint32_t)move->element_bytes,
                               .d_base = move->d_out};
    if (!bytes || !move->element_bytes)
        return WINNOW_OK;
    work->call.launch.d_n = NULL; /* it is a number of items of x, not of out */
    CALL(&work->call, status,
         winnow_fill(work->call.context, work->d_count, work->capacity,
                     PyBytes_AsString(bytes), &places, &work->call.launch));
    return status;
}

int work_count(py_work *work, const py_array *like) {
    if (work->call.device < 0) {
        work->d_count = &work->known;
        return 1;
    }
    work->count = call_new(&work->call, like, NO_DIMENSION, "int64");
    if (work->count)
        work->d_count = work->count->data;
    return work->count != NULL;
}

int work_ready(py_work *work) {
    work->call.condition = work->condition;
    return call_ready(&work->call) == 0;
}

int work_mask(py_work *work, PyObject *object, const py_array **flags_p,
              winnow_mask *mask) {
    const py_array *const flags =
        call_array(&work->call, object, "mask", ARRAY_FLAT);
    if (!flags)
        return 0;
    if (flags->item_bytes != 1 || flags->type == WINNOW_OPAQUE) {
        PyErr_Format(PyExc_TypeError,
                     "%s has elements of %zu bytes, and should be of bool",
                     array_name(flags), flags->item_bytes);
        return 0;
    }
    *flags_p = flags;
    *mask = (winnow_mask){.kind = WINNOW_MASK_BYTES, .d_flags = flags->data};
    return 1;
}

int work_column(py_work *work, py_array *array) {
    const void *valid = NULL;
    if (work->tests == MOST_COLUMNS) {
        PyErr_Format(PyExc_ValueError, "there are more than %d columns",
                     MOST_COLUMNS);
        return 0;
    }
    array = call_again(&work->call, array, ARRAY_FLAT | ARRAY_STRIDES);
    if (!array ||
        array_use(work->call.state, array, ARRAY_FLAT | ARRAY_STRIDES, NULL) ||
        array_valid(array, &valid))
        return 0;
    work->columns[work->tests++] =
        (winnow_in){.type = array->type,
                    .element_bytes = (uint32_t)array->item_bytes,
                    .d_base = array->data,
                    .stride_bytes = array->stride,
                    .d_valid = valid};
    return 1;
}

PyObject *work_unpack(py_state *state, PyObject *x, PyObject **n) {
    if (!result_is(state, x))
        return Py_NewRef(x);
    if (!result_is_one(state, x) || !result_counts(x, n))
        return NULL;
    return PyObject_GetAttrString(
        x, (PyObject *)Py_TYPE(x) == state->rows_class ? "buffers" : "buffer");
}

PyObject *work_like(py_state *state, PyObject *x, const py_array *made) {
    if (made->api || array_is_plain(state, x))
        return Py_NewRef(made->object);
    return library_call(state, "like", "OO", x, made->object);
}

PyObject *work_result(py_work *work, PyObject *x, const py_array *made,
                      PyObject *out) {
    const py_state *const state = work->call.state;
    PyObject *const buffer =
        out != Py_None ? Py_NewRef(out) : work_like(work->call.state, x, made);
    PyObject *const result = buffer
                                 ? result_new(state, NULL, buffer, work->count,
                                              work->known, work->capacity)
                                 : NULL;
    Py_XDECREF(buffer);
    return result;
}
