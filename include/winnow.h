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
 *     device, managed or pinned host memory for a CUDA context, ordinary
 *     memory for a context of the host.
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
    WINNOW_ERR_SYNTAX = 7, /* a text is wrong: a tuning profile, a condition */
    WINNOW_ERR_COMPILE = 8 /* reserved: a predicate did not compile */
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

/* ------------------------------------------------------------------- types */

typedef enum winnow_type {
    WINNOW_INT8 = 0,
    WINNOW_INT16 = 1,
    WINNOW_INT32 = 2,
    WINNOW_INT64 = 3,
    WINNOW_UINT8 = 4,
    WINNOW_UINT16 = 5,
    WINNOW_UINT32 = 6,
    WINNOW_UINT64 = 7,
    WINNOW_FLOAT16 = 8,  /* IEEE 754 binary16 */
    WINNOW_BFLOAT16 = 9, /* the upper half of a float32 */
    WINNOW_FLOAT32 = 10,
    WINNOW_FLOAT64 = 11
} winnow_type;

/* "int8", "bfloat16", ...; "unknown" for any other value. */
WINNOW_API const char *winnow_type_name(winnow_type type);
/* Bytes of one element: 1, 2, 4 or 8; 0 for a value that is no type. */
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
 * Have WINNOW_AUTO choose by the tuning profile in a file, which `winnow-bench
 * tune` writes, from the next call on; where it says nothing of a call, and
 * with a path of NULL, by what is built in. The file is checked as a whole, for
 * the context's device: winnow_tuning(5). If it is refused nothing changes, and
 * the detail has the line and what was expected there. Workspaces that were
 * asked for before may be too small: ask again.
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
 * WINNOW_NE alone, and -0 equals +0.
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: a pointer is NULL, or type or compare
 * is no value of its enumeration; WINNOW_ERR_MEMORY.
 */
WINNOW_API_CHECKED winnow_status
winnow_predicate_compare(winnow_predicate **predicate_p, winnow_type type,
                         winnow_compare compare, const void *value);
/*
 * Keep x where low <= x and x <= high. low and high point to one element of
 * `type` each, in host memory, and are copied. low > high, or a NaN for
 * either, keeps nothing. Returns what winnow_predicate_compare() does.
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

/* ----------------------------------------------------------------- options */

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

#define WINNOW_NO_LIMIT UINT64_MAX

typedef struct winnow_options {
    size_t size;              /* sizeof(winnow_options), as compiled: fields
                                 that a shorter one lacks have their defaults;
                                 those of a longer one that this library does
                                 not know have to be 0 */
    winnow_order order;       /* WINNOW_UNORDERED */
    winnow_strategy strategy; /* WINNOW_AUTO */
    double selectivity;       /* expected fraction kept, 0 to 1; negative:
                                 unknown. A hint for WINNOW_AUTO: it never
                                 changes the result */
    uint64_t capacity;        /* most elements or indices that the output can
                                 take; WINNOW_NO_LIMIT: n */
    int32_t *d_strategy;      /* NULL, or where to write the winnow_strategy
                                 that ran, in stream order */
} winnow_options;

#define WINNOW_OPTIONS_INIT                                                    \
    {                                                                          \
        sizeof(winnow_options), WINNOW_UNORDERED, WINNOW_AUTO, -1.0,           \
            WINNOW_NO_LIMIT, NULL                                              \
    }

/* ----------------------------------------------------------------- copy_if */

/*
 * Bytes of workspace that winnow_copy_if() needs for n elements. At most 4096
 * for WINNOW_UNORDERED, unless the options or a tuning profile name a stable
 * strategy or WINNOW_SOFTWARE_ATOMIC. Enqueues nothing and does not
 * synchronise. Returns what winnow_copy_if() does for these arguments, and
 * WINNOW_ERR_ARGUMENT where bytes_p is NULL.
 */
WINNOW_API_CHECKED winnow_status winnow_copy_if_workspace(
    winnow_context *context, const winnow_predicate *predicate, uint64_t n,
    const winnow_options *options, size_t *bytes_p);

/*
 * Say what winnow_copy_if() would run with these arguments, as text for people,
 * in lines: the strategy and its shape, or ranges of selectivity with theirs;
 * launches and workspace; and why. What the lines are may change.
 *
 *   text      where the text goes, with a 0 behind it, cut at text_bytes; NULL
 *             with 0 bytes: nowhere.
 *   length_p  NULL, or where to write how long all of it is, without the 0.
 *
 * Enqueues nothing and does not synchronise. Returns what winnow_copy_if() does
 * for these arguments, and WINNOW_ERR_ARGUMENT where text is NULL and
 * text_bytes is not 0, or nothing is asked for.
 */
WINNOW_API_CHECKED winnow_status winnow_copy_if_explain(
    winnow_context *context, const winnow_predicate *predicate, uint64_t n,
    const winnow_options *options, char *text, size_t text_bytes,
    size_t *length_p);

/*
 * Pack the elements of d_in[0 .. n) that pass the predicate into d_out, and
 * write how many there are to *d_count.
 *
 *   d_in, d_out  aligned as the element type is, no more. They may be equal
 *                (in place) with WINNOW_STABLE; any other overlap is refused.
 *   d_count      8-byte aligned. The true number of survivors, also when the
 *                capacity cut the output: overflow is *d_count > capacity.
 *   options      NULL for the defaults.
 *   d_workspace  16-byte aligned, any contents; in use until the work on
 *                `stream` is done. NULL with 0 bytes: taken from the context's
 *                own memory.
 *   stream       of the context's device; NULL is the default stream. For a
 *                context of the host NULL.
 *
 * Enqueues and returns; never synchronises; can be captured in a CUDA graph.
 * (A context of the host does the work before it returns.) On an error nothing
 * is enqueued and nothing is written. Nothing is ever written but the
 * survivors, *d_count, *d_strategy and the workspace.
 *
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: a pointer that is needed is NULL, one
 * is misaligned, overlaps another or cannot be reached by the device, n is too
 * large, or an option is wrong; WINNOW_ERR_WORKSPACE: workspace_bytes is too
 * small; WINNOW_ERR_UNSUPPORTED: the strategy is not offered for the order, the
 * context or so large an n; WINNOW_ERR_MEMORY; WINNOW_ERR_CUDA.
 * winnow_errors(7) lists them all.
 */
WINNOW_API_CHECKED winnow_status
winnow_copy_if(winnow_context *context, const winnow_predicate *predicate,
               const void *d_in, uint64_t n, void *d_out, uint64_t *d_count,
               const winnow_options *options, void *d_workspace,
               size_t workspace_bytes, winnow_stream stream);

/* ----------------------------------------------------------- copy_index_if */

/*
 * Bytes of workspace that winnow_copy_index_if() needs for n elements. At most
 * 4096 for WINNOW_UNORDERED, unless the options or a tuning profile name a
 * stable strategy or WINNOW_SOFTWARE_ATOMIC. Enqueues nothing and does not
 * synchronise. Returns what winnow_copy_index_if() does for these arguments,
 * and WINNOW_ERR_ARGUMENT where bytes_p is NULL.
 */
WINNOW_API_CHECKED winnow_status winnow_copy_index_if_workspace(
    winnow_context *context, const winnow_predicate *predicate, uint64_t n,
    winnow_type index_type, const winnow_options *options, size_t *bytes_p);

/* What winnow_copy_index_if() would run: as winnow_copy_if_explain() says of
 * winnow_copy_if(). */
WINNOW_API_CHECKED winnow_status winnow_copy_index_if_explain(
    winnow_context *context, const winnow_predicate *predicate, uint64_t n,
    winnow_type index_type, const winnow_options *options, char *text,
    size_t text_bytes, size_t *length_p);

/*
 * Pack the indices of the elements of d_in[0 .. n) that pass the predicate into
 * d_indices, and write how many there are to *d_count. The index of d_in[i] is
 * i. With WINNOW_STABLE, and on a context of the host, indices are in ascending
 * order.
 *
 *   d_in         aligned as the element type is, no more.
 *   index_type   WINNOW_UINT32, for an n of at most 2^32, or WINNOW_UINT64.
 *   d_indices    aligned as the index type is. May not overlap d_in: there is
 *                no packing in place.
 *   d_count      8-byte aligned. The true number of survivors, also when the
 *                capacity cut the output: overflow is *d_count > capacity.
 *   options      NULL for the defaults. The capacity counts indices.
 *
 * All else is as for winnow_copy_if(): d_workspace, stream, asynchrony, capture
 * in a CUDA graph, and what is written on an error.
 *
 * Returns what winnow_copy_if() does, and WINNOW_ERR_ARGUMENT for any other
 * index_type, and for WINNOW_UINT32 with an n above 2^32.
 */
WINNOW_API_CHECKED winnow_status winnow_copy_index_if(
    winnow_context *context, const winnow_predicate *predicate,
    const void *d_in, uint64_t n, winnow_type index_type, void *d_indices,
    uint64_t *d_count, const winnow_options *options, void *d_workspace,
    size_t workspace_bytes, winnow_stream stream);

/* -------------------------------------------------------- partition_by_key */

#define WINNOW_PARTITION_MOST_PARTS 65536u
#define WINNOW_PARTITION_MOST_COLUMNS 16u

/* An array that is partitioned with the keys: n elements in, room for n out. */
typedef struct winnow_partition_column {
    const void *d_in;     /* aligned as an element is, no more */
    void *d_out;          /* likewise; overlaps nothing */
    size_t element_bytes; /* 1, 2, 4, 8 or 16 */
} winnow_partition_column;

/*
 * Bytes of workspace that winnow_partition_by_key() needs for n keys. Of the
 * columns only their number and element_bytes count. It does not depend on
 * shift and bits. Above 256 parts: the bytes of keys and columns; else for
 * large unordered inputs an eighth of that; else a few megabytes. Enqueues
 * nothing and does not synchronise. Returns what winnow_partition_by_key() does
 * for these arguments, and WINNOW_ERR_ARGUMENT where bytes_p is NULL.
 */
WINNOW_API_CHECKED winnow_status winnow_partition_by_key_workspace(
    winnow_context *context, winnow_type key_type, uint64_t n, uint32_t parts,
    const winnow_partition_column *columns, uint32_t column_count,
    const winnow_options *options, size_t *bytes_p);

/*
 * Bring the keys, and the elements of all columns, of each part together. The
 * part of a key is a field of it:
 *
 *     part = (key >> shift) & (2^bits - 1)
 *
 * Part p is written to places d_offsets[p] to d_offsets[p + 1] - 1 of each
 * output. A key whose field is `parts` or more is in no part: it is written
 * nowhere, nor are the elements beside it. There are n - d_offsets[parts] such
 * keys.
 *
 *   key_type      WINNOW_UINT32 or WINNOW_UINT64.
 *   d_keys        n keys, aligned as their type is, no more.
 *   shift, bits   the field, inside of the key; bits 0: from shift to the top.
 *   parts         2 to WINNOW_PARTITION_MOST_PARTS.
 *   d_keys_out    room for n keys; NULL: the keys are not written.
 *   columns       an array in host memory, in use during the call alone. NULL
 *                 where column_count is 0; at most
 *                 WINNOW_PARTITION_MOST_COLUMNS.
 *   d_offsets     parts + 1 numbers, 8-byte aligned.
 *   d_counts      NULL, or how many items each part has: parts numbers, 8-byte
 *                 aligned.
 *   options       NULL for the defaults. With WINNOW_STABLE each part has the
 *                 input's order; with WINNOW_UNORDERED any. The strategy has to
 *                 be WINNOW_AUTO (or WINNOW_HOST on the host), d_strategy NULL,
 *                 the capacity n or more. The selectivity has no effect.
 *
 * No output may overlap another array of the call: there is no partitioning in
 * place. All else is as for winnow_copy_if(): d_workspace, stream, asynchrony,
 * capture in a CUDA graph, and what is written on an error.
 *
 * Returns what winnow_copy_if() does; WINNOW_ERR_ARGUMENT also where key_type,
 * shift, bits, parts, column_count or an element_bytes is wrong;
 * WINNOW_ERR_UNSUPPORTED for options that are not offered.
 */
WINNOW_API_CHECKED winnow_status winnow_partition_by_key(
    winnow_context *context, winnow_type key_type, const void *d_keys,
    uint64_t n, uint32_t shift, uint32_t bits, uint32_t parts, void *d_keys_out,
    const winnow_partition_column *columns, uint32_t column_count,
    uint64_t *d_offsets, uint64_t *d_counts, const winnow_options *options,
    void *d_workspace, size_t workspace_bytes, winnow_stream stream);

/* ---------------------------------------------------------------- count_if */

/* Bytes of workspace that winnow_count_if() needs: at most 4096. Returns what
 * winnow_copy_if_workspace() does. */
WINNOW_API_CHECKED winnow_status winnow_count_if_workspace(
    winnow_context *context, const winnow_predicate *predicate, uint64_t n,
    size_t *bytes_p);

/*
 * Write to *d_count how many elements of d_in[0 .. n) pass the predicate.
 * Arguments, asynchrony and what it returns as for winnow_copy_if().
 */
WINNOW_API_CHECKED winnow_status winnow_count_if(
    winnow_context *context, const winnow_predicate *predicate,
    const void *d_in, uint64_t n, uint64_t *d_count, void *d_workspace,
    size_t workspace_bytes, winnow_stream stream);

/* ---------------------------------------------------- estimate_selectivity */

/* Bytes of workspace that winnow_estimate_selectivity() needs: at most 4096.
 * Returns what winnow_copy_if_workspace() does. */
WINNOW_API_CHECKED winnow_status winnow_estimate_selectivity_workspace(
    winnow_context *context, const winnow_predicate *predicate, uint64_t n,
    size_t *bytes_p);

/*
 * Write to *d_selectivity an estimate of the fraction of d_in[0 .. n) that
 * passes the predicate: exact up to 65536 elements, and from a sample of that
 * size, spread evenly over the array, beyond. The same input gives the same
 * estimate. 0 when n is 0. Arguments, asynchrony and what it returns as for
 * winnow_copy_if(); d_selectivity is 8-byte aligned.
 */
WINNOW_API_CHECKED winnow_status winnow_estimate_selectivity(
    winnow_context *context, const winnow_predicate *predicate,
    const void *d_in, uint64_t n, double *d_selectivity, void *d_workspace,
    size_t workspace_bytes, winnow_stream stream);

/* --------------------------------------------------------------- reduce_if */

/* What winnow_reduce_if() computes: any of these, or-ed together. */
typedef enum winnow_reduce {
    WINNOW_REDUCE_COUNT = 1,   /* count; always written */
    WINNOW_REDUCE_SUM = 2,     /* sum, overflow and mean */
    WINNOW_REDUCE_MINIMUM = 4, /* minimum */
    WINNOW_REDUCE_MAXIMUM = 8, /* maximum */
    WINNOW_REDUCE_INDEX = 16   /* with either: the index of the first one */
} winnow_reduce;

/* Of a minimum or a maximum of no element. */
#define WINNOW_NO_INDEX UINT64_MAX

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
} winnow_reduction;

/*
 * Bytes of workspace that winnow_reduce_if() needs for n elements: at most
 * 256 KiB. Enqueues nothing and does not synchronise. Returns what
 * winnow_reduce_if() does for these arguments, and WINNOW_ERR_ARGUMENT where
 * bytes_p is NULL.
 */
WINNOW_API_CHECKED winnow_status winnow_reduce_if_workspace(
    winnow_context *context, const winnow_predicate *predicate,
    winnow_type type, uint64_t n, unsigned wanted, size_t *bytes_p);

/*
 * Count those elements of d_in[0 .. n) that pass the predicate, and compute
 * their sum, mean, minimum and maximum, reading each element once.
 *
 *   predicate  of `type`; NULL: every element passes.
 *   wanted     the winnow_reduce bits of the results that are wanted.
 *   d_result   one winnow_reduction, 8-byte aligned; written whole.
 *
 * Integer sums are exact. Sums of floats are added up as float64 in an order
 * that depends on n and the element type alone: the same bits at every run, on
 * every device and on the host, at every alignment. winnow_reduce_if(3) states
 * the order. A NaN that passes is counted and makes the sum NaN; minimum and
 * maximum pass over it, and take -0 as less than +0. Of no element the sum is
 * 0, the mean NaN, the minimum the type's largest value (+infinity), the
 * maximum its least (-infinity), with the index WINNOW_NO_INDEX.
 *
 * All else is as for winnow_copy_if(): d_in, d_workspace, stream, asynchrony,
 * capture in a CUDA graph, and what is written on an error.
 *
 * Returns what winnow_copy_if() does; WINNOW_ERR_ARGUMENT: wanted has no bit,
 * or others, or WINNOW_REDUCE_INDEX without minimum and maximum, the predicate
 * is of another type, or type is no value of its enumeration.
 */
WINNOW_API_CHECKED winnow_status
winnow_reduce_if(winnow_context *context, const winnow_predicate *predicate,
                 winnow_type type, const void *d_in, uint64_t n,
                 unsigned wanted, winnow_reduction *d_result, void *d_workspace,
                 size_t workspace_bytes, winnow_stream stream);

/* ------------------------------------------------------- accumulate_by_key */

/* How several components of an item lie in memory. */
typedef enum winnow_layout {
    WINNOW_COLUMNS = 0,    /* a pointer for each: x[0], x[1]... and y[0]... */
    WINNOW_INTERLEAVED = 1 /* one pointer: x[0], y[0], x[1], y[1]... */
} winnow_layout;

typedef struct winnow_accumulate_options {
    size_t size;                 /* sizeof(winnow_accumulate_options), with the
                                    rules of winnow_options */
    winnow_layout values_layout; /* WINNOW_COLUMNS */
    winnow_layout out_layout;    /* WINNOW_COLUMNS */
} winnow_accumulate_options;

#define WINNOW_ACCUMULATE_OPTIONS_INIT                                         \
    { sizeof(winnow_accumulate_options), WINNOW_COLUMNS, WINNOW_COLUMNS }

/* Bytes of workspace that winnow_accumulate_by_key() needs: at most 4096.
 * Enqueues nothing and does not synchronise. Returns what
 * winnow_accumulate_by_key() does for these arguments, and WINNOW_ERR_ARGUMENT
 * where bytes_p is NULL. */
WINNOW_API_CHECKED winnow_status winnow_accumulate_by_key_workspace(
    winnow_context *context, winnow_type key_type, uint64_t n,
    uint64_t key_bound, winnow_type value_type, unsigned components,
    const winnow_accumulate_options *options, size_t *bytes_p);

/*
 * For each item i below n, add its values to the sums of its key: component j
 * of the sums of d_keys[i] += component j of the values of i. The sums are
 * added to, not overwritten.
 *
 *   key_type     WINNOW_UINT32 or WINNOW_UINT64.
 *   key_bound    keys are below it. An item whose key is not is ignored, and
 *                counted in *d_beyond.
 *   value_type   WINNOW_INT32, WINNOW_INT64, WINNOW_UINT32, WINNOW_UINT64,
 *                WINNOW_FLOAT32 or WINNOW_FLOAT64, of values and sums alike.
 *   components   1 to 16.
 *   d_values     in host memory, read before the call returns: pointers to n
 *                values of each component (WINNOW_COLUMNS), or one pointer to
 *                n * components of them (WINNOW_INTERLEAVED).
 *   d_out        the same, for sums of key_bound keys. No two columns overlap,
 *                and none overlaps what is read.
 *   d_beyond     NULL, or where to write how many keys were not below the
 *                bound; 8-byte aligned.
 *   options      NULL for the defaults.
 *
 * All arrays are aligned as their elements are, no more. Integers wrap: sums
 * are modulo 2^32 or 2^64. Floats are added in any order, so that sums may
 * differ from run to run by rounding. Only sums of keys that occur are written.
 *
 * d_workspace, workspace_bytes, stream, asynchrony, capture in a CUDA graph,
 * and what is written on an error, as for winnow_copy_if().
 *
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: a type, components, the bound, n or
 * an option is wrong, or a pointer is NULL, misaligned, overlaps another or
 * cannot be reached by the device; WINNOW_ERR_WORKSPACE; WINNOW_ERR_MEMORY;
 * WINNOW_ERR_CUDA.
 */
WINNOW_API_CHECKED winnow_status winnow_accumulate_by_key(
    winnow_context *context, winnow_type key_type, const void *d_keys,
    uint64_t n, uint64_t key_bound, winnow_type value_type, unsigned components,
    const void *const *d_values, void *const *d_out, uint64_t *d_beyond,
    const winnow_accumulate_options *options, void *d_workspace,
    size_t workspace_bytes, winnow_stream stream);

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
 * For all functions here: they enqueue and return, never synchronise, and can
 * be captured in a CUDA graph. Those without a workspace never allocate. (A
 * context of the host does the work before it returns.) On an error nothing is
 * enqueued and nothing is written. The order of the input is kept.
 */

/*
 * Bytes of a selection of n items: n/8, and about 1/50 more.
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
 *   d_n              NULL, or the number of items, which the device reads when
 *                    it does the work; 8-byte aligned. Above n it counts as n.
 *                    Items from there on are neither read nor kept.
 *
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: a pointer that is needed is NULL, one
 * is misaligned, overlaps another or cannot be reached by the device, or
 * selection_bytes is too small; WINNOW_ERR_UNSUPPORTED: n is greater than 2^42;
 * WINNOW_ERR_CUDA.
 */
WINNOW_API_CHECKED winnow_status winnow_select_if(
    winnow_context *context, const winnow_predicate *predicate,
    const void *d_in, uint64_t n, void *d_selection, size_t selection_bytes,
    const uint64_t *d_n, winnow_stream stream);

/* -- conditions over several columns */

/* Columns are numbered from 0 to 15; a condition has at most 64 tests. */
#define WINNOW_CONDITION_MOST_COLUMNS 16u
#define WINNOW_CONDITION_MOST_TESTS 64u

/*
 * Tests of columns, joined by and, or, not. Immutable after creation, shareable
 * by threads. A condition copies what it is made from, so its parts may be
 * destroyed at any time.
 */
typedef struct winnow_condition winnow_condition;

/*
 * The condition that an element of column number `column`, counted from 0,
 * passes a predicate. Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: a pointer is
 * NULL; WINNOW_ERR_UNSUPPORTED: column is WINNOW_CONDITION_MOST_COLUMNS or
 * more; WINNOW_ERR_MEMORY.
 */
WINNOW_API_CHECKED winnow_status
winnow_condition_test(winnow_condition **condition_p, unsigned column,
                      const winnow_predicate *predicate);
/*
 * a and b; a or b; not a. a and b may be the same. `not` is exact: what it
 * keeps is all that a does not, a NaN too.
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: a pointer is NULL;
 * WINNOW_ERR_UNSUPPORTED: there would be more than WINNOW_CONDITION_MOST_TESTS
 * tests; WINNOW_ERR_MEMORY.
 */
WINNOW_API_CHECKED winnow_status
winnow_condition_and(winnow_condition **condition_p, const winnow_condition *a,
                     const winnow_condition *b);
WINNOW_API_CHECKED winnow_status
winnow_condition_or(winnow_condition **condition_p, const winnow_condition *a,
                    const winnow_condition *b);
WINNOW_API_CHECKED winnow_status
winnow_condition_not(winnow_condition **condition_p, const winnow_condition *a);
/* Free a condition. Calls that were enqueued with it are not affected: they
 * took a copy. NULL is allowed. */
WINNOW_API void winnow_condition_destroy(winnow_condition *condition);

/* A column's name and type, for the text of conditions. */
typedef struct winnow_field {
    const char *name; /* letters, digits and _, no digit first; not in, isnan
                         or isfinite */
    winnow_type type;
} winnow_field;

/*
 * The condition that a text says, as winnow_condition_parse(3) describes:
 *
 *     price < 24 && (flags & 7) == 3 || id in (4, 8)
 *
 *   fields  the columns: number c is fields[c], of number_of_fields; in use
 *           during the call alone.
 *   text    ends with a 0; at most 65535 bytes before it.
 *
 * A mistake is WINNOW_ERR_SYNTAX, and what cannot be decided item by item, from
 * a column and numbers, is WINNOW_ERR_UNSUPPORTED: then the detail begins with
 * the place in the text, "line 1, column 7", counted in bytes from 1 on.
 *
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: a pointer is NULL, or a field has a
 * name that is none or another's, or no type; WINNOW_ERR_SYNTAX;
 * WINNOW_ERR_UNSUPPORTED, also for too many fields, tests, or bytes, and for a
 * text that is nested too deeply; WINNOW_ERR_MEMORY.
 */
WINNOW_API_CHECKED winnow_status winnow_condition_parse(
    winnow_condition **condition_p, const winnow_field *fields,
    unsigned number_of_fields, const char *text);

/* Where the elements of a column are: that of item i begins i * stride + offset
 * bytes after d_base. */
typedef struct winnow_column {
    winnow_type type;
    const void *d_base;
    size_t stride; /* 0: the type's size; records have their own */
    size_t offset;
} winnow_column;

/*
 * Select the items that pass a condition. Its tests are made in the order in
 * which it has them, and an item is tested until the outcome is certain: a
 * column is not loaded where it cannot change it.
 *
 *   columns          an array in host memory, in use during the call alone.
 *                    Column c is columns[c]. Those that the condition does not
 *                    test are ignored. Elements may have any alignment and any
 *                    stride; a column without gaps whose first element is
 *                    aligned to 16 bytes is the fastest.
 *   n                number of items; an upper bound if d_n is given.
 *   d_selection      the selection to write, of n items; apart from all else.
 *   selection_bytes  of d_selection; winnow_selection_bytes(n) at least.
 *   d_n              NULL, or where the number of items is, 8-byte aligned: it
 *                    is read when the stream gets there. If it is n or more, n
 *                    counts. Items from there on are neither read nor kept.
 *
 * Returns what winnow_select_if() does, and WINNOW_ERR_ARGUMENT where the
 * condition tests a column that is not there, or one of another type.
 */
WINNOW_API_CHECKED winnow_status
winnow_select_where(winnow_context *context, const winnow_condition *condition,
                    const winnow_column *columns, unsigned number_of_columns,
                    uint64_t n, void *d_selection, size_t selection_bytes,
                    const uint64_t *d_n, winnow_stream stream);

/* What a mask is made of. */
typedef enum winnow_mask {
    WINNOW_MASK_BYTES = 0, /* a byte for each item: any but 0 keeps it */
    WINNOW_MASK_BITS = 1   /* a bit for each item, least significant first */
} winnow_mask;

/*
 * Select the items that are flagged in a mask.
 *
 *   d_mask  of any alignment. Item i has flag number offset + i, counted in
 *           bytes or in bits from d_mask on. No byte is read that has no flag
 *           of an item.
 *
 * All else, and what it returns, is as for winnow_select_if();
 * WINNOW_ERR_ARGUMENT, too, where mask is no winnow_mask.
 */
WINNOW_API_CHECKED winnow_status winnow_select_flagged(
    winnow_context *context, winnow_mask mask, const void *d_mask,
    uint64_t offset, uint64_t n, void *d_selection, size_t selection_bytes,
    const uint64_t *d_n, winnow_stream stream);

/* A key of each item: an element of an array, or a field of records. */
typedef struct winnow_keys {
    const void *d_keys;  /* the key of item 0, of any alignment */
    size_t key_bytes;    /* the size of a key: 1 to 16 */
    size_t stride_bytes; /* from one item's key to the next one's: key_bytes or
                            more; 0: key_bytes */
} winnow_keys;

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
    size_t size;              /* sizeof(winnow_unique_options), with the rules
                                 of winnow_options */
    winnow_unique_keep keep;  /* WINNOW_UNIQUE_FIRST */
    winnow_equality equality; /* WINNOW_EQUAL_BITS */
    winnow_type type;         /* of keys that are compared by value; ignored
                                 with WINNOW_EQUAL_BITS */
} winnow_unique_options;

#define WINNOW_UNIQUE_OPTIONS_INIT                                             \
    {                                                                          \
        sizeof(winnow_unique_options), WINNOW_UNIQUE_FIRST, WINNOW_EQUAL_BITS, \
            WINNOW_UINT8                                                       \
    }

/*
 * Select one item of each run of equal keys: the first or the last one. An item
 * is first if its key differs from the key before it, and last if the next key
 * differs from its own. Of sorted keys, each key is kept once.
 *
 *   keys     the keys, in a struct in host memory, in use during the call
 *            alone. d_keys may be NULL if n is 0. Keys are faster the larger
 *            the power of two, 16 at most, that divides their address, size and
 *            stride.
 *   options  NULL for the defaults.
 *   d_n      NULL, or a number on the device, 8-byte aligned: how many items
 *            there are, if that is less than n. It is read in stream order.
 *            Items from there on are neither read nor kept.
 *
 * All else, and what it returns, is as for winnow_select_if();
 * WINNOW_ERR_ARGUMENT, too, where key_bytes, stride_bytes or an option is
 * wrong, or the size of the type is not key_bytes.
 */
WINNOW_API_CHECKED winnow_status winnow_select_unique(
    winnow_context *context, const winnow_keys *keys, uint64_t n,
    const winnow_unique_options *options, void *d_selection,
    size_t selection_bytes, const uint64_t *d_n, winnow_stream stream);

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
 * winnow_selection_bytes(n). Returns what winnow_select_if() does, and
 * WINNOW_ERR_ARGUMENT where combine is no winnow_combine.
 */
WINNOW_API_CHECKED winnow_status winnow_selection_combine(
    winnow_context *context, winnow_combine combine, const void *d_a,
    const void *d_b, uint64_t n, void *d_result, size_t result_bytes,
    winnow_stream stream);
/*
 * Make the selection that keeps what another one does not. d_result may be
 * d_selection, or else lies apart from it. d_n is as for winnow_select_if().
 * Returns what winnow_select_if() does.
 */
WINNOW_API_CHECKED winnow_status
winnow_selection_not(winnow_context *context, const void *d_selection,
                     uint64_t n, void *d_result, size_t result_bytes,
                     const uint64_t *d_n, winnow_stream stream);

/*
 * Write to *d_count, which is 8-byte aligned, how many of its n items a
 * selection keeps. Returns what winnow_select_if() does.
 */
WINNOW_API_CHECKED winnow_status winnow_selection_count(winnow_context *context,
                                                        const void *d_selection,
                                                        uint64_t n,
                                                        uint64_t *d_count,
                                                        winnow_stream stream);

/*
 * Count the survivors of each of `number` segments of the n items. Segment s
 * has the items d_offsets[s] to d_offsets[s + 1] - 1. The time a segment takes
 * does not depend on its size.
 *
 *   offset_type    WINNOW_UINT32 or WINNOW_UINT64: of all three arrays, which
 *                  are aligned to their numbers' size, and apart from each
 *                  other and from d_selection.
 *   number         0 to 2^32.
 *   d_offsets      number + 1 offsets, in ascending order. An offset above n
 *                  counts as n. Where offsets descend, a segment that ends
 *                  before it begins has no items.
 *   d_counts       NULL, or room for `number` counts of survivors.
 *   d_out_offsets  NULL, or room for number + 1 offsets: how many survivors
 *                  there are before d_offsets[s], counted from item 0 on. So
 *                  the survivors of segment s are the elements
 *                  d_out_offsets[s] to d_out_offsets[s + 1] - 1 of what
 *                  winnow_compact() writes.
 *
 * Returns what winnow_select_if() does; WINNOW_ERR_ARGUMENT also for any other
 * offset_type, and WINNOW_ERR_UNSUPPORTED for more segments.
 */
WINNOW_API_CHECKED winnow_status winnow_selection_segments(
    winnow_context *context, const void *d_selection, uint64_t n,
    winnow_type offset_type, uint64_t number, const void *d_offsets,
    void *d_counts, void *d_out_offsets, winnow_stream stream);

/*
 * Write a selection of n items as a mask: 1 for an item that it keeps, else 0.
 * d_mask and offset are as for winnow_select_flagged(). Flags of no item keep
 * their values; of bits, a byte that has such flags is read and written.
 * d_mask lies apart from d_selection. Returns what winnow_select_flagged()
 * does.
 */
WINNOW_API_CHECKED winnow_status winnow_selection_to_mask(
    winnow_context *context, const void *d_selection, uint64_t n,
    winnow_mask mask, void *d_mask, uint64_t offset, winnow_stream stream);

/*
 * Pack those of the elements d_in[0 .. n) that a selection keeps into d_out.
 *
 *   element_bytes  the size of an element: 1 to 4096. Elements need no
 *                  alignment; of 1, 2, 4 or 8 bytes they are faster aligned to
 *                  that, and others aligned to 16.
 *   d_out          apart from d_in and d_selection.
 *   capacity       how many elements d_out has room for; WINNOW_NO_LIMIT: n. If
 *                  there are more, the first ones are written. With d_position
 *                  it is counted from d_out on, and has to be the true number.
 *   d_position     NULL, or where the output begins, in elements behind d_out;
 *                  8-byte aligned. The device reads it when it does the work,
 *                  and adds the number of elements that were written. From the
 *                  capacity on nothing is written.
 *   d_count        NULL, or 8-byte aligned, for the true number of elements,
 *                  also when the capacity cut the output.
 *
 * Returns what winnow_select_if() does, and WINNOW_ERR_ARGUMENT for any other
 * element_bytes.
 */
WINNOW_API_CHECKED winnow_status winnow_compact(
    winnow_context *context, const void *d_selection, const void *d_in,
    uint64_t n, size_t element_bytes, void *d_out, uint64_t capacity,
    uint64_t *d_position, uint64_t *d_count, winnow_stream stream);

/* A column: n elements in, and room for what is kept of them. */
typedef struct winnow_compact_column {
    const void *d_in;     /* of any alignment, as for winnow_compact() */
    void *d_out;          /* likewise; d_in, or apart from all columns */
    size_t element_bytes; /* 1 to 4096 */
} winnow_compact_column;

/*
 * Bytes of workspace that winnow_compact_columns() needs: 0, unless a column is
 * in place; else at most n/2 bytes for each column in place.
 * Enqueues nothing and does not synchronise. Returns what
 * winnow_compact_columns() does for these arguments, and WINNOW_ERR_ARGUMENT
 * where bytes_p is NULL.
 */
WINNOW_API_CHECKED winnow_status winnow_compact_columns_workspace(
    winnow_context *context, uint64_t n, const winnow_compact_column *columns,
    unsigned number, size_t *bytes_p);

/*
 * Pack the elements that a selection keeps of 1 to 64 columns: as
 * winnow_compact() for each, in fewer launches and with the selection read
 * once for all columns of a kind.
 *
 *   columns     in host memory, read before the call returns.
 *   capacity, d_position, d_count  as for winnow_compact(), the same for all
 *               columns. With d_position no column is in place.
 *   d_workspace, workspace_bytes  as for winnow_copy_if().
 *
 * A column whose d_out is its d_in is packed in place. All other memory that is
 * written lies apart from all else. Returns what winnow_compact() does, and
 * WINNOW_ERR_ARGUMENT for any other number; WINNOW_ERR_WORKSPACE;
 * WINNOW_ERR_MEMORY.
 */
WINNOW_API_CHECKED winnow_status winnow_compact_columns(
    winnow_context *context, const void *d_selection, uint64_t n,
    const winnow_compact_column *columns, unsigned number, uint64_t capacity,
    uint64_t *d_position, uint64_t *d_count, void *d_workspace,
    size_t workspace_bytes, winnow_stream stream);

/*
 * Split d_in[0 .. n): pack the elements that a selection keeps into d_kept, and
 * all others into d_rejected, each in the input's order. Both lie apart from
 * the input, and from each other; each has a capacity as d_out of
 * winnow_compact() has. *d_count is the true number of those kept. Elements
 * from d_n on, which is as for winnow_select_if(), are not rejected: they are
 * left out. All else, and what it returns, is as for winnow_compact().
 */
WINNOW_API_CHECKED winnow_status winnow_split(
    winnow_context *context, const void *d_selection, const void *d_in,
    uint64_t n, size_t element_bytes, void *d_kept, uint64_t kept_capacity,
    void *d_rejected, uint64_t rejected_capacity, uint64_t *d_count,
    const uint64_t *d_n, winnow_stream stream);

/*
 * Bring packed elements back to their places: the reverse of winnow_compact().
 * Element k of d_in goes to the place, in d_out[0 .. n), of the k-th item that
 * the selection keeps.
 *
 *   element_bytes  as for winnow_compact().
 *   d_in           `available` elements, or n if that is less.
 *   available      how many elements there are; WINNOW_NO_LIMIT: n. If the
 *                  selection keeps more items, the places of the rest are left
 *                  alone, also with a value to fill in. If it keeps fewer, what
 *                  is left over is not read.
 *   fill           NULL: the places of all other items are left alone. Or a
 *                  value of element_bytes bytes in host memory, of any
 *                  alignment, in use during the call alone, which is
 *                  written to these places.
 *   d_out          n elements, apart from d_in and d_selection.
 *
 * Returns what winnow_compact() does.
 */
WINNOW_API_CHECKED winnow_status
winnow_expand(winnow_context *context, const void *d_selection, uint64_t n,
              size_t element_bytes, const void *d_in, uint64_t available,
              const void *fill, void *d_out, winnow_stream stream);

/*
 * Write the indices of the items that a selection keeps to d_indices, in
 * ascending order.
 *
 *   index_type  WINNOW_UINT32, for an n of at most 2^32, or WINNOW_UINT64.
 *   d_indices   aligned as the index type is; apart from d_selection.
 *   capacity    how many indices d_indices has room for; WINNOW_NO_LIMIT: n. If
 *               there are more, the first ones are written.
 *   d_position  as for winnow_compact().
 *   d_count     NULL, or 8-byte aligned, for the true number of indices, also
 *               when the capacity cut the output.
 *
 * Returns what winnow_select_if() does, and WINNOW_ERR_ARGUMENT for any other
 * index_type, and for WINNOW_UINT32 with an n above 2^32.
 */
WINNOW_API_CHECKED winnow_status winnow_compact_index(
    winnow_context *context, const void *d_selection, uint64_t n,
    winnow_type index_type, void *d_indices, uint64_t capacity,
    uint64_t *d_position, uint64_t *d_count, winnow_stream stream);

/* ------------------------------------- a selection and its use in one call */

/*
 * For the calls below: the selection is in the workspace, and is made and used
 * once. What they have in common:
 *
 *   capacity, d_position, d_count  as for winnow_compact().
 *   d_n          as for winnow_select_if().
 *   d_workspace  16-byte aligned, of the bytes that the query of the same name
 *                says, any contents; or NULL, and workspace_bytes 0, for memory
 *                of the context's: as for winnow_copy_if().
 *
 * They enqueue and return, never synchronise, and can be captured in a CUDA
 * graph. The order of the input is kept. On an error nothing is enqueued and
 * nothing is written.
 *
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: a pointer that is needed is NULL, one
 * is misaligned, overlaps another or cannot be reached by the device, or a size
 * is wrong; WINNOW_ERR_WORKSPACE: it is too small; WINNOW_ERR_UNSUPPORTED: n is
 * greater than 2^42; WINNOW_ERR_MEMORY; WINNOW_ERR_CUDA. The queries enqueue
 * nothing, and return WINNOW_ERR_ARGUMENT where bytes_p is NULL.
 */

/*
 * Pack the elements that are flagged in a mask. mask, d_mask and offset are as
 * for winnow_select_flagged(), element_bytes as for winnow_compact(). d_out is
 * d_in, where d_position is NULL, or lies apart from it.
 */
WINNOW_API_CHECKED winnow_status winnow_copy_flagged_workspace(
    winnow_context *context, uint64_t n, size_t element_bytes, size_t *bytes_p);
WINNOW_API_CHECKED winnow_status winnow_copy_flagged(
    winnow_context *context, winnow_mask mask, const void *d_mask,
    uint64_t offset, const void *d_in, uint64_t n, size_t element_bytes,
    void *d_out, uint64_t capacity, uint64_t *d_position, uint64_t *d_count,
    const uint64_t *d_n, void *d_workspace, size_t workspace_bytes,
    winnow_stream stream);

/*
 * Pack, of 1 to 64 columns, the elements of those items whose element of d_key
 * passes the predicate. columns and number are as for winnow_compact_columns().
 * d_key is aligned as its type is. It need not be among the columns; it may be
 * one that is packed in place, and else overlaps no output.
 */
WINNOW_API_CHECKED winnow_status winnow_copy_columns_if_workspace(
    winnow_context *context, uint64_t n, const winnow_compact_column *columns,
    unsigned number, size_t *bytes_p);
WINNOW_API_CHECKED winnow_status winnow_copy_columns_if(
    winnow_context *context, const winnow_predicate *predicate,
    const void *d_key, uint64_t n, const winnow_compact_column *columns,
    unsigned number, uint64_t capacity, uint64_t *d_position, uint64_t *d_count,
    const uint64_t *d_n, void *d_workspace, size_t workspace_bytes,
    winnow_stream stream);

/*
 * Pack the records of which a field passes the predicate. Nothing is read of a
 * record that does not pass but the field and what is in the same sectors of
 * memory.
 *
 *   field_offset  of the field, in bytes from the beginning of a record. It
 *                 needs no alignment, and is faster with that of its type.
 *   record_bytes  1 to 4096, as element_bytes of winnow_compact().
 *   d_out         d_in, where d_position is NULL, or apart from it.
 */
WINNOW_API_CHECKED winnow_status winnow_copy_records_if_workspace(
    winnow_context *context, uint64_t n, size_t record_bytes, size_t *bytes_p);
WINNOW_API_CHECKED winnow_status winnow_copy_records_if(
    winnow_context *context, const winnow_predicate *predicate,
    size_t field_offset, const void *d_in, uint64_t n, size_t record_bytes,
    void *d_out, uint64_t capacity, uint64_t *d_position, uint64_t *d_count,
    const uint64_t *d_n, void *d_workspace, size_t workspace_bytes,
    winnow_stream stream);

/*
 * Partition d_in[0 .. n) in two: the elements that pass go to d_out, in the
 * input's order, and the others to d_rejected, in the input's order. Both have
 * room for n elements and lie apart from the input. d_rejected NULL: the others
 * follow in d_out, behind the last that passes. *d_count, if it is not NULL, is
 * the number of those that pass.
 */
WINNOW_API_CHECKED winnow_status winnow_partition_if_workspace(
    winnow_context *context, uint64_t n, size_t *bytes_p);
WINNOW_API_CHECKED winnow_status
winnow_partition_if(winnow_context *context, const winnow_predicate *predicate,
                    const void *d_in, uint64_t n, void *d_out, void *d_rejected,
                    uint64_t *d_count, const uint64_t *d_n, void *d_workspace,
                    size_t workspace_bytes, winnow_stream stream);

/* ------------------------------------------------------ a selection at once */

/*
 * These make a selection in their workspace and use it at once. All of
 * d_workspace, stream, asynchrony, capture in a CUDA graph, and what is written
 * on an error is as for winnow_copy_if(); the order of the input is kept. No
 * output may overlap another array of the call: nothing works in place.
 *
 * The workspace is that of a selection of n items, and about 256 bytes more. On
 * the host there is none: the call allocates the selection, and frees it.
 * winnow_unique_by_key_workspace() is the same as winnow_unique_workspace().
 */
WINNOW_API_CHECKED winnow_status
winnow_unique_workspace(winnow_context *context, uint64_t n, size_t *bytes_p);
WINNOW_API_CHECKED winnow_status winnow_unique_by_key_workspace(
    winnow_context *context, uint64_t n, size_t *bytes_p);
WINNOW_API_CHECKED winnow_status winnow_segmented_copy_if_workspace(
    winnow_context *context, const winnow_predicate *predicate, uint64_t n,
    size_t *bytes_p);

/*
 * Pack one element of each run of equal elements of d_in[0 .. n) into d_out.
 *
 *   element_bytes  1 to 16. Elements need no alignment.
 *   options, d_n   as for winnow_select_unique().
 *   d_out          room for `capacity` elements, or for n if that is less;
 *                  WINNOW_NO_LIMIT: n. If there are more, the first ones are
 *                  written.
 *   d_count        NULL, or 8-byte aligned, for the true number of runs.
 *
 * Returns what winnow_select_unique() does; WINNOW_ERR_WORKSPACE: the workspace
 * is too small; WINNOW_ERR_MEMORY: there is no memory for the context's own.
 */
WINNOW_API_CHECKED winnow_status winnow_unique(
    winnow_context *context, const void *d_in, uint64_t n, size_t element_bytes,
    const winnow_unique_options *options, void *d_out, uint64_t capacity,
    uint64_t *d_count, void *d_workspace, size_t workspace_bytes,
    const uint64_t *d_n, winnow_stream stream);

/*
 * The same of keys, with the values that stand beside them: one of each run of
 * equal keys. Values are of 1 to 4096 bytes, and need no alignment. Both
 * outputs have the capacity. Returns what winnow_unique() does.
 */
WINNOW_API_CHECKED winnow_status winnow_unique_by_key(
    winnow_context *context, const void *d_keys, size_t key_bytes,
    const void *d_values, size_t value_bytes, uint64_t n,
    const winnow_unique_options *options, void *d_keys_out, void *d_values_out,
    uint64_t capacity, uint64_t *d_count, void *d_workspace,
    size_t workspace_bytes, const uint64_t *d_n, winnow_stream stream);

/*
 * Pack those elements of d_in[0 .. n) that pass the predicate into d_out, and
 * say where the survivors of each segment are. offset_type, number, d_offsets,
 * d_counts and d_out_offsets are as for winnow_selection_segments(): elements
 * of no segment are packed, too. d_in and d_out are aligned as the element type
 * is. d_out, capacity and d_count are as for winnow_unique(): the capacity cuts
 * d_out alone; d_counts and d_out_offsets are true all the same.
 *
 * Returns what winnow_selection_segments() and winnow_unique() do.
 */
WINNOW_API_CHECKED winnow_status winnow_segmented_copy_if(
    winnow_context *context, const winnow_predicate *predicate,
    const void *d_in, uint64_t n, winnow_type offset_type, uint64_t number,
    const void *d_offsets, void *d_out, uint64_t capacity, void *d_counts,
    void *d_out_offsets, uint64_t *d_count, void *d_workspace,
    size_t workspace_bytes, winnow_stream stream);

#ifdef __cplusplus
}
#endif

#endif /* WINNOW_H */
