/*
 * Filters of tables, and filters by a mask. The functions of the
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
    return work_done(work, opened, status)
               ? work_result(work, records, out, Py_None)
               : NULL;
}

/* filter(table, condition, capacity, n, columns): returns NotImplemented unless
 * the table is a dictionary, Rows, records or a Result of records. columns is
 * None, or the columns of records that are not of the class numpy.ndarray. */
static PyObject *filter(PyObject *module, PyObject *const *args,
                        Py_ssize_t count) {
    py_state *const state = state_of(module);
    PyObject *n = count == 5 ? args[3] : NULL, *made = NULL;
    if (count != 5)
        return PyErr_Format(PyExc_TypeError, "filter() takes 5 arguments");
    PyObject *const x = work_unpack(state, args[0], &n);
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

/* ------------------------------------------------------------------ a mask */

/* copy_flagged(x, mask, out, capacity, n, fill): fill is the value behind the
 * survivors, or None. */
static PyObject *copy_flagged(PyObject *module, PyObject *const *args,
                              Py_ssize_t count) {
    py_work *const work = work_begin(module, "copy_flagged", count, 6);
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
                       has_as_many(flags, in) && work_n(work, n, in->n) &&
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

/* is_array(x): return whether x is an array, and not a number. */
static PyObject *is_array(PyObject *module, PyObject *object) {
    return PyBool_FromLong(array_is(state_of(module), object));
}

PyMethodDef operation_functions[] = {FUNCTION(filter),
                                     FUNCTION(copy_flagged),
                                     {"is_array", is_array, METH_O, NULL},
                                     {NULL, NULL, 0, NULL}};
