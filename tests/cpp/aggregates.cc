/* Aggregates under a condition. SPDX-License-Identifier: Apache-2.0 */
#include "check.hpp"
#include "data.hpp"

#include <winnow.hpp>

#include <algorithm>

static void test_reduced(const winnow::context &host) {
    const auto price = draw<std::int32_t>(1000);
    const auto weight = draw<float>(100);
    const std::vector<winnow_in> columns{winnow::column(price),
                                         winnow::column(weight)};
    const std::vector<winnow_field> fields{winnow::field<std::int32_t>("price"),
                                           winnow::field<float>("weight")};
    const std::uint64_t n = price.size();
    const auto light = winnow::condition::parse(fields, "weight < 40");
    const auto twice = winnow::expression::parse(fields, "price * 2 - 5");
    const auto weights = winnow::expression::column<float>(1);
    CHECK(*weights.format() == 'f');
    CHECK(twice.type() == WINNOW_INT64 && weights.type() == WINNOW_FLOAT32);
    CHECK(twice.columns() == std::vector<unsigned>{0} &&
          weights.columns() == std::vector<unsigned>{1});
    const std::vector<winnow_aggregate> wanted{
        winnow::aggregate(twice, WINNOW_REDUCE_SUM | WINNOW_REDUCE_MAXIMUM),
        winnow::aggregate(weights, WINNOW_REDUCE_MINIMUM),
        winnow::count_items()};

    const auto light_prices =
        kept(price, [&](std::size_t i) { return weight[i] < 40; });
    std::int64_t sum = 0, most = INT64_MIN;
    for (const std::int64_t x : light_prices) {
        sum += x * 2 - 5;
        most = std::max(most, x * 2 - 5);
    }
    const auto results = winnow::reduce_where(host, columns, n, light, wanted);
    CHECK(results.size() == 3);
    CHECK(winnow::number<std::int64_t>(results[0].sum) == sum);
    CHECK(winnow::number<std::int64_t>(results[0].maximum) == most);
    CHECK(winnow::number<double>(results[1].minimum) ==
          *std::min_element(weight.begin(), weight.end()));
    CHECK(results[2].count == light_prices.size());

    const auto all = winnow::reduce_all(host, columns, n, wanted);
    CHECK(all[0].count == n && all[2].count == n);
    std::vector<winnow_reduction> into(3);
    winnow::reduce_all(host, columns, n, wanted, into.data());
    CHECK(winnow::number<std::int64_t>(into[0].sum) ==
          winnow::number<std::int64_t>(all[0].sum));
    winnow::reduce_where(host, columns, n, light, wanted, into.data());
    CHECK(into[2].count == light_prices.size());
}

static void test_sums_by_key(const winnow::context &host) {
    const auto keys = draw<std::uint32_t>(8);
    const auto values = draw<float>(100);
    const auto low = winnow::condition::test(0, winnow::less(40.0f));
    std::vector<double> sums(8, 1.0), right(8, 1.0);
    std::uint64_t beyond = 1;

    for (std::size_t i = 0; i < keys.size(); i++)
        if (values[i] < 40)
            right[keys[i]] += values[i];
    winnow::accumulate_where(host, {winnow::column(values)}, low, keys,
                             {winnow::column(values)}, 8,
                             {winnow::output(sums)}, &beyond);
    CHECK(sums == right && beyond == 0);

    winnow::status status;
    winnow::accumulate_where(host, {winnow::column(values)}, low, keys,
                             {winnow::column(values)}, 8, {}, nullptr, status);
    CHECK(status.code() == WINNOW_ERR_ARGUMENT && sums == right);
}

void test_aggregates() {
    const winnow::context host;
    winnow::status status;
    test_reduced(host);
    test_sums_by_key(host);
    CHECK(!winnow::expression::parse({winnow::field<int>("y")}, "x + 1", status)
               .get());
    CHECK(status.code() == WINNOW_ERR_SYNTAX);
    CHECK(!winnow::expression::column(0, WINNOW_BIT, status).get());
    CHECK(status.code() == WINNOW_ERR_UNSUPPORTED);
}
