/*
 * Records with a key of 4 bytes at byte 8, by CUB.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cub_calls.h"

#include <cub/device/device_select.cuh>

#include <thrust/iterator/counting_iterator.h>

namespace {

template <unsigned Bytes>
struct record {
    uint4 vectors[Bytes / sizeof(uint4)];
};

template <unsigned Bytes>
struct below {
    std::int32_t threshold;

    __host__ __device__ bool operator()(const record<Bytes> &x) const {
        return static_cast<std::int32_t>(x.vectors[0].z) < threshold;
    }
};

template <unsigned Bytes>
struct below_at {
    const record<Bytes> *records;
    std::int32_t threshold;

    __host__ __device__ bool operator()(std::uint32_t i) const {
        return static_cast<std::int32_t>(records[i].vectors[0].z) < threshold;
    }
};

/* The vectors of a record are copied by threads next to each other. */
template <unsigned Bytes>
__global__ void gather(const record<Bytes> *in, const std::uint32_t *indices,
                       const std::uint64_t *count, record<Bytes> *out) {
    constexpr unsigned vectors = Bytes / sizeof(uint4);
    const std::uint64_t end = *count * vectors;
    const std::uint64_t step = gridDim.x * std::uint64_t{blockDim.x};
    for (std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
         i < end; i += step)
        out[i / vectors].vectors[i % vectors] =
            in[indices[i / vectors]].vectors[i % vectors];
}

template <unsigned Bytes>
struct sized {
    using type = record<Bytes>;
    static constexpr unsigned bytes = Bytes;
};

template <typename Function>
int with_record(std::size_t bytes, Function function) {
    switch (bytes) {
    case 16:
        return function(sized<16>{});
    case 32:
        return function(sized<32>{});
    case 128:
        return function(sized<128>{});
    case 1024:
        return function(sized<1024>{});
    case 4096:
        return function(sized<4096>{});
    default:
        return cudaErrorInvalidValue;
    }
}

constexpr unsigned gather_blocks = 4096;
constexpr unsigned gather_threads = 256;

} // namespace

int selections_cub_select_records(std::size_t record_bytes,
                                  std::int32_t threshold, void *d_temp,
                                  std::size_t *temp_bytes_p, const void *d_in,
                                  std::uint64_t n, void *d_out,
                                  std::uint64_t *d_count,
                                  winnow_stream stream) {
    return with_record(record_bytes, [&](auto size) -> int {
        using T = typename decltype(size)::type;
        return cub::DeviceSelect::If(
            d_temp, *temp_bytes_p, static_cast<const T *>(d_in),
            static_cast<T *>(d_out), d_count, static_cast<std::int64_t>(n),
            below<decltype(size)::bytes>{threshold}, stream);
    });
}

int selections_cub_select_record_indices(
    std::size_t record_bytes, std::int32_t threshold, void *d_temp,
    std::size_t *temp_bytes_p, const void *d_in, std::uint64_t n,
    std::uint32_t *d_indices, std::uint64_t *d_count, winnow_stream stream) {
    return with_record(record_bytes, [&](auto size) -> int {
        using T = typename decltype(size)::type;
        return cub::DeviceSelect::If(
            d_temp, *temp_bytes_p, thrust::counting_iterator<std::uint32_t>(0),
            d_indices, d_count, static_cast<std::int64_t>(n),
            below_at<decltype(size)::bytes>{static_cast<const T *>(d_in),
                                            threshold},
            stream);
    });
}

int selections_cub_gather_records(std::size_t record_bytes, const void *d_in,
                                  const std::uint32_t *d_indices,
                                  const std::uint64_t *d_count, void *d_out,
                                  winnow_stream stream) {
    return with_record(record_bytes, [&](auto size) -> int {
        using T = typename decltype(size)::type;
        gather<decltype(size)::bytes>
            <<<gather_blocks, gather_threads, 0, stream>>>(
                static_cast<const T *>(d_in), d_indices, d_count,
                static_cast<T *>(d_out));
        return cudaGetLastError();
    });
}
