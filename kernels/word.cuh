/*
 * Word tiles: one word to a thread, which is one element or several small ones.
 * They are for inputs that are soon read. What takes the time of these is the
 * way through the program, not the data: so it is short, and survivors go
 * straight to the output.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_WORD_CUH
#define WINNOW_KERNELS_WORD_CUH

#include "place.cuh"

namespace winnow {

/* As with vectors (load.cuh), tiles are cut where memory is aligned. */
template <class U, class Word, unsigned int THREADS>
struct WordTile {
    static constexpr unsigned int EACH = sizeof(Word) / sizeof(U);
    static constexpr unsigned int ITEMS = THREADS * EACH;

    Word word;
    uint32_t keep; /* bit i: item i of the word passes */

    /* Begin to load the block's tile; nothing waits for it before test(). */
    __device__ __forceinline__ void fetch(const winnow__args &args) {
        const uintptr_t address = reinterpret_cast<uintptr_t>(args.in);
        const int ahead = address % sizeof(Word) / sizeof(U);
        const uint64_t first = uint64_t(blockIdx.x) * ITEMS;
        const uint64_t left = ahead + args.n - first;
        const int end = left < ITEMS ? static_cast<int>(left) : ITEMS;
        const int begin = blockIdx.x == 0 ? ahead : 0;
        const int at = threadIdx.x * EACH;
        const U *const items = static_cast<const U *>(args.in) - ahead + first;
        const Word *const words = reinterpret_cast<const Word *>(items);
        word = 0;
        /* All tiles but the first and the last. */
        if (begin == 0 && end == static_cast<int>(ITEMS)) {
            inside_ = ALL;
            word = __ldcs(words + threadIdx.x);
            return;
        }
        inside_ = up_to(end - at) & ~up_to(begin - at);
        if (inside_ == ALL)
            word = __ldcs(words + threadIdx.x);
        else if (EACH != 1 && inside_ != 0)
            word = load_end(items + at);
    }

    template <class Test>
    __device__ __forceinline__ void test(const Test &passes) {
        keep = passes(word) & inside_;
    }

    /* How many are kept in the warp; by all its lanes, as below(). */
    __device__ __forceinline__ unsigned int kept() const {
        return EACH == 1 ? __popc(__ballot_sync(ALL_LANES, keep))
                         : sum(__popc(keep));
    }

    /* How many of them are in lower lanes. */
    __device__ __forceinline__ unsigned int below() const {
        unsigned int count = 0;
#pragma unroll
        for (unsigned int i = 0; i < EACH; i++)
            count +=
                __popc(__ballot_sync(ALL_LANES, keep >> i & 1) & lanes_below());
        return count;
    }

  private:
    static constexpr uint32_t ALL = (1u << EACH) - 1;
    uint32_t inside_; /* which items belong to the array */

    /* The first `items` of a word. */
    __device__ __forceinline__ static uint32_t up_to(int items) {
        return items <= 0                       ? 0
               : items < static_cast<int>(EACH) ? (1u << items) - 1
                                                : ALL;
    }

    /* A word across an end of the array, item by item. */
    __device__ __forceinline__ Word load_end(const U *items) const {
        Word loaded = 0;
#pragma unroll 1
        for (unsigned int i = 0; i < EACH; i++)
            if (inside_ >> i & 1)
                loaded |= static_cast<Word>(items[i]) << 8 * sizeof(U) * i;
        return loaded;
    }
};

/* Write a word's survivors to the output, from `position` on. */
template <class U, class Word, unsigned int THREADS>
__device__ __forceinline__ void
place_word(const winnow__args &args, uint64_t position,
           const WordTile<U, Word, THREADS> &tile) {
#pragma unroll
    for (unsigned int i = 0; i < sizeof(Word) / sizeof(U); i++)
        if (tile.keep >> i & 1)
            place(args, position++,
                  static_cast<U>(tile.word >> 8 * sizeof(U) * i));
}

} // namespace winnow

#endif
