/*
 * Query 6 of TPC-H by a kernel and CUB's calls.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cub_calls.h"

#include <cub/device/device_reduce.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

namespace {

constexpr unsigned int threads = 256;
/* Rows of a thread: one load of 16 bytes from each column. */
constexpr unsigned int per_thread = 4;

__host__ __device__ std::uint8_t
flag(std::int32_t ship_date, std::int32_t discount, std::int32_t quantity) {
    return ship_date >= 8766 && ship_date < 9131 && discount >= 5 &&
           discount <= 7 && quantity < 24;
}

/* Of four rows, or of what is left of them. */
__global__ void __launch_bounds__(threads)
    make_flags(const std::int32_t *ship_date, const std::int32_t *discount,
               const std::int32_t *quantity, std::uint64_t n,
               std::uint8_t *flags) {
    const std::uint64_t four =
        blockIdx.x * std::uint64_t{threads} + threadIdx.x;
    const std::uint64_t first = four * per_thread;
    if (first + per_thread <= n) {
        const int4 s = reinterpret_cast<const int4 *>(ship_date)[four];
        const int4 d = reinterpret_cast<const int4 *>(discount)[four];
        const int4 q = reinterpret_cast<const int4 *>(quantity)[four];
        reinterpret_cast<uchar4 *>(flags)[four] =
            uchar4{flag(s.x, d.x, q.x), flag(s.y, d.y, q.y),
                   flag(s.z, d.z, q.z), flag(s.w, d.w, q.w)};
        return;
    }
    for (std::uint64_t i = first; i < n; i++)
        flags[i] = flag(ship_date[i], discount[i], quantity[i]);
}

struct product {
    const std::int64_t *a;
    const std::int32_t *b;

    __host__ __device__ std::int64_t operator()(std::int64_t i) const {
        return a[i] * b[i];
    }
};

/* Of a row that passes; else 0. */
struct revenue {
    const std::int32_t *ship_date, *discount, *quantity;
    const std::int64_t *price;

    __host__ __device__ std::int64_t operator()(std::int64_t i) const {
        return flag(ship_date[i], discount[i], quantity[i])
                   ? price[i] * discount[i]
                   : 0;
    }
};

} // namespace

int selections_cub_q6_flags(const std::int32_t *d_ship_date,
                            const std::int32_t *d_discount,
                            const std::int32_t *d_quantity, std::uint64_t n,
                            std::uint8_t *d_flags, winnow_stream stream) {
    constexpr std::uint64_t per_block = threads * per_thread;
    const std::uint64_t blocks = n / per_block + 1;
    make_flags<<<static_cast<unsigned int>(blocks), threads, 0, stream>>>(
        d_ship_date, d_discount, d_quantity, n, d_flags);
    return cudaGetLastError();
}

int selections_cub_product_sum(void *d_temp, std::size_t *temp_bytes_p,
                               const std::int64_t *d_a, const std::int32_t *d_b,
                               std::uint64_t n, std::int64_t *d_sum,
                               winnow_stream stream) {
    const auto products = thrust::make_transform_iterator(
        thrust::counting_iterator<std::int64_t>(0), product{d_a, d_b});
    return cub::DeviceReduce::Sum(d_temp, *temp_bytes_p, products, d_sum,
                                  static_cast<std::int64_t>(n), stream);
}

int selections_cub_q6_sum(void *d_temp, std::size_t *temp_bytes_p,
                          const std::int32_t *d_ship_date,
                          const std::int32_t *d_discount,
                          const std::int32_t *d_quantity,
                          const std::int64_t *d_price, std::uint64_t n,
                          std::int64_t *d_sum, winnow_stream stream) {
    const auto revenues = thrust::make_transform_iterator(
        thrust::counting_iterator<std::int64_t>(0),
        revenue{d_ship_date, d_discount, d_quantity, d_price});
    return cub::DeviceReduce::Sum(d_temp, *temp_bytes_p, revenues, d_sum,
                                  static_cast<std::int64_t>(n), stream);
}
