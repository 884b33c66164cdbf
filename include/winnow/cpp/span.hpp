/*
 * An array of the caller. SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_CPP_SPAN_HPP
#define WINNOW_CPP_SPAN_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <type_traits>
#include <utility>

namespace winnow {

/*
 * A pointer and a number of elements, which may be in device memory. Every
 * function takes anything that has data() and size() as a span: std::vector,
 * std::array, std::span, and arrays of C.
 */
template <class T>
class span {
  public:
    using element_type = T;

    constexpr span() noexcept = default;
    constexpr span(T *data, std::uint64_t size) noexcept
        : data_(data), size_(size) {
    }
    template <class Array, class = std::enable_if_t<std::is_convertible_v<
                               std::remove_pointer_t<decltype(std::data(
                                   std::declval<Array &>()))> (*)[],
                               T (*)[]>>>
    constexpr span(Array &&array) noexcept
        : data_(std::data(array)), size_(std::size(array)) {
    }
    /* The span is valid until the end of the expression that has the list. */
    template <class U = T, class = std::enable_if_t<std::is_const_v<U>>>
    constexpr span(
        const std::initializer_list<std::remove_const_t<T>> &list) noexcept
        : data_(std::data(list)), size_(list.size()) {
    }

    constexpr T *data() const noexcept {
        return data_;
    }
    constexpr std::uint64_t size() const noexcept {
        return size_;
    }

  private:
    T *data_ = nullptr;
    std::uint64_t size_ = 0;
};

template <class T>
span(T *, std::uint64_t) -> span<T>;

namespace detail {

/* The element type of an array; const if the array may not be written. */
template <class Array>
using element = std::remove_pointer_t<decltype(std::data(
    std::declval<std::remove_reference_t<Array> &>()))>;
template <class Array>
using value = std::remove_cv_t<element<Array>>;

/* NULL for an empty span, such as a vector without elements that has memory. */
template <class T>
constexpr T *optional(span<T> of) noexcept {
    return of.size() ? of.data() : nullptr;
}

template <class Array>
constexpr span<element<Array>> view(Array &&array) noexcept {
    return {std::data(array), static_cast<std::uint64_t>(std::size(array))};
}

/* The same for an array that is written. */
template <class Array>
constexpr span<element<Array>> room(Array &&array) noexcept {
    static_assert(!std::is_const_v<element<Array>>,
                  "an output of const elements");
    return view(array);
}

/* The length of a list as unsigned; the library refuses the largest number. */
template <class T>
constexpr unsigned length(const span<T> &list) noexcept {
    return list.size() < ~0u ? unsigned(list.size()) : ~0u;
}

} /* namespace detail */
} /* namespace winnow */

#endif /* WINNOW_CPP_SPAN_HPP */
