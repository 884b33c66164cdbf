/*
 * partition_by_key: the columns of a tile, whose keys tile.cuh has
 * staged in the order of their digits, of rows that are too wide to hold
 * elements of, or where there is little shared memory.
 *
 * A column is copied to shared memory as it lies, by asynchronous copies, where
 * the staged keys were; with it what is held of tiles before, which is read
 * again. It is written in the order of the places: shared memory says which
 * item each place has. Elements wider than keys come in several pieces.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_PARTITION_SOURCED_COLUMN_CUH
#define WINNOW_KERNELS_PARTITION_SOURCED_COLUMN_CUH

#include "width.cuh"
#include "write.cuh"

namespace winnow {
namespace partition {

template <class Shape>
class SourcedColumns {
    using Key = typename Shape::Key;
    static constexpr unsigned int TILE = Shape::ITEMS;
    static constexpr unsigned int BUFFER_BYTES = Shape::STAGED * sizeof(Key);

  public:
    /* A tile of so many items, which begins there. */
    __device__ __forceinline__ SourcedColumns(
        const winnow__partition_args &args, const TileMemory<Shape> &memory,
        uint64_t chunk_begin, uint64_t begin, unsigned int items)
        : args_(args), memory_(memory), chunk_begin_(chunk_begin),
          begin_(begin), items_(items) {
    }

    /* Write all columns; `run`: of the thread's digit, if it is the first that
     * has that. */
    __device__ __forceinline__ void move(const Written &written,
                                         unsigned int digit,
                                         const DigitRun &run) const {
#pragma unroll 1
        for (unsigned int c = 0; c < args_.moves; c++) {
            const winnow__partition_move &column = args_.move[c];
            if (column.bytes > WINNOW__PARTITION_WIDTH)
                move_column<uint4>(column, written, digit, run);
            else
                visit_width(column.bytes, [&](auto element) {
                    using T = typename decltype(element)::Type;
                    move_column<T>(column, written, digit, run);
                });
        }
    }

  private:
    /* A piece has sources from `first` on: items of the tile, and slots. */
    template <class T>
    __device__ __forceinline__ void
    move_column(const winnow__partition_move &column, const Written &written,
                unsigned int digit, const DigitRun &run) const {
        constexpr unsigned int ROOM = BUFFER_BYTES / sizeof(T);
        T *const buffer = reinterpret_cast<T *>(memory_.staged);
#pragma unroll 1
        for (unsigned int first = 0; first < Shape::SOURCES; first += ROOM) {
            __syncthreads(); /* what was there is written */
            copy(static_cast<const T *>(column.in), buffer, first, ROOM, digit,
                 run);
            copy_async_wait();
            __syncthreads();
            write(buffer, first, ROOM, static_cast<T *>(column.out), written);
        }
    }

    /* In vectors, if the piece is all of the column. */
    template <class T>
    __device__ __forceinline__ void write(const T *buffer, unsigned int first,
                                          unsigned int room, T *out,
                                          const Written &written) const {
        constexpr unsigned int NUMBER = TOGETHER<T>;
        if constexpr (Shape::SOURCES * sizeof(T) <= BUFFER_BYTES) {
            if (is_vectors(written, out)) {
                write_vectors(memory_, written.groups, out,
                              [&](unsigned int place, T(&elements)[NUMBER]) {
#pragma unroll
                                  for (unsigned int k = 0; k < NUMBER; k++)
                                      elements[k] =
                                          buffer[memory_.source[place + k]];
                              });
                return;
            }
        }
        write_elements(args_, memory_, written, out, nullptr,
                       [&](unsigned int place, T &element) {
                           const unsigned int source =
                               memory_.source[place] - first;
                           if (source >= room)
                               return false;
                           element = buffer[source];
                           return true;
                       });
    }

    template <class T>
    __device__ __forceinline__ void
    copy(const T *in, T *buffer, unsigned int first, unsigned int room,
         unsigned int digit, const DigitRun &run) const {
        if (first < items_)
            copy_items(in + begin_ + first, buffer, min(items_ - first, room));
        const unsigned int slots = digit * Shape::SLOTS;
#pragma unroll
        for (unsigned int i = 0; i < Shape::SLOTS; i++)
            if (run.empty() <= i && i < run.held() &&
                TILE + slots + i - first < room)
                copy_one(in + chunk_begin_ + memory_.held_item[slots + i],
                         buffer + (TILE + slots + i - first));
    }

    template <class T>
    __device__ __forceinline__ static void copy_one(const T *from, T *to) {
        if constexpr (sizeof(T) >= 4)
            copy_async<sizeof(T)>(to, from);
        else
            *to = *from;
    }

    /* In vectors as far as they are aligned and whole. */
    template <class T>
    __device__ __forceinline__ static void copy_items(const T *from, T *to,
                                                      unsigned int number) {
        constexpr unsigned int VECTOR = 16 / sizeof(T);
        unsigned int whole = 0;
        if (reinterpret_cast<uintptr_t>(from) % 16 == 0) {
            whole = number / VECTOR * VECTOR;
#pragma unroll 4
            for (unsigned int i = thread_number() * VECTOR; i < whole;
                 i += Shape::THREADS * VECTOR)
                copy_async<16>(to + i, from + i);
        }
#pragma unroll 4
        for (unsigned int i = whole + thread_number(); i < number;
             i += Shape::THREADS)
            copy_one(from + i, to + i);
    }

    const winnow__partition_args &args_;
    const TileMemory<Shape> &memory_;
    const uint64_t chunk_begin_, begin_;
    const unsigned int items_;
};

} // namespace partition
} // namespace winnow

#endif
