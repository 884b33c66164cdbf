/* Types, arrays and names. SPDX-License-Identifier: Apache-2.0 */
#include "check.hpp"

#include <array>
#include <cstring>
#include <list>
#include <string>
#include <vector>
#include <winnow.hpp>
#if __has_include(<span>) && __cplusplus >= 202002L
#include <span>
#endif

struct half {
    std::uint16_t bits;
};
template <>
struct winnow::type_of<half> : winnow::is_type<WINNOW_FLOAT16> {};

namespace {

template <class T>
constexpr winnow_type type = winnow::type_of<T>::value;
static_assert(type<std::int8_t> == WINNOW_INT8);
static_assert(type<std::uint16_t> == WINNOW_UINT16);
static_assert(type<std::int32_t> == WINNOW_INT32);
static_assert(type<long> == WINNOW_INT64 && type<long long> == WINNOW_INT64);
static_assert(type<unsigned long> == WINNOW_UINT64);
static_assert(type<unsigned long long> == WINNOW_UINT64);
static_assert(type<float> == WINNOW_FLOAT32 && type<double> == WINNOW_FLOAT64);
static_assert(type<half> == WINNOW_FLOAT16);
static_assert(type<bool> == WINNOW_OPAQUE && type<char> == WINNOW_OPAQUE);
static_assert(type<long double> == WINNOW_OPAQUE);
#ifdef __SIZEOF_INT128__
static_assert(type<winnow::int128> == WINNOW_INT128);
#endif

/* What is an array of T, and what is not. */
template <class Array, class T>
constexpr bool is_span = std::is_convertible_v<Array, winnow::span<T>>;
static_assert(is_span<std::vector<int> &, int>);
static_assert(is_span<std::vector<int> &, const int>);
static_assert(is_span<const std::vector<int> &, const int>);
static_assert(is_span<std::array<int, 3> &, int> && is_span<int (&)[3], int>);
static_assert(is_span<winnow::span<int>, const int>);
static_assert(!is_span<const std::vector<int> &, int>);
static_assert(!is_span<std::vector<float> &, int>);
static_assert(!is_span<std::vector<bool> &, bool>);
static_assert(!is_span<std::list<int> &, int> && !is_span<int *, int>);
#if defined(__cpp_lib_span)
static_assert(is_span<std::span<int>, int>);
#endif

} // namespace

void test_types() {
    int numbers[3] = {1, 2, 3};
    const winnow::span<int> some(numbers, 2);
    CHECK(some.data() == numbers && some.size() == 2);

    CHECK(winnow::version() == WINNOW_VERSION);
    CHECK(std::string(winnow::version_string()) == winnow_version_string());
    CHECK(std::string(winnow::type_name(WINNOW_INT8)) == "int8");
    CHECK(winnow::type_size(WINNOW_FLOAT64) == 8);
    CHECK(std::string(winnow::strategy_name(WINNOW_TILE_SCAN)) == "tile_scan");
    CHECK(std::string(winnow::order_name(WINNOW_STABLE)) == "stable");
    CHECK(winnow::no_limit() == WINNOW_NO_LIMIT);
    CHECK(winnow::no_index() == WINNOW_NO_INDEX);

    winnow_number number;
    number.int64 = -1;
    CHECK(winnow::number<short>(number) == -1);
    CHECK(winnow::number<unsigned>(number) == UINT64_MAX);
    number.float64 = 0.5;
    CHECK(winnow::number<float>(number) == 0.5);

    /* 1.0 and -2.0. */
    const winnow::context host;
    const half halves[] = {{0x3c00}, {0xc000}, {0x3c00}};
    CHECK(winnow::count_if(host, halves, winnow::less(half{0})) == 1);
}
