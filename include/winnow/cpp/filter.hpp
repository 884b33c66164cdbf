/*
 * Filters and reductions of one array. SPDX-License-Identifier: Apache-2.0
 *
 * The size of an output is its capacity. Calls that return an output run on the
 * host, and keep the order of the input.
 */
#ifndef WINNOW_CPP_FILTER_HPP
#define WINNOW_CPP_FILTER_HPP

#include <winnow/cpp/array.hpp>
#include <winnow/cpp/packed.hpp>
#include <winnow/cpp/predicate.hpp>

namespace winnow {

/* winnow_copy_if(3) */
template <class In, class... Status>
detail::if_reports<void, Status...>
copy_if(const policy &on, const In &in,
        const predicate<detail::value<const In>> &keep,
        span<detail::value<const In>> out, std::uint64_t *d_count,
        Status &...to) noexcept(detail::silent<Status...>) {
    using T = detail::value<const In>;
    if (detail::keeps(on, out.size(), std::size(in), to...))
        detail::report(winnow_copy_if(on.get(), keep.get(),
                                      detail::number_type<T>(), std::data(in),
                                      std::size(in), out.data(), out.size(),
                                      d_count, on.launch()),
                       to...);
}
template <class In, class... Status>
detail::if_reports<std::vector<detail::value<const In>>, Status...>
copy_if(const policy &on, const In &in,
        const predicate<detail::value<const In>> &keep,
        Status &...to) noexcept(detail::silent<Status...>) {
    using T = detail::value<const In>;
    return detail::packed<T>(
        on, std::size(in),
        [&](T *out, std::uint64_t capacity, std::uint64_t *count) {
            return winnow_copy_if(
                on.get(), keep.get(), detail::number_type<T>(), std::data(in),
                std::size(in), out, capacity, count, on.launch());
        },
        to...);
}

/* winnow_copy_index_if(3). Index: an unsigned integer of 32 or 64 bits. */
template <class In, class Indices, class... Status>
detail::if_reports<void, Status...>
copy_index_if(const policy &on, const In &in,
              const predicate<detail::value<const In>> &keep, Indices &&indices,
              std::uint64_t *d_count,
              Status &...to) noexcept(detail::silent<Status...>) {
    const auto out = detail::room(indices);
    if (detail::keeps(on, out.size(), std::size(in), to...))
        detail::report(
            winnow_copy_index_if(on.get(), keep.get(),
                                 detail::number_type<detail::value<const In>>(),
                                 std::data(in), std::size(in),
                                 detail::index_type<detail::value<Indices>>(),
                                 out.data(), out.size(), d_count, on.launch()),
            to...);
}
template <class Index = std::uint64_t, class In, class... Status>
detail::if_reports<std::vector<Index>, Status...>
copy_index_if(const policy &on, const In &in,
              const predicate<detail::value<const In>> &keep,
              Status &...to) noexcept(detail::silent<Status...>) {
    return detail::packed<Index>(
        on, std::size(in),
        [&](Index *out, std::uint64_t capacity, std::uint64_t *count) {
            return winnow_copy_index_if(
                on.get(), keep.get(),
                detail::number_type<detail::value<const In>>(), std::data(in),
                std::size(in), detail::index_type<Index>(), out, capacity,
                count, on.launch());
        },
        to...);
}

/* winnow_count_if(3) */
template <class In, class... Status>
detail::if_reports<void, Status...>
count_if(const policy &on, const In &in,
         const predicate<detail::value<const In>> &keep, std::uint64_t *d_count,
         Status &...to) noexcept(detail::silent<Status...>) {
    detail::report(
        winnow_count_if(on.get(), keep.get(),
                        detail::number_type<detail::value<const In>>(),
                        std::data(in), std::size(in), d_count, on.launch()),
        to...);
}
template <class In, class... Status>
detail::if_reports<std::uint64_t, Status...>
count_if(const policy &on, const In &in,
         const predicate<detail::value<const In>> &keep,
         Status &...to) noexcept(detail::silent<Status...>) {
    std::uint64_t count = 0;
    if (detail::returns(on, to...))
        count_if(on, in, keep, &count, to...);
    return count;
}

/* winnow_estimate_selectivity(3) */
template <class In, class... Status>
detail::if_reports<void, Status...>
estimate_selectivity(const policy &on, const In &in,
                     const predicate<detail::value<const In>> &keep,
                     double *d_selectivity,
                     Status &...to) noexcept(detail::silent<Status...>) {
    detail::report(winnow_estimate_selectivity(
                       on.get(), keep.get(),
                       detail::number_type<detail::value<const In>>(),
                       std::data(in), std::size(in), d_selectivity,
                       on.launch()),
                   to...);
}
template <class In, class... Status>
detail::if_reports<double, Status...>
estimate_selectivity(const policy &on, const In &in,
                     const predicate<detail::value<const In>> &keep,
                     Status &...to) noexcept(detail::silent<Status...>) {
    double selectivity = 0;
    if (detail::returns(on, to...))
        estimate_selectivity(on, in, keep, &selectivity, to...);
    return selectivity;
}

namespace detail {

template <class In, class... Status>
void reduce(const policy &on, const In &in, const winnow_predicate *keep,
            unsigned wanted, winnow_reduction *d_result,
            Status &...to) noexcept(silent<Status...>) {
    report(winnow_reduce_if(on.get(), keep, number_type<value<const In>>(),
                            std::data(in), std::size(in), wanted, d_result,
                            on.launch()),
           to...);
}

} /* namespace detail */

/* winnow_reduce_if(3). winnow::number<T>() reads a sum, minimum or maximum. */
template <class In, class... Status>
detail::if_reports<void, Status...>
reduce_if(const policy &on, const In &in,
          const predicate<detail::value<const In>> &keep, unsigned wanted,
          winnow_reduction *d_result,
          Status &...to) noexcept(detail::silent<Status...>) {
    if (detail::require(keep.get(), "predicate is NULL", to...))
        detail::reduce(on, in, keep.get(), wanted, d_result, to...);
}
template <class In, class... Status>
detail::if_reports<winnow_reduction, Status...>
reduce_if(const policy &on, const In &in,
          const predicate<detail::value<const In>> &keep, unsigned wanted,
          Status &...to) noexcept(detail::silent<Status...>) {
    winnow_reduction result = winnow_reduction();
    if (detail::require(keep.get(), "predicate is NULL", to...) &&
        detail::returns(on, to...))
        detail::reduce(on, in, keep.get(), wanted, &result, to...);
    return result;
}
/* The same for all elements. */
template <class In, class... Status>
detail::if_reports<void, Status...>
reduce(const policy &on, const In &in, unsigned wanted,
       winnow_reduction *d_result,
       Status &...to) noexcept(detail::silent<Status...>) {
    detail::reduce(on, in, nullptr, wanted, d_result, to...);
}
template <class In, class... Status>
detail::if_reports<winnow_reduction, Status...>
reduce(const policy &on, const In &in, unsigned wanted,
       Status &...to) noexcept(detail::silent<Status...>) {
    winnow_reduction result = winnow_reduction();
    if (detail::returns(on, to...))
        detail::reduce(on, in, nullptr, wanted, &result, to...);
    return result;
}

/* winnow_reduction_merge(3). firsts is {}, or has one number for each
 * partial. */
template <class T, class... Status>
detail::if_reports<winnow_reduction, Status...>
merge_reductions(span<const winnow_reduction> partials,
                 span<const std::uint64_t> firsts, unsigned wanted,
                 Status &...to) noexcept(detail::silent<Status...>) {
    winnow_reduction result = winnow_reduction();
    if (detail::require(!firsts.size() || firsts.size() == partials.size(),
                        "firsts and partials differ in number", to...))
        detail::report(winnow_reduction_merge(detail::number_type<T>(),
                                              partials.data(),
                                              detail::optional(firsts),
                                              partials.size(), wanted, &result),
                       to...);
    return result;
}

/* winnow_partition_if(3). If rejected is {}, the other elements follow in
 * `out`. */
template <class In, class... Status>
detail::if_reports<void, Status...>
partition_if(const policy &on, const In &in,
             const predicate<detail::value<const In>> &keep,
             span<detail::value<const In>> out,
             span<detail::value<const In>> rejected, std::uint64_t *d_counts,
             Status &...to) noexcept(detail::silent<Status...>) {
    const auto n = std::size(in);
    if (detail::fits(
            on, out.size() >= n && (!rejected.data() || rejected.size() >= n),
            "an output has less room than `in` has elements", to...))
        detail::report(
            winnow_partition_if(on.get(), keep.get(),
                                detail::number_type<detail::value<const In>>(),
                                std::data(in), n, out.data(), rejected.data(),
                                d_counts, on.launch()),
            to...);
}

/* winnow_segmented_copy_if(3) */
template <class In, class... Status>
detail::if_reports<void, Status...>
segmented_copy_if(const policy &on, const In &in,
                  const predicate<detail::value<const In>> &keep,
                  const sized<winnow_segments> &segments,
                  span<detail::value<const In>> out, std::uint64_t *d_count,
                  Status &...to) noexcept(detail::silent<Status...>) {
    if (detail::has(segments, 0, to...) &&
        detail::keeps(on, out.size(), std::size(in), to...))
        detail::report(winnow_segmented_copy_if(
                           on.get(), keep.get(),
                           detail::number_type<detail::value<const In>>(),
                           std::data(in), std::size(in), &segments, out.data(),
                           out.size(), d_count, on.launch()),
                       to...);
}

} /* namespace winnow */

#endif /* WINNOW_CPP_FILTER_HPP */
