/*
 * An array of some library, as a call sees it: address, items, type, device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_PYTHON_ARRAY_H
#define WINNOW_PYTHON_ARRAY_H

#include "state.h"
#include "dlpack.h"

#define MOST_DIMENSIONS 8

/* In place of a device's number: memory that the host and all GPUs reach. */
#define DEVICE_ANY (-2)

typedef struct py_array {
    void *data;
    uint64_t n;        /* items: the length of the first dimension; 1 without */
    int64_t stride;    /* bytes from one item to the next */
    size_t item_bytes; /* of all that the other dimensions have */
    const char *name;  /* what messages call it, by array_name(); with a key a
                        * format of it */
    PyObject *key;     /* of a column, or NULL */
    PyObject *label;   /* the name, once it was asked for */
    winnow_type type;  /* of an element; WINNOW_OPAQUE: none that is compared */
    int kind;          /* what it means: see state.h */
    size_t element_bytes;
    int dimensions;
    int rows_have_gaps; /* the other dimensions are not side by side */
    int read_only;
    int is_bool;
    int is_tensor;  /* of PyTorch's */
    int is_written; /* and was there before the call */
    int is_lazy;    /* the memory has other numbers than the array */
    int is_settled; /* PyTorch neither transforms nor traces */

    int device;           /* WINNOW_DEVICE_HOST, a GPU's ordinal, DEVICE_ANY */
    winnow_stream stream; /* on which its library works now */
    int has_stream;
    /* By __dlpack__ that of its library, which may be another one, and what
     * keeps it: a number, or an object. */
    winnow_stream own_stream;
    PyObject *own;

    PyObject *object;             /* the array itself; a reference of its own */
    const DLPackExchangeAPI *api; /* of its library, or NULL */
    DLDataType dtype;             /* with an API */

    /* What is given back at the end. What is borrowed has its owner
     * alone.  */
    int is_borrowed;
    int has_view;
    PyObject *owner;
    DLManagedTensorVersioned *managed;
    unsigned char *valid; /* of array_valid() */

    /* From here on nothing is cleared: what is in use is written. */
    int64_t shape[MOST_DIMENSIONS];
    int64_t strides[MOST_DIMENSIONS]; /* in bytes */
    Py_buffer view;
} py_array;

/* What a call does with an array, and wants of it. winnow._library has the same
 * numbers. */
enum array_use {
    ARRAY_READ = 0,
    ARRAY_WRITE = 1,
    ARRAY_STRIDES = 2, /* items may lie apart; else such an input is copied */
    ARRAY_FLAT = 4,    /* one dimension */
    ARRAY_NUMBERS = 8, /* elements of a winnow_type */
    ARRAY_NO_GRADIENT = 16, /* a gradient that it requires would be lost */
    ARRAY_BYTES = 32,       /* elements are moved alone, from any address */
    ARRAY_COPIED = 64,      /* by its library, and not once more */
    ARRAY_SETTLED = 128     /* PyTorch neither transforms nor traces */
};

/* What messages call an array: a column's name is a format such as "column %R". */
typedef struct py_name {
    const char *format;
    PyObject *key; /* or NULL */
} py_name;

/*
 * Look at an array. `stream` is on which the call works, or NULL where that is not
 * decided: a library that is asked by __dlpack__ sees to it that the array may be
 * read there. 0, or -1 with an exception.
 */
int array_open(py_state *state, py_array *array, PyObject *object, py_name name,
               unsigned use, const winnow_stream *stream);
const char *array_name(const py_array *array);
void array_close(py_array *array);
/* Check what a call wants, and copy what it does not take. 0, or -1 with an
 * exception. */
int array_use(py_state *state, py_array *array, unsigned use,
              const winnow_stream *stream);
/* Does an input go to the library as it is? */
int array_fits(const py_array *array, unsigned use);
/* The same array once more, which lasts as long as its owner. */
void array_borrow(py_array *array, const py_array *from, PyObject *owner);

/* The stream of an array on a GPU, as an object that lasts; else None. */
PyObject *array_stream(const py_array *array);

/* The type of a DLPack dtype. */
void array_retype(py_array *array, DLDataType dtype);
/* n, stride and item_bytes, of shape, strides and element_bytes. */
void array_lay_out(py_array *array);
/* May an array have as many dimensions? */
int array_has_room(py_array *array, int64_t dimensions);
/* Have the items of b the type and the shape of those of a? */
int array_same_items(const py_array *a, const py_array *b);
/* Is no byte of the one a byte of the other? */
int array_apart(const py_array *a, const py_array *b);

/* The validity of the elements, as a winnow_in has it: NaT of NumPy's dates on
 * the host is null. NULL where none is. -1 with an exception. */
int array_valid(py_array *array, const void **valid_p);

/* CuPy's arrays: cupy.c. Is it one, and of no subclass? */
int cupy_is(const py_state *state, PyObject *object);
/* As the protocols below. */
int cupy_open(const py_state *state, py_array *array,
              const winnow_stream *stream);
/* array_new(), and its memory. NULL without an exception: on this device CuPy makes
 * none now. */
PyObject *cupy_new(const py_state *state, const py_array *like, uint64_t n,
                   const char *type, void **data_p);
extern PyMethodDef cupy_functions[];
/* Is it of a library whose arrays a call takes and returns as they are? */
int array_is_plain(py_state *state, PyObject *object);

/* PyTorch's tensors: tensor.c. What is known of PyTorch, 0 or -1 with an exception. */
int tensor_learn(py_state *state);
/* Is it a tensor or a parameter, and of no other class? */
int tensor_is(const py_state *state, PyObject *object);
/* Would autograd want a gradient, or a tangent, through this tensor? 1, 0, or -1
 * with an exception. *settled_p: no transform is active; where that is known it is
 * not asked again. */
int tensor_has_gradient(py_state *state, PyObject *tensor, int *settled_p);
/* Does make_fx() or torch.jit.trace() record what PyTorch does? -1 with an exception. */
int tensor_is_traced(py_state *state);
/* Is it a conjugate or a negative, which is not what its memory has? */
int tensor_is_lazy(const py_state *state, const py_array *array);
/* The exception of one whose memory is none of its own. -1. */
int tensor_without_memory(py_state *state, const py_array *array);
/* array_new(), and its memory; NULL for that: it has to be looked at. */
PyObject *tensor_new(py_state *state, const py_array *like, uint64_t n,
                     const char *type, void **data_p);
/* Tell autograd of those that were written to. 0, or -1 with an exception. */
int tensors_written(const py_state *state, const py_array *arrays,
                    unsigned count);

/* Is it an array of a library, and no number? */
int array_is(py_state *state, PyObject *object);

/* The API of the library that has this type, NULL if there is none or it is not
 * to be used for the type. -1 with an exception. */
int exchange_find(py_state *state, PyObject *object,
                  const DLPackExchangeAPI **api);

/* How each protocol fills in an array: memory, type, shape, strides and device.
 * 1: done, 0: the object does not have the protocol, -1 with an exception. */
int buffer_open(py_state *state, py_array *array);
int ndarray_open(const py_state *state, py_array *array);
int exchange_open(py_state *state, py_array *array,
                  const DLPackExchangeAPI *api);
int capsule_open(py_state *state, py_array *array, const winnow_stream *stream);
int interface_open(py_state *state, py_array *array);

/* In place of a number of items: an array without dimensions. */
#define NO_DIMENSION UINT64_MAX

/* NumPy's C interface, by the first array of NumPy's; 0, or -1 with an exception. */
int ndarray_learn(py_state *state, PyObject *object);
/* The elements of this array are bytes that may be moved: those of its dtype are. */
void ndarray_trust(py_state *state, PyObject *object);
/* May it have fields? */
int ndarray_has_fields(const py_state *state, PyObject *object);
/* Type and size of elements of a dtype; 0: that takes a longer look. */
size_t ndarray_take_dtype(const py_state *state, py_array *array,
                          PyObject *dtype);
/* A dtype by its name. */
PyObject *ndarray_dtype(const py_state *state, const char *type);
/* array_new() where state->numpy is, and its memory. */
PyObject *ndarray_new(const py_state *state, const py_array *like, uint64_t n,
                      const char *type, void **data_p);

/*
 * A new array of the same library, on the same device: of n items like this one,
 * or, with the name of a type such as "int64" or "bool", of n elements of that
 * type. NULL with an exception.
 */
PyObject *array_new(py_state *state, const py_array *like, uint64_t n,
                    const char *type);
/* The same, and what array_open() would see of it. 0, or -1 with an exception. */
int array_make(py_state *state, py_array *array, const py_array *like,
               uint64_t n, const char *type, const winnow_stream *stream);
/* A number as an array of int64 without dimensions. */
PyObject *array_number(py_state *state, PyObject *like, uint64_t number);

#endif
