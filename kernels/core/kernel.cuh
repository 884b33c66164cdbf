/*
 * What every kernel needs beside its work: overlap with its neighbours in the
 * stream, its arguments, and its row in a table for the host.
 *
 * Overlap is programmatic dependent launch: on devices that can (9.0 and later)
 * a kernel may be launched while the one before it in the stream still runs,
 * and waits where it has to.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "args.h"
#include "ptx.cuh"

namespace winnow {

/* ---------------------------------------------------------------- overlap */

/*
 * Before the first access to memory of the caller's. The kernel that clears the
 * workspace waits for the caller's kernels itself, so that after it only the
 * workspace is waited for.
 */
__device__ __forceinline__ void wait_for_input(const winnow__args &args) {
    if (!args.after_clear)
        wait_for_stream();
}

/* Trigger the next kernel's launch, where the host thinks that it should be
 * early (lib/tile/small.c). */
__device__ __forceinline__ void
trigger_dependents_early(const winnow__args &args) {
    if (args.trigger_early)
        trigger_dependents();
}

/* ------------------------------------------------------------------ items */

/*
 * How many items there are, as far as there is room for them: *items is the
 * caller's, and may be more than n. In records of RECORD items each.
 *
 * It is read when the caller's kernels have been waited for. Nothing that runs
 * beside this kernel writes it: where the count goes to the same word, the
 * kernel writes the count elsewhere, and it is put there by one that waits for
 * this one (deliver.cu). So any thread may read it, at any time.
 */
template <unsigned int RECORD = 1>
__device__ __forceinline__ uint64_t item_count(const winnow__args &args) {
    if (args.items == nullptr)
        return args.n;
    return min(args.n / RECORD, *args.items) * RECORD;
}

/* The same for other arguments with n and items. */
template <class Args>
__device__ __forceinline__ uint64_t items_of(const Args &args) {
    return args.items == nullptr ? args.n : min(args.n, uint64_t(*args.items));
}

/* ----------------------------------------------------------------- output */

/* Where the output begins, and how many elements there is room for: *position
 * is read as *items is. */
template <class T>
__device__ __forceinline__ T *output_of(const winnow__args &args) {
    T *const out = static_cast<T *>(args.sink.out);
    return args.sink.position == nullptr ? out : out + *args.sink.position;
}

__device__ __forceinline__ uint64_t room_of(const winnow__args &args) {
    const uint64_t capacity = args.sink.capacity;
    return args.sink.position == nullptr
               ? capacity
               : capacity - min(capacity, *args.sink.position);
}

/* By one thread of the call: how many pass. */
__device__ __forceinline__ void store_count(const winnow__args &args,
                                            uint64_t count) {
    if (args.sink.count != nullptr)
        *args.sink.count = count;
}

/* ----------------------------------------------------------------- choice */

/*
 * Of several candidates, was another one chosen? A block then ends, before it
 * has read the input or written anything.
 *
 * The decision was stored by a kernel earlier in the stream
 * (kernels/auto/choose.cu), whose end comes before the wait. Every candidate
 * waits, those not chosen too: what follows one in the stream comes after all
 * that were before it.
 */
__device__ __forceinline__ bool is_other_chosen(const winnow__args &args) {
    wait_for_stream();
    return load_relaxed(&args.cursor->decision) != args.candidate;
}

/* At the beginning of a kernel: is there nothing to do for this launch? Striped
 * tiles ask as they are loaded. */
__device__ __forceinline__ bool is_passed_over(const winnow__args &args) {
    return args.candidate != 0 && is_other_chosen(args);
}

/* -------------------------------------------------------------- arguments */

/*
 * Have those of the arguments fetched that the loads did not need. That takes a
 * while, and the compiler puts it off until their first use, which is when all
 * else is done: here, between a tile's loads and their use, nobody waits for
 * it. It takes a use, then: neither of these is ever so.
 */
__device__ __forceinline__ void fetch_arguments(const winnow__args &args) {
    const bool misaligned = reinterpret_cast<uintptr_t>(args.chosen) % 2 != 0;
    if (misaligned || args.strategy < 0)
        __trap();
}

/* Report which strategy runs, if that was asked for. */
__device__ __forceinline__ void report_strategy(const winnow__args &args) {
    if (args.chosen != nullptr && blockIdx.x == 0 && threadIdx.x == 0)
        *args.chosen = args.strategy;
}

/* As many blocks of `threads` threads as were wanted on a multiprocessor, or as
 * it can hold: the second argument of __launch_bounds__. */
constexpr unsigned int resident(unsigned int threads, unsigned int wanted) {
#if !defined(__CUDA_ARCH__)
    constexpr unsigned int MOST_THREADS = 2048;
#elif __CUDA_ARCH__ == 750
    constexpr unsigned int MOST_THREADS = 1024;
#elif __CUDA_ARCH__ == 860 || __CUDA_ARCH__ == 870 || __CUDA_ARCH__ == 890
    constexpr unsigned int MOST_THREADS = 1536;
#else
    constexpr unsigned int MOST_THREADS = 2048;
#endif
    return wanted * threads > MOST_THREADS ? MOST_THREADS / threads : wanted;
}

} // namespace winnow

/* ----------------------------------------------------------------- tables */

/*
 * How a strategy offers its kernels to the host: a table by element size and
 * kind of test, with C linkage, of host stubs that lib/cuda/launch.c starts.
 * kernels/tile/shapes.h lists all tables. ... are the rows of the four sizes.
 */
#define WINNOW__TABLE(NAME, ...)                                               \
    WINNOW__FOR_HOST(NAME[WINNOW__SIZES][WINNOW__TEST_KINDS]) = {__VA_ARGS__}

/* The row of one size, from ENTRY(U, KIND), a macro. No type of one byte needs
 * a key: that kernel is not built. */
#define WINNOW__ROW_OF_BYTES(ENTRY)                                            \
    { ENTRY(uint8_t, WINNOW__INTERVAL), {}, ENTRY(uint8_t, WINNOW__BITS) }
#define WINNOW__ROW_OF(ENTRY, U)                                               \
    {                                                                          \
        ENTRY(U, WINNOW__INTERVAL), ENTRY(U, WINNOW__KEYED),                   \
            ENTRY(U, WINNOW__BITS)                                             \
    }
#define WINNOW__ROW_OF_ANY(ENTRY, U)                                           \
    { ENTRY(U, winnow::ANY), ENTRY(U, winnow::ANY), ENTRY(U, winnow::ANY) }
#define WINNOW__NO_ROW                                                         \
    {                                                                          \
        {}, {}, {                                                              \
        }                                                                      \
    }

/* All sizes: a kernel for each kind of test, or one for any kind. */
#define WINNOW__EACH_KIND(ENTRY)                                               \
    WINNOW__ROW_OF_BYTES(ENTRY), WINNOW__ROW_OF(ENTRY, uint16_t),              \
        WINNOW__ROW_OF(ENTRY, uint32_t), WINNOW__ROW_OF(ENTRY, uint64_t)
#define WINNOW__ANY_KIND(ENTRY)                                                \
    WINNOW__ROW_OF_ANY(ENTRY, uint8_t), WINNOW__ROW_OF_ANY(ENTRY, uint16_t),   \
        WINNOW__ROW_OF_ANY(ENTRY, uint32_t),                                   \
        WINNOW__ROW_OF_ANY(ENTRY, uint64_t)
