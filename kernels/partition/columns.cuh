/*
 * partition_by_key: the columns of a tile, whose keys scatter.cuh has staged in
 * the order of their digits.
 *
 * Each thread knows the places of its items. After the keys were written, it
 * loads its items' elements and stages them at these places, and the block
 * writes them like the keys. Elements that do not fill a sector are held in
 * shared memory for the next tile. Elements wider than keys are staged in
 * several pieces. A launch has only columns whose held elements fit.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "runs.cuh"
#include "width.cuh"

namespace winnow::partition {

/* Prefetches the elements of the items from `begin` on, by all threads. */
template <class Shape>
__device__ __forceinline__ void
prefetch_elements(const void *in, uint64_t bytes, uint64_t begin,
                  unsigned int items) {
    prefetch_lines<Shape::THREADS>(
        static_cast<const unsigned char *>(in) + begin * bytes,
        items * static_cast<unsigned int>(bytes), thread_number());
}

/* Call move(column, held) for all columns, which are sorted by width. `held`:
 * the elements that wait for the next tile. */
template <class Shape, class Move>
__device__ __forceinline__ void
for_columns(const winnow__partition_scatter_args &args,
            const TileMemory<Shape> &memory, Move move) {
    unsigned char *held = memory.held_columns;
#pragma unroll 1
    for (unsigned int c = 0; c < args.moves; c++) {
        const winnow__partition_move &column = args.move[c];
        visit_width(column.bytes, [&](auto element) {
            using T = typename decltype(element)::Type;
            move(column, reinterpret_cast<T *>(held));
        });
        held += Shape::COLUMN_SLOTS * static_cast<unsigned int>(column.bytes);
    }
}

template <class Shape, class Places>
class Columns {
    using Key = typename Shape::Key;
    using Ranks = Places16<Shape::EACH>;
    static constexpr unsigned int BUFFER_BYTES = Shape::STAGED * sizeof(Key);

  public:
    /* A tile of `items` items that begins at `begin`. `digit` is the thread's,
     * `run` that digit's run if the thread is the first with the digit. */
    __device__ __forceinline__
    Columns(const winnow__partition_scatter_args &args,
            const TileMemory<Shape> &memory, const Runs<Shape, Places> &runs,
            uint64_t begin, unsigned int items, unsigned int digit,
            const DigitRun &run)
        : args_(args), memory_(memory), runs_(runs), begin_(begin),
          items_(items), digit_(digit), run_(run) {
    }

    __device__ __forceinline__ void move(const Ranks &places,
                                         const Written &written) const {
        for_columns(args_, memory_,
                    [&](const winnow__partition_move &column, auto *held) {
                        move_column(column, places, written, held);
                    });
    }

  private:
    /* A piece has the places from `first` on. */
    template <class T>
    __device__ __forceinline__ void
    move_column(const winnow__partition_move &column, const Ranks &places,
                const Written &written, T *held) const {
        constexpr unsigned int ROOM = BUFFER_BYTES / sizeof(T);
        T *const buffer = reinterpret_cast<T *>(memory_.staged);
#pragma unroll 1
        for (unsigned int first = 0; first < Shape::STAGED; first += ROOM) {
            stage(static_cast<const T *>(column.in) + begin_, places, buffer,
                  first, ROOM);
            stage_held(held, buffer, first, ROOM);
            fence_bulk_copies();
            __syncthreads();
            runs_.write(buffer, first, ROOM, written,
                        static_cast<T *>(column.out), column.spare);
            hold(buffer, first, ROOM, held);
        }
    }

    /* The barrier is behind the first loads, which overlap with buffer
     * reads. */
    template <class T>
    __device__ __forceinline__ void stage(const T *from, const Ranks &places,
                                          T *buffer, unsigned int first,
                                          unsigned int room) const {
        /* Loads in flight together, in registers. */
        constexpr unsigned int BATCH =
            sizeof(T) <= 4 ? Shape::EACH : 32 / sizeof(T);
        static_assert(Shape::EACH % BATCH == 0, "whole batches");
        /* Does the buffer have a place for each item? A stable scatter gives
         * dropped items a place beyond it. */
        constexpr bool ALL_THERE =
            sizeof(T) <= sizeof(Key) && !(Shape::DROPS && Shape::STABLE);
        static_assert(BUFFER_BYTES <= 0xffff, "beyond: the greatest place");
        const unsigned int item = first_of_tile<Shape>();
        from += item;
#pragma unroll
        for (unsigned int i = 0; i < Shape::EACH; i += BATCH) {
            T elements[BATCH];
#pragma unroll
            for (unsigned int k = 0; k < BATCH; k++) {
                elements[k] = T{};
                load_if(item + (i + k) * WARP < items_, from + (i + k) * WARP,
                        elements[k]);
            }
            if (i == 0) { /* the buffer has been written out */
                wait_for_bulk_reads();
                __syncthreads();
            }
            if (items_ == 0)
                break;
#pragma unroll
            for (unsigned int k = 0; k < BATCH; k++) {
                const unsigned int place = places.get(i + k) - first;
                if (ALL_THERE || place < room)
                    buffer[place] = elements[k];
            }
        }
    }

    template <class T>
    __device__ __forceinline__ void stage_held(const T *held, T *buffer,
                                               unsigned int first,
                                               unsigned int room) const {
#pragma unroll
        for (unsigned int i = 0; i < Shape::SLOTS; i++) {
            const unsigned int place = run_.place() + i - first;
            if (run_.empty() <= i && i < run_.held() && place < room)
                buffer[place] = held[digit_ * Shape::SLOTS + i];
        }
    }

    template <class T>
    __device__ __forceinline__ void hold(const T *buffer, unsigned int first,
                                         unsigned int room, T *held) const {
        for_left_over<Shape>(run_, digit_,
                             [&](unsigned int place, unsigned int slot) {
                                 if (place - first < room)
                                     held[slot] = buffer[place - first];
                             });
    }

    const winnow__partition_scatter_args &args_;
    const TileMemory<Shape> &memory_;
    const Runs<Shape, Places> &runs_;
    const uint64_t begin_;
    const unsigned int items_, digit_;
    const DigitRun &run_;
};

} // namespace winnow::partition
