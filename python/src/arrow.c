/*
 * Filter tables through Arrow's PyCapsule interface. A capsule owns its struct
 * and what the struct refers to, until a consumer moves the struct out and sets
 * its release to NULL.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "arrow.h"

#include <winnow/arrow.h>

#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------- capsules */

/* Release a struct. A producer's release may run Python code, so an exception
 * that is set is saved and restored. */
#define RELEASE(owner)                                                         \
    do {                                                                       \
        PyObject *kind_, *value_, *trace_;                                     \
        PyErr_Fetch(&kind_, &value_, &trace_);                                 \
        if ((owner)->release)                                                  \
            (owner)->release(owner);                                           \
        PyErr_Restore(kind_, value_, trace_);                                  \
    } while (0)

static void free_schema(PyObject *capsule) {
    struct ArrowSchema *const schema =
        PyCapsule_GetPointer(capsule, "arrow_schema");
    RELEASE(schema);
    PyMem_Free(schema);
}

static void free_array(PyObject *capsule) {
    struct ArrowArray *const array =
        PyCapsule_GetPointer(capsule, "arrow_array");
    RELEASE(array);
    PyMem_Free(array);
}

static void free_device_array(PyObject *capsule) {
    struct ArrowDeviceArray *const array =
        PyCapsule_GetPointer(capsule, "arrow_device_array");
    RELEASE(&array->array);
    PyMem_Free(array);
}

static void free_stream(PyObject *capsule) {
    struct ArrowArrayStream *const stream =
        PyCapsule_GetPointer(capsule, "arrow_array_stream");
    RELEASE(stream);
    PyMem_Free(stream);
}

/* Make a capsule with a struct of zeros, which has nothing to release. NULL
 * with an exception. */
static void *new_struct(PyObject **capsule_p, const char *name, size_t bytes,
                        PyCapsule_Destructor end) {
    void *const made = PyMem_Calloc(1, bytes);
    *capsule_p = made ? PyCapsule_New(made, name, end) : NULL;
    if (!*capsule_p) {
        PyMem_Free(made);
        return made ? NULL : PyErr_NoMemory();
    }
    return made;
}

#define NEW_STRUCT(capsule_p, type, name, end)                                 \
    ((type *)new_struct(capsule_p, name, sizeof(type), end))

/* ---------------------------------------------------------------- streams */

static void *stream_failed(py_state *state, struct ArrowArrayStream *stream,
                           int error) {
    const char *const text = stream->get_last_error(stream);
    PyErr_Format(state->error, "the stream has no schema: %s",
                 text ? text : strerror(error));
    return NULL;
}

/* stream_schema(stream): return the schema of a stream, without reading from
 * it. */
static PyObject *stream_schema(PyObject *module, PyObject *capsule) {
    PyObject *made;
    int error;
    struct ArrowArrayStream *const stream =
        PyCapsule_GetPointer(capsule, "arrow_array_stream");
    struct ArrowSchema *const schema =
        stream
            ? NEW_STRUCT(&made, struct ArrowSchema, "arrow_schema", free_schema)
            : NULL;
    if (!schema)
        return NULL;
    if (!stream->release) {
        Py_DECREF(made);
        PyErr_SetString(PyExc_ValueError, "the stream was taken already");
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS error = stream->get_schema(stream, schema);
    Py_END_ALLOW_THREADS if (error) {
        Py_DECREF(made);
        return stream_failed(state_of(module), stream, error);
    }
    return made;
}

/* filter_stream(stream, text): return a stream of the rows that pass. It takes
 * over the given stream. */
static PyObject *filter_stream(PyObject *module, PyObject *arguments) {
    py_state *const state = state_of(module);
    PyObject *capsule, *made;
    const char *text;
    winnow_status status;
    if (!PyArg_ParseTuple(arguments, "Os", &capsule, &text))
        return NULL;
    struct ArrowArrayStream *const in =
        PyCapsule_GetPointer(capsule, "arrow_array_stream");
    winnow_context *const context =
        in ? state_context(state, WINNOW_DEVICE_HOST) : NULL;
    struct ArrowArrayStream *const out =
        context ? NEW_STRUCT(&made, struct ArrowArrayStream,
                             "arrow_array_stream", free_stream)
                : NULL;
    if (!out)
        return NULL;
    Py_BEGIN_ALLOW_THREADS status =
        winnow_filter_arrow_stream(context, text, in, out);
    Py_END_ALLOW_THREADS if (status) {
        Py_DECREF(made);
        raise_status(state, status);
        RELEASE(in);
        return NULL;
    }
    state->has_streams = 1;
    return made;
}

/* ---------------------------------------------------------------- batches */

/* A filtered batch on a GPU, and its input, which kernels may still read. Both
 * can be released without the interpreter's lock. */
typedef struct pair {
    struct ArrowArray out, in;
} pair;

static void release_pair(struct ArrowArray *array) {
    pair *const held = array->private_data;
    held->out.release(&held->out);
    held->in.release(&held->in);
    free(held);
    array->release = NULL;
}

static int hold_input(struct ArrowArray *out, struct ArrowArray *in) {
    pair *const held = malloc(sizeof *held);
    if (!held)
        return 0;
    *held = (pair){.out = *out, .in = *in};
    in->release = NULL;
    out->release = release_pair;
    out->private_data = held;
    return 1;
}

/* Return the context for a batch's device. NULL with an exception. */
static winnow_context *context_of(py_state *state,
                                  const struct ArrowDeviceArray *batch) {
    switch (batch->device_type) {
    case ARROW_DEVICE_CPU:
        return state_context(state, WINNOW_DEVICE_HOST);
    case ARROW_DEVICE_CUDA_HOST:
    case ARROW_DEVICE_CUDA:
    case ARROW_DEVICE_CUDA_MANAGED:
        return state_context(state, (int)batch->device_id);
    default:
        PyErr_Format(PyExc_ValueError,
                     "the table is on a device of Arrow's type %d, which is "
                     "neither the CPU nor a GPU of CUDA",
                     (int)batch->device_type);
        return NULL;
    }
}

/* Move the batch out of a capsule of either kind. Returns 0 with an
 * exception. */
static int take_batch(PyObject *capsule, struct ArrowDeviceArray *batch) {
    struct ArrowArray *owner;
    if (PyCapsule_IsValid(capsule, "arrow_device_array")) {
        struct ArrowDeviceArray *const device =
            PyCapsule_GetPointer(capsule, "arrow_device_array");
        *batch = *device;
        owner = &device->array;
    } else {
        owner = PyCapsule_GetPointer(capsule, "arrow_array");
        if (!owner)
            return 0;
        *batch = (struct ArrowDeviceArray){
            .array = *owner, .device_id = -1, .device_type = ARROW_DEVICE_CPU};
    }
    if (!owner->release) {
        PyErr_SetString(PyExc_ValueError, "the array was taken already");
        return 0;
    }
    owner->release = NULL;
    return 1;
}

static winnow_status filter(winnow_context *context,
                            const struct ArrowSchema *schema, const char *text,
                            const struct ArrowDeviceArray *in,
                            struct ArrowDeviceArray *out) {
    winnow_condition *condition = NULL;
    winnow_status status =
        winnow_condition_parse_arrow(&condition, schema, text);
    if (!status)
        status = winnow_filter_arrow(context, condition, schema, in, out, NULL);
    winnow_condition_destroy(condition);
    return status;
}

/* filter_batch(schema, array, text): return a batch of the rows that pass, as
 * an arrow_device_array. It takes over the given batch. */
static PyObject *filter_batch(PyObject *module, PyObject *arguments) {
    py_state *const state = state_of(module);
    PyObject *schema_capsule, *capsule, *made = NULL;
    const char *text;
    winnow_status status = WINNOW_OK;
    struct ArrowDeviceArray in;
    if (!PyArg_ParseTuple(arguments, "OOs", &schema_capsule, &capsule, &text))
        return NULL;
    const struct ArrowSchema *const schema =
        PyCapsule_GetPointer(schema_capsule, "arrow_schema");
    if (!schema || !take_batch(capsule, &in))
        return NULL;
    winnow_context *const context = context_of(state, &in);
    struct ArrowDeviceArray *const out =
        context ? NEW_STRUCT(&made, struct ArrowDeviceArray,
                             "arrow_device_array", free_device_array)
                : NULL;
    if (!out)
        goto end;
    Py_BEGIN_ALLOW_THREADS status = filter(context, schema, text, &in, out);
    Py_END_ALLOW_THREADS if (status) {
        raise_status(state, status);
    }
    else if (out->device_type != ARROW_DEVICE_CPU &&
             !hold_input(&out->array, &in.array)) {
        PyErr_NoMemory();
    }
end:
    RELEASE(&in.array);
    if (PyErr_Occurred())
        Py_CLEAR(made);
    return made;
}

/* host_batch(array): move the batch of an arrow_device_array on the host to an
 * arrow_array. */
static PyObject *host_batch(PyObject *module, PyObject *capsule) {
    PyObject *made;
    (void)module;
    struct ArrowDeviceArray *const device =
        PyCapsule_GetPointer(capsule, "arrow_device_array");
    if (!device)
        return NULL;
    if (device->device_type != ARROW_DEVICE_CPU) {
        PyErr_SetString(PyExc_ValueError,
                        "the rows are on a GPU: use __arrow_c_device_array__");
        return NULL;
    }
    struct ArrowArray *const array =
        NEW_STRUCT(&made, struct ArrowArray, "arrow_array", free_array);
    if (!array)
        return NULL;
    *array = device->array;
    device->array.release = NULL;
    return made;
}

PyMethodDef arrow_functions[] = {
    {"stream_schema", stream_schema, METH_O, NULL},
    {"filter_stream", filter_stream, METH_VARARGS, NULL},
    {"filter_batch", filter_batch, METH_VARARGS, NULL},
    {"host_batch", host_batch, METH_O, NULL},
    {NULL, NULL, 0, NULL}};
