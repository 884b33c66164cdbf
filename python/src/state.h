/*
 * The state of the module in one interpreter.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_PYTHON_STATE_H
#define WINNOW_PYTHON_STATE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#include <winnow.h>

#define MOST_DEVICES 64
#define MOST_STATUSES 9
#define MOST_TYPES 13
/* The kind of an array's elements is a winnow_type, or one of NumPy's dates
 * and durations, which are int64 (kind.c). From KIND_OTHER on these have a unit
 * that the library does not have, and are read as numbers. winnow._library has
 * the same numbers. */
#define KIND_OTHER 22
#define MOST_KINDS (KIND_OTHER + 1)
/* The keyword arguments of fast calls. These calls read their arguments without
 * tuples and dictionaries. */
enum keyword {
    KEY_OUT,
    KEY_COUNT,
    KEY_CAPACITY,
    KEY_ORDER,
    KEY_FILL,
    KEY_N,
    KEY_STREAM,
    KEY_ARRIVING,
    KEYWORDS
};

/* The objects of PyTorch that the extension uses. winnow._library.tensors()
 * has the same order. */
enum torch_part {
    TORCH_TENSOR,        /* the class */
    TORCH_PARAMETER,     /* the class */
    TORCH_INCREMENT,     /* records that tensors were written to */
    TORCH_HAS_GRADIENTS, /* tells whether gradients are recorded */
    TORCH_LEVEL,         /* returns the active transform of torch.func */
    TORCH_FORWARD,       /* the dictionary of the module of forward mode */
    TORCH_MODES,         /* returns the number of modes that see operators */
    TORCH_PRE_DISPATCH,  /* tells whether other modes run before dispatch */
    TORCH_TRACE,         /* returns what torch.jit.trace() records */
    TORCH_EMPTY_CPU,     /* makes a tensor on the CPU, or None */
    TORCH_EMPTY_CUDA,    /* makes a tensor on the current GPU, or None */
    TORCH_DTYPES,        /* bool, then those of winnow_type; some may be None */
    TORCH_CAPTURES,      /* tells whether the current stream is captured */
    TORCH_PARTS
};

enum cupy_part {
    CUPY_ARRAY,  /* cupy.ndarray */
    CUPY_STREAM, /* returns the current stream */
    CUPY_PARTS
};

typedef struct py_state {
    /* Contexts of the host and of the GPUs. Each is made when it is first
     * used. */
    winnow_context *contexts[1 + MOST_DEVICES];
    unsigned threads;
    winnow_compile compile; /* of the contexts of GPUs */
    unsigned repeats; /* of each call of the library; 0: it is made once */
    int64_t took;     /* time of the repeated calls, in ns */
    int has_streams;  /* whether an Arrow stream ever used the host's context */

    PyObject *error;                   /* winnow.Error */
    PyObject *errors[MOST_STATUSES];   /* its subclasses, by status */
    PyObject *keywords[KEYWORDS];      /* interned names */
    PyObject *order_input, *order_any; /* interned values of order= */
    PyObject *name_dtype;              /* interned attributes */
    PyObject *name_data, *name_ptr, *name_device_id; /* of CuPy arrays */
    PyObject *name_shape, *name_strides;
    PyObject *name_level;
    PyObject *name_is_conj, *name_is_neg, *name_requires_grad;
    PyObject *name_capacity, *name_count, *name_stream;
    PyObject *name_buffer, *name_buffers;
    PyObject *name_kept, *name_text;

    PyObject *result_class; /* winnow.Result, and its base */
    PyObject *counted_class;
    PyObject *rows_class; /* winnow.Rows */
    PyTypeObject *prepared_type;
    PyTypeObject *view_type;
    PyTypeObject *selection_type;
    PyTypeObject *query_type;
    PyTypeObject *reduction_type;

    PyObject *ndarray;       /* numpy.ndarray, or NULL until one is seen */
    void **numpy;            /* functions of NumPy's C interface, or NULL */
    PyObject *records_dtype; /* the last dtype whose elements are bytes */
    PyObject *torch[TORCH_PARTS]; /* NULL until a tensor is seen */
    PyObject *cupy[CUPY_PARTS];
    PyObject *exchanges; /* type of arrays -> capsule with its exchange API */
    PyObject *last_type; /* the type that was looked up last, */
    const struct DLPackExchangeAPI *last_api; /* and its API */
    struct py_kept *kept;  /* conditions; NULL until there is one */
    struct py_work *spare; /* memory for the next call, or NULL */

    /* Functions of winnow._library, which know the array libraries by name. */
    PyObject *library;
    PyObject *prepare;       /* winnow._prepare.one */
    PyObject *prepare_table; /* winnow._prepare.for_table */
    PyObject *prepare_query; /* winnow._reduce.query */
} py_state;

py_state *state_of(PyObject *module);

/* Return the context of a device, and make it if necessary. NULL with an
 * exception. */
winnow_context *state_context(py_state *state, int device);

/* Raise the exception of a status, with the library's detail. Returns NULL. */
void *raise_status(const py_state *state, winnow_status status);

/* Call a function of winnow._library. Returns a new reference, or NULL. */
PyObject *library_call(py_state *state, const char *name, const char *format,
                       ...);

#endif
