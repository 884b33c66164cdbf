/*
 * partition_by_key: writes the runs of a tile. A run is the tile's items of one
 * digit. They are adjacent in the staging buffer and in the output.
 *
 * From compute capability 9.0 on a run is one bulk copy, and the block goes on
 * with the next tile while the copy engine reads. Elements before the first
 * whole vector, and behind the last one, are stored one by one. Bulk copies
 * take elements of 4 and 8 bytes (with 16 bytes kernels would spill), and
 * arrays aligned to vectors.
 *
 * Elsewhere each thread writes adjacent elements of one unit. A table has the
 * digit of each unit, and the digit gives the run.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "shape.cuh"

namespace winnow::partition {

struct Written {
    unsigned int end; /* of all staged places */
    bool over;        /* do some of them have no room? */
};

/* Elements that a thread writes at a time, as a vector of up to 16 bytes. */
template <class T>
constexpr unsigned int TOGETHER = sizeof(T) < 4 ? 4 : 16 / sizeof(T);

/* Copies NUMBER elements, as one vector if there are several. */
template <class T, unsigned int NUMBER>
__device__ __forceinline__ void copy_together(T *to, const T *from) {
    if constexpr (NUMBER == 1)
        *to = *from;
    else if constexpr (NUMBER * sizeof(T) == 4)
        *reinterpret_cast<uint32_t *>(to) =
            *reinterpret_cast<const uint32_t *>(from);
    else if constexpr (NUMBER * sizeof(T) == 8)
        *reinterpret_cast<uint2 *>(to) = *reinterpret_cast<const uint2 *>(from);
    else
        *reinterpret_cast<uint4 *>(to) = *reinterpret_cast<const uint4 *>(from);
}

__device__ __forceinline__ bool is_aligned_to(const void *out,
                                              unsigned int bytes) {
    return reinterpret_cast<uintptr_t>(out) % bytes == 0;
}

/* Places: own.cuh, exact.cuh, or estimate/places.cuh. */
template <class Shape, class Places>
class Runs {
  public:
    /* `bulk`: does the copy engine write? */
    __device__ __forceinline__ Runs(const winnow__partition_scatter_args &args,
                                    const TileMemory<Shape> &memory,
                                    const Places &places, bool bulk)
        : args_(args), memory_(memory), places_(places), bulk_(bulk) {
    }

    /* Can the copy engine write all arrays of the launch? */
    __device__ __forceinline__ static bool
    are_bulk(const winnow__partition_scatter_args &args) {
        bool possible = HAS_BULK_COPIES && is_aligned_to(args.keys_out, 16);
        for (unsigned int c = 0; c < args.moves; c++)
            possible = possible &&
                       (args.move[c].bytes == 4 || args.move[c].bytes == 8) &&
                       is_aligned_to(args.move[c].out, 16);
        return possible;
    }

    /* By one thread for each digit, before a barrier. */
    __device__ __forceinline__ void set(unsigned int digit, unsigned int place,
                                        const Taken &taken) const {
        const auto at = [&](unsigned int item) {
            return static_cast<uint16_t>(place + item);
        };
        memory_.runs[digit] = {at(0), at(taken.empty), at(taken.fit),
                               at(taken.written), taken.to};
    }

    /* Stages an item: the first one of a unit sets the unit's digit. */
    __device__ __forceinline__ void note(unsigned int place,
                                         unsigned int digit) const {
        if (!bulk_ && place % Shape::UNIT == 0)
            memory_.units[place / Shape::UNIT] = static_cast<uint8_t>(digit);
    }

    /* Writes all runs of an array. `buffer` has `room` places, from `first` on.
     * By all threads, after all have staged and fenced. */
    template <class T>
    __device__ __forceinline__ void
    write(const T *buffer, unsigned int first, unsigned int room,
          const Written &written, T *out, void *spare) const {
        using Key = typename Shape::Key;
        constexpr unsigned int NUMBER = TOGETHER<T>;
        const unsigned int end = min(first + room, written.end);
        const Target<T> target = {buffer, first, end, out,
                                  static_cast<T *>(spare)};
        if constexpr (sizeof(T) == 4 || sizeof(T) == 8) {
            if (bulk_) {
                copy_runs(target, written.over);
                return;
            }
        }
        if constexpr (sizeof(T) <= sizeof(Key)) {
            if (is_aligned_to(out, NUMBER * sizeof(T))) {
                write_units<NUMBER>(target);
                return;
            }
        }
        write_units<1>(target);
    }

  private:
    /* The buffer has the places from `first` to `end` - 1. */
    template <class T>
    struct Target {
        const T *buffer;
        unsigned int first, end;
        T *out; /* NULL: write only items without room */
        T *spare;
    };

    template <unsigned int NUMBER, class T>
    __device__ __forceinline__ void write_units(const Target<T> &t) const {
        static_assert(Shape::UNIT % NUMBER == 0 || NUMBER == 1,
                      "neighbours are of one digit");
        /* One vector at a time: two would spill. */
#pragma unroll 1
        for (unsigned int i = t.first + thread_number() * NUMBER; i < t.end;
             i += Shape::THREADS * NUMBER) {
            const unsigned int digit = memory_.units[i / Shape::UNIT];
            const Run run = memory_.runs[digit];
            if (run.begin <= i && i + NUMBER <= run.end && t.out != nullptr)
                copy_together<T, NUMBER>(t.out + run.to + (i - run.place),
                                         t.buffer + (i - t.first));
            else
#pragma unroll 1
                for (unsigned int k = i; k < i + NUMBER; k++)
                    write_one(t, run, digit, k);
        }
    }

    template <class T>
    __device__ __forceinline__ void
    write_one(const Target<T> &t, const Run &run, unsigned int digit,
              unsigned int i) const {
        if (run.begin <= i && i < run.end && t.out != nullptr)
            t.out[run.to + (i - run.place)] = t.buffer[i - t.first];
        if constexpr (Places::RESERVES)
            if (run.end <= i && i < run.over_end)
                places_.copy_over(digit, i - run.end, 1,
                                  t.buffer + (i - t.first), t.out, t.spare);
    }

    template <class T>
    __device__ __forceinline__ void copy_runs(const Target<T> &t,
                                              bool over) const {
        /* Adjacent digits go to different warps: a warp starts one copy at a
         * time. */
        const unsigned int digit = lane_id() * Shape::WARPS + warp_id();
        if (digit < args_.field.digits) {
            const Run run = memory_.runs[digit];
            if (t.out != nullptr)
                copy_run(t, run);
            if constexpr (Places::RESERVES) {
                const unsigned int from = max(unsigned(run.end), t.first);
                const unsigned int to = min(unsigned(run.over_end), t.end);
                if (over && from < to)
                    places_.copy_over(digit, from - run.end, to - from,
                                      t.buffer + (from - t.first), t.out,
                                      t.spare);
            }
        }
        commit_bulk_copies();
    }

    template <class T>
    __device__ __forceinline__ static void copy_run(const Target<T> &t,
                                                    const Run &run) {
        constexpr unsigned int VECTOR = 16 / sizeof(T);
        static_assert(Shape::UNIT % VECTOR == 0, "runs begin at vectors");
        const unsigned int to = min(unsigned(run.end), t.end);
        unsigned int i = max(unsigned(run.begin), t.first);
        T *const out = t.out + run.to;
        const auto store = [&] { out[i - run.place] = t.buffer[i - t.first]; };
        for (; i < to && i % VECTOR != 0; i++)
            store();
        if (i + VECTOR <= to) {
            const unsigned int whole = (to - i) / VECTOR * VECTOR;
            bulk_copy(out + (i - run.place), t.buffer + (i - t.first),
                      whole * static_cast<unsigned int>(sizeof(T)));
            i += whole;
        }
        for (; i < to; i++)
            store();
    }

    const winnow__partition_scatter_args &args_;
    const TileMemory<Shape> &memory_;
    const Places &places_;
    const bool bulk_;
};

} // namespace winnow::partition
