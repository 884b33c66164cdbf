/*
 * winnow: filter arrays on a GPU from C.
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * winnow keeps the elements of an array that pass a predicate and packs them
 * together (stream compaction, copy_if, select). This header is the whole
 * public interface. Every function has a page in section 3 of the manual. Begin
 * with winnow(7).
 *
 * Conventions
 *   - Every call that can fail returns a winnow_status; results come through
 *     pointers whose names end in _p and are written only on success.
 *   - A name that begins with d_ is memory that the context's device can
 *     access: device, managed or pinned host memory for a CUDA context,
 *     ordinary memory for a context of the host.
 *   - The library prints nothing, never exits, and leaves the caller's current
 *     CUDA device as it was.
 */
#ifndef WINNOW_H
#define WINNOW_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define WINNOW_API __attribute__((visibility("default")))
/* The compiler warns if the status is ignored. */
#define WINNOW_API_CHECKED                                                     \
    __attribute__((visibility("default"), warn_unused_result))
#else
#define WINNOW_API
#define WINNOW_API_CHECKED
#endif

/* ---------------------------------------------------------------- version */

#define WINNOW_VERSION_MAJOR 0
#define WINNOW_VERSION_MINOR 1
#define WINNOW_VERSION_PATCH 0
#define WINNOW_VERSION                                                         \
    (WINNOW_VERSION_MAJOR * 10000 + WINNOW_VERSION_MINOR * 100 +               \
     WINNOW_VERSION_PATCH)

/* The version of the running library, as a number like WINNOW_VERSION. */
WINNOW_API int winnow_version(void);
/* The same as text, "0.1.0". Static storage. */
WINNOW_API const char *winnow_version_string(void);

/* ------------------------------------------------------------------ status */

typedef enum winnow_status {
    WINNOW_OK = 0,
    WINNOW_ERR_ARGUMENT = 1,    /* an argument is wrong */
    WINNOW_ERR_WORKSPACE = 2,   /* the workspace is too small */
    WINNOW_ERR_UNSUPPORTED = 3, /* valid, but the combination is not
                                   supported */
    WINNOW_ERR_MEMORY = 4,      /* out of host or device memory */
    WINNOW_ERR_NO_DEVICE = 5,   /* no such device, no driver, or no CUDA */
    WINNOW_ERR_CUDA = 6,        /* the CUDA runtime reported an error */
    WINNOW_ERR_SYNTAX = 7,  /* a text is wrong: a tuning profile, a condition */
    WINNOW_ERR_COMPILE = 8, /* reserved: a predicate did not compile */
    WINNOW_ERR_FILE = 9,    /* a file cannot be read or written, or is short */
    WINNOW_ERR_STOPPED = 10,      /* a function of the caller stopped a pipe */
    WINNOW_ERR_COMMUNICATION = 11 /* MPI or NCCL reported an error */
} winnow_status;

/* "WINNOW_ERR_WORKSPACE"; "WINNOW_STATUS_UNKNOWN" for any other value. */
WINNOW_API const char *winnow_status_name(winnow_status status);
/* "workspace is too small"; a short sentence for people. */
WINNOW_API const char *winnow_status_string(winnow_status status);
/*
 * The detail of this thread's last failed call: the argument that was wrong,
 * and what is required. It is empty before the first failure. A successful call
 * does not change it. The text belongs to the library and is valid until the
 * thread's next call.
 */
WINNOW_API const char *winnow_last_error(void);
/*
 * Set the detail, for libraries that are built on this one, such as
 * libwinnow-mpi. The call copies at most 511 bytes of it; NULL counts as an
 * empty string. Returns status.
 */
WINNOW_API winnow_status winnow_set_last_error(winnow_status status,
                                               const char *detail);

/* Where a text is wrong. */
typedef struct winnow_place {
    size_t size; /* sizeof(winnow_place) */

    /* Counted from 1; 0: the last error has no place in a text. */
    uint32_t line;
    uint32_t column; /* in bytes */
    uint64_t offset; /* in bytes from the beginning of the text */
    /* The number, counted from 0, of the field that the error is about, or of
     * the last one that the text names before it; WINNOW_NO_FIELD if there is
     * none. */
    uint32_t field;
    /* If the error is an unknown name, the number of bytes of the name with its
     * quotes; otherwise 0. */
    uint32_t name_bytes;

    uint64_t reserved[4];
} winnow_place;
#define WINNOW_NO_FIELD UINT32_MAX

/*
 * Write the place in the text of a condition or an expression at which this
 * thread's last failed call found an error. The detail describes the error.
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: place is NULL, or no version has a
 * struct of its size.
 */
WINNOW_API_CHECKED winnow_status winnow_last_error_place(winnow_place *place);

/* ------------------------------------------------------------------- types */

typedef enum winnow_type {
    WINNOW_OPAQUE = 0, /* bytes that no call interprets */
    WINNOW_INT8 = 1,
    WINNOW_INT16 = 2,
    WINNOW_INT32 = 3,
    WINNOW_INT64 = 4,
    WINNOW_UINT8 = 5,
    WINNOW_UINT16 = 6,
    WINNOW_UINT32 = 7,
    WINNOW_UINT64 = 8,
    WINNOW_FLOAT16 = 9,   /* IEEE 754 binary16 */
    WINNOW_BFLOAT16 = 10, /* the upper half of a float32 */
    WINNOW_FLOAT32 = 11,
    WINNOW_FLOAT64 = 12,
    WINNOW_BIT = 13,    /* a bit: eight to a byte, least significant first */
    WINNOW_INT128 = 14, /* two's complement, 16 bytes */
    /* Strings: any number of bytes. */
    WINNOW_STRING32 = 15, /* between two offsets of 32 bits: winnow_in */
    WINNOW_STRING64 = 16, /* between two offsets of 64 bits */
    WINNOW_VIEW = 17      /* a view of 16 bytes, as in Apache Arrow */
} winnow_type;

/* "int8", "bfloat16", ..., "opaque", "bit", "int128", "string32", "string64",
 * "view"; "unknown" for any other value. */
WINNOW_API const char *winnow_type_name(winnow_type type);
/* Bytes of one element: 1, 2, 4, 8 or 16; 0 for WINNOW_OPAQUE, WINNOW_BIT,
 * WINNOW_STRING32 and WINNOW_STRING64, and for a value that is not a type. */
WINNOW_API size_t winnow_type_size(winnow_type type);

/* ---------------------------------------------------------------- contexts */

/* One device and what the library keeps for it. Thread-safe. */
typedef struct winnow_context winnow_context;

/* The same type as cudaStream_t, without the CUDA header. */
typedef struct CUstream_st *winnow_stream;

/* The CPU, in place of the ordinal of a CUDA device. */
#define WINNOW_DEVICE_HOST (-1)

/*
 * Make a context for a CUDA device (its ordinal) or for the CPU
 * (WINNOW_DEVICE_HOST). It may synchronise with the device. Returns WINNOW_OK;
 * WINNOW_ERR_ARGUMENT: context_p is NULL, or WINNOW_HOST_ISA in the environment
 * has an unknown value; WINNOW_ERR_UNSUPPORTED: the CPU lacks the instructions
 * that WINNOW_HOST_ISA names; WINNOW_ERR_NO_DEVICE: no such ordinal, no driver,
 * no kernels for the device, or a library built without CUDA;
 * WINNOW_ERR_MEMORY; WINNOW_ERR_CUDA. If WINNOW_TUNING names a file, it also
 * returns the errors of winnow_context_tune().
 */
WINNOW_API_CHECKED winnow_status
winnow_context_create(winnow_context **context_p, int device);
/*
 * Set the number of CPU threads that work on a call, including the caller's
 * thread, from the next call on; 0, the default: one for each CPU that the
 * process may use. Small calls always run in the caller's thread alone. The
 * first call that needs other threads starts them; they sleep between calls.
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: context is NULL;
 * WINNOW_ERR_UNSUPPORTED: it is a context of a CUDA device.
 */
WINNOW_API_CHECKED winnow_status
winnow_context_set_threads(winnow_context *context, unsigned threads);
/*
 * Calls on a device can compile a kernel for the expressions of a condition or
 * of a reduction. This says when they do so. Without a kernel a call uses an
 * interpreter on the device, which computes the same bits.
 */
typedef enum winnow_compile {
    /* Calls never compile: they use a kernel of the process or of the code
     * cache if there is one. winnow_condition_prepare() compiles. */
    WINNOW_COMPILE_READY = 0,
    /* A call, or its plan, waits until the kernel is compiled. A call that is
     * captured or has a workspace does not compile, and returns
     * WINNOW_ERR_UNSUPPORTED if there is no kernel. */
    WINNOW_COMPILE_BEFORE = 1
} winnow_compile;
/*
 * Set when calls compile, from the next call on; a context begins with
 * WINNOW_COMPILE_READY. A context of WINNOW_DEVICE_HOST compiles nothing. A
 * condition in CUDA C cannot be interpreted: with either value it is compiled
 * before the call.
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: context is NULL, or compile is not a
 * winnow_compile.
 */
WINNOW_API_CHECKED winnow_status
winnow_context_set_compile(winnow_context *context, winnow_compile compile);
/*
 * Load a tuning profile from a file, which `winnow-bench tune` writes. From the
 * next call on WINNOW_AUTO chooses by this profile. The built-in profile
 * decides if the file has no entry for a call, and for all calls if path is
 * NULL. The whole file is checked for the context's device: winnow_tuning(5).
 * If it is refused, nothing changes, and the detail has the line and what was
 * expected there. Earlier plans may have too small a workspace: plan again.
 *
 * A context begins with the profile that WINNOW_TUNING in the environment
 * names. If that is not set, it begins with the user's own profile for the
 * device, if there is one.
 *
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: context is NULL, or the file cannot
 * be read; WINNOW_ERR_SYNTAX: the file is not a profile, is the profile of
 * another device, or has an entry that is not possible; WINNOW_ERR_UNSUPPORTED:
 * the context is of WINNOW_DEVICE_HOST; WINNOW_ERR_MEMORY.
 */
WINNOW_API_CHECKED winnow_status winnow_context_tune(winnow_context *context,
                                                     const char *path);
/*
 * Write the notes of a context to text: problems with which no call failed,
 * such as compiled code that could not be written to disk. Each note is a line.
 * The string is cut after text_bytes - 1 bytes. It is empty if there are no
 * notes. WINNOW_DEVICE_HOST never has notes. A context keeps the first 8 notes.
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: a pointer is NULL, or text_bytes is
 * 0; WINNOW_ERR_MEMORY.
 */
WINNOW_API_CHECKED winnow_status winnow_context_notes(
    const winnow_context *context, char *text, size_t text_bytes);
/*
 * Free a context. No call on it may still be running in another thread or on
 * its device. NULL is allowed.
 */
WINNOW_API void winnow_context_destroy(winnow_context *context);

/* -------------------------------------------------------------- predicates */

/* Says which elements to keep. It never changes, and threads may share it. */
typedef struct winnow_predicate winnow_predicate;

typedef enum winnow_compare {
    WINNOW_LT = 0, /* x <  value */
    WINNOW_LE = 1, /* x <= value */
    WINNOW_EQ = 2, /* x == value */
    WINNOW_NE = 3, /* x != value */
    WINNOW_GE = 4, /* x >= value */
    WINNOW_GT = 5  /* x >  value */
} winnow_compare;

/*
 * Keep x if `x compare value` is true. value points to one element of `type` in
 * host memory, and is copied. Floats compare as in IEEE 754: a NaN passes only
 * WINNOW_NE, and -0 equals +0. Only winnow_condition_test() takes a predicate
 * of WINNOW_INT128.
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: a pointer is NULL, or type or compare
 * is not a value of its enumeration; WINNOW_ERR_MEMORY.
 */
WINNOW_API_CHECKED winnow_status
winnow_predicate_compare(winnow_predicate **predicate_p, winnow_type type,
                         winnow_compare compare, const void *value);
/*
 * Keep x if low <= x and x <= high. low and high point to one element of `type`
 * each, in host memory, and are copied. If low > high, or either is NaN,
 * nothing is kept. Returns the same as winnow_predicate_compare().
 */
WINNOW_API_CHECKED winnow_status
winnow_predicate_range(winnow_predicate **predicate_p, winnow_type type,
                       const void *low, const void *high);
/*
 * Keep x if (bits of x & mask) == value. The bits are those in memory, for any
 * type. Returns the same as winnow_predicate_compare(), and WINNOW_ERR_ARGUMENT
 * if the mask is wider than the type, or the value has bits that the mask
 * lacks.
 */
WINNOW_API_CHECKED winnow_status
winnow_predicate_bits(winnow_predicate **predicate_p, winnow_type type,
                      uint64_t mask, uint64_t value);
/*
 * Free a predicate. Calls that were enqueued with it have a copy and are not
 * affected. NULL is allowed.
 */
WINNOW_API void winnow_predicate_destroy(winnow_predicate *predicate);

/* ------------------------------------------------------- how a call is run */

typedef enum winnow_order {
    WINNOW_UNORDERED = 0, /* the survivors in any order: fastest */
    WINNOW_STABLE = 1     /* the survivors in the order of the input */
} winnow_order;

/* How the offset of each survivor is computed: see winnow_strategies(7). */
typedef enum winnow_strategy {
    WINNOW_HOST = -1,           /* stable: only in contexts of the CPU */
    WINNOW_AUTO = 0,            /* the library chooses */
    WINNOW_GLOBAL_ATOMIC = 1,   /* unordered: an atomic per survivor */
    WINNOW_SHARED_ATOMIC = 2,   /* unordered: a shared atomic per survivor */
    WINNOW_WARP_AGGREGATED = 3, /* unordered: a global atomic per warp */
    WINNOW_WARP_SHARED = 4,     /* unordered: a shared atomic per warp */
    WINNOW_TILE_AGGREGATED = 5, /* unordered: a global atomic per tile */
    WINNOW_CUB_SCAN = 6,        /* stable: cub::DeviceSelect */
    WINNOW_TILE_SCAN = 7,       /* stable: a scan over tiles, in one pass */
    WINNOW_SOFTWARE_ATOMIC = 8  /* unordered: one block adds, for all warps */
} winnow_strategy;

/* "warp_aggregated", ...; "unknown" for any other value. */
WINNOW_API const char *winnow_strategy_name(winnow_strategy strategy);
/* "unordered", "stable"; "unknown" for any other value. */
WINNOW_API const char *winnow_order_name(winnow_order order);

/*
 * Sizes of structs. The caller fills in a struct that begins with `size`. It
 * sets `size` to the sizeof of the struct. A member that is 0 has its default.
 * A shorter struct comes from an older program: the members that it lacks have
 * their defaults. In a longer struct the bytes that this library does not know
 * have to be 0. A size of 0 is an error.
 */

/* What a call needs and would do. The call writes it: see winnow_launch. */
typedef struct winnow_plan {
    size_t size; /* sizeof(winnow_plan) */

    /* Output: bytes of workspace that the call needs at most. */
    size_t workspace_bytes;
    /* Output: the strategy; WINNOW_AUTO if the device chooses at each run, and
     * for calls without strategies. */
    winnow_strategy strategy;

    /* NULL, or text_bytes bytes for a text that describes the plan for people:
     * the strategy, launches, workspace, and why. It ends with a 0, and is cut
     * if it is longer. */
    char *text;
    size_t text_bytes;
    /* Output: the length of the whole text, without the 0. */
    size_t text_length;

    uint64_t reserved[4];
} winnow_plan;

/*
 * How a call runs: the last argument of every call that works on arrays. NULL
 * stands for the defaults.
 *
 * A call ignores the stream, the workspace and the selectivity if it does not
 * need them, so one struct serves a chain of calls. If a call does not support
 * a member that would change the result, it returns WINNOW_ERR_UNSUPPORTED.
 * Such members are d_position in calls that always write from the beginning of
 * their outputs, and strategy and d_strategy in calls without strategies.
 */
typedef struct winnow_launch {
    size_t size; /* sizeof(winnow_launch) */

    /* A stream of the context's device; NULL: the default stream. NULL for a
     * context of the host. */
    winnow_stream stream;

    /* Aligned to 16 bytes, with any contents; in use until the work on the
     * stream is done. NULL with 0 bytes: the library uses memory of the
     * context. A plan says how many bytes a call needs. */
    void *d_workspace;
    size_t workspace_bytes;

    /* NULL, or the number of items, aligned to 8 bytes. The device reads it
     * when it does the work. A number above n counts as n. The call ignores the
     * items behind that number. It may be the same word as d_count. */
    const uint64_t *d_n;

    /* NULL, or the element at which the output begins, aligned to 8 bytes. The
     * device reads it when it does the work, and adds the number of elements
     * that were written. The capacity counts from element 0 of the output, and
     * has to be the true number of elements that the output has room for.
     * Nothing is packed in place. */
    uint64_t *d_position;

    winnow_order order;
    winnow_strategy strategy;
    /* The expected selectivity, above 0 and at most 1; 0: unknown. It is a hint
     * for WINNOW_AUTO, and never changes the result. */
    double selectivity;
    /* NULL, or where the call writes the winnow_strategy that ran, in stream
     * order. */
    int32_t *d_strategy;

    /* NULL, or where the call writes what it needs and would do. With a plan
     * the call enqueues nothing, and writes nothing else. A plan depends on
     * values, and on which inputs are packed in place, but not on addresses:
     * all pointers to arrays may be NULL. */
    winnow_plan *plan;

    uint64_t reserved[4];
} winnow_launch;

/*
 * Fill in the defaults, for languages without initialisers. `size` is the size
 * of the caller's winnow_launch in bytes. Returns WINNOW_OK;
 * WINNOW_ERR_ARGUMENT: launch is NULL, or no version of winnow_launch has this
 * size.
 */
WINNOW_API_CHECKED winnow_status winnow_launch_init(winnow_launch *launch,
                                                    size_t size);

/* In C, a launch in a call: WINNOW_LAUNCH(.stream = stream, .d_n = d_n). */
#ifndef __cplusplus
#define WINNOW_LAUNCH(...)                                                     \
    (&(winnow_launch){.size = sizeof(winnow_launch), __VA_ARGS__})
#endif

/* A capacity: room for n elements. */
#define WINNOW_NO_LIMIT UINT64_MAX
/* WINNOW_NO_LIMIT, for languages that have no macros of C. */
WINNOW_API uint64_t winnow_no_limit(void);

/* ------------------------------------------------------------------ arrays */

/* A buffer with the bytes of views, or a text. */
typedef struct winnow_buffer {
    const void *d_bytes;
    uint64_t bytes;
} winnow_buffer;

/*
 * An array that a call reads. The element of item i begins i * stride_bytes
 * bytes after d_base. A call takes WINNOW_BIT if its page says so: the element
 * of item i is bit number offset + i, counted from d_base on.
 *
 * For WINNOW_STRING32 and WINNOW_STRING64 d_base is an array of n + 1 offsets,
 * aligned to their size: item i has the bytes d_base[i] to d_base[i + 1] - 1 of
 * d_data. An offset that is negative or above data_size (or above 2^31 - 1 in
 * 32 bits) counts as data_size. A string that ends before it begins is empty.
 * For WINNOW_VIEW d_base is an array of n views, and d_data is an array of
 * data_size winnow_buffers. A view that reaches beyond its buffer, or whose
 * buffer does not exist, is an empty string. If d_data is NULL, all strings
 * have to be empty: a string with bytes is WINNOW_ERR_ARGUMENT on the host, and
 * counts as empty on a device.
 *
 * If d_valid is set, the element of item i is null if bit number valid_offset +
 * i, counted from d_valid on, is 0. winnow_select_where() and
 * winnow_copy_where() take d_valid; other calls refuse it, unless their page
 * says something else. If a call takes a dictionary, the dictionary's values
 * may be null, too, by dictionary->d_valid. If that is set, an item whose index
 * is outside of the dictionary is null.
 */
typedef struct winnow_in {
    winnow_type type;       /* WINNOW_OPAQUE: element_bytes is the size */
    uint32_t element_bytes; /* 0, or the size of the type */
    const void *d_base;     /* the element of item 0 */
    int64_t stride_bytes;   /* 0: the elements lie side by side */
    const void *d_valid;    /* NULL, or bits: see above */
    uint64_t valid_offset;  /* of d_valid, in bits */
    uint64_t offset;        /* in bits, for WINNOW_BIT; otherwise 0 */
    const void *d_data;     /* for strings and views; otherwise NULL */
    uint64_t data_size;     /* of d_data: bytes, or buffers; otherwise 0 */
    /* NULL, or an array of dictionary_n values. With a dictionary the elements
     * of this array are integers, the indices of its values. */
    const struct winnow_in *dictionary;
    uint64_t dictionary_n;
    uint64_t reserved[2];
} winnow_in;

/* An array that a call writes, described like winnow_in. */
typedef struct winnow_out {
    winnow_type type;
    uint32_t element_bytes;
    void *d_base;
    int64_t stride_bytes;
    uint64_t offset; /* in bits, for WINNOW_BIT; otherwise 0 */
    uint64_t reserved[2];
} winnow_out;

/*
 * A column to pack: n elements at d_in, and room for the elements that are kept
 * at d_out. In a column of bits the element of item i is bit in_offset + i,
 * counted from d_in on, and the output begins at bit out_offset of d_out.
 */
typedef struct winnow_move {
    const void *d_in;
    void *d_out;
    size_t element_bytes; /* 0 for a column of bits */
    winnow_type type;     /* WINNOW_OPAQUE, or WINNOW_BIT: a column of bits */
    uint64_t in_offset;   /* in bits, for WINNOW_BIT; otherwise 0 */
    uint64_t out_offset;  /* the same for the output */
    uint64_t reserved[2];
} winnow_move;

/* The flags of a mask. */
typedef enum winnow_mask_kind {
    WINNOW_MASK_BYTES = 0, /* a byte for each item: not 0 keeps the item */
    WINNOW_MASK_BITS = 1   /* a bit for each item, least significant first */
} winnow_mask_kind;

/* Flags of items. Item i has flag number offset + i, counted in bytes or in
 * bits from d_flags on. */
typedef struct winnow_mask {
    winnow_mask_kind kind;
    const void *d_flags; /* with any alignment */
    uint64_t offset;
} winnow_mask;

/* ----------------------------------------------------------------- copy_if */

/*
 * The following is true for all calls below.
 *
 * They read and write arrays that the context's device can access. They enqueue
 * their work and return, never synchronise, and can be captured in a CUDA
 * graph. (A context of the host does the work before it returns.) After an
 * error nothing is enqueued and nothing is written, with one exception: if CUDA
 * refuses the launch of a later kernel of a call, the call returns
 * WINNOW_ERR_CUDA, and its outputs may be written in part (winnow_errors(7)). A
 * call writes only the outputs, the counts, *d_position, *d_strategy and the
 * workspace.
 *
 * The order of arguments is always the same: the context, what selects, the
 * inputs, n, parameters, the outputs, capacity, d_count, launch.
 *
 *   type      the type of the elements of d_in, which has to be that of the
 *             predicate.
 *   n         the number of items; with launch->d_n an upper bound.
 *   capacity  the number of elements that each packed output has room for;
 *             WINNOW_NO_LIMIT: n. If more are kept, the rest is not written; in
 *             a stable order these are the last elements.
 *   d_count   NULL, or where the call writes the number of items that are kept,
 *             aligned to 8 bytes. It is the true number, even if the capacity
 *             cut the output; then *d_count > capacity.
 *   launch    NULL for the defaults.
 *
 * They return WINNOW_OK; WINNOW_ERR_ARGUMENT: a required pointer is NULL, a
 * pointer is misaligned, overlaps another or cannot be accessed by the device,
 * a type is wrong, n is too large, or a member of launch is wrong;
 * WINNOW_ERR_WORKSPACE: workspace_bytes is too small; WINNOW_ERR_UNSUPPORTED:
 * the combination is not supported; WINNOW_ERR_MEMORY; WINNOW_ERR_CUDA.
 * winnow_errors(7) lists all errors.
 */

/*
 * Pack the elements of d_in[0 .. n) that pass the predicate into d_out.
 *
 *   d_in, d_out  aligned to the element type. They may be equal (in place) with
 *                WINNOW_STABLE; any other overlap is refused.
 *
 * WINNOW_CUB_SCAN is refused with launch->d_n and with launch->d_position. With
 * launch->d_position nothing is packed in place.
 */
WINNOW_API_CHECKED winnow_status winnow_copy_if(
    winnow_context *context, const winnow_predicate *predicate,
    winnow_type type, const void *d_in, uint64_t n, void *d_out,
    uint64_t capacity, uint64_t *d_count, const winnow_launch *launch);

/*
 * Pack the indices of the elements of d_in[0 .. n) that pass the predicate into
 * d_indices. The index of d_in[i] is i. With WINNOW_STABLE, and on a context of
 * the host, indices are in ascending order.
 *
 *   index_type   WINNOW_UINT32 if n is at most 2^32, or WINNOW_UINT64.
 *   d_indices    aligned to the index type; may not overlap d_in.
 */
WINNOW_API_CHECKED winnow_status
winnow_copy_index_if(winnow_context *context, const winnow_predicate *predicate,
                     winnow_type type, const void *d_in, uint64_t n,
                     winnow_type index_type, void *d_indices, uint64_t capacity,
                     uint64_t *d_count, const winnow_launch *launch);

/* Write the number of elements of d_in[0 .. n) that pass the predicate to
 * *d_count. */
WINNOW_API_CHECKED winnow_status
winnow_count_if(winnow_context *context, const winnow_predicate *predicate,
                winnow_type type, const void *d_in, uint64_t n,
                uint64_t *d_count, const winnow_launch *launch);

/*
 * Write an estimate of the fraction of d_in[0 .. n) that passes the predicate
 * to *d_selectivity, which is aligned to 8 bytes. For up to 65536 elements it
 * is exact. For more elements it comes from a sample of that size, spread
 * evenly over the array. The same input gives the same estimate. The estimate
 * is 0 if there are no elements.
 */
WINNOW_API_CHECKED winnow_status winnow_estimate_selectivity(
    winnow_context *context, const winnow_predicate *predicate,
    winnow_type type, const void *d_in, uint64_t n, double *d_selectivity,
    const winnow_launch *launch);

/* --------------------------------------------------------------- reduce_if */

/* What winnow_reduce_if() computes: one or more of these bits. */
typedef enum winnow_reduce {
    WINNOW_REDUCE_COUNT = 1,   /* count; always written */
    WINNOW_REDUCE_SUM = 2,     /* sum, overflow and mean */
    WINNOW_REDUCE_MINIMUM = 4, /* minimum */
    WINNOW_REDUCE_MAXIMUM = 8, /* maximum */
    WINNOW_REDUCE_INDEX = 16,  /* with minimum or maximum: its first index */
    WINNOW_REDUCE_PARTIAL = 32 /* with others: for winnow_reduction_merge() */
} winnow_reduce;

/* The index of a minimum or a maximum if there is no element. */
#define WINNOW_NO_INDEX UINT64_MAX
/* WINNOW_NO_INDEX, for languages that have no macros of C. */
WINNOW_API uint64_t winnow_no_index(void);

/* A value of an element type, widened without loss. The member is int64 for
 * signed integers, uint64 for unsigned integers, and float64 for floats. */
typedef union winnow_number {
    int64_t int64;
    uint64_t uint64;
    double float64;
} winnow_number;

/* The result. Members that were not asked for are 0. */
typedef struct winnow_reduction {
    uint64_t count;         /* elements that pass */
    winnow_number sum;      /* for integers modulo 2^64 */
    double mean;            /* exact sum / count, rounded; NaN if count is 0 */
    winnow_number minimum;  /* NaNs are ignored */
    winnow_number maximum;  /* NaNs are ignored */
    uint64_t minimum_index; /* of the first minimum, in d_in */
    uint64_t maximum_index; /* of the first maximum, in d_in */
    uint64_t overflow; /* 1: the sum of integers does not fit; otherwise 0 */
    /* With WINNOW_REDUCE_PARTIAL the mean is 0, and the sum of integers has 128
     * bits in two's complement, of which overflow has the upper 64.
     *
     * For decimals the sum is an integer of 128 bits, too, and minimum and
     * maximum are int64. Multiply these and the mean by 10^-scale. A sum of
     * more than 38 digits is -2^127, and its mean is NaN. */
} winnow_reduction;

/*
 * Count the elements of d_in[0 .. n) that pass the predicate, and compute their
 * sum, mean, minimum and maximum. Each element is read once.
 *
 *   predicate  of `type`; NULL: every element passes.
 *   wanted     the winnow_reduce bits of the results that are wanted.
 *   d_result   where the call writes all members of one winnow_reduction,
 *              aligned to 8 bytes.
 *
 * Integer sums are exact. Sums of floats are added up as float64 in an order
 * that depends only on n and the element type, also with launch->d_n. So a sum
 * has the same bits in every run, on every device and on the host, with every
 * alignment. winnow_reduce_if(3) describes the order. A NaN that passes is
 * counted and makes the sum NaN. Minimum and maximum ignore NaNs, and take -0
 * to be less than +0. If no element passes, the sum is 0, the mean is NaN, the
 * minimum is the largest value of the type (+infinity), and the maximum is the
 * least (-infinity), with the index WINNOW_NO_INDEX.
 *
 * It also returns WINNOW_ERR_ARGUMENT if wanted is 0, has an unknown bit, has
 * WINNOW_REDUCE_INDEX and neither minimum nor maximum, or has only
 * WINNOW_REDUCE_PARTIAL.
 */
WINNOW_API_CHECKED winnow_status winnow_reduce_if(
    winnow_context *context, const winnow_predicate *predicate,
    winnow_type type, const void *d_in, uint64_t n, unsigned wanted,
    winnow_reduction *d_result, const winnow_launch *launch);

/*
 * Merge the results of parts, such as chunks, or the data of several devices or
 * processes. Sums of integers, their mean and their overflow are exactly those
 * of one call for all elements.
 *
 *   type      the type of the elements. For winnow_reduce_where() it is
 *             WINNOW_INT64, WINNOW_UINT64 or WINNOW_FLOAT64, and WINNOW_INT128
 *             for decimals.
 *   partials  the results of n parts, in host memory, in the order of the
 *             parts. The calls had the same type and `wanted`, and
 *             WINNOW_REDUCE_PARTIAL.
 *   firsts    NULL, or a number for each part that is added to its indices,
 *             such as the number of items before the part.
 *   wanted    the bits of the calls for the parts. With WINNOW_REDUCE_PARTIAL
 *             the result is partial again.
 *   result_p  may be one of the partials.
 *
 * Sums of floats are added to +0 from the first part to the last. If minima are
 * equal, the index is that of the earliest part. Nothing is allocated.
 *
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: a pointer is NULL, type is not a type
 * of numbers, or wanted is wrong: see winnow_reduce_if().
 */
WINNOW_API_CHECKED winnow_status winnow_reduction_merge(
    winnow_type type, const winnow_reduction *partials, const uint64_t *firsts,
    uint64_t n, unsigned wanted, winnow_reduction *result_p);

/* -------------------------------------------------------- partition_by_key */

#define WINNOW_PARTITION_MOST_PARTS 65536u
#define WINNOW_PARTITION_MOST_COLUMNS 16u

/* The bits of a key that give its part: (key >> shift) & (2^bits - 1). */
typedef struct winnow_digit {
    uint32_t shift;
    uint32_t bits;  /* 0: all bits from shift on */
    uint32_t parts; /* 2 to WINNOW_PARTITION_MOST_PARTS; 0: 2^bits. Parts from
                       2^bits on are empty */
} winnow_digit;

/*
 * Partition arrays by a digit of a key. Part p is elements d_offsets[p] to
 * d_offsets[p + 1] - 1 of each output. A key whose digit is `parts` or more is
 * in no part: neither the key nor the elements of its item are written. The
 * number of such keys is the number of items minus d_offsets[parts].
 *
 *   keys        WINNOW_UINT32 or WINNOW_UINT64, side by side, aligned to their
 *               type.
 *   moves       the arrays to partition: at most WINNOW_PARTITION_MOST_COLUMNS,
 *               and the keys, if d_in of a move is keys->d_base. The list is in
 *               host memory, and is read only during the call. Elements have 1,
 *               2, 4, 8 or 16 bytes and are aligned to their size. Every output
 *               has room for n elements: there is no capacity.
 *   d_offsets   where the call writes parts + 1 numbers, aligned to 8 bytes.
 *
 * With WINNOW_STABLE each part keeps the order of the input; with
 * WINNOW_UNORDERED it may have any order. No output may overlap another array
 * of the call, so arrays cannot be partitioned in place.
 */
WINNOW_API_CHECKED winnow_status winnow_partition_by_key(
    winnow_context *context, const winnow_in *keys, uint64_t n,
    const winnow_digit *digit, const winnow_move *moves, unsigned move_count,
    uint64_t *d_offsets, const winnow_launch *launch);

/* -------------------------------------------------------- partition_blocks */

#define WINNOW_BLOCKS_MOST_ALIGN 65536u

/* The layout of blocks. */
typedef struct winnow_blocks {
    size_t size; /* sizeof(winnow_blocks) */

    /* Elements of a block: a power of two, up to WINNOW_BLOCKS_MOST_ALIGN. */
    uint64_t align;
    /* NULL, or for each move a pointer to the element that fills the gaps
     * behind the parts. If this pointer is NULL, the gaps are not written. The
     * array and the elements are in host memory, and are read only during the
     * call. */
    const void *const *fills;
    uint64_t *d_counts; /* NULL, or room for the number of items of each part */
    /* NULL, or room for one number for each block that an output has room for:
     * the part to which the block belongs. */
    uint32_t *d_block_parts;

    uint64_t reserved[2];
} winnow_blocks;

/*
 * Like winnow_partition_by_key(), but each part begins at a multiple of
 * blocks->align: it consists of whole blocks. An empty part has no block. Part
 * p begins at element d_offsets[p]; d_offsets[parts] is the end of the last
 * block, behind which nothing is written.
 *
 *   keys        may also be WINNOW_INT32 or WINNOW_INT64, if digit->bits is 0;
 *               a negative key is in no part.
 *   moves       if d_in is NULL, the call writes the indices of the items, 0 to
 *               n - 1; these elements have 8 bytes, or 4 if n is at most 2^32.
 *               Every output has room for (n + min(n, parts) * (align - 1)) /
 *               align blocks, rounded down: there is no capacity.
 *   d_offsets   where the call writes parts + 1 numbers, aligned to 8 bytes.
 */
WINNOW_API_CHECKED winnow_status winnow_partition_blocks(
    winnow_context *context, const winnow_in *keys, uint64_t n,
    const winnow_digit *digit, const winnow_blocks *blocks,
    const winnow_move *moves, unsigned move_count, uint64_t *d_offsets,
    const winnow_launch *launch);

/* ------------------------------------------------------- accumulate_by_key */

/*
 * Add the values of each item i to the sums of its key: for each component j,
 * sum[j][key[i]] += value[j][i]. The sums are added to, not overwritten; sums
 * of keys that do not occur are not written.
 *
 *   keys        WINNOW_UINT32 or WINNOW_UINT64, side by side.
 *   values      an array for each of 1 to 16 components. The list is in host
 *               memory, and is read only during the call. All arrays have the
 *               same type, which is WINNOW_INT32, WINNOW_INT64, WINNOW_UINT32,
 *               WINNOW_UINT64, WINNOW_FLOAT32 or WINNOW_FLOAT64, and the same
 *               stride. Elements lie side by side, or the stride is a positive
 *               multiple of an element; for interleaved values it is
 *               `components` elements.
 *   key_bound   the number of keys. An item whose key is key_bound or greater
 *               is ignored, and counted at *d_beyond.
 *   sums        an array of key_bound sums for each component, with strides
 *               like those of values. Their type is that of the values, or the
 *               type of 8 bytes that holds it: WINNOW_INT64 for WINNOW_INT32,
 *               WINNOW_UINT64 for WINNOW_UINT32, WINNOW_FLOAT64 for
 *               WINNOW_FLOAT32.
 *   d_beyond    NULL, or where the call writes the number of keys that are
 *               key_bound or greater, aligned to 8 bytes.
 *
 * All arrays are aligned to their elements. No two arrays of sums may overlap,
 * and none may overlap the keys or the values; interleaved sums count as one
 * array, with all bytes between them. Integers wrap. Floats are added in any
 * order, so rounding may make sums differ from run to run.
 */
WINNOW_API_CHECKED winnow_status winnow_accumulate_by_key(
    winnow_context *context, const winnow_in *keys, const winnow_in *values,
    unsigned components, uint64_t n, uint64_t key_bound, const winnow_out *sums,
    uint64_t *d_beyond, const winnow_launch *launch);

/* -------------------------------------------------------------- selections */

/*
 * A selection says which of n items are kept: it has a bit for each item, and
 * the number of survivors before each tile of items. Sources make a selection
 * from a condition. Any number of sinks in any number of calls pack, list or
 * mark the items that it keeps: see winnow_selection(7).
 *
 * It is a block of memory of the caller, of winnow_selection_bytes(n) bytes,
 * aligned to 16 bytes. Its contents belong to the library. Only contexts of the
 * kind that wrote them can use them: contexts of CUDA devices, or of the host.
 * It may be copied byte by byte. Pass the n that it was made with to every
 * call; with another n, or a block that no source has written, the behaviour is
 * undefined.
 *
 * With launch->d_n a source keeps no item behind that number, and a sink
 * ignores these items; winnow_selection_to_mask() writes 0 for them. The order
 * of the input is kept. With more than 2^42 items calls return
 * WINNOW_ERR_UNSUPPORTED.
 */

/*
 * The bytes of a selection of n items: n/8 and about 1/50 more, for whole tiles
 * of 4096 items, and at least 16.
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: bytes_p is NULL;
 * WINNOW_ERR_UNSUPPORTED: n is greater than 2^42.
 */
WINNOW_API_CHECKED winnow_status winnow_selection_bytes(uint64_t n,
                                                        size_t *bytes_p);

/*
 * Select the elements of d_in[0 .. n) that pass the predicate.
 *
 *   d_in             aligned to the element type.
 *   d_selection      the selection to write; may not overlap d_in.
 *   selection_bytes  the size of d_selection, at least
 *                    winnow_selection_bytes(n).
 */
WINNOW_API_CHECKED winnow_status winnow_select_if(
    winnow_context *context, const winnow_predicate *predicate,
    winnow_type type, const void *d_in, uint64_t n, void *d_selection,
    size_t selection_bytes, const winnow_launch *launch);

/* -- conditions over several columns */

/* A condition has at most 512 tests, on at most 64 different columns. A column
 * of WINNOW_INT128 counts as two if both halves of its elements are tested, and
 * as one more if it is tested for null. Column numbers are 0 to 65535. */
#define WINNOW_CONDITION_MOST_COLUMNS 64u
#define WINNOW_CONDITION_MOST_TESTS 512u
/* The largest number of values of winnow_condition_in(). */
#define WINNOW_CONDITION_MOST_VALUES 16777216u

/*
 * Tests of columns, joined by and, or, not. A condition never changes, and
 * threads may share it. It has copies of its parts, which may be destroyed at
 * any time.
 */
typedef struct winnow_condition winnow_condition;

/*
 * Make a condition that is true if the element of column `column` passes a
 * predicate. Columns are numbered from 0. Returns WINNOW_OK;
 * WINNOW_ERR_ARGUMENT: a pointer is NULL; WINNOW_ERR_UNSUPPORTED: column is
 * greater than 65535; WINNOW_ERR_MEMORY.
 */
WINNOW_API_CHECKED winnow_status
winnow_condition_test(winnow_condition **condition_p, unsigned column,
                      const winnow_predicate *predicate);
/*
 * Make a condition that is true if the element of column `column` is 1. The
 * column has type WINNOW_BIT. Returns the same as winnow_condition_test().
 */
WINNOW_API_CHECKED winnow_status
winnow_condition_bit(winnow_condition **condition_p, unsigned column);
/*
 * Make a condition that is true if the element of column `column` is null. The
 * column may have any type, with or without a dictionary; its values are not
 * read. A column without a validity has no nulls.
 * Returns the same as winnow_condition_test().
 */
WINNOW_API_CHECKED winnow_status
winnow_condition_is_null(winnow_condition **condition_p, unsigned column);
/*
 * Make a condition that is true if the element of column `column` equals one of
 * the values in an array. NaN equals no value, and -0 equals 0. The condition
 * counts as one test.
 *
 *   context  if it is NULL or a context of the host, values is host memory. If
 *            it is a context of a device, values is host or device memory. All
 *            work that writes the values has to be done before the call. The
 *            call waits until it has copied them.
 *   type     the type of the column and the values.
 *   values   count values, at most WINNOW_CONDITION_MOST_VALUES, with any
 *            alignment, in any order; some may be equal. NULL is allowed if
 *            count is 0. They are read before the call returns. The call takes
 *            time and host memory in proportion to count.
 *
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: a pointer is NULL, or type is not a
 * type of elements; WINNOW_ERR_UNSUPPORTED: column is greater than 65535, there
 * are too many values, or values of WINNOW_INT128 have more than 256 different
 * upper halves; WINNOW_ERR_MEMORY; WINNOW_ERR_CUDA: values could not be copied.
 */
WINNOW_API_CHECKED winnow_status winnow_condition_in(
    winnow_condition **condition_p, winnow_context *context, unsigned column,
    winnow_type type, const void *values, uint64_t count);
/* Tests of a string. Strings are compared byte by byte, as unsigned numbers.
 * The locale has no effect. */
typedef enum winnow_text_test {
    WINNOW_TEXT_LT = 0, /* like winnow_compare */
    WINNOW_TEXT_LE = 1,
    WINNOW_TEXT_EQ = 2,
    WINNOW_TEXT_NE = 3,
    WINNOW_TEXT_GE = 4,
    WINNOW_TEXT_GT = 5,
    WINNOW_TEXT_STARTS_WITH = 6,
    WINNOW_TEXT_ENDS_WITH = 7,
    WINNOW_TEXT_CONTAINS = 8,
    /* In the pattern % stands for any number of bytes, and _ for one character
     * of UTF-8. */
    WINNOW_TEXT_LIKE = 9
} winnow_text_test;

/*
 * Make a condition that is true if the string of column `column` passes a test.
 * In each call the column may have type WINNOW_STRING32, WINNOW_STRING64 or
 * WINNOW_VIEW, or a dictionary of one of these types.
 *
 *   text    `bytes` bytes in host memory, which the call copies. It may be NULL
 *           if `bytes` is 0. It may have bytes of 0, and need not end with one.
 *
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: a pointer is NULL, or test is not a
 * winnow_text_test; WINNOW_ERR_UNSUPPORTED: column is greater than 65535, or
 * the text has more than 2^32 - 1 bytes; WINNOW_ERR_MEMORY.
 */
WINNOW_API_CHECKED winnow_status
winnow_condition_text(winnow_condition **condition_p, unsigned column,
                      winnow_text_test test, const char *text, size_t bytes);
/*
 * Make a condition that is true if the string of column `column` equals one of
 * `count` texts in host memory. The column is as for winnow_condition_text().
 * count is at most WINNOW_CONDITION_MOST_VALUES, and some texts may be equal.
 * The call copies the texts; texts may be NULL if count is 0. The condition
 * counts as one test.
 * Returns the same as winnow_condition_text(), and WINNOW_ERR_UNSUPPORTED for
 * too many texts, or texts of more than 16 GiB.
 */
WINNOW_API_CHECKED winnow_status
winnow_condition_text_in(winnow_condition **condition_p, unsigned column,
                         const winnow_buffer *texts, uint64_t count);
/*
 * Make the conditions "a and b", "a or b", "not a", and "a is true". a and b
 * may be the same. As in SQL, a condition is true, false, or, because of a
 * null, unknown: "false and unknown" is false, "true or unknown" is true, "not
 * unknown" is unknown. "a is true" is false if a is false or unknown. Without
 * nulls, "not a" keeps exactly the items that a does not keep, also with a NaN.
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: a pointer is NULL;
 * WINNOW_ERR_UNSUPPORTED: there would be more than WINNOW_CONDITION_MOST_TESTS
 * tests, or more than WINNOW_CONDITION_MOST_COLUMNS different columns;
 * WINNOW_ERR_MEMORY.
 */
WINNOW_API_CHECKED winnow_status
winnow_condition_and(winnow_condition **condition_p, const winnow_condition *a,
                     const winnow_condition *b);
WINNOW_API_CHECKED winnow_status
winnow_condition_or(winnow_condition **condition_p, const winnow_condition *a,
                    const winnow_condition *b);
WINNOW_API_CHECKED winnow_status
winnow_condition_not(winnow_condition **condition_p, const winnow_condition *a);
WINNOW_API_CHECKED winnow_status winnow_condition_is_true(
    winnow_condition **condition_p, const winnow_condition *a);
/*
 * Write the numbers of the columns that a condition reads, each once.
 *
 *   columns  room for WINNOW_CONDITION_MOST_COLUMNS numbers, in host memory.
 *   count_p  where the call writes the number of columns.
 *
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: a pointer is NULL.
 */
WINNOW_API_CHECKED winnow_status winnow_condition_columns(
    const winnow_condition *condition, unsigned *columns, unsigned *count_p);

/*
 * Make a predicate from a condition that has only one test, of a column of
 * numbers, such as `x < 5` or `(x & 3) = 1`. Returns WINNOW_OK;
 * WINNOW_ERR_ARGUMENT: a pointer is NULL; WINNOW_ERR_UNSUPPORTED: the condition
 * has more than one test, or tests WINNOW_INT128; WINNOW_ERR_MEMORY.
 */
WINNOW_API_CHECKED winnow_status winnow_condition_predicate(
    winnow_predicate **predicate_p, const winnow_condition *condition);

/* A bound tests a column's element, or joins the two operands before it. */
typedef enum winnow_bound_kind {
    WINNOW_BOUND_RANGE = 0, /* a number from `low` to `high`, both included */
    WINNOW_BOUND_TEXT = 1,  /* a string from `low_text` to `high_text` */
    WINNOW_BOUND_NAN = 2,   /* NaN */
    WINNOW_BOUND_NULL = 3,  /* null */
    WINNOW_BOUND_VALID = 4, /* not null; a float may be NaN */
    WINNOW_BOUND_NEVER = 5, /* false: no item is kept */
    WINNOW_BOUND_AND = 6,   /* both operands are true */
    WINNOW_BOUND_OR = 7     /* at least one operand is true */
} winnow_bound_kind;

typedef struct winnow_bound {
    winnow_bound_kind kind;
    unsigned column;  /* for RANGE, TEXT, NAN, NULL, VALID */
    winnow_type type; /* for RANGE: of the element, low and high */
    uint8_t has_low;  /* for RANGE, TEXT; 0: there is no lower bound */
    uint8_t has_high; /* for RANGE, TEXT; 0: there is no upper bound */
    /* Elements of `type`, from the first byte on; 0 or 1 for WINNOW_BIT. */
    uint8_t low[16];
    uint8_t high[16];
    /* For TEXT, in host memory that the condition owns. */
    winnow_buffer low_text;
    winnow_buffer high_text;
    uint64_t reserved[2];
} winnow_bound;

/*
 * Write a formula of bounds, in postfix order, that is true for every item that
 * a condition keeps. The formula may also be true for other items. A program
 * can compare it with the statistics of a part of a file, and skip the part if
 * the formula is false for all items.
 *
 *   bounds    in host memory; NULL if capacity is 0.
 *   capacity  the number of bounds that there is room for. If the formula is
 *             longer, only its first bounds are written, which have no meaning
 *             alone.
 *   count_p   where the call writes the length of the formula. It is 0 if there
 *             is no bound.
 *
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: a pointer is NULL.
 */
WINNOW_API_CHECKED winnow_status
winnow_condition_bounds(const winnow_condition *condition, winnow_bound *bounds,
                        uint64_t capacity, uint64_t *count_p);
/* Free a condition. Calls that were enqueued with it have a copy and are not
 * affected. NULL is allowed. */
WINNOW_API void winnow_condition_destroy(winnow_condition *condition);

/* A column's name and type, for the text of conditions. */
typedef struct winnow_field {
    const char *name; /* not empty; in a text it is in double quotes, unless it
                         is a plain word */
    winnow_type type; /* WINNOW_OPAQUE: a column that can only be tested for
                         null */
    /* The meaning of the numbers, as a format of Arrow's C data interface:
     * "tdD" for days since 1970 (also in int64), "d:9,2,32" for decimals, ...;
     * NULL: plain numbers. */
    const char *format;
    uint64_t reserved[2]; /* 0 */
} winnow_field;

/*
 * Make a condition from a text with C's operators or SQL's words, as
 * winnow_condition_parse(3) describes:
 *
 *     price < 24 && (flags & 7) == 3 || id in (4, 8)
 *     price < 24 and "unit price" not between 1 and 2.5
 *
 *   fields  describe the columns: fields[c] is column number c. field_count is
 *           at most 65536. The array is read only during the call.
 *   text    ends with a 0; at most 2^30 bytes before it.
 *
 * WINNOW_ERR_SYNTAX: the text is wrong. WINNOW_ERR_UNSUPPORTED: the text has
 * something that conditions do not support. Then the detail begins with the
 * place in the text, such as "line 1, column 7", counted in bytes from 1.
 *
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: a pointer is NULL, two fields have
 * the same name, or a field has no type, a format of another type, or a
 * `reserved` that is not 0; WINNOW_ERR_SYNTAX; WINNOW_ERR_UNSUPPORTED, also for
 * an unknown format, too many fields, tests, columns, numbers in a list, or
 * bytes, and for a text that is nested too deeply; WINNOW_ERR_MEMORY.
 */
WINNOW_API_CHECKED winnow_status winnow_condition_parse(
    winnow_condition **condition_p, const winnow_field *fields,
    unsigned field_count, const char *text);

/* A parameter of a condition in CUDA C. */
typedef struct winnow_parameter {
    const char *name;     /* a name in C */
    winnow_type type;     /* an integer, WINNOW_FLOAT32 or WINNOW_FLOAT64 */
    winnow_number value;  /* of that type, if d_data is NULL */
    const void *d_data;   /* NULL, or an array: const TYPE *name in the body */
    uint64_t reserved[2]; /* 0 */
} winnow_parameter;

/*
 * A condition in CUDA C: the body of a function that returns whether an item is
 * kept, such as
 *
 *     "return x > t && y < x * x;"
 *
 * fields[i] is column i. In the body its name stands for the item's element:
 * integers and floats have their own type, float16 and bfloat16 are float, a
 * bit is bool. Only columns that the body names are read; if one of them is
 * null for an item, the condition is unknown. The body may also name the
 * parameters. The caller keeps the memory at d_data while calls read it;
 * everything else is copied.
 *
 * NVRTC compiles the condition for the device of a call, at its first use there
 * or by winnow_condition_prepare(); winnow_cache_set() says where the code is
 * kept. Conditions that differ only in values of parameters share the code.
 * Floats are not contracted: a * b + c is rounded twice. The body is trusted:
 * it can do anything that a kernel can do.
 *
 * A call returns WINNOW_ERR_SYNTAX if the body does not compile, with the
 * compiler's log in the detail. It returns WINNOW_ERR_UNSUPPORTED on
 * WINNOW_DEVICE_HOST, without NVRTC, and if the condition also has a set of
 * many values.
 *
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: a pointer is NULL, the name of a
 * parameter is not a name in C++, its type cannot hold its value, or reserved
 * is not 0; WINNOW_ERR_UNSUPPORTED: no field, more than 32 fields or 64
 * parameters, a type that is not supported, or a body of more than 8192 bytes;
 * WINNOW_ERR_MEMORY.
 */
WINNOW_API_CHECKED winnow_status winnow_condition_cuda(
    winnow_condition **condition_p, const char *body,
    const winnow_field *fields, unsigned field_count,
    const winnow_parameter *parameters, unsigned parameter_count);

/*
 * Make the tables of a condition's sets for the context's device, once for a
 * context. If the condition has expressions or is in CUDA C, also compile its
 * kernel, if NVRTC is installed. Other calls make missing tables themselves,
 * unless their stream is captured, or they have a workspace and so allocate
 * nothing. A context of the host, and a condition without sets and expressions,
 * need no preparation. This call waits for its own upload, but not for other
 * streams. It may be made during a capture.
 *
 * A table lives until the context or the last condition with its set is
 * destroyed. Work that was enqueued before a condition is destroyed can still
 * use it. A context has to outlive the graphs that captured its calls.
 *
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: a pointer is NULL; WINNOW_ERR_SYNTAX:
 * a body in CUDA C does not compile; WINNOW_ERR_UNSUPPORTED: the condition is
 * in CUDA C, and NVRTC is not installed; WINNOW_ERR_MEMORY; WINNOW_ERR_CUDA.
 */
WINNOW_API_CHECKED winnow_status winnow_condition_prepare(
    winnow_context *context, const winnow_condition *condition);

/*
 * Set the directory in which the process keeps compiled code of conditions,
 * from its next compilation on. The directory is made when it is needed; with
 * NULL no code is kept on disk. If the code has more than most_bytes bytes, the
 * least recently used code is removed.
 *
 * Without this call the environment decides. If WINNOW_CACHE begins with a /,
 * it is the directory; with any other value no code is kept. If it is not set,
 * the directory is $XDG_CACHE_HOME/winnow or ~/.cache/winnow. The limit is
 * WINNOW_CACHE_BYTES, or 64 MiB. No call fails if a file cannot be read or
 * written: winnow_context_notes() reports it.
 *
 * Thread-safe. Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: the directory does not
 * begin with a /, or has 4096 bytes or more.
 */
WINNOW_API_CHECKED winnow_status winnow_cache_set(const char *directory,
                                                  uint64_t most_bytes);
/*
 * Remove the code of all processes from the directory; code that is already
 * loaded is not affected. Returns WINNOW_OK, also if there is no code.
 */
WINNOW_API_CHECKED winnow_status winnow_cache_clear(void);

/*
 * Select the items that pass a condition. An item is tested until the result is
 * certain: columns that cannot change it are not loaded. Large calls choose the
 * order of tests by a sample of the items; it changes only the time.
 *
 *   columns  an array of column_count columns in host memory, which is read
 *            only during the call. Column c of the condition is columns[c];
 *            columns that it does not test are ignored. Elements may have any
 *            alignment and any stride, also a negative one; a column without
 *            gaps whose first element is aligned to 16 bytes is the fastest.
 *            Elements may be null: an item is not kept if its condition is
 *            unknown.
 *
 * d_selection and selection_bytes are as for winnow_select_if(). It also
 * returns WINNOW_ERR_ARGUMENT if the condition tests a column that does not
 * exist or has another type.
 */
WINNOW_API_CHECKED winnow_status winnow_select_where(
    winnow_context *context, const winnow_condition *condition,
    const winnow_in *columns, unsigned column_count, uint64_t n,
    void *d_selection, size_t selection_bytes, const winnow_launch *launch);

/* Select the items that are flagged in a mask. Only bytes that have a flag of
 * an item are read. Otherwise like winnow_select_if(). */
WINNOW_API_CHECKED winnow_status winnow_select_flagged(
    winnow_context *context, const winnow_mask *mask, uint64_t n,
    void *d_selection, size_t selection_bytes, const winnow_launch *launch);

/* How keys are compared. */
typedef enum winnow_equality {
    WINNOW_EQUAL_BITS = 0,   /* by their bytes */
    WINNOW_EQUAL_VALUES = 1, /* by their values, as by == in C: -0 equals +0,
                                and NaN equals nothing, not even NaN */
    WINNOW_EQUAL_NAN = 2     /* by their values, but NaN equals every NaN */
} winnow_equality;

/* Which item of a run is kept. */
typedef enum winnow_unique_keep {
    WINNOW_UNIQUE_FIRST = 0,
    WINNOW_UNIQUE_LAST = 1
} winnow_unique_keep;

typedef struct winnow_unique_options {
    size_t size; /* sizeof(winnow_unique_options) */
    winnow_unique_keep keep;
    winnow_equality equality; /* the last two values need keys with a type */
    uint64_t reserved[2];
} winnow_unique_options;

/*
 * Select one item of each run of equal keys, the first or the last. An item is
 * first if its key differs from the key before it, and last if the next key
 * differs from its own. If the keys are sorted, each different key is kept
 * once.
 *
 *   keys     1 to 16 bytes each, with any alignment. The stride may not be
 *            negative, nor less than the size of a key. Keys are read in pieces
 *            of the largest power of two, up to 16, that divides their address,
 *            size and stride; larger pieces are faster.
 *   options  NULL for the defaults.
 *
 * d_selection and selection_bytes are as for winnow_select_if().
 */
WINNOW_API_CHECKED winnow_status
winnow_select_unique(winnow_context *context, const winnow_in *keys, uint64_t n,
                     const winnow_unique_options *options, void *d_selection,
                     size_t selection_bytes, const winnow_launch *launch);

/*
 * Select the items of the ranges that another selection keeps, such as the
 * children of lists. winnow_compact_columns() then packs the children, and
 * winnow_compact_strings() packs the offsets of the lists.
 *
 *   d_selection   a selection of n ranges.
 *   ranges        of WINNOW_STRING32 or WINNOW_STRING64: range i has the items
 *                 d_base[i] to d_base[i + 1] - 1 of data_size items; d_data is
 *                 ignored. If offsets descend, ranges share items. Such an item
 *                 is kept if an odd number of the kept ranges have it.
 *   d_result      the selection of data_size items to write; may not overlap
 *                 other memory of the call.
 *   result_bytes  its size, at least winnow_selection_bytes(data_size).
 *
 * launch->d_n is the number of ranges.
 */
WINNOW_API_CHECKED winnow_status
winnow_select_ranges(winnow_context *context, const void *d_selection,
                     const winnow_in *ranges, uint64_t n, void *d_result,
                     size_t result_bytes, const winnow_launch *launch);

/* Which items the combination of two selections keeps. */
typedef enum winnow_combine {
    WINNOW_AND = 0,     /* the items that both keep */
    WINNOW_OR = 1,      /* the items that either keeps */
    WINNOW_AND_NOT = 2, /* the items that the first keeps, and not the second */
    WINNOW_XOR = 3      /* the items that exactly one keeps */
} winnow_combine;

/*
 * Make a selection of n items from two others. d_result may be d_a or d_b;
 * otherwise it may not overlap them. result_bytes is at least
 * winnow_selection_bytes(n). It also returns WINNOW_ERR_ARGUMENT if combine is
 * not a winnow_combine.
 */
WINNOW_API_CHECKED winnow_status winnow_selection_combine(
    winnow_context *context, winnow_combine combine, const void *d_a,
    const void *d_b, uint64_t n, void *d_result, size_t result_bytes,
    const winnow_launch *launch);
/* Make the selection that keeps the items that another one does not keep.
 * d_result may be d_selection; otherwise it may not overlap it. */
WINNOW_API_CHECKED winnow_status winnow_selection_not(
    winnow_context *context, const void *d_selection, uint64_t n,
    void *d_result, size_t result_bytes, const winnow_launch *launch);

/* Write the number of items that a selection keeps to *d_count, which is
 * aligned to 8 bytes. */
WINNOW_API_CHECKED winnow_status winnow_selection_count(
    winnow_context *context, const void *d_selection, uint64_t n,
    uint64_t *d_count, const winnow_launch *launch);

/*
 * Consecutive segments of the n items, and the results for them. Segment s has
 * the items d_offsets[s] to d_offsets[s + 1] - 1.
 */
typedef struct winnow_segments {
    winnow_type type;      /* of all arrays: WINNOW_UINT32 or WINNOW_UINT64. The
                              arrays are aligned to its size, and may not
                              overlap other memory of the call */
    uint64_t count;        /* the number of segments: 0 to 2^32 */
    const void *d_offsets; /* count + 1 offsets, in ascending order. An offset
                              above the number of items counts as that number. A
                              segment that ends before it begins has no items */
    void *d_counts;        /* NULL, or room for count numbers of survivors */
    void *d_out_offsets;   /* NULL, or room for count + 1 offsets: the number of
                              survivors before item d_offsets[s]. So the
                              survivors of segment s are elements
                              d_out_offsets[s] to d_out_offsets[s + 1] - 1 of
                              the output of winnow_compact() */
} winnow_segments;

/* Count the survivors of each segment. The time that a segment takes does not
 * depend on its size. */
WINNOW_API_CHECKED winnow_status winnow_selection_segments(
    winnow_context *context, const void *d_selection, uint64_t n,
    const winnow_segments *segments, const winnow_launch *launch);

/*
 * Write a selection of n items as a mask: 1 for an item that it keeps,
 * otherwise 0. The flag of item i is number offset + i, counted in bytes or
 * bits from d_flags on. Other flags keep their values; in a mask of bits, a
 * byte that has such flags is read and written. d_flags may not overlap
 * d_selection.
 */
WINNOW_API_CHECKED winnow_status
winnow_selection_to_mask(winnow_context *context, const void *d_selection,
                         uint64_t n, winnow_mask_kind kind, void *d_flags,
                         uint64_t offset, const winnow_launch *launch);

/*
 * Pack the elements of d_in[0 .. n) that a selection keeps into d_out.
 *
 *   element_bytes  the size of an element: 1 to 4096. Elements need no
 *                  alignment. Elements of 1, 2, 4 or 8 bytes are faster if they
 *                  are aligned to their size, others if they are aligned to 16
 *                  bytes.
 *   d_out          may overlap neither d_in nor d_selection. (To pack in place,
 *                  use winnow_compact_columns().)
 */
WINNOW_API_CHECKED winnow_status winnow_compact(
    winnow_context *context, const void *d_selection, const void *d_in,
    uint64_t n, size_t element_bytes, void *d_out, uint64_t capacity,
    uint64_t *d_count, const winnow_launch *launch);

/*
 * Pack 1 to 64 columns, as winnow_compact() packs one, in fewer launches.
 * Columns of the same kind share one launch, which reads the selection once.
 *
 *   moves   in host memory, read only during the call. Elements are as for
 *           winnow_compact(), or bits at any offset. Bits around an output keep
 *           their values, and a byte that has such bits is read and written. A
 *           column whose d_out is its d_in, with the same offset, is packed in
 *           place. All other outputs may not overlap other memory of the call.
 */
WINNOW_API_CHECKED winnow_status winnow_compact_columns(
    winnow_context *context, const void *d_selection, uint64_t n,
    const winnow_move *moves, unsigned move_count, uint64_t capacity,
    uint64_t *d_count, const winnow_launch *launch);

/*
 * Split n elements: pack the elements that a selection keeps into `kept`, and
 * all others into `rejected`, each in the order of the input. The two may
 * overlap neither the input nor each other; each has a capacity of its own.
 * Elements behind launch->d_n are written to neither.
 *
 *   in        elements side by side, with element_bytes as for
 *             winnow_compact(), or bits.
 *   kept      elements of the same type and size, side by side. Bits begin at
 *             any offset, and the bits around them keep their values. The same
 *             is true for `rejected`.
 *   d_counts  NULL, or where the call writes the true numbers of elements that
 *             are kept and rejected.
 */
WINNOW_API_CHECKED winnow_status winnow_split(
    winnow_context *context, const void *d_selection, const winnow_in *in,
    uint64_t n, const winnow_out *kept, uint64_t kept_capacity,
    const winnow_out *rejected, uint64_t rejected_capacity, uint64_t *d_counts,
    const winnow_launch *launch);

/*
 * Scatter packed elements: the reverse of winnow_compact(). Element k of
 * `packed` is copied to the element of `out` that belongs to the k-th item that
 * the selection keeps.
 *
 *   packed    packed_n elements, or n if that is less; WINNOW_NO_LIMIT: n. They
 *             lie side by side, with element_bytes as for winnow_compact(), or
 *             are bits. If the selection keeps more items, the elements of the
 *             remaining items keep their values, even with a value to fill in.
 *             If it keeps fewer, the remaining elements are not read.
 *   fill      a value that is written for the items that are not kept:
 *             element_bytes bytes in host memory, with any alignment, read only
 *             during the call. For bits it is a byte of 0 or 1. NULL: the
 *             elements of these items keep their values.
 *   out       n elements of the same type and size, side by side; they may not
 *             overlap other memory of the call. Bits begin at any offset, and
 *             the bits around them keep their values.
 *
 * launch->d_n is the number of items: elements behind it keep their values.
 */
WINNOW_API_CHECKED winnow_status winnow_expand(
    winnow_context *context, const void *d_selection, const winnow_in *packed,
    uint64_t packed_n, uint64_t n, const void *fill, const winnow_out *out,
    const winnow_launch *launch);

/*
 * Write a value to the elements behind a packed output: the elements of `out`
 * from *d_count on. The device reads the count when it does the work. Enqueue
 * the call after the one that writes the count, on the same stream. The host
 * does not wait.
 *
 *   d_count   aligned to 8 bytes; may not overlap `out`. If it is n or more,
 *             there is nothing to fill.
 *   n         the number of elements of `out`: the capacity of the other call.
 *   fill      a value of element_bytes bytes in host memory, with any
 *             alignment, read only during the call.
 *   out       n elements of 1 to 4096 bytes, side by side, with any alignment.
 *             Bits are refused.
 *
 * launch->d_n is the number of elements: the call does not write beyond them.
 * It needs no workspace.
 */
WINNOW_API_CHECKED winnow_status winnow_fill(winnow_context *context,
                                             const uint64_t *d_count,
                                             uint64_t n, const void *fill,
                                             const winnow_out *out,
                                             const winnow_launch *launch);

/* Elements that arrive, to take the places of elements that are not kept. */
typedef struct winnow_arrivals {
    uint64_t n;          /* the number of elements, or an upper bound */
    const uint64_t *d_n; /* NULL, or the number, aligned to 8 bytes. The device
                            reads it when it does the work. A number above n
                            counts as n */
} winnow_arrivals;

/*
 * Replace the elements that a selection does not keep, in place: first by
 * elements that arrive, then by kept elements from the end. After the call the
 * elements lie side by side. The number of elements that the call moves is at
 * most the number that are not kept, or the number that arrive if that is
 * greater. All other elements stay where they are.
 *
 * Let m be the number of items that are kept plus the number of arrivals. A
 * place below m is free if its item is not kept, or if it is n or greater. The
 * free places are filled in ascending order, first with the arrivals, in their
 * order, then with the kept items from place m on, in their order.
 *
 *   arrivals  NULL: none.
 *   moves     1 to 64 columns, of elements as for winnow_compact(). d_out has
 *             the elements of the n items, and room for `capacity` elements.
 *             d_in has the elements that arrive; it may be NULL if there are
 *             none. Columns of WINNOW_BIT are refused.
 *   capacity  at least n. WINNOW_NO_LIMIT: n plus arrivals->n. If there is too
 *             little room, the last arrivals are not written.
 *   d_count   NULL, or where the call writes m, the true number.
 *
 * The arrays may not overlap. launch->d_n replaces n, and the places behind it
 * are free.
 */
WINNOW_API_CHECKED winnow_status
winnow_fill_holes(winnow_context *context, const void *d_selection, uint64_t n,
                  const winnow_arrivals *arrivals, const winnow_move *moves,
                  unsigned move_count, uint64_t capacity, uint64_t *d_count,
                  const winnow_launch *launch);

/*
 * Write the indices of the items that a selection keeps to d_indices, in
 * ascending order. index_type and d_indices are as for winnow_copy_index_if();
 * the indices may not overlap d_selection.
 */
WINNOW_API_CHECKED winnow_status winnow_compact_index(
    winnow_context *context, const void *d_selection, uint64_t n,
    winnow_type index_type, void *d_indices, uint64_t capacity,
    uint64_t *d_count, const winnow_launch *launch);

/*
 * Pack the strings that a selection keeps: their bytes, and their offsets,
 * which begin at 0.
 *
 *   strings           of WINNOW_STRING32 or WINNOW_STRING64; d_data has any
 *                     alignment and at most 2^48 bytes.
 *                     winnow_compact_columns() packs views, as elements of 16
 *                     bytes. The validity is not read; winnow_compact_columns()
 *                     packs it. A null string has the bytes that its offsets
 *                     give.
 *   d_offsets         offsets of the same width as the input's, one more than
 *                     there are strings.
 *   offsets_capacity  the number of strings that d_offsets has room for: it has
 *                     room for offsets_capacity + 1 offsets. WINNOW_NO_LIMIT:
 *                     n.
 *   d_data            the bytes, with any alignment. NULL: no bytes are read or
 *                     written; offsets and counts are the same.
 *   data_capacity     in bytes. WINNOW_NO_LIMIT: strings->data_size, which is
 *                     enough unless offsets descend.
 *   d_counts          NULL, or where the call writes the true numbers of
 *                     strings and of bytes, aligned to 8 bytes; a number above
 *                     2^63 - 1 is written as 2^63 - 1.
 *
 * If there is too little room, the last strings and bytes are not written, and
 * an offset above data_capacity is written as data_capacity. So the offsets are
 * always valid, and one string may be cut. In the same way an offset of 32 bits
 * is at most 2^31 - 1; d_counts has the true number. The outputs may not
 * overlap other memory of the call.
 */
WINNOW_API_CHECKED winnow_status winnow_compact_strings(
    winnow_context *context, const void *d_selection, const winnow_in *strings,
    uint64_t n, void *d_offsets, uint64_t offsets_capacity, void *d_data,
    uint64_t data_capacity, uint64_t *d_counts, const winnow_launch *launch);

/* ------------------------------------- a selection and its use in one call */

/*
 * These calls make a selection in the workspace and use it once. The order of
 * the input is kept. Without a workspace a context of the host allocates a
 * selection of more than 4096 bytes, and frees it.
 */

/* Filter a table: pack 1 to 64 columns, and keep the items that pass a
 * condition. columns are as for winnow_select_where(), moves as for
 * winnow_compact_columns(). A column of the condition and its validity may be
 * packed in place, because the condition is tested first. A validity is packed
 * only by a move of WINNOW_BIT.
 */
WINNOW_API_CHECKED winnow_status winnow_copy_where(
    winnow_context *context, const winnow_condition *condition,
    const winnow_in *columns, unsigned column_count, uint64_t n,
    const winnow_move *moves, unsigned move_count, uint64_t capacity,
    uint64_t *d_count, const winnow_launch *launch);

/*
 * Pack 1 to 64 columns, and keep the items whose key passes the predicate.
 *
 *   key    of the type of the predicate. Keys that lie side by side are aligned
 *          to their type. Keys with a stride, such as a field of records, need
 *          no alignment, but are faster if they are aligned to their type. The
 *          key need not be one of the columns. Of a record that does not pass,
 *          only the memory sectors with its key are read.
 *   moves  as for winnow_compact_columns().
 */
WINNOW_API_CHECKED winnow_status winnow_copy_columns_if(
    winnow_context *context, const winnow_predicate *predicate,
    const winnow_in *key, uint64_t n, const winnow_move *moves,
    unsigned move_count, uint64_t capacity, uint64_t *d_count,
    const winnow_launch *launch);

/* Pack 1 to 64 columns, and keep the items that are flagged in a mask. moves
 * are as for winnow_compact_columns(). */
WINNOW_API_CHECKED winnow_status winnow_copy_flagged(
    winnow_context *context, const winnow_mask *mask, uint64_t n,
    const winnow_move *moves, unsigned move_count, uint64_t capacity,
    uint64_t *d_count, const winnow_launch *launch);

/*
 * Partition d_in[0 .. n) in two: the elements that pass go to d_out, and the
 * others to d_rejected, each in the order of the input. Both have room for n
 * elements, and may overlap neither the input nor each other: there is no
 * capacity.
 *
 *   d_rejected  NULL: the others follow in d_out, behind the last element that
 *               passes.
 *   d_counts    NULL, or where the call writes the number of elements that pass
 *               and the number of the others, aligned to 8 bytes.
 */
WINNOW_API_CHECKED winnow_status winnow_partition_if(
    winnow_context *context, const winnow_predicate *predicate,
    winnow_type type, const void *d_in, uint64_t n, void *d_out,
    void *d_rejected, uint64_t *d_counts, const winnow_launch *launch);

/*
 * Pack 1 to 64 columns, and keep one item of each run of equal keys. keys and
 * options are as for winnow_select_unique(), moves as for
 * winnow_compact_columns(), but no column is packed in place. To pack the keys
 * themselves, add a move whose d_in is keys->d_base.
 */
WINNOW_API_CHECKED winnow_status
winnow_unique(winnow_context *context, const winnow_in *keys, uint64_t n,
              const winnow_unique_options *options, const winnow_move *moves,
              unsigned move_count, uint64_t capacity, uint64_t *d_count,
              const winnow_launch *launch);

/*
 * Pack the elements of d_in[0 .. n) that pass the predicate into d_out, and
 * write the number and the offset of the survivors of each segment. Elements
 * that belong to no segment are packed, too. d_in and d_out are aligned to the
 * element type, and may not overlap. The capacity limits only d_out, not the
 * numbers that are written for the segments.
 */
WINNOW_API_CHECKED winnow_status winnow_segmented_copy_if(
    winnow_context *context, const winnow_predicate *predicate,
    winnow_type type, const void *d_in, uint64_t n,
    const winnow_segments *segments, void *d_out, uint64_t capacity,
    uint64_t *d_count, const winnow_launch *launch);

/* ------------------------------------------- aggregates under a condition */

/* Computes a value from the elements of an item. It never changes, and threads
 * may share it. */
typedef struct winnow_expression winnow_expression;

/*
 * Make an expression from a text, in the language of winnow_condition_parse()
 * without comparisons: "price * (1 - discount)", "year(day)", "price". Fields,
 * text, errors and their place in the text are as for winnow_condition_parse().
 * It also returns WINNOW_ERR_UNSUPPORTED if the text is a condition or reads no
 * column, or if its value is a bit, a string, or an integer of 128 bits.
 *
 * The value of a date or a timestamp is an int64, the number of its units;
 * winnow_language(7) describes the operations.
 */
WINNOW_API_CHECKED winnow_status winnow_expression_parse(
    winnow_expression **expression_p, const winnow_field *fields,
    unsigned field_count, const char *text);
/*
 * Make an expression whose value is the element of column `column`. Columns are
 * numbered from 0.
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: expression_p is NULL, or type is not
 * a winnow_type; WINNOW_ERR_UNSUPPORTED: type is not a type of numbers of at
 * most 64 bits, or column is greater than 65535; WINNOW_ERR_MEMORY.
 */
WINNOW_API_CHECKED winnow_status winnow_expression_column(
    winnow_expression **expression_p, unsigned column, winnow_type type);
/*
 * The type of its values: WINNOW_INT64, WINNOW_UINT64, WINNOW_FLOAT32 or
 * WINNOW_FLOAT64; WINNOW_INT128 for decimals; WINNOW_OPAQUE for NULL. Integers
 * of less than 64 bits count as WINNOW_INT64, float16 and bfloat16 as
 * WINNOW_FLOAT32.
 */
WINNOW_API winnow_type
winnow_expression_type(const winnow_expression *expression);
/*
 * The type of its values as a format of Arrow's C data interface: "l", "L",
 * "f", "g", or "d:24,4" for decimals of 24 digits, 4 of them behind the point.
 * The text belongs to the expression; it is NULL if expression is NULL.
 */
WINNOW_API const char *
winnow_expression_format(const winnow_expression *expression);
/* Write the numbers of the columns that an expression reads, to host memory.
 * The arguments and the errors are those of winnow_condition_columns(). */
WINNOW_API_CHECKED winnow_status winnow_expression_columns(
    const winnow_expression *expression, unsigned *columns, unsigned *count_p);
/* Free an expression. Calls that were enqueued with it have a copy and are not
 * affected. NULL is allowed. */
WINNOW_API void winnow_expression_destroy(winnow_expression *expression);

#define WINNOW_MOST_AGGREGATES 16u

/* What to compute from the items that pass. */
typedef struct winnow_aggregate {
    /* Items for which its value is null are skipped. NULL: the items themselves
     * are counted, and `wanted` is WINNOW_REDUCE_COUNT. */
    const winnow_expression *expression;
    unsigned wanted; /* winnow_reduce bits */
    uint64_t reserved[2];
} winnow_aggregate;

/*
 * For the items that pass a condition, count the values of expressions, and
 * compute their sum, mean, minimum and maximum, as winnow_reduce_if() does for
 * elements. The caller gets no selection. A column of an expression is read
 * only where items pass.
 *
 *   condition   NULL: every item passes.
 *   columns     as for winnow_select_where().
 *   aggregates  1 to WINNOW_MOST_AGGREGATES aggregates, in host memory, read
 *               only during the call. Their expressions read at most
 *               WINNOW_CONDITION_MOST_COLUMNS different columns, in addition to
 *               those of the condition.
 *   d_results   where the call writes all members of one winnow_reduction for
 *               each aggregate, aligned to 8 bytes. Numbers have the type of
 *               the expression, or float64 for WINNOW_FLOAT32. Decimals of more
 *               than 18 digits have a sum, but no minimum and no maximum; their
 *               sum counts as two aggregates.
 *
 * Integer sums are exact. Sums of floats are added up as float64 in the order
 * in which winnow_reduce_if() adds n elements of WINNOW_FLOAT64; values that
 * are skipped count as elements that do not pass. Indices are those of items.
 *
 * It also returns WINNOW_ERR_ARGUMENT if `wanted` is wrong, as for
 * winnow_reduce_if(), or if an expression reads a column that does not exist or
 * has another type.
 */
WINNOW_API_CHECKED winnow_status winnow_reduce_where(
    winnow_context *context, const winnow_condition *condition,
    const winnow_in *columns, unsigned column_count, uint64_t n,
    const winnow_aggregate *aggregates, unsigned aggregate_count,
    winnow_reduction *d_results, const winnow_launch *launch);

/* Keys, values and sums, as for winnow_accumulate_by_key(). */
typedef struct winnow_accumulation {
    const winnow_in *keys;
    const winnow_in *values; /* `components` arrays; elements lie side by
                                side */
    const winnow_out *sums;  /* `components` arrays of key_bound sums */
    unsigned components;
    uint64_t key_bound;
    uint64_t reserved[2];
} winnow_accumulation;

/*
 * Add the values of the items that pass a condition to the sums of their keys.
 * winnow_accumulate_by_key() does the same for all items. This is SQL's "group
 * by" with a condition.
 *
 *   columns       as for winnow_select_where().
 *   accumulation  the struct and the structs that it points to are in host
 *                 memory, and are read only during the call. Keys and values of
 *                 items that do not pass are ignored.
 *   d_beyond      NULL, or where the call writes the number of items that pass
 *                 and have a key of key_bound or greater; aligned to 8 bytes.
 *
 * The workspace has room for the keys and values of n items, which are packed
 * before they are added.
 */
WINNOW_API_CHECKED winnow_status winnow_accumulate_where(
    winnow_context *context, const winnow_condition *condition,
    const winnow_in *columns, unsigned column_count, uint64_t n,
    const winnow_accumulation *accumulation, uint64_t *d_beyond,
    const winnow_launch *launch);

/* ------------------------------------------------------------------ pipes */

/*
 * A pipe filters inputs of any size. The program feeds pieces of any size, from
 * memory, from files or by a function. The pipe filters them in chunks, and
 * writes the survivors to memory, to files or to a function, in the order of
 * the input. On a GPU it copies one chunk in, filters the previous one, and
 * copies the one before that out at the same time. winnow_pipe(7) explains it.
 *
 * Only one thread at a time may use a pipe. Its functions wait: when they
 * return, inputs are no longer in use, except pinned memory with
 * WINNOW_PIPE_ASYNCHRONOUS.
 *
 * After an error all functions of a pipe return the same error.
 * winnow_pipe_get_state() says what was written.
 */
typedef struct winnow_pipe winnow_pipe;

/* The limits of a pipe. */
#define WINNOW_PIPE_MOST_INPUTS 64u
#define WINNOW_PIPE_MOST_OUTPUTS 64u

/* An input: elements of one size, side by side, one for each item. */
typedef struct winnow_pipe_input {
    uint32_t element_bytes; /* 1 to 4096: a number, or a record */
    uint64_t reserved[2];   /* 0 */
} winnow_pipe_input;

/* A column of the condition: a field of the elements of an input. */
typedef struct winnow_pipe_column {
    winnow_type type;      /* of 1 to 16 bytes */
    uint32_t input;        /* the number of the input */
    uint32_t offset_bytes; /* the offset of the field in an element */
    uint64_t reserved[2];  /* 0 */
} winnow_pipe_column;

/* The contents of an output. */
typedef enum winnow_pipe_kind {
    WINNOW_PIPE_ELEMENTS = 0, /* the elements of an input that are kept */
    WINNOW_PIPE_INDICES = 1,  /* uint64_t: the indices of the items that are
                                 kept; the first item fed has index 0 */
    WINNOW_PIPE_MASK = 2 /* a byte for each item: 1 if it is kept, otherwise
                            0 */
} winnow_pipe_kind;

/* Where an output goes. */
typedef enum winnow_pipe_target {
    WINNOW_PIPE_TO_MEMORY = 0,
    WINNOW_PIPE_TO_FILE = 1,    /* by pwrite(2), from an offset on */
    WINNOW_PIPE_TO_STREAM = 2,  /* by write(2): a pipe, a terminal, a file */
    WINNOW_PIPE_TO_FUNCTION = 3 /* to a function of the caller */
} winnow_pipe_target;

/*
 * A function that takes the next n elements of an output. They are in host
 * memory, and are valid until the function returns. If it does not return 0,
 * the pipe stops. Threads of the library may call it, one at a time.
 */
typedef int winnow_pipe_write(void *user, const void *elements, uint64_t n);

/*
 * A function that reads the next items. For each input i it writes at most n
 * elements to elements[i], in host memory, and it writes their number to *n_p;
 * 0 is the end of the input. If it does not return 0, the pipe stops. Threads
 * of the library may call it, one at a time.
 */
typedef int winnow_pipe_read(void *user, void *const *elements, uint64_t n,
                             uint64_t *n_p);

typedef struct winnow_pipe_output {
    winnow_pipe_kind kind;
    uint32_t input; /* for WINNOW_PIPE_ELEMENTS: the number of the input */
    winnow_pipe_target target;
    int fd;                   /* of a file or stream */
    uint64_t offset;          /* in a file, in bytes */
    void *memory;             /* host memory; for elements also device memory */
    uint64_t capacity;        /* elements that memory has room for; elements
                                 beyond it are counted, not written */
    winnow_pipe_write *write; /* the function */
    void *user;               /* its first argument */
    uint64_t reserved[2];     /* 0 */
} winnow_pipe_output;

/* In winnow_pipe_state.failed: an output failed. */
#define WINNOW_PIPE_FAILED_OUTPUT 0x10000u

/* The progress of a pipe. */
typedef struct winnow_pipe_state {
    size_t size; /* sizeof(winnow_pipe_state) */

    uint64_t fed;   /* the number of items that the pipe has read */
    uint64_t items; /* the number of items from the first on whose survivors are
                       written */
    uint64_t kept;  /* the number of these survivors. The first `kept` elements
                       of an output, or `items` of a mask, are complete; others
                       may be written in part */
    int error_number; /* after WINNOW_ERR_FILE: errno; 0: the file has ended */
    uint32_t failed;  /* after WINNOW_ERR_FILE: the number of the input file, or
                         WINNOW_PIPE_FAILED_OUTPUT plus the number of the
                         output */

    uint64_t reserved[4];
} winnow_pipe_state;

/* A function that the caller's thread calls after each chunk. If it does not
 * return 0, the pipe stops. */
typedef int winnow_pipe_progress(void *user, const winnow_pipe_state *state);

/* Late fetch: elements stay in pinned memory until the survivors are known, and
 * only survivors are copied. */
typedef enum winnow_pipe_fetch {
    WINNOW_PIPE_FETCH_AUTO = 0,  /* the pipe decides for each chunk */
    WINNOW_PIPE_FETCH_WHOLE = 1, /* never: inputs are copied whole */
    WINNOW_PIPE_FETCH_LATE = 2   /* for all inputs that have no column */
} winnow_pipe_fetch;

/* Pinned memory that was fed stays in use after the call: until
 * winnow_pipe_finish(), or until `items` of the state is beyond it. */
#define WINNOW_PIPE_ASYNCHRONOUS 1u
/* On the host, regular files are mapped and not read, which is faster for files
 * in the page cache. Nobody may shorten such a file meanwhile: the process
 * would get SIGBUS. */
#define WINNOW_PIPE_MAP 2u
/* On a device, pageable memory is registered while it is fed, a GiB at a time,
 * and not copied by threads. Use it if there are few threads, or for late
 * fetch. */
#define WINNOW_PIPE_REGISTER 4u

typedef struct winnow_pipe_options {
    size_t size; /* sizeof(winnow_pipe_options) */

    uint64_t chunk_bytes; /* for all inputs together; 0: the library chooses */
    uint32_t buffers;     /* chunks in flight on a device, 2 to 16; 0: 4 */
    uint32_t threads;     /* threads that read, copy and, on the host, filter;
                             0: the library chooses */
    uint32_t flags;       /* a sum of WINNOW_PIPE_ASYNCHRONOUS and others */
    winnow_pipe_fetch fetch;
    double selectivity;             /* as in winnow_launch */
    winnow_pipe_progress *progress; /* NULL, or a function */
    void *user;                     /* its first argument */

    uint64_t reserved[4];
} winnow_pipe_options;

/*
 * Make a pipe.
 *
 *   context    is in use until the pipe is destroyed, and so is the condition.
 *   columns    the columns of the condition: column c is columns[c]. No nulls.
 *   outputs    if there are none, the survivors are counted.
 *   options    NULL for the defaults.
 *
 * The arrays of columns, inputs and outputs are in host memory, and are copied.
 * Memory and files of outputs are in use until winnow_pipe_finish() or an error
 * ends the pipe. Outputs may overlap neither each other nor the inputs. CPU
 * threads write memory that the device cannot access, such as that of malloc().
 *
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: a pointer is NULL, or a member is
 * wrong; WINNOW_ERR_UNSUPPORTED: a column has bits or strings, or indices or a
 * mask go to device memory; WINNOW_ERR_MEMORY; WINNOW_ERR_CUDA.
 */
WINNOW_API_CHECKED winnow_status winnow_pipe_create(
    winnow_pipe **pipe_p, winnow_context *context,
    const winnow_condition *condition, const winnow_pipe_column *columns,
    unsigned column_count, const winnow_pipe_input *inputs,
    unsigned input_count, const winnow_pipe_output *outputs,
    unsigned output_count, const winnow_pipe_options *options);

/*
 * Feed n items.
 *
 *   inputs  an array in host memory: inputs[i] has n elements of input i, in
 *           any host or device memory, with any alignment.
 *
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: a pointer is NULL, or the pipe has
 * ended; WINNOW_ERR_STOPPED: progress or the function of an output stopped it;
 * WINNOW_ERR_FILE: the file of an output failed; WINNOW_ERR_MEMORY;
 * WINNOW_ERR_CUDA.
 */
WINNOW_API_CHECKED winnow_status winnow_pipe_feed(winnow_pipe *pipe,
                                                  const void *const *inputs,
                                                  uint64_t n);

/* A file with the elements of an input. */
typedef struct winnow_pipe_file {
    int fd;
    uint32_t in_order;    /* not 0: by read(2) from the current position on, for
                             a pipe or a terminal; 0: by pread(2) */
    uint64_t offset;      /* of element 0, in bytes, for pread(2) */
    uint64_t reserved[2]; /* 0 */
} winnow_pipe_file;

/*
 * Feed n items from files, by several threads.
 *
 *   files  files[i] is the file of input i.
 *   n      WINNOW_NO_LIMIT: to the end of the files, which have to have the
 *          same number of whole items.
 *
 * Returns the same as winnow_pipe_feed(). It also returns WINNOW_ERR_FILE if a
 * file cannot be read, or ends before item n or in the middle of an element.
 */
WINNOW_API_CHECKED winnow_status winnow_pipe_feed_file(
    winnow_pipe *pipe, const winnow_pipe_file *files, uint64_t n);

/*
 * Feed items from a function until its input ends.
 *
 *   read  the function.
 *   user  its first argument, in host memory or anywhere else.
 *
 * Returns the same as winnow_pipe_feed(). It also returns WINNOW_ERR_STOPPED if
 * `read` stopped the pipe, and WINNOW_ERR_ARGUMENT if `read` wrote a number
 * greater than n.
 */
WINNOW_API_CHECKED winnow_status winnow_pipe_feed_read(winnow_pipe *pipe,
                                                       winnow_pipe_read *read,
                                                       void *user);

/*
 * Filter the rest of the input, wait until everything is written, and end the
 * pipe.
 *
 *   count_p  NULL, or where the call writes the number of items that were kept,
 *            in host memory.
 *
 * Returns the same as winnow_pipe_feed(); WINNOW_ERR_ARGUMENT: the pipe has
 * already ended.
 */
WINNOW_API_CHECKED winnow_status winnow_pipe_finish(winnow_pipe *pipe,
                                                    uint64_t *count_p);

/*
 * Write the progress of a pipe, also after an error or its end. The caller sets
 * state->size, the call sets the other members. It does not wait.
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: a pointer is NULL, or the size is
 * wrong.
 */
WINNOW_API_CHECKED winnow_status
winnow_pipe_get_state(const winnow_pipe *pipe, winnow_pipe_state *state);

/* Free a pipe. It waits until no memory of the program is in use; survivors
 * that are not written are dropped. NULL is allowed. */
WINNOW_API void winnow_pipe_destroy(winnow_pipe *pipe);

#ifdef __cplusplus
}
#endif

#endif /* WINNOW_H */
