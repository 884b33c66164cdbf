/*
 * Partition and sum up items by key.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_CPP_KEYED_HPP
#define WINNOW_CPP_KEYED_HPP

#include <winnow/cpp/array.hpp>
#include <winnow/cpp/packed.hpp>

#include <algorithm>

namespace winnow {

namespace detail {

/* The number of parts of a digit of these keys; 0: the library refuses the
 * digit. */
template <class Keys>
std::uint64_t parts(const winnow_digit &digit) noexcept {
    const std::uint64_t width = 8 * sizeof(value<const Keys>);
    const std::uint64_t bits =
        digit.bits || digit.shift >= width ? digit.bits : width - digit.shift;
    return digit.parts || bits > 16 ? digit.parts : std::uint64_t(1) << bits;
}

/* The number of elements of an output in blocks: winnow_partition_blocks(3). */
inline std::uint64_t places(std::uint64_t n, std::uint64_t parts,
                            std::uint64_t align) noexcept {
    return align == 0 || align > WINNOW_BLOCKS_MOST_ALIGN ||
                   n > WINNOW_NO_LIMIT / 4
               ? n
               : (n + std::min(n, parts) * (align - 1)) / align * align;
}

} /* namespace detail */

/* winnow_partition_by_key(3). offsets has one number more than there are
 * parts. */
template <class Keys, class... Status>
detail::if_reports<void, Status...>
partition_by_key(const policy &on, const Keys &keys, const winnow_digit &digit,
                 const move_list &moves, span<std::uint64_t> offsets,
                 Status &...to) noexcept(detail::silent<Status...>) {
    const std::uint64_t parts = detail::parts<Keys>(digit);
    const winnow_in in = column(keys);
    const std::uint64_t n = std::size(keys);
    if (detail::fits(on, offsets.size() > parts,
                     "there are fewer offsets than parts, and one", to...) &&
        detail::has(moves, n, to...) && detail::has_room(on, moves, n, to...))
        detail::report(winnow_partition_by_key(
                           on.get(), &in, std::size(keys), &digit, moves.data(),
                           detail::length(moves), offsets.data(), on.launch()),
                       to...);
}

/* winnow_partition_blocks(3). blocks.size need not be set. */
template <class Keys, class... Status>
detail::if_reports<void, Status...>
partition_blocks(const policy &on, const Keys &keys, const winnow_digit &digit,
                 const winnow_blocks &blocks, const move_list &moves,
                 span<std::uint64_t> offsets,
                 Status &...to) noexcept(detail::silent<Status...>) {
    const std::uint64_t parts = detail::parts<Keys>(digit);
    const winnow_in in = column(keys);
    const std::uint64_t n = std::size(keys);
    winnow_blocks given = blocks;
    given.size = sizeof given;
    if (detail::fits(on, offsets.size() > parts,
                     "there are fewer offsets than parts, and one", to...) &&
        detail::has(moves, n, to...) &&
        detail::has_room(on, moves, detail::places(n, parts, blocks.align),
                         to...))
        detail::report(winnow_partition_blocks(
                           on.get(), &in, n, &digit, &given, moves.data(),
                           detail::length(moves), offsets.data(), on.launch()),
                       to...);
}

/* winnow_accumulate_by_key(3). values and sums have one array for each
 * component. */
template <class Keys, class... Status>
detail::if_reports<void, Status...>
accumulate_by_key(const policy &on, const Keys &keys, const column_list &values,
                  std::uint64_t key_bound, const output_list &sums,
                  std::uint64_t *d_beyond,
                  Status &...to) noexcept(detail::silent<Status...>) {
    const winnow_in in = column(keys);
    if (detail::require(values.size() == sums.size(),
                        "values and sums differ in number", to...) &&
        detail::has(values, std::size(keys), to...) &&
        detail::has_room(on, sums, key_bound, to...))
        detail::report(winnow_accumulate_by_key(
                           on.get(), &in, values.data(), detail::length(values),
                           std::size(keys), key_bound, sums.data(), d_beyond,
                           on.launch()),
                       to...);
}
template <class Keys, class... Status>
detail::if_reports<void, Status...>
accumulate_by_key(const policy &on, const Keys &keys, const column_list &values,
                  std::uint64_t key_bound, const output_list &sums,
                  Status &...to) noexcept(detail::silent<Status...>) {
    accumulate_by_key(on, keys, values, key_bound, sums, nullptr, to...);
}

} /* namespace winnow */

#endif /* WINNOW_CPP_KEYED_HPP */
