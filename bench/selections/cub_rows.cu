/*
 * Rows of several columns at once, by a zip iterator.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cub_calls.h"

#include <cub/device/device_select.cuh>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include <type_traits>
#include <utility>

namespace {

template <std::size_t Column>
using element = std::conditional_t<Column % 2 == 0, std::int32_t, std::int64_t>;

struct first_below {
    std::int32_t threshold;

    template <typename Row>
    __host__ __device__ bool operator()(const Row &row) const {
        return thrust::get<0>(row) < threshold;
    }
};

/* What all calls have. */
struct arguments {
    std::int32_t threshold;
    void *d_temp;
    std::size_t *temp_bytes_p;
    const void *const *d_in;
    std::int64_t n;
    void *const *d_out;
    std::uint64_t *d_count;
    winnow_stream stream;
};

template <std::size_t... Columns>
int select(const arguments &a, std::index_sequence<Columns...>) {
    const auto in = thrust::make_zip_iterator(
        static_cast<const element<Columns> *>(a.d_in[Columns])...);
    const auto out = thrust::make_zip_iterator(
        static_cast<element<Columns> *>(a.d_out[Columns])...);
    return cub::DeviceSelect::If(a.d_temp, *a.temp_bytes_p, in, out, a.d_count,
                                 a.n, first_below{a.threshold}, a.stream);
}

} // namespace

int selections_cub_select_rows(unsigned number, std::int32_t threshold,
                               void *d_temp, std::size_t *temp_bytes_p,
                               const void *const *d_in, std::uint64_t n,
                               void *const *d_out, std::uint64_t *d_count,
                               winnow_stream stream) {
    const arguments a = {
        threshold, d_temp,  temp_bytes_p, d_in, static_cast<std::int64_t>(n),
        d_out,     d_count, stream};
    switch (number) {
    case 2:
        return select(a, std::make_index_sequence<2>{});
    case 4:
        return select(a, std::make_index_sequence<4>{});
    case 13:
        return select(a, std::make_index_sequence<13>{});
    }
    return cudaErrorInvalidValue;
}
