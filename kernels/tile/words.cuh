/*
 * Bytes staged word by word, in any order.
 *
 * If a tile were staged byte by byte, each byte would take a store, and lanes
 * that write far apart would have bank conflicts; that was most of the time.
 * Here each thread collects its survivors in a register, and stores the
 * register when it is full. The last bytes, three at most, are stored behind
 * the words of all threads.
 *
 * A thread takes eight items at a time. A table of 256 entries, one for each
 * mask of kept items, has the operand by which PRMT packs the kept bytes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "stage.cuh"

namespace winnow::tile {

/* Permutations of eight bytes, by mask: the bytes whose bit is set come first.
 * Four bits select a byte; each of two instructions takes 16 bits. */
struct Permutations {
    uint32_t of[256];
};

constexpr Permutations make_permutations() {
    Permutations all{};
    for (unsigned int mask = 0; mask < 256; mask++) {
        unsigned int kept = 0;
        for (unsigned int i = 0; i < 8; i++)
            if (mask >> i & 1)
                all.of[mask] |= i << 4 * kept++;
    }
    return all;
}

__device__ constexpr Permutations PERMUTATIONS = make_permutations();

/* All threads of a block call this before a barrier; `all` is shared memory. */
template <unsigned int THREADS>
__device__ __forceinline__ void fetch_permutations(Permutations &all) {
    static_assert(THREADS >= 256, "a thread for each");
    if (THREADS == 256 || threadIdx.x < 256)
        all.of[threadIdx.x] = PERMUTATIONS.of[threadIdx.x];
}

/* The lower bits of a weight count whole words, the upper bits other bytes. */
template <class TileType>
class WordRank {
    using Counts = WarpCounts<TileType::THREADS>;
    static constexpr unsigned int BITS = 16;
    static constexpr unsigned int WORDS = (1u << BITS) - 1;
    static_assert(TileType::ITEMS / 4 <= WORDS,
                  "a tile's words can be counted");

  public:
    unsigned int total; /* survivors of the whole tile */

    __device__ __forceinline__ static unsigned int
    weight(const TileType &tile) {
        const unsigned int kept = tile.kept();
        return kept / 4 | kept % 4 << BITS;
    }

    __device__ __forceinline__ static unsigned int
    survivors(unsigned int weights) {
        return (weights & WORDS) * 4 + (weights >> BITS);
    }

    __device__ __forceinline__ WordRank(const TileType &tile,
                                        const Counts &counts)
        : all_(counts.total()), warps_(counts.before()) {
        total = survivors(all_);
    }

    /* The places where this thread's words and its other bytes begin. */
    __device__ __forceinline__ void rank(const TileType &tile,
                                         unsigned int &words,
                                         unsigned int &others) const {
        const unsigned int mine = weight(tile);
        const unsigned int before = warps_ + inclusive_sum(mine) - mine;
        words = (before & WORDS) * 4;
        others = (all_ & WORDS) * 4 + (before >> BITS);
    }

  private:
    unsigned int all_, warps_; /* weights: of the tile, of lower warps */
};

/*
 * If lanes keep all items, each lane's words begin VECTORS vectors behind those
 * of the lane before. If VECTORS is odd, every eighth lane begins in the same
 * bank; if it is even, more lanes do. Then a skew is faster: lanes begin some
 * vectors later, and wrap around.
 */
template <class TileType>
__device__ __forceinline__ bool words_need_skew(const TileType &tile) {
    if constexpr (TileType::VECTORS % 2 != 0)
        return false;
    const unsigned int whole = __ballot_sync(
        ALL_LANES, tile.kept() == TileType::VECTORS * TileType::EACH);
    return __popc(whole) >= WARP / 4;
}

/* This lane's skew: the number of its vectors that wrap around. */
template <class TileType>
__device__ __forceinline__ unsigned int word_skew() {
    constexpr unsigned int VECTORS = TileType::VECTORS;
    /* The largest power of two that divides VECTORS. */
    constexpr unsigned int SKEWS = VECTORS & (~VECTORS + 1);
    static_assert(SKEWS <= 8, "the banks hold eight vectors");
    return (WARP - lane_id() / (8 / SKEWS)) % SKEWS;
}

/*
 * Stage a thread's survivors, from `words` and `others` on. The words of the
 * last `skew` vectors come first.
 *
 * The compiler cannot know that the stores do not change the table, and would
 * not move a load from it before a store. So it is read one step ahead.
 */
template <class TileType>
__device__ __forceinline__ void
stage_words(uint8_t *staged, unsigned int words, unsigned int others,
            const Permutations &permutations, const TileType &tile,
            unsigned int skew) {
    const auto word_at = [&](unsigned int at) -> uint32_t & {
        return *reinterpret_cast<uint32_t *>(staged + at);
    };
    constexpr unsigned int HALVES = 2 * TileType::VECTORS;
    const auto look_up = [&](unsigned int i) {
        const uint32_t keep = tile.keep[i / 2];
        /* Four times the mask: the offset of the table's entry in bytes. */
        const uint32_t mask = (i % 2 == 0 ? keep << 2 : keep >> 6) & 0xff << 2;
        return permutations.of[mask / 4];
    };
    uint32_t next = look_up(0);
    /* The end % 4 bytes that are not yet stored: in the low bytes of `rest`,
       and in the high bytes of `queue`, from which they are shifted. */
    uint32_t rest = 0, queue = 0;
    unsigned int early = 0;
#pragma unroll
    for (unsigned int k = 0; k < TileType::VECTORS; k++)
        early += k + skew < TileType::VECTORS ? __popc(tile.keep[k]) : 0;
    unsigned int end = words + (tile.kept() / 4 - early / 4) * 4;
#pragma unroll
    for (unsigned int i = 0; i < HALVES; i++) {
        if (i % 2 == 0 && i / 2 + skew == TileType::VECTORS)
            end = words + end % 4;
        const uint4 &v = tile.vector[i / 2];
        const uint32_t low = i % 2 == 0 ? v.x : v.z;
        const uint32_t high = i % 2 == 0 ? v.y : v.w;
        const uint32_t keep = tile.keep[i / 2];
        const uint32_t permutation = next;
        if (i + 1 < HALVES)
            next = look_up(i + 1);
        const uint32_t first = permute(low, high, permutation);
        const uint32_t second = permute(low, high, permutation >> 16);
        const uint32_t word[3] = {__funnelshift_l(queue, first, 8 * end),
                                  __funnelshift_l(first, second, 8 * end),
                                  __funnelshift_l(second, 0, 8 * end)};
        const unsigned int from = end & ~3u;
        end += __popc(i % 2 == 0 ? keep & 0xff : keep >> 8);
        const unsigned int full = (end & ~3u) - from; /* bytes */
        if (full != 0)
            word_at(from) = word[0];
        if (full == 8)
            word_at(from + 4) = word[1];
        rest = full == 8 ? word[2] : full != 0 ? word[1] : word[0];
        queue = __funnelshift_r(0, rest, 8 * end);
    }
    for (unsigned int i = 0; i < 3; i++)
        if (i < end % 4)
            staged[others + i] = static_cast<uint8_t>(rest >> 8 * i);
}

/* Stage few survivors, one by one: first the kept() % 4 other bytes. Warps of
 * one tile may use either function, so both stage to the same places. */
template <class TileType>
__device__ __forceinline__ void stage_few(uint8_t *staged, unsigned int words,
                                          unsigned int others,
                                          const TileType &tile) {
    unsigned int at = others, left = tile.kept() % 4;
#pragma unroll
    for (unsigned int k = 0; k < TileType::VECTORS; k++)
        for (uint32_t keep = tile.keep[k]; keep != 0; keep &= keep - 1) {
            if (left-- == 0)
                at = words;
            staged[at++] =
                select_item<uint8_t>(tile.vector[k], __ffs(keep) - 1);
        }
}

/* Stage a tile's survivors, in any order: see stage() in stage.cuh. */
template <class Tuning, class TileType>
__device__ __forceinline__ void
stage_any(uint8_t *staged, const Permutations &permutations,
          const TileType &tile, const WordRank<TileType> &rank) {
    if (rank.total == TileType::ITEMS) {
        stage_all(staged, tile);
        return;
    }
    unsigned int words, others;
    rank.rank(tile, words, others);
    if (is_sparse<Tuning>(tile, rank.total))
        stage_few(staged, words, others, tile);
    else if (words_need_skew(tile))
        stage_words(staged, words, others, permutations, tile,
                    word_skew<TileType>());
    else
        stage_words(staged, words, others, permutations, tile, 0);
}

} // namespace winnow::tile
