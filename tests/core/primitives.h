/*
 * Kernels that call the functions of winnow/device.cuh, for the tests: each
 * function for many types, by lanes that have diverged.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_PRIMITIVES_H
#define WINNOW_TESTS_PRIMITIVES_H

#include <cuda_runtime_api.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum number {
    NUMBER_INT = 0,
    NUMBER_UINT = 1,
    NUMBER_LONG = 2,
    NUMBER_ULONG = 3,
    NUMBER_LLONG = 4,
    NUMBER_ULLONG = 5,
    NUMBER_FLOAT = 6,
    NUMBER_DOUBLE = 7,
    NUMBERS = 8
};

/* x -> a x + b, and a count. Following one after the other is associative, and
 * not commutative. The first two members alone are a map of 8 bytes. */
struct map {
    uint32_t a, b;
};
struct counted_map {
    uint32_t a, b, count;
};

/* What a thread does: a thread of way 0 takes no part, those of ways 1 and 2
 * come to the function from different branches. */
enum {
    WAYS = 3
};

/* Kernels for each type of number. */
enum primitive {
    /* counters[key] += 1, or the value; out: the value before */
    PRIMITIVE_INCREMENT = 0,
    PRIMITIVE_ADD = 1,
    PRIMITIVE_ADD_SHARED = 2, /* counters in shared memory; one block */
    /* counters[way] likewise: by a mask that is known, or as a group */
    PRIMITIVE_INCREMENT_MASK = 3,
    PRIMITIVE_ADD_MASK = 4,
    PRIMITIVE_INCREMENT_GROUP = 5,
    PRIMITIVE_ADD_GROUP = 6,
    /* of the peers with the same key: sum, minimum, maximum; out: 4 in a row
     * for each thread: these and the sum up to the thread */
    PRIMITIVE_REDUCE = 7,
    /* counters[9 key], 9 components, each of them the value times its number;
     * and counters[9 * 32 + key], by the minimum */
    PRIMITIVE_ACCUMULATE = 8,
    /* the sums of lanes of a way; out: inclusive and exclusive */
    PRIMITIVE_SCAN_SHARED = 9,
    PRIMITIVE_SCAN_REGISTER = 10,
    PRIMITIVE_SCAN = 11,
    /* a whole array of n numbers, in place in out, by one block */
    PRIMITIVE_ARRAY_SHARED = 12,
    PRIMITIVE_ARRAY_REGISTER = 13,
    PRIMITIVE_ARRAY = 14,
    /* counters[0] to [2], by value: add, minimum, maximum */
    PRIMITIVE_CAS = 15,
    PRIMITIVES = 16
};

/* Threads of the blocks of these kernels; components that are accumulated. */
enum {
    PRIMITIVE_THREADS = 96,
    PRIMITIVE_KEYS = 32,
    PRIMITIVE_COMPONENTS = 9
};

/* Device memory. */
struct primitive_args {
    const uint32_t *keys; /* of each thread, below PRIMITIVE_KEYS */
    const uint8_t *ways;
    const void *values;
    void *counters;
    void *out;
    uint64_t n;
};

cudaError_t primitive_launch(enum primitive primitive, enum number number,
                             const struct primitive_args *args, unsigned blocks,
                             cudaStream_t stream);

/* Peers, for keys of several types made of `keys`: by a match, and by votes.
 * out: 2 * MATCH_KEYS masks for each thread. */
enum {
    MATCH_KEYS = 5
};
cudaError_t primitive_match(const struct primitive_args *args, unsigned blocks,
                            cudaStream_t stream);

/* Maps. values: a counted_map for each thread; out: 4 counted_maps for each: of
 * its peers, of its peers up to it, of lanes of its way up to it and before it.
 * counters: a counted_map for each key, of which 8 bytes are updated. */
cudaError_t primitive_maps(const struct primitive_args *args, unsigned blocks,
                           cudaStream_t stream);

/* With blocks of each of these numbers of threads. */
enum {
    BLOCK_SIZES = 7
};
extern const unsigned primitive_block_sizes[BLOCK_SIZES];

/* values: a uint32_t for each thread. counters: two uint64_t, to which its
 * blocks add values, and those that are odd. out: 6 uint64_t for each thread:
 * exclusive and inclusive sums of the block, the total, old values of both
 * counters; sums that begin anew, in the same storage. */
cudaError_t primitive_block(unsigned size, const struct primitive_args *args,
                            unsigned blocks, cudaStream_t stream);

/* values: uint32_t, of which n are compacted, those that are odd. By a warp
 * each (ways tell who takes part): to out, from the warp's first element on,
 * with their number in counters (uint32_t). By a block each, of whole tiles of
 * 1 or 4 items: likewise, or (append) all to the beginning of out. */
enum compaction {
    COMPACT_WARP = 0,
    COMPACT_TILE_1 = 1,
    COMPACT_TILE_4 = 2,
    APPEND_TILE_4 = 3,
    COMPACTIONS = 4
};
cudaError_t primitive_compact(enum compaction compaction,
                              const struct primitive_args *args,
                              unsigned blocks, cudaStream_t stream);

/* Updates of 2, 4 and 8 bytes by compare-and-swap: counters: uint16_t at [0], a
 * map at byte 8. */
cudaError_t primitive_cas(const struct primitive_args *args, unsigned blocks,
                          cudaStream_t stream);

/* ------------------------------------------- winnow/software_atomic.cuh */

/*
 * A coordinator and `clients` blocks of SOFTWARE_THREADS threads. Each thread
 * of a client has `rounds` turns; turn r of the thread is at r * n + thread in
 * keys, ways and values (uint32_t). A key below SOFTWARE_SMALL is one of as
 * many uint32_t counters at `counters`, the others are uint64_t after these.
 * out: the uint64_t value before.
 */
enum {
    SOFTWARE_THREADS = 64,
    SOFTWARE_SMALL = 16
};
struct software_args {
    struct primitive_args lanes;
    void *memory; /* software_memory() bytes, 0 at first */
    unsigned clients, rounds;
};
uint64_t software_memory(unsigned clients);
/* By index in a cooperative launch, or by ticket in a plain one. */
cudaError_t software_launch(const struct software_args *args, int by_ticket,
                            cudaStream_t stream);
/* How many clients an index launch may have on the current device. */
cudaError_t software_most_clients(unsigned *clients_p);

#ifdef __cplusplus
}
#endif

#endif
