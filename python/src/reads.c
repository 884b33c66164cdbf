/*
 * Find the columns that a condition reads, and bounds for the rows that pass.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "reads.h"

#include "prepared.h"

#include <winnow/arrow.h>

#include <string.h>

static PyObject *numbers_of(const unsigned *columns, unsigned count) {
    PyObject *const made = PyTuple_New(count);
    for (unsigned i = 0; made && i < count; i++)
        PyTuple_SetItem(made, i, PyLong_FromUnsignedLong(columns[i]));
    return made;
}

static PyObject *columns_of(const py_state *state,
                            const winnow_condition *condition) {
    unsigned columns[WINNOW_CONDITION_MOST_COLUMNS], count = 0;
    const winnow_status status =
        winnow_condition_columns(condition, columns, &count);
    return status ? raise_status(state, status) : numbers_of(columns, count);
}

/* columns(prepared): return the numbers of the columns that a condition
 * reads. */
static PyObject *columns(PyObject *module, PyObject *object) {
    const py_state *const state = state_of(module);
    if (Py_TYPE(object) != state->prepared_type) {
        PyErr_SetString(PyExc_TypeError, "wanted what is prepared");
        return NULL;
    }
    return columns_of(state, ((py_prepared *)object)->condition);
}

/* Parse a condition. The arguments are a schema's capsule and a text. NULL with
 * an exception. */
static winnow_condition *parse_for_schema(const py_state *state,
                                          PyObject *arguments) {
    PyObject *capsule;
    const char *text;
    winnow_condition *condition = NULL;
    if (!PyArg_ParseTuple(arguments, "Os", &capsule, &text))
        return NULL;
    const struct ArrowSchema *const schema =
        PyCapsule_GetPointer(capsule, "arrow_schema");
    if (!schema)
        return NULL;
    const winnow_status status =
        winnow_condition_parse_arrow(&condition, schema, text);
    return status ? raise_status(state, status) : condition;
}

/* schema_columns(schema, text): return the numbers of the columns that a text
 * reads. */
static PyObject *schema_columns(PyObject *module, PyObject *arguments) {
    const py_state *const state = state_of(module);
    winnow_condition *const condition = parse_for_schema(state, arguments);
    PyObject *const made = condition ? columns_of(state, condition) : NULL;
    winnow_condition_destroy(condition);
    return made;
}

static PyObject *end_of(int has, const void *bytes, size_t size) {
    return has ? PyBytes_FromStringAndSize(bytes, (Py_ssize_t)size)
               : Py_NewRef(Py_None);
}

/* Make a tuple of a bound: its kind, its column, and each end as bytes or
 * None. */
static PyObject *tuple_of(const winnow_bound *bound) {
    const size_t size =
        bound->type == WINNOW_BIT ? 1 : winnow_type_size(bound->type);
    PyObject *const low = bound->kind == WINNOW_BOUND_TEXT
                              ? end_of(bound->has_low, bound->low_text.d_bytes,
                                       bound->low_text.bytes)
                              : end_of(bound->has_low, bound->low, size);
    PyObject *const high =
        bound->kind == WINNOW_BOUND_TEXT
            ? end_of(bound->has_high, bound->high_text.d_bytes,
                     bound->high_text.bytes)
            : end_of(bound->has_high, bound->high, size);
    PyObject *const made = low && high ? Py_BuildValue("iIOO", (int)bound->kind,
                                                       bound->column, low, high)
                                       : NULL;
    Py_XDECREF(low);
    Py_XDECREF(high);
    return made;
}

static PyObject *list_of(const winnow_bound *bounds, uint64_t count) {
    PyObject *const made = PyList_New((Py_ssize_t)count);
    for (uint64_t i = 0; made && i < count; i++) {
        PyObject *const one = tuple_of(&bounds[i]);
        if (!one) {
            Py_DECREF(made);
            return NULL;
        }
        PyList_SetItem(made, (Py_ssize_t)i, one);
    }
    return made;
}

/* schema_bounds(schema, text): return the formula of winnow_condition_bounds(3)
 * as a list of tuples. */
static PyObject *schema_bounds(PyObject *module, PyObject *arguments) {
    const py_state *const state = state_of(module);
    winnow_condition *const condition = parse_for_schema(state, arguments);
    winnow_bound *bounds = NULL;
    uint64_t count = 0;
    PyObject *made = NULL;
    if (!condition)
        return NULL;
    winnow_status status = winnow_condition_bounds(condition, NULL, 0, &count);
    if (!status) {
        bounds = PyMem_Calloc((size_t)count + 1, sizeof *bounds);
        if (bounds)
            status = winnow_condition_bounds(condition, bounds, count, &count);
    }
    if (status)
        raise_status(state, status);
    else
        made = bounds ? list_of(bounds, count) : PyErr_NoMemory();
    PyMem_Free(bounds);
    winnow_condition_destroy(condition);
    return made;
}

/* expression_columns(text, names, kinds): return the numbers of the columns
 * that an expression reads. */
static PyObject *expression_columns(PyObject *module, PyObject *arguments) {
    const py_state *const state = state_of(module);
    const char *text;
    PyObject *names, *kinds;
    unsigned columns[WINNOW_CONDITION_MOST_COLUMNS], count = 0;
    winnow_expression *expression = NULL;
    if (!PyArg_ParseTuple(arguments, "sO!O!", &text, &PyTuple_Type, &names,
                          &PyTuple_Type, &kinds))
        return NULL;
    winnow_field *const fields = prepared_fields(names, kinds);
    if (!fields)
        return NULL;
    winnow_status status = winnow_expression_parse(
        &expression, fields, (unsigned)PyTuple_Size(names), text);
    if (!status)
        status = winnow_expression_columns(expression, columns, &count);
    PyObject *const made =
        status ? raise_status(state, status) : numbers_of(columns, count);
    winnow_expression_destroy(expression);
    PyMem_Free(fields);
    return made;
}

/* Return a name without its quotes. */
static PyObject *unquoted(const char *name, size_t bytes) {
    char *const to = PyMem_Malloc(bytes + 1);
    size_t length = 0;
    if (!to)
        return PyErr_NoMemory();
    if (*name != '"') {
        memcpy(to, name, length = bytes);
    } else {
        for (size_t i = 1; i + 1 < bytes; i++) {
            to[length++] = name[i];
            i += name[i] == '"'; /* two quotes stand for one */
        }
    }
    PyObject *const made =
        PyUnicode_DecodeUTF8(to, (Py_ssize_t)length, "strict");
    PyMem_Free(to);
    return made;
}

/* unknown_name(text): return the first name of a column in a text, or None. */
static PyObject *unknown_name(PyObject *module, PyObject *argument) {
    const char *const text = PyUnicode_AsUTF8AndSize(argument, NULL);
    const winnow_field none = {0};
    winnow_condition *condition = NULL;
    winnow_place place = {.size = sizeof place};
    (void)module;
    if (!text)
        return NULL;
    if (!winnow_condition_parse(&condition, &none, 0, text)) {
        winnow_condition_destroy(condition);
        Py_RETURN_NONE;
    }
    if (winnow_last_error_place(&place) || place.name_bytes == 0)
        Py_RETURN_NONE;
    return unquoted(text + place.offset, place.name_bytes);
}

PyMethodDef reads_functions[] = {
    {"expression_columns", expression_columns, METH_VARARGS, NULL},
    {"unknown_name", unknown_name, METH_O, NULL},
    {"columns", columns, METH_O, NULL},
    {"schema_columns", schema_columns, METH_VARARGS, NULL},
    {"schema_bounds", schema_bounds, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL}};

int reads_constants(PyObject *module) {
    static const struct {
        const char *name;
        int value;
    } kinds[] = {{"BOUND_RANGE", WINNOW_BOUND_RANGE},
                 {"BOUND_TEXT", WINNOW_BOUND_TEXT},
                 {"BOUND_NAN", WINNOW_BOUND_NAN},
                 {"BOUND_NULL", WINNOW_BOUND_NULL},
                 {"BOUND_VALID", WINNOW_BOUND_VALID},
                 {"BOUND_NEVER", WINNOW_BOUND_NEVER},
                 {"BOUND_AND", WINNOW_BOUND_AND},
                 {"BOUND_OR", WINNOW_BOUND_OR}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (PyModule_AddIntConstant(module, kinds[i].name, kinds[i].value))
            return -1;
    return 0;
}
