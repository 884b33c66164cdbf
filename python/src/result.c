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
    PyObject *made = NULL;
    if (number && room && stream)
        made = PyObject_CallFunctionObjArgs(class ? class : state->result_class,
                                            buffer, number, room, stream, NULL);
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

PyObject *result_count(const py_state *state, PyObject *result,
                       uint64_t *capacity_p) {
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

/* set_result(winnow.Result, its base) */
static PyObject *set_result(PyObject *module, PyObject *arguments) {
    py_state *const state = state_of(module);
    PyObject *result, *counted;
    if (!PyArg_ParseTuple(arguments, "O!O!", &PyType_Type, &result,
                          &PyType_Type, &counted))
        return NULL;
    Py_CLEAR(state->result_class);
    Py_CLEAR(state->counted_class);
    state->result_class = Py_NewRef(result);
    state->counted_class = Py_NewRef(counted);
    return Py_NewRef(Py_None);
}

/* result(class, buffer, count, capacity): a number of the host is read at once. */
static PyObject *result_of(PyObject *module, PyObject *arguments) {
    py_state *const state = state_of(module);
    PyObject *class, *buffer, *object;
    unsigned long long capacity;
    py_array count;
    if (!PyArg_ParseTuple(arguments, "OOOK", &class, &buffer, &object,
                          &capacity) ||
        array_open(state, &count, object, "count", ARRAY_READ, NULL))
        return NULL;
    const int is_there = count.device < 0;
    PyObject *const made =
        result_new(state, class, buffer, is_there ? NULL : &count,
                   is_there ? *(const uint64_t *)count.data : 0, capacity);
    array_close(&count);
    return made;
}

/* number(like, number): an array of int64 without dimensions. */
static PyObject *number_of(PyObject *module, PyObject *arguments) {
    PyObject *like;
    unsigned long long number;
    if (!PyArg_ParseTuple(arguments, "OK", &like, &number))
        return NULL;
    return array_number(state_of(module), like, number);
}

PyMethodDef result_functions[] = {
    {"set_result", set_result, METH_VARARGS, NULL},
    {"result", result_of, METH_VARARGS, NULL},
    {"number", number_of, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL}};
