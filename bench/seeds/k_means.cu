/*
 * The map of k-means: which centroid a point is nearest to, a task for each
 * point.
 *
 * After M. Elteir, H. Lin and W. Feng, "Performance Characterization and
 * Optimization of Atomic Operations on AMD GPUs" (2011), figure 11.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "map_output.cuh"

namespace seeds {

/* Points and centroids one after the other, SEEDS_DIMENSIONS numbers each. Of
 * centroids that are equally near it is the first. */
struct KMeans {
    using Record = seeds_assignment;
    static constexpr unsigned int TASKS = SEEDS_K_MEANS_TASKS;
    const float *points, *centroids;

    __device__ __forceinline__ bool operator()(uint64_t task,
                                               Record &record) const {
        float own[SEEDS_DIMENSIONS];
#pragma unroll
        for (unsigned int d = 0; d < SEEDS_DIMENSIONS; d++)
            own[d] = points[task * SEEDS_DIMENSIONS + d];
        float least = 0;
        for (uint32_t cluster = 0; cluster < SEEDS_CLUSTERS; cluster++) {
            float distance = 0;
#pragma unroll
            for (unsigned int d = 0; d < SEEDS_DIMENSIONS; d++) {
                const float off =
                    own[d] - centroids[cluster * SEEDS_DIMENSIONS + d];
                distance += off * off;
            }
            if (cluster == 0 || distance < least) {
                least = distance;
                record.cluster = cluster;
            }
        }
        record.point = static_cast<uint32_t>(task);
        return true;
    }
};

} // namespace seeds

int seeds_gpu_k_means(seeds_map_form form, const float *d_points,
                      const float *d_centroids, uint64_t n,
                      const seeds_map_output *output, winnow_stream stream) {
    return seeds::launch_map(form, seeds::KMeans{d_points, d_centroids}, n,
                             *output, stream);
}
