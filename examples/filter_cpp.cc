/*
 * Filters in C++17: of an array, and of a table.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <array>
#include <cstdio>
#include <vector>
#include <winnow.hpp>

int main() try {
    const winnow::context host;
    const std::vector<float> prices = {12.5f, 3.0f, 8.0f, 99.0f, 9.5f};
    const std::array<std::int64_t, 5> ids = {1, 2, 3, 4, 5};

    const auto low = winnow::copy_if(host, prices, winnow::less(10.0f));
    for (const float price : low)
        std::printf("%g\n", double(price));

    /* One condition, and each column packed by it. */
    const auto wanted = winnow::condition::parse(
        {winnow::field<float>("price"), winnow::field<std::int64_t>("id")},
        "price < 10 and id not in (3, 4)");
    const auto kept = winnow::select_where(
        host, {winnow::column(prices), winnow::column(ids)}, ids.size(),
        wanted);
    const auto kept_prices = winnow::compact(host, kept, prices);
    const auto kept_ids = winnow::compact(host, kept, ids);
    for (std::size_t i = 0; i < kept_ids.size(); i++)
        std::printf("%lld: %g\n", (long long)kept_ids[i],
                    double(kept_prices[i]));

    /* With a status, nothing throws. */
    winnow::status status;
    (void)winnow::condition::parse({winnow::field<float>("price")}, "price < ",
                                   status);
    std::printf("%s: %s\n", status.name(), status.detail().c_str());

    return low == std::vector<float>{3.0f, 8.0f, 9.5f} &&
                   kept_ids == std::vector<std::int64_t>{2, 5} &&
                   status.code() == WINNOW_ERR_SYNTAX
               ? 0
               : 1;
} catch (const winnow::error &error) {
    std::fprintf(stderr, "filter_cpp: %s\n", error.what());
    return 1;
}
