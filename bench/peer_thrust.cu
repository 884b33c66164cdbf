/*
 * The peer from Thrust, called as its documentation says. Thrust reports
 * errors by exceptions, so this file is compiled with them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "peer_type.cuh"
#include "peer_calls.h"

#include <thrust/copy.h>
#include <thrust/device_ptr.h>
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/system_error.h>
#include <thrust/version.h>

#include <cstdio>
#include <exception>

const char *bench_thrust_name(void) {
    static char name[32];
    std::snprintf(name, sizeof name, "thrust-%d.%d.%d", THRUST_MAJOR_VERSION,
                  THRUST_MINOR_VERSION, THRUST_SUBMINOR_VERSION);
    return name;
}

template <typename T>
static void copy_if(const void *threshold, const void *d_in, uint64_t n,
                    void *d_out, uint64_t *count_p, winnow_stream stream) {
    const auto in = thrust::device_pointer_cast(static_cast<const T *>(d_in));
    const auto out = thrust::device_pointer_cast(static_cast<T *>(d_out));
    const auto end =
        thrust::copy_if(thrust::cuda::par_nosync.on(stream), in, in + n, out,
                        less_than<T>{*static_cast<const T *>(threshold)});
    *count_p = static_cast<uint64_t>(end - out);
}

int bench_thrust_copy_if(winnow_type type, const void *threshold,
                         const void *d_in, uint64_t n, void *d_out,
                         uint64_t *count_p, winnow_stream stream) {
    try {
        return with_type(type, [&](auto zero) -> int {
            copy_if<decltype(zero)>(threshold, d_in, n, d_out, count_p, stream);
            return cudaGetLastError();
        });
    } catch (const thrust::system_error &error) {
        return error.code().value();
    } catch (const std::exception &error) {
        /* Nothing must be thrown into C. */
        std::fprintf(stderr, "winnow-bench: Thrust: %s\n", error.what());
        return cudaErrorUnknown;
    }
}
