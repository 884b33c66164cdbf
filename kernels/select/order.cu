/*
 * The order of a program's tests on a device: one block tests a sample of the
 * items and writes the operations for the next kernel. The end of this kernel
 * comes before the beginning of that one, so no other release is needed.
 *
 * The sample has one word of 32 neighbours from a hashed place in each of equal
 * parts of the items (kernels/core/sample.h says why). All warps test a few
 * words of a leaf at a time; then the first one computes the order.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "where_sets.cuh"

#include "kernels/core/sample.h"

#define WINNOW__ORDER_FUNCTION static __device__ inline
#define WINNOW__ORDER_STEP static __device__ WINNOW__NOINLINE
#define WINNOW__ORDER_UNROLL _Pragma("unroll")
#define WINNOW__ORDER_LANES 32
#define WINNOW__ORDER_LANE winnow::lane_id()
#define WINNOW__ORDER_SUM(x) winnow::sum(x)
#define WINNOW__ORDER_ONES(x) static_cast<unsigned int>(__popc(x))
#include "order.h"

namespace winnow::select {

constexpr unsigned int ORDER_THREADS = 1024;
constexpr unsigned int ORDER_WARPS = ORDER_THREADS / WARP;
constexpr unsigned int SECTOR = 32; /* bytes that are read together */

/* The word of part w: its first item, and which of its items exist. */
struct Word {
    uint64_t first;
    uint32_t inside;

    __device__ __forceinline__ Word(uint64_t n, unsigned int w)
        : first(static_cast<uint64_t>(w) * WARP) {
        const uint64_t part = n / WINNOW__ORDER_WORDS;
        if (part > WARP)
            first = (w * part + winnow__mix(w) % (part - WARP)) / WARP * WARP;
        const uint64_t left = n > first ? n - first : 0;
        inside = winnow__bits_inside(
            0, left < WARP ? static_cast<unsigned int>(left) : WARP);
    }
};

template <class U>
__device__ __forceinline__ U load(const winnow__where_column &column,
                                  uint64_t item) {
    const unsigned char *const at = column.first + item * column.stride;
    return column.access == WINNOW__BY_BYTES
               ? load_element<U, WINNOW__BY_BYTES>(at)
               : load_element<U, WINNOW__BY_ELEMENTS>(at);
}

constexpr unsigned int BATCH = 4; /* words whose loads are in flight */
constexpr unsigned int BATCHES = WINNOW__ORDER_WORDS / BATCH;

/* Find which items pass in a batch of words, from word `first` on. */
template <class U>
__device__ __forceinline__ void test_batch(const TestsOrSet &leaf, bool negated,
                                           uint64_t n, unsigned int first,
                                           uint32_t *words) {
    U element[BATCH];
    bool passes[BATCH];
#pragma unroll
    for (unsigned int k = 0; k < BATCH; k++) {
        const Word word(n, first + k);
        element[k] = 0;
        passes[k] = false;
        if ((word.inside >> lane_id() & 1) != 0)
            element[k] = load<U>(leaf.column, word.first + lane_id());
    }
    leaf.visit_elements<U>([&](const auto &test) {
#pragma unroll
        for (unsigned int k = 0; k < BATCH; k++)
            passes[k] |= test(element[k]);
    });
#pragma unroll
    for (unsigned int k = 0; k < BATCH; k++) {
        const uint32_t word = __ballot_sync(ALL_LANES, passes[k] != negated);
        if (lane_id() == k)
            words[first + k] = word;
    }
}

/* The same for a column of bits: all words of the sample. */
__device__ __forceinline__ void
test_sample_of_bits(const winnow__where_column &column,
                    const winnow__where_leaf &leaf, uint64_t n,
                    uint32_t *words) {
    const BitWords bits(column.first + leaf.first * column.stride, column.skip,
                        n);
    for (unsigned int w = lane_id(); w < WINNOW__ORDER_WORDS; w += WARP) {
        const Word word(n, w);
        const uint32_t pass = word.inside != 0 ? bits.bits(word.first) : 0;
        words[w] = leaf.negated ? ~pass : pass;
    }
}

/* Elements are read in sectors, contiguous or not. Bits are read in words: most
 * other words of a sector are read, too. */
__device__ __forceinline__ winnow__order_price
price_of(const winnow__where_column &column) {
    if (column.access == WINNOW__BY_BITS)
        return {sizeof(uint32_t), 5};
    const int64_t stride = static_cast<int64_t>(column.stride);
    const uint64_t bytes = stride < 0 ? -column.stride : column.stride;
    unsigned int log2_items = 0;
    while (log2_items < 5 && (bytes << (log2_items + 1)) <= SECTOR)
        log2_items++;
    return {static_cast<float>(SECTOR), log2_items};
}

__global__ void __launch_bounds__(ORDER_THREADS)
    order_where(const __grid_constant__ winnow__select_where_args args) {
    WINNOW__SHARED(sample, winnow__order_sample);
    const Lists program(args, nullptr);
    const uint64_t n = items_looked_at(args);
    if (threadIdx.x < WINNOW__ORDER_WORDS)
        sample.inside[threadIdx.x] = Word(n, threadIdx.x).inside;
    for (unsigned int batch = warp_id(); batch < args.leaves * BATCHES;
         batch += ORDER_WARPS) {
        const unsigned int i = batch / BATCHES, first = batch % BATCHES * BATCH;
        const winnow__where_leaf &leaf = program.leaf(i);
        const winnow__where_column &column = program.column(leaf.column);
        const TestsOrSet tests(program, leaf, {program.sets(), nullptr});
        if (lane_id() == 0 && first == 0) {
            sample.price[i] = price_of(column);
            sample.price[i].price *= winnow__order_work(&leaf);
        }
        if (column.access == WINNOW__BY_BITS) {
            test_sample_of_bits(column, leaf, n, sample.words[i]);
            continue;
        }
        switch (column.log2_size) {
        case 0:
            test_batch<uint8_t>(tests, leaf.negated, n, first, sample.words[i]);
            break;
        case 1:
            test_batch<uint16_t>(tests, leaf.negated, n, first,
                                 sample.words[i]);
            break;
        case 2:
            test_batch<uint32_t>(tests, leaf.negated, n, first,
                                 sample.words[i]);
            break;
        default:
            test_batch<uint64_t>(tests, leaf.negated, n, first,
                                 sample.words[i]);
        }
    }
    __syncthreads(); /* all warps have written the sample */
    if (warp_id() != 0)
        return;
    uint16_t op[WINNOW__ORDER_OPS];
    const unsigned int ops =
        winnow__order_ops(&sample, args.lists.op, args.ops, op);
    for (unsigned int i = lane_id(); i < ops; i += WARP)
        args.order[1 + i] = op[i];
    if (lane_id() == 0)
        args.order[0] = static_cast<uint16_t>(ops);
}

} // namespace winnow::select

WINNOW__FOR_HOST(winnow__order_where) = WINNOW__ENTRY(
    winnow::select::ORDER_THREADS, 0, 0, 0, winnow::select::order_where);
