/*
 * Arrays by DLPack: the exchange API of C, and the method __dlpack__.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "array.h"

#include <string.h>

static winnow_type type_of(DLDataType dtype) {
    static const winnow_type signed_types[] = {WINNOW_INT8, WINNOW_INT16,
                                               WINNOW_INT32, WINNOW_INT64};
    static const winnow_type unsigned_types[] = {WINNOW_UINT8, WINNOW_UINT16,
                                                 WINNOW_UINT32, WINNOW_UINT64};
    int size;
    if (dtype.lanes != 1)
        return WINNOW_OPAQUE;
    for (size = 0; size < 4 && dtype.bits != 8 << size;)
        size++;
    if (size == 4)
        return WINNOW_OPAQUE;
    switch (dtype.code) {
    case kDLInt:
        return signed_types[size];
    case kDLUInt:
        return unsigned_types[size];
    case kDLBool:
        return size == 0 ? WINNOW_UINT8 : WINNOW_OPAQUE;
    case kDLFloat:
        return size == 1   ? WINNOW_FLOAT16
               : size == 2 ? WINNOW_FLOAT32
               : size == 3 ? WINNOW_FLOAT64
                           : WINNOW_OPAQUE;
    case kDLBfloat:
        return size == 1 ? WINNOW_BFLOAT16 : WINNOW_OPAQUE;
    default:
        return WINNOW_OPAQUE;
    }
}

static int take_tensor(py_array *array, const DLTensor *tensor,
                       const char *name) {
    const size_t bits = (size_t)tensor->dtype.bits * tensor->dtype.lanes;
    if (tensor->ndim > MOST_DIMENSIONS) {
        PyErr_Format(PyExc_ValueError, "%s has %d dimensions, more than %d",
                     name, (int)tensor->ndim, MOST_DIMENSIONS);
        return -1;
    }
    if (bits == 0 || bits % 8) {
        PyErr_Format(PyExc_TypeError, "%s has elements of %d bits", name,
                     (int)bits);
        return -1;
    }
    switch (tensor->device.device_type) {
    case kDLCPU:
        array->device = WINNOW_DEVICE_HOST;
        break;
    case kDLCUDAHost:
        array->device = DEVICE_ANY;
        break;
    case kDLCUDA:
    case kDLCUDAManaged:
        array->device = tensor->device.device_id;
        break;
    default:
        PyErr_Format(PyExc_ValueError,
                     "%s is on a device of DLPack's type %d, which is neither "
                     "the CPU nor a GPU of CUDA",
                     name, (int)tensor->device.device_type);
        return -1;
    }
    const size_t bytes = bits / 8;
    array->data =
        tensor->data ? (char *)tensor->data + tensor->byte_offset : NULL;
    array->dtype = tensor->dtype;
    array->type = type_of(tensor->dtype);
    array->element_bytes = bytes;
    array->dimensions = tensor->ndim;
    array->n = 1;
    array->item_bytes = bytes;
    array->stride = (int64_t)bytes;
    for (int i = tensor->ndim; i-- > 0;) {
        const int64_t side_by_side = (int64_t)(array->item_bytes / bytes);
        const int64_t stride =
            tensor->strides ? tensor->strides[i] : side_by_side;
        array->shape[i] = tensor->shape[i];
        if (i == 0) {
            array->n = (uint64_t)tensor->shape[0];
            array->stride = stride * (int64_t)bytes;
        } else {
            if (tensor->shape[i] != 1 && stride != side_by_side)
                array->rows_have_gaps = 1;
            array->item_bytes *= (size_t)tensor->shape[i];
        }
    }
    return 0;
}

/* --------------------------------------------------------- the exchange API */

static const DLPackExchangeAPI *usable(PyObject *capsule) {
    const DLPackExchangeAPIHeader *header =
        PyCapsule_GetPointer(capsule, "dlpack_exchange_api");
    while (header && header->version.major > DLPACK_MAJOR_VERSION)
        header = header->prev_api;
    return header && header->version.major == DLPACK_MAJOR_VERSION
               ? (const DLPackExchangeAPI *)header
               : NULL;
}

int exchange_find(py_state *state, PyObject *object,
                  const DLPackExchangeAPI **api) {
    PyObject *const type = (PyObject *)Py_TYPE(object);
    PyObject *capsule = PyDict_GetItemWithError(state->exchanges, type);
    *api = NULL;
    if (capsule) {
        *api = usable(capsule);
        return *api || !PyErr_Occurred() ? 0 : -1;
    }
    if (PyErr_Occurred())
        return -1;
    if (!PyObject_HasAttrString(type, "__dlpack_c_exchange_api__"))
        return 0;
    /* Subclasses inherit the API, and it succeeds for those whose memory is
     * not what it says. */
    capsule = library_call(state, "exchange", "O", type);
    if (!capsule)
        return -1;
    if (capsule != Py_None) {
        *api = usable(capsule);
        if (!*api && !PyErr_Occurred())
            PyErr_Format(PyExc_BufferError,
                         "%R has an exchange API of another version of DLPack",
                         type);
        if (!*api || PyDict_SetItem(state->exchanges, type, capsule)) {
            Py_DECREF(capsule);
            return -1;
        }
    }
    Py_DECREF(capsule);
    return 0;
}

/* Does a method of the array say so? */
static int says(PyObject *object, PyObject *method) {
    PyObject *const is = PyObject_CallMethodObjArgs(object, method, NULL);
    if (!is && !PyErr_ExceptionMatches(PyExc_AttributeError))
        return -1;
    if (!is)
        PyErr_Clear(); /* only PyTorch's have it */
    Py_XDECREF(is);
    return is == Py_True;
}

/* PyTorch's conjugates and negatives are views with a bit, which the API passes
 * over: their memory has the numbers that they were made of. */
static int is_lazy(const py_state *state, const py_array *array) {
    const int code = array->dtype.code;
    const int is =
        code == kDLComplex ? says(array->object, state->name_is_conj) : 0;
    return is || code == kDLBool ? is : says(array->object, state->name_is_neg);
}

int exchange_open(py_state *state, py_array *array,
                  const DLPackExchangeAPI *api, const char *name) {
    DLTensor tensor;
    if (api->dltensor_from_py_object_no_sync) {
        if (api->dltensor_from_py_object_no_sync(array->object, &tensor))
            return -1;
    } else {
        if (api->managed_tensor_from_py_object_no_sync(array->object,
                                                       &array->managed))
            return -1;
        tensor = array->managed->dl_tensor;
    }
    if (take_tensor(array, &tensor, name))
        return -1;
    array->api = api;
    array->is_lazy = is_lazy(state, array);
    if (array->is_lazy < 0)
        return -1;
    if (array->device >= 0) {
        void *stream = NULL;
        if (api->current_work_stream(kDLCUDA, array->device, &stream))
            return -1;
        array->stream = stream;
        array->has_stream = 1;
    }
    return 1;
}

/* ------------------------------------------------------ the method __dlpack__ */

int capsule_open(py_state *state, py_array *array, const char *name,
                 const winnow_stream *stream) {
    if (!PyObject_HasAttrString(array->object, "__dlpack__"))
        return 0;
    PyObject *const wanted =
        stream ? PyLong_FromVoidPtr((void *)*stream) : Py_NewRef(Py_None);
    PyObject *const capsule =
        library_call(state, "capsule", "OsN", array->object, name, wanted);
    const DLTensor *tensor = NULL;
    if (!capsule)
        return -1;
    array->owner = capsule;
    if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
        const DLManagedTensorVersioned *const managed =
            PyCapsule_GetPointer(capsule, "dltensor_versioned");
        if (managed->version.major != DLPACK_MAJOR_VERSION) {
            PyErr_Format(PyExc_BufferError, "%s is of DLPack %u.%u", name,
                         (unsigned)managed->version.major,
                         (unsigned)managed->version.minor);
            return -1;
        }
        array->read_only =
            (managed->flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0;
        tensor = &managed->dl_tensor;
    } else {
        const DLManagedTensor *const managed =
            PyCapsule_GetPointer(capsule, "dltensor");
        if (!managed)
            return -1;
        tensor = &managed->dl_tensor;
    }
    if (take_tensor(array, tensor, name))
        return -1;
    if (array->device >= 0) {
        PyObject *const own =
            library_call(state, "current_stream", "O", array->object);
        if (!own)
            return -1;
        /* The library made the array ready for the stream that was named. */
        array->stream = stream ? *stream : PyLong_AsVoidPtr(own);
        array->has_stream = 1;
        Py_DECREF(own);
    }
    return PyErr_Occurred() ? -1 : 1;
}
