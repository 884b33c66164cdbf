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

    std::vector<int> numbers(keys.size() + 8 * 3);
    std::vector<std::int32_t> signed_keys(keys.begin(), keys.end());
    const int none = -1;
    const void *const fills[] = {&none};
    winnow_blocks blocks = winnow_blocks();
    std::vector<std::uint64_t> counts(8);
    signed_keys[2] = -1;
    digit.bits = 0;
    digit.parts = 8;
    blocks.align = 4;
    blocks.fills = fills;
    blocks.d_counts = counts.data();
    winnow::partition_blocks(winnow::policy(host).stable(), signed_keys, digit,
                             blocks, {winnow::move_numbers(numbers)}, offsets);
    for (std::int32_t part = 0; part < 8; part++) {
        std::vector<int> of_part;
        for (std::size_t i = 0; i < keys.size(); i++)
            if (signed_keys[i] == part)
                of_part.push_back(int(i));
        CHECK(counts[part] == of_part.size() && offsets[part] % 4 == 0);
        of_part.resize((of_part.size() + 3) / 4 * 4, -1);
        CHECK(std::vector<int>(numbers.begin() + offsets[part],
                               numbers.begin() + offsets[part + 1]) == of_part);
    }

    for (std::size_t i = 0; i < keys.size(); i++)
        right[keys[i]] += values[i];
    winnow::accumulate_by_key(host, keys, {winnow::column(values)}, 8,
                              {winnow::output(sums)}, &beyond);
    CHECK(sums == right && beyond == 0);

    /* Too little room for blocks; room for eight offsets only; two sums of one
     * value. */
    winnow::status status;
    numbers.resize(keys.size());
    winnow::partition_blocks(host, signed_keys, digit, blocks,
                             {winnow::move_numbers(numbers)}, offsets, status);
    CHECK(status.code() == WINNOW_ERR_ARGUMENT);
    digit.bits = 3;
    digit.parts = 0;
    offsets.resize(8);
    winnow::partition_by_key(host, keys, digit, {}, offsets, status);
    CHECK(status.code() == WINNOW_ERR_ARGUMENT);
    winnow::accumulate_by_key(host, keys, {winnow::column(values)}, 8,
                              {winnow::output(sums), winnow::output(sums)},
                              nullptr, status);
    CHECK(status.code() == WINNOW_ERR_ARGUMENT && sums == right);
}
