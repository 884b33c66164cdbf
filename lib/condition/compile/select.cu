/*
 * A kernel that makes a selection. A warp makes a tile, chunk by chunk; the
 * steps of a chunk are adjacent.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
constexpr u32 CHUNKS = 4;

extern "C" __global__ void __launch_bounds__(256)
    winnow_kernel(const __grid_constant__ Args a) {
    const u64 tile = u64(blockIdx.x) * 8 + threadIdx.x / 32;
    if (tile >= a.tiles)
        return;
    const u64 items = a.items != nullptr && *a.items < a.n ? *a.items : a.n;
    u32 kept = 0;
#pragma unroll 1
    for (u32 c = 0; c < CHUNKS; c++) {
        const u64 chunk = (tile * CHUNKS + c) * CHUNK;
        u32 word = 0;
        if (chunk < items)
            word = words_of(decide(a, chunk, items,
                                   fields_of(inside(items - chunk)),
                                   a.by_vectors && chunk + CHUNK <= items));
        a.keep[(tile * CHUNKS + c) * 32 + lane()] = word;
        kept += __popc(word);
    }
#pragma unroll
    for (u32 step = 16; step > 0; step /= 2)
        kept += __shfl_xor_sync(ALL, kept, step);
    if (lane() == 0 && a.counts != nullptr)
        a.counts[tile] = u16(kept);
}
