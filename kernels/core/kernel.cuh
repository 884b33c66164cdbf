/*
 * The parts that all kernels share: overlap with other kernels in the stream,
 * arguments, and tables of kernels for the host.
 *
 * Kernels overlap by programmatic dependent launch. With compute capability 9.0
 * a kernel may begin while the previous kernel in the stream still runs. It
 * waits before it accesses memory that earlier kernels write.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "args.h"
#include "ptx.cuh"

namespace winnow {

/* ---------------------------------------------------------------- overlap */

/*
 * Called before the first access to memory of the caller. The kernel that
 * clears the workspace waits for the caller's kernels. After that kernel
 * (after_clear) the next one does not wait here, but before it uses the
 * workspace.
 */
__device__ __forceinline__ void wait_for_input(const winnow__args &args) {
    if (!args.after_clear)
        wait_for_stream();
}

/* Trigger the next kernel's launch, if the host has decided that it begins
 * early (lib/tile/small.c). */
__device__ __forceinline__ void
trigger_dependents_early(const winnow__args &args) {
    if (args.trigger_early)
        trigger_dependents();
}

/* ------------------------------------------------------------------ items */

/*
 * The number of items, at most n. *items is the caller's number, which may be
 * greater. *items counts records of RECORD items each.
 *
 * The kernel reads *items after it has waited for the caller's kernels. No
 * kernel that runs at the same time writes *items. If the call's count is the
 * same word, the kernel writes the count elsewhere, and a later kernel copies
 * it (deliver.cu). So any thread may read *items at any time.
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

/* The beginning of the output, and the number of elements that it has room for.
 * *position is read like *items. */
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

/* Write the number of items that pass. One thread of the call does this. */
__device__ __forceinline__ void store_count(const winnow__args &args,
                                            uint64_t count) {
    if (args.sink.count != nullptr)
        *args.sink.count = count;
}

/* ----------------------------------------------------------------- choice */

/*
 * Was another candidate chosen? Then the block ends before it reads the input
 * or writes anything.
 *
 * An earlier kernel in the stream stored the decision (kernels/auto/choose.cu),
 * and ended before the wait returns. Candidates that were not chosen wait, too.
 * So the kernels behind a candidate come after all kernels before it.
 */
__device__ __forceinline__ bool is_other_chosen(const winnow__args &args) {
    wait_for_stream();
    return load_relaxed(&args.cursor->decision) != args.candidate;
}

/* Called at the beginning of a kernel: does this launch have nothing to do?
 * Kernels of striped tiles ask when they load a tile. */
__device__ __forceinline__ bool is_passed_over(const winnow__args &args) {
    return args.candidate != 0 && is_other_chosen(args);
}

/* -------------------------------------------------------------- arguments */

/*
 * Fetch the arguments that the loads do not need. The compiler delays a fetch
 * until the first use, where threads would wait for it. Between a tile's loads
 * and their use they do not wait. The test of two arguments makes the compiler
 * fetch them here. It never succeeds.
 */
__device__ __forceinline__ void fetch_arguments(const winnow__args &args) {
    const bool misaligned = reinterpret_cast<uintptr_t>(args.chosen) % 2 != 0;
    if (misaligned || args.strategy < 0)
        __trap();
}

/* Write the strategy that runs, if the caller wants it. */
__device__ __forceinline__ void report_strategy(const winnow__args &args) {
    if (args.chosen != nullptr && blockIdx.x == 0 && threadIdx.x == 0)
        *args.chosen = args.strategy;
}

/* The second argument of __launch_bounds__: `wanted` blocks of `threads`
 * threads on a multiprocessor, or fewer if fewer fit. */
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
 * The table of a strategy's kernels, by element size and kind of test. It has C
 * linkage. lib/cuda/launch.c launches its kernels, and kernels/tile/shapes.h
 * lists all tables. The arguments behind NAME are the rows of the four sizes.
 */
#define WINNOW__TABLE(NAME, ...)                                               \
    WINNOW__FOR_HOST(NAME[WINNOW__SIZES][WINNOW__TEST_KINDS]) = {__VA_ARGS__}

/* The row of one size. ENTRY(U, KIND) is a macro that makes an entry. No type
 * of one byte needs a key, so that kernel is not built. */
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

/* The rows of all sizes: a kernel for each kind of test, or one for any
 * kind. */
#define WINNOW__EACH_KIND(ENTRY)                                               \
    WINNOW__ROW_OF_BYTES(ENTRY), WINNOW__ROW_OF(ENTRY, uint16_t),              \
        WINNOW__ROW_OF(ENTRY, uint32_t), WINNOW__ROW_OF(ENTRY, uint64_t)
#define WINNOW__ANY_KIND(ENTRY)                                                \
    WINNOW__ROW_OF_ANY(ENTRY, uint8_t), WINNOW__ROW_OF_ANY(ENTRY, uint16_t),   \
        WINNOW__ROW_OF_ANY(ENTRY, uint32_t),                                   \
        WINNOW__ROW_OF_ANY(ENTRY, uint64_t)
