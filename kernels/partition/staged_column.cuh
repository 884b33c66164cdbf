/*
 * partition_by_key: the columns of a tile, whose keys tile.cuh has
 * staged in the order of their digits.
 *
 * Each thread knows the places of its items. It loads their elements and stages
 * them there, when the keys have been written, and the block writes them as it
 * wrote the keys. What does not fill a group is held in shared memory for the
 * next tile. Elements wider than keys are staged in several pieces. The host
 * gives a launch no more columns than there is room to hold elements of.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_PARTITION_STAGED_COLUMN_CUH
#define WINNOW_KERNELS_PARTITION_STAGED_COLUMN_CUH

#include "bulk.cuh"
#include "width.cuh"

namespace winnow {
namespace partition {

template <class Shape, bool DROPS>
class StagedColumns {
    using Key = typename Shape::Key;
    using Places = Places16<Shape::EACH>;
    static constexpr unsigned int BUFFER_BYTES = Shape::STAGED * sizeof(Key);

  public:
    /* A tile of so many items, which begins there. `digit`: the thread's;
     * `run`: of that digit, if the thread is the first that has it; `bulk`:
     * does the copy engine write? */
    __device__ __forceinline__ StagedColumns(const winnow__partition_args &args,
                                             const TileMemory<Shape> &memory,
                                             uint64_t begin, unsigned int items,
                                             unsigned int digit,
                                             const DigitRun &run, bool bulk)
        : args_(args), memory_(memory), begin_(begin), items_(items),
          digit_(digit), run_(run), bulk_(bulk) {
    }

    /* Write all columns. They lie in the order of their widths. */
    __device__ __forceinline__ void move(const Places &places,
                                         const Written &written) const {
        unsigned char *held = memory_.held_columns;
#pragma unroll 1
        for (unsigned int c = 0; c < args_.moves; c++) {
            const winnow__partition_move &column = args_.move[c];
            visit_width(column.bytes, [&](auto element) {
                using T = typename decltype(element)::Type;
                move_column<T>(column, places, written, held);
            });
            held += Shape::HELD * column.bytes;
        }
    }

  private:
    /* A piece has the places from `first` on. */
    template <class T>
    __device__ __forceinline__ void
    move_column(const winnow__partition_move &column, const Places &places,
                const Written &written, unsigned char *held_bytes) const {
        constexpr unsigned int ROOM = BUFFER_BYTES / sizeof(T);
        T *const buffer = reinterpret_cast<T *>(memory_.staged);
        T *const held = reinterpret_cast<T *>(held_bytes);
#pragma unroll 1
        for (unsigned int first = 0; first < Shape::STAGED; first += ROOM) {
            stage(static_cast<const T *>(column.in) + begin_, places, buffer,
                  first, ROOM);
            stage_held(held, buffer, first, ROOM);
            fence_bulk_copies();
            __syncthreads();
            write(buffer, first, ROOM, column, written);
            hold(buffer, first, ROOM, held);
        }
    }

    /* The first elements are loaded while the buffer is still read: the barrier
     * is in here. */
    template <class T>
    __device__ __forceinline__ void stage(const T *from, const Places &places,
                                          T *buffer, unsigned int first,
                                          unsigned int room) const {
        /* Loads that are under way together, in registers. */
        constexpr unsigned int BATCH =
            sizeof(T) <= 4 ? Shape::EACH : 32 / sizeof(T);
        static_assert(Shape::EACH % BATCH == 0, "whole batches");
        /* Has the buffer a place for each item? In order, those that are
         * dropped have one beyond. */
        constexpr bool ALL_THERE =
            sizeof(T) <= sizeof(Key) && !(DROPS && Shape::STABLE);
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
            if (i == 0) { /* what was there is written */
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

    /* By the copy engine, or in vectors if the piece is all of the column. */
    template <class T>
    __device__ __forceinline__ void
    write(const T *buffer, unsigned int first, unsigned int room,
          const winnow__partition_move &column, const Written &written) const {
        constexpr unsigned int NUMBER = TOGETHER<T>;
        T *const out = static_cast<T *>(column.out);
        if constexpr (Shape::COLUMNS && sizeof(T) >= 4) {
            if (bulk_) {
                BulkRuns<Shape>(args_, memory_)
                    .write(buffer, first, first + room, out, column.spare,
                           written.checked);
                return;
            }
        }
        if constexpr (sizeof(T) <= sizeof(Key)) {
            if (is_vectors(written, out)) {
                write_vectors(memory_, written.groups, out,
                              [&](unsigned int place, T(&elements)[NUMBER]) {
                                  load_together(buffer + place, elements);
                              });
                return;
            }
            if (Shape::RESERVES && is_aligned(out)) {
                write_reserved_vectors(
                    args_, memory_, written.groups, out, column.spare,
                    [&](unsigned int place, T(&elements)[NUMBER]) {
                        load_together(buffer + place, elements);
                    });
                return;
            }
        }
        write_elements(args_, memory_, written, out, column.spare,
                       [&](unsigned int place, T &element) {
                           place -= first;
                           if (place >= room)
                               return false;
                           element = buffer[place];
                           return true;
                       });
    }

    const winnow__partition_args &args_;
    const TileMemory<Shape> &memory_;
    const uint64_t begin_;
    const unsigned int items_, digit_;
    const DigitRun &run_;
    const bool bulk_;
};

} // namespace partition
} // namespace winnow

#endif
