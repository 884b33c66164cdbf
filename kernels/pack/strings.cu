/*
 * The strings that a selection keeps: their offsets, and the bytes of those that
 * are not long.
 *
 * A block lists the survivors of its unit, some at a time, and adds up their
 * lengths: that is where each goes in the output, since it is known how many
 * bytes come before the unit. A unit whose output is long is left to
 * strings_parts.cu, which is the next kernel in the stream: what this one has
 * written is there for it. Blocks exchange nothing but the number of parts that
 * they have put into a list; an atomic addition gives each its own places, so
 * relaxed order suffices.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "strings.cuh"

namespace winnow::pack {

template <class Offset>
struct StringsShared {
    StringWords words;
    WarpSums<uint64_t, SINK_WARPS> sums;
    uint16_t list[STAGED_STRINGS];
    StagedStrings<Offset> staged;
    unsigned long long parts; /* before the block's own */
};

/* Words of the unit from one on: as many as have no more survivors than are
 * staged. */
__device__ __forceinline__ unsigned int end_of_slice(const StringWords &words,
                                                     unsigned int begin) {
    const unsigned int most = words.rank_of_word(begin) + STAGED_STRINGS;
    unsigned int low = begin + 1, high = StringWords::NUMBER + 1;
    while (high - low > 1) {
        const unsigned int middle = (low + high) / 2;
        if (words.rank_of_word(middle) <= most)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/*
 * Find where the strings of a list are, and where they go: those before them
 * have `bytes` bytes. Returns how many bytes they have. By all threads; ends
 * with a barrier.
 */
template <class Offset>
__device__ __forceinline__ uint64_t stage_strings(
    StringsShared<Offset> &shared, const Offset *offsets, unsigned int number,
    uint64_t bytes, const winnow__strings_args &args) {
    const unsigned int first = threadIdx.x * EACH_STRING;
    uint64_t length[EACH_STRING], mine = 0, total;
#pragma unroll
    for (unsigned int j = 0; j < EACH_STRING; j++) {
        length[j] = 0;
        if (first + j < number) {
            const unsigned int item = shared.list[first + j];
            const String<Offset> string(offsets[item], offsets[item + 1],
                                        args.size);
            shared.staged.from[first + j] = string.begin;
            length[j] = string.bytes;
        }
        mine += length[j];
    }
    uint64_t at = bytes + exclusive_sum(mine, shared.sums, &total);
#pragma unroll
    for (unsigned int j = 0; j < EACH_STRING; j++) {
        if (first + j < number)
            shared.staged.at[first + j] =
                static_cast<Offset>(min(at, args.room));
        at += length[j];
    }
    if (threadIdx.x == 0)
        shared.staged.at[number] =
            static_cast<Offset>(min(bytes + total, args.room));
    __syncthreads();
    return total;
}

/* Put the parts of a unit's output into the list. By all threads. */
__device__ __forceinline__ void put_parts(unsigned long long &shared,
                                          uint64_t bytes,
                                          const winnow__strings_args &args) {
    const uint64_t number = (bytes + args.part_bytes - 1) / args.part_bytes;
    if (threadIdx.x == 0)
        shared = atomicAdd(args.part_number,
                           static_cast<unsigned long long>(number));
    __syncthreads();
    for (uint64_t i = threadIdx.x; i < number; i += SINK_THREADS)
        args.parts[shared + i] =
            static_cast<uint64_t>(blockIdx.x) << WINNOW__LOG2_PARTS | i;
}

/* Of a multiprocessor, at least. The compiler aims at as many of its own accord,
 * and spills; told so, it does not. */
constexpr unsigned int PACK_BLOCKS = 5;

template <class Offset>
__global__ void __launch_bounds__(SINK_THREADS, PACK_BLOCKS)
    pack_strings(const __grid_constant__ winnow__strings_args args) {
    WINNOW__SHARED(shared, StringsShared<Offset>);
    const winnow__selection &from = args.from;
    Offset *const out_offsets = static_cast<Offset *>(args.out_offsets);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        out_offsets[0] = 0;
        if (args.counts != nullptr) {
            args.counts[0] = from.before[from.tiles];
            args.counts[1] = args.before[from.tiles];
        }
    }
    const StringUnit unit(from, blockIdx.x, args.tiles);
    const unsigned int strings =
        room_for(args.capacity, unit.before, unit.count);
    if (strings == 0)
        return;
    const uint64_t tile = static_cast<uint64_t>(blockIdx.x) * args.tiles;
    uint64_t bytes = args.before[tile];
    const uint64_t begin = min(bytes, args.room);
    const uint64_t end = min(
        static_cast<uint64_t>(args.before[min(tile + args.tiles, from.tiles)]),
        args.room);
    const bool is_long = end - begin > args.long_bytes;
    const StringBytes source(args.data, args.size);
    uint64_t written = begin;
    shared.words.load(from, unit);
    const Slice<StringWords> whole = whole_slice(shared.words, unit);
    unsigned int word = 0;
#pragma unroll 1
    for (unsigned int rank = 0; rank < strings;) {
        const unsigned int next = end_of_slice(shared.words, word);
        const Kept<StringWords> kept = kept_of(
            slice_from(whole, word * 32, (next - word) * 32), unit.before);
        const unsigned int number = min(kept.count, strings - rank);
        list_items(kept, shared.list);
        __syncthreads();
        bytes += stage_strings(shared,
                               static_cast<const Offset *>(args.offsets) +
                                   kept.slice.first,
                               kept.count, bytes, args);
        for (unsigned int i = threadIdx.x; i < number; i += SINK_THREADS)
            out_offsets[kept.before + i + 1] = shared.staged.at[i + 1];
        written = shared.staged.at[number];
        if (args.out != nullptr && !is_long && number != 0)
            write_strings(shared.staged, number, source, args.out);
        __syncthreads();
        rank += kept.count;
        word = next;
    }
    if (args.out != nullptr && is_long)
        put_parts(shared.parts, written - begin, args);
}

} // namespace winnow::pack

/* Of offsets of 4 and of 8 bytes. */
extern "C" const winnow__kernel winnow__pack_strings[2];
const winnow__kernel winnow__pack_strings[2] = {
    WINNOW__SINK(winnow::pack::pack_strings<uint32_t>),
    WINNOW__SINK(winnow::pack::pack_strings<unsigned long long>)};
