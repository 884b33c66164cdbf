/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "result.h"

PyObject *result_new(const py_state *state, PyObject *class, PyObject *buffer,
                     const py_array *count, uint64_t known, uint64_t capacity) {
    PyObject *const number =
        count ? Py_NewRef(count->object) : PyLong_FromUnsignedLongLong(known);
    PyObject *const room = PyLong_FromUnsignedLongLong(capacity);
    PyObject *const stream = count ? array_stream(count) : Py_NewRef(Py_None);
    /* Do what the constructor in Python does, faster. */
    PyObject *made =
        number && room && stream
            ? PyType_GenericAlloc(
                  (PyTypeObject *)(class ? class : state->result_class), 0)
            : NULL;
    if (made &&
        (PyObject_SetAttr(made,
                          class == state->rows_class ? state->name_buffers
                                                     : state->name_buffer,
                          buffer) ||
         PyObject_SetAttr(made, state->name_count, number) ||
         PyObject_SetAttr(made, state->name_capacity, room) ||
         PyObject_SetAttr(made, state->name_stream, stream)))
        Py_CLEAR(made);
    Py_XDECREF(number);
    Py_XDECREF(room);
    Py_XDECREF(stream);
    return made;
}

int result_is(const py_state *state, PyObject *object) {
    return state->counted_class &&
           PyType_IsSubtype(Py_TYPE(object),
                            (PyTypeObject *)state->counted_class);
}

int result_is_one(const py_state *state, PyObject *result) {
    PyObject *const stream = PyObject_GetAttr(result, state->name_stream);
    const int is_batch = stream && PyUnicode_Check(stream);
    Py_XDECREF(stream);
    if (is_batch)
        PyErr_SetString(
            PyExc_TypeError,
            "a result is a batch of vmap(): pass the parts of one sample");
    return stream && !is_batch;
}

int result_counts(PyObject *result, PyObject **n) {
    if (*n && *n != Py_None && *n != result) {
        PyErr_SetString(
            PyExc_ValueError,
            "a result has a count of its own: pass no n= beside it");
        return 0;
    }
    *n = result;
    return 1;
}

PyObject *result_count(const py_state *state, PyObject *result,
                       uint64_t *capacity_p) {
    if (!result_is_one(state, result))
        return NULL;
    PyObject *const room = PyObject_GetAttr(result, state->name_capacity);
    const unsigned long long capacity =
        room ? PyLong_AsUnsignedLongLong(room) : 0;
    Py_XDECREF(room);
    if (PyErr_Occurred())
        return NULL;
    if (capacity < *capacity_p)
        *capacity_p = capacity;
    return PyObject_GetAttr(result, state->name_count);
}

/* set_result(winnow.Result, its base, winnow.Rows) */
static PyObject *set_result(PyObject *module, PyObject *arguments) {
    py_state *const state = state_of(module);
    PyObject *result, *counted, *rows;
    if (!PyArg_ParseTuple(arguments, "O!O!O!", &PyType_Type, &result,
                          &PyType_Type, &counted, &PyType_Type, &rows))
        return NULL;
    Py_CLEAR(state->result_class);
    Py_CLEAR(state->counted_class);
    Py_CLEAR(state->rows_class);
    state->rows_class = Py_NewRef(rows);
    state->result_class = Py_NewRef(result);
    state->counted_class = Py_NewRef(counted);
    return Py_NewRef(Py_None);
}

/* number(like, number): make an int64 array without dimensions. */
static PyObject *number_of(PyObject *module, PyObject *arguments) {
    PyObject *like;
    unsigned long long number;
    if (!PyArg_ParseTuple(arguments, "OK", &like, &number))
        return NULL;
    return array_number(state_of(module), like, number);
}

PyMethodDef result_functions[] = {
    {"set_result", set_result, METH_VARARGS, NULL},
    {"number", number_of, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL}};
