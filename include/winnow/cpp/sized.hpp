/*
 * Structs of the C library with the lengths of their arrays, and lists of them.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_CPP_SIZED_HPP
#define WINNOW_CPP_SIZED_HPP

#include <winnow/cpp/packed.hpp>
#include <winnow/cpp/span.hpp>

#include <algorithm>
#include <memory>
#include <new>

namespace winnow {

/* `items` elements may be read, and `room` elements may be written. A number
 * that is not known is WINNOW_NO_LIMIT. wrong: NULL, or a mistake in the
 * description; every call that gets the struct reports it. */
template <class Struct>
struct sized : Struct {
    sized(const Struct &of = Struct(), std::uint64_t to_read = WINNOW_NO_LIMIT,
          std::uint64_t to_write = WINNOW_NO_LIMIT,
          const char *mistake = nullptr) noexcept
        : Struct(of), items(to_read), room(to_write), wrong(mistake) {
    }

    std::uint64_t items;
    std::uint64_t room;
    const char *wrong;
};

/*
 * A list of structs in braces or in an array, and the smallest of their
 * lengths. An array of structs of the C library has no lengths to check.
 */
template <class Struct>
class list {
  public:
    list() noexcept = default;
    list(std::initializer_list<sized<Struct>> from) noexcept {
        copy(from.begin(), from.size());
    }
    template <class Array, class Element = detail::value<const Array>,
              class = std::enable_if_t<std::is_base_of_v<Struct, Element>>>
    list(const Array &from) noexcept {
        if constexpr (std::is_same_v<Struct, Element>)
            data_ = std::data(from), size_ = std::size(from);
        else
            copy(std::data(from), std::size(from));
    }

    const Struct *data() const noexcept {
        return data_;
    }
    std::uint64_t size() const noexcept {
        return size_;
    }

    std::uint64_t items = WINNOW_NO_LIMIT;
    std::uint64_t room = WINNOW_NO_LIMIT;
    const char *wrong = nullptr;

  private:
    void copy(const sized<Struct> *from, std::uint64_t size) noexcept {
        owned_.reset(new (std::nothrow) Struct[size]);
        if (!owned_) {
            wrong = "no host memory for a list";
            return;
        }
        std::copy_n(from, size, owned_.get());
        for (std::uint64_t i = 0; i < size; i++) {
            items = std::min(items, from[i].items);
            room = std::min(room, from[i].room);
            wrong = wrong ? wrong : from[i].wrong;
        }
        data_ = owned_.get();
        size_ = size;
    }

    const Struct *data_ = nullptr;
    std::uint64_t size_ = 0;
    std::unique_ptr<Struct[]> owned_;
};

using column_list = list<winnow_in>;
using output_list = list<winnow_out>;
using move_list = list<winnow_move>;

namespace detail {

/* The length of a list as unsigned; the library refuses the largest number. */
template <class Struct>
unsigned length(const list<Struct> &of) noexcept {
    return of.size() < ~0u ? unsigned(of.size()) : ~0u;
}

/* Does the array, or each array of a list, have n elements to read? */
template <class Sized, class... Status>
bool has(const Sized &of, std::uint64_t n,
         Status &...to) noexcept(silent<Status...>) {
    return require(!of.wrong, of.wrong, to...) &&
           require(of.items >= n, "an array is shorter than the items", to...);
}

/* Does the array, or each array of a list, have room for n elements? */
template <class Sized, class... Status>
bool has_room(const policy &on, const Sized &of, std::uint64_t n,
              Status &...to) noexcept(silent<Status...>) {
    return require(!of.wrong, of.wrong, to...) &&
           fits(on, of.room >= n, "an output has less room than its capacity",
                to...);
}

/* A call that packs n items needs room for at most n elements. If it appends to
 * an output, the capacity decides. */
template <class Sized, class... Status>
bool packs(const policy &on, const Sized &moves, std::uint64_t n,
           std::uint64_t capacity, Status &...to) noexcept(silent<Status...>) {
    const bool behind = on.launch()->d_position;
    return has(moves, n, to...) &&
           has_room(on, moves, behind ? capacity : std::min(capacity, n),
                    to...);
}

/* The size of an output is its capacity, so an empty output is a mistake. */
template <class... Status>
bool keeps(const policy &on, std::uint64_t room, std::uint64_t n,
           Status &...to) noexcept(silent<Status...>) {
    return fits(on, room != 0 || n == 0,
                "the output is empty: give it the size that it is to have",
                to...);
}

} /* namespace detail */
} /* namespace winnow */

#endif /* WINNOW_CPP_SIZED_HPP */
