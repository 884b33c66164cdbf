/*
 * Make selections. SPDX-License-Identifier: Apache-2.0
 *
 * Each function writes to a selection that is passed to it, or, on the host,
 * returns one.
 */
#ifndef WINNOW_CPP_SELECT_HPP
#define WINNOW_CPP_SELECT_HPP

#include <winnow/cpp/array.hpp>
#include <winnow/cpp/condition.hpp>
#include <winnow/cpp/packed.hpp>
#include <winnow/cpp/selection.hpp>

namespace winnow {
namespace detail {

/* A selection of n items on the host, written by call(selection). */
template <class Call, class... Status>
selection selected(const policy &on, std::uint64_t n, Call call,
                   Status &...to) noexcept(silent<Status...>) {
    if (!returns(on, to...))
        return selection(nullptr, 0, 0);
    selection result(n, to...);
    if (result.get())
        call(result);
    /* A selection that was not written has no meaning. */
    if (!(to.ok() && ...))
        return selection(nullptr, 0, 0);
    return result;
}

} /* namespace detail */

/* winnow_select_if(3) */
template <class In, class... Status>
detail::if_reports<void, Status...>
select_if(const policy &on, const In &in,
          const predicate<detail::value<const In>> &keep, selection &result,
          Status &...to) noexcept(detail::silent<Status...>) {
    if (detail::require(std::size(in) == result.items(),
                        "the selection has not as many items as `in`", to...))
        detail::report(
            winnow_select_if(on.get(), keep.get(),
                             detail::number_type<detail::value<const In>>(),
                             std::data(in), std::size(in), result.get(),
                             result.bytes(), on.launch()),
            to...);
}
template <class In, class... Status>
detail::if_reports<selection, Status...>
select_if(const policy &on, const In &in,
          const predicate<detail::value<const In>> &keep,
          Status &...to) noexcept(detail::silent<Status...>) {
    return detail::selected(
        on, std::size(in),
        [&](selection &result) { select_if(on, in, keep, result, to...); },
        to...);
}

/* winnow_select_where(3). Column c of the condition is columns[c]. */
template <class... Status>
detail::if_reports<void, Status...>
select_where(const policy &on, const column_list &columns,
             const condition &condition, selection &result,
             Status &...to) noexcept(detail::silent<Status...>) {
    if (detail::has(columns, result.items(), to...))
        detail::report(
            winnow_select_where(on.get(), condition.get(), columns.data(),
                                detail::length(columns), result.items(),
                                result.get(), result.bytes(), on.launch()),
            to...);
}
template <class... Status>
detail::if_reports<selection, Status...>
select_where(const policy &on, const column_list &columns, std::uint64_t n,
             const condition &condition,
             Status &...to) noexcept(detail::silent<Status...>) {
    return detail::selected(
        on, n,
        [&](selection &result) {
            select_where(on, columns, condition, result, to...);
        },
        to...);
}

/* winnow_select_flagged(3) */
template <class... Status>
detail::if_reports<void, Status...>
select_flagged(const policy &on, const sized<winnow_mask> &mask,
               selection &result,
               Status &...to) noexcept(detail::silent<Status...>) {
    if (detail::has(mask, result.items(), to...))
        detail::report(winnow_select_flagged(on.get(), &mask, result.items(),
                                             result.get(), result.bytes(),
                                             on.launch()),
                       to...);
}
template <class... Status>
detail::if_reports<selection, Status...>
select_flagged(const policy &on, const sized<winnow_mask> &mask,
               std::uint64_t n,
               Status &...to) noexcept(detail::silent<Status...>) {
    return detail::selected(
        on, n,
        [&](selection &result) { select_flagged(on, mask, result, to...); },
        to...);
}

/* winnow_select_unique(3) */
template <class... Status>
detail::if_reports<void, Status...>
select_unique(const policy &on, const sized<winnow_in> &keys,
              const winnow_unique_options &options, selection &result,
              Status &...to) noexcept(detail::silent<Status...>) {
    if (detail::has(keys, result.items(), to...))
        detail::report(winnow_select_unique(on.get(), &keys, result.items(),
                                            &options, result.get(),
                                            result.bytes(), on.launch()),
                       to...);
}
template <class... Status>
detail::if_reports<selection, Status...>
select_unique(const policy &on, const sized<winnow_in> &keys, std::uint64_t n,
              const winnow_unique_options &options,
              Status &...to) noexcept(detail::silent<Status...>) {
    return detail::selected(
        on, n,
        [&](selection &result) {
            select_unique(on, keys, options, result, to...);
        },
        to...);
}

/* winnow_select_ranges(3): the items of the ranges that `kept` keeps. */
template <class... Status>
detail::if_reports<void, Status...>
select_ranges(const policy &on, const selection &kept,
              const sized<winnow_in> &ranges, selection &result,
              Status &...to) noexcept(detail::silent<Status...>) {
    if (detail::require(result.items() == ranges.data_size,
                        "the selection has not as many items as the ranges",
                        to...) &&
        detail::has(ranges, kept.items(), to...))
        detail::report(winnow_select_ranges(on.get(), kept.get(), &ranges,
                                            kept.items(), result.get(),
                                            result.bytes(), on.launch()),
                       to...);
}
template <class... Status>
detail::if_reports<selection, Status...>
select_ranges(const policy &on, const selection &kept,
              const sized<winnow_in> &ranges,
              Status &...to) noexcept(detail::silent<Status...>) {
    return detail::selected(
        on, ranges.data_size,
        [&](selection &result) {
            select_ranges(on, kept, ranges, result, to...);
        },
        to...);
}

/* winnow_selection_combine(3). The result may be a or b. */
template <class... Status>
detail::if_reports<void, Status...>
selection_combine(const policy &on, winnow_combine combine, const selection &a,
                  const selection &b, selection &result,
                  Status &...to) noexcept(detail::silent<Status...>) {
    if (detail::require(a.items() == b.items() && a.items() == result.items(),
                        "selections differ in their number of items", to...))
        detail::report(winnow_selection_combine(
                           on.get(), combine, a.get(), b.get(), a.items(),
                           result.get(), result.bytes(), on.launch()),
                       to...);
}
template <class... Status>
detail::if_reports<selection, Status...>
selection_combine(const policy &on, winnow_combine combine, const selection &a,
                  const selection &b,
                  Status &...to) noexcept(detail::silent<Status...>) {
    return detail::selected(
        on, a.items(),
        [&](selection &result) {
            selection_combine(on, combine, a, b, result, to...);
        },
        to...);
}
template <class... Status>
detail::if_reports<void, Status...>
selection_not(const policy &on, const selection &a, selection &result,
              Status &...to) noexcept(detail::silent<Status...>) {
    if (detail::require(a.items() == result.items(),
                        "selections differ in their number of items", to...))
        detail::report(winnow_selection_not(on.get(), a.get(), a.items(),
                                            result.get(), result.bytes(),
                                            on.launch()),
                       to...);
}
template <class... Status>
detail::if_reports<selection, Status...>
selection_not(const policy &on, const selection &a,
              Status &...to) noexcept(detail::silent<Status...>) {
    return detail::selected(
        on, a.items(),
        [&](selection &result) { selection_not(on, a, result, to...); }, to...);
}

} /* namespace winnow */

#endif /* WINNOW_CPP_SELECT_HPP */
