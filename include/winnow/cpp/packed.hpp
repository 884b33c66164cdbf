/*
 * A packed result that is returned. SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_CPP_PACKED_HPP
#define WINNOW_CPP_PACKED_HPP

#include <winnow/cpp/context.hpp>

#include <vector>

namespace winnow {
namespace detail {

/* The output of call(out, capacity, count), which packs at most n elements. */
template <class T, class Call, class... Status>
std::vector<T> packed(const policy &on, std::uint64_t n, Call call,
                      Status &...to) noexcept(silent<Status...>) {
    std::vector<T> out;
    std::uint64_t count = 0;
    const auto resize = [&] { out.resize(n); };
    if (returns(on, to...) && allocate(resize, to...))
        report(call(out.data(), n, &count), to...);
    out.resize(count);
    return out;
}

/* Is there enough room for a call? A plan writes nothing. */
template <class... Status>
bool fits(const policy &on, bool enough, const char *otherwise,
          Status &...to) noexcept(silent<Status...>) {
    return require(on.launch()->plan || enough, otherwise, to...);
}

} /* namespace detail */
} /* namespace winnow */

#endif /* WINNOW_CPP_PACKED_HPP */
