/*
 * Columns, masks and segments. SPDX-License-Identifier: Apache-2.0
 *
 * These functions fill in the structs of winnow.h. Arrays are not copied: they
 * have to stay valid until the work of calls that use them is done.
 */
#ifndef WINNOW_CPP_ARRAY_HPP
#define WINNOW_CPP_ARRAY_HPP

#include <winnow/cpp/sized.hpp>
#include <winnow/cpp/type.hpp>

namespace winnow {

/* ----------------------------------------------------- inputs: winnow_in(3) */

/* Elements side by side: numbers, or any type that may be copied byte by
 * byte. */
template <class Array>
sized<winnow_in> column(const Array &array) noexcept {
    using T = detail::value<const Array>;
    winnow_in in = winnow_in();
    in.type = detail::type<T>;
    in.element_bytes = detail::element_bytes<T>();
    in.d_base = std::data(array);
    return {in, std::size(array)};
}
/* A member of records. d_first is the member of the first record, stride_bytes
 * the size of a record. */
template <class T>
sized<winnow_in> column(const T *d_first, std::int64_t stride_bytes) noexcept {
    winnow_in in = column(span<const T>(d_first, 1));
    in.stride_bytes = stride_bytes;
    return in;
}
/* Bits, from bit number `offset` on. */
inline sized<winnow_in> bits(const void *d_bits,
                             std::uint64_t offset = 0) noexcept {
    winnow_in in = winnow_in();
    in.type = WINNOW_BIT;
    in.d_base = d_bits;
    in.offset = offset;
    return in;
}
/* Strings: their offsets of 32 or 64 bits, one more than there are strings, and
 * their bytes. */
template <class Offsets, class Bytes>
sized<winnow_in> strings(const Offsets &offsets, const Bytes &bytes) noexcept {
    constexpr auto width = sizeof(detail::value<const Offsets>);
    static_assert(detail::is_integer<detail::value<const Offsets>> &&
                      (width == 4 || width == 8),
                  "offsets have 32 or 64 bits");
    static_assert(sizeof(detail::value<const Bytes>) == 1,
                  "strings have bytes");
    winnow_in in = winnow_in();
    in.type = width == 4 ? WINNOW_STRING32 : WINNOW_STRING64;
    in.d_base = std::data(offsets);
    in.d_data = std::data(bytes);
    in.data_size = std::size(bytes);
    return {in, std::size(offsets) - (std::size(offsets) != 0)};
}
/* Arrow's views, 16 bytes each, and their buffers. */
inline sized<winnow_in> views(const void *d_views,
                              span<const winnow_buffer> d_buffers) noexcept {
    winnow_in in = winnow_in();
    in.type = WINNOW_VIEW;
    in.d_base = d_views;
    in.d_data = d_buffers.data();
    in.data_size = d_buffers.size();
    return in;
}
/* The same column with nulls: element i is null if bit offset + i of d_valid is
 * 0. */
inline sized<winnow_in> with_nulls(sized<winnow_in> in, const void *d_valid,
                                   std::uint64_t offset = 0) noexcept {
    in.d_valid = d_valid;
    in.valid_offset = offset;
    return in;
}
/* A column of indices with a dictionary of n values. The column refers to
 * `values`, which has to be an lvalue. */
inline sized<winnow_in> with_dictionary(sized<winnow_in> in,
                                        const winnow_in &values,
                                        std::uint64_t n) noexcept {
    in.dictionary = &values;
    in.dictionary_n = n;
    return in;
}
inline sized<winnow_in> with_dictionary(sized<winnow_in> in,
                                        const sized<winnow_in> &values,
                                        std::uint64_t n) noexcept {
    const winnow_in &named = values;
    in = with_dictionary(in, named, n);
    if (values.items < n)
        in.wrong = "a dictionary has fewer values than it is said to have";
    return in;
}
sized<winnow_in> with_dictionary(sized<winnow_in>, const winnow_in &&,
                                 std::uint64_t) = delete;
sized<winnow_in> with_dictionary(sized<winnow_in>, const sized<winnow_in> &&,
                                 std::uint64_t) = delete;

/* ---------------------------------------------------- outputs: winnow_out */

/* Like column(). */
template <class Array>
sized<winnow_out> output(Array &&array) noexcept {
    using T = detail::value<Array>;
    static_assert(!std::is_const_v<detail::element<Array>>,
                  "an output of const elements");
    winnow_out out = winnow_out();
    out.type = detail::type<T>;
    out.element_bytes = detail::element_bytes<T>();
    out.d_base = std::data(array);
    return {out, WINNOW_NO_LIMIT, std::size(array)};
}
template <class T>
sized<winnow_out> output(T *d_first, std::int64_t stride_bytes) noexcept {
    winnow_out out = output(span<T>(d_first, 1));
    out.stride_bytes = stride_bytes;
    return out;
}
inline sized<winnow_out> output_bits(void *d_bits,
                                     std::uint64_t offset = 0) noexcept {
    winnow_out out = winnow_out();
    out.type = WINNOW_BIT;
    out.d_base = d_bits;
    out.offset = offset;
    return out;
}

/* ------------------------------------------- columns to pack: winnow_move */

/* `in` and `out` may be the same array, to pack it in place. */
template <class In, class Out>
sized<winnow_move> move_column(const In &in, Out &&out) noexcept {
    using T = detail::value<const In>;
    static_assert(std::is_same_v<detail::element<Out>, T>,
                  "an output has the input's type, and no const elements");
    winnow_move move = winnow_move();
    move.d_in = std::data(in);
    move.d_out = std::data(out);
    move.element_bytes = detail::element_bytes<T>();
    return {move, std::size(in), std::size(out)};
}
/* For partition_blocks(): the indices of the items, of 4 or 8 bytes. */
template <class Out>
sized<winnow_move> move_numbers(Out &&out) noexcept {
    winnow_move move = winnow_move();
    move.d_out = std::data(out);
    move.element_bytes = detail::element_bytes<detail::element<Out>>();
    return {move, WINNOW_NO_LIMIT, std::size(out)};
}
inline sized<winnow_move> move_bits(const void *d_in, void *d_out,
                                    std::uint64_t in_offset = 0,
                                    std::uint64_t out_offset = 0) noexcept {
    winnow_move move = winnow_move();
    move.type = WINNOW_BIT;
    move.d_in = d_in;
    move.d_out = d_out;
    move.in_offset = in_offset;
    move.out_offset = out_offset;
    return move;
}

/* ------------------------------------------------------------------- masks */

/* A byte or bool for each item; not 0 keeps the item. */
template <class Array>
sized<winnow_mask> flags(const Array &array) noexcept {
    static_assert(sizeof(detail::value<const Array>) == 1,
                  "a mask has bytes, or bits: winnow::bit_flags()");
    winnow_mask mask = winnow_mask();
    mask.kind = WINNOW_MASK_BYTES;
    mask.d_flags = std::data(array);
    return {mask, std::size(array)};
}
inline sized<winnow_mask> bit_flags(const void *d_bits,
                                    std::uint64_t offset = 0) noexcept {
    winnow_mask mask = winnow_mask();
    mask.kind = WINNOW_MASK_BITS;
    mask.d_flags = d_bits;
    mask.offset = offset;
    return mask;
}

/* ---------------------------------------------------------------- segments */

/* offsets has one number more than there are segments. counts has room for one
 * number for each segment, out_offsets for one more. An empty span is not
 * written. */
template <class Offsets>
sized<winnow_segments>
segments(const Offsets &offsets, span<detail::value<const Offsets>> counts,
         span<detail::value<const Offsets>> out_offsets) noexcept {
    using T = detail::value<const Offsets>;
    static_assert(detail::type<T> == WINNOW_UINT32 ||
                      detail::type<T> == WINNOW_UINT64,
                  "offsets of segments are unsigned, of 32 or 64 bits");
    winnow_segments segments = winnow_segments();
    segments.type = detail::type<T>;
    const std::uint64_t n = std::size(offsets);
    segments.count = n - (n != 0);
    segments.d_offsets = std::data(offsets);
    segments.d_counts = detail::optional(counts);
    segments.d_out_offsets = detail::optional(out_offsets);
    const bool fits = (!counts.size() || counts.size() >= segments.count) &&
                      (!out_offsets.size() || out_offsets.size() >= n);
    return {segments, WINNOW_NO_LIMIT, WINNOW_NO_LIMIT,
            n == 0 ? "there is no offset of a segment"
            : fits ? nullptr
                   : "there are fewer counts, or offsets, than segments"};
}

inline winnow_unique_options
unique_options(winnow_unique_keep keep = WINNOW_UNIQUE_FIRST,
               winnow_equality equality = WINNOW_EQUAL_BITS) noexcept {
    winnow_unique_options options = winnow_unique_options();
    options.size = sizeof(options);
    options.keep = keep;
    options.equality = equality;
    return options;
}

} /* namespace winnow */

#endif /* WINNOW_CPP_ARRAY_HPP */
