/*
 * Field: a selector of records by a field of 1, 2, 4 or 8 bytes. A record is R
 * vectors, each an item of its own; R lanes, side by side, have the vectors of
 * one record, and keep all of them or none.
 *
 * The field lies anywhere in one of the vectors. It is moved to the top of an
 * 8-byte word. The host moves the test there, too, with a mask that hides the
 * bits below the field (lib/one_call/records.c). So one kernel serves fields of
 * all types.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "blocked.cuh"

namespace winnow::tile {

template <unsigned int R>
class Field {
    static_assert(R != 0 && WARP % R == 0, "a warp's row is whole records");

  public:
    using U = uint4;

    __device__ __forceinline__ explicit Field(const winnow__args &args)
        : passes_(args.test), vector_((args.field.end - 1u) / 16),
          shift_(8 * (15 - (args.field.end - 1u) % 16)) {
    }

    /* Every lane tests its vector. All lanes of a record return the outcome of
     * the lane with the field. All lanes take part. */
    __device__ __forceinline__ uint32_t operator()(const uint4 &v) const {
        const bool passes = passes_(field_at_top(v));
        if constexpr (R == 1) {
            return passes;
        } else {
            const unsigned int lanes = __ballot_sync(ALL_LANES, passes);
            return lanes >> (lane_id() / R * R + vector_) & 1;
        }
    }

  private:
    /* The 8 bytes that end where the field does, with zeros for bytes before
     * the vector. Words are moved by steps of a fixed length: if they were
     * indexed, the compiler would put them in local memory. */
    __device__ __forceinline__ uint64_t field_at_top(uint4 v) const {
        if (shift_ & 64)
            v = make_uint4(0, 0, v.x, v.y);
        if (shift_ & 32)
            v = make_uint4(0, v.x, v.y, v.z);
        const uint32_t high = __funnelshift_l(v.z, v.w, shift_);
        const uint32_t low = __funnelshift_l(v.y, v.z, shift_);
        return static_cast<uint64_t>(high) << 32 | low;
    }

    Predicate<uint64_t, ANY> passes_;
    unsigned int vector_; /* the one of the record with the field */
    unsigned int shift_;  /* bits of it behind the field */
};

template <unsigned int R>
constexpr unsigned int ITEMS_OF_RECORD<Field<R>> = R;

} // namespace winnow::tile
