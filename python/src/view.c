/*
 * winnow._winnow.View: an array that was opened before a call.
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
                    unsigned use) {
    py_view *made;
    const char *const text = PyUnicode_AsUTF8AndSize(name, NULL);
    if (text && view_new(state, name, &made) &&
        array_open(state, &made->array, object, (py_name){text, NULL}, use,
                   NULL))
        Py_CLEAR(made);
    return text ? (PyObject *)made : NULL;
}

/* view(array, name): open an array, to read its device and stream. */
static PyObject *view(PyObject *module, PyObject *arguments) {
    PyObject *object, *name;
    return PyArg_ParseTuple(arguments, "OU", &object, &name)
               ? view_open(state_of(module), object, name, ARRAY_READ)
               : NULL;
}

/* Return None, a number, or an object that keeps the stream alive. */
static PyObject *get_stream(PyObject *self, void *unused) {
    (void)unused;
    return array_stream(&((const py_view *)self)->array);
}

static PyObject *get_device(PyObject *self, void *unused) {
    (void)unused;
    return PyLong_FromLong(((const py_view *)self)->array.device);
}

static PyGetSetDef attributes[] = {{"device", get_device, NULL, NULL, NULL},
                                   {"stream", get_stream, NULL, NULL, NULL},
                                   {NULL, NULL, NULL, NULL, NULL}};

int view_type_make(PyObject *module, py_state *state) {
    PyType_Slot slots[] = {
        {Py_tp_dealloc, view_free}, {Py_tp_getset, attributes}, {0, NULL}};
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
