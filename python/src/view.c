/*
 * winnow._winnow.View: an array as a call of the extension sees it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "view.h"

static PyObject *view_new(py_state *state, PyObject *name, py_view **made_p) {
    *made_p = PyObject_New(py_view, state->view_type);
    if (*made_p) {
        (*made_p)->array = (py_array){.is_borrowed = 1};
        (*made_p)->name = Py_NewRef(name);
    }
    return (PyObject *)*made_p;
}

static void view_free(PyObject *self) {
    py_view *const freed = (py_view *)self;
    PyTypeObject *const type = Py_TYPE(self);
    array_close(&freed->array);
    Py_XDECREF(freed->name);
    PyObject_Free(self);
    Py_DECREF(type);
}

PyObject *view_open(py_state *state, PyObject *object, PyObject *name,
                    unsigned use, const winnow_stream *stream) {
    py_view *made;
    const char *const text = PyUnicode_AsUTF8AndSize(name, NULL);
    if (text && view_new(state, name, &made) &&
        array_open(state, &made->array, object, text, use, stream))
        Py_CLEAR(made);
    return text ? (PyObject *)made : NULL;
}

/* view(array, name, use=0, beside=None): `use` is a sum of array_use, `beside` a
 * view of an array of the same call, on whose stream this one has to be ready. */
static PyObject *view(PyObject *module, PyObject *arguments) {
    py_state *const state = state_of(module);
    PyObject *object, *name, *beside = Py_None;
    unsigned use = ARRAY_READ;
    if (!PyArg_ParseTuple(arguments, "OU|IO", &object, &name, &use, &beside))
        return NULL;
    if (Py_TYPE(object) == state->view_type)
        return Py_NewRef(object);
    const py_array *const other =
        beside == Py_None ? NULL : &((const py_view *)beside)->array;
    return view_open(state, object, name, use,
                     other && other->has_stream ? &other->stream : NULL);
}

/* front(n): the first n items. */
static PyObject *front(PyObject *self, PyObject *number) {
    py_view *const whole = (py_view *)self;
    const unsigned long long n = PyLong_AsUnsignedLongLong(number);
    py_view *made;
    if (PyErr_Occurred())
        return NULL;
    if (n == whole->array.n)
        return Py_NewRef(self);
    if (!view_new(PyType_GetModuleState(Py_TYPE(self)), whole->name, &made))
        return NULL;
    array_borrow(&made->array, &whole->array, self);
    made->array.n = n;
    return (PyObject *)made;
}

/* want(use): once it is known what a call does with it. */
static PyObject *want(PyObject *self, PyObject *number) {
    py_array *const array = &((py_view *)self)->array;
    const unsigned use = (unsigned)PyLong_AsUnsignedLong(number);
    return PyErr_Occurred() ||
                   array_use(PyType_GetModuleState(Py_TYPE(self)), array, use,
                             array->has_stream ? &array->stream : NULL)
               ? NULL
               : Py_NewRef(Py_None);
}

/* new(n or None, type or None): by the array's library. */
static PyObject *new_array(PyObject *self, PyObject *arguments) {
    PyObject *number;
    const char *type;
    uint64_t n = NO_DIMENSION;
    if (!PyArg_ParseTuple(arguments, "Oz", &number, &type))
        return NULL;
    if (number != Py_None)
        n = PyLong_AsUnsignedLongLong(number);
    if (PyErr_Occurred())
        return NULL;
    return array_new(PyType_GetModuleState(Py_TYPE(self)),
                     &((const py_view *)self)->array, n, type);
}

static PyObject *shape_of(PyObject *self, void *unused) {
    const py_array *const array = &((const py_view *)self)->array;
    (void)unused;
    PyObject *shape = PyTuple_New(array->dimensions);
    for (int i = 0; shape && i < array->dimensions; i++) {
        PyObject *const length =
            PyLong_FromLongLong(i ? array->shape[i] : (long long)array->n);
        if (!length || PyTuple_SetItem(shape, i, length))
            Py_CLEAR(shape);
    }
    return shape;
}

/* None, a number, or an object that keeps the stream. */
static PyObject *get_stream(PyObject *self, void *unused) {
    (void)unused;
    return array_stream(&((const py_view *)self)->array);
}

#define NUMBER(name, make, member)                                             \
    static PyObject *get_##name(PyObject *self, void *unused) {                \
        (void)unused;                                                          \
        return make(((const py_view *)self)->array.member);                    \
    }
NUMBER(n, PyLong_FromUnsignedLongLong, n)
NUMBER(kind, PyLong_FromLong, kind)
NUMBER(item_bytes, PyLong_FromSize_t, item_bytes)
NUMBER(dimensions, PyLong_FromLong, dimensions)
NUMBER(device, PyLong_FromLong, device)
NUMBER(object, Py_NewRef, object)

static PyGetSetDef attributes[] = {
    {"n", get_n, NULL, NULL, NULL},
    {"kind", get_kind, NULL, NULL, NULL},
    {"item_bytes", get_item_bytes, NULL, NULL, NULL},
    {"dimensions", get_dimensions, NULL, NULL, NULL},
    {"shape", shape_of, NULL, NULL, NULL},
    {"device", get_device, NULL, NULL, NULL},
    {"object", get_object, NULL, NULL, NULL},
    {"stream", get_stream, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyMethodDef methods[] = {{"front", front, METH_O, NULL},
                                {"want", want, METH_O, NULL},
                                {"new", new_array, METH_VARARGS, NULL},
                                {NULL, NULL, 0, NULL}};

int view_type_make(PyObject *module, py_state *state) {
    PyType_Slot slots[] = {{Py_tp_dealloc, view_free},
                           {Py_tp_getset, attributes},
                           {Py_tp_methods, methods},
                           {0, NULL}};
    PyType_Spec spec = {"winnow._winnow.View", sizeof(py_view), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE |
                            Py_TPFLAGS_DISALLOW_INSTANTIATION,
                        slots};
    PyObject *const type = PyType_FromModuleAndSpec(module, &spec, NULL);
    if (!type)
        return -1;
    state->view_type = (PyTypeObject *)type;
    return PyModule_AddObjectRef(module, "View", type);
}

PyMethodDef view_functions[] = {{"view", view, METH_VARARGS, NULL},
                                {NULL, NULL, 0, NULL}};
