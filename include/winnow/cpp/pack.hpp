/*
 * Sinks of selections: pack, list and mark the items that they keep.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_CPP_PACK_HPP
#define WINNOW_CPP_PACK_HPP

#include <winnow/cpp/array.hpp>
#include <winnow/cpp/packed.hpp>
#include <winnow/cpp/selection.hpp>

namespace winnow {

/* winnow_selection_count(3) */
template <class... Status>
detail::if_reports<void, Status...>
selection_count(const policy &on, const selection &kept, std::uint64_t *d_count,
                Status &...to) noexcept(detail::silent<Status...>) {
    detail::report(winnow_selection_count(on.get(), kept.get(), kept.items(),
                                          d_count, on.launch()),
                   to...);
}
template <class... Status>
detail::if_reports<std::uint64_t, Status...>
selection_count(const policy &on, const selection &kept,
                Status &...to) noexcept(detail::silent<Status...>) {
    std::uint64_t count = 0;
    if (detail::returns(on, to...))
        selection_count(on, kept, &count, to...);
    return count;
}

/* winnow_selection_segments(3) */
template <class... Status>
detail::if_reports<void, Status...>
selection_segments(const policy &on, const selection &kept,
                   const sized<winnow_segments> &segments,
                   Status &...to) noexcept(detail::silent<Status...>) {
    if (detail::has(segments, 0, to...))
        detail::report(winnow_selection_segments(on.get(), kept.get(),
                                                 kept.items(), &segments,
                                                 on.launch()),
                       to...);
}

/* winnow_selection_to_mask(3). The flag of item i is number offset + i. */
template <class... Status>
detail::if_reports<void, Status...>
selection_to_mask(const policy &on, const selection &kept,
                  winnow_mask_kind kind, void *d_flags, std::uint64_t offset,
                  Status &...to) noexcept(detail::silent<Status...>) {
    detail::report(winnow_selection_to_mask(on.get(), kept.get(), kept.items(),
                                            kind, d_flags, offset, on.launch()),
                   to...);
}
/* The same for a mask with a byte for each item. */
template <class Flags, class... Status>
detail::if_reports<void, Status...>
selection_to_mask(const policy &on, const selection &kept, Flags &&flags,
                  Status &...to) noexcept(detail::silent<Status...>) {
    const auto out = detail::room(flags);
    static_assert(sizeof(*out.data()) == 1, "a flag is a byte");
    if (detail::fits(on, out.size() >= kept.items(),
                     "there are fewer flags than items", to...))
        selection_to_mask(on, kept, WINNOW_MASK_BYTES, out.data(), 0, to...);
}

/* winnow_compact(3) */
template <class In, class... Status>
detail::if_reports<void, Status...>
compact(const policy &on, const selection &kept, const In &in,
        span<detail::value<const In>> out, std::uint64_t *d_count,
        Status &...to) noexcept(detail::silent<Status...>) {
    if (detail::require(std::size(in) == kept.items(),
                        "the selection has not as many items as `in`", to...) &&
        detail::keeps(on, out.size(), kept.items(), to...))
        detail::report(
            winnow_compact(on.get(), kept.get(), std::data(in), kept.items(),
                           detail::element_bytes<detail::value<const In>>(),
                           out.data(), out.size(), d_count, on.launch()),
            to...);
}
template <class In, class... Status>
detail::if_reports<std::vector<detail::value<const In>>, Status...>
compact(const policy &on, const selection &kept, const In &in,
        Status &...to) noexcept(detail::silent<Status...>) {
    using T = detail::value<const In>;
    if (!detail::require(std::size(in) == kept.items(),
                         "the selection has not as many items as `in`", to...))
        return {};
    return detail::packed<T>(
        on, kept.items(),
        [&](T *out, std::uint64_t capacity, std::uint64_t *count) {
            return winnow_compact(on.get(), kept.get(), std::data(in),
                                  kept.items(), detail::element_bytes<T>(), out,
                                  capacity, count, on.launch());
        },
        to...);
}

/* winnow_compact_columns(3). Every output has room for `capacity` elements. */
template <class... Status>
detail::if_reports<void, Status...>
compact_columns(const policy &on, const selection &kept, const move_list &moves,
                std::uint64_t capacity, std::uint64_t *d_count,
                Status &...to) noexcept(detail::silent<Status...>) {
    if (detail::packs(on, moves, kept.items(), capacity, to...))
        detail::report(winnow_compact_columns(on.get(), kept.get(),
                                              kept.items(), moves.data(),
                                              detail::length(moves), capacity,
                                              d_count, on.launch()),
                       to...);
}

/* winnow_fill_holes(3). In each move d_out has the items, and room for
 * `capacity` elements; d_in has the elements that arrive. */
template <class... Status>
detail::if_reports<void, Status...>
fill_holes(const policy &on, const selection &kept,
           const winnow_arrivals &arrivals, const move_list &moves,
           std::uint64_t capacity, std::uint64_t *d_count,
           Status &...to) noexcept(detail::silent<Status...>) {
    const std::uint64_t n = kept.items(), rest = UINT64_MAX - n;
    const std::uint64_t all = n + (arrivals.n < rest ? arrivals.n : rest);
    if (detail::has(moves, arrivals.n, to...) &&
        detail::has_room(on, moves, capacity < all ? capacity : all, to...))
        detail::report(winnow_fill_holes(on.get(), kept.get(), kept.items(),
                                         &arrivals, moves.data(),
                                         detail::length(moves), capacity,
                                         d_count, on.launch()),
                       to...);
}

/* winnow_compact_index(3). Indices: unsigned, of 32 or 64 bits. */
template <class Indices, class... Status>
detail::if_reports<void, Status...>
compact_index(const policy &on, const selection &kept, Indices &&indices,
              std::uint64_t *d_count,
              Status &...to) noexcept(detail::silent<Status...>) {
    const auto out = detail::room(indices);
    if (detail::keeps(on, out.size(), kept.items(), to...))
        detail::report(
            winnow_compact_index(on.get(), kept.get(), kept.items(),
                                 detail::index_type<detail::value<Indices>>(),
                                 out.data(), out.size(), d_count, on.launch()),
            to...);
}
template <class Index = std::uint64_t, class... Status>
detail::if_reports<std::vector<Index>, Status...>
compact_index(const policy &on, const selection &kept,
              Status &...to) noexcept(detail::silent<Status...>) {
    return detail::packed<Index>(
        on, kept.items(),
        [&](Index *out, std::uint64_t capacity, std::uint64_t *count) {
            return winnow_compact_index(on.get(), kept.get(), kept.items(),
                                        detail::index_type<Index>(), out,
                                        capacity, count, on.launch());
        },
        to...);
}

/* winnow_compact_strings(3). offsets has room for one number more than there
 * are strings, of the width of the input's offsets. d_counts gets the number of
 * strings and the number of bytes. */
template <class Offsets, class Bytes, class... Status>
detail::if_reports<void, Status...>
compact_strings(const policy &on, const selection &kept,
                const sized<winnow_in> &strings, Offsets &&offsets,
                Bytes &&bytes, std::uint64_t *d_counts,
                Status &...to) noexcept(detail::silent<Status...>) {
    const auto ends = detail::room(offsets);
    const auto data = detail::room(bytes);
    static_assert(sizeof(*data.data()) == 1, "strings have bytes");
    if (detail::require(
            strings.type == WINNOW_STRING32   ? sizeof(*ends.data()) == 4
            : strings.type == WINNOW_STRING64 ? sizeof(*ends.data()) == 8
                                              : true,
            "offsets are not of the width of the strings'", to...) &&
        detail::keeps(on, ends.size(), 1, to...) &&
        detail::keeps(on, ends.size() - 1, kept.items(), to...) &&
        detail::keeps(on, data.size(),
                      strings.type == WINNOW_VIEW ? kept.items()
                                                  : strings.data_size,
                      to...) &&
        detail::has(strings, kept.items(), to...))
        detail::report(
            winnow_compact_strings(on.get(), kept.get(), &strings, kept.items(),
                                   ends.data(), ends.size() - 1, data.data(),
                                   data.size(), d_counts, on.launch()),
            to...);
}

/* winnow_split(3) */
template <class In, class... Status>
detail::if_reports<void, Status...>
split(const policy &on, const selection &kept, const In &in,
      span<detail::value<const In>> out, span<detail::value<const In>> rejected,
      std::uint64_t *d_counts,
      Status &...to) noexcept(detail::silent<Status...>) {
    const winnow_in from = column(in);
    const winnow_out first = output(out), second = output(rejected);
    if (detail::require(std::size(in) == kept.items(),
                        "the selection has not as many items as `in`", to...) &&
        detail::keeps(on, out.size(), kept.items(), to...) &&
        detail::keeps(on, rejected.size(), kept.items(), to...))
        detail::report(winnow_split(on.get(), kept.get(), &from, kept.items(),
                                    &first, out.size(), &second,
                                    rejected.size(), d_counts, on.launch()),
                       to...);
}
/* The same, also for bits. */
template <class... Status>
detail::if_reports<void, Status...>
split(const policy &on, const selection &kept, const sized<winnow_in> &in,
      const sized<winnow_out> &out, std::uint64_t capacity,
      const sized<winnow_out> &rejected, std::uint64_t rejected_capacity,
      std::uint64_t *d_counts,
      Status &...to) noexcept(detail::silent<Status...>) {
    if (detail::has(in, kept.items(), to...) &&
        detail::packs(on, out, kept.items(), capacity, to...) &&
        detail::packs(on, rejected, kept.items(), rejected_capacity, to...))
        detail::report(winnow_split(on.get(), kept.get(), &in, kept.items(),
                                    &out, capacity, &rejected,
                                    rejected_capacity, d_counts, on.launch()),
                       to...);
}

/* winnow_expand(3). fill: NULL, or a value in host memory. */
template <class Packed, class... Status>
detail::if_reports<void, Status...>
expand(const policy &on, const selection &kept, const Packed &packed,
       const detail::value<const Packed> *fill,
       span<detail::value<const Packed>> out,
       Status &...to) noexcept(detail::silent<Status...>) {
    const winnow_in from = column(packed);
    const winnow_out at = output(out);
    if (detail::fits(on, out.size() >= kept.items(),
                     "there are fewer places than items", to...))
        detail::report(winnow_expand(on.get(), kept.get(), &from,
                                     std::size(packed), kept.items(), fill, &at,
                                     on.launch()),
                       to...);
}
/* The same, also for bits. */
template <class... Status>
detail::if_reports<void, Status...>
expand(const policy &on, const selection &kept, const sized<winnow_in> &packed,
       std::uint64_t packed_n, const void *fill, const sized<winnow_out> &out,
       Status &...to) noexcept(detail::silent<Status...>) {
    if (detail::has(packed, packed_n, to...) &&
        detail::has_room(on, out, kept.items(), to...))
        detail::report(winnow_expand(on.get(), kept.get(), &packed, packed_n,
                                     kept.items(), fill, &out, on.launch()),
                       to...);
}

/* winnow_fill(3) writes the elements from *d_count on. */
template <class Value, class... Status>
detail::if_reports<void, Status...>
fill(const policy &on, const std::uint64_t *d_count, const Value &value,
     span<Value> out, Status &...to) noexcept(detail::silent<Status...>) {
    const winnow_out at = output(out);
    detail::report(
        winnow_fill(on.get(), d_count, out.size(), &value, &at, on.launch()),
        to...);
}
/* The same for elements of any size. */
template <class... Status>
detail::if_reports<void, Status...>
fill(const policy &on, const std::uint64_t *d_count, std::uint64_t n,
     const void *value, const sized<winnow_out> &out,
     Status &...to) noexcept(detail::silent<Status...>) {
    if (detail::has_room(on, out, n, to...))
        detail::report(
            winnow_fill(on.get(), d_count, n, value, &out, on.launch()), to...);
}

} /* namespace winnow */

#endif /* WINNOW_CPP_PACK_HPP */
