/*
 * String match: the places of a keyword in a text, a task for each place where
 * it could begin; and a filter of places that a search for its first letter has
 * found.
 *
 * After M. Elteir, H. Lin and W. Feng, "Performance Characterization and
 * Optimization of Atomic Operations on AMD GPUs" (2011), figure 13.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "map_output.cuh"

namespace seeds {

struct StringMatch {
    using Record = uint32_t;
    static constexpr unsigned int TASKS = SEEDS_MATCH_TASKS;
    const char *text;
    uint64_t n;
    seeds_keyword keyword;

    __device__ __forceinline__ bool operator()(uint64_t task,
                                               Record &record) const {
        if (text[task] != keyword.text[0] || n - task < keyword.length)
            return false;
        for (uint32_t k = 1; k < keyword.length; k++)
            if (text[task + k] != keyword.text[k])
                return false;
        record = static_cast<uint32_t>(task);
        return true;
    }
};

__global__ void __launch_bounds__(THREADS)
    match_candidates(const __grid_constant__ StringMatch match,
                     const uint32_t *candidates,
                     const uint64_t *candidate_count, uint64_t capacity,
                     uint32_t *positions, seeds_count *count) {
    const uint64_t found = *candidate_count;
    const uint64_t end = found < capacity ? found : capacity;
    for (uint64_t i = thread_index(); i < end;
         i += static_cast<uint64_t>(gridDim.x) * THREADS) {
        uint32_t position;
        if (match(candidates[i], position))
            positions[aggregated_increment(count)] = position;
    }
}

} // namespace seeds

int seeds_gpu_string_match(seeds_map_form form, const char *d_text, uint64_t n,
                           seeds_keyword keyword,
                           const seeds_map_output *output,
                           winnow_stream stream) {
    return seeds::launch_map(form, seeds::StringMatch{d_text, n, keyword}, n,
                             *output, stream);
}

int seeds_gpu_match_candidates(const char *d_text, uint64_t n,
                               seeds_keyword keyword,
                               const uint32_t *d_candidates,
                               const uint64_t *d_candidate_count,
                               uint64_t capacity, uint32_t *d_positions,
                               seeds_count *d_count, winnow_stream stream) {
    using namespace seeds;
    /* How many there are is known on the device alone: threads for all places,
     * up to what keeps a large device busy. */
    const unsigned int blocks = blocks_for(capacity, THREADS);
    return launch(match_candidates, blocks < 4096 ? blocks : 4096, THREADS,
                  stream, StringMatch{d_text, n, keyword}, d_candidates,
                  d_candidate_count, capacity, d_positions, d_count);
}
