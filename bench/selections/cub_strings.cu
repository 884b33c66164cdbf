/*
 * Strings by CUB: where they begin and their lengths are packed, the lengths
 * added up, and the bytes moved.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cub_calls.h"

#include <cub/device/device_memcpy.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>

namespace {

template <typename Offset>
struct span {
    Offset first, bytes;
};

template <typename Offset>
struct span_of {
    const Offset *offsets;

    __host__ __device__ span<Offset> operator()(std::int64_t i) const {
        return {offsets[i], offsets[i + 1] - offsets[i]};
    }
};

template <typename Offset>
struct bytes_of {
    const span<Offset> *spans;

    __host__ __device__ Offset operator()(std::int64_t k) const {
        return spans[k].bytes;
    }
};

template <typename Offset>
struct source_of {
    const span<Offset> *spans;
    const char *data;

    __host__ __device__ const void *operator()(std::int64_t k) const {
        return data + spans[k].first;
    }
};

template <typename Offset>
struct target_of {
    const Offset *offsets;
    char *out;

    __host__ __device__ void *operator()(std::int64_t k) const {
        return out + offsets[k];
    }
};

template <typename Function>
auto each(Function function) {
    return thrust::make_transform_iterator(
        thrust::counting_iterator<std::int64_t>(0), function);
}

/* What all steps have. */
template <typename Offset>
struct job {
    const std::uint8_t *flags;
    void *temp;
    const Offset *offsets;
    const char *data;
    std::int64_t n, kept;
    span<Offset> *spans;
    Offset *out_offsets;
    char *out;
    std::uint64_t *count;
    winnow_stream stream;

    cudaError_t select(std::size_t &temp_bytes) const {
        return cub::DeviceSelect::Flagged(temp, temp_bytes,
                                          each(span_of<Offset>{offsets}), flags,
                                          spans, count, n, stream);
    }

    /* Behind the first, which is 0. */
    cudaError_t scan(std::size_t &temp_bytes) const {
        return cub::DeviceScan::InclusiveSum(temp, temp_bytes,
                                             each(bytes_of<Offset>{spans}),
                                             out_offsets + 1, kept, stream);
    }

    cudaError_t move(std::size_t &temp_bytes) const {
        return cub::DeviceMemcpy::Batched(
            temp, temp_bytes, each(source_of<Offset>{spans, data}),
            each(target_of<Offset>{out_offsets, out}),
            each(bytes_of<Offset>{spans}), kept, stream);
    }
};

template <typename Offset>
cudaError_t ask(const job<Offset> &j, std::size_t *temp_bytes_p) {
    std::size_t select = 0, scan = 0, move = 0;
    cudaError_t error = j.select(select);
    if (error == cudaSuccess)
        error = j.scan(scan);
    if (error == cudaSuccess)
        error = j.move(move);
    *temp_bytes_p = std::max({select, scan, move});
    return error;
}

template <typename Offset>
cudaError_t run(const job<Offset> &j, std::size_t temp_bytes) {
    cudaError_t error =
        cudaMemsetAsync(j.out_offsets, 0, sizeof(Offset), j.stream);
    if (error == cudaSuccess)
        error = j.select(temp_bytes);
    if (error == cudaSuccess && j.kept > 0)
        error = j.scan(temp_bytes);
    if (error == cudaSuccess && j.kept > 0)
        error = j.move(temp_bytes);
    return error;
}

template <typename Offset>
int pack(const std::uint8_t *d_flags, void *d_temp, std::size_t *temp_bytes_p,
         const void *d_offsets, const void *d_data, std::uint64_t n,
         std::uint64_t kept, void *d_spans, void *d_out_offsets, void *d_out,
         std::uint64_t *d_count, winnow_stream stream) {
    const job<Offset> j = {d_flags,
                           d_temp,
                           static_cast<const Offset *>(d_offsets),
                           static_cast<const char *>(d_data),
                           static_cast<std::int64_t>(n),
                           static_cast<std::int64_t>(kept),
                           static_cast<span<Offset> *>(d_spans),
                           static_cast<Offset *>(d_out_offsets),
                           static_cast<char *>(d_out),
                           d_count,
                           stream};
    return d_temp == nullptr ? ask(j, temp_bytes_p) : run(j, *temp_bytes_p);
}

} // namespace

int selections_cub_pack_strings(std::size_t offset_bytes,
                                const std::uint8_t *d_flags, void *d_temp,
                                std::size_t *temp_bytes_p,
                                const void *d_offsets, const void *d_data,
                                std::uint64_t n, std::uint64_t kept,
                                void *d_spans, void *d_out_offsets, void *d_out,
                                std::uint64_t *d_count, winnow_stream stream) {
    return (offset_bytes == 4
                ? pack<std::uint32_t>
                : pack<std::uint64_t>)(d_flags, d_temp, temp_bytes_p, d_offsets,
                                       d_data, n, kept, d_spans, d_out_offsets,
                                       d_out, d_count, stream);
}
