/*
 * From a winnow_type to the C++ type that a user of CUB or Thrust would have.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_PEER_TYPE_CUH
#define WINNOW_BENCH_PEER_TYPE_CUH

#include <winnow.h>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

template <typename T>
struct less_than {
    T threshold;

    __host__ __device__ bool operator()(T x) const {
        return x < threshold;
    }
};

/* Call body with a value of the type; its value does not matter. */
template <typename Body>
int with_type(winnow_type type, Body body) {
    switch (type) {
    case WINNOW_INT8:
        return body(std::int8_t());
    case WINNOW_INT16:
        return body(std::int16_t());
    case WINNOW_INT32:
        return body(std::int32_t());
    case WINNOW_INT64:
        return body(std::int64_t());
    case WINNOW_UINT8:
        return body(std::uint8_t());
    case WINNOW_UINT16:
        return body(std::uint16_t());
    case WINNOW_UINT32:
        return body(std::uint32_t());
    case WINNOW_UINT64:
        return body(std::uint64_t());
    case WINNOW_FLOAT16:
        return body(__half());
    case WINNOW_BFLOAT16:
        return body(__nv_bfloat16());
    case WINNOW_FLOAT32:
        return body(float());
    case WINNOW_FLOAT64:
        return body(double());
    default:
        break;
    }
    return cudaErrorInvalidValue;
}

#endif
