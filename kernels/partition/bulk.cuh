/*
 * partition_by_key by tiles: the groups of a digit in a tile, its run, are
 * neighbours where they are staged and in the output. So a run is one bulk
 * copy, and the block goes on with the next tile while the copy engine reads.
 *
 * Where blocks reserve places there are two if the digit's region has no room
 * for all groups: the last ones go to spare rows. Elsewhere the first and the
 * last group of a digit in a chunk may be shared with other chunks. Elements
 * before the first whole vector, and behind the last one, are stored one by
 * one.
 *
 * For devices of compute capability 9.0 on, and elements of 4 and 8 bytes:
 * addresses and sizes are multiples of 16 bytes then, if the arrays are aligned
 * to that.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_PARTITION_BULK_CUH
#define WINNOW_KERNELS_PARTITION_BULK_CUH

#include "write.cuh"

namespace winnow {
namespace partition {

template <class Shape>
class BulkRuns {
    static constexpr unsigned int GROUP = Shape::GROUP;

  public:
    __device__ __forceinline__ BulkRuns(const winnow__partition_args &args,
                                        const TileMemory<Shape> &memory)
        : args_(args), memory_(memory) {
    }

    /* Can all arrays of the call be written so? */
    __device__ __forceinline__ bool are_possible() const {
        bool possible = HAS_BULK_COPIES && is_aligned(args_.keys_out);
        for (unsigned int c = 0; c < args_.moves; c++)
            possible = possible && args_.move[c].bytes >= 4 &&
                       is_aligned(args_.move[c].out);
        return possible;
    }

    /* By one thread for each digit, before a barrier: the run has so many
     * groups. `over`: has the region no room for some of them? */
    __device__ __forceinline__ void set(unsigned int digit,
                                        const DigitGroups &groups,
                                        unsigned int number, bool over) const {
        const unsigned int fit =
            over ? static_cast<unsigned int>(groups.end - groups.to) : number;
        const uint64_t spare =
            over ? groups.end + groups.away - Group::SPARE : 0;
        runs()[digit] = make_uint4(groups.place | fit << 16,
                                   static_cast<uint32_t>(groups.to),
                                   number - fit, static_cast<uint32_t>(spare));
    }

    /* The same where the chunk has places of its own: the places from `begin`
     * to `end` - 1 are written, and `place` goes to that item of the output. */
    __device__ __forceinline__ void
    set_own(unsigned int digit, unsigned int place, unsigned int begin,
            unsigned int end, uint64_t item) const {
        runs()[digit] =
            make_uint4(place | begin << 16, end, static_cast<uint32_t>(item),
                       static_cast<uint32_t>(item >> 32));
    }

    /* All runs of an array, from a buffer for the places `first` to `end` - 1.
     * By all threads, when all have staged and fenced; `over`: of any digit. */
    template <class T>
    __device__ __forceinline__ void write(const T *buffer, unsigned int first,
                                          unsigned int end, T *out, void *spare,
                                          bool over) const {
        /* Neighbouring digits in different warps: a warp starts one copy at a
         * time. */
        const unsigned int digit = lane_id() * Shape::WARPS + warp_id();
        if (digit < args_.row) {
            if constexpr (Shape::RESERVES)
                write_reserved(digit, buffer, first, end, out,
                               static_cast<T *>(spare), over);
            else
                write_own(runs()[digit], buffer, first, end, out);
        }
        commit_bulk_copies();
    }

  private:
    template <class T>
    __device__ __forceinline__ void
    write_reserved(unsigned int digit, const T *buffer, unsigned int first,
                   unsigned int end, T *out, T *spare, bool over) const {
        const uint4 run = runs()[digit];
        const unsigned int place = run.x & 0xffff;
        const unsigned int over_place = place + (run.x >> 16) * GROUP;
        const unsigned int from = max(place, first);
        const unsigned int to = min(over_place, end);
        if (from < to && out != nullptr)
            bulk_copy(out + uint64_t(run.y) * GROUP + (from - place),
                      buffer + (from - first),
                      (to - from) * static_cast<unsigned int>(sizeof(T)));
        if (over && run.z != 0)
            write_over(digit, run, over_place, buffer, first, end, out, spare);
    }

    template <class T>
    __device__ __forceinline__ static void
    write_own(const uint4 &run, const T *buffer, unsigned int first,
              unsigned int end, T *out) {
        constexpr unsigned int VECTOR = 16 / sizeof(T);
        static_assert(Shape::ALIGNED % VECTOR == 0, "runs begin at vectors");
        const unsigned int place = run.x & 0xffff;
        const unsigned int to = min(run.y, end);
        unsigned int i = max(run.x >> 16, first);
        out += run.z | uint64_t(run.w) << 32; /* where `place` goes */
        const auto store = [&] { out[i - place] = buffer[i - first]; };
        for (; i < to && i % VECTOR != 0; i++)
            store();
        if (i + VECTOR <= to) {
            const unsigned int whole = (to - i) / VECTOR * VECTOR;
            bulk_copy(out + (i - place), buffer + (i - first),
                      whole * static_cast<unsigned int>(sizeof(T)));
            i += whole;
        }
        for (; i < to; i++)
            store();
    }

    /* Groups for which the region has no room. */
    template <class T>
    __device__ __forceinline__ void
    write_over(unsigned int digit, const uint4 &run, unsigned int place,
               const T *buffer, unsigned int first, unsigned int end, T *out,
               T *spare) const {
        const unsigned int from = max(place, first);
        const unsigned int to = min(place + run.z * GROUP, end);
        if (from >= to)
            return;
        if constexpr (Shape::EXACT) {
            const auto places = ReserveOf<Shape>(args_, memory_).places(digit);
#pragma unroll 1
            for (unsigned int i = from; i < to && out != nullptr; i++)
                out[places.place_beyond(i - place)] = buffer[i - first];
        } else {
            const uint64_t row = uint64_t(run.w) * GROUP + (from - place);
            if (row < args_.spare_items)
                bulk_copy(spare + args_.spare_left_over + row,
                          buffer + (from - first),
                          static_cast<unsigned int>(min(args_.spare_items - row,
                                                        uint64_t(to - from)) *
                                                    sizeof(T)));
        }
    }

    __device__ __forceinline__ static bool is_aligned(const void *out) {
        return reinterpret_cast<uintptr_t>(out) % 16 == 0;
    }

    /* In place of the list of groups. */
    __device__ __forceinline__ uint4 *runs() const {
        static_assert(Shape::GROUPS * sizeof(Group) >=
                          DIGITS<Shape::BITS> * sizeof(uint4),
                      "there is room for them");
        return reinterpret_cast<uint4 *>(memory_.groups);
    }

    const winnow__partition_args &args_;
    const TileMemory<Shape> &memory_;
};

} // namespace partition
} // namespace winnow

#endif
