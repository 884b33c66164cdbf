/*
 * Copies the bytes of long units of strings, in parts of equal size: one string
 * may be as long as all others together.
 *
 * strings.cu, the previous kernel in the stream, has written the offsets and
 * the list of parts. A block finds the strings of a part by a search in these
 * offsets, and the item of each string by its rank.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "places.cuh"
#include "strings.cuh"

namespace winnow::pack {

template <class Offset>
struct PartsShared {
    StringWords words;
    StagedStrings<Offset> staged;
    unsigned int first, end;
};

/* The number of ascending offsets before a byte or, if and_at, before or at it.
 * By all lanes of a warp, which compare 32 offsets in each round. */
template <class Offset>
__device__ __forceinline__ unsigned int count_before(const Offset *offsets,
                                                     unsigned int number,
                                                     Offset byte, bool and_at) {
    unsigned int low = 0, high = number; /* the result is from low to high */
    while (low < high) {
        const unsigned int step = (high - low + WARP - 1) / WARP;
        const unsigned int i = low + (lane_id() + 1) * step - 1;
        bool before = false;
        if (i < high) {
            const Offset offset = offsets[i];
            before = offset < byte || (and_at && offset == byte);
        }
        low += __popc(__ballot_sync(ALL_LANES, before)) * step;
        high = min(high, low + step - 1);
    }
    return low;
}

/* The item of a unit's survivor with a rank. */
__device__ __forceinline__ unsigned int item_of(const StringWords &words,
                                                unsigned int rank) {
    unsigned int low = 0, high = StringWords::NUMBER;
    while (high - low > 1) {
        const unsigned int middle = (low + high) / 2;
        if (words.rank_of_word(middle) <= rank)
            low = middle;
        else
            high = middle;
    }
    return low * 32 + select_bit(words.keep_from(low * 32),
                                 rank - words.rank_of_word(low));
}

template <class Offset>
__device__ __forceinline__ void copy_part(PartsShared<Offset> &shared,
                                          uint64_t number,
                                          const winnow__strings_args &args) {
    const uint64_t unit_number = number >> WINNOW__LOG2_PARTS;
    const uint64_t part = number & ((UINT64_C(1) << WINNOW__LOG2_PARTS) - 1);
    const StringUnit unit(args.from, unit_number, args.tiles);
    const unsigned int strings =
        room_for(args.capacity, unit.before, unit.count);
    const Offset *const offsets =
        static_cast<const Offset *>(args.offsets) + unit.first;
    const Offset *const at =
        static_cast<const Offset *>(args.out_offsets) + unit.before;
    const Offset begin = at[0] + static_cast<Offset>(part * args.part_bytes);
    const Offset end =
        min(begin + static_cast<Offset>(args.part_bytes), at[strings]);
    StringOutput<Offset> output(shared.staged, args, begin);
    shared.words.load(args.from, unit);
    if (warp_id() == 0) {
        const unsigned int first = count_before(at, strings, begin, true) - 1;
        if (lane_id() == 0)
            shared.first = first;
    } else if (warp_id() == 1) {
        const unsigned int last = count_before(at, strings, end, false);
        if (lane_id() == 0)
            shared.end = last;
    }
    __syncthreads();
#pragma unroll 1
    for (unsigned int rank = shared.first; rank < shared.end;
         rank += STAGED_STRINGS) {
        const unsigned int here = min(STAGED_STRINGS, shared.end - rank);
        for (unsigned int i = threadIdx.x; i < here; i += SINK_THREADS) {
            const unsigned int item = item_of(shared.words, rank + i);
            const String<Offset> string(offsets[item], offsets[item + 1],
                                        args.size);
            const Offset starts = at[rank + i];
            const Offset before = starts < begin ? begin - starts : 0;
            shared.staged.at[i] = starts + before;
            shared.staged.from[i] = string.begin + before;
        }
        if (threadIdx.x == 0)
            shared.staged.at[here] = min(at[rank + here], end);
        __syncthreads();
        output.add(here, false);
        __syncthreads();
    }
    output.finish();
}

/* See PACK_BLOCKS of strings.cu. */
constexpr unsigned int PARTS_BLOCKS = 6;

template <class Offset>
__global__ void __launch_bounds__(SINK_THREADS, PARTS_BLOCKS)
    pack_string_parts(const __grid_constant__ winnow__strings_args args) {
    WINNOW__SHARED(shared, PartsShared<Offset>);
    const uint64_t number = *args.part_number;
    StringOutput<Offset>::clear(shared.staged);
#pragma unroll 1
    for (uint64_t i = blockIdx.x; i < number; i += gridDim.x)
        copy_part(shared, args.parts[i], args);
}

} // namespace winnow::pack

/* Offsets of 4 and of 8 bytes. */
WINNOW__FOR_HOST(winnow__pack_string_parts[2]) = {
    WINNOW__SINK(winnow::pack::pack_string_parts<uint32_t>),
    WINNOW__SINK(winnow::pack::pack_string_parts<unsigned long long>)};
