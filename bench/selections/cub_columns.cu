/*
 * Flags for several columns, which users make by a kernel of theirs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cub_calls.h"

namespace {

constexpr unsigned threads = 256;
constexpr unsigned per_thread = 4;

/* A vector of keys for each thread. */
__global__ void make_flags(std::int32_t threshold, const std::int32_t *keys,
                           std::uint64_t n, std::uint8_t *flags) {
    const std::uint64_t first =
        (blockIdx.x * std::uint64_t{threads} + threadIdx.x) * per_thread;
    if (first + per_thread <= n) {
        const int4 key = *reinterpret_cast<const int4 *>(&keys[first]);
        const auto flag = [=](std::int32_t x) -> unsigned char {
            return x < threshold ? 1 : 0;
        };
        *reinterpret_cast<uchar4 *>(&flags[first]) =
            make_uchar4(flag(key.x), flag(key.y), flag(key.z), flag(key.w));
    } else {
        for (std::uint64_t i = first; i < n; i++)
            flags[i] = keys[i] < threshold ? 1 : 0;
    }
}

} // namespace

int selections_cub_make_flags(std::int32_t threshold,
                              const std::int32_t *d_keys, std::uint64_t n,
                              std::uint8_t *d_flags, winnow_stream stream) {
    const std::uint64_t tile = threads * per_thread;
    make_flags<<<static_cast<unsigned>((n + tile - 1) / tile), threads, 0,
                 stream>>>(threshold, d_keys, n, d_flags);
    return cudaGetLastError();
}
