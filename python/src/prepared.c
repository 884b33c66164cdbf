/*
 * winnow.Prepared: conditions and predicates of the library. winnow._prepare
 * calls the functions that make them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "prepared.h"

#include "kept.h"
#include "kind.h"
#include "view.h"

#include <string.h>

/* Make an object for a condition, which it takes over. `held` is a tuple of
 * views or NULL. */
static PyObject *prepared_new(py_state *state, winnow_condition *condition,
                              int kind, PyObject *held) {
    py_prepared *const made = PyObject_New(py_prepared, state->prepared_type);
    if (!made) {
        winnow_condition_destroy(condition);
        return NULL;
    }
    made->condition = condition;
    made->predicate = NULL;
    made->kind = kind;
    made->held = Py_XNewRef(held);
    return (PyObject *)made;
}

static void prepared_free(PyObject *self) {
    py_prepared *const freed = (py_prepared *)self;
    PyTypeObject *const type = Py_TYPE(self);
    winnow_condition_destroy(freed->condition);
    winnow_predicate_destroy(freed->predicate);
    Py_XDECREF(freed->held);
    PyObject_Free(self);
    Py_DECREF(type);
}

int prepared_type_make(PyObject *module, py_state *state) {
    PyType_Slot slots[] = {
        {Py_tp_doc, "A condition that is ready for columns of certain types: "
                    "the result of\nwinnow.prepare()."},
        {Py_tp_dealloc, prepared_free},
        {0, NULL}};
    PyType_Spec spec = {"winnow.Prepared", sizeof(py_prepared), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE |
                            Py_TPFLAGS_DISALLOW_INSTANTIATION,
                        slots};
    PyObject *const type = PyType_FromModuleAndSpec(module, &spec, NULL);
    if (!type)
        return -1;
    state->prepared_type = (PyTypeObject *)type;
    return PyModule_AddObjectRef(module, "Prepared", type);
}

/* ------------------------------------------------- finding conditions */

/* Is the condition for elements of this kind? A condition for int64 also takes
 * dates and durations, as numbers. */
static int is_for(const py_prepared *prepared, int kind) {
    return prepared->kind == kind ||
           (prepared->kind == WINNOW_INT64 && kind_type(kind) == WINNOW_INT64);
}

PyObject *prepared_text(py_state *state, PyObject *condition,
                        PyObject **kept_p) {
    if (PyUnicode_Check(condition))
        return Py_NewRef(condition);
    PyObject *const kept = PyObject_GetAttr(condition, state->name_kept);
    if (!kept) {
        PyErr_Format(PyExc_TypeError,
                     "a condition is text, winnow.col(...) with a comparison, "
                     "or what winnow.prepare() returns, not %R%s",
                     (PyObject *)Py_TYPE(condition),
                     array_is(state, condition)
                         ? ": pass a mask to winnow.copy_flagged()"
                         : "");
        return NULL;
    }
    *kept_p = kept;
    Py_DECREF(kept); /* the condition keeps it alive */
    return kept == Py_None ? PyObject_GetAttr(condition, state->name_text)
                           : NULL;
}

/* Find what is prepared for a kind in the dictionary of a condition with a set
 * or CUDA C. Prepare it if it is not there. */
static py_prepared *find_in(py_state *state, PyObject *condition,
                            PyObject *kept, int kind) {
    PyObject *const number = PyLong_FromLong(kind);
    PyObject *found =
        number ? Py_XNewRef(PyDict_GetItemWithError(kept, number)) : NULL;
    if (!found && !PyErr_Occurred()) {
        found = PyObject_CallFunction(state->prepare, "Oi", condition, kind);
        if (found && PyDict_SetItem(kept, number, found))
            Py_CLEAR(found);
    }
    Py_XDECREF(number);
    return (py_prepared *)found;
}

py_prepared *prepared_find(py_state *state, PyObject *condition, int kind) {
    if (Py_TYPE(condition) == state->prepared_type) {
        if (!is_for((py_prepared *)condition, kind)) {
            PyErr_Format(PyExc_TypeError,
                         "the condition is prepared for %s, and the array is "
                         "of %s",
                         kind_name(((py_prepared *)condition)->kind),
                         kind_name(kind));
            return NULL;
        }
        return (py_prepared *)Py_NewRef(condition);
    }
    PyObject *kept = NULL;
    PyObject *const text = prepared_text(state, condition, &kept);
    if (!text)
        return PyErr_Occurred() ? NULL : find_in(state, condition, kept, kind);
    const py_key key = {.text = text, .kind = kind};
    PyObject *found = kept_find(state, &key);
    kept_count(state, found != NULL);
    if (!found && !PyErr_Occurred()) {
        found = PyObject_CallFunction(state->prepare, "Oi", condition, kind);
        if (found && kept_add(state, &key, found))
            Py_CLEAR(found);
    }
    Py_DECREF(text);
    return (py_prepared *)found;
}

int prepared_describe(const py_array *columns, unsigned count,
                      PyObject **names_p, PyObject **kinds_p) {
    PyObject *const names = *names_p = PyTuple_New(count);
    PyObject *const kinds = *kinds_p = PyTuple_New(count);
    for (unsigned i = 0; names && kinds && i < count; i++) {
        PyTuple_SetItem(names, i, Py_NewRef(columns[i].key));
        PyTuple_SetItem(kinds, i, PyLong_FromLong(columns[i].kind));
    }
    return !PyErr_Occurred();
}

/* Call winnow._prepare.for_table(), which calls for_columns() with only the
 * columns that the condition tests. */
static PyObject *make_for_table(py_state *state, PyObject *condition,
                                const py_array *columns, unsigned count) {
    PyObject *names = NULL, *kinds = NULL, *made = NULL;
    if (prepared_describe(columns, count, &names, &kinds))
        made = PyObject_CallFunctionObjArgs(state->prepare_table, condition,
                                            names, kinds, NULL);
    Py_XDECREF(names);
    Py_XDECREF(kinds);
    return made;
}

/* The same as find_in(), for a table. */
static PyObject *find_table_in(py_state *state, PyObject *condition,
                               PyObject *kept, const py_array *columns,
                               unsigned count) {
    PyObject *const key = PyTuple_New(2 * (Py_ssize_t)count);
    for (unsigned i = 0; key && i < count; i++) {
        PyTuple_SetItem(key, 2 * i, Py_NewRef(columns[i].key));
        PyTuple_SetItem(key, 2 * i + 1, PyLong_FromLong(columns[i].kind));
    }
    PyObject *found = key && !PyErr_Occurred()
                          ? Py_XNewRef(PyDict_GetItemWithError(kept, key))
                          : NULL;
    if (!found && !PyErr_Occurred()) {
        found = make_for_table(state, condition, columns, count);
        if (found && PyDict_SetItem(kept, key, found))
            Py_CLEAR(found);
    }
    Py_XDECREF(key);
    return found;
}

static PyObject *find_for_table(py_state *state, PyObject *condition,
                                const py_array *columns, unsigned count,
                                int counts) {
    PyObject *kept = NULL;
    PyObject *const text = prepared_text(state, condition, &kept);
    if (!text)
        return PyErr_Occurred()
                   ? NULL
                   : find_table_in(state, condition, kept, columns, count);
    const py_key key = {.text = text, .columns = columns, .count = count};
    PyObject *found = kept_find(state, &key);
    if (counts)
        kept_count(state, found != NULL);
    if (!found && !PyErr_Occurred()) {
        found = make_for_table(state, condition, columns, count);
        if (found && kept_add(state, &key, found))
            Py_CLEAR(found);
    }
    Py_DECREF(text);
    return found;
}

PyObject *prepared_for_table(py_state *state, PyObject *condition,
                             const py_array *columns, unsigned count) {
    if (Py_TYPE(condition) != state->prepared_type)
        return find_for_table(state, condition, columns, count, 1);
    PyErr_SetString(PyExc_TypeError, "a prepared condition is for one array, "
                                     "not for a table");
    return NULL;
}

/* for_columns(condition, names, kinds): prepared_for_table(), without counting
 * a hit or miss. */
static PyObject *for_columns(PyObject *module, PyObject *arguments) {
    py_state *const state = state_of(module);
    PyObject *condition, *names, *kinds, *found = NULL;
    if (!PyArg_ParseTuple(arguments, "OO!O!", &condition, &PyTuple_Type, &names,
                          &PyTuple_Type, &kinds))
        return NULL;
    const Py_ssize_t count = PyTuple_Size(names);
    py_array *const columns = PyMem_Calloc((size_t)count + 1, sizeof *columns);
    if (!columns)
        return PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < count; i++) {
        columns[i].key = PyTuple_GetItem(names, i);
        columns[i].kind = (int)PyLong_AsLong(PyTuple_GetItem(kinds, i));
    }
    if (!PyErr_Occurred())
        found = find_for_table(state, condition, columns, (unsigned)count, 0);
    PyMem_Free(columns);
    return found;
}

/* -------------------------------------------------- making conditions */

winnow_field *prepared_fields(PyObject *names, PyObject *kinds) {
    const Py_ssize_t count = PyTuple_Size(names);
    winnow_field *const fields =
        PyMem_Calloc((size_t)count + 1, sizeof *fields);
    if (!fields) {
        PyErr_NoMemory();
        return NULL;
    }
    for (Py_ssize_t i = 0; i < count && !PyErr_Occurred(); i++) {
        fields[i].name =
            PyUnicode_AsUTF8AndSize(PyTuple_GetItem(names, i), NULL);
        const int kind = (int)PyLong_AsLong(PyTuple_GetItem(kinds, i));
        fields[i].type = kind_type(kind);
        fields[i].format = kind_format(kind);
    }
    if (!PyErr_Occurred())
        return fields;
    PyMem_Free(fields);
    return NULL;
}

/* Return the kind of column 0, if there is one. */
static int first_of(PyObject *kinds) {
    return PyTuple_Size(kinds) ? (int)PyLong_AsLong(PyTuple_GetItem(kinds, 0))
                               : WINNOW_OPAQUE;
}

/* parse(text, names, kinds): make a condition from text. */
static PyObject *parse(PyObject *module, PyObject *arguments) {
    py_state *const state = state_of(module);
    const char *text;
    PyObject *names, *kinds;
    if (!PyArg_ParseTuple(arguments, "sO!O!", &text, &PyTuple_Type, &names,
                          &PyTuple_Type, &kinds))
        return NULL;
    winnow_field *const fields = prepared_fields(names, kinds);
    if (!fields)
        return NULL;
    winnow_condition *condition = NULL;
    const unsigned count = (unsigned)PyTuple_Size(names);
    const winnow_status status =
        winnow_condition_parse(&condition, fields, count, text);
    PyObject *const made =
        status ? raise_status(state, status)
               : prepared_new(state, condition, first_of(kinds), NULL);
    /* A predicate has the fastest kernels, but most conditions are no
     * predicate. */
    if (made && winnow_condition_predicate(&((py_prepared *)made)->predicate,
                                           condition))
        ((py_prepared *)made)->predicate = NULL;
    PyMem_Free(fields);
    return made;
}

/* Open an array parameter, which the condition points to. It must be contiguous
 * and on a GPU. */
static int hold(py_state *state, PyObject *held, PyObject *array,
                const char *name, winnow_parameter *parameter) {
    PyObject *const text = PyUnicode_FromFormat("parameter %s", name);
    PyObject *const view =
        text ? view_open(state, array, text, ARRAY_NUMBERS) : NULL;
    Py_XDECREF(text);
    if (!view)
        return -1;
    const py_array *const opened = &((const py_view *)view)->array;
    parameter->type = opened->type;
    parameter->d_data = opened->data;
    if (opened->device < 0)
        PyErr_Format(PyExc_TypeError, "parameter %s is not on a GPU", name);
    else
        PyList_Append(held, view);
    Py_DECREF(view);
    return PyErr_Occurred() ? -1 : 0;
}

/* Read a parameter of a condition in CUDA C: (name, type, number or array).
 * Returns 0, or -1 with an exception. */
static int parameter_of(py_state *state, PyObject *tuple, PyObject *held,
                        winnow_parameter *parameter) {
    const char *name;
    int type;
    PyObject *value;
    if (!PyArg_ParseTuple(tuple, "siO", &name, &type, &value))
        return -1;
    *parameter = (winnow_parameter){.name = name, .type = (winnow_type)type};
    if (type == 0)
        return hold(state, held, value, name, parameter);
    if (parameter->type >= WINNOW_FLOAT16 &&
        parameter->type <= WINNOW_FLOAT64) {
        parameter->value.float64 = PyFloat_AsDouble(value);
    } else if (parameter->type >= WINNOW_UINT8 &&
               parameter->type <= WINNOW_UINT64) {
        parameter->value.uint64 = PyLong_AsUnsignedLongLong(value);
    } else {
        parameter->value.int64 = PyLong_AsLongLong(value);
    }
    return PyErr_Occurred() ? -1 : 0;
}

/* Check that all arrays that a condition points to are on the same GPU. */
static int on_one_device(PyObject *held) {
    const py_array *first = NULL;
    for (Py_ssize_t i = 0; i < PyTuple_Size(held); i++) {
        const py_array *const array =
            &((const py_view *)PyTuple_GetItem(held, i))->array;
        first = first ? first : array;
        if (array->device != first->device) {
            PyErr_Format(PyExc_ValueError,
                         "%s is on GPU %d, and %s is on GPU %d",
                         array_name(array), array->device, array_name(first),
                         first->device);
            return 0;
        }
    }
    return 1;
}

/* cuda(body, names, kinds, parameters): make a condition in CUDA C. */
static PyObject *cuda(PyObject *module, PyObject *arguments) {
    py_state *const state = state_of(module);
    const char *body;
    PyObject *names, *kinds, *given;
    winnow_condition *condition = NULL;
    PyObject *made = NULL, *views = NULL;
    if (!PyArg_ParseTuple(arguments, "sO!O!O!", &body, &PyTuple_Type, &names,
                          &PyTuple_Type, &kinds, &PyTuple_Type, &given))
        return NULL;
    const Py_ssize_t count = PyTuple_Size(given);
    winnow_field *const fields = prepared_fields(names, kinds);
    winnow_parameter *const parameters =
        PyMem_Calloc((size_t)count + 1, sizeof *parameters);
    PyObject *const held = PyList_New(0);
    if (!fields || !parameters || !held) {
        if (fields && !PyErr_Occurred())
            PyErr_NoMemory();
        goto end;
    }
    /* The body reads dates and durations as int64. */
    for (Py_ssize_t i = 0; i < PyTuple_Size(names); i++)
        fields[i].format = NULL;
    for (Py_ssize_t i = 0; i < count; i++)
        if (parameter_of(state, PyTuple_GetItem(given, i), held,
                         &parameters[i]))
            goto end;
    views = PyList_AsTuple(held);
    if (!views || !on_one_device(views))
        goto end;
    const winnow_status status = winnow_condition_cuda(
        &condition, body, fields, (unsigned)PyTuple_Size(names), parameters,
        (unsigned)count);
    made = status ? raise_status(state, status)
                  : prepared_new(state, condition, first_of(kinds), views);
end:
    PyMem_Free(fields);
    PyMem_Free(parameters);
    Py_XDECREF(held);
    Py_XDECREF(views);
    return made;
}

/* is_in(column, kind, values): make a condition that a column equals one of the
 * values of an array on the host. */
static PyObject *is_in(PyObject *module, PyObject *arguments) {
    py_state *const state = state_of(module);
    unsigned column;
    int kind;
    PyObject *object;
    py_array values;
    winnow_condition *condition = NULL;
    winnow_status status = WINNOW_OK;
    if (!PyArg_ParseTuple(arguments, "IiO", &column, &kind, &object) ||
        array_open(state, &values, object, (py_name){"values", NULL},
                   ARRAY_READ, NULL))
        return NULL;
    const winnow_type type = kind_type(kind);
    if (values.device >= 0 || values.type != type) {
        PyErr_SetString(PyExc_TypeError,
                        "values are on a GPU, or not of the column's type");
        array_close(&values);
        return NULL;
    }
    /* The library sorts the values, which can take long. */
    Py_BEGIN_ALLOW_THREADS status = winnow_condition_in(
        &condition, NULL, column, type, values.data, values.n);
    Py_END_ALLOW_THREADS array_close(&values);
    return status ? raise_status(state, status)
                  : prepared_new(state, condition,
                                 column == 0 ? kind : WINNOW_OPAQUE, NULL);
}

/* join(operation, a, b): make a && b (operation 0), a || b (1) or !a (2). */
static PyObject *join(PyObject *module, PyObject *arguments) {
    py_state *const state = state_of(module);
    PyObject *a, *b;
    int operation;
    winnow_condition *joined = NULL;
    winnow_status status;
    if (!PyArg_ParseTuple(arguments, "iO!O!", &operation, state->prepared_type,
                          &a, state->prepared_type, &b))
        return NULL;
    const py_prepared *const first = (py_prepared *)a;
    const py_prepared *const second = (py_prepared *)b;
    PyObject *held = Py_XNewRef(first->held ? first->held : second->held);
    if (first->held && second->held && first != second) {
        Py_DECREF(held);
        held = PySequence_Concat(first->held, second->held);
        if (!held || !on_one_device(held)) {
            Py_XDECREF(held);
            return NULL;
        }
    }
    status =
        operation == 0
            ? winnow_condition_and(&joined, first->condition, second->condition)
        : operation == 1
            ? winnow_condition_or(&joined, first->condition, second->condition)
            : winnow_condition_not(&joined, first->condition);
    PyObject *const made = status
                               ? raise_status(state, status)
                               : prepared_new(state, joined, first->kind, held);
    Py_XDECREF(held);
    return made;
}

/* make_tables(prepared, device): compile the condition and make its tables on a
 * device. */
static PyObject *make_tables(PyObject *module, PyObject *arguments) {
    py_state *const state = state_of(module);
    PyObject *condition;
    int device;
    winnow_status status;
    if (!PyArg_ParseTuple(arguments, "O!i", state->prepared_type, &condition,
                          &device))
        return NULL;
    winnow_context *const context = state_context(state, device);
    if (!context)
        return NULL;
    Py_BEGIN_ALLOW_THREADS status = winnow_condition_prepare(
        context, ((py_prepared *)condition)->condition);
    Py_END_ALLOW_THREADS return status ? raise_status(state, status)
                                       : Py_NewRef(Py_None);
}

/* for_array(condition, kind): prepared_find(). */
static PyObject *for_array(PyObject *module, PyObject *arguments) {
    PyObject *condition;
    int kind;
    if (!PyArg_ParseTuple(arguments, "Oi", &condition, &kind))
        return NULL;
    return (PyObject *)prepared_find(state_of(module), condition, kind);
}

PyMethodDef prepared_functions[] = {
    {"for_array", for_array, METH_VARARGS, NULL},
    {"for_columns", for_columns, METH_VARARGS, NULL},
    {"parse", parse, METH_VARARGS, NULL},
    {"cuda", cuda, METH_VARARGS, NULL},
    {"is_in", is_in, METH_VARARGS, NULL},
    {"join", join, METH_VARARGS, NULL},
    {"make_tables", make_tables, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL}};
