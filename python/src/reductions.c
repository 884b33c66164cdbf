/*
 * reduce_if() of an array, and aggregate() of expressions over a table.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "reductions.h"

#include "kept.h"
#include "kind.h"
#include "reduction.h"
#include "table.h"

#include <stdlib.h>
#include <string.h>

/* Make an array of int64 with room for `count` reductions. */
static py_array *new_numbers(py_work *work, const py_array *like,
                             unsigned count) {
    return call_new(&work->call, like,
                    count * sizeof(winnow_reduction) / sizeof(uint64_t),
                    "int64");
}

static char letter_of(winnow_type type) {
    if (type == WINNOW_INT128)
        return 'D';
    return type >= WINNOW_FLOAT16 ? 'd' : type >= WINNOW_UINT8 ? 'Q' : 'q';
}

/* ------------------------------------------------------------- of an array */

/* Prepare the condition as a predicate. Returns 0 without an exception if it is
 * not one comparison, or if some elements are null. */
static int open_test(py_work *work, py_array *x, PyObject *condition) {
    const void *valid = NULL;
    if (condition == Py_True)
        return 1;
    if (array_valid(x, &valid))
        return 0;
    if (condition == Py_None)
        return valid == NULL;
    work->condition = prepared_find(work->call.state, condition, x->kind);
    return work->condition && work->condition->predicate && !valid;
}

/* reduce_if(x, condition or None, wanted, n, indices): return a Reduction, or
 * None if the condition is not one comparison or some elements are null. The
 * condition True means that all elements of x count, nulls too: x was packed,
 * and `indices` are the indices of its elements or None. */
static PyObject *reduce_if(PyObject *module, PyObject *const *args,
                           Py_ssize_t count) {
    py_state *const state = state_of(module);
    py_work *const work = count == 5 ? work_new(state) : NULL;
    winnow_status status = WINNOW_OK;
    const unsigned wanted = work ? (unsigned)PyLong_AsUnsignedLong(args[2]) : 0;
    py_array *x = NULL, *numbers = NULL;
    PyObject *made = NULL, *n = work ? args[3] : NULL;
    if (!work)
        return NULL;
    PyObject *const array = work_unpack(state, args[0], &n);
    const int opened =
        array &&
        (x = call_array(&work->call, array, "x",
                        ARRAY_NO_GRADIENT | ARRAY_FLAT | ARRAY_NUMBERS)) &&
        work_n(work, n, x->n) && open_test(work, x, args[1]) &&
        (numbers = new_numbers(work, x, 1)) && work_ready(work);
    RUN(winnow_reduce_if(
        CONTEXT, work->condition ? work->condition->predicate : NULL, x->type,
        x->data, work->n, wanted, numbers->data, LAUNCH));
    if (work_done(work, opened, status))
        made = reduction_new(state, numbers, 1, 0, letter_of(x->type), 0,
                             wanted, args[4] == Py_None ? NULL : args[4]);
    else if (!PyErr_Occurred())
        made = Py_NewRef(Py_None);
    work_free(work);
    Py_XDECREF(array);
    return made;
}

/* --------------------------------------------------------------- of tables */

/* A prepared aggregate(): its condition and its expressions. */
typedef struct py_query {
    PyObject ob_base;
    py_prepared *condition; /* or NULL */
    PyObject *places;       /* positions of the columns that it reads */
    unsigned count;
    winnow_aggregate list[WINNOW_MOST_AGGREGATES];
    char letters[WINNOW_MOST_AGGREGATES];
    int scales[WINNOW_MOST_AGGREGATES]; /* of decimals */
} py_query;

static void query_free(PyObject *self) {
    py_query *const query = (py_query *)self;
    PyTypeObject *const type = Py_TYPE(self);
    for (unsigned i = 0; i < query->count; i++)
        winnow_expression_destroy(
            (winnow_expression *)(uintptr_t)query->list[i].expression);
    Py_XDECREF((PyObject *)query->condition);
    Py_XDECREF(query->places);
    PyObject_Free(self);
    Py_DECREF(type);
}

int query_type_make(PyObject *module, py_state *state) {
    PyType_Slot slots[] = {{Py_tp_dealloc, query_free}, {0, NULL}};
    PyType_Spec spec = {"winnow._winnow.Query", sizeof(py_query), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE |
                            Py_TPFLAGS_DISALLOW_INSTANTIATION,
                        slots};
    state->query_type =
        (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
    return state->query_type ? 0 : -1;
}

/* Add an aggregate to the query. The pair is (text or None, wanted). */
static int take_aggregate(py_state *state, py_query *query, PyObject *pair,
                          const winnow_field *fields, unsigned count) {
    winnow_aggregate *const aggregate = &query->list[query->count];
    winnow_expression *made = NULL;
    const char *text;
    if (!PyArg_ParseTuple(pair, "zI", &text, &aggregate->wanted))
        return 0;
    const winnow_status status =
        text ? winnow_expression_parse(&made, fields, count, text) : WINNOW_OK;
    if (status) {
        raise_status(state, status);
        return 0;
    }
    aggregate->expression = made;
    const char *const comma =
        made ? strchr(winnow_expression_format(made), ',') : NULL;
    query->scales[query->count] = comma ? atoi(comma + 1) : 0;
    query->letters[query->count++] =
        text ? letter_of(winnow_expression_type(made)) : 'q';
    return 1;
}

/* query(condition or None, names, kinds, places, aggregates): make a query of
 * columns with these names and kinds, which are at these positions of a
 * table. */
static PyObject *query(PyObject *module, PyObject *arguments) {
    py_state *const state = state_of(module);
    PyObject *condition, *names, *kinds, *places, *aggregates;
    if (!PyArg_ParseTuple(arguments, "OO!O!O!O!", &condition, &PyTuple_Type,
                          &names, &PyTuple_Type, &kinds, &PyTuple_Type, &places,
                          &PyTuple_Type, &aggregates))
        return NULL;
    if (PyTuple_Size(aggregates) > (Py_ssize_t)WINNOW_MOST_AGGREGATES)
        return PyErr_Format(
            PyExc_ValueError, "there are %zd aggregates, more than %d",
            PyTuple_Size(aggregates), (int)WINNOW_MOST_AGGREGATES);
    winnow_field *const fields = prepared_fields(names, kinds);
    py_query *made = fields ? PyObject_New(py_query, state->query_type) : NULL;
    if (made) {
        made->condition =
            condition != Py_None ? (py_prepared *)Py_NewRef(condition) : NULL;
        made->places = Py_NewRef(places);
        made->count = 0;
        memset(made->list, 0, sizeof made->list);
    }
    for (Py_ssize_t i = 0; made && i < PyTuple_Size(aggregates); i++)
        if (!take_aggregate(state, made, PyTuple_GetItem(aggregates, i), fields,
                            (unsigned)PyTuple_Size(names)))
            Py_CLEAR(made);
    PyMem_Free(fields);
    return (PyObject *)made;
}

/* Return the query for an open table. It is cached if the condition is text. */
static py_query *query_for(py_work *work, PyObject *condition,
                           PyObject *aggregates) {
    py_state *const state = work->call.state;
    PyObject *kept = NULL, *names = NULL, *kinds = NULL;
    PyObject *const text = condition == Py_None
                               ? Py_NewRef(Py_None)
                               : prepared_text(state, condition, &kept);
    if (!text && PyErr_Occurred())
        return NULL;
    PyObject *const both = text ? PyTuple_Pack(2, text, aggregates) : NULL;
    const py_key key = {
        .text = both, .columns = work->table, .count = work->width};
    PyObject *found = both ? kept_find(state, &key) : NULL;
    if (both)
        kept_count(state, found != NULL);
    if (!found && !PyErr_Occurred() &&
        prepared_describe(work->table, work->width, &names, &kinds))
        found = PyObject_CallFunctionObjArgs(state->prepare_query, condition,
                                             aggregates, names, kinds, NULL);
    if (found && names && both && kept_add(state, &key, found))
        Py_CLEAR(found);
    Py_XDECREF(names);
    Py_XDECREF(kinds);
    Py_XDECREF(both);
    Py_XDECREF(text);
    return (py_query *)found;
}

/* Open the columns that a query reads. They must have one dimension and must
 * not require a gradient. */
static int open_query(py_work *work, const py_query *query) {
    for (Py_ssize_t i = 0; i < PyTuple_Size(query->places); i++) {
        py_array *const column =
            &work->table[PyLong_AsLong(PyTuple_GetItem(query->places, i))];
        if (array_use(work->call.state, column,
                      ARRAY_NO_GRADIENT | ARRAY_FLAT | ARRAY_STRIDES |
                          work->call.settled,
                      NULL))
            return 0;
    }
    work->condition = (py_prepared *)Py_XNewRef((PyObject *)query->condition);
    return table_read(work, query->places);
}

static PyObject *all_of(py_state *state, const py_query *query,
                        const py_array *numbers) {
    PyObject *all = PyTuple_New(query->count);
    for (unsigned i = 0; all && i < query->count; i++) {
        PyObject *const one =
            reduction_new(state, numbers, query->count, i, query->letters[i],
                          query->scales[i], query->list[i].wanted, NULL);
        if (!one)
            Py_CLEAR(all);
        else
            PyTuple_SetItem(all, i, one);
    }
    return all;
}

/* aggregate(table, condition or None, tuple of (text or None, wanted), n):
 * return a tuple with a Reduction for each pair. */
static PyObject *aggregate(PyObject *module, PyObject *const *args,
                           Py_ssize_t count) {
    py_state *const state = state_of(module);
    PyObject *n = count == 4 ? args[3] : NULL, *made = NULL;
    PyObject *const x = n ? work_unpack(state, args[0], &n) : NULL;
    PyObject *const columns = x ? table_of(state, x, 1) : NULL;
    py_work *const work = columns ? work_new(state) : NULL;
    winnow_status status = WINNOW_OK;
    py_query *asked = NULL;
    py_array *numbers = NULL;
    if (x && !columns && !PyErr_Occurred())
        PyErr_SetString(PyExc_TypeError, "aggregate() takes a table");
    const int opened =
        work && table_open(work, columns, ARRAY_READ, "column %R", 2) &&
        work_n(work, n, work->table->n) &&
        (asked = query_for(work, args[1], args[2])) &&
        open_query(work, asked) &&
        (numbers = new_numbers(work, work->table, asked->count)) &&
        work_ready(work);
    RUN(winnow_reduce_where(
        CONTEXT, asked->condition ? asked->condition->condition : NULL,
        work->columns, work->tests, work->n, asked->list, asked->count,
        numbers->data, LAUNCH));
    if (work && work_done(work, opened, status))
        made = all_of(state, asked, numbers);
    Py_XDECREF((PyObject *)asked);
    if (work)
        work_free(work);
    Py_XDECREF(columns);
    Py_XDECREF(x);
    return made;
}

PyMethodDef reduction_functions[] = {
    {"reduce_if", (PyCFunction)(void (*)(void))reduce_if, METH_FASTCALL, NULL},
    {"aggregate", (PyCFunction)(void (*)(void))aggregate, METH_FASTCALL, NULL},
    {"query", query, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL}};
