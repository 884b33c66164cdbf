/*
 * The peer from CUB, called as its documentation says.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "peer_type.cuh"
#include "peer_calls.h"

#include <cub/device/device_partition.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_select.cuh>
#include <cub/version.cuh>
#include <thrust/iterator/counting_iterator.h>

#include <climits>
#include <cstdio>
#include <limits>
#include <type_traits>

namespace {

/* The outcome of the predicate, as a number to add up. */
template <typename T>
struct passes {
    less_than<T> predicate;

    __host__ __device__ std::uint64_t operator()(T x) const {
        return predicate(x) ? 1 : 0;
    }
};

/* Does the element with an index pass? */
template <typename T>
struct passes_at {
    const T *in;
    less_than<T> predicate;

    __device__ bool operator()(std::uint32_t i) const {
        return predicate(in[i]);
    }
};

template <typename Key>
int sort(unsigned bits, void *d_temp, size_t *temp_bytes_p, const void *d_keys,
         void *d_keys_out, const void *d_values, void *d_values_out,
         std::uint64_t n, winnow_stream stream) {
    const Key *const keys = static_cast<const Key *>(d_keys);
    Key *const keys_out = static_cast<Key *>(d_keys_out);
    const int end = static_cast<int>(bits);
    if (d_values == nullptr)
        return cub::DeviceRadixSort::SortKeys(d_temp, *temp_bytes_p, keys,
                                              keys_out, n, 0, end, stream);
    return cub::DeviceRadixSort::SortPairs(
        d_temp, *temp_bytes_p, keys, keys_out,
        static_cast<const std::uint32_t *>(d_values),
        static_cast<std::uint32_t *>(d_values_out), n, 0, end, stream);
}

struct plus {
    __host__ __device__ std::uint64_t operator()(std::uint64_t a,
                                                 std::uint64_t b) const {
        return a + b;
    }
};

/* What each type is added and compared as. */
template <typename T>
struct as {
    using sum = std::conditional_t<std::is_signed<T>::value, std::int64_t,
                                   std::uint64_t>;
    using value = T;
};
template <>
struct as<float> {
    using sum = double;
    using value = float;
};
template <>
struct as<double> {
    using sum = double;
    using value = double;
};
template <>
struct as<__half> {
    using sum = double;
    using value = float;
};
template <>
struct as<__nv_bfloat16> {
    using sum = double;
    using value = float;
};

/* Count, sum, minimum and maximum. */
template <typename T>
struct reduction {
    std::uint64_t count;
    typename as<T>::sum sum;
    typename as<T>::value minimum, maximum;
};

template <typename T>
constexpr reduction<T> nothing() {
    using limits = std::numeric_limits<typename as<T>::value>;
    return {0, 0, limits::has_infinity ? limits::infinity() : limits::max(),
            limits::has_infinity ? -limits::infinity() : limits::lowest()};
}

template <typename T>
struct of_one {
    less_than<T> predicate;
    reduction<T> none;

    __host__ __device__ reduction<T> operator()(T x) const {
        const typename as<T>::value value =
            static_cast<typename as<T>::value>(x);
        if (!predicate(x))
            return none;
        return {1, static_cast<typename as<T>::sum>(value), value, value};
    }
};

template <typename T>
struct both {
    __host__ __device__ reduction<T> operator()(const reduction<T> &a,
                                                const reduction<T> &b) const {
        return {a.count + b.count, a.sum + b.sum,
                b.minimum < a.minimum ? b.minimum : a.minimum,
                a.maximum < b.maximum ? b.maximum : a.maximum};
    }
};

template <typename T>
__global__ void make_flags(const T *in, std::uint64_t n, less_than<T> predicate,
                           std::uint8_t *flags) {
    for (std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
         i < n; i += std::uint64_t{gridDim.x} * blockDim.x)
        flags[i] = predicate(in[i]) ? 1 : 0;
}

} // namespace

const char *bench_cub_name(void) {
    static char name[32];
    std::snprintf(name, sizeof name, "cub-%d.%d.%d", CUB_MAJOR_VERSION,
                  CUB_MINOR_VERSION, CUB_SUBMINOR_VERSION);
    return name;
}

uint64_t bench_cub_most_items(void) {
    return CUB_VERSION < 200800 ? INT_MAX : INT64_MAX;
}

int bench_cub_copy_if(winnow_type type, const void *threshold, void *d_temp,
                      size_t *temp_bytes_p, const void *d_in, uint64_t n,
                      void *d_out, uint64_t *d_count, winnow_stream stream) {
    return with_type(type, [&](auto zero) -> int {
        using T = decltype(zero);
        return cub::DeviceSelect::If(
            d_temp, *temp_bytes_p, static_cast<const T *>(d_in),
            static_cast<T *>(d_out), d_count, static_cast<std::int64_t>(n),
            less_than<T>{*static_cast<const T *>(threshold)}, stream);
    });
}

int bench_cub_copy_index_if(winnow_type type, const void *threshold,
                            void *d_temp, size_t *temp_bytes_p,
                            const void *d_in, uint64_t n, void *d_out,
                            uint64_t *d_count, winnow_stream stream) {
    return with_type(type, [&](auto zero) -> int {
        using T = decltype(zero);
        return cub::DeviceSelect::If(
            d_temp, *temp_bytes_p, thrust::counting_iterator<std::uint32_t>(0),
            static_cast<std::uint32_t *>(d_out), d_count,
            static_cast<std::int64_t>(n),
            passes_at<T>{static_cast<const T *>(d_in),
                         {*static_cast<const T *>(threshold)}},
            stream);
    });
}

int bench_cub_flagged(winnow_type type, const void *d_flags, void *d_temp,
                      size_t *temp_bytes_p, const void *d_in, uint64_t n,
                      void *d_out, uint64_t *d_count, winnow_stream stream) {
    return with_type(type, [&](auto zero) -> int {
        using T = decltype(zero);
        return cub::DeviceSelect::Flagged(
            d_temp, *temp_bytes_p, static_cast<const T *>(d_in),
            static_cast<const std::uint8_t *>(d_flags), static_cast<T *>(d_out),
            d_count, static_cast<std::int64_t>(n), stream);
    });
}

int bench_cub_make_flags(winnow_type type, const void *threshold,
                         const void *d_in, uint64_t n, void *d_flags,
                         winnow_stream stream) {
    return with_type(type, [&](auto zero) -> int {
        using T = decltype(zero);
        make_flags<<<1024, 256, 0, stream>>>(
            static_cast<const T *>(d_in), n,
            less_than<T>{*static_cast<const T *>(threshold)},
            static_cast<std::uint8_t *>(d_flags));
        return cudaGetLastError();
    });
}

int bench_cub_partition_if(winnow_type type, const void *threshold,
                           void *d_temp, size_t *temp_bytes_p, const void *d_in,
                           uint64_t n, void *d_out, uint64_t *d_count,
                           winnow_stream stream) {
    return with_type(type, [&](auto zero) -> int {
        using T = decltype(zero);
        return cub::DevicePartition::If(
            d_temp, *temp_bytes_p, static_cast<const T *>(d_in),
            static_cast<T *>(d_out), d_count, static_cast<std::int64_t>(n),
            less_than<T>{*static_cast<const T *>(threshold)}, stream);
    });
}

int bench_cub_count_if(winnow_type type, const void *threshold, void *d_temp,
                       size_t *temp_bytes_p, const void *d_in, uint64_t n,
                       uint64_t *d_count, winnow_stream stream) {
    return with_type(type, [&](auto zero) -> int {
        using T = decltype(zero);
        return cub::DeviceReduce::TransformReduce(
            d_temp, *temp_bytes_p, static_cast<const T *>(d_in), d_count,
            static_cast<std::int64_t>(n), plus{},
            passes<T>{{*static_cast<const T *>(threshold)}}, std::uint64_t{0},
            stream);
    });
}

int bench_cub_reduce_if(winnow_type type, const void *threshold, void *d_temp,
                        size_t *temp_bytes_p, const void *d_in, uint64_t n,
                        void *d_result, winnow_stream stream) {
    return with_type(type, [&](auto zero) -> int {
        using T = decltype(zero);
        return cub::DeviceReduce::TransformReduce(
            d_temp, *temp_bytes_p, static_cast<const T *>(d_in),
            static_cast<reduction<T> *>(d_result), static_cast<std::int64_t>(n),
            both<T>{},
            of_one<T>{{*static_cast<const T *>(threshold)}, nothing<T>()},
            nothing<T>(), stream);
    });
}

int bench_cub_sort(winnow_type type, unsigned bits, void *d_temp,
                   size_t *temp_bytes_p, const void *d_keys, void *d_keys_out,
                   const void *d_values, void *d_values_out, uint64_t n,
                   winnow_stream stream) {
    return (type == WINNOW_UINT32
                ? sort<std::uint32_t>
                : sort<std::uint64_t>)(bits, d_temp, temp_bytes_p, d_keys,
                                       d_keys_out, d_values, d_values_out, n,
                                       stream);
}
