/*
 * A matrix product as a map: a task for each element of the product.
 *
 * After M. Elteir, H. Lin and W. Feng, "Performance Characterization and
 * Optimization of Atomic Operations on AMD GPUs" (2011), figure 10.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "map_output.cuh"

namespace seeds {

struct MatrixProduct {
    using Record = seeds_element;
    static constexpr unsigned int TASKS = SEEDS_MATRIX_TASKS;
    const float *x, *y;
    uint32_t side;

    __device__ __forceinline__ bool operator()(uint64_t task,
                                               Record &record) const {
        const uint32_t row = static_cast<uint32_t>(task) / side;
        const uint32_t column = static_cast<uint32_t>(task) % side;
        float sum = 0;
        for (uint32_t k = 0; k < side; k++)
            sum += x[row * side + k] * y[k * side + column];
        record = {static_cast<uint32_t>(task), sum};
        return true;
    }
};

} // namespace seeds

int seeds_gpu_matrix_product(seeds_map_form form, const float *d_x,
                             const float *d_y, uint32_t side,
                             const seeds_map_output *output,
                             winnow_stream stream) {
    return seeds::launch_map(form, seeds::MatrixProduct{d_x, d_y, side},
                             static_cast<uint64_t>(side) * side, *output,
                             stream);
}
