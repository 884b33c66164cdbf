/*
 * What one interpreter's copy of the module keeps.
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
/* What the elements of an array are: a winnow_type; or one of NumPy's dates and
 * differences of dates, which are int64 (kind.c); from KIND_OTHER on those of a
 * unit that the library has not, which count as numbers. winnow._library has
 * the same numbers. */
#define KIND_OTHER 22
#define MOST_KINDS (KIND_OTHER + 1)
/* The words of calls that are fast: they read their arguments without tuples
 * and dictionaries. */
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

/* What the extension has of PyTorch: its classes, what says that tensors were written
 * to, whether gradients are recorded, which transform of torch.func's is active, the
 * dictionary of forward mode, how many modes see operators, what torch.jit.trace()
 * records, and what makes tensors on the CPU and on the current GPU, or None. */
enum torch_part {
    TORCH_TENSOR,
    TORCH_PARAMETER,
    TORCH_INCREMENT,
    TORCH_HAS_GRADIENTS,
    TORCH_LEVEL,
    TORCH_FORWARD,
    TORCH_MODES,
    TORCH_PRE_DISPATCH, /* are there modes before dispatch, which are no others? */
    TORCH_TRACE,
    TORCH_EMPTY_CPU,
    TORCH_EMPTY_CUDA,
    TORCH_DTYPES,   /* bool, and then those of winnow_type; some may be None */
    TORCH_CAPTURES, /* is the current stream captured? */
    TORCH_PARTS
};

enum cupy_part {
    CUPY_ARRAY,  /* cupy.ndarray */
    CUPY_STREAM, /* gives the current stream */
    CUPY_PARTS
};

typedef struct py_state {
    /* Contexts, made when a device is first used: the host, then the GPUs. */
    winnow_context *contexts[1 + MOST_DEVICES];
    unsigned threads;
    winnow_compile compile; /* of the contexts of GPUs */
    unsigned repeats; /* of each call of the library's; 0: it is made once */
    int64_t took;     /* by those that were repeated, in ns */
    int has_streams;  /* has the host's context ever been lent to a stream? */

    PyObject *error;                   /* winnow.Error */
    PyObject *errors[MOST_STATUSES];   /* its subclasses, by status */
    PyObject *keywords[KEYWORDS];      /* interned names */
    PyObject *order_input, *order_any; /* interned values of order= */
    PyObject *name_dtype;              /* interned attributes */
    PyObject *name_data, *name_ptr, *name_device_id; /* of CuPy's arrays */
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

    PyObject *ndarray;            /* numpy.ndarray, or NULL until one is seen */
    void **numpy;                 /* functions of its C interface, or NULL */
    PyObject *records_dtype;      /* of the last one whose elements are bytes */
    PyObject *torch[TORCH_PARTS]; /* NULL until a tensor is seen */
    PyObject *cupy[CUPY_PARTS];
    PyObject *exchanges; /* type of arrays -> capsule with its exchange API */
    PyObject *last_type; /* the last one that was looked up, */
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

/* The context of a device, made if there is none; NULL with an exception. */
winnow_context *state_context(py_state *state, int device);

/* Raise the exception of a status, with the library's detail. NULL. */
void *raise_status(const py_state *state, winnow_status status);

/* Call a function of winnow._library; a new reference, or NULL. */
PyObject *library_call(py_state *state, const char *name, const char *format,
                       ...);

#endif
