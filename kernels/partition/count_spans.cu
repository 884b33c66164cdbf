/*
 * partition_by_key, two passes in the input's order: counts once for both.
 *
 * A block counts the items of all parts in its span, a few neighbouring chunks
 * of the first pass. These counts are a row of a table. After each chunk the
 * parts of a digit are summed up: the chunk's row of the first pass's table.
 *
 * The upper digit comes first. In the output of the first pass the items of a
 * digit, a segment, lie in the order of their spans. The second pass begins its
 * chunks where a span begins in a segment: so the sums over the rows of the
 * spans before say where its digits begin, and it need not count.
 *
 * Order of memory: each entry of a table is one thread's, and later kernels
 * read.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "part_counts.cuh"
#include "read.cuh"
#include "scan.cuh"

namespace winnow {
namespace partition {

constexpr unsigned int PARTS_THREADS = WINNOW__PARTITION_PARTS_THREADS;

/* The row of a chunk: its counts are those of the span so far less those
 * `before`. By a warp for each digit. */
__device__ __forceinline__ void write_row(const winnow__partition_args &args,
                                          const uint32_t *counts,
                                          uint32_t *before,
                                          unsigned int chunk) {
    unsigned long long *const row = args.table + uint64_t(chunk) * args.row;
    for (unsigned int d = warp_id(); d < args.row; d += PARTS_THREADS / WARP) {
        const unsigned int first = d * args.parts_of_digit;
        const unsigned int end = min(first + args.parts_of_digit, args.parts);
        uint32_t sum = 0;
        for (unsigned int p = first + lane_id(); p < end; p += WARP)
            sum += counts[p];
        sum = __shfl_sync(ALL_LANES, inclusive_sum(sum), WARP - 1);
        if (lane_id() == 0) {
            row[d] = sum - before[d];
            before[d] = sum;
        }
    }
}

template <class Key>
__global__ void __launch_bounds__(PARTS_THREADS)
    count_spans(const __grid_constant__ winnow__partition_args args) {
    WINNOW__DYNAMIC_SHARED(shared);
    uint32_t *const before = reinterpret_cast<uint32_t *>(shared);
    uint32_t *const counts = before + WINNOW__PARTITION_DIGITS;
    trigger_dependents();
    const unsigned int span = blockIdx.x;
    clear_counts<PARTS_THREADS>(counts, args.parts);
    clear_counts<PARTS_THREADS>(before, args.row);
    wait_for_stream();
    const Digit<Key> digit_of(args);
    const unsigned int first = span * args.span_chunks;
    const unsigned int end = min(first + args.span_chunks, args.chunks);
    for (unsigned int chunk = first; chunk < end; chunk++) {
        __syncthreads(); /* the chunk before has been summed up */
        for_each_item<PARTS_THREADS>(
            args, digit_of, Chunk(args, chunk),
            [&](Key key) { atomicAdd(&counts[digit_of.part(key)], 1u); });
        __syncthreads();
        write_row(args, counts, before, chunk);
    }
    uint32_t *const row = args.part_rows + uint64_t(span) * args.parts;
    for (unsigned int p = threadIdx.x; p < args.parts; p += PARTS_THREADS)
        row[p] = counts[p];
}

__global__ void __launch_bounds__(SCAN_THREADS)
    scan_spans(const __grid_constant__ winnow__partition_args args) {
    WINNOW__SHARED(sums, ScanSums);
    trigger_dependents();
    wait_for_stream();
    scan_rows(args.part_rows, args.spans, args.parts, args.part_items, sums);
}

/*
 * By a block for each chunk of the second pass, after cut(): the chunk begins
 * at the first span that has so many of the segment's items before it, or at
 * the end of the segment. So a chunk has a span's share of a segment more than
 * others at most, and may have none.
 */
constexpr unsigned int PLACE_THREADS = WINNOW__PARTITION_DIGITS;

__global__ void __launch_bounds__(PLACE_THREADS)
    place_chunks(const __grid_constant__ winnow__partition_args args) {
    trigger_dependents();
    wait_for_stream();
    const unsigned int chunk = blockIdx.x, thread = threadIdx.x;
    const unsigned int chunks = args.first_chunk[args.segments];
    if (chunk >= chunks) {
        if (chunk == chunks && thread == 0)
            args.chunk_begins[chunk] = args.segment_offsets[args.segments];
        return;
    }
    /* The last segment that begins at the chunk or before: not an empty one. */
    const unsigned int segment =
        __syncthreads_count(thread < args.segments &&
                            args.first_chunk[thread] <= chunk) -
        1;
    const uint64_t items = uint64_t(args.first_chunk[args.segments + 1]) *
                           args.tile_items *
                           (chunk - args.first_chunk[segment]);
    const auto begin_of_span = [&](unsigned int span) {
        return args
            .first_table[uint64_t(span) * args.span_chunks * args.segments +
                         segment];
    };
    unsigned int span = 0;
    for (unsigned int s = 0; s < args.spans; s += PLACE_THREADS)
        span += __syncthreads_count(s + thread < args.spans &&
                                    begin_of_span(s + thread) < items);
    if (thread == 0)
        args.chunk_begins[chunk] =
            span < args.spans
                ? args.segment_offsets[segment] + begin_of_span(span)
                : args.segment_offsets[segment + 1];
    const unsigned int part =
        segment * args.parts_of_segment + thread * args.parts_of_digit;
    if (thread < args.row)
        args.table[uint64_t(chunk) * args.row + thread] =
            part < args.parts && span < args.spans
                ? args.part_begins[part] +
                      args.part_rows[uint64_t(span) * args.parts + part]
                : 0; /* there are no such items */
}

} // namespace partition
} // namespace winnow

#define COUNT_SPANS(KEY)                                                       \
    WINNOW__ENTRY(winnow::partition::PARTS_THREADS, 0, 0,                      \
                  WINNOW__PARTITION_DIGITS * 4,                                \
                  winnow::partition::count_spans<KEY>)
const winnow__kernel winnow__partition_count_spans[2] = {COUNT_SPANS(uint32_t),
                                                         COUNT_SPANS(uint64_t)};
const winnow__kernel winnow__partition_scan_spans = WINNOW__ENTRY(
    winnow::partition::SCAN_THREADS, 0, 0, 0, winnow::partition::scan_spans);
const winnow__kernel winnow__partition_place_chunks = WINNOW__ENTRY(
    winnow::partition::PLACE_THREADS, 0, 0, 0, winnow::partition::place_chunks);
