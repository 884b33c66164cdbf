/*
 * partition_by_key, a pass of two in any order, where the items of all parts
 * are known: each part is the region of one of its digits in the segment of the
 * other one. In the first pass all parts of a digit are one region. Blocks
 * reserve groups there, as they do by an estimate (reserve.cuh), but
 * the region is the final place.
 *
 * A part begins and ends inside of groups. The places before its first whole
 * group, its head, and behind its last one, and those of groups that no block
 * takes, are filled with the items that fill no group at the end of a chunk.
 * They are numbered by a counter of the part: the first ones fill the head, and
 * others the part from its end down. Blocks take at most one group more than
 * the region has: then all of the region is taken, and the items of that group
 * have the last numbers of those that fill the rest of the part.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_PARTITION_EXACT_CUH
#define WINNOW_KERNELS_PARTITION_EXACT_CUH

#include "reserve.cuh"

#include <type_traits>

namespace winnow {
namespace partition {

/* A part of the output, in items. */
template <unsigned int GROUP>
struct PartPlaces {
    uint64_t begin, end;

    /* Its whole groups: the first one's number, and the one behind the last. */
    __device__ __forceinline__ uint64_t first_group() const {
        return (begin + GROUP - 1) / GROUP;
    }
    __device__ __forceinline__ uint64_t end_group() const {
        return max(end / GROUP, first_group());
    }

    /* Of the items that are in none of its groups. */
    __device__ __forceinline__ uint64_t place(uint64_t nth) const {
        const uint64_t head = min(first_group() * GROUP, end) - begin;
        return nth < head ? begin + nth : end - 1 - (nth - head);
    }

    /* Of the nth item of the group that has no room. */
    __device__ __forceinline__ uint64_t place_beyond(uint64_t nth) const {
        const uint64_t groups = end_group() - first_group();
        return place(end - begin - groups * GROUP - 1 - nth);
    }
};

template <class Shape>
class ReserveExact : public Reservation<Shape> {
    using Base = Reservation<Shape>;
    static constexpr unsigned int GROUP = Shape::GROUP;

  public:
    using Places = PartPlaces<GROUP>;

    __device__ __forceinline__ ReserveExact(const winnow__partition_args &args,
                                            const TileMemory<Shape> &memory)
        : Base(memory), args_(args) {
    }

    /* Before a chunk, by one thread for each digit: a barrier follows. */
    __device__ __forceinline__ void set_segment(unsigned int segment) const {
        *this->memory_.segment = segment;
    }
    __device__ __forceinline__ void load_region(unsigned int digit,
                                                unsigned int segment) const {
        const unsigned int part = part_of(digit, segment);
        if (part < args_.parts) {
            const Places places = places_of(part);
            this->set_region(digit, static_cast<uint32_t>(places.first_group()),
                             static_cast<uint32_t>(places.end_group()));
        }
    }

    __device__ __forceinline__ uint32_t take(unsigned int digit,
                                             unsigned int groups,
                                             unsigned int held) const {
        return this->take_groups(digit, &args_.part_groups[part_of(digit)],
                                 groups, held);
    }

    /* By all lanes of a warp: as Reserve::overflows(). */
    __device__ __forceinline__ bool overflows(unsigned int digit,
                                              unsigned int groups,
                                              DigitGroups &taken) const {
        const uint32_t over = this->over(digit, groups, taken);
        if (over != 0)
            taken.away = Group::SPARE - this->end_of(digit);
        return over != 0;
    }

    template <class T, unsigned int NUMBER>
    __device__ __forceinline__ void
    store(const Group &group, unsigned int within, const T (&elements)[NUMBER],
          T *out, void *spare) const {
        if (group.number() < Group::SPARE) {
            store_together(out + group.number() * GROUP + within, elements);
            return;
        }
#pragma unroll
        for (unsigned int i = 0; i < NUMBER; i++)
            store_one(group, within + i, elements[i], out, spare);
    }

    template <class T>
    __device__ __forceinline__ void store_one(const Group &group,
                                              unsigned int within, T element,
                                              T *out, void *) const {
        if (group.number() < Group::SPARE)
            out[group.number() * GROUP + within] = element;
        else
            out[places(group.digit()).place_beyond(within)] = element;
    }

    /* The first of so many numbers of the digit's part, of items that fill no
     * group. */
    __device__ __forceinline__ uint32_t take_rest(unsigned int digit,
                                                  unsigned int items) const {
        return atomicAdd(&args_.part_rest[part_of(digit)], items);
    }

    __device__ __forceinline__ Places places(unsigned int digit) const {
        return places_of(part_of(digit));
    }

  private:
    __device__ __forceinline__ unsigned int
    part_of(unsigned int digit, unsigned int segment) const {
        return digit * args_.parts_of_digit + segment * args_.parts_of_segment;
    }
    __device__ __forceinline__ unsigned int part_of(unsigned int digit) const {
        return part_of(digit, *this->memory_.segment);
    }

    __device__ __forceinline__ Places places_of(unsigned int part) const {
        return {args_.part_begins[part], args_.part_begins[part + 1]};
    }

    const winnow__partition_args &args_;
};

/* How a block reserves places, by the kind of regions. */
template <class Shape>
using ReserveOf =
    std::conditional_t<Shape::EXACT, ReserveExact<Shape>, Reserve<Shape>>;

} // namespace partition
} // namespace winnow

#endif
