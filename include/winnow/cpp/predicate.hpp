/*
 * Which elements to keep. SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_CPP_PREDICATE_HPP
#define WINNOW_CPP_PREDICATE_HPP

#include <winnow/cpp/handle.hpp>
#include <winnow/cpp/status.hpp>
#include <winnow/cpp/type.hpp>

namespace winnow {

template <class T>
class predicate;

namespace detail {

template <class Other>
inline constexpr bool is_predicate = false;
template <class T>
inline constexpr bool is_predicate<predicate<T>> = true;

} /* namespace detail */

/* Owns a winnow_predicate for elements of type T: winnow_predicate_compare(3).
 * The compiler refuses an array of another type. */
template <class T>
class predicate
    : public detail::handle<winnow_predicate, winnow_predicate_destroy> {
  public:
    /* Refuses a text or a function. The compiler's error says what to write
     * instead. */
    template <class Other,
              class = std::enable_if_t<!detail::is_predicate<Other>>>
    predicate(const Other &) noexcept {
        static_assert(!sizeof(Other *),
                      "wanted a predicate, such as winnow::less(10.0f); a text "
                      "is for winnow::condition::parse() and copy_where()");
    }

    template <class... Status>
    static detail::if_reports<predicate, Status...>
    compare(winnow_compare compare, const T &value,
            Status &...to) noexcept(detail::silent<Status...>) {
        winnow_predicate *made = nullptr;
        detail::report(winnow_predicate_compare(&made, detail::number_type<T>(),
                                                compare, &value),
                       to...);
        return predicate(made);
    }
    /* low <= x && x <= high */
    template <class... Status>
    static detail::if_reports<predicate, Status...>
    range(const T &low, const T &high,
          Status &...to) noexcept(detail::silent<Status...>) {
        winnow_predicate *made = nullptr;
        detail::report(winnow_predicate_range(&made, detail::number_type<T>(),
                                              &low, &high),
                       to...);
        return predicate(made);
    }
    /* (bits of x & mask) == value */
    template <class... Status>
    static detail::if_reports<predicate, Status...>
    bits(std::uint64_t mask, std::uint64_t value,
         Status &...to) noexcept(detail::silent<Status...>) {
        winnow_predicate *made = nullptr;
        detail::report(
            winnow_predicate_bits(&made, detail::number_type<T>(), mask, value),
            to...);
        return predicate(made);
    }

    /* Take ownership of an object that a function of the C library made. */
    static predicate adopt(winnow_predicate *made) noexcept {
        return predicate(made);
    }

  private:
    explicit predicate(winnow_predicate *made) noexcept : handle(made) {
    }
};

template <class T, class... Status>
detail::if_reports<predicate<T>, Status...>
less(T value, Status &...to) noexcept(detail::silent<Status...>) {
    return predicate<T>::compare(WINNOW_LT, value, to...);
}
template <class T, class... Status>
detail::if_reports<predicate<T>, Status...>
less_equal(T value, Status &...to) noexcept(detail::silent<Status...>) {
    return predicate<T>::compare(WINNOW_LE, value, to...);
}
template <class T, class... Status>
detail::if_reports<predicate<T>, Status...>
equal(T value, Status &...to) noexcept(detail::silent<Status...>) {
    return predicate<T>::compare(WINNOW_EQ, value, to...);
}
template <class T, class... Status>
detail::if_reports<predicate<T>, Status...>
not_equal(T value, Status &...to) noexcept(detail::silent<Status...>) {
    return predicate<T>::compare(WINNOW_NE, value, to...);
}
template <class T, class... Status>
detail::if_reports<predicate<T>, Status...>
greater_equal(T value, Status &...to) noexcept(detail::silent<Status...>) {
    return predicate<T>::compare(WINNOW_GE, value, to...);
}
template <class T, class... Status>
detail::if_reports<predicate<T>, Status...>
greater(T value, Status &...to) noexcept(detail::silent<Status...>) {
    return predicate<T>::compare(WINNOW_GT, value, to...);
}
template <class T, class... Status>
detail::if_reports<predicate<T>, Status...>
between(T low, T high, Status &...to) noexcept(detail::silent<Status...>) {
    return predicate<T>::range(low, high, to...);
}

} /* namespace winnow */

#endif /* WINNOW_CPP_PREDICATE_HPP */
