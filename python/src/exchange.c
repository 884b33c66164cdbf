/*
 * Open arrays by DLPack: by its exchange API in C, and by the method
 * __dlpack__.
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

void array_retype(py_array *array, DLDataType dtype) {
    array->dtype = dtype;
    array->type = type_of(dtype);
    array->kind = (int)array->type;
    array->element_bytes = (size_t)dtype.bits * dtype.lanes / 8;
    array->is_bool = dtype.code == kDLBool;
}

static int take_device(py_array *array, const DLDevice *device) {
    switch (device->device_type) {
    case kDLCPU:
        array->device = WINNOW_DEVICE_HOST;
        return 0;
    case kDLCUDAHost:
        array->device = DEVICE_ANY;
        return 0;
    case kDLCUDA:
    case kDLCUDAManaged:
        array->device = device->device_id;
        return 0;
    default:
        PyErr_Format(PyExc_ValueError,
                     "%s is on a device of DLPack's type %d, which is neither "
                     "the CPU nor a GPU of CUDA",
                     array_name(array), (int)device->device_type);
        return -1;
    }
}

static int take_tensor(py_array *array, const DLTensor *tensor) {
    const size_t bits = (size_t)tensor->dtype.bits * tensor->dtype.lanes;
    if (!array_has_room(array, tensor->ndim) ||
        take_device(array, &tensor->device))
        return -1;
    if (bits == 0 || bits % 8) {
        PyErr_Format(PyExc_TypeError, "%s has elements of %d bits",
                     array_name(array), (int)bits);
        return -1;
    }
    const int64_t bytes = (int64_t)bits / 8;
    array->data =
        tensor->data ? (char *)tensor->data + tensor->byte_offset : NULL;
    array_retype(array, tensor->dtype);
    int64_t side_by_side = bytes;
    for (int i = tensor->ndim; i-- > 0;) {
        array->shape[i] = tensor->shape[i];
        array->strides[i] =
            tensor->strides ? tensor->strides[i] * bytes : side_by_side;
        side_by_side *= tensor->shape[i];
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
    *api = type == state->last_type ? state->last_api : NULL;
    if (*api)
        return 0;
    PyObject *capsule = PyDict_GetItemWithError(state->exchanges, type);
    if (capsule) {
        state->last_type = type; /* the dictionary keeps it alive */
        state->last_api = *api = usable(capsule);
        return *api || !PyErr_Occurred() ? 0 : -1;
    }
    if (PyErr_Occurred())
        return -1;
    if (!PyObject_HasAttrString(type, "__dlpack_c_exchange_api__"))
        return 0;
    /* Subclasses inherit the API. It succeeds even for objects that do not have
     * the memory that it returns, so winnow._library decides. */
    capsule = library_call(state, "exchange", "O", type);
    if (!capsule)
        return -1;
    if (capsule != Py_None) {
        *api = usable(capsule);
        if (!*api && !PyErr_Occurred())
            PyErr_Format(PyExc_BufferError,
                         "%R has an exchange API of another version of DLPack",
                         type);
        if (!*api || PyDict_SetItem(state->exchanges, type, capsule) ||
            tensor_learn(state)) {
            Py_DECREF(capsule);
            return -1;
        }
    }
    Py_DECREF(capsule);
    return 0;
}

int exchange_open(py_state *state, py_array *array,
                  const DLPackExchangeAPI *api) {
    DLTensor tensor;
    if (api->dltensor_from_py_object_no_sync
            ? api->dltensor_from_py_object_no_sync(array->object, &tensor)
            : api->managed_tensor_from_py_object_no_sync(array->object,
                                                         &array->managed))
        return tensor_without_memory(state, array);
    if (array->managed)
        tensor = array->managed->dl_tensor;
    if (take_tensor(array, &tensor))
        return -1;
    array->api = api;
    array->is_tensor = tensor_is(state, array->object);
    array->is_lazy = array->is_tensor ? tensor_is_lazy(state, array) : 0;
    if (array->is_lazy < 0 ||
        (array->is_tensor && tensor_is_narrow(state, array) < 0))
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

/* --------------------------------------------------- the method __dlpack__ */

int capsule_open(py_state *state, py_array *array,
                 const winnow_stream *stream) {
    if (!PyObject_HasAttrString(array->object, "__dlpack__"))
        return 0;
    PyObject *const wanted =
        stream ? PyLong_FromVoidPtr((void *)*stream) : Py_NewRef(Py_None);
    PyObject *const pair = library_call(state, "capsule", "OsN", array->object,
                                        array_name(array), wanted);
    PyObject *capsule, *own;
    const DLTensor *tensor = NULL;
    if (!pair)
        return -1;
    array->owner = pair;
    if (!PyArg_ParseTuple(pair, "OO", &capsule, &own))
        return -1;
    if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
        const DLManagedTensorVersioned *const managed =
            PyCapsule_GetPointer(capsule, "dltensor_versioned");
        if (managed->version.major != DLPACK_MAJOR_VERSION) {
            PyErr_Format(PyExc_BufferError, "%s is of DLPack %u.%u",
                         array_name(array), (unsigned)managed->version.major,
                         (unsigned)managed->version.minor);
            return -1;
        }
        /* Nobody would see what is written to a copy. */
        array->read_only =
            (managed->flags & (DLPACK_FLAG_BITMASK_READ_ONLY |
                               DLPACK_FLAG_BITMASK_IS_COPIED)) != 0;
        tensor = &managed->dl_tensor;
    } else {
        const DLManagedTensor *const managed =
            PyCapsule_GetPointer(capsule, "dltensor");
        if (!managed)
            return -1;
        tensor = &managed->dl_tensor;
    }
    if (take_tensor(array, tensor))
        return -1;
    if (array->device >= 0) {
        PyObject *const number = library_call(state, "stream_number", "O", own);
        if (!number)
            return -1;
        /* The library made the array ready on `stream`, if that is set. */
        array->own = Py_NewRef(own);
        array->own_stream = PyLong_AsVoidPtr(number);
        array->stream = stream ? *stream : array->own_stream;
        array->has_stream = 1;
        Py_DECREF(number);
    }
    return PyErr_Occurred() ? -1 : 1;
}
