/* Partitions and sums by key. SPDX-License-Identifier: Apache-2.0 */
#include "check.hpp"
#include "data.hpp"

#include <winnow.hpp>

void test_keyed() {
    const winnow::context host;
    const auto keys = draw<std::uint32_t>(8);
    const auto values = draw<float>(100);
    std::vector<float> out(values.size());
    std::vector<std::uint64_t> offsets(9);
    std::vector<double> sums(8, 1.0), right(8, 1.0);
    std::uint64_t beyond = 1;

    winnow_digit digit = winnow_digit();
    digit.bits = 3;
    winnow::partition_by_key(winnow::policy(host).stable(), keys, digit,
                             {winnow::move_column(values, out)}, offsets);
    for (std::uint32_t part = 0; part < 8; part++) {
        const auto of_part =
            kept(values, [&](std::size_t i) { return keys[i] == part; });
        CHECK(offsets[part + 1] - offsets[part] == of_part.size());
        CHECK(std::vector<float>(out.begin() + offsets[part],
                                 out.begin() + offsets[part + 1]) == of_part);
    }

    for (std::size_t i = 0; i < keys.size(); i++)
        right[keys[i]] += values[i];
    winnow::accumulate_by_key(host, keys, {winnow::column(values)}, 8,
                              {winnow::output(sums)}, &beyond);
    CHECK(sums == right && beyond == 0);

    /* Room for eight offsets only; two sums of one value. */
    winnow::status status;
    offsets.resize(8);
    winnow::partition_by_key(host, keys, digit, {}, offsets, status);
    CHECK(status.code() == WINNOW_ERR_ARGUMENT);
    winnow::accumulate_by_key(host, keys, {winnow::column(values)}, 8,
                              {winnow::output(sums), winnow::output(sums)},
                              nullptr, status);
    CHECK(status.code() == WINNOW_ERR_ARGUMENT && sums == right);
}
