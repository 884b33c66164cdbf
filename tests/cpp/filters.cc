/* Filters and reductions of one array. SPDX-License-Identifier: Apache-2.0 */
#include "check.hpp"
#include "data.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <winnow.hpp>
#if __has_include(<span>) && __cplusplus >= 202002L
#include <span>
#endif

static void test_predicates(const winnow::context &host) {
    const auto in = draw<std::int16_t>(7);
    const auto count = [&](auto test) {
        return std::uint64_t(std::count_if(in.begin(), in.end(), test));
    };
    using T = std::int16_t;
    CHECK(winnow::count_if(host, in, winnow::less(T(3))) ==
          count([](T x) { return x < 3; }));
    CHECK(winnow::count_if(host, in, winnow::less_equal(T(3))) ==
          count([](T x) { return x <= 3; }));
    CHECK(winnow::count_if(host, in, winnow::equal(T(3))) ==
          count([](T x) { return x == 3; }));
    CHECK(winnow::count_if(host, in, winnow::not_equal(T(3))) ==
          count([](T x) { return x != 3; }));
    CHECK(winnow::count_if(host, in, winnow::greater_equal(T(3))) ==
          count([](T x) { return x >= 3; }));
    CHECK(winnow::count_if(host, in, winnow::greater(T(3))) ==
          count([](T x) { return x > 3; }));
    CHECK(winnow::count_if(host, in, winnow::between(T(2), T(4))) ==
          count([](T x) { return 2 <= x && x <= 4; }));
    CHECK(winnow::count_if(host, in, winnow::predicate<T>::bits(6, 2)) ==
          count([](T x) { return (x & 6) == 2; }));
}

static void test_copies(const winnow::context &host) {
    const auto in = draw<float>(100);
    const auto low = winnow::less(30.0f);
    const auto is_low = [&](std::size_t i) { return in[i] < 30; };
    const auto right = kept(in, is_low);
    std::vector<std::uint64_t> places(in.size());
    std::iota(places.begin(), places.end(), 0);
    places = kept(places, is_low);
    std::uint64_t count = 0;

    CHECK(winnow::copy_if(host, in, low) == right);
    CHECK(winnow::copy_index_if(host, in, low) == places);
    CHECK(winnow::copy_index_if<std::uint32_t>(host, in, low) ==
          std::vector<std::uint32_t>(places.begin(), places.end()));

    /* Room for ten. */
    std::array<float, 10> ten;
    winnow::copy_if(host, in, low, ten, &count);
    CHECK(count == right.size());
    CHECK(std::equal(ten.begin(), ten.end(), right.begin()));
    std::uint32_t indices[10];
    winnow::copy_index_if(host, in, low, indices, &count);
    CHECK(count == right.size());
    CHECK(std::equal(indices, indices + 10, places.begin()));

    /* In place; the number of items in memory; the output further on. */
    auto same = in;
    const std::uint64_t n = 1000;
    std::uint64_t position = 1;
    std::int32_t strategy = 0;
    winnow::copy_if(winnow::policy(host)
                        .stable()
                        .d_n(&n)
                        .selectivity(0.5)
                        .d_strategy(&strategy)
                        .strategy(WINNOW_HOST),
                    same, low, same, &count);
    CHECK(strategy == WINNOW_HOST);
    CHECK(first(same, count) == first(right, count));
    CHECK(count ==
          std::uint64_t(std::count_if(in.begin(), in.begin() + n,
                                      [](float x) { return x < 30; })));
    std::vector<float> out(in.size() + 1, -1);
    winnow::copy_if(winnow::policy(host).d_position(&position), in, low, out,
                    &count);
    CHECK(position == right.size() + 1 && out[0] == -1);
    CHECK(std::equal(right.begin(), right.end(), out.begin() + 1));

    auto plan = winnow::plan();
    char text[1000];
    plan.text = text;
    plan.text_bytes = sizeof(text);
    out[0] = -3;
    winnow::copy_if(winnow::policy(host).plan(plan), in, low, out, nullptr);
    CHECK(plan.strategy == WINNOW_HOST && out[0] == -3);
    CHECK(plan.text_length > 0);
    alignas(16) char workspace[4096];
    winnow::copy_if(winnow::policy(host)
                        .workspace(workspace, sizeof(workspace))
                        .stream(nullptr)
                        .order(WINNOW_UNORDERED),
                    in, low, out, &count);
    CHECK(count == right.size());

#if defined(__cpp_lib_span)
    CHECK(winnow::copy_if(host, std::span<const float>(in), low) == right);
    winnow::copy_if(host, std::span(in), low, std::span<float>(out), &count);
    CHECK(first(out, count) == right);
#endif
    CHECK(winnow::copy_if(host, winnow::span(in.data(), in.size()), low) ==
          right);
    CHECK(winnow::copy_if(host, std::vector<float>(), low).empty());
}

static void test_numbers(const winnow::context &host) {
    const auto in = draw<std::int32_t>(1000);
    const auto high = winnow::greater_equal(600);
    const auto kept_in = kept(in, [&](std::size_t i) { return in[i] >= 600; });
    const auto sum = std::accumulate(kept_in.begin(), kept_in.end(), 0LL);
    std::uint64_t count = 0;
    double fraction = 0;
    winnow_reduction result;

    winnow::count_if(host, in, high, &count);
    CHECK(count == kept_in.size());
    winnow::estimate_selectivity(host, in, high, &fraction);
    CHECK(fraction == double(count) / double(in.size()));
    CHECK(winnow::estimate_selectivity(host, in, high) == fraction);

    const unsigned wanted = WINNOW_REDUCE_SUM | WINNOW_REDUCE_MAXIMUM;
    result = winnow::reduce_if(host, in, high, wanted);
    CHECK(result.count == count);
    CHECK(winnow::number<std::int32_t>(result.sum) == sum);
    CHECK(winnow::number<std::int32_t>(result.maximum) ==
          *std::max_element(in.begin(), in.end()));
    CHECK(winnow::reduce(host, in, wanted).count == in.size());
    winnow::reduce_if(host, in, high, wanted, &result);
    CHECK(result.count == count);
    winnow::reduce(host, in, WINNOW_REDUCE_COUNT, &result);
    CHECK(result.count == in.size());

    const winnow_reduction parts[2] = {
        winnow::reduce(host, in, wanted | WINNOW_REDUCE_PARTIAL),
        winnow::reduce_if(host, in, high, wanted | WINNOW_REDUCE_PARTIAL)};
    result = winnow::merge_reductions<std::int32_t>(parts, {}, wanted);
    CHECK(result.count == in.size() + count);
    CHECK(winnow::number<std::int32_t>(result.sum) ==
          winnow::number<std::int32_t>(parts[0].sum) + sum);
}

static void test_partitions(const winnow::context &host) {
    const auto in = draw<double>(50);
    const auto low = winnow::less(20.0);
    const auto right = kept(in, [&](std::size_t i) { return in[i] < 20; });
    const auto others = kept(in, [&](std::size_t i) { return in[i] >= 20; });
    std::vector<double> out(in.size()), rejected(in.size());
    std::uint64_t counts[2] = {0, 0};

    winnow::partition_if(host, in, low, out, rejected, counts);
    CHECK(first(out, counts[0]) == right);
    CHECK(first(rejected, counts[1]) == others);
    winnow::partition_if(host, in, low, out, {}, counts);
    CHECK(first(out, counts[0]) == right);
    CHECK(std::equal(others.begin(), others.end(), out.begin() + counts[0]));

    const std::vector<std::uint32_t> offsets = {0, 100, 100, 5000};
    std::vector<std::uint32_t> survivors(3), ends(4);
    winnow::segmented_copy_if(
        host, in, low, winnow::segments(offsets, survivors, ends), out, counts);
    CHECK(first(out, counts[0]) == right);
    CHECK(survivors[0] == std::count_if(in.begin(), in.begin() + 100,
                                        [](double x) { return x < 20; }));
    CHECK(survivors[1] == 0 && ends[3] == right.size());
}

void test_filters() {
    winnow::context host;
    host.set_threads(2);
    CHECK(host.device() == WINNOW_DEVICE_HOST);
    test_predicates(host);
    test_copies(host);
    test_numbers(host);
    test_partitions(host);
}
