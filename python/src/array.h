/*
 * An array of any library, as a call sees it: address, items, type, device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_PYTHON_ARRAY_H
#define WINNOW_PYTHON_ARRAY_H

#include "state.h"
#include "dlpack.h"

#define MOST_DIMENSIONS 8

/* A device's number for memory that the host and all GPUs can access. */
#define DEVICE_ANY (-2)

typedef struct py_array {
    void *data;
    uint64_t n;        /* length of the first dimension; 1 if there is none */
    int64_t stride;    /* bytes from one item to the next */
    size_t item_bytes; /* bytes of all elements in the other dimensions */
    const char *name;  /* for messages, by array_name(); with a key it is a
                        * format for the key */
    PyObject *key;     /* the name of a column, or NULL */
    PyObject *label;   /* what array_name() made of name and key, or NULL */
    winnow_type type;  /* of an element; WINNOW_OPAQUE cannot be compared */
    int kind;          /* the kind of the elements: see state.h */
    size_t element_bytes;
    int dimensions;
    int rows_have_gaps; /* the elements of an item are not contiguous */
    int read_only;
    int is_bool;
    int is_tensor;  /* the array is a tensor of PyTorch */
    int is_written; /* the call writes to it, and did not make it */
    int is_lazy;    /* the memory does not have the array's values */
    int is_settled; /* PyTorch neither transforms nor traces */

    int device;           /* WINNOW_DEVICE_HOST, a GPU's ordinal, DEVICE_ANY */
    winnow_stream stream; /* the stream on which the array is ready */
    int has_stream;
    /* The current stream of the array's library, which may differ, and the
     * number or object that keeps it alive. __dlpack__ and CuPy set these. */
    winnow_stream own_stream;
    PyObject *own;

    PyObject *object;             /* the array itself, an owned reference */
    const DLPackExchangeAPI *api; /* of the array's library, or NULL */
    DLDataType dtype;             /* if there is an API */

    /* What array_close() releases. A borrowed array releases only its own
     * members: key, label, owner, valid. */
    int is_borrowed;
    int has_view;
    PyObject *owner;
    DLManagedTensorVersioned *managed;
    unsigned char *valid; /* made by array_valid() */

    /* The members from here on are not cleared: they are written before use. */
    int64_t shape[MOST_DIMENSIONS];
    int64_t strides[MOST_DIMENSIONS]; /* in bytes */
    Py_buffer view;
} py_array;

/* What a call does with an array, and what it requires of it. */
enum array_use {
    ARRAY_READ = 0,
    ARRAY_WRITE = 1,
    ARRAY_STRIDES = 2, /* gaps between items are allowed, and not copied away */
    ARRAY_FLAT = 4,    /* the array must have one dimension */
    ARRAY_NUMBERS = 8, /* the elements must have a winnow_type */
    ARRAY_NO_GRADIENT = 16, /* the array must not require a gradient */
    ARRAY_BYTES = 32,       /* elements are only moved: no alignment needed */
    ARRAY_COPIED = 64,      /* the array is a copy: do not copy it again */
    ARRAY_SETTLED = 128,    /* PyTorch neither transforms nor traces */
    ARRAY_UNTRACED = 256,   /* PyTorch does not trace */
    ARRAY_ITEMS = 512       /* items of 1 to 16 bytes must be aligned */
};

/* The name of an array in messages. For a column it is a format for the
 * column's key, such as "column %R". */
typedef struct py_name {
    const char *format;
    PyObject *key; /* or NULL */
} py_name;

/*
 * Open an array: find its memory and layout, and check it for a use. `stream`
 * is the stream of the call, or NULL if it is not decided yet. __dlpack__ makes
 * the array ready on this stream. Returns 0, or -1 with an exception.
 */
int array_open(py_state *state, py_array *array, PyObject *object, py_name name,
               unsigned use, const winnow_stream *stream);
const char *array_name(const py_array *array);
/* Check that an array of NumPy or PyTorch has the memory that it had when it was
 * opened. Other arrays hold theirs. Returns 0, or -1 with an exception. */
int array_look_again(py_state *state, const py_array *array);
void array_close(py_array *array);
/* Check an array for a use, and replace it by a copy if its layout does not
 * fit. Returns 0, or -1 with an exception. */
int array_use(py_state *state, py_array *array, unsigned use,
              const winnow_stream *stream);
/* Can the call take an input with this layout, without a copy? */
int array_fits(const py_array *array, unsigned use);
/* Make a second py_array for the same memory, which keeps `owner` alive. */
void array_borrow(py_array *array, const py_array *from, PyObject *owner);

/* Return the stream of an array on a GPU as an object that keeps it alive; else
 * None. */
PyObject *array_stream(const py_array *array);

/* Set the type of an array to a DLPack dtype. */
void array_retype(py_array *array, DLDataType dtype);
/* Compute n, stride and item_bytes from shape, strides and element_bytes. */
void array_lay_out(py_array *array);
/* Set the number of dimensions. Returns 0 with an exception if it is too
 * large. */
int array_has_room(py_array *array, int64_t dimensions);
/* Do the items of a and b have the same type and shape? */
int array_same_items(const py_array *a, const py_array *b);
/* Do a and b not overlap? */
int array_apart(const py_array *a, const py_array *b);

/* Find the validity bits of the elements, as a winnow_in has them. On the
 * host NaT of NumPy's dates is null. *valid_p is NULL if there are no nulls.
 * Returns 0, or -1 with an exception. */
int array_valid(py_array *array, const void **valid_p);

/* CuPy arrays: cupy.c. Is the object a cupy.ndarray, and not of a subclass? */
int cupy_is(const py_state *state, PyObject *object);
/* Opens an array like the protocols below. */
int cupy_open(const py_state *state, py_array *array,
              const winnow_stream *stream);
/* array_new() for CuPy, which also returns the memory. NULL without an
 * exception: CuPy's current device is another one. */
PyObject *cupy_new(const py_state *state, const py_array *like, uint64_t n,
                   const char *type, void **data_p);
extern PyMethodDef cupy_functions[];
/* Is the object of a library whose arrays a call returns without conversion? */
int array_is_plain(py_state *state, PyObject *object);

/* PyTorch tensors: tensor.c. Fill in state->torch once PyTorch is imported.
 * Returns 0, or -1 with an exception. */
int tensor_learn(py_state *state);
/* Is the object a tensor or a parameter, and not of a subclass? */
int tensor_is(const py_state *state, PyObject *object);
/* Does this tensor require a gradient or have a tangent? Returns 1, 0, or -1
 * with an exception. *settled_p says that no transform is active; if it is set,
 * PyTorch is not asked again. */
int tensor_has_gradient(py_state *state, PyObject *tensor, int *settled_p);
/* Is make_fx() or torch.jit.trace() recording operators? -1 with an
 * exception. */
int tensor_is_traced(py_state *state);
/* Is the tensor a conjugate or negative view, whose memory has other values? */
int tensor_is_lazy(const py_state *state, const py_array *array);
/* Is a tensor of int1 to int7 or uint1 to uint7? To DLPack these are int8 and
 * uint8; here they are elements that no call interprets. -1 with an exception. */
int tensor_is_narrow(const py_state *state, py_array *array);
/* Explain the exception for a tensor without memory of its own. Returns -1. */
int tensor_without_memory(py_state *state, const py_array *array);
/* array_new() for PyTorch. *data_p is the memory, or NULL if the caller has
 * to open the array to find it. */
PyObject *tensor_new(py_state *state, const py_array *like, uint64_t n,
                     const char *type, void **data_p);
/* Tell autograd which tensors were written to. Returns 0, or -1 with an
 * exception. */
int tensors_written(const py_state *state, const py_array *arrays,
                    unsigned count);

/* Is the object an array, and not a number? */
int array_is(py_state *state, PyObject *object);

/* Find the exchange API for the type of an object. *api is NULL if there is
 * none, or if it must not be used for this type. Returns 0, or -1 with an
 * exception. */
int exchange_find(py_state *state, PyObject *object,
                  const DLPackExchangeAPI **api);

/* Fill in an array by one protocol: memory, type, shape, strides and device.
 * Returns 1, 0 if the object does not have the protocol, or -1 with an
 * exception. */
int buffer_open(py_state *state, py_array *array);
int ndarray_open(const py_state *state, py_array *array);
int exchange_open(py_state *state, py_array *array,
                  const DLPackExchangeAPI *api);
int capsule_open(py_state *state, py_array *array, const winnow_stream *stream);
int interface_open(py_state *state, py_array *array);

/* A number of items that stands for an array without dimensions. */
#define NO_DIMENSION UINT64_MAX

/* Find NumPy's C interface when the first NumPy array is seen. Returns 0, or -1
 * with an exception. */
int ndarray_learn(py_state *state, PyObject *object);
/* Remember the dtype of this array: its elements are bytes that calls may
 * move. */
void ndarray_trust(py_state *state, PyObject *object);
/* May the array have fields? */
int ndarray_has_fields(const py_state *state, PyObject *object);
/* Set the type of an array from a dtype, and return the size of an element.
 * 0: only winnow._library knows the dtype. */
size_t ndarray_take_dtype(const py_state *state, py_array *array,
                          PyObject *dtype);
/* Return a dtype by its name. */
PyObject *ndarray_dtype(const py_state *state, const char *type);
/* array_new() for NumPy, which also returns the memory. Needs state->numpy. */
PyObject *ndarray_new(const py_state *state, const py_array *like, uint64_t n,
                      const char *type, void **data_p);

/*
 * Make a new array of the same library, on the same device. It has n items like
 * those of `like` or, if `type` is a name such as "int64" or "bool", n elements
 * of this type. NULL with an exception.
 */
PyObject *array_new(py_state *state, const py_array *like, uint64_t n,
                    const char *type);
/* The same, and open the array. Returns 0, or -1 with an exception. */
int array_make(py_state *state, py_array *array, const py_array *like,
               uint64_t n, const char *type, const winnow_stream *stream);
/* Make an int64 array without dimensions that has this number. */
PyObject *array_number(py_state *state, PyObject *like, uint64_t number);

#endif
