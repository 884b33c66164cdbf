/*
 * The module winnow._winnow: its state, contexts and errors.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "state.h"

#include "arrow.h"
#include "filters.h"
#include "kept.h"
#include "keyed.h"
#include "operations.h"
#include "prepared.h"
#include "reads.h"
#include "reduction.h"
#include "reductions.h"
#include "result.h"
#include "selection.h"
#include "view.h"

#include <stdarg.h>
#include <string.h>

static struct PyModuleDef definition;

py_state *state_of(PyObject *module) {
    return PyModule_GetState(module);
}

PyObject *library_call(py_state *state, const char *name, const char *format,
                       ...) {
    va_list values;
    va_start(values, format);
    PyObject *const arguments = Py_VaBuildValue(format, values);
    va_end(values);
    if (!arguments)
        return NULL;
    PyObject *const function = PyObject_GetAttrString(state->library, name);
    PyObject *made = NULL;
    if (function)
        made = PyTuple_Check(arguments)
                   ? PyObject_CallObject(function, arguments)
                   : PyObject_CallFunctionObjArgs(function, arguments, NULL);
    Py_XDECREF(function);
    Py_DECREF(arguments);
    return made;
}

/* --------------------------------------------------------------- contexts */

winnow_context *state_context(py_state *state, int device) {
    if (device < WINNOW_DEVICE_HOST || device >= MOST_DEVICES) {
        PyErr_Format(PyExc_ValueError, "there is no GPU %d", device);
        return NULL;
    }
    winnow_context **const kept = &state->contexts[device + 1];
    if (*kept)
        return *kept;
    winnow_status status = winnow_context_create(kept, device);
    if (!status && device == WINNOW_DEVICE_HOST && state->threads)
        status = winnow_context_set_threads(*kept, state->threads);
    if (!status)
        status = winnow_context_set_compile(*kept, state->compile);
    return status ? raise_status(state, status) : *kept;
}

static PyObject *set_threads(PyObject *module, PyObject *number) {
    py_state *const state = state_of(module);
    const long threads = PyLong_AsLong(number);
    if (threads == -1 && PyErr_Occurred())
        return NULL;
    if (threads < 0 || threads > 65536) {
        PyErr_Format(PyExc_ValueError, "threads is %ld", threads);
        return NULL;
    }
    state->threads = (unsigned)threads;
    winnow_context *const host = state_context(state, WINNOW_DEVICE_HOST);
    if (!host)
        return NULL;
    const winnow_status status =
        winnow_context_set_threads(host, state->threads);
    return status ? raise_status(state, status) : Py_NewRef(Py_None);
}

static PyObject *set_compile(PyObject *module, PyObject *when) {
    py_state *const state = state_of(module);
    const int is_text = PyUnicode_Check(when);
    const int is_before =
        is_text && PyUnicode_CompareWithASCIIString(when, "before") == 0;
    if (!is_before &&
        !(is_text && PyUnicode_CompareWithASCIIString(when, "ready") == 0))
        return PyErr_Format(PyExc_ValueError,
                            "expected 'ready' or 'before', not %R", when);
    state->compile = is_before ? WINNOW_COMPILE_BEFORE : WINNOW_COMPILE_READY;
    for (int i = 0; i < 1 + MOST_DEVICES; i++) {
        if (!state->contexts[i])
            continue;
        const winnow_status status =
            winnow_context_set_compile(state->contexts[i], state->compile);
        if (status)
            return raise_status(state, status);
    }
    return Py_NewRef(Py_None);
}

/* forget_contexts(): called in a child of fork(). The child has neither the
 * threads nor the GPU contexts of its parent, so it cannot free the winnow
 * contexts. */
static PyObject *forget_contexts(PyObject *module, PyObject *unused) {
    (void)unused;
    py_state *const state = state_of(module);
    for (int i = 0; i < 1 + MOST_DEVICES; i++)
        state->contexts[i] = NULL;
    kept_forget(state);
    /* Use PyTorch's other functions in the child, which raise a clear error. */
    Py_XDECREF(state->torch[TORCH_EMPTY_CUDA]);
    state->torch[TORCH_EMPTY_CUDA] = Py_NewRef(Py_None);
    return Py_NewRef(Py_None);
}

/* can_use(device): return None if the device can be used, else the reason. */
static PyObject *can_use(PyObject *module, PyObject *number) {
    const long device = PyLong_AsLong(number);
    if (device == -1 && PyErr_Occurred())
        return NULL;
    if (device >= WINNOW_DEVICE_HOST && device < MOST_DEVICES &&
        state_of(module)->contexts[device + 1])
        return Py_NewRef(Py_None);
    winnow_context *context = NULL;
    if (winnow_context_create(&context, (int)device))
        return PyUnicode_FromString(winnow_last_error());
    winnow_context_destroy(context);
    return Py_NewRef(Py_None);
}

static PyObject *library_version(PyObject *module, PyObject *unused) {
    (void)module;
    (void)unused;
    return PyUnicode_FromString(winnow_version_string());
}

/* ----------------------------------------------------------------- errors */

/* Set an error's attributes for its place in the text, None if there is no
 * place. Returns 0 with an exception. */
static int set_place(PyObject *error) {
    winnow_place place = {.size = sizeof place};
    if (winnow_last_error_place(&place))
        place.line = 0;
    const struct {
        const char *name;
        int has;
        unsigned long long value;
    } parts[] = {{"line", place.line != 0, place.line},
                 {"column", place.line != 0, place.column},
                 {"offset", place.line != 0, place.offset},
                 {"field", place.line != 0 && place.field != WINNOW_NO_FIELD,
                  place.field}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        PyObject *const value =
            parts[i].has ? PyLong_FromUnsignedLongLong(parts[i].value)
                         : Py_NewRef(Py_None);
        const int failed =
            !value || PyObject_SetAttrString(error, parts[i].name, value);
        Py_XDECREF(value);
        if (failed)
            return 0;
    }
    return 1;
}

void *raise_status(const py_state *state, winnow_status status) {
    const int known = (int)status > 0 && (int)status < MOST_STATUSES;
    const char *const detail = winnow_last_error();
    PyObject *const type = known ? state->errors[status] : state->error;
    PyObject *const error = PyObject_CallFunction(
        type, "s", *detail ? detail : winnow_status_string(status));
    if (error && set_place(error))
        PyErr_SetObject(type, error);
    Py_XDECREF(error);
    return NULL;
}

static const struct {
    winnow_status status;
    const char *name;
    const char *document;
    PyObject **base;
} errors[] = {
    {WINNOW_ERR_ARGUMENT, "winnow.ArgumentError", "An argument is wrong.",
     &PyExc_ValueError},
    {WINNOW_ERR_WORKSPACE, "winnow.WorkspaceError",
     "The workspace is too small.", &PyExc_ValueError},
    {WINNOW_ERR_UNSUPPORTED, "winnow.UnsupportedError",
     "winnow does not offer this combination.", &PyExc_NotImplementedError},
    {WINNOW_ERR_MEMORY, "winnow.OutOfMemoryError",
     "The host or the device has no memory left.", &PyExc_MemoryError},
    {WINNOW_ERR_NO_DEVICE, "winnow.NoDeviceError",
     "There is no such device or no driver, or the library has no CUDA.",
     &PyExc_RuntimeError},
    {WINNOW_ERR_CUDA, "winnow.CudaError", "The CUDA runtime reported an error.",
     &PyExc_RuntimeError},
    {WINNOW_ERR_SYNTAX, "winnow.ConditionError",
     "The text of a condition is wrong. The message begins with its place.",
     &PyExc_ValueError},
    {WINNOW_ERR_COMPILE, "winnow.CompileError", "A predicate did not compile.",
     &PyExc_RuntimeError},
};

static int make_errors(PyObject *module, py_state *state) {
    state->error = PyErr_NewExceptionWithDoc(
        "winnow.Error", "The base class of all errors of winnow.", NULL, NULL);
    if (!state->error || PyModule_AddObjectRef(module, "Error", state->error))
        return -1;
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        PyObject *const bases = PyTuple_Pack(2, state->error, *errors[i].base);
        PyObject *const made =
            bases ? PyErr_NewExceptionWithDoc(errors[i].name,
                                              errors[i].document, bases, NULL)
                  : NULL;
        Py_XDECREF(bases);
        state->errors[errors[i].status] = made;
        if (!made || PyModule_AddObjectRef(
                         module, errors[i].name + sizeof "winnow." - 1, made))
            return -1;
    }
    return 0;
}

/* ------------------------------------------------------------- the module */

static PyObject *imported(const char *module, const char *name) {
    PyObject *const found = PyImport_ImportModule(module);
    if (!found || !name)
        return found;
    PyObject *const attribute = PyObject_GetAttrString(found, name);
    Py_DECREF(found);
    return attribute;
}

static int prepare_module(PyObject *module) {
    static const char *const keywords[KEYWORDS] = {
        "out", "count", "capacity", "order", "fill", "n", "stream", "arriving"};
    py_state *const state = state_of(module);
    for (int i = 0; i < KEYWORDS; i++)
        if (!(state->keywords[i] = PyUnicode_InternFromString(keywords[i])))
            return -1;
    if (!(state->order_input = PyUnicode_InternFromString("input")) ||
        !(state->order_any = PyUnicode_InternFromString("any")) ||
        !(state->name_dtype = PyUnicode_InternFromString("dtype")) ||
        !(state->name_is_conj = PyUnicode_InternFromString("is_conj")) ||
        !(state->name_is_neg = PyUnicode_InternFromString("is_neg")) ||
        !(state->name_requires_grad =
              PyUnicode_InternFromString("requires_grad")) ||
        !(state->name_data = PyUnicode_InternFromString("data")) ||
        !(state->name_ptr = PyUnicode_InternFromString("ptr")) ||
        !(state->name_device_id = PyUnicode_InternFromString("device_id")) ||
        !(state->name_shape = PyUnicode_InternFromString("shape")) ||
        !(state->name_strides = PyUnicode_InternFromString("strides")) ||
        !(state->name_level = PyUnicode_InternFromString("_current_level")) ||
        !(state->name_capacity = PyUnicode_InternFromString("capacity")) ||
        !(state->name_count = PyUnicode_InternFromString("_count")) ||
        !(state->name_stream = PyUnicode_InternFromString("_stream")) ||
        !(state->name_buffer = PyUnicode_InternFromString("buffer")) ||
        !(state->name_buffers = PyUnicode_InternFromString("buffers")) ||
        !(state->name_kept = PyUnicode_InternFromString("_kept")) ||
        !(state->name_text = PyUnicode_InternFromString("text")) ||
        !(state->exchanges = PyDict_New()) ||
        !(state->library = imported("winnow._library", NULL)) ||
        make_errors(module, state) || prepared_type_make(module, state) ||
        view_type_make(module, state) || selection_type_make(module, state) ||
        query_type_make(module, state) || reduction_type_make(module, state))
        return -1;
    return PyModule_AddFunctions(module, filter_functions) ||
                   PyModule_AddFunctions(module, cupy_functions) ||
                   PyModule_AddFunctions(module, view_functions) ||
                   PyModule_AddFunctions(module, result_functions) ||
                   PyModule_AddFunctions(module, operation_functions) ||
                   PyModule_AddFunctions(module, keyed_functions) ||
                   PyModule_AddFunctions(module, sum_functions) ||
                   PyModule_AddFunctions(module, prepared_functions) ||
                   PyModule_AddFunctions(module, kept_functions) ||
                   PyModule_AddFunctions(module, selection_functions) ||
                   PyModule_AddFunctions(module, reduction_functions) ||
                   PyModule_AddFunctions(module, reduction_type_functions) ||
                   PyModule_AddFunctions(module, arrow_functions) ||
                   PyModule_AddFunctions(module, reads_functions) ||
                   reads_constants(module)
               ? -1
               : 0;
}

/* set_prepare(name, function): set a function of winnow._prepare or
 * winnow._reduce. These modules import this one, so they register their
 * functions here. */
static PyObject *set_prepare(PyObject *module, PyObject *arguments) {
    py_state *const state = state_of(module);
    const char *name;
    PyObject *function;
    if (!PyArg_ParseTuple(arguments, "sO", &name, &function))
        return NULL;
    PyObject **const place = strcmp(name, "array") == 0 ? &state->prepare
                             : strcmp(name, "table") == 0
                                 ? &state->prepare_table
                                 : &state->prepare_query;
    Py_XDECREF(*place);
    *place = Py_NewRef(function);
    return Py_NewRef(Py_None);
}

static int visit_module(PyObject *module, visitproc visit, void *arg) {
    const py_state *const state = state_of(module);
    Py_VISIT(state->error);
    Py_VISIT(state->library);
    Py_VISIT(state->prepare);
    Py_VISIT(state->prepare_table);
    Py_VISIT(state->prepare_query);
    Py_VISIT(state->rows_class);
    Py_VISIT((PyObject *)state->selection_type);
    Py_VISIT((PyObject *)state->query_type);
    Py_VISIT((PyObject *)state->reduction_type);
    Py_VISIT(state->exchanges);
    Py_VISIT(state->ndarray);
    Py_VISIT(state->records_dtype);
    Py_VISIT(state->result_class);
    Py_VISIT(state->counted_class);
    Py_VISIT((PyObject *)state->prepared_type);
    Py_VISIT((PyObject *)state->view_type);
    for (int i = 0; i < TORCH_PARTS; i++)
        Py_VISIT(state->torch[i]);
    for (int i = 0; i < CUPY_PARTS; i++)
        Py_VISIT(state->cupy[i]);
    for (int i = 0; i < MOST_STATUSES; i++)
        Py_VISIT(state->errors[i]);
    return 0;
}

static int clear_module(PyObject *module) {
    py_state *const state = state_of(module);
    Py_CLEAR(state->error);
    Py_CLEAR(state->library);
    Py_CLEAR(state->prepare);
    Py_CLEAR(state->prepare_table);
    Py_CLEAR(state->prepare_query);
    Py_CLEAR(state->rows_class);
    Py_CLEAR(state->selection_type);
    Py_CLEAR(state->query_type);
    Py_CLEAR(state->reduction_type);
    state->last_type = NULL;
    Py_CLEAR(state->exchanges);
    Py_CLEAR(state->ndarray);
    Py_CLEAR(state->records_dtype);
    Py_CLEAR(state->result_class);
    Py_CLEAR(state->counted_class);
    Py_CLEAR(state->prepared_type);
    Py_CLEAR(state->view_type);
    for (int i = 0; i < TORCH_PARTS; i++)
        Py_CLEAR(state->torch[i]);
    for (int i = 0; i < CUPY_PARTS; i++)
        Py_CLEAR(state->cupy[i]);
    for (int i = 0; i < MOST_STATUSES; i++)
        Py_CLEAR(state->errors[i]);
    kept_clear(state);
    for (int i = 0; i < KEYWORDS; i++)
        Py_CLEAR(state->keywords[i]);
    Py_CLEAR(state->order_input);
    Py_CLEAR(state->order_any);
    Py_CLEAR(state->name_dtype);
    Py_CLEAR(state->name_data);
    Py_CLEAR(state->name_ptr);
    Py_CLEAR(state->name_device_id);
    Py_CLEAR(state->name_shape);
    Py_CLEAR(state->name_strides);
    Py_CLEAR(state->name_level);
    Py_CLEAR(state->name_is_conj);
    Py_CLEAR(state->name_is_neg);
    Py_CLEAR(state->name_requires_grad);
    Py_CLEAR(state->name_capacity);
    Py_CLEAR(state->name_count);
    Py_CLEAR(state->name_stream);
    Py_CLEAR(state->name_buffer);
    Py_CLEAR(state->name_buffers);
    Py_CLEAR(state->name_kept);
    Py_CLEAR(state->name_text);
    return 0;
}

/* Contexts of GPUs are not destroyed, since enqueued work may still run. The
 * host's context stays if an Arrow stream may still use it. */
static void free_module(void *module) {
    const py_state *const state = state_of(module);
    clear_module(module);
    PyMem_Free(state->spare);
    if (!state->has_streams)
        winnow_context_destroy(state->contexts[0]);
}

/* cache_set(directory or None, most_bytes) */
static PyObject *cache_set(PyObject *module, PyObject *arguments) {
    const char *directory;
    PyObject *number;
    if (!PyArg_ParseTuple(arguments, "zO!", &directory, &PyLong_Type, &number))
        return NULL;
    const unsigned long long bytes = PyLong_AsUnsignedLongLong(number);
    if (PyErr_Occurred())
        return NULL;
    const winnow_status status = winnow_cache_set(directory, bytes);
    return status ? raise_status(state_of(module), status) : Py_NewRef(Py_None);
}

static PyObject *cache_clear(PyObject *module, PyObject *nothing) {
    winnow_status status;
    (void)nothing;
    Py_BEGIN_ALLOW_THREADS status = winnow_cache_clear();
    Py_END_ALLOW_THREADS return status ? raise_status(state_of(module), status)
                                       : Py_NewRef(Py_None);
}

/* repeat(times): make each call of the library this number of times, to measure
 * it without Python. 0: make it once and do not measure. Returns the seconds
 * that the measured calls took until now. */
static PyObject *repeat(PyObject *module, PyObject *number) {
    py_state *const state = state_of(module);
    const unsigned long times = PyLong_AsUnsignedLong(number);
    if (PyErr_Occurred())
        return NULL;
    const double seconds = (double)state->took * 1e-9;
    state->repeats = (unsigned)times;
    state->took = 0;
    return PyFloat_FromDouble(seconds);
}

static PyMethodDef functions[] = {
    {"repeat", repeat, METH_O, NULL},
    {"set_threads", set_threads, METH_O,
     "set_threads($module, threads, /)\n--\n\n"
     "Set the number of CPU threads that work on a call on host arrays. The\n"
     "number includes the calling thread. 0, the default, means one thread\n"
     "for each CPU that the process may use."},
    {"set_compile", set_compile, METH_O,
     "set_compile($module, when, /)\n--\n\n"
     "Set whether calls on a GPU compile conditions with arithmetic.\n\n"
     "'ready', the default: they do not. A call uses the kernel that\n"
     "prepare() made or that is on disk. If there is none, it interprets the\n"
     "condition, with the same results.\n"
     "'before': a call compiles first, and waits for the compiler. See\n"
     "winnow_context_set_compile(3)."},
    {"forget_contexts", forget_contexts, METH_NOARGS, NULL},
    {"can_use", can_use, METH_O, NULL},
    {"library_version", library_version, METH_NOARGS, NULL},
    {"set_prepare", set_prepare, METH_VARARGS, NULL},
    {"cache_set", cache_set, METH_VARARGS, NULL},
    {"cache_clear", cache_clear, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL}};

static PyModuleDef_Slot slots[] = {{Py_mod_exec, prepare_module}, {0, NULL}};

static struct PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "winnow._winnow",
    .m_doc = "The calls of the C library on arrays.",
    .m_size = sizeof(py_state),
    .m_methods = functions,
    .m_slots = slots,
    .m_traverse = visit_module,
    .m_clear = clear_module,
    .m_free = free_module};

PyMODINIT_FUNC PyInit__winnow(void);
PyMODINIT_FUNC PyInit__winnow(void) {
    return PyModuleDef_Init(&definition);
}
