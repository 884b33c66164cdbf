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
    WINNOW_ERR_SYNTAX = 7,      /* reserved: a predicate's text is wrong */
    WINNOW_ERR_COMPILE = 8      /* reserved: a predicate did not compile */
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
 * WINNOW_ERR_CUDA.
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
    WINNOW_TILE_SCAN = 7        /* stable: a scan over tiles, in one pass */
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
                                 unknown. A hint: it never changes the result */
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
 * for WINNOW_UNORDERED, unless the options name a stable strategy. Enqueues
 * nothing and does not synchronise. Returns what winnow_copy_if() does for
 * these arguments, and WINNOW_ERR_ARGUMENT where bytes_p is NULL.
 */
WINNOW_API_CHECKED winnow_status winnow_copy_if_workspace(
    winnow_context *context, const winnow_predicate *predicate, uint64_t n,
    const winnow_options *options, size_t *bytes_p);

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
 * 4096 for WINNOW_UNORDERED, unless the options name a stable strategy.
 * Enqueues nothing and does not synchronise. Returns what
 * winnow_copy_index_if() does for these arguments, and WINNOW_ERR_ARGUMENT
 * where bytes_p is NULL.
 */
WINNOW_API_CHECKED winnow_status winnow_copy_index_if_workspace(
    winnow_context *context, const winnow_predicate *predicate, uint64_t n,
    winnow_type index_type, const winnow_options *options, size_t *bytes_p);

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
 * For all functions here: they take no workspace. They enqueue and return,
 * never synchronise and never allocate, and can be captured in a CUDA graph.
 * (A context of the host does the work before it returns.) On an error nothing
 * is enqueued and nothing is written. The order of the input is kept.
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
 *
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: a pointer that is needed is NULL, one
 * is misaligned, overlaps another or cannot be reached by the device, or
 * selection_bytes is too small; WINNOW_ERR_UNSUPPORTED: n is greater than 2^42;
 * WINNOW_ERR_CUDA.
 */
WINNOW_API_CHECKED winnow_status
winnow_select_if(winnow_context *context, const winnow_predicate *predicate,
                 const void *d_in, uint64_t n, void *d_selection,
                 size_t selection_bytes, winnow_stream stream);

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
    winnow_stream stream);

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
 * d_selection, or else lies apart from it. Returns what winnow_select_if()
 * does.
 */
WINNOW_API_CHECKED winnow_status winnow_selection_not(
    winnow_context *context, const void *d_selection, uint64_t n,
    void *d_result, size_t result_bytes, winnow_stream stream);

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
 *                  there are more, the first ones are written.
 *   d_count        NULL, or 8-byte aligned, for the true number of elements,
 *                  also when the capacity cut the output.
 *
 * Returns what winnow_select_if() does, and WINNOW_ERR_ARGUMENT for any other
 * element_bytes.
 */
WINNOW_API_CHECKED winnow_status
winnow_compact(winnow_context *context, const void *d_selection,
               const void *d_in, uint64_t n, size_t element_bytes, void *d_out,
               uint64_t capacity, uint64_t *d_count, winnow_stream stream);

/*
 * Split d_in[0 .. n): pack the elements that a selection keeps into d_kept, and
 * all others into d_rejected, each in the input's order. Both lie apart from
 * the input, and from each other; each has a capacity as d_out of
 * winnow_compact() has. *d_count is the true number of those kept. All else,
 * and what it returns, is as for winnow_compact().
 */
WINNOW_API_CHECKED winnow_status winnow_split(
    winnow_context *context, const void *d_selection, const void *d_in,
    uint64_t n, size_t element_bytes, void *d_kept, uint64_t kept_capacity,
    void *d_rejected, uint64_t rejected_capacity, uint64_t *d_count,
    winnow_stream stream);

/*
 * Write the indices of the items that a selection keeps to d_indices, in
 * ascending order.
 *
 *   index_type  WINNOW_UINT32, for an n of at most 2^32, or WINNOW_UINT64.
 *   d_indices   aligned as the index type is; apart from d_selection.
 *   capacity    how many indices d_indices has room for; WINNOW_NO_LIMIT: n. If
 *               there are more, the first ones are written.
 *   d_count     NULL, or 8-byte aligned, for the true number of indices, also
 *               when the capacity cut the output.
 *
 * Returns what winnow_select_if() does, and WINNOW_ERR_ARGUMENT for any other
 * index_type, and for WINNOW_UINT32 with an n above 2^32.
 */
WINNOW_API_CHECKED winnow_status winnow_compact_index(
    winnow_context *context, const void *d_selection, uint64_t n,
    winnow_type index_type, void *d_indices, uint64_t capacity,
    uint64_t *d_count, winnow_stream stream);

#ifdef __cplusplus
}
#endif

#endif /* WINNOW_H */
