/* Conditions, and filters of tables. SPDX-License-Identifier: Apache-2.0 */
#include "check.hpp"
#include "data.hpp"

#include <cstring>
#include <string>
#include <winnow.hpp>

namespace {

struct row {
    float price;
    std::int32_t id;
};

std::vector<row> rows() {
    const auto prices = draw<float>(100);
    const auto ids = draw<std::int32_t>(10);
    std::vector<row> rows;
    for (std::size_t i = 0; i < prices.size(); i++)
        rows.push_back({prices[i], ids[i]});
    return rows;
}

/* How many rows a condition keeps: columns 0 and 1 are members of a row. */
std::uint64_t count(const winnow::context &host, const std::vector<row> &rows,
                    const winnow::condition &condition) {
    const auto selection =
        winnow::select_where(host,
                             {winnow::column(&rows[0].price, sizeof(row)),
                              winnow::column(&rows[0].id, sizeof(row))},
                             rows.size(), condition);
    return winnow::selection_count(host, selection);
}

template <class Which>
std::uint64_t count(const std::vector<row> &rows, Which which) {
    std::uint64_t count = 0;
    for (const row &row : rows)
        count += which(row);
    return count;
}

void test_conditions(const winnow::context &host) {
    using winnow::condition;
    const auto table = rows();
    const auto low = condition::test(0, winnow::less(30.0f));
    const auto four = condition::test(1, winnow::equal(4));
    const auto some = condition::in(1, std::vector<std::int32_t>{1, 4});

    CHECK(count(host, table, low && four) ==
          count(table, [](row x) { return x.price < 30 && x.id == 4; }));
    CHECK(count(host, table, low || four) ==
          count(table, [](row x) { return x.price < 30 || x.id == 4; }));
    CHECK(count(host, table, !low) ==
          count(table, [](row x) { return x.price >= 30; }));
    CHECK(count(host, table, condition::is_true(some)) ==
          count(table, [](row x) { return x.id == 1 || x.id == 4; }));
    const std::int32_t also[] = {4, 1, 4};
    CHECK(count(host, table, condition::in(host, 1, also)) ==
          count(host, table, some));
    CHECK(count(host, table, condition::is_null(0)) == 0);
    some.prepare(host);
    CHECK(count(host, table,
                condition::parse({winnow::field<float>("price"),
                                  winnow::field<std::int32_t>("id")},
                                 "price < 30 and id in (1, 4)")) ==
          count(host, table, low && some));

    /* What it reads, and between which values. */
    const auto both = condition::both(low, condition::negation(four));
    CHECK((both.columns() == std::vector<unsigned>{0, 1}));
    CHECK(winnow::count_if(host, std::vector<float>{10, 30, 29},
                           low.as_predicate<float>()) == 2);
    const auto bounds = some.bounds();
    CHECK(bounds.size() == 3 && bounds[0].kind == WINNOW_BOUND_RANGE &&
          bounds[0].column == 1 && bounds[0].type == WINNOW_INT32 &&
          bounds[0].low[0] == 1 && bounds[0].high[0] == 1 &&
          bounds[2].kind == WINNOW_BOUND_OR);
    winnow::status status;
    CHECK(condition::adopt(nullptr).columns(status).empty() && !status);
    CHECK(condition::adopt(nullptr).bounds(status).empty() && !status);
    CHECK(!both.as_predicate<float>(status).get() && !status);

    /* Strings, a dictionary of them, and nulls. */
    const std::string bytes = "onetwothree";
    const std::int32_t offsets[] = {0, 3, 6, 11};
    const auto texts = winnow::strings(offsets, bytes);
    const std::int8_t indices[] = {2, 0, 2, 1};
    const unsigned char valid = 0xd;
    const auto words = winnow::with_nulls(
        winnow::with_dictionary(winnow::column(indices), texts, 3), &valid);
    const auto with_t = condition::text(0, WINNOW_TEXT_STARTS_WITH, "t");
    const auto one = condition::text_in(0, {"one", "six"});
    const auto number = [&](const winnow_in &column, std::uint64_t n,
                            const condition &of) {
        return winnow::selection_count(
            host, winnow::select_where(host, {column}, n, of));
    };
    CHECK(number(texts, 3, with_t) == 2 && number(texts, 3, one) == 1);
    CHECK(number(words, 4, with_t) == 3 && number(words, 4, one) == 0);
    CHECK(number(words, 4, condition::is_null(0)) == 1);

    unsigned char views[2][16] = {{3, 0, 0, 0, 'o', 'n', 'e'},
                                  {2, 0, 0, 0, 't', 'o'}};
    CHECK(number(winnow::views(views, {}), 2, one) == 1);
}

/* In CUDA C: for devices alone, which the host says. */
void test_compiled(const winnow::context &host) {
    const float table[] = {1, 2};
    const auto condition = winnow::condition::cuda(
        "return x > least && x < table[which];", {winnow::field<float>("x")},
        {winnow::parameter("least", 0.5), winnow::parameter("which", 1u),
         winnow::parameter("table", table)});
    winnow::status status;
    const auto kept = winnow::select_where(host, {winnow::column(table)}, 2,
                                           condition, status);
    CHECK(status.code() == WINNOW_ERR_UNSUPPORTED && !kept.get());
    CHECK(!winnow::condition::cuda(nullptr, {}, {}, status).get());
    CHECK(status.code() == WINNOW_ERR_ARGUMENT);

    CHECK(host.notes().empty());
    winnow::cache_set("here", 1, status);
    CHECK(status.code() == WINNOW_ERR_ARGUMENT);
    winnow::cache_set(nullptr, 0);
    winnow::cache_clear();
}

void test_calls(const winnow::context &host) {
    const auto prices = draw<float>(100);
    const auto ids = draw<std::int32_t>(10);
    const auto is_low = [&](std::size_t i) { return prices[i] < 30; };
    std::vector<float> out(prices.size());
    auto same = ids;
    std::uint64_t count = 0;

    const auto low = winnow::condition::test(0, winnow::less(30.0f));
    winnow::copy_where(
        host, {winnow::column(prices)}, prices.size(), low,
        {winnow::move_column(prices, out), winnow::move_column(same, same)},
        winnow::no_limit(), &count);
    CHECK(first(out, count) == kept(prices, is_low));
    CHECK(first(same, count) == kept(ids, is_low));

    const auto table = rows();
    std::vector<row> packed(table.size());
    winnow::copy_columns_if(host, winnow::column(&table[0].price, sizeof(row)),
                            table.size(), winnow::less(30.0f),
                            {winnow::move_column(table, packed)},
                            winnow::no_limit(), &count);
    const auto right = kept(table, is_low);
    CHECK(count == right.size());
    CHECK(!std::memcmp(packed.data(), right.data(), count * sizeof(row)));

    std::vector<unsigned char> flags(prices.size()), bits(prices.size());
    for (std::size_t i = 0; i < flags.size(); i++)
        flags[i] = is_low(i);
    unsigned char in = 0x05, bit = 0;
    winnow::copy_flagged(host, winnow::flags(flags), prices.size(),
                         {winnow::move_column(prices, out)}, 5, &count);
    CHECK(count == right.size());
    CHECK(first(out, 5) == first(kept(prices, is_low), 5));
    winnow::copy_flagged(host, winnow::flags(std::vector<char>{1, 0, 1}), 3,
                         {winnow::move_bits(&in, &bit, 0, 4)}, 3, &count);
    CHECK(bit == 0x30);

    winnow::unique(host, winnow::column(ids), ids.size(),
                   winnow::unique_options(WINNOW_UNIQUE_LAST),
                   {winnow::move_column(ids, same)}, winnow::no_limit(),
                   &count);
    CHECK(first(same, count) == kept(ids, [&](std::size_t i) {
              return i + 1 == ids.size() || ids[i] != ids[i + 1];
          }));
}

} // namespace

void test_tables() {
    const winnow::context host;
    test_conditions(host);
    test_compiled(host);
    test_calls(host);
}
