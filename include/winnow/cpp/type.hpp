/*
 * The winnow_type of a C++ type. SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_CPP_TYPE_HPP
#define WINNOW_CPP_TYPE_HPP

#include <winnow/cpp/status.hpp>

#include <cstdint>
#include <type_traits>

namespace winnow {

template <winnow_type Type>
struct is_type {
    static constexpr winnow_type value = Type;
};

#ifdef __SIZEOF_INT128__
__extension__ typedef __int128 int128;
#endif

namespace detail {

/* The type depends on the size, so long and long long are both int64. */
template <class T>
constexpr winnow_type of_integer() {
    constexpr winnow_type types[2][9] = {
        {WINNOW_OPAQUE, WINNOW_UINT8, WINNOW_UINT16, WINNOW_OPAQUE,
         WINNOW_UINT32, WINNOW_OPAQUE, WINNOW_OPAQUE, WINNOW_OPAQUE,
         WINNOW_UINT64},
        {WINNOW_OPAQUE, WINNOW_INT8, WINNOW_INT16, WINNOW_OPAQUE, WINNOW_INT32,
         WINNOW_OPAQUE, WINNOW_OPAQUE, WINNOW_OPAQUE, WINNOW_INT64},
    };
    return types[std::is_signed_v<T>][sizeof(T)];
}

template <class T, class... Us>
inline constexpr bool is_one_of = (std::is_same_v<T, Us> || ...);

/* bool and characters are not numbers. */
template <class T>
inline constexpr bool is_integer =
    is_one_of<T, signed char, unsigned char, short, unsigned short, int,
              unsigned, long, unsigned long, long long, unsigned long long>;

} /* namespace detail */

/*
 * The type of T's values, or WINNOW_OPAQUE if T is not a number. It may be
 * specialised, for example for the 16-bit floats of CUDA:
 *
 *     template <>
 *     struct winnow::type_of<__half> : winnow::is_type<WINNOW_FLOAT16> {};
 */
template <class T, class = void>
struct type_of : is_type<WINNOW_OPAQUE> {};
template <class T>
struct type_of<T, std::enable_if_t<detail::is_integer<T>>>
    : is_type<detail::of_integer<T>()> {};
template <>
struct type_of<float> : is_type<WINNOW_FLOAT32> {};
template <>
struct type_of<double> : is_type<WINNOW_FLOAT64> {};
#ifdef __SIZEOF_INT128__
template <>
struct type_of<int128> : is_type<WINNOW_INT128> {};
#endif

namespace detail {

template <class T>
inline constexpr winnow_type type = type_of<std::remove_cv_t<T>>::value;

/* A compile-time error if T is not a number. */
template <class T>
constexpr winnow_type number_type() {
    static_assert(type<T> != WINNOW_OPAQUE,
                  "not a number of winnow's: specialise winnow::type_of");
    return type<T>;
}

/* A compile-time error if T cannot be copied byte by byte, or is bool. */
template <class T>
constexpr std::size_t element_bytes() {
    static_assert(std::is_trivially_copyable_v<T>,
                  "elements are moved as bytes");
    static_assert(!std::is_same_v<std::remove_cv_t<T>, bool>,
                  "an array of bool is a mask: winnow::flags()");
    return sizeof(T);
}

/* A compile-time error if T is not a type of indices. */
template <class T>
constexpr winnow_type index_type() {
    static_assert(type<T> == WINNOW_UINT32 || type<T> == WINNOW_UINT64,
                  "indices are unsigned, of 32 or 64 bits");
    return type<T>;
}

} /* namespace detail */

/* A sum, minimum or maximum of elements of type T. */
template <class T>
constexpr auto number(const winnow_number &value) noexcept {
    constexpr winnow_type type = detail::number_type<T>();
    if constexpr (type >= WINNOW_INT8 && type <= WINNOW_INT64)
        return value.int64;
    else if constexpr (type >= WINNOW_UINT8 && type <= WINNOW_UINT64)
        return value.uint64;
    else
        return value.float64;
}

inline const char *type_name(winnow_type type) noexcept {
    return winnow_type_name(type);
}
inline std::size_t type_size(winnow_type type) noexcept {
    return winnow_type_size(type);
}
inline const char *strategy_name(winnow_strategy strategy) noexcept {
    return winnow_strategy_name(strategy);
}
inline const char *order_name(winnow_order order) noexcept {
    return winnow_order_name(order);
}

/* The version of the library that is running. */
inline int version() noexcept {
    return winnow_version();
}
inline const char *version_string() noexcept {
    return winnow_version_string();
}

inline std::uint64_t no_limit() noexcept {
    return winnow_no_limit();
}
inline std::uint64_t no_index() noexcept {
    return winnow_no_index();
}

} /* namespace winnow */

#endif /* WINNOW_CPP_TYPE_HPP */
