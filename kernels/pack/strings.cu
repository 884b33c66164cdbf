/*
 * Packs a selection's strings: all offsets, and the bytes of short units.
 *
 * A block lists the survivors of its unit, some at a time, and scans their
 * lengths. With the number of bytes before the unit, this gives each string's
 * place in the output. A unit with a long output is left to strings_parts.cu,
 * the next kernel in the stream, which reads what this one has written. Blocks
 * exchange only the number of parts in a list. An atomic addition gives each
 * block its places there, so relaxed order suffices.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "strings.cuh"

namespace winnow::pack {

template <class Offset>
struct StringsShared {
    StringWords words;
    Offset sums[SINK_WARPS];
    alignas(8) uint16_t list[STAGED_STRINGS];
    StagedStrings<Offset> staged;
    unsigned long long parts; /* parts in the list before the block's */
};

/* The end of words from `begin` on with up to STAGED_STRINGS survivors. */
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

/* Sums of lengths in 32 bits saturate at the largest offset. */
template <class Offset>
struct PlusLength {
    __device__ __forceinline__ Offset operator()(Offset a, Offset b) const {
        if constexpr (sizeof(Offset) == 4)
            return min(a + b, static_cast<Offset>(INT32_MAX));
        else
            return a + b;
    }
};

/* Sums x over the threads before this one, and over all; it has a barrier. */
template <class Offset>
__device__ __forceinline__ Offset lengths_before(Offset x,
                                                 Offset (&sums)[SINK_WARPS],
                                                 Offset *total_p) {
    const PlusLength<Offset> plus;
    const Offset upto = device::scan_full_warp(x, lane_id(), plus);
    Offset before = __shfl_up_sync(ALL_LANES, upto, 1), all = 0;
    if (lane_id() == 0)
        before = 0;
    if (lane_id() == WARP - 1)
        sums[warp_id()] = upto;
    __syncthreads();
#pragma unroll
    for (unsigned int w = 0; w < SINK_WARPS; w++) {
        if (w == warp_id())
            before = plus(before, all);
        all = plus(all, sums[w]);
    }
    *total_p = all;
    return before;
}

/*
 * Stages the listed strings: where each of them is, and where it goes in the
 * output. The output continues at byte *end_p; *end_p becomes its new end, at
 * most args.room. Returns whether each string fits in a piece. Ends with a
 * barrier.
 */
template <class Offset>
__device__ __forceinline__ bool
stage_strings(StringsShared<Offset> &shared, const Offset *offsets,
              unsigned int number, Offset *end_p,
              const winnow__strings_args &args) {
    const PlusLength<Offset> plus;
    const unsigned int first = threadIdx.x * EACH_STRING;
    const uint2 listed =
        reinterpret_cast<const uint2 *>(shared.list)[threadIdx.x];
    const uint32_t list[2] = {listed.x, listed.y};
    Offset from[EACH_STRING], length[EACH_STRING], mine = 0, all;
    bool is_long = false;
    static_assert(EACH_STRING == 4, "a list has two words of each thread");
#pragma unroll
    for (unsigned int j = 0; j < EACH_STRING; j++) { /* all are in flight */
        from[j] = length[j] = 0;
        if (first + j < number) {
            const unsigned int item = list[j / 2] >> 16 * (j % 2) & 0xffff;
            from[j] = offsets[item];
            length[j] = offsets[item + 1];
        }
    }
#pragma unroll
    for (unsigned int j = 0; j < EACH_STRING; j++) {
        const String<Offset> string(from[j], length[j], args.size);
        shared.staged.from[first + j] = string.begin;
        length[j] = string.bytes;
        is_long |= string.bytes > PIECE_BYTES;
        mine = plus(mine, string.bytes);
    }
    const Offset room = static_cast<Offset>(args.room);
    Offset at = plus(*end_p, lengths_before(mine, shared.sums, &all));
#pragma unroll
    for (unsigned int j = 0; j < EACH_STRING; j++) {
        shared.staged.at[first + j] = min(at, room);
        at = plus(at, length[j]);
    }
    *end_p = min(plus(*end_p, all), room);
    if (threadIdx.x == SINK_THREADS - 1)
        shared.staged.at[STAGED_STRINGS] = *end_p;
    return !__syncthreads_or(is_long);
}

/* Adds the parts of a unit's output to the list. By all threads. */
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

/* The least number of blocks on a multiprocessor. Without it the compiler aims
 * at the same number, and spills. */
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
    const uint64_t begin =
        min(static_cast<uint64_t>(args.before[tile]), args.room);
    const uint64_t end = min(
        static_cast<uint64_t>(args.before[min(tile + args.tiles, from.tiles)]),
        args.room);
    const bool is_long = end - begin > args.long_bytes;
    const bool is_copied = args.out != nullptr && !is_long;
    StringOutput<Offset> output(shared.staged, args,
                                static_cast<Offset>(begin));
    Offset staged = static_cast<Offset>(begin), written = staged;
    if (is_copied)
        output.clear(shared.staged);
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
        const bool are_short = stage_strings(
            shared,
            static_cast<const Offset *>(args.offsets) + kept.slice.first,
            kept.count, &staged, args);
        for (unsigned int i = threadIdx.x; i < number; i += SINK_THREADS)
            out_offsets[kept.before + i + 1] = shared.staged.at[i + 1];
        written = shared.staged.at[number];
        if (is_copied && number != 0)
            output.add(number, are_short);
        __syncthreads();
        rank += kept.count;
        word = next;
    }
    if (is_copied)
        output.finish();
    else if (args.out != nullptr)
        put_parts(shared.parts, written - begin, args);
}

} // namespace winnow::pack

/* Offsets of 4 and of 8 bytes. */
WINNOW__FOR_HOST(winnow__pack_strings[2]) = {
    WINNOW__SINK(winnow::pack::pack_strings<uint32_t>),
    WINNOW__SINK(winnow::pack::pack_strings<unsigned long long>)};
