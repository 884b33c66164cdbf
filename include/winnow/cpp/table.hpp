/*
 * Filters of tables in one call. SPDX-License-Identifier: Apache-2.0
 *
 * Every output has room for `capacity` elements, or for n if that is less.
 */
#ifndef WINNOW_CPP_TABLE_HPP
#define WINNOW_CPP_TABLE_HPP

#include <winnow/cpp/array.hpp>
#include <winnow/cpp/condition.hpp>

namespace winnow {

/* winnow_copy_where(3). Column c of the condition is columns[c]. */
template <class... Status>
detail::if_reports<void, Status...>
copy_where(const policy &on, const column_list &columns, std::uint64_t n,
           const condition &condition, const move_list &moves,
           std::uint64_t capacity, std::uint64_t *d_count,
           Status &...to) noexcept(detail::silent<Status...>) {
    if (detail::has(columns, n, to...) &&
        detail::packs(on, moves, n, capacity, to...))
        detail::report(winnow_copy_where(on.get(), condition.get(),
                                         columns.data(),
                                         detail::length(columns), n,
                                         moves.data(), detail::length(moves),
                                         capacity, d_count, on.launch()),
                       to...);
}

/* winnow_copy_columns_if(3). column() makes the key. */
template <class T, class... Status>
detail::if_reports<void, Status...>
copy_columns_if(const policy &on, const sized<winnow_in> &key, std::uint64_t n,
                const predicate<T> &keep, const move_list &moves,
                std::uint64_t capacity, std::uint64_t *d_count,
                Status &...to) noexcept(detail::silent<Status...>) {
    if (detail::has(key, n, to...) &&
        detail::packs(on, moves, n, capacity, to...))
        detail::report(winnow_copy_columns_if(on.get(), keep.get(), &key, n,
                                              moves.data(),
                                              detail::length(moves), capacity,
                                              d_count, on.launch()),
                       to...);
}

template <class Other, class... Status>
std::enable_if_t<!detail::is_predicate<Other>>
copy_columns_if(const policy &, const sized<winnow_in> &, std::uint64_t,
                const Other &, const move_list &, std::uint64_t,
                std::uint64_t *, Status &...) = delete;

/* winnow_copy_flagged(3) */
template <class... Status>
detail::if_reports<void, Status...>
copy_flagged(const policy &on, const sized<winnow_mask> &mask, std::uint64_t n,
             const move_list &moves, std::uint64_t capacity,
             std::uint64_t *d_count,
             Status &...to) noexcept(detail::silent<Status...>) {
    if (detail::has(mask, n, to...) &&
        detail::packs(on, moves, n, capacity, to...))
        detail::report(winnow_copy_flagged(on.get(), &mask, n, moves.data(),
                                           detail::length(moves), capacity,
                                           d_count, on.launch()),
                       to...);
}

/* winnow_unique(3) */
template <class... Status>
detail::if_reports<void, Status...>
unique(const policy &on, const sized<winnow_in> &keys, std::uint64_t n,
       const winnow_unique_options &options, const move_list &moves,
       std::uint64_t capacity, std::uint64_t *d_count,
       Status &...to) noexcept(detail::silent<Status...>) {
    if (detail::has(keys, n, to...) &&
        detail::packs(on, moves, n, capacity, to...))
        detail::report(winnow_unique(on.get(), &keys, n, &options, moves.data(),
                                     detail::length(moves), capacity, d_count,
                                     on.launch()),
                       to...);
}

} /* namespace winnow */

#endif /* WINNOW_CPP_TABLE_HPP */
