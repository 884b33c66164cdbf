/*
 * Columns of bits that are packed in place: copies the bits that were packed in
 * a workspace over them, with one thread for each aligned word.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "bits.cuh"

namespace winnow::pack {

__global__ void __launch_bounds__(SINK_THREADS)
    copy_bits(const __grid_constant__ winnow__copy_bits_args args) {
    const uint64_t number =
        min(static_cast<uint64_t>(*args.total), args.capacity);
    for (unsigned int c = 0; c < args.number; c++) {
        const BitOutput out(args.columns[c].out, 0, number);
        /* The workspace has whole words. */
        const uint32_t *const from =
            BitOutput(args.columns[c].in, 0, number).words;
        const uint64_t first = out.begin / 32;
        for (uint64_t word = first +
                             static_cast<uint64_t>(blockIdx.x) * SINK_THREADS +
                             threadIdx.x;
             word * 32 < out.end;
             word += static_cast<uint64_t>(gridDim.x) * SINK_THREADS)
            out.put(word, from[word], word_mask(word, out.begin, out.end));
    }
}

} // namespace winnow::pack

WINNOW__FOR_HOST(winnow__copy_bits) = WINNOW__SINK(winnow::pack::copy_bits);
