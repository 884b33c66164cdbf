/*
 * Does a string match a pattern? One lane tests it, or all lanes of a warp do.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_STRING_MATCH_CUH
#define WINNOW_KERNELS_STRING_MATCH_CUH

#include "bytes.cuh"

namespace winnow::string {

#define WINNOW__LIKE_EQUAL(s, i, block, text)                                  \
    is_at((s), (i), words_of((block), (text)), (text)->bytes)

namespace alone {
#define WINNOW__LIKE_FIND(s, i, end, block, text)                              \
    find((s), (i), (end), words_of((block), (text)), (text)->bytes)
#include "like.h"
#undef WINNOW__LIKE_FIND
} // namespace alone

namespace together {
#define WINNOW__LIKE_FIND(s, i, end, block, text)                              \
    find_together((s), (i), (end), words_of((block), (text)), (text)->bytes)
#include "like.h"
#undef WINNOW__LIKE_FIND
} // namespace together

#undef WINNOW__LIKE_EQUAL

template <winnow__string_kernel KERNEL, bool TOGETHER>
__device__ __forceinline__ bool matches(const Bytes &s,
                                        const winnow__pattern *pattern) {
    const unsigned char *const block =
        reinterpret_cast<const unsigned char *>(pattern);
    const uint32_t *const text = words_of(block, &pattern->text);
    const uint64_t bytes = pattern->text.bytes;
    const auto *const begin = reinterpret_cast<const unsigned char *>(text);
    const Bytes of_text{begin, bytes, begin, begin + bytes};
    if constexpr (KERNEL == WINNOW__STRING_FEW ||
                  KERNEL == WINNOW__STRING_TABLE) {
        return (pattern->lengths & winnow__string_length_bit(s.bytes)) != 0 &&
               alone::winnow__list_has(s, s.bytes, hash(s, pattern->seed),
                                       pattern);
    } else if constexpr (KERNEL == WINNOW__STRING_LIKE) {
        if constexpr (TOGETHER)
            return together::winnow__is_like(s, s.bytes, pattern);
        else
            return alone::winnow__is_like(s, s.bytes, pattern);
    } else if constexpr (KERNEL == WINNOW__STRING_CONTAIN) {
        return (TOGETHER ? find_together(s, 0, s.bytes, text, bytes)
                         : find(s, 0, s.bytes, text, bytes)) != NONE;
    } else {
        switch (pattern->kind) {
        case WINNOW__PATTERN_EQUAL:
            return s.bytes == bytes && is_at(s, 0, text, bytes);
        case WINNOW__PATTERN_LESS:
            return order(s, of_text) < 0;
        case WINNOW__PATTERN_LESS_EQUAL:
            return order(s, of_text) <= 0;
        case WINNOW__PATTERN_STARTS:
            return s.bytes >= bytes && is_at(s, 0, text, bytes);
        default:
            return s.bytes >= bytes && is_at(s, s.bytes - bytes, text, bytes);
        }
    }
}

} // namespace winnow::string

#endif
