/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "table.h"

/* Return the columns of NumPy records. NULL without an exception if x has no
 * columns. */
static PyObject *fields_of(const py_state *state, PyObject *x) {
    PyObject *const dtype = PyObject_GetAttr(x, state->name_dtype);
    PyObject *const names =
        dtype ? PyObject_GetAttrString(dtype, "names") : NULL;
    PyObject *made = names && PyTuple_Check(names) ? PyDict_New() : NULL;
    for (Py_ssize_t i = 0; made && i < PyTuple_Size(names); i++) {
        PyObject *const name = PyTuple_GetItem(names, i);
        PyObject *const column = PyObject_GetItem(x, name);
        if (!column || PyDict_SetItem(made, name, column))
            Py_CLEAR(made);
        Py_XDECREF(column);
    }
    Py_XDECREF(dtype);
    Py_XDECREF(names);
    return made;
}

PyObject *table_of(py_state *state, PyObject *x, int records) {
    if (PyDict_CheckExact(x))
        return Py_NewRef(x);
    if ((PyObject *)Py_TYPE(x) == state->ndarray
            ? !records || !ndarray_has_fields(state, x)
            : array_is_plain(state, x))
        return NULL;
    if ((PyObject *)Py_TYPE(x) == state->ndarray)
        return fields_of(state, x);
    PyObject *const made = library_call(state, "columns", "Oi", x, records);
    if (made == Py_None)
        Py_DECREF(made);
    return made == Py_None ? NULL : made;
}

static int has_room(py_work *work, Py_ssize_t columns, unsigned arrays) {
    const size_t room = (size_t)columns * arrays + (size_t)columns / 64 + 16;
    if (room <= MOST_ARRAYS || work->call.count)
        return 1;
    work->more = PyMem_Malloc(room * sizeof *work->more);
    if (!work->more) {
        PyErr_NoMemory();
        return 0;
    }
    work->call.arrays = work->more;
    work->call.room = (unsigned)room;
    return 1;
}

static int open_column(py_work *work, PyObject *name, PyObject *x, unsigned use,
                       const char *format) {
    py_state *const state = work->call.state;
    if (!PyUnicode_Check(name)) {
        PyErr_Format(PyExc_TypeError, "a column is called %R, which is no text",
                     name);
        return 0;
    }
    if (!array_is_plain(state, x)) {
        PyObject *const is = library_call(state, "check_column", "OO", name, x);
        Py_XDECREF(is);
        if (!is)
            return 0;
    }
    return call_column(&work->call, x, (py_name){format, name},
                       use | ARRAY_STRIDES) != NULL;
}

static int same_lengths(const py_work *work) {
    const py_array *const table = work->table;
    PyObject *lengths;
    unsigned i = 0;
    while (i < work->width && table[i].n == table[0].n)
        i++;
    if (i == work->width)
        return 1;
    lengths = PyDict_New();
    for (i = 0; lengths && i < work->width; i++) {
        PyObject *const n = PyLong_FromUnsignedLongLong(table[i].n);
        if (n)
            PyDict_SetItem(lengths, table[i].key, n);
        Py_XDECREF(n);
    }
    if (lengths && !PyErr_Occurred())
        PyErr_Format(PyExc_ValueError, "columns have different lengths: %R",
                     lengths);
    Py_XDECREF(lengths);
    return 0;
}

int table_open(py_work *work, PyObject *columns, unsigned use,
               const char *format, unsigned arrays) {
    PyObject *name, *x;
    Py_ssize_t next = 0;
    const Py_ssize_t width = PyDict_Size(columns);
    if (width == 0) {
        PyErr_SetString(PyExc_ValueError, "there are no columns");
        return 0;
    }
    if (!has_room(work, width, arrays))
        return 0;
    work->table = &work->call.arrays[work->call.count];
    work->width = (unsigned)width;
    for (Py_ssize_t i = 0; i < width; i++) {
        if (!PyDict_Next(columns, &next, &name, &x)) {
            PyErr_SetString(PyExc_RuntimeError, "the columns changed");
            return 0;
        }
        /* Opening an array may run Python code, which may drop the column. */
        Py_INCREF(name);
        Py_INCREF(x);
        const int opened = open_column(work, name, x, use, format);
        Py_DECREF(name);
        Py_DECREF(x);
        if (!opened)
            return 0;
    }
    return same_lengths(work);
}

int table_read(py_work *work, PyObject *places) {
    for (Py_ssize_t i = 0; i < PyTuple_Size(places); i++) {
        const long place = PyLong_AsLong(PyTuple_GetItem(places, i));
        if (!work_column(work, &work->table[place]))
            return 0;
    }
    return 1;
}

int table_condition(py_work *work, PyObject *condition) {
    PyObject *const pair = prepared_for_table(work->call.state, condition,
                                              work->table, work->width);
    if (!pair)
        return 0;
    work->condition = (py_prepared *)Py_NewRef(PyTuple_GetItem(pair, 0));
    const int done = table_read(work, PyTuple_GetItem(pair, 1));
    Py_DECREF(pair);
    return done;
}
