/*
 * Selection.fill_holes(): replace the items that are not kept, in place.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "sink.h"

#include "result.h"
#include "table.h"

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

PyObject *selection_fill_holes(PyObject *self, PyObject *const *args,
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
