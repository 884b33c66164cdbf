/*
 * A sink decides what is written for each survivor. Values writes the item;
 * Indices writes its index in the input, as a word of 4 or 8 bytes.
 *
 * A sink decides what a block stages in shared memory, and scatters it. No
 * other code depends on the elements of the output.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "scatter.cuh"
#include "words.cuh"

namespace winnow::tile {

template <class U_>
struct Values {
    using U = U_;
    using Staged = U;

    /* What is staged for item number `local` of the tile. */
    __device__ __forceinline__ static Staged make(U item, unsigned int) {
        return item;
    }

    /* Write one survivor, item number `index` of the array. */
    __device__ __forceinline__ static void
    scatter(const winnow__args &args, uint64_t offset, U item, uint64_t) {
        if (offset < room_of(args))
            __stcs(output_of<U>(args) + offset, item);
    }

    /* Stage a tile's survivors at their ranks. */
    template <class Tuning, class TileType, class Rank>
    __device__ __forceinline__ static void
    stage(Staged *staged, const TileType &tile, Rank &rank) {
        winnow::tile::stage<Tuning>(staged, tile, rank);
    }

    /* All threads of a block write `count` staged survivors. */
    template <unsigned int THREADS, class Vector = uint4>
    __device__ __forceinline__ static void
    scatter_staged(const winnow__args &args, uint64_t offset, uint64_t,
                   const Staged *staged, unsigned int count) {
        count = clip(args, offset, count);
        U *const out = output_of<U>(args) + offset;
        if (count == 0)
            return;
        if constexpr (sizeof(U) < 4)
            scatter_vectors<Vector, U, THREADS>(out, staged, count);
        else
            scatter_elements<U, THREADS>(out, staged, count);
    }

    /* The output from an offset on, for survivors that are not staged. */
    class Output {
      public:
        __device__ __forceinline__ Output(const winnow__args &args,
                                          unsigned int offset)
            : out_(output_of<U>(args) + offset) {
            pin(out_);
        }

        __device__ __forceinline__ void put(unsigned int rank, U item,
                                            unsigned int) const {
            __stcs(out_ + rank, item);
        }

      private:
        U *out_;
    };
};

template <class U_>
struct Indices {
    using U = U_;
    using Staged = uint16_t; /* the item's number in the tile */

    __device__ __forceinline__ static Staged make(U, unsigned int local) {
        return static_cast<Staged>(local);
    }

    __device__ __forceinline__ static void
    scatter(const winnow__args &args, uint64_t offset, U, uint64_t index) {
        if (offset < room_of(args))
            store(args, offset, index);
    }

    template <class Tuning, class TileType, class Rank>
    __device__ __forceinline__ static void
    stage(Staged *staged, const TileType &tile, Rank &rank) {
        static_assert(TileType::ITEMS <= 1u << 16, "an index of 16 bits");
        if (rank.total * 8 < TileType::ITEMS)
            stage_few(staged, tile, rank);
        else
            stage_many(staged, tile, rank);
    }

    /* `first`: the index of the tile's item 0. */
    template <unsigned int THREADS, class Vector = uint4>
    __device__ __forceinline__ static void
    scatter_staged(const winnow__args &args, uint64_t offset, uint64_t first,
                   const Staged *staged, unsigned int count) {
        count = clip(args, offset, count);
        if (args.indices.wide) {
            auto *const out = output_of<uint64_t>(args) + offset;
            scatter_each<uint64_t, THREADS>(
                out, count, [&](unsigned int i) { return first + staged[i]; });
        } else {
            auto *const out = output_of<uint32_t>(args) + offset;
            const uint32_t low = static_cast<uint32_t>(first);
            scatter_each<uint32_t, THREADS>(
                out, count, [&](unsigned int i) { return low + staged[i]; });
        }
    }

    class Output {
      public:
        __device__ __forceinline__ Output(const winnow__args &args,
                                          unsigned int offset)
            : args_(args), offset_(offset) {
        }

        __device__ __forceinline__ void put(unsigned int rank, U,
                                            unsigned int index) const {
            store(args_, offset_ + rank, index);
        }

      private:
        const winnow__args &args_;
        unsigned int offset_;
    };

  private:
    __device__ __forceinline__ static void
    store(const winnow__args &args, uint64_t offset, uint64_t index) {
        if (args.indices.wide)
            __stcs(output_of<unsigned long long>(args) + offset,
                   static_cast<unsigned long long>(index));
        else
            __stcs(output_of<uint32_t>(args) + offset,
                   static_cast<uint32_t>(index));
    }

    /* A loop over the kept items, and one over all items, as in stage.cuh. */
    template <class TileType, class Rank>
    __device__ __forceinline__ static void
    stage_few(Staged *staged, const TileType &tile, Rank &rank) {
#pragma unroll
        for (unsigned int k = 0; k < TileType::VECTORS; k++) {
            Staged *at = staged + rank.next(tile, k);
            for (uint32_t keep = tile.keep[k]; keep != 0; keep &= keep - 1)
                *at++ =
                    static_cast<Staged>(TileType::item_of(k) + __ffs(keep) - 1);
        }
    }

    template <class TileType, class Rank>
    __device__ __forceinline__ static void
    stage_many(Staged *staged, const TileType &tile, Rank &rank) {
#pragma unroll
        for (unsigned int k = 0; k < TileType::VECTORS; k++) {
            Staged *at = staged + rank.next(tile, k);
#pragma unroll
            for (unsigned int i = 0; i < TileType::EACH; i++)
                if (tile.keep[k] >> i & 1)
                    *at++ = static_cast<Staged>(TileType::item_of(k) + i);
        }
    }
};

/* Shared memory in which a block stages ITEMS items one by one. */
template <class Sink, unsigned int ITEMS>
struct StagedItems {
    static_assert(sizeof(typename Sink::U) == sizeof(typename Sink::Staged) ||
                      ITEMS <= 1u << 16,
                  "an index of 16 bits");
    alignas(16) typename Sink::Staged items[ITEMS];
};

/*
 * Shared memory in which a block stages a tile, in the cheapest order. All
 * threads call prepare() before a barrier of the block, and put() after it.
 */
template <class Sink, class Tuning>
struct Stage {
    alignas(16) typename Sink::Staged items[Tuning::ITEMS];

    template <class TileType, template <class> class Rank>
    using RankOf = Rank<TileType>;

    __device__ __forceinline__ void prepare() {
    }

    template <class TileType, class Rank>
    __device__ __forceinline__ void put(const TileType &tile, Rank &rank) {
        Sink::template stage<Tuning>(items, tile, rank);
    }
};

/* Bytes have a rank of their own, and are staged in words. */
template <class Tuning>
struct Stage<Values<uint8_t>, Tuning> {
    alignas(16) uint8_t items[Tuning::ITEMS];
    Permutations permutations;

    template <class TileType, template <class> class Rank>
    using RankOf = WordRank<TileType>;

    __device__ __forceinline__ void prepare() {
        fetch_permutations<Tuning::THREADS>(permutations);
    }

    template <class TileType, class Rank>
    __device__ __forceinline__ void put(const TileType &tile, Rank &rank) {
        stage_any<Tuning>(items, permutations, tile, rank);
    }
};

} // namespace winnow::tile
