/* Sources and sinks of selections. SPDX-License-Identifier: Apache-2.0 */
#include "check.hpp"
#include "data.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <winnow.hpp>

namespace {

const std::size_t n = 5000;
const auto numbers = draw<std::int32_t>(100);

bool is_low(std::size_t i) {
    return numbers[i] < 30;
}
bool is_even(std::size_t i) {
    return numbers[i] % 2 == 0;
}

/* The items that are kept, by another way than the test's. */
template <class Which>
bool keeps(const winnow::context &host, const winnow::selection &selection,
           Which which) {
    std::vector<unsigned char> flags(selection.items(), 7);
    winnow::selection_to_mask(host, selection, flags);
    for (std::size_t i = 0; i < flags.size(); i++)
        if (flags[i] != which(i))
            return false;
    return true;
}

void test_sources(const winnow::context &host) {
    const auto low = winnow::less(30);
    const auto a = winnow::select_if(host, numbers, low);
    CHECK(keeps(host, a, is_low));

    std::vector<char> flags(n);
    std::vector<unsigned char> bits((n + 7) / 8);
    for (std::size_t i = 0; i < n; i++) {
        flags[i] = is_even(i);
        bits[i / 8] |= (unsigned char)(is_even(i) << i % 8);
    }
    const auto b = winnow::select_flagged(host, winnow::flags(flags), n);
    CHECK(keeps(host, b, is_even));
    CHECK(keeps(host,
                winnow::select_flagged(host, winnow::bit_flags(bits.data()), n),
                is_even));

    const auto condition =
        winnow::condition::test(0, low) && winnow::condition::bit(1);
    CHECK(keeps(host,
                winnow::select_where(
                    host, {winnow::column(numbers), winnow::bits(bits.data())},
                    n, condition),
                [](std::size_t i) { return is_low(i) && is_even(i); }));

    CHECK(keeps(
        host,
        winnow::select_unique(host, winnow::column(numbers), n,
                              winnow::unique_options()),
        [](std::size_t i) { return i == 0 || numbers[i] != numbers[i - 1]; }));

    const std::uint32_t offsets[] = {0, 10, 50, 60};
    const std::vector<char> children(60);
    auto lists =
        winnow::select_if(host, std::vector<int>{1, 0, 1}, winnow::equal(1));
    CHECK(keeps(
        host,
        winnow::select_ranges(host, lists, winnow::strings(offsets, children)),
        [](std::size_t i) { return i < 10 || i >= 50; }));

    CHECK(keeps(host, winnow::selection_combine(host, WINNOW_OR, a, b),
                [](std::size_t i) { return is_low(i) || is_even(i); }));
    CHECK(keeps(host, winnow::selection_not(host, a),
                [](std::size_t i) { return !is_low(i); }));
    winnow::selection result(n);
    winnow::selection_not(host, a, result);
    winnow::selection_combine(host, WINNOW_AND, result, b, result);
    CHECK(keeps(host, result,
                [](std::size_t i) { return !is_low(i) && is_even(i); }));

    /* In memory of the caller's. */
    std::vector<long double> memory(winnow::selection_bytes(n) / 16 + 1);
    winnow::selection borrowed(memory.data(), winnow::selection_bytes(n), n);
    winnow::select_if(host, numbers, low, borrowed);
    winnow::selection moved = std::move(borrowed);
    CHECK(!borrowed.get() && borrowed.items() == 0);
    CHECK(moved.get() == memory.data() && keeps(host, moved, is_low));
    moved = winnow::select_if(host, numbers, low);
    CHECK(keeps(host, moved, is_low));
}

void test_sinks(const winnow::context &host) {
    struct record {
        char text[3];
    };
    const auto selection = winnow::select_if(host, numbers, winnow::less(30));
    const auto right = kept(numbers, is_low);
    std::vector<std::uint64_t> places(n);
    std::iota(places.begin(), places.end(), 0);
    places = kept(places, is_low);
    std::uint64_t counts[2] = {0, 0};
    std::vector<std::int32_t> out(n), rejected(n);

    CHECK(winnow::selection_count(host, selection) == right.size());
    winnow::selection_count(host, selection, counts);
    CHECK(counts[0] == right.size());
    CHECK(winnow::compact(host, selection, numbers) == right);
    winnow::compact(host, selection, numbers, out, counts);
    CHECK(first(out, counts[0]) == right);
    CHECK(winnow::compact(host, selection, std::vector<record>(n)).size() ==
          right.size());
    CHECK(winnow::compact_index(host, selection) == places);
    CHECK(winnow::compact_index<std::uint32_t>(host, selection).size() ==
          places.size());
    std::vector<std::uint64_t> indices(n);
    winnow::compact_index(host, selection, indices, counts);
    CHECK(first(indices, counts[0]) == places);

    std::fill(out.begin(), out.end(), 0);
    winnow::compact_columns(host, selection,
                            {winnow::move_column(numbers, out)},
                            winnow::no_limit(), counts);
    CHECK(first(out, counts[0]) == right);

    std::vector<std::int32_t> filled = numbers;
    const std::vector<std::int32_t> arrived = {-7, -8};
    winnow::fill_holes(host, selection, winnow_arrivals{2, nullptr},
                       {winnow::move_column(arrived, filled)}, n, counts);
    CHECK(counts[0] == right.size() + 2);
    CHECK(std::count(filled.begin(), filled.begin() + counts[0], -7) == 1);

    winnow::split(host, selection, numbers, out, rejected, counts);
    CHECK(first(out, counts[0]) == right);
    CHECK(first(rejected, counts[1]) ==
          kept(numbers, [](std::size_t i) { return !is_low(i); }));
    winnow::split(host, selection, winnow::column(numbers), winnow::output(out),
                  1, winnow::output(rejected), 0, counts);
    CHECK(out[0] == right[0] && counts[0] == right.size());

    const std::int32_t minus = -1;
    winnow::expand(host, selection, right, &minus, out);
    for (std::size_t i = 0; i < n; i++)
        CHECK(out[i] == (is_low(i) ? numbers[i] : -1));
    std::fill(out.begin(), out.end(), 0);
    winnow::expand(host, selection, winnow::column(right), right.size(),
                   nullptr, winnow::output(out));
    for (std::size_t i = 0; i < n; i++)
        CHECK(out[i] == (is_low(i) ? numbers[i] : 0));

    const std::uint64_t few = 2;
    const std::vector<std::int32_t> before = out;
    winnow::fill(host, &few, minus, winnow::span<std::int32_t>(out));
    CHECK(out[0] == before[0] && out[1] == before[1] && out[2] == -1 &&
          out[n - 1] == -1);
    winnow::fill(host, &few, 3, &before[0], winnow::output(out));
    CHECK(out[2] == before[0] && out[3] == -1);

    const std::uint64_t offsets[] = {0, 1000, n};
    std::vector<std::uint64_t> survivors(2);
    winnow::selection_segments(host, selection,
                               winnow::segments(offsets, survivors, {}));
    CHECK(survivors[0] + survivors[1] == right.size());
    CHECK(survivors[1] > survivors[0]);

    unsigned char bits[1 + n / 8 + 1] = {0};
    winnow::selection_to_mask(host, selection, WINNOW_MASK_BITS, bits, 8);
    CHECK(bits[0] == 0 && (bits[1] & 1) == is_low(0));
}

void test_strings(const winnow::context &host) {
    const std::string bytes = "onetwothree";
    const std::int32_t offsets[] = {0, 3, 6, 11};
    const auto selection =
        winnow::select_if(host, std::vector<int>{1, 0, 1}, winnow::equal(1));
    std::int32_t ends[4];
    std::string out(11, ' ');
    std::uint64_t counts[2];

    winnow::compact_strings(host, selection, winnow::strings(offsets, bytes),
                            ends, out, counts);
    CHECK(counts[0] == 2 && counts[1] == 8 && out.substr(0, 8) == "onethree");
    CHECK(ends[0] == 0 && ends[1] == 3 && ends[2] == 8);
}

} // namespace

void test_selections() {
    const winnow::context host;
    test_sources(host);
    test_sinks(host);
    test_strings(host);
}
