/*
 * Packing strings: their bytes, once it is known where each of them goes.
 *
 * The output is made in aligned vectors of 16 bytes, a thread for each. It finds
 * the string that its first byte is of by a search in shared memory, and goes on
 * through those that end in the vector: two loads for each, whatever its
 * alignment, and a shift. So a warp writes whole lines, and long and short
 * strings take the same way.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_PACK_STRINGS_CUH
#define WINNOW_KERNELS_PACK_STRINGS_CUH

#include "strings.h"
#include "kernels/core/block_sum.cuh"
#include "kernels/selection/use.cuh"

namespace winnow::pack {

using namespace selection;

using StringWords = SelectedWords<WINNOW__BATCH_TILES>;
using StringUnit = Unit<WINNOW__BATCH_TILES>;

/* Strings that are staged together, as many for each thread. */
constexpr unsigned int EACH_STRING = 4;
constexpr unsigned int STAGED_STRINGS = EACH_STRING * SINK_THREADS;

/* String i goes to bytes at[i] to at[i + 1] - 1 of the output, from byte from[i]
 * of the input on. */
template <class Offset>
struct StagedStrings {
    Offset at[STAGED_STRINGS + 1];
    Offset from[STAGED_STRINGS];
};

/* Where a string begins, and its length. */
template <class Offset>
struct String {
    Offset begin, bytes;

    __device__ __forceinline__ String(Offset first, Offset end, uint64_t size) {
        const Offset most = static_cast<Offset>(size);
        begin = min(first, most);
        end = min(end, most);
        bytes = end > begin ? end - begin : 0;
    }
};

/* 16 bytes in words; zeros. */
struct Sixteen {
    uint32_t word[4] = {0, 0, 0, 0};

    __device__ __forceinline__ uint4 vector() const {
        return make_uint4(word[0], word[1], word[2], word[3]);
    }

    __device__ __forceinline__ uint8_t byte(unsigned int i) const {
        const uint32_t half =
            i < 8 ? (i < 4 ? word[0] : word[1]) : (i < 12 ? word[2] : word[3]);
        return static_cast<uint8_t>(half >> 8 * (i % 4));
    }

    /* Take the bytes from `begin` on from another one. */
    __device__ __forceinline__ void take(unsigned int begin,
                                         const uint32_t (&other)[4]) {
#pragma unroll
        for (unsigned int i = 0; i < 4; i++) {
            const uint32_t below = begin <= 4 * i ? 0
                                   : begin >= 4 * i + 4
                                       ? ~0u
                                       : (1u << 8 * (begin % 4)) - 1;
            word[i] = (word[i] & below) | (other[i] & ~below);
        }
    }
};

/* The bytes that strings are read from. Nothing is read that is not theirs. */
class StringBytes {
  public:
    __device__ __forceinline__ StringBytes(const void *data, uint64_t size)
        : data_(reinterpret_cast<uintptr_t>(data)),
          first_whole_((data_ + 15) & ~uintptr_t(15)),
          end_whole_((data_ + size) & ~uintptr_t(15)) {
    }

    /* Bytes `begin` to `end` - 1 of 16; the first of these is byte `from`. */
    __device__ __forceinline__ void load(Sixteen &to, uint64_t from,
                                         unsigned int begin,
                                         unsigned int end) const {
        const uintptr_t address = data_ + from - begin; /* of byte 0 */
        const uintptr_t low = address & ~uintptr_t(15);
        const unsigned int shift = static_cast<unsigned int>(address % 16);
        const bool has_low = shift + begin<16, has_high = shift + end> 16;
        if ((has_low && !is_whole(low)) || (has_high && !is_whole(low + 16))) {
            load_bytes(to, address, begin, end);
            return;
        }
        uint4 a = make_uint4(0, 0, 0, 0), b = a;
        if (has_low)
            a = *reinterpret_cast<const uint4 *>(low);
        if (has_high)
            b = *reinterpret_cast<const uint4 *>(low + 16);
        shift_in(to, begin, shift, a, b);
    }

  private:
    uintptr_t data_, first_whole_, end_whole_;

    __device__ __forceinline__ bool is_whole(uintptr_t vector) const {
        return first_whole_ <= vector && vector < end_whole_;
    }

    __device__ __forceinline__ static void
    shift_in(Sixteen &to, unsigned int begin, unsigned int shift,
             const uint4 &a, const uint4 &b) {
        uint32_t w[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
        if (shift & 8) {
#pragma unroll
            for (unsigned int i = 0; i < 6; i++)
                w[i] = w[i + 2];
        }
        if (shift & 4) {
#pragma unroll
            for (unsigned int i = 0; i < 5; i++)
                w[i] = w[i + 1];
        }
        uint32_t out[4];
#pragma unroll
        for (unsigned int i = 0; i < 4; i++)
            out[i] = __funnelshift_r(w[i], w[i + 1], 8 * (shift % 4));
        to.take(begin, out);
    }

    /* At an end of the input. */
    __device__ __forceinline__ static void load_bytes(Sixteen &to,
                                                      uintptr_t address,
                                                      unsigned int begin,
                                                      unsigned int end) {
        uint32_t out[4] = {0, 0, 0, 0};
#pragma unroll
        for (unsigned int i = 0; i < 16; i++)
            if (begin <= i && i < end)
                out[i / 4] |=
                    static_cast<uint32_t>(
                        *reinterpret_cast<const uint8_t *>(address + i))
                    << 8 * (i % 4);
        to.take(begin, out);
    }
};

/* The last one of `number` strings that begins at a byte or before it; the first
 * does. */
template <class Offset>
__device__ __forceinline__ unsigned int
string_at(const StagedStrings<Offset> &strings, unsigned int number,
          Offset byte) {
    unsigned int low = 0, high = number;
    while (high - low > 1) {
        const unsigned int middle = (low + high) / 2;
        if (strings.at[middle] <= byte)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Write the bytes of `number` strings, one at least, that are staged. By all
 * threads. */
template <class Offset>
__device__ __forceinline__ void
write_strings(const StagedStrings<Offset> &strings, unsigned int number,
              const StringBytes &bytes, void *output) {
    const uintptr_t address = reinterpret_cast<uintptr_t>(output);
    /* Places are counted from an aligned address on. */
    const Offset skip = static_cast<Offset>(address % 16);
    unsigned char *const out =
        reinterpret_cast<unsigned char *>(address & ~uintptr_t(15));
    const Offset first = strings.at[0] + skip, end = strings.at[number] + skip;
#pragma unroll 1
    for (Offset place = (first & ~Offset(15)) + 16 * threadIdx.x; place < end;
         place += 16 * SINK_THREADS) {
        const Offset last = min(place + 16, end);
        Offset at = max(place, first);
        const bool whole = at == place && last - place == 16;
        const unsigned int begun = static_cast<unsigned int>(at - place);
        Sixteen made;
        for (unsigned int i = string_at(strings, number, at - skip); at < last;
             i++) {
            const Offset next = min(strings.at[i + 1] + skip, last);
            if (next <= at)
                continue;
            bytes.load(made, strings.from[i] + (at - skip - strings.at[i]),
                       static_cast<unsigned int>(at - place),
                       static_cast<unsigned int>(next - place));
            at = next;
        }
        if (whole) {
            __stcs(reinterpret_cast<uint4 *>(out + place), made.vector());
            continue;
        }
        /* Other bytes of the vector are another block's, or nobody's. */
        for (unsigned int i = begun; i < last - place; i++)
            out[place + i] = made.byte(i);
    }
}

} // namespace winnow::pack

#endif
