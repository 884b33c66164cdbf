/*
 * The types of a compiled source, which includes no headers. COLUMNS and
 * CONSTANTS are numbers.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef __CUDACC_RTC__
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
#define INT64_MAX 0x7fffffffffffffffll
#define INT64_MIN (-INT64_MAX - 1)
#else
static inline uint32_t __umulhi(uint32_t a, uint32_t b) {
    return uint32_t(uint64_t(a) * b >> 32);
}
#endif
typedef int8_t i8;
typedef int16_t i16;
typedef int32_t i32;
typedef int64_t i64;
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef float f32;
typedef double f64;
#define WINNOW__BOTH __device__ inline
