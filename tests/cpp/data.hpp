/* Numbers to filter. SPDX-License-Identifier: Apache-2.0 */
#ifndef WINNOW_TESTS_CPP_DATA_HPP
#define WINNOW_TESTS_CPP_DATA_HPP

#include <cstdint>
#include <vector>

/* From 0 to bound - 1, the same in every run. More than a tile of them. */
template <class T>
std::vector<T> draw(std::uint64_t bound, std::size_t n = 5000) {
    std::vector<T> numbers;
    std::uint64_t state = bound;
    while (numbers.size() < n) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        numbers.push_back(T((state >> 33) % bound));
    }
    return numbers;
}

/* Those of the elements where which(i) holds. */
template <class T, class Which>
std::vector<T> kept(const std::vector<T> &of, Which which) {
    std::vector<T> result;
    for (std::size_t i = 0; i < of.size(); i++)
        if (which(i))
            result.push_back(of[i]);
    return result;
}

/* The first `count` of them. */
template <class T>
std::vector<T> first(std::vector<T> of, std::uint64_t count) {
    of.resize(count);
    return of;
}

#endif /* WINNOW_TESTS_CPP_DATA_HPP */
