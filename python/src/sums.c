/*
 * accumulate_by_key(): sums by a key.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "keyed.h"
#include "kind.h"

#include <string.h>

/* Find the number of components of an array of shape (n,) or (n,
 * components). */
static int has_components(const py_array *array, unsigned *components) {
    *components = (unsigned)(array->item_bytes / array->element_bytes);
    if (array->dimensions <= 2 && *components > 0 && *components <= 16)
        return 1;
    PyErr_Format(PyExc_ValueError,
                 "%s has one number for each item, or a second dimension of 1 "
                 "to 16",
                 array_name(array));
    return 0;
}

/* Set an array on the host, or a tensor, to zeros. PyTorch clears a tensor on
 * its stream. */
static py_array *clear(const py_work *work, py_array *array) {
    PyObject *done;
    if (!array || work->call.device < 0) {
        if (array)
            memset(array->data, 0, array->n * array->item_bytes);
        return array;
    }
    done = PyObject_CallMethod(array->object, "zero_", NULL);
    Py_XDECREF(done);
    return done ? array : NULL;
}

/* Make sums of zeros, of the 8-byte type that holds the values. */
static py_array *new_sums(py_work *work, const py_array *values, uint64_t n) {
    const char *const type =
        values->type == WINNOW_FLOAT32 || values->type == WINNOW_FLOAT64
            ? "float64"
        : values->type == WINNOW_UINT32 || values->type == WINNOW_UINT64
            ? "uint64"
        : values->type == WINNOW_INT32 || values->type == WINNOW_INT64 ? "int64"
                                                                       : NULL;
    if (type && values->dimensions == 1 &&
        (work->call.device < 0 || values->is_tensor))
        return clear(work, call_new(&work->call, values, n, type));
    if (values->type == WINNOW_OPAQUE) {
        PyErr_SetString(PyExc_TypeError,
                        "values have elements that are no numbers");
        return NULL;
    }
    PyObject *const zeros = library_call(
        work->call.state, "sums", "OKLis", values->object,
        (unsigned long long)n,
        (long long)(values->dimensions > 1 ? values->shape[1] : -1),
        values->kind, type ? type : "");
    py_array *const made =
        zeros ? call_array(&work->call, zeros, "sums", ARRAY_WRITE) : NULL;
    Py_XDECREF(zeros);
    return made;
}

static py_array *open_sums(py_work *work, const py_array *values,
                           PyObject *bound, PyObject *object) {
    PyObject *const number =
        bound == Py_None ? PyLong_FromLong(0) : PyNumber_Index(bound);
    const unsigned long long n = number ? PyLong_AsUnsignedLongLong(number) : 0;
    Py_XDECREF(number);
    if (PyErr_Occurred())
        return NULL;
    if (object == Py_None) {
        if (bound != Py_None)
            return new_sums(work, values, n);
        PyErr_SetString(PyExc_TypeError,
                        "accumulate_by_key() needs key_bound or sums=");
        return NULL;
    }
    py_array *const sums = call_array(&work->call, object, "sums", ARRAY_WRITE);
    if (sums && bound != Py_None && sums->n != n) {
        PyErr_Format(PyExc_ValueError,
                     "key_bound is %llu, and there are %llu sums", n,
                     (unsigned long long)sums->n);
        return NULL;
    }
    if (sums)
        sums->is_written = 1;
    return sums;
}

/* Check that an array has no dates or durations, whose units and NaT the library's
 * integers do not have. */
static int has_no_moments(const py_array *array) {
    if (array->kind < MOST_TYPES)
        return 1;
    PyErr_Format(PyExc_TypeError,
                 "%s has elements of %s: pass view('int64') of it",
                 array_name(array), kind_name(array->kind));
    return 0;
}

/* Describe each component of the values and of the sums. */
static int open_places(py_work *work, const py_array *in, const py_array *out,
                       unsigned components) {
    const unsigned places =
        out->element_bytes ? (unsigned)(out->item_bytes / out->element_bytes)
                           : 0;
    if (places != components) {
        PyErr_Format(PyExc_ValueError,
                     "values have %u components, and sums have %u", components,
                     places);
        return 0;
    }
    for (unsigned i = 0; i < components; i++) {
        work->columns[i] = (winnow_in){.type = in->type,
                                       .d_base = (const char *)in->data +
                                                 i * in->element_bytes,
                                       .stride_bytes = (int64_t)in->item_bytes};
        work->sums[i] =
            (winnow_out){.type = out->type,
                         .d_base = (char *)out->data + i * out->element_bytes,
                         .stride_bytes = (int64_t)out->item_bytes};
    }
    return 1;
}

static int open_beyond(py_work *work, PyObject *object, uint64_t **word_p) {
    if (object == Py_None)
        return 1;
    py_array *const word =
        call_word(&work->call, object, "beyond", ARRAY_WRITE);
    if (!word)
        return 0;
    word->is_written = 1;
    *word_p = word->data;
    return 1;
}

/* accumulate_by_key(keys, values, key_bound, sums, beyond, n) */
static PyObject *accumulate_by_key(PyObject *module, PyObject *const *args,
                                   Py_ssize_t count) {
    py_work *const work = work_begin(module, "accumulate_by_key", count, 6);
    winnow_status status = WINNOW_OK;
    winnow_in column = {0};
    uint64_t *d_beyond = NULL;
    unsigned components = 1;
    py_array *keys = NULL, *in = NULL, *out = NULL;
    PyObject *made = NULL;
    if (!work)
        return NULL;
    const int opened =
        (keys = call_array(&work->call, args[0], "keys", ARRAY_READ)) &&
        (in = call_array(&work->call, args[1], "values", ARRAY_NO_GRADIENT)) &&
        has_no_moments(in) && has_as_many(in, keys) &&
        keys_take(keys, &column) && has_components(in, &components) &&
        work_n(work, args[5], keys->n) &&
        (out = open_sums(work, in, args[2], args[3])) && has_no_moments(out) &&
        open_places(work, in, out, components) &&
        open_beyond(work, args[4], &d_beyond) && work_ready(work);
    RUN(winnow_accumulate_by_key(CONTEXT, &column, work->columns, components,
                                 work->n, out->n, work->sums, d_beyond,
                                 LAUNCH));
    if (work_done(work, opened, status))
        made = args[3] != Py_None ? Py_NewRef(args[3])
                                  : work_like(work->call.state, args[1], out);
    work_free(work);
    return made;
}

PyMethodDef sum_functions[] = {FUNCTION(accumulate_by_key),
                               {NULL, NULL, 0, NULL}};
