/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cub.h"

#include "../peer_calls.h"
#include "cub_calls.h"

#include <cub/device/device_select.cuh>

namespace {

struct below {
    std::int32_t threshold;

    __host__ __device__ bool operator()(std::int32_t x) const {
        return x < threshold;
    }
};

int select_if(std::int32_t threshold, void *d_temp, std::size_t *temp_bytes_p,
              const std::int32_t *d_in, std::uint64_t n, std::int32_t *d_out,
              std::uint64_t *d_count, winnow_stream stream) {
    return cub::DeviceSelect::If(d_temp, *temp_bytes_p, d_in, d_out, d_count,
                                 static_cast<std::int64_t>(n), below{threshold},
                                 stream);
}

const selections_cub calls = {bench_cub_name,
                              select_if,
                              bench_cub_flagged,
                              selections_cub_make_flags,
                              selections_cub_select_rows,
                              selections_cub_select_records,
                              selections_cub_select_record_indices,
                              selections_cub_gather_records,
                              selections_cub_unique,
                              selections_cub_q6_flags,
                              selections_cub_product_sum,
                              selections_cub_q6_sum,
                              selections_cub_pack_strings};

} // namespace

extern "C" const selections_cub *const selections_peer = &calls;
