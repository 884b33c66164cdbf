/*
 * winnow: filter arrays on a GPU from C.
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * winnow keeps the elements of an array that pass a predicate and packs them
 * together (stream compaction, copy_if, select). This header is the whole
 * public interface. Every function has a page in section 3 of the manual;
 * winnow(7) is where to begin.
 *
 * Conventions
 *   - Every call that can fail returns a winnow_status; results come through
 *     pointers whose names end in _p and are written only on success.
 *   - A name that begins with d_ is memory the context's device can reach:
 *     device, managed or pinned host memory for a CUDA context, ordinary memory
 *     for a context of the host.
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
/* The compiler warns where the status is ignored. */
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

/* The version of the library that is running, as WINNOW_VERSION counts. */
WINNOW_API int winnow_version(void);
/* The same as text, "0.1.0". Static storage. */
WINNOW_API const char *winnow_version_string(void);

/* ------------------------------------------------------------------ status */

typedef enum winnow_status {
    WINNOW_OK = 0,
    WINNOW_ERR_ARGUMENT = 1,    /* an argument is wrong */
    WINNOW_ERR_WORKSPACE = 2,   /* the workspace is too small */
    WINNOW_ERR_UNSUPPORTED = 3, /* right, but not offered in this combination */
    WINNOW_ERR_MEMORY = 4,      /* out of host or device memory */
    WINNOW_ERR_NO_DEVICE = 5,   /* no such device, no driver, built without */
    WINNOW_ERR_CUDA = 6,        /* the CUDA runtime reported an error */
    WINNOW_ERR_SYNTAX = 7,  /* a text is wrong: a tuning profile, a condition */
    WINNOW_ERR_COMPILE = 8, /* reserved: a predicate did not compile */
    WINNOW_ERR_FILE = 9,    /* a file could not be read or written, or ends */
    WINNOW_ERR_STOPPED = 10,      /* a function of the caller's said so */
    WINNOW_ERR_COMMUNICATION = 11 /* MPI reported an error: winnow_mpi.h */
} winnow_status;

/* "WINNOW_ERR_WORKSPACE"; "WINNOW_STATUS_UNKNOWN" for any other value. */
WINNOW_API const char *winnow_status_name(winnow_status status);
/* "workspace is too small"; a short sentence for people. */
WINNOW_API const char *winnow_status_string(winnow_status status);
/*
 * The detail of this thread's last failed call: which argument, what was
 * wanted. Empty before the first failure. A successful call leaves it alone.
 * The text belongs to the library and is good until the thread's next call.
 */
WINNOW_API const char *winnow_last_error(void);
/*
 * Set that detail, for libraries that are built on this one, such as
 * libwinnow-mpi. It is copied, and cut at 511 bytes; NULL counts as an empty
 * one. Returns status.
 */
WINNOW_API winnow_status winnow_set_last_error(winnow_status status,
                                               const char *detail);

/* Where a text is wrong. */
typedef struct winnow_place {
    size_t size; /* sizeof(winnow_place) */

    /* Counted from 1; 0: the last error is not about a place in a text. */
    uint32_t line;
    uint32_t column; /* in bytes */
    uint64_t offset; /* in bytes from the beginning of the text */
    /* The number of the field that the text names last before this place,
     * counted from 0; WINNOW_NO_FIELD if it names none. */
    uint32_t field;
    /* If the error is a name that no field has: the bytes of the name, with its
     * quotes. Else 0. */
    uint32_t name_bytes;

    uint64_t reserved[4];
} winnow_place;
#define WINNOW_NO_FIELD UINT32_MAX

/*
 * Write the place in the text of a condition or an expression at which this
 * thread's last failed call found an error. The detail describes the error.
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: place is NULL, or its size is that of
 * no version.
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
    /* Bytes of any number. */
    WINNOW_STRING32 = 15, /* between two offsets of 32 bits: winnow_in */
    WINNOW_STRING64 = 16, /* of 64 bits */
    WINNOW_VIEW = 17      /* a view of 16 bytes, as Apache Arrow has them */
} winnow_type;

/* "int8", "bfloat16", ..., "opaque", "bit", "int128", "string32", "string64",
 * "view"; "unknown" for any other value. */
WINNOW_API const char *winnow_type_name(winnow_type type);
/* Bytes of one element: 1, 2, 4, 8 or 16; 0 for WINNOW_OPAQUE, WINNOW_BIT,
 * WINNOW_STRING32 and WINNOW_STRING64, and for a value that is no type. */
WINNOW_API size_t winnow_type_size(winnow_type type);

/* ---------------------------------------------------------------- contexts */

/* One device and what the library keeps for it. Thread-safe. */
typedef struct winnow_context winnow_context;

/* The same type as cudaStream_t, without the CUDA header. */
typedef struct CUstream_st *winnow_stream;

/* In place of a CUDA device's ordinal: the CPU. */
#define WINNOW_DEVICE_HOST (-1)

/*
 * Make a context for a CUDA device (its ordinal) or for the CPU
 * (WINNOW_DEVICE_HOST). It may synchronise with the device.
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: context_p is NULL, or WINNOW_HOST_ISA
 * in the environment has no meaning; WINNOW_ERR_UNSUPPORTED: the CPU lacks what
 * that names; WINNOW_ERR_NO_DEVICE: no such ordinal, no driver, no kernels for
 * the device, or a library built without CUDA; WINNOW_ERR_MEMORY;
 * WINNOW_ERR_CUDA; and what winnow_context_tune() does of WINNOW_TUNING.
 */
WINNOW_API_CHECKED winnow_status
winnow_context_create(winnow_context **context_p, int device);
/*
 * How many threads of the CPU work on a call, the caller's own included, from
 * the next call on; 0, the default: one for each CPU that the process may use.
 * Small calls run in the caller's thread whatever the number. Other threads are
 * started by the first call that needs them and sleep between calls.
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: context is NULL;
 * WINNOW_ERR_UNSUPPORTED: it is a CUDA device's.
 */
WINNOW_API_CHECKED winnow_status
winnow_context_set_threads(winnow_context *context, unsigned threads);
/*
 * When calls of a device's context compile the kernel of a condition's
 * expressions, or of a reduction. An interpreter on the device gives the same
 * results, bit for bit: a call takes it where it has no kernel.
 */
typedef enum winnow_compile {
    /* Never: a call takes the kernel that the process or the code cache has,
     * and is interpreted without one. winnow_condition_prepare() compiles. */
    WINNOW_COMPILE_READY = 0,
    /* Before the call, or its plan: it waits for the compiler. A call that is
     * captured or has a workspace returns WINNOW_ERR_UNSUPPORTED in place of
     * that. */
    WINNOW_COMPILE_BEFORE = 1
} winnow_compile;
/*
 * From the next call on; a context begins with WINNOW_COMPILE_READY. A context
 * of WINNOW_DEVICE_HOST compiles nothing. A condition in CUDA C, which has no
 * interpreter, is compiled before a call whatever is set.
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: context is NULL, or compile is none.
 */
WINNOW_API_CHECKED winnow_status
winnow_context_set_compile(winnow_context *context, winnow_compile compile);
/*
 * Have WINNOW_AUTO choose by the tuning profile in a file, which `winnow-bench
 * tune` writes, from the next call on; where it says nothing of a call, and
 * with a path of NULL, by what is built in. The file is checked as a whole, for
 * the context's device: winnow_tuning(5). If it is refused nothing changes, and
 * the detail has the line and what was expected there. Plans that were made
 * before may name too small a workspace: plan again.
 *
 * A context begins with the profile that WINNOW_TUNING in the environment
 * names, or else with the user's own for the device, if there is one.
 *
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: context is NULL, or the file cannot
 * be read; WINNOW_ERR_SYNTAX: it is no profile, one of another device, or says
 * what is not possible; WINNOW_ERR_UNSUPPORTED: the context is of
 * WINNOW_DEVICE_HOST; WINNOW_ERR_MEMORY.
 */
WINNOW_API_CHECKED winnow_status winnow_context_tune(winnow_context *context,
                                                     const char *path);
/*
 * What went wrong and made no call fail: a line for each kind, such as code
 * that was compiled and could not be kept on disk. They are written to text as
 * a string that is cut after text_bytes - 1 bytes; it is empty where there is
 * nothing to say, as for WINNOW_DEVICE_HOST. A context keeps the first 8 lines.
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: a pointer is NULL, or text_bytes is
 * 0; WINNOW_ERR_MEMORY.
 */
WINNOW_API_CHECKED winnow_status winnow_context_notes(
    const winnow_context *context, char *text, size_t text_bytes);
/*
 * Free a context. The caller sees to it that no call on it is still running:
 * neither in another thread, nor on its device. NULL is allowed.
 */
WINNOW_API void winnow_context_destroy(winnow_context *context);

/* -------------------------------------------------------------- predicates */

/* Which elements to keep. Immutable after creation, shareable by threads. */
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
 * Keep x where `x compare value` holds. value points to one element of `type`
 * in host memory, and is copied. Floats compare as IEEE 754 says: a NaN passes
 * WINNOW_NE alone, and -0 equals +0. Of WINNOW_INT128 the predicate is for
 * winnow_condition_test() alone.
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: a pointer is NULL, or type or compare
 * is no value of its enumeration; WINNOW_ERR_MEMORY.
 */
WINNOW_API_CHECKED winnow_status
winnow_predicate_compare(winnow_predicate **predicate_p, winnow_type type,
                         winnow_compare compare, const void *value);
/*
 * Keep x where low <= x and x <= high. low and high point to one element of
 * `type` each, in host memory, and are copied. low > high, or a NaN for either,
 * keeps nothing. Returns what winnow_predicate_compare() does.
 */
WINNOW_API_CHECKED winnow_status
winnow_predicate_range(winnow_predicate **predicate_p, winnow_type type,
                       const void *low, const void *high);
/*
 * Keep x where (bits of x & mask) == value. The bits are those in memory,
 * whatever the type. Returns what winnow_predicate_compare() does, and
 * WINNOW_ERR_ARGUMENT for a mask wider than the type, or a value with bits that
 * the mask lacks.
 */
WINNOW_API_CHECKED winnow_status
winnow_predicate_bits(winnow_predicate **predicate_p, winnow_type type,
                      uint64_t mask, uint64_t value);
/*
 * Free a predicate. Calls that were enqueued with it are not affected: they
 * took a copy. NULL is allowed.
 */
WINNOW_API void winnow_predicate_destroy(winnow_predicate *predicate);

/* ------------------------------------------------------- how a call is run */

typedef enum winnow_order {
    WINNOW_UNORDERED = 0, /* the survivors in some order: fastest */
    WINNOW_STABLE = 1     /* the survivors in the input's order */
} winnow_order;

/* How the offset of each survivor is computed: see winnow_strategies(7). */
typedef enum winnow_strategy {
    WINNOW_HOST = -1,           /* stable: the CPU, in its contexts only */
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
 * Sizes of structs. A struct that begins with `size` is filled in by the
 * caller: size is its sizeof, as compiled, and zeros everywhere else are the
 * defaults. A shorter struct, of an older program, has the defaults for what it
 * lacks. In a longer one all that this library does not know has to be 0. A
 * size of 0 is an error.
 */

/* What a call needs and would do: an output of the call, see winnow_launch. */
typedef struct winnow_plan {
    size_t size; /* sizeof(winnow_plan) */

    /* Out: bytes of workspace that the call needs at most. */
    size_t workspace_bytes;
    /* Out: the strategy; WINNOW_AUTO where the device chooses one at each run,
     * and for calls without strategies. */
    winnow_strategy strategy;

    /* NULL, or where an account for people goes: the strategy, launches,
     * workspace, and why. It is cut at text_bytes, with a 0 behind it. */
    char *text;
    size_t text_bytes;
    /* Out: the length of all of the text, without the 0. */
    size_t text_length;

    uint64_t reserved[4];
} winnow_plan;

/*
 * How a call runs: the last argument of every call that works on arrays. NULL
 * stands for the defaults.
 *
 * What a call has no use for of stream, workspace and selectivity is ignored:
 * one struct serves a chain of calls. What would change a result, and cannot be
 * honoured, is refused with WINNOW_ERR_UNSUPPORTED: d_position by calls that
 * always write from the beginning of their outputs, strategy and d_strategy by
 * calls without strategies.
 */
typedef struct winnow_launch {
    size_t size; /* sizeof(winnow_launch) */

    /* A stream of the context's device; NULL: the default stream. NULL for a
     * context of the host. */
    winnow_stream stream;

    /* 16-byte aligned, any contents; in use until the work on the stream is
     * done. NULL with 0 bytes: memory of the context's own. A plan says how
     * many bytes a call needs. */
    void *d_workspace;
    size_t workspace_bytes;

    /* NULL, or the number of items, 8-byte aligned, which the device reads when
     * it does the work. Above n it counts as n. Items from there on are not
     * looked at. It may be the same word as d_count. */
    const uint64_t *d_n;

    /* NULL, or where the output begins, in elements; 8-byte aligned. The device
     * reads it when it does the work, and adds the number of elements that were
     * written. The capacity is counted from element 0 on, and is the true
     * number of elements that there is room for. Nothing is packed in place. */
    uint64_t *d_position;

    winnow_order order;
    winnow_strategy strategy;
    /* The expected fraction kept, above 0 and at most 1; 0: unknown. A hint for
     * WINNOW_AUTO: it never changes the result. */
    double selectivity;
    /* NULL, or where to write the winnow_strategy that ran, in stream order. */
    int32_t *d_strategy;

    /* NULL, or where to say what the call needs and would do. Then nothing is
     * enqueued, and nothing else is written. A plan depends on values, and on
     * which inputs are packed in place, never on addresses: all pointers to
     * arrays may be NULL. */
    winnow_plan *plan;

    uint64_t reserved[4];
} winnow_launch;

/*
 * Fill in the defaults, for languages without initialisers: `size` is that of
 * the caller's winnow_launch, in bytes.
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: launch is NULL, or size is that of no
 * winnow_launch.
 */
WINNOW_API_CHECKED winnow_status winnow_launch_init(winnow_launch *launch,
                                                    size_t size);

/* In C, a launch in place: WINNOW_LAUNCH(.stream = stream, .d_n = d_n). */
#ifndef __cplusplus
#define WINNOW_LAUNCH(...)                                                     \
    (&(winnow_launch){.size = sizeof(winnow_launch), __VA_ARGS__})
#endif

/* A capacity: room for n elements. */
#define WINNOW_NO_LIMIT UINT64_MAX
/* WINNOW_NO_LIMIT, for languages that have no macros of C. */
WINNOW_API uint64_t winnow_no_limit(void);

/* ------------------------------------------------------------------ arrays */

/* Bytes that views count in. */
typedef struct winnow_buffer {
    const void *d_bytes;
    uint64_t bytes;
} winnow_buffer;

/*
 * Where the elements of n items are read: d_base + i * stride_bytes, in bytes,
 * is the address of that of item i. Of WINNOW_BIT, where a page takes it, that
 * of item i is bit number offset + i, counted from d_base on.
 *
 * Of WINNOW_STRING32 and WINNOW_STRING64 d_base is an array of n + 1 offsets,
 * aligned to their size: item i has the bytes d_base[i] to d_base[i + 1] - 1 of
 * d_data. An offset above data_size, or of 32 bits above 2^31 - 1, counts as
 * that, and so does one below 0; a string that ends before it begins is empty.
 * Of WINNOW_VIEW d_base is an array of n views, and d_data one of data_size
 * winnow_buffers. A view that reaches beyond its buffer, or names none, is an
 * empty string. Without d_data no string may have bytes there: on the host that
 * is WINNOW_ERR_ARGUMENT, on a device such strings are empty.
 *
 * With d_valid, the element of item i is null where bit number valid_offset +
 * i, counted from d_valid on, is 0. winnow_select_where() and
 * winnow_copy_where() take it; other calls refuse it, unless their page says
 * something else. Where they take a dictionary, its values may be null, too: by
 * dictionary->d_valid, in which case an item whose index names no value is null
 * as well.
 */
typedef struct winnow_in {
    winnow_type type;       /* WINNOW_OPAQUE: element_bytes says the size */
    uint32_t element_bytes; /* 0: the type's; else the same as the type's */
    const void *d_base;     /* the element of item 0 */
    int64_t stride_bytes;   /* 0: the elements lie side by side */
    const void *d_valid;    /* NULL, or bits: see below */
    uint64_t valid_offset;  /* in bits, of d_valid */
    uint64_t offset;        /* in bits, of WINNOW_BIT; else 0 */
    const void *d_data;     /* of strings and views; else NULL */
    uint64_t data_size;     /* bytes, or buffers; else 0 */
    /* NULL, or the values, dictionary_n of them: then the elements of this
     * array, integers, are indices of values. */
    const struct winnow_in *dictionary;
    uint64_t dictionary_n;
    uint64_t reserved[2];
} winnow_in;

/* Where the elements of a number of items are written, likewise. */
typedef struct winnow_out {
    winnow_type type;
    uint32_t element_bytes;
    void *d_base;
    int64_t stride_bytes;
    uint64_t offset; /* in bits, of WINNOW_BIT; else 0 */
    uint64_t reserved[2];
} winnow_out;

/*
 * A column to pack: n elements in, and room for those that are kept. Of a
 * column of bits the element of item i is bit in_offset + i, counted from d_in
 * on, and the output begins at bit out_offset of d_out.
 */
typedef struct winnow_move {
    const void *d_in;
    void *d_out;
    size_t element_bytes; /* 0 for a column of bits */
    winnow_type type;     /* WINNOW_OPAQUE, or WINNOW_BIT: a column of bits */
    uint64_t in_offset;   /* in bits, of WINNOW_BIT; else 0 */
    uint64_t out_offset;  /* the same of the output */
    uint64_t reserved[2];
} winnow_move;

/* What a mask is made of. */
typedef enum winnow_mask_kind {
    WINNOW_MASK_BYTES = 0, /* a byte for each item: any but 0 keeps it */
    WINNOW_MASK_BITS = 1   /* a bit for each item, least significant first */
} winnow_mask_kind;

/* Flags of items. Item i has flag number offset + i, counted in bytes or in
 * bits from d_flags on. */
typedef struct winnow_mask {
    winnow_mask_kind kind;
    const void *d_flags; /* of any alignment */
    uint64_t offset;
} winnow_mask;

/* ----------------------------------------------------------------- copy_if */

/*
 * What all calls below have in common.
 *
 * They read and write arrays that the context's device can reach. They enqueue
 * and return, never synchronise, and can be captured in a CUDA graph. (A
 * context of the host does the work before it returns.) On an error nothing is
 * enqueued and nothing is written, but for one: where a call takes several
 * kernels, and a later one cannot be launched, it returns WINNOW_ERR_CUDA, and
 * its outputs may be written in part (winnow_errors(7)). Nothing is ever
 * written but the outputs, the counts, *d_position, *d_strategy and the
 * workspace.
 *
 * Their arguments have one order: the context, what selects, the inputs, n,
 * parameters, the outputs, capacity, d_count, launch.
 *
 *   type      of the elements of d_in, where a predicate tests them: the
 *             predicate's.
 *   n         how many items there are; with launch->d_n an upper bound.
 *   capacity  how many elements each packed output has room for;
 *             WINNOW_NO_LIMIT: n. If more are kept, the rest is not written: in
 *             a stable order the last ones.
 *   d_count   NULL, or the true number of items kept, 8-byte aligned, also when
 *             the capacity cut the output: overflow is *d_count > capacity.
 *   launch    NULL for the defaults.
 *
 * They return WINNOW_OK; WINNOW_ERR_ARGUMENT: a pointer that is needed is NULL,
 * one is misaligned, overlaps another or cannot be reached by the device, a
 * type is wrong, n is too large, or a member of launch is wrong;
 * WINNOW_ERR_WORKSPACE: workspace_bytes is too small; WINNOW_ERR_UNSUPPORTED:
 * the combination is not offered; WINNOW_ERR_MEMORY; WINNOW_ERR_CUDA.
 * winnow_errors(7) lists them all.
 */

/*
 * Pack the elements of d_in[0 .. n) that pass the predicate into d_out.
 *
 *   d_in, d_out  aligned as the element type is, no more. They may be equal (in
 *                place) with WINNOW_STABLE; any other overlap is refused.
 *
 * WINNOW_CUB_SCAN is refused with launch->d_n and with launch->d_position. With
 * the latter nothing is packed in place.
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
 *   index_type   WINNOW_UINT32, for an n of at most 2^32, or WINNOW_UINT64.
 *   d_indices    aligned as the index type is; apart from d_in.
 */
WINNOW_API_CHECKED winnow_status
winnow_copy_index_if(winnow_context *context, const winnow_predicate *predicate,
                     winnow_type type, const void *d_in, uint64_t n,
                     winnow_type index_type, void *d_indices, uint64_t capacity,
                     uint64_t *d_count, const winnow_launch *launch);

/* Write to *d_count how many elements of d_in[0 .. n) pass the predicate. */
WINNOW_API_CHECKED winnow_status
winnow_count_if(winnow_context *context, const winnow_predicate *predicate,
                winnow_type type, const void *d_in, uint64_t n,
                uint64_t *d_count, const winnow_launch *launch);

/*
 * Write to *d_selectivity an estimate of the fraction of d_in[0 .. n) that
 * passes the predicate: exact up to 65536 elements, and from a sample of that
 * size, spread evenly over the array, beyond. The same input gives the same
 * estimate. 0 when there are no elements. d_selectivity is 8-byte aligned.
 */
WINNOW_API_CHECKED winnow_status winnow_estimate_selectivity(
    winnow_context *context, const winnow_predicate *predicate,
    winnow_type type, const void *d_in, uint64_t n, double *d_selectivity,
    const winnow_launch *launch);

/* --------------------------------------------------------------- reduce_if */

/* What winnow_reduce_if() computes: any of these, or-ed together. */
typedef enum winnow_reduce {
    WINNOW_REDUCE_COUNT = 1,   /* count; always written */
    WINNOW_REDUCE_SUM = 2,     /* sum, overflow and mean */
    WINNOW_REDUCE_MINIMUM = 4, /* minimum */
    WINNOW_REDUCE_MAXIMUM = 8, /* maximum */
    WINNOW_REDUCE_INDEX = 16,  /* with either: the index of the first one */
    WINNOW_REDUCE_PARTIAL = 32 /* with others: for winnow_reduction_merge() */
} winnow_reduce;

/* Of a minimum or a maximum of no element. */
#define WINNOW_NO_INDEX UINT64_MAX
/* WINNOW_NO_INDEX, for languages that have no macros of C. */
WINNOW_API uint64_t winnow_no_index(void);

/* A value of an element type, widened without loss: the member is int64 for
 * signed integers, uint64 for unsigned ones, float64 for floats. */
typedef union winnow_number {
    int64_t int64;
    uint64_t uint64;
    double float64;
} winnow_number;

/* The result. What was not asked for is 0. */
typedef struct winnow_reduction {
    uint64_t count;         /* elements that pass */
    winnow_number sum;      /* of integers modulo 2^64 */
    double mean;            /* the exact sum, rounded, over count; NaN for 0 */
    winnow_number minimum;  /* no NaN: those are passed over */
    winnow_number maximum;  /* likewise */
    uint64_t minimum_index; /* of the first minimum, in d_in */
    uint64_t maximum_index; /* of the first maximum, in d_in */
    uint64_t overflow;      /* 1: the sum of integers does not fit; else 0 */
    /* With WINNOW_REDUCE_PARTIAL the mean is 0, and overflow has the upper 64
     * bits of the sum of integers, of 128 bits in two's complement.
     *
     * Of decimals the sum is an integer of 128 bits, too, times 10^-scale; the
     * mean, and minimum and maximum as int64, are times that as well. A sum of
     * more than 38 digits is -2^127, and its mean NaN. */
} winnow_reduction;

/*
 * Count those elements of d_in[0 .. n) that pass the predicate, and compute
 * their sum, mean, minimum and maximum, reading each element once.
 *
 *   predicate  of `type`; NULL: every element passes.
 *   wanted     the winnow_reduce bits of the results that are wanted.
 *   d_result   one winnow_reduction, 8-byte aligned; written whole.
 *
 * Integer sums are exact. Sums of floats are added up as float64 in an order
 * that depends on n and the element type alone, also with launch->d_n: the same
 * bits at every run, on every device and on the host, at every alignment.
 * winnow_reduce_if(3) states the order. A NaN that passes is counted and makes
 * the sum NaN; minimum and maximum pass over it, and take -0 as less than +0.
 * Of no element the sum is 0, the mean NaN, the minimum the type's largest
 * value (+infinity), the maximum its least (-infinity), with the index
 * WINNOW_NO_INDEX.
 *
 * WINNOW_ERR_ARGUMENT, too, where wanted has no bit, or others, or
 * WINNOW_REDUCE_INDEX without minimum and maximum, or WINNOW_REDUCE_PARTIAL
 * alone.
 */
WINNOW_API_CHECKED winnow_status winnow_reduce_if(
    winnow_context *context, const winnow_predicate *predicate,
    winnow_type type, const void *d_in, uint64_t n, unsigned wanted,
    winnow_reduction *d_result, const winnow_launch *launch);

/*
 * Put the results of parts together: of chunks, of devices, of processes. Sums
 * of integers, their mean and overflow are those of the whole, exactly.
 *
 *   type      of the elements. Of winnow_reduce_where() it is WINNOW_INT64,
 *             WINNOW_UINT64 or WINNOW_FLOAT64, or WINNOW_INT128 of decimals.
 *   partials  n of them, in host memory, in the order of the parts. They are of
 *             calls with the same type and `wanted`, and with
 *             WINNOW_REDUCE_PARTIAL.
 *   firsts    NULL, or what is to be added to the indices of each: the items of
 *             the parts before, for example.
 *   wanted    as of the parts. With WINNOW_REDUCE_PARTIAL the result is one
 *             once more.
 *   result_p  may be one of the partials.
 *
 * Sums of floats are added up from the first to the last, to +0. Of equal
 * minima the index is that of the earliest part. Nothing is allocated.
 *
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: a pointer is NULL, type is no type of
 * numbers, or wanted makes no sense: see winnow_reduce_if().
 */
WINNOW_API_CHECKED winnow_status winnow_reduction_merge(
    winnow_type type, const winnow_reduction *partials, const uint64_t *firsts,
    uint64_t n, unsigned wanted, winnow_reduction *result_p);

/* -------------------------------------------------------- partition_by_key */

#define WINNOW_PARTITION_MOST_PARTS 65536u
#define WINNOW_PARTITION_MOST_COLUMNS 16u

/* Which bits of a key are its part: (key >> shift) & (2^bits - 1). */
typedef struct winnow_digit {
    uint32_t shift;
    uint32_t bits;  /* 0: from shift to the top */
    uint32_t parts; /* 2 to WINNOW_PARTITION_MOST_PARTS; 0: 2^bits. Those
                       above 2^bits stay empty */
} winnow_digit;

/*
 * Bring the elements of each part together. Part p is written to places
 * d_offsets[p] to d_offsets[p + 1] - 1 of each output. A key whose digit is
 * `parts` or more is in no part: what stands beside it is written nowhere.
 * There are as many such keys as there are items, less d_offsets[parts].
 *
 *   keys        WINNOW_UINT32 or WINNOW_UINT64, side by side, aligned as their
 *               type is.
 *   moves       the arrays to partition, in host memory, in use during the call
 *               alone: at most WINNOW_PARTITION_MOST_COLUMNS, and the keys, if
 *               d_in of one is keys->d_base. Elements have 1, 2, 4, 8 or 16
 *               bytes and are aligned to that. Every output has room for n
 *               elements: there is no capacity.
 *   d_offsets   parts + 1 numbers, 8-byte aligned.
 *
 * With WINNOW_STABLE each part has the input's order; with WINNOW_UNORDERED
 * any. No output may overlap another array of the call: there is no
 * partitioning in place.
 */
WINNOW_API_CHECKED winnow_status winnow_partition_by_key(
    winnow_context *context, const winnow_in *keys, uint64_t n,
    const winnow_digit *digit, const winnow_move *moves, unsigned move_count,
    uint64_t *d_offsets, const winnow_launch *launch);

/* -------------------------------------------------------- partition_blocks */

#define WINNOW_BLOCKS_MOST_ALIGN 65536u

/* How parts are cut into blocks. */
typedef struct winnow_blocks {
    size_t size; /* sizeof(winnow_blocks) */

    /* Elements of a block: a power of two, up to WINNOW_BLOCKS_MOST_ALIGN. */
    uint64_t align;
    /* NULL, or a pointer for each move, in host memory and in use during the
     * call alone: to the element that fills the gaps behind the parts. NULL for
     * a move leaves its gaps as they are. */
    const void *const *fills;
    uint64_t *d_counts; /* NULL, or room for the items of each part */
    /* NULL, or room for the part of each block: as many as an output has. */
    uint32_t *d_block_parts;

    uint64_t reserved[2];
} winnow_blocks;

/*
 * As winnow_partition_by_key(), but each part begins at a multiple of
 * blocks->align: it takes whole blocks, and none if it is empty. Part p begins
 * at place d_offsets[p]; d_offsets[parts] is where the last block ends, behind
 * which nothing is written.
 *
 *   keys        of WINNOW_INT32 and WINNOW_INT64, too, with a digit->bits of 0:
 *               a negative key is in no part.
 *   moves       a d_in of NULL stands for the items' numbers, 0 to n - 1: the
 *               elements have 8 bytes, or 4 if n is 2^32 at most. Every output
 *               has room for (n + min(n, parts) * (align - 1)) / align blocks,
 *               rounded down: there is no capacity.
 *   d_offsets   parts + 1 numbers, 8-byte aligned.
 */
WINNOW_API_CHECKED winnow_status winnow_partition_blocks(
    winnow_context *context, const winnow_in *keys, uint64_t n,
    const winnow_digit *digit, const winnow_blocks *blocks,
    const winnow_move *moves, unsigned move_count, uint64_t *d_offsets,
    const winnow_launch *launch);

/* ------------------------------------------------------- accumulate_by_key */

/*
 * For each item i below n, add its values to the sums of its key: component j
 * of the sums of key i += component j of the values of i. The sums are added
 * to, not overwritten; sums of keys that do not occur are not written.
 *
 *   keys        WINNOW_UINT32 or WINNOW_UINT64, side by side.
 *   values      `components` arrays, in host memory, in use during the call
 *               alone; 1 to 16. All have one type and one stride: side by side,
 *               or a positive multiple of an element, such as that of
 *               interleaved values, which is `components` elements.
 *               WINNOW_INT32, WINNOW_INT64, WINNOW_UINT32, WINNOW_UINT64,
 *               WINNOW_FLOAT32 or WINNOW_FLOAT64.
 *   key_bound   keys are below it. An item whose key is not is ignored, and
 *               counted in *d_beyond.
 *   sums        `components` arrays of key_bound sums, likewise. Their type is
 *               that of the values, or the one of 8 bytes that holds it:
 *               WINNOW_INT64 for WINNOW_INT32, WINNOW_UINT64 for WINNOW_UINT32,
 *               WINNOW_FLOAT64 for WINNOW_FLOAT32.
 *   d_beyond    NULL, or where to write how many keys were not below the bound;
 *               8-byte aligned.
 *
 * All arrays are aligned as their elements are, no more. No two arrays of sums
 * overlap, and none overlaps what is read; interleaved sums are one block, with
 * all that lies between. Integers wrap. Floats are added in any order, so that
 * sums may differ from run to run by rounding.
 */
WINNOW_API_CHECKED winnow_status winnow_accumulate_by_key(
    winnow_context *context, const winnow_in *keys, const winnow_in *values,
    unsigned components, uint64_t n, uint64_t key_bound, const winnow_out *sums,
    uint64_t *d_beyond, const winnow_launch *launch);

/* -------------------------------------------------------------- selections */

/*
 * A selection says which of n items are kept: a bit for each, and how many
 * survivors come before each tile of them. It stands between a condition and
 * its use. Sources make one; sinks pack, list, or mark what it keeps, any
 * number of them and in any number of calls: see winnow_selection(7).
 *
 * It is a plain block of memory of the caller's, of winnow_selection_bytes(n)
 * bytes, aligned to 16. Its contents belong to the library, and mean something
 * to contexts of the same kind alone: of CUDA devices, or of the host. It may
 * be copied, as bytes. n is passed to every call, the same that it was made
 * with; any other n is undefined behaviour, and so is a block that no source
 * has written.
 *
 * With launch->d_n a source keeps no item from there on, and a sink looks at
 * none: winnow_selection_to_mask() writes 0 for them. The order of the input is
 * kept. Items are at most 2^42: WINNOW_ERR_UNSUPPORTED for more.
 */

/*
 * Bytes of a selection of n items: n/8, and about 1/50 more, in whole tiles of
 * 4096 items; at least 16.
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: bytes_p is NULL;
 * WINNOW_ERR_UNSUPPORTED: n is greater than 2^42.
 */
WINNOW_API_CHECKED winnow_status winnow_selection_bytes(uint64_t n,
                                                        size_t *bytes_p);

/*
 * Select the elements of d_in[0 .. n) that pass the predicate.
 *
 *   d_in             aligned as the element type is, no more.
 *   d_selection      the selection to write; apart from d_in.
 *   selection_bytes  of d_selection; winnow_selection_bytes(n) at least.
 */
WINNOW_API_CHECKED winnow_status winnow_select_if(
    winnow_context *context, const winnow_predicate *predicate,
    winnow_type type, const void *d_in, uint64_t n, void *d_selection,
    size_t selection_bytes, const winnow_launch *launch);

/* -- conditions over several columns */

/* A condition has at most 512 tests, of at most 64 different columns, of which
 * one of WINNOW_INT128 counts as two, and as one more where it is asked whether
 * it is null. They are numbered from 0 to 65535. */
#define WINNOW_CONDITION_MOST_COLUMNS 64u
#define WINNOW_CONDITION_MOST_TESTS 512u
/* The most values of winnow_condition_in(). */
#define WINNOW_CONDITION_MOST_VALUES 16777216u

/*
 * Tests of columns, joined by and, or, not. Immutable after creation, shareable
 * by threads. A condition copies what it is made from, so its parts may be
 * destroyed at any time.
 */
typedef struct winnow_condition winnow_condition;

/*
 * The condition that an element of column number `column`, counted from 0,
 * passes a predicate. Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: a pointer is
 * NULL; WINNOW_ERR_UNSUPPORTED: column is greater than 65535;
 * WINNOW_ERR_MEMORY.
 */
WINNOW_API_CHECKED winnow_status
winnow_condition_test(winnow_condition **condition_p, unsigned column,
                      const winnow_predicate *predicate);
/*
 * The condition that the element of column number `column`, which is of
 * WINNOW_BIT, is 1. Returns what winnow_condition_test() does.
 */
WINNOW_API_CHECKED winnow_status
winnow_condition_bit(winnow_condition **condition_p, unsigned column);
/*
 * The condition that the element of column number `column` is null. The column
 * is of any type, or a dictionary of any, and its values are not read. Without
 * a validity none is null.
 * Returns what winnow_condition_test() does.
 */
WINNOW_API_CHECKED winnow_status
winnow_condition_is_null(winnow_condition **condition_p, unsigned column);
/*
 * The condition that an element of column number `column` equals one of the
 * values of an array: NaN equals none, and -0 equals 0. It counts as one test.
 *
 *   context  NULL, or of the host: values is host memory. Of a device: it is
 *            host or device memory, whose contents are there, and the call
 *            waits until it has copied them.
 *   type     of the column and the values.
 *   values   count of them, at most WINNOW_CONDITION_MOST_VALUES, without
 *            alignment, in any order, some of them perhaps equal; NULL where
 *            count is 0. They are read before the call returns, which takes
 *            time and host memory in proportion to count.
 *
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: a pointer is NULL, or type is none;
 * WINNOW_ERR_UNSUPPORTED: column is greater than 65535, there are too many
 * values, or those of WINNOW_INT128 have over 256 upper halves;
 * WINNOW_ERR_MEMORY; WINNOW_ERR_CUDA: values could not be copied.
 */
WINNOW_API_CHECKED winnow_status winnow_condition_in(
    winnow_condition **condition_p, winnow_context *context, unsigned column,
    winnow_type type, const void *values, uint64_t count);
/* What a string is tested for. Comparisons go by its bytes, as unsigned
 * numbers, in any locale. */
typedef enum winnow_text_test {
    WINNOW_TEXT_LT = 0, /* as winnow_compare */
    WINNOW_TEXT_LE = 1,
    WINNOW_TEXT_EQ = 2,
    WINNOW_TEXT_NE = 3,
    WINNOW_TEXT_GE = 4,
    WINNOW_TEXT_GT = 5,
    WINNOW_TEXT_STARTS_WITH = 6,
    WINNOW_TEXT_ENDS_WITH = 7,
    WINNOW_TEXT_CONTAINS = 8,
    /* % is any bytes, also none; _ is one character of UTF-8. */
    WINNOW_TEXT_LIKE = 9
} winnow_text_test;

/*
 * The condition that a string of column number `column` passes a test. The
 * column is of WINNOW_STRING32, WINNOW_STRING64 or WINNOW_VIEW, or a dictionary
 * of one of them, as each call has it.
 *
 *   text    `bytes` bytes in host memory, which are copied; NULL where that is
 *           0. It may have zeros inside, and needs none behind it.
 *
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: a pointer is NULL, or test is none;
 * WINNOW_ERR_UNSUPPORTED: column is greater than 65535, or the text has more
 * than 2^32 - 1 bytes; WINNOW_ERR_MEMORY.
 */
WINNOW_API_CHECKED winnow_status
winnow_condition_text(winnow_condition **condition_p, unsigned column,
                      winnow_text_test test, const char *text, size_t bytes);
/*
 * The condition that a string of such a column is one of `count` texts, at most
 * WINNOW_CONDITION_MOST_VALUES, in host memory, some of them perhaps equal.
 * They are copied; NULL where count is 0. It counts as one test. Returns as
 * winnow_condition_text(); WINNOW_ERR_UNSUPPORTED, too, for too many texts, or
 * more than 16 GiB of them.
 */
WINNOW_API_CHECKED winnow_status
winnow_condition_text_in(winnow_condition **condition_p, unsigned column,
                         const winnow_buffer *texts, uint64_t count);
/*
 * a and b; a or b; not a; that a is true. a and b may be the same. A condition
 * is true, false or, of a null, unknown, by SQL's rules: false and unknown is
 * false, true or unknown is true, not unknown is unknown. That a is true is
 * false where a is false or unknown. Of items without nulls `not` is exact:
 * what it keeps is all that a does not, a NaN too.
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
 *   count_p  the number of columns is written to it.
 *
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: a pointer is NULL.
 */
WINNOW_API_CHECKED winnow_status winnow_condition_columns(
    const winnow_condition *condition, unsigned *columns, unsigned *count_p);

/*
 * Make a predicate of a condition that is one test of one column of numbers,
 * such as `x < 5` or `(x & 3) = 1`. Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: a
 * pointer is NULL; WINNOW_ERR_UNSUPPORTED: the condition has more than one
 * test, or tests WINNOW_INT128; WINNOW_ERR_MEMORY.
 */
WINNOW_API_CHECKED winnow_status winnow_condition_predicate(
    winnow_predicate **predicate_p, const winnow_condition *condition);

/* A bound describes the element of a column, or joins the two before it. */
typedef enum winnow_bound_kind {
    WINNOW_BOUND_RANGE = 0, /* a number from `low` to `high`, both included */
    WINNOW_BOUND_TEXT = 1,  /* a string from `low_text` to `high_text` */
    WINNOW_BOUND_NAN = 2,   /* NaN */
    WINNOW_BOUND_NULL = 3,  /* null */
    WINNOW_BOUND_VALID = 4, /* not null; a float may be NaN */
    WINNOW_BOUND_NEVER = 5, /* false: no item is kept */
    WINNOW_BOUND_AND = 6,   /* both bounds before it are true */
    WINNOW_BOUND_OR = 7     /* one of the two bounds before it is true */
} winnow_bound_kind;

typedef struct winnow_bound {
    winnow_bound_kind kind;
    unsigned column;  /* of RANGE, TEXT, NAN, NULL, VALID */
    winnow_type type; /* of RANGE: of the element and both ends */
    uint8_t has_low;  /* of RANGE, TEXT; 0: there is no lower bound */
    uint8_t has_high; /* of RANGE, TEXT; 0: there is no upper bound */
    /* Elements of `type`, from the first byte on; of WINNOW_BIT 0 or 1. */
    uint8_t low[16];
    uint8_t high[16];
    /* Of TEXT, in host memory that the condition owns. */
    winnow_buffer low_text;
    winnow_buffer high_text;
    uint64_t reserved[2];
} winnow_bound;

/*
 * Write bounds that hold for every item that a condition keeps, as a formula in
 * postfix order. A reader compares them with the statistics of a part of a file
 * and skips the part if no item can meet them. Other items may meet them, too.
 *
 *   bounds    in host memory; NULL where capacity is 0.
 *   capacity  the number of bounds that there is room for. If the formula is
 *             longer, its first bounds are written, which alone mean nothing.
 *   count_p   the length of the formula is written to it; 0: there is no bound.
 *
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: a pointer is NULL.
 */
WINNOW_API_CHECKED winnow_status
winnow_condition_bounds(const winnow_condition *condition, winnow_bound *bounds,
                        uint64_t capacity, uint64_t *count_p);
/* Free a condition. Calls that were enqueued with it are not affected: they
 * took a copy. NULL is allowed. */
WINNOW_API void winnow_condition_destroy(winnow_condition *condition);

/* A column's name and type, for the text of conditions. */
typedef struct winnow_field {
    const char *name; /* any text that is not empty: in texts in double quotes,
                         unless it is a plain word */
    winnow_type type; /* WINNOW_OPAQUE: nothing may be asked of it but "is
                         null" */
    /* What the numbers mean, as Arrow's C data interface says it: "tdD" for
     * days since 1970 (of int64, too), "d:9,2,32" for decimals, ...; NULL:
     * numbers. */
    const char *format;
    uint64_t reserved[2]; /* 0 */
} winnow_field;

/*
 * The condition that a text says, in C's operators or SQL's words, as
 * winnow_condition_parse(3) describes:
 *
 *     price < 24 && (flags & 7) == 3 || id in (4, 8)
 *     price < 24 and "unit price" not between 1 and 2.5
 *
 *   fields  the columns: number c is fields[c], of field_count, at most 65536;
 *           in use during the call alone.
 *   text    ends with a 0; at most 2^30 bytes before it.
 *
 * A mistake is WINNOW_ERR_SYNTAX, and what cannot be decided item by item, from
 * a column and numbers, is WINNOW_ERR_UNSUPPORTED: then the detail begins with
 * the place in the text, "line 1, column 7", counted in bytes from 1 on.
 *
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: a pointer is NULL, or a field has a
 * name that is another's, no type, a format of another type, or anything but 0
 * in `reserved`; WINNOW_ERR_SYNTAX; WINNOW_ERR_UNSUPPORTED, also for a format
 * that is not known, too many fields, tests, columns, numbers of a list, or
 * bytes, and for a text that is nested too deeply; WINNOW_ERR_MEMORY.
 */
WINNOW_API_CHECKED winnow_status winnow_condition_parse(
    winnow_condition **condition_p, const winnow_field *fields,
    unsigned field_count, const char *text);

/* What a condition in CUDA C is given beside the columns. */
typedef struct winnow_parameter {
    const char *name;     /* a name in C */
    winnow_type type;     /* an integer's, WINNOW_FLOAT32 or WINNOW_FLOAT64 */
    winnow_number value;  /* of that type, where d_data is NULL */
    const void *d_data;   /* NULL, or what the body has: const TYPE *name */
    uint64_t reserved[2]; /* 0 */
} winnow_parameter;

/*
 * A condition in CUDA C: the body of a function that returns whether an item is
 * kept, such as
 *
 *     "return x > t && y < x * x;"
 *
 * fields[i] is column i, which the body has by its name: integers as they are,
 * float16 and bfloat16 as float, a bit as bool. It reads those that it names:
 * an item that is null in one of them is unknown. It has parameters, too. What
 * d_data points to the caller keeps while calls read it; all else is copied.
 *
 * It is compiled by NVRTC for the device of a call, at its first use there or
 * by winnow_condition_prepare(), and kept as winnow_cache_set() says. Other
 * values of parameters compile nothing. Floats are not contracted: a * b + c is
 * rounded twice. The body is trusted: it can do what a kernel can.
 *
 * A call returns WINNOW_ERR_SYNTAX where it does not compile, with the
 * compiler's log in the detail, and WINNOW_ERR_UNSUPPORTED on
 * WINNOW_DEVICE_HOST, without NVRTC, and beside a set of many values.
 *
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: a pointer is NULL, a parameter's name
 * is none in C++, a value is none of its type, or reserved is not 0;
 * WINNOW_ERR_UNSUPPORTED: no field, or more than 32, more than 64 parameters, a
 * type that is not possible, or a body of more than 8192 bytes;
 * WINNOW_ERR_MEMORY.
 */
WINNOW_API_CHECKED winnow_status winnow_condition_cuda(
    winnow_condition **condition_p, const char *body,
    const winnow_field *fields, unsigned field_count,
    const winnow_parameter *parameters, unsigned parameter_count);

/*
 * Make what a context's device needs of a condition, before calls that may not
 * make it: the tables of its sets, once for a context, and the kernel of one
 * with expressions, or in CUDA C, where there is NVRTC. A call that finds none
 * makes them, except one whose stream is captured, or which has a workspace and
 * so allocates nothing. For a context of the host, or a condition without
 * these, nothing is needed. Waits for an upload of its own, and for no stream.
 * It may be called during a capture.
 *
 * Tables end with the context, or with the last condition that has the set;
 * what was enqueued goes on with them. A context outlives the graphs that
 * captured its calls.
 *
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: a pointer is NULL; WINNOW_ERR_SYNTAX:
 * a body in CUDA C does not compile; WINNOW_ERR_UNSUPPORTED: there is no NVRTC
 * that could compile it; WINNOW_ERR_MEMORY; WINNOW_ERR_CUDA.
 */
WINNOW_API_CHECKED winnow_status winnow_condition_prepare(
    winnow_context *context, const winnow_condition *condition);

/*
 * Where the process keeps code on disk that it compiles for conditions, from
 * its next compilation on, in place of what the environment says: a directory,
 * which is made when it is needed, or NULL: nowhere. Once there are more than
 * most_bytes bytes, what was used least recently is removed. Without a call it
 * is the directory that WINNOW_CACHE names, where that begins with a /; none
 * where it says anything else; else $XDG_CACHE_HOME/winnow, or ~/.cache/winnow.
 * The limit is WINNOW_CACHE_BYTES, or 64 MiB. A file that cannot be read or
 * written makes no call fail: winnow_context_notes().
 *
 * Thread-safe. Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: the directory does not
 * begin with a /, or has 4096 bytes or more.
 */
WINNOW_API_CHECKED winnow_status winnow_cache_set(const char *directory,
                                                  uint64_t most_bytes);
/*
 * Remove the code that is kept on disk, of all processes; what is loaded stays.
 * Returns WINNOW_OK, also where there is none.
 */
WINNOW_API_CHECKED winnow_status winnow_cache_clear(void);

/*
 * Select the items that pass a condition. An item is tested until the outcome
 * is certain: a column is not loaded where it cannot change it. Large calls
 * choose the order of tests by a sample of the items; it changes nothing but
 * time.
 *
 *   columns  an array of column_count in host memory, in use during the call
 *            alone. Column c of the condition is columns[c]; those that it does
 *            not test are ignored. Elements may have any alignment and any
 *            stride, also a negative one; a column without gaps whose first
 *            element is aligned to 16 bytes is the fastest. Elements may be
 *            null: an item whose condition is then unknown is not kept.
 *
 * d_selection and selection_bytes are as for winnow_select_if().
 * WINNOW_ERR_ARGUMENT, too, where the condition tests a column that is not
 * there, or one of another type.
 */
WINNOW_API_CHECKED winnow_status winnow_select_where(
    winnow_context *context, const winnow_condition *condition,
    const winnow_in *columns, unsigned column_count, uint64_t n,
    void *d_selection, size_t selection_bytes, const winnow_launch *launch);

/* Select the items that are flagged in a mask. No byte is read that has no flag
 * of an item. Else as winnow_select_if(). */
WINNOW_API_CHECKED winnow_status winnow_select_flagged(
    winnow_context *context, const winnow_mask *mask, uint64_t n,
    void *d_selection, size_t selection_bytes, const winnow_launch *launch);

/* When two keys are equal. */
typedef enum winnow_equality {
    WINNOW_EQUAL_BITS = 0,   /* their bytes are equal */
    WINNOW_EQUAL_VALUES = 1, /* their values are, as == of C says: -0 equals +0,
                                and NaN equals nothing, no NaN either */
    WINNOW_EQUAL_NAN = 2     /* the same, but NaN equals every NaN */
} winnow_equality;

/* Which item of a run is kept. */
typedef enum winnow_unique_keep {
    WINNOW_UNIQUE_FIRST = 0,
    WINNOW_UNIQUE_LAST = 1
} winnow_unique_keep;

typedef struct winnow_unique_options {
    size_t size; /* sizeof(winnow_unique_options) */
    winnow_unique_keep keep;
    winnow_equality equality; /* other than of bits: the keys have a type */
    uint64_t reserved[2];
} winnow_unique_options;

/*
 * Select one item of each run of equal keys: the first or the last one. An item
 * is first if its key differs from the key before it, and last if the next key
 * differs from its own. Of sorted keys, each key is kept once.
 *
 *   keys     of 1 to 16 bytes, of any alignment and any stride that is not
 *            negative, nor less than a key. Keys are faster the larger the
 *            power of two, 16 at most, that divides their address, size and
 *            stride.
 *   options  NULL for the defaults.
 *
 * d_selection and selection_bytes are as for winnow_select_if().
 */
WINNOW_API_CHECKED winnow_status
winnow_select_unique(winnow_context *context, const winnow_in *keys, uint64_t n,
                     const winnow_unique_options *options, void *d_selection,
                     size_t selection_bytes, const winnow_launch *launch);

/*
 * Select the items of those ranges that another selection keeps: the children
 * of lists that are kept, which winnow_compact_columns() then packs. Their
 * offsets are packed by winnow_compact_strings().
 *
 *   d_selection   of n ranges.
 *   ranges        of WINNOW_STRING32 or WINNOW_STRING64: range i has the items
 *                 d_base[i] to d_base[i + 1] - 1 of data_size items; d_data is
 *                 not looked at. Offsets that descend make ranges that share
 *                 items: an item is kept if it is in an odd number of those
 *                 that are.
 *   d_result      the selection of data_size items to write; apart from all
 *                 else.
 *   result_bytes  of it; winnow_selection_bytes(data_size) at least.
 *
 * launch->d_n is the number of ranges.
 */
WINNOW_API_CHECKED winnow_status
winnow_select_ranges(winnow_context *context, const void *d_selection,
                     const winnow_in *ranges, uint64_t n, void *d_result,
                     size_t result_bytes, const winnow_launch *launch);

/* How two selections are combined: what is kept. */
typedef enum winnow_combine {
    WINNOW_AND = 0,     /* by both */
    WINNOW_OR = 1,      /* by either */
    WINNOW_AND_NOT = 2, /* by the first and not by the second */
    WINNOW_XOR = 3      /* by exactly one */
} winnow_combine;

/*
 * Make a selection of n items from two others. d_result may be d_a or d_b, or
 * else lies apart from them; result_bytes is at least
 * winnow_selection_bytes(n). WINNOW_ERR_ARGUMENT, too, where combine is no
 * winnow_combine.
 */
WINNOW_API_CHECKED winnow_status winnow_selection_combine(
    winnow_context *context, winnow_combine combine, const void *d_a,
    const void *d_b, uint64_t n, void *d_result, size_t result_bytes,
    const winnow_launch *launch);
/* Make the selection that keeps what another one does not. d_result may be
 * d_selection, or else lies apart from it. */
WINNOW_API_CHECKED winnow_status winnow_selection_not(
    winnow_context *context, const void *d_selection, uint64_t n,
    void *d_result, size_t result_bytes, const winnow_launch *launch);

/* Write to *d_count, which is 8-byte aligned, how many of its n items a
 * selection keeps. */
WINNOW_API_CHECKED winnow_status winnow_selection_count(
    winnow_context *context, const void *d_selection, uint64_t n,
    uint64_t *d_count, const winnow_launch *launch);

/*
 * Consecutive segments of the n items, and what is said of them. Segment s has
 * the items d_offsets[s] to d_offsets[s + 1] - 1.
 */
typedef struct winnow_segments {
    winnow_type type;      /* WINNOW_UINT32 or WINNOW_UINT64: of all arrays,
                              which are aligned to their numbers' size and lie
                              apart from all else */
    uint64_t count;        /* of segments: 0 to 2^32 */
    const void *d_offsets; /* count + 1 offsets, in ascending order. An offset
                              above the number of items counts as that. Where
                              offsets descend, a segment that ends before it
                              begins has no items */
    void *d_counts;        /* NULL, or room for count numbers of survivors */
    void *d_out_offsets;   /* NULL, or room for count + 1 offsets: how many
                              survivors there are before d_offsets[s], from item
                              0 on. So segment s has the elements
                              d_out_offsets[s] to d_out_offsets[s + 1] - 1 of
                              what winnow_compact() writes */
} winnow_segments;

/* Count the survivors of each segment. The time that a segment takes does not
 * depend on its size. */
WINNOW_API_CHECKED winnow_status winnow_selection_segments(
    winnow_context *context, const void *d_selection, uint64_t n,
    const winnow_segments *segments, const winnow_launch *launch);

/*
 * Write a selection of n items as a mask: 1 for an item that it keeps, else 0.
 * The flag of item i is number offset + i, counted in bytes or bits from
 * d_flags on. Flags of no item keep their values; of bits, a byte that has such
 * flags is read and written. d_flags lies apart from d_selection.
 */
WINNOW_API_CHECKED winnow_status
winnow_selection_to_mask(winnow_context *context, const void *d_selection,
                         uint64_t n, winnow_mask_kind kind, void *d_flags,
                         uint64_t offset, const winnow_launch *launch);

/*
 * Pack those of the elements d_in[0 .. n) that a selection keeps into d_out.
 *
 *   element_bytes  the size of an element: 1 to 4096. Elements need no
 *                  alignment; of 1, 2, 4 or 8 bytes they are faster aligned to
 *                  that, and others aligned to 16.
 *   d_out          apart from d_in and d_selection. (In place:
 *                  winnow_compact_columns().)
 */
WINNOW_API_CHECKED winnow_status winnow_compact(
    winnow_context *context, const void *d_selection, const void *d_in,
    uint64_t n, size_t element_bytes, void *d_out, uint64_t capacity,
    uint64_t *d_count, const winnow_launch *launch);

/*
 * The same of 1 to 64 columns, in fewer launches and with the selection read
 * once for all columns of a kind.
 *
 *   moves   in host memory, in use during the call alone. Elements are as for
 *           winnow_compact(), or bits, of any offset: bits around an output
 *           keep their values, and a byte that has such bits is read and
 *           written. A column whose d_out is its d_in, with the same offset, is
 *           packed in place. All other memory that is written lies apart from
 *           all else.
 */
WINNOW_API_CHECKED winnow_status winnow_compact_columns(
    winnow_context *context, const void *d_selection, uint64_t n,
    const winnow_move *moves, unsigned move_count, uint64_t capacity,
    uint64_t *d_count, const winnow_launch *launch);

/*
 * Split n elements: pack those that a selection keeps into `kept`, and all
 * others into `rejected`, each in the input's order. Both lie apart from the
 * input, and from each other; each has a capacity of its own. Elements from
 * launch->d_n on are not rejected: they are left out.
 *
 *   in        side by side; element_bytes as for winnow_compact(). Or bits.
 *   kept      of the same type and size, side by side. Bits begin at any
 *             offset, and bits around them keep their values. `rejected`
 *             likewise.
 *   d_counts  NULL, or the true numbers of those kept and of those rejected.
 */
WINNOW_API_CHECKED winnow_status winnow_split(
    winnow_context *context, const void *d_selection, const winnow_in *in,
    uint64_t n, const winnow_out *kept, uint64_t kept_capacity,
    const winnow_out *rejected, uint64_t rejected_capacity, uint64_t *d_counts,
    const winnow_launch *launch);

/*
 * Bring packed elements back to their places: the reverse of winnow_compact().
 * Element k of `packed` goes to the place, among the n of `out`, of the k-th
 * item that the selection keeps.
 *
 *   packed    packed_n elements, side by side, or n if that is less;
 *             WINNOW_NO_LIMIT: n. element_bytes as for winnow_compact(). If the
 *             selection keeps more items, the places of the rest are left
 *             alone, also with a value to fill in. If it keeps fewer, what is
 *             left over is not read. Or bits.
 *   fill      NULL: the places of all other items are left alone. Or a value of
 *             element_bytes bytes in host memory, of any alignment, in use
 *             during the call alone, which is written to these places. For bits
 *             it is a byte of 0 or 1.
 *   out       n elements of the same type and size, side by side, apart from
 *             all else. Bits begin at any offset, and bits around them keep
 *             their values.
 *
 * launch->d_n is the number of places: those from there on are left alone.
 */
WINNOW_API_CHECKED winnow_status winnow_expand(
    winnow_context *context, const void *d_selection, const winnow_in *packed,
    uint64_t packed_n, uint64_t n, const void *fill, const winnow_out *out,
    const winnow_launch *launch);

/*
 * Write a value to the places that a packed output leaves over: those from
 * *d_count on, of n. The device reads the count when the work runs. Enqueue the
 * call behind the one that writes the count, on the same stream. Nothing waits.
 *
 *   d_count   8-byte aligned, apart from `out`. n or more leaves nothing to
 *             fill.
 *   n         how many places `out` has: the capacity of the other call.
 *   fill      a value of element_bytes bytes in host memory, of any alignment,
 *             in use during the call alone.
 *   out       n elements of 1 to 4096 bytes, side by side, of any alignment. No
 *             bits.
 *
 * launch->d_n is the number of places: the call does not write beyond them. It
 * needs no workspace.
 */
WINNOW_API_CHECKED winnow_status winnow_fill(winnow_context *context,
                                             const uint64_t *d_count,
                                             uint64_t n, const void *fill,
                                             const winnow_out *out,
                                             const winnow_launch *launch);

/* Elements that come into places that others leave. */
typedef struct winnow_arrivals {
    uint64_t n;          /* how many, or the most there may be */
    const uint64_t *d_n; /* NULL, or their number, 8-byte aligned, which the
                            device reads when it does the work; above n it
                            counts as n */
} winnow_arrivals;

/*
 * Fill the places that a selection gives up, in place: with elements that
 * arrive, and then with elements from the end, so that those that are left
 * stand side by side. No more elements are moved than leave, or arrive; all
 * others stay where they are.
 *
 * Let m be the number of the items that are kept and of the arrivals. The
 * places below m that are not kept, and those from n on, are filled in
 * ascending order: first with the arrivals, in their order, then with the items
 * that are kept from place m on, in theirs.
 *
 *   arrivals  NULL: none.
 *   moves     d_out has the elements of the n items, and room for `capacity`;
 *             d_in the arrivals', and may be NULL if there are none. 1 to 64
 *             columns, of elements as for winnow_compact(). Columns of
 *             WINNOW_BIT are refused.
 *   capacity  n at least. WINNOW_NO_LIMIT: n and arrivals->n. Arrivals that
 *             there is no room for, the last ones, are not written.
 *   d_count   NULL, or m, the true number.
 *
 * All arrays lie apart from each other. With launch->d_n it is the number of
 * items that counts as n, and the places behind it are free.
 */
WINNOW_API_CHECKED winnow_status
winnow_fill_holes(winnow_context *context, const void *d_selection, uint64_t n,
                  const winnow_arrivals *arrivals, const winnow_move *moves,
                  unsigned move_count, uint64_t capacity, uint64_t *d_count,
                  const winnow_launch *launch);

/*
 * Write the indices of the items that a selection keeps to d_indices, in
 * ascending order. index_type and d_indices are as for winnow_copy_index_if();
 * the indices lie apart from d_selection.
 */
WINNOW_API_CHECKED winnow_status winnow_compact_index(
    winnow_context *context, const void *d_selection, uint64_t n,
    winnow_type index_type, void *d_indices, uint64_t capacity,
    uint64_t *d_count, const winnow_launch *launch);

/*
 * Pack the strings that a selection keeps: their bytes, and the offsets that
 * say where each one's are, from 0 on.
 *
 *   strings           of WINNOW_STRING32 or WINNOW_STRING64; d_data of any
 *                     alignment, with at most 2^48 bytes. Views are moved by
 *                     winnow_compact_columns(), as elements of 16 bytes.
 *                     Validity is not read: winnow_compact_columns() packs it,
 *                     and a null string has the bytes that its offsets give.
 *   d_offsets         of the input's width: one more than there are strings.
 *   offsets_capacity  strings that d_offsets has room for: it has room for
 *                     offsets_capacity + 1 offsets. WINNOW_NO_LIMIT: n.
 *   d_data            NULL: no bytes are read or written, and offsets and
 *                     counts are the same. Of any alignment.
 *   data_capacity     in bytes. WINNOW_NO_LIMIT: strings->data_size, which is
 *                     enough unless offsets descend.
 *   d_counts          NULL, or the true numbers of strings and of bytes, 8-byte
 *                     aligned; above 2^63 - 1 they count as that.
 *
 * What there is no room for is not written, and an offset above data_capacity
 * is written as that: what is written are strings in any case, the last of them
 * cut. Offsets of 32 bits end at 2^31 - 1 in the same way; d_counts has more.
 * The outputs lie apart from all else.
 */
WINNOW_API_CHECKED winnow_status winnow_compact_strings(
    winnow_context *context, const void *d_selection, const winnow_in *strings,
    uint64_t n, void *d_offsets, uint64_t offsets_capacity, void *d_data,
    uint64_t data_capacity, uint64_t *d_counts, const winnow_launch *launch);

/* ------------------------------------- a selection and its use in one call */

/*
 * The selection of these calls is in the workspace, and is made and used once.
 * The order of the input is kept. Without a workspace a context of the host
 * allocates a selection of more than 4096 bytes, and frees it.
 */

/* Pack, of 1 to 64 columns, the elements of the items that pass a condition:
 * the filter of a table. columns are as for winnow_select_where(), moves as for
 * winnow_compact_columns(). A column of the condition may be packed in place,
 * and so may its validity: the condition is decided first. A validity is packed
 * where a move of WINNOW_BIT says so, and by nothing else.
 */
WINNOW_API_CHECKED winnow_status winnow_copy_where(
    winnow_context *context, const winnow_condition *condition,
    const winnow_in *columns, unsigned column_count, uint64_t n,
    const winnow_move *moves, unsigned move_count, uint64_t capacity,
    uint64_t *d_count, const winnow_launch *launch);

/*
 * Pack, of 1 to 64 columns, the elements of those items whose key passes the
 * predicate.
 *
 *   key    of the predicate's type. Side by side it is aligned as its type is;
 *          with a stride, as a field of records has one, it needs no alignment,
 *          and is faster with that of its type. It need not be among the
 *          columns. Of a record that does not pass nothing is read but the key
 *          and what is in the same sectors of memory.
 *   moves  as for winnow_compact_columns().
 */
WINNOW_API_CHECKED winnow_status winnow_copy_columns_if(
    winnow_context *context, const winnow_predicate *predicate,
    const winnow_in *key, uint64_t n, const winnow_move *moves,
    unsigned move_count, uint64_t capacity, uint64_t *d_count,
    const winnow_launch *launch);

/* Pack, of 1 to 64 columns, the elements of the items that are flagged in a
 * mask. moves are as for winnow_compact_columns(). */
WINNOW_API_CHECKED winnow_status winnow_copy_flagged(
    winnow_context *context, const winnow_mask *mask, uint64_t n,
    const winnow_move *moves, unsigned move_count, uint64_t capacity,
    uint64_t *d_count, const winnow_launch *launch);

/*
 * Partition d_in[0 .. n) in two: the elements that pass go to d_out, and the
 * others to d_rejected, each in the input's order. Both have room for n
 * elements and lie apart from the input: there is no capacity.
 *
 *   d_rejected  NULL: the others follow in d_out, behind the last that passes.
 *   d_counts    NULL, or the numbers of those that pass and of the others,
 *               8-byte aligned.
 */
WINNOW_API_CHECKED winnow_status winnow_partition_if(
    winnow_context *context, const winnow_predicate *predicate,
    winnow_type type, const void *d_in, uint64_t n, void *d_out,
    void *d_rejected, uint64_t *d_counts, const winnow_launch *launch);

/*
 * Pack, of 1 to 64 columns, the elements of one item of each run of equal keys.
 * keys and options are as for winnow_select_unique(), moves as for
 * winnow_compact_columns(), but none is in place. The keys themselves are
 * packed where d_in of a move is keys->d_base.
 */
WINNOW_API_CHECKED winnow_status
winnow_unique(winnow_context *context, const winnow_in *keys, uint64_t n,
              const winnow_unique_options *options, const winnow_move *moves,
              unsigned move_count, uint64_t capacity, uint64_t *d_count,
              const winnow_launch *launch);

/*
 * Pack those elements of d_in[0 .. n) that pass the predicate into d_out, and
 * say where the survivors of each segment are. Elements of no segment are
 * packed, too. d_in and d_out are aligned as the element type is, and lie
 * apart. The capacity cuts d_out alone; what is said of segments is true all
 * the same.
 */
WINNOW_API_CHECKED winnow_status winnow_segmented_copy_if(
    winnow_context *context, const winnow_predicate *predicate,
    winnow_type type, const void *d_in, uint64_t n,
    const winnow_segments *segments, void *d_out, uint64_t capacity,
    uint64_t *d_count, const winnow_launch *launch);

/* ------------------------------------------- aggregates under a condition */

/* A value computed of an item's elements. Immutable after creation, shareable
 * by threads. */
typedef struct winnow_expression winnow_expression;

/*
 * The expression that a text says, in the language of winnow_condition_parse()
 * without its comparisons: "price * (1 - discount)", "year(day)", "price".
 * Fields and text are as there, and so are the errors and their place in the
 * text. WINNOW_ERR_UNSUPPORTED, too, where the text is a condition, reads no
 * column, or is of bits, strings, or integers of 128 bits.
 *
 * A date or a timestamp counts as the int64 that counts its unit;
 * winnow_language(7) says what operations mean.
 */
WINNOW_API_CHECKED winnow_status winnow_expression_parse(
    winnow_expression **expression_p, const winnow_field *fields,
    unsigned field_count, const char *text);
/*
 * The expression that is the element of column number `column`, counted from 0.
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: expression_p is NULL, or type is
 * none; WINNOW_ERR_UNSUPPORTED: it is no type of numbers of at most 64 bits, or
 * column is greater than 65535; WINNOW_ERR_MEMORY.
 */
WINNOW_API_CHECKED winnow_status winnow_expression_column(
    winnow_expression **expression_p, unsigned column, winnow_type type);
/*
 * The type of its values: WINNOW_INT64, WINNOW_UINT64, WINNOW_FLOAT32 or
 * WINNOW_FLOAT64; WINNOW_INT128 of decimals; WINNOW_OPAQUE of NULL. Integers of
 * less than 64 bits count as WINNOW_INT64, float16 and bfloat16 as
 * WINNOW_FLOAT32.
 */
WINNOW_API winnow_type
winnow_expression_type(const winnow_expression *expression);
/*
 * The format of its values, of Arrow's C data interface: "d:24,4" of decimals
 * of 24 digits, 4 of them behind the point; "l", "L", "f" or "g". It is the
 * expression's; NULL of NULL.
 */
WINNOW_API const char *
winnow_expression_format(const winnow_expression *expression);
/* Write the numbers of the columns that an expression reads, to host memory.
 * The arguments and the errors are those of winnow_condition_columns(). */
WINNOW_API_CHECKED winnow_status winnow_expression_columns(
    const winnow_expression *expression, unsigned *columns, unsigned *count_p);
/* Free an expression. Calls that were enqueued with it are not affected: they
 * took a copy. NULL is allowed. */
WINNOW_API void winnow_expression_destroy(winnow_expression *expression);

#define WINNOW_MOST_AGGREGATES 16u

/* What is computed of the items that pass. */
typedef struct winnow_aggregate {
    /* Items of which it is null are skipped; NULL: the items themselves are
     * counted, and nothing else is wanted. */
    const winnow_expression *expression;
    unsigned wanted; /* winnow_reduce bits */
    uint64_t reserved[2];
} winnow_aggregate;

/*
 * Of the items that pass a condition, count the values of expressions, and
 * compute their sum, mean, minimum and maximum, as winnow_reduce_if() does of
 * elements. No selection is written for the caller. A column of an expression
 * is read where items pass.
 *
 *   condition   NULL: every item passes.
 *   columns     as for winnow_select_where().
 *   aggregates  1 to WINNOW_MOST_AGGREGATES, in host memory, in use during the
 *               call alone. Their expressions read at most
 *               WINNOW_CONDITION_MOST_COLUMNS different columns, beside those
 *               of the condition.
 *   d_results   one winnow_reduction for each aggregate, 8-byte aligned; all of
 *               them are written whole. Numbers are of the expression's type;
 *               of WINNOW_FLOAT32 they are float64. Decimals of more than 18
 *               digits have a sum and no minimum nor maximum, and those that
 *               are summed count as two aggregates.
 *
 * Integer sums are exact. Sums of floats are added up as float64 in the order
 * in which winnow_reduce_if() adds those of n elements of WINNOW_FLOAT64, where
 * values that are skipped are elements that do not pass. An index is that of an
 * item.
 *
 * WINNOW_ERR_ARGUMENT, too, for what winnow_reduce_if() says of `wanted`, and
 * where an expression reads a column that is not there, or one of another type.
 */
WINNOW_API_CHECKED winnow_status winnow_reduce_where(
    winnow_context *context, const winnow_condition *condition,
    const winnow_in *columns, unsigned column_count, uint64_t n,
    const winnow_aggregate *aggregates, unsigned aggregate_count,
    winnow_reduction *d_results, const winnow_launch *launch);

/* What is added to what, as winnow_accumulate_by_key() takes it. */
typedef struct winnow_accumulation {
    const winnow_in *keys;
    const winnow_in *values; /* `components` arrays, side by side */
    const winnow_out *sums;  /* likewise, of key_bound sums each */
    unsigned components;
    uint64_t key_bound;
    uint64_t reserved[2];
} winnow_accumulation;

/*
 * Add the values of the items that pass a condition to the sums of their keys,
 * as winnow_accumulate_by_key() adds those of all items: "group by" with a
 * condition.
 *
 *   columns       as for winnow_select_where().
 *   accumulation  and what it points to, but for the arrays, in host memory, in
 *                 use during the call alone. Keys and values of items that do
 *                 not pass are not looked at.
 *   d_beyond      NULL, or where to write how many keys of items that pass were
 *                 not below the bound; 8-byte aligned.
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
 * A pipe filters inputs of any size. They are fed to it in pieces of any size,
 * from memory, from files or by a function; it takes them in chunks, and writes
 * what is kept to memory, to files or to a function, in the input's order. On a
 * GPU a chunk is copied in while the one before is filtered and the one before
 * that is copied out. winnow_pipe(7) explains it.
 *
 * One thread at a time uses a pipe. Its functions wait: nothing that they work
 * on is in use when they have returned, but for pinned memory with
 * WINNOW_PIPE_ASYNCHRONOUS.
 *
 * After an error a pipe takes nothing more: all its functions return the same
 * error. winnow_pipe_get_state() tells what was written.
 */
typedef struct winnow_pipe winnow_pipe;

/* Of a pipe. */
#define WINNOW_PIPE_MOST_INPUTS 64u
#define WINNOW_PIPE_MOST_OUTPUTS 64u

/* An input: elements of one size, side by side, one for each item. */
typedef struct winnow_pipe_input {
    uint32_t element_bytes; /* 1 to 4096: a number, or a record */
    uint64_t reserved[2];   /* 0 */
} winnow_pipe_input;

/* A column of the condition: a field of an input's elements. */
typedef struct winnow_pipe_column {
    winnow_type type;      /* of 1 to 16 bytes */
    uint32_t input;        /* the number of the input */
    uint32_t offset_bytes; /* where the field begins in its elements */
    uint64_t reserved[2];  /* 0 */
} winnow_pipe_column;

/* What an output has. */
typedef enum winnow_pipe_kind {
    WINNOW_PIPE_ELEMENTS = 0, /* the elements of an input that are kept */
    WINNOW_PIPE_INDICES = 1,  /* uint64_t: the numbers of the items kept,
                                 counted from the first that was fed */
    WINNOW_PIPE_MASK = 2      /* a byte for each item: 1 if it is kept, or 0 */
} winnow_pipe_kind;

/* Where an output goes. */
typedef enum winnow_pipe_target {
    WINNOW_PIPE_TO_MEMORY = 0,
    WINNOW_PIPE_TO_FILE = 1,    /* by pwrite(2), from an offset on */
    WINNOW_PIPE_TO_STREAM = 2,  /* by write(2): a pipe, a terminal, a file */
    WINNOW_PIPE_TO_FUNCTION = 3 /* of the caller's */
} winnow_pipe_target;

/*
 * A function that takes the next n elements of an output, in host memory, which
 * are there until it returns. Any value but 0 stops the pipe. It may be called
 * by a thread of the library's, by one at a time.
 */
typedef int winnow_pipe_write(void *user, const void *elements, uint64_t n);

/*
 * A function that writes the next items, at most n, to elements[i] for each
 * input i, in host memory, and their number to *n_p; 0 is the end. Any value
 * but 0 stops the pipe. It may be called by a thread of the library's, by one
 * at a time.
 */
typedef int winnow_pipe_read(void *user, void *const *elements, uint64_t n,
                             uint64_t *n_p);

typedef struct winnow_pipe_output {
    winnow_pipe_kind kind;
    uint32_t input; /* the number of the input, of WINNOW_PIPE_ELEMENTS */
    winnow_pipe_target target;
    int fd;                   /* of a file or stream */
    uint64_t offset;          /* in bytes, of a file */
    void *memory;             /* of the host's, or, of elements, the device's */
    uint64_t capacity;        /* elements that memory has room for: more are not
                                 written, and are counted all the same */
    winnow_pipe_write *write; /* the function */
    void *user;               /* its first argument */
    uint64_t reserved[2];     /* 0 */
} winnow_pipe_output;

/* Of winnow_pipe_state.failed: an output. */
#define WINNOW_PIPE_FAILED_OUTPUT 0x10000u

/* How far a pipe is. */
typedef struct winnow_pipe_state {
    size_t size; /* sizeof(winnow_pipe_state) */

    uint64_t fed;   /* items that the pipe has read */
    uint64_t items; /* the first of these, which are done: what is kept of them
                       is written */
    uint64_t kept;  /* of those. Behind the first `kept` elements of an output,
                       or `items` of a mask, others may be written in part */
    int error_number; /* after WINNOW_ERR_FILE: errno; 0: the file has ended */
    uint32_t failed;  /* after it: the number of the file, or, of an output,
                         WINNOW_PIPE_FAILED_OUTPUT and its number */

    uint64_t reserved[4];
} winnow_pipe_state;

/* Called by the caller's thread after each chunk. Any value but 0 stops the
 * pipe. */
typedef int winnow_pipe_progress(void *user, const winnow_pipe_state *state);

/* When elements are left in pinned memory until it is known which are kept. */
typedef enum winnow_pipe_fetch {
    WINNOW_PIPE_FETCH_AUTO = 0,
    WINNOW_PIPE_FETCH_WHOLE = 1, /* never: inputs are copied whole */
    WINNOW_PIPE_FETCH_LATE = 2   /* of all inputs that have no column */
} winnow_pipe_fetch;

/* Pinned memory that was fed stays in use after the call: until
 * winnow_pipe_finish(), or until `items` of the state are beyond it. */
#define WINNOW_PIPE_ASYNCHRONOUS 1u
/* On the host, regular files are mapped, and not read, which is faster from the
 * page cache. Nobody may shorten such a file meanwhile: SIGBUS would follow. */
#define WINNOW_PIPE_MAP 2u
/* On a device, plain memory is registered while it is fed, a GiB at a time, and
 * not copied by threads: where there are few of them, or for late fetch. */
#define WINNOW_PIPE_REGISTER 4u

typedef struct winnow_pipe_options {
    size_t size; /* sizeof(winnow_pipe_options) */

    uint64_t chunk_bytes; /* of all inputs together; 0: the library chooses */
    uint32_t buffers;     /* chunks at a time on a device, 2 to 16; 0: 4 */
    uint32_t threads;     /* that read, copy and, on the host, filter; 0: the
                             library chooses */
    uint32_t flags;       /* WINNOW_PIPE_ASYNCHRONOUS and others, or 0 */
    winnow_pipe_fetch fetch;
    double selectivity;             /* as in winnow_launch */
    winnow_pipe_progress *progress; /* NULL, or a function */
    void *user;                     /* its first argument */

    uint64_t reserved[4];
} winnow_pipe_options;

/*
 * Make a pipe.
 *
 *   context    is in use as long as the pipe, and so is the condition.
 *   columns    of the condition: column c is columns[c]. Without nulls.
 *   outputs    none: what is kept is counted.
 *   options    NULL for the defaults.
 *
 * The arrays of columns, inputs and outputs, in host memory, are copied.
 * Memory and files of outputs are in use until the pipe has ended, by
 * winnow_pipe_finish() or an error. Outputs lie apart from each other and from
 * the inputs. Memory that the device does not reach, such as malloc()'s, is
 * written by threads of the CPU.
 *
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: a pointer is NULL, or a member is
 * wrong; WINNOW_ERR_UNSUPPORTED: a column is of bits or strings, or indices or
 * a mask go to memory of the device; WINNOW_ERR_MEMORY; WINNOW_ERR_CUDA.
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
 *           any memory of the host's or the device's, of any alignment.
 *
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: a pointer is NULL, or the pipe has
 * ended; WINNOW_ERR_STOPPED: by progress or an output's function;
 * WINNOW_ERR_FILE: an output's; WINNOW_ERR_MEMORY; WINNOW_ERR_CUDA.
 */
WINNOW_API_CHECKED winnow_status winnow_pipe_feed(winnow_pipe *pipe,
                                                  const void *const *inputs,
                                                  uint64_t n);

/* Where the elements of an input are in a file. */
typedef struct winnow_pipe_file {
    int fd;
    uint32_t in_order;    /* not 0: by read(2), from where the file is: a pipe,
                             a terminal; 0: by pread(2) */
    uint64_t offset;      /* of element 0, in bytes, for pread(2) */
    uint64_t reserved[2]; /* 0 */
} winnow_pipe_file;

/*
 * Feed n items from files, by several threads.
 *
 *   files  files[i] is that of input i.
 *   n      WINNOW_NO_LIMIT: to the end of the files, which has to come after
 *          the same whole item in all.
 *
 * Returns what winnow_pipe_feed() does. WINNOW_ERR_FILE, too: a file cannot be
 * read, or ends before item n, or in the middle of an element.
 */
WINNOW_API_CHECKED winnow_status winnow_pipe_feed_file(
    winnow_pipe *pipe, const winnow_pipe_file *files, uint64_t n);

/*
 * Feed what a function reads, to its end.
 *
 *   read  the function.
 *   user  its first argument, in host memory or anything else.
 *
 * Returns what winnow_pipe_feed() does; WINNOW_ERR_STOPPED by `read`, too, and
 * WINNOW_ERR_ARGUMENT where it says that it read more than n.
 */
WINNOW_API_CHECKED winnow_status winnow_pipe_feed_read(winnow_pipe *pipe,
                                                       winnow_pipe_read *read,
                                                       void *user);

/*
 * Filter what is left, and wait until all is written. The pipe has ended.
 *
 *   count_p  NULL, or where to write how many items were kept, in host memory.
 *
 * Returns what winnow_pipe_feed() does; WINNOW_ERR_ARGUMENT: the pipe has
 * ended.
 */
WINNOW_API_CHECKED winnow_status winnow_pipe_finish(winnow_pipe *pipe,
                                                    uint64_t *count_p);

/*
 * Say how far a pipe is, also after an error or its end: state->size is set by
 * the caller, all else by the call. It waits for nothing.
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: a pointer is NULL, or the size is
 * wrong.
 */
WINNOW_API_CHECKED winnow_status
winnow_pipe_get_state(const winnow_pipe *pipe, winnow_pipe_state *state);

/* Free a pipe. What it has not written is dropped. Nothing is in use then. NULL
 * is allowed. */
WINNOW_API void winnow_pipe_destroy(winnow_pipe *pipe);

#ifdef __cplusplus
}
#endif

#endif /* WINNOW_H */
