/*
 * The outputs of CUB, which end at a capacity, for any number of items.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/core/args.h"

#include <cstddef>
#include <cstdint>
#include <iterator>

/* ---- Launches of CUB that are not chosen (kernels/core/kernel.cuh): CUB's
 * kernels run in any case, and cannot end at once. If the launch is not chosen,
 * they read no item, none passes, and they write only CUB's own memory and a
 * count of 0. That takes the time of CUB's kernels without the transfers. */
namespace winnow {

/* A gate, open if this launch was chosen or there was no choice. The kernel
 * that stored the decision has ended. */
class Chosen {
  public:
    __host__ __device__ explicit Chosen(const winnow__args &args)
        : decision_(args.candidate != 0 && args.cursor != nullptr
                        ? &args.cursor->decision
                        : nullptr),
          candidate_(args.candidate) {
    }
    /* Only the device calls it; CUB requires iterators for both sides. */
    __host__ __device__ bool is_open() const {
        return decision_ == nullptr || *decision_ == candidate_;
    }

  private:
    const unsigned int *decision_;
    unsigned int candidate_;
};

/* A predicate that nothing passes while the gate is shut. */
template <class Test>
class GatedTest {
  public:
    GatedTest(const winnow__args &args, const Test &test)
        : gate_(args), test_(test) {
    }
    template <class Item>
    __device__ bool operator()(const Item &item) const {
        return gate_.is_open() && test_(item);
    }

  private:
    Chosen gate_;
    Test test_;
};

} // namespace winnow

namespace winnow::copy {

/*
 * The array that CUB's in-place variant reads and writes. Items are read from
 * `in` and written to `out`, up to the capacity. The in-place variant writes an
 * item only after all reads of its place. So in and out may be the same. If the
 * gate is shut, nothing is read.
 */
template <class U>
class Capped {
  public:
    using value_type = U;
    using difference_type = ptrdiff_t;
    using pointer = U *;
    using iterator_category = std::random_access_iterator_tag;

    class reference {
      public:
        __host__ __device__ reference(const Capped *array, difference_type i)
            : array_(*array), i_(i) {
        }
        __host__ __device__ operator U() const {
            return array_.gate_.is_open() ? array_.in_[i_] : U();
        }
        __host__ __device__ const reference &operator=(U x) const {
            if (static_cast<uint64_t>(i_) < array_.capacity_)
                array_.out_[i_] = x;
            return *this;
        }

      private:
        Capped array_;
        difference_type i_;
    };

    __host__ __device__ explicit Capped(const winnow__args &args)
        : in_(static_cast<const U *>(args.in)),
          out_(static_cast<U *>(args.sink.out)), capacity_(args.sink.capacity),
          gate_(args) {
    }
    __host__ __device__ reference operator[](difference_type i) const {
        return reference(this, offset_ + i);
    }
    __host__ __device__ reference operator*() const {
        return (*this)[0];
    }
    __host__ __device__ Capped operator+(difference_type i) const {
        Capped moved(*this);
        moved.offset_ += i;
        return moved;
    }
    __host__ __device__ Capped &operator+=(difference_type i) {
        offset_ += i;
        return *this;
    }

  private:
    const U *in_;
    U *out_;
    uint64_t capacity_;
    Chosen gate_;
    difference_type offset_ = 0;
};

/* The output of indices, which have 4 or 8 bytes, up to the capacity. */
class IndexOutput {
  public:
    using value_type = int64_t;
    using difference_type = ptrdiff_t;
    using pointer = void;
    using iterator_category = std::random_access_iterator_tag;

    class reference {
      public:
        __device__ reference(const winnow__sink &sink, bool wide,
                             uint64_t offset)
            : sink_(sink), wide_(wide), offset_(offset) {
        }
        __device__ const reference &operator=(int64_t index) const {
            if (offset_ >= sink_.capacity)
                return *this;
            if (wide_)
                static_cast<uint64_t *>(sink_.out)[offset_] =
                    static_cast<uint64_t>(index);
            else
                static_cast<uint32_t *>(sink_.out)[offset_] =
                    static_cast<uint32_t>(index);
            return *this;
        }

      private:
        winnow__sink sink_;
        bool wide_;
        uint64_t offset_;
    };

    __host__ __device__ explicit IndexOutput(const winnow__args &args)
        : sink_(args.sink), wide_(args.indices.wide != 0) {
    }
    __device__ reference operator[](difference_type i) const {
        return reference(sink_, wide_, static_cast<uint64_t>(offset_ + i));
    }
    __device__ reference operator*() const {
        return (*this)[0];
    }
    __host__ __device__ IndexOutput operator+(difference_type i) const {
        IndexOutput moved(*this);
        moved.offset_ += i;
        return moved;
    }

  private:
    winnow__sink sink_;
    bool wide_;
    difference_type offset_ = 0;
};

} // namespace winnow::copy
