/*
 * Looking up elements in the table of a set (table.h).
 *
 * Tables are uploaded before the launch and never written during it, so loads
 * need no order. A copy in shared memory is read after a barrier of the block.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "table.h"

#include "kernels/core/vectors.cuh"

namespace winnow::set {

/* The data after the head. */
template <class T>
__device__ __forceinline__ const T *data_of(const winnow__set_table &table) {
    return reinterpret_cast<const T *>(&table + 1);
}

template <class U>
__device__ __forceinline__ uint32_t fold(U x, uint64_t spread) {
    if constexpr (sizeof(U) == 8)
        return winnow__set_fold(static_cast<uint32_t>(x),
                                static_cast<uint32_t>(x >> 32), spread);
    else
        return winnow__set_fold(x, 0, spread);
}

/* ------------------------------------------------------------------- forms
 *
 * Each is constructed from a table and tests whether an element is in the set.
 */

template <class U>
class Few {
  public:
    __device__ __forceinline__ explicit Few(const winnow__set_table &table)
        : mask_(static_cast<U>(table.mask)) {
#pragma unroll
        for (unsigned int i = 0; i < WINNOW__SET_MOST_FEW; i++)
            values_[i] = static_cast<U>(table.few[i]);
    }

    __device__ __forceinline__ bool operator()(U x) const {
        x = static_cast<U>(x & mask_);
        bool found = false;
#pragma unroll
        for (unsigned int i = 0; i < WINNOW__SET_MOST_FEW; i++)
            found |= x == values_[i];
        return found;
    }

  private:
    U mask_, values_[WINNOW__SET_MOST_FEW];
};

template <class U>
class Bits {
  public:
    __device__ __forceinline__ explicit Bits(const winnow__set_table &table)
        : words_(data_of<uint32_t>(table)), mask_(static_cast<U>(table.mask)),
          low_(static_cast<U>(table.low)), bits_(static_cast<U>(table.bits)) {
    }

    /* The element's bit is the highest bit of the result. */
    __device__ __forceinline__ uint32_t bit(U x) const {
        if constexpr (sizeof(U) >= 4) {
            x = (x & mask_) - low_;
            x = x < bits_ ? x : bits_;
        }
        const uint32_t at = static_cast<uint32_t>(x);
        return __funnelshift_l(0, words_[at / 32], at); /* by at % 32 */
    }

    __device__ __forceinline__ bool operator()(U x) const {
        return bit(x) >> 31 != 0;
    }

  private:
    const uint32_t *words_;
    U mask_, low_, bits_;
};

template <class U>
class Perfect {
  public:
    __device__ __forceinline__ explicit Perfect(const winnow__set_table &table)
        : seeds_(data_of<uint32_t>(table)),
          slots_(reinterpret_cast<const U *>(seeds_ + WINNOW__SET_SEEDS)),
          mask_(static_cast<U>(table.mask)), spread_(table.spread),
          mix_(table.mix), shift_(table.shift) {
    }

    /* Each of the 32 seeds is in its own bank of shared memory, so this load
     * has no bank conflicts and takes as long as a shuffle. */
    __device__ __forceinline__ bool operator()(U x) const {
        x = static_cast<U>(x & mask_);
        const uint32_t folded = fold(x, spread_);
        const uint32_t seed = seeds_[winnow__set_seed_of(folded, mix_)];
        return slots_[winnow__set_slot_of(folded, seed, shift_)] == x;
    }

  private:
    const uint32_t *seeds_;
    const U *slots_;
    U mask_;
    uint64_t spread_;
    uint32_t mix_, shift_;
};

/* Is the element in this bucket, and may it be in the next one? */
template <class U>
struct Found {
    bool here, further;

    __device__ __forceinline__ Found(const uint4 &bucket, U x)
        : here(false), further(item<U>(bucket, 0) > item<U>(bucket, 1)) {
#pragma unroll
        for (unsigned int i = 0; i < VECTOR_ITEMS<U>; i++)
            here |= item<U>(bucket, i) == x;
    }
};

template <class U>
class Buckets {
  public:
    __device__ __forceinline__ explicit Buckets(const winnow__set_table &table)
        : buckets_(data_of<uint4>(table)), mask_(static_cast<U>(table.mask)),
          spread_(table.spread), mix_(table.mix), number_(table.buckets) {
    }

    __device__ __forceinline__ U key(U x) const {
        return static_cast<U>(x & mask_);
    }

    /* Look in the element's own bucket. */
    __device__ __forceinline__ Found<U> look(U x) const {
        return Found<U>(__ldg(buckets_ + own(x)), x);
    }

    /* Look in the buckets after it, up to one that has not overflowed. */
    __device__ __forceinline__ bool look_further(U x) const {
        uint32_t at = own(x);
        for (;;) {
            at = at + 1 == number_ ? 0 : at + 1;
            const Found<U> found(__ldg(buckets_ + at), x);
            if (found.here || !found.further)
                return found.here;
        }
    }

    __device__ __forceinline__ bool operator()(U x) const {
        x = key(x);
        const Found<U> found = look(x);
        return found.here || (found.further && look_further(x));
    }

  private:
    const uint4 *buckets_;
    U mask_;
    uint64_t spread_;
    uint32_t mix_, number_;

    __device__ __forceinline__ uint32_t own(U x) const {
        return winnow__set_bucket_of(fold(x, spread_), mix_, number_);
    }
};

/* ----------------------------------------------------------------- vectors
 *
 * Bit i of the result: item i of the vector is in the set.
 */

template <class U, class Form>
__device__ __forceinline__ uint32_t look_up(const Form &form, const uint4 &v) {
    uint32_t found = 0;
#pragma unroll
    for (unsigned int i = 0; i < VECTOR_ITEMS<U>; i++)
        if (form(item<U>(v, i)))
            found |= 1u << i;
    return found;
}

/* The last item's bit is shifted in first. */
template <class U>
__device__ __forceinline__ uint32_t look_up(const Bits<U> &form,
                                            const uint4 &v) {
    uint32_t found = 0;
#pragma unroll
    for (unsigned int i = VECTOR_ITEMS<U>; i-- > 0;)
        found = __funnelshift_l(form.bit(item<U>(v, i)), found, 1);
    return found;
}

/* The own buckets of all items are loaded together. The few items that have to
 * look further do so one after the other. */
template <class U>
__device__ __forceinline__ uint32_t look_up(const Buckets<U> &form,
                                            const uint4 &v) {
    constexpr unsigned int EACH = VECTOR_ITEMS<U>;
    uint32_t found = 0, further = 0;
#pragma unroll
    for (unsigned int i = 0; i < EACH; i++) {
        const Found<U> first = form.look(form.key(item<U>(v, i)));
        if (first.here)
            found |= 1u << i;
        else if (first.further)
            further |= 1u << i;
    }
    while (further != 0) {
        U x = 0;
#pragma unroll
        for (unsigned int i = 0; i < EACH; i++)
            if ((further & ((1u << i) - 1)) == 0 && (further >> i & 1) != 0)
                x = form.key(item<U>(v, i));
        if (form.look_further(x))
            found |= further & -further;
        further &= further - 1;
    }
    return found;
}

/* -------------------------------------------------------------------- sets */

/* Call visit(form) with the table's form. */
template <class U, class Visit>
__device__ __forceinline__ void visit_table(const winnow__set_table &table,
                                            Visit visit) {
    if constexpr (sizeof(U) >= 2) {
        if (table.form == WINNOW__SET_FEW) {
            visit(Few<U>(table));
            return;
        }
    }
    if constexpr (sizeof(U) >= 4) {
        if (table.form == WINNOW__SET_PERFECT) {
            visit(Perfect<U>(table));
            return;
        }
    }
    visit(Bits<U>(table));
}

/* The same for a set; `shared` is the block's memory to which tables were
 * copied. */
template <class U, class Visit>
__device__ __forceinline__ void visit_set(const winnow__set_ref &set,
                                          const unsigned char *shared,
                                          Visit visit) {
    if (set.place != WINNOW__SET_STAYS) {
        visit_table<U>(
            *reinterpret_cast<const winnow__set_table *>(shared + set.place),
            visit);
        return;
    }
    if constexpr (sizeof(U) >= 4) {
        if (set.table->form == WINNOW__SET_BUCKETS) {
            visit(Buckets<U>(*set.table));
            return;
        }
    }
    visit_table<U>(*set.table, visit);
}

/* The same where speed does not matter: one code path for both memories. */
template <class U, class Visit>
__device__ __forceinline__ void visit_set_anywhere(const winnow__set_ref &set,
                                                   const unsigned char *shared,
                                                   Visit visit) {
    const winnow__set_table *table = set.table;
    if (set.place != WINNOW__SET_STAYS)
        table = reinterpret_cast<const winnow__set_table *>(shared + set.place);
    if constexpr (sizeof(U) >= 4) {
        if (table->form == WINNOW__SET_BUCKETS) {
            visit(Buckets<U>(*table));
            return;
        }
    }
    visit_table<U>(*table, visit);
}

/* Copy a table to its place in shared memory. All threads of the block call it,
 * with a barrier before the first look-up. */
__device__ __forceinline__ void copy_table(const winnow__set_ref &set,
                                           unsigned char *shared) {
    if (set.place == WINNOW__SET_STAYS)
        return;
    const uint4 *const from = reinterpret_cast<const uint4 *>(set.table);
    uint4 *const to = reinterpret_cast<uint4 *>(shared + set.place);
#pragma unroll 1
    for (uint32_t i = threadIdx.x; i < set.bytes / sizeof(uint4);
         i += blockDim.x)
        to[i] = __ldg(from + i);
}

} // namespace winnow::set
