/* Errors: thrown, or told by a status. SPDX-License-Identifier: Apache-2.0 */
#include "check.hpp"
#include "data.hpp"

#include <cstring>
#include <string>
#include <winnow.hpp>

namespace {

/* The status of the error that a function throws. */
template <class Function>
winnow_status thrown(Function function) {
    try {
        function();
    } catch (const winnow::error &error) {
        CHECK(std::strstr(error.what(), winnow_status_string(error.code())));
        CHECK(!error.detail().empty());
        return error.code();
    }
    return WINNOW_OK;
}

void test_both_ways(const winnow::context &host) {
    winnow::status status;
    CHECK(status && status.ok());
    const std::vector<int> in = {1, 2, 3};
    std::vector<int> out(3);

    const auto no_condition =
        winnow::condition::parse({winnow::field<int>("y")}, "x > 1", status);
    CHECK(!no_condition.get() && !status);
    CHECK(status.code() == WINNOW_ERR_SYNTAX);
    CHECK(std::string(status.name()) == "WINNOW_ERR_SYNTAX");
    CHECK(status.detail() == winnow_last_error());
    CHECK(winnow::last_error_place().line == 1 &&
          winnow::last_error_place().offset == 0 &&
          winnow::last_error_place().field == WINNOW_NO_FIELD);
    CHECK(thrown([&] {
              (void)winnow::condition::parse({winnow::field<int>("y")},
                                             "x > 1");
          }) == WINNOW_ERR_SYNTAX);

    /* An error is gone with the next call. */
    CHECK(winnow::count_if(host, in, winnow::less(3), status) == 2);
    CHECK(status.ok() && status.detail().empty());

    /* A context that there is not, and what is made with it. */
    const winnow::context none(1 << 20, status);
    CHECK(!none && status.code() == WINNOW_ERR_NO_DEVICE);
    CHECK(thrown([] { (void)winnow::context(1 << 20); }) ==
          WINNOW_ERR_NO_DEVICE);
    winnow::copy_if(none, in, winnow::less(3), out, nullptr, status);
    CHECK(status.code() == WINNOW_ERR_ARGUMENT);
    winnow::context tuned;
    tuned.tune(nullptr, status);
    CHECK(status.code() == WINNOW_ERR_UNSUPPORTED);
    tuned.set_threads(1, status);
    CHECK(status.ok());
    tuned.set_compile(WINNOW_COMPILE_BEFORE, status);
    CHECK(status.ok());
    tuned.set_compile(static_cast<winnow_compile>(2), status);
    CHECK(status.code() == WINNOW_ERR_ARGUMENT);
    CHECK(!winnow::predicate<int>::bits(1, 2, status));
    CHECK(status.code() == WINNOW_ERR_ARGUMENT);
    CHECK(winnow::selection_bytes(UINT64_MAX, status) == 0);
    CHECK(status.code() == WINNOW_ERR_UNSUPPORTED);
    const winnow::selection too_large(UINT64_MAX, status);
    CHECK(!too_large.get() && !status);
}

/* A result is not returned where it is not there yet. */
void test_returned(const winnow::context &host) {
    winnow::status status;
    const std::vector<int> in = {1, 2, 3};
    std::uint64_t position = 0;
    winnow::context no_host(1 << 20, status);
    CHECK(winnow::copy_if(no_host, in, winnow::less(3), status).empty());
    CHECK(status.code() == WINNOW_ERR_UNSUPPORTED);
    CHECK(winnow::copy_if(winnow::policy(host).d_position(&position), in,
                          winnow::less(3), status)
              .empty());
    CHECK(status.code() == WINNOW_ERR_UNSUPPORTED);
    CHECK(winnow::count_if(no_host, in, winnow::less(3), status) == 0);
    CHECK(status.code() == WINNOW_ERR_UNSUPPORTED);
    CHECK(!winnow::select_if(no_host, in, winnow::less(3), status).get());
    CHECK(status.code() == WINNOW_ERR_UNSUPPORTED);
}

/* Sizes that the library cannot see. */
void test_sizes(const winnow::context &host) {
    winnow::status status;
    const std::vector<int> in = {1, 2, 3};
    std::vector<int> two(2), three(3);
    char flags[2];
    const auto kept = winnow::select_if(host, in, winnow::less(3));
    winnow::selection other(2);
    const auto wrong = [&] {
        return status.code() == WINNOW_ERR_ARGUMENT && !status.detail().empty();
    };

    winnow::partition_if(host, in, winnow::less(3), two, three, nullptr,
                         status);
    CHECK(wrong());
    winnow::partition_if(host, in, winnow::less(3), three, two, nullptr,
                         status);
    CHECK(wrong());
    winnow::select_if(host, in, winnow::less(3), other, status);
    CHECK(wrong());
    winnow::selection_not(host, kept, other, status);
    CHECK(wrong());
    winnow::selection_combine(host, WINNOW_AND, kept, kept, other, status);
    CHECK(wrong());
    winnow::selection_to_mask(host, kept, flags, status);
    CHECK(wrong());
    winnow::compact(host, kept, two, three, nullptr, status);
    CHECK(wrong());
    CHECK(winnow::compact(host, kept, two, status).empty() && wrong());
    winnow::split(host, kept, two, three, three, nullptr, status);
    CHECK(wrong());
    winnow::expand(host, kept, in, nullptr, two, status);
    CHECK(wrong());
    const std::int32_t offsets[] = {0, 1, 2, 3};
    std::int64_t wide[4];
    char bytes[3] = {'a', 'b', 'c'}, out[3];
    winnow::compact_strings(host, kept, winnow::strings(offsets, bytes), wide,
                            out, nullptr, status);
    CHECK(wrong());
    winnow::select_ranges(host, kept, winnow::strings(offsets, bytes), other,
                          status);
    CHECK(wrong());
}

/* Lengths of arrays in lists: too short by one, and right. */
void test_lists(const winnow::context &host) {
    winnow::status status;
    const std::vector<int> in = {1, 2, 3}, two = {1, 2};
    const std::vector<std::uint32_t> keys = {0, 1, 1};
    const std::vector<unsigned char> flags = {1, 0, 1}, few = {1, 0};
    std::vector<int> out(3), small(2), sums(2), one(1);
    std::uint64_t count = 0, ends[3];
    const auto low = winnow::condition::test(0, winnow::less(4));
    const auto kept = winnow::select_if(host, in, winnow::less(4));
    const auto wrong = [&] {
        return status.code() == WINNOW_ERR_ARGUMENT && !status.detail().empty();
    };
    const auto right = [&] { return status.ok(); };
    const auto options = winnow::unique_options();
    const auto copy = [&](auto &from, auto &to, std::uint64_t capacity) {
        winnow::copy_where(host, {winnow::column(in)}, 3, low,
                           {winnow::move_column(from, to)}, capacity, &count,
                           status);
        return !wrong();
    };
    CHECK(copy(in, out, winnow::no_limit()) && count == 3);
    CHECK(copy(in, small, 2) && count == 3);
    CHECK(!copy(in, small, 3) && !copy(in, one, winnow::no_limit()));
    CHECK(!copy(two, out, 3));

    const winnow::sized<winnow_in> all[] = {winnow::column(in)};
    winnow::copy_where(host, {winnow::column(two)}, 3, low,
                       {winnow::move_column(in, out)}, 3, &count, status);
    CHECK(wrong());
    winnow::select_where(host, {winnow::column(two)}, 3, low, status);
    CHECK(wrong());
    winnow::select_where(host, all, 3, low, status);
    CHECK(right());
    winnow::copy_columns_if(host, winnow::column(two), 3, winnow::less(4),
                            {winnow::move_column(in, out)}, 3, &count, status);
    CHECK(wrong());
    winnow::copy_flagged(host, winnow::flags(few), 3,
                         {winnow::move_column(in, out)}, 3, &count, status);
    CHECK(wrong());
    winnow::copy_flagged(host, winnow::flags(flags), 3,
                         {winnow::move_column(in, small)}, 3, &count, status);
    CHECK(wrong());
    winnow::select_flagged(host, winnow::flags(few), 3, status);
    CHECK(wrong());
    winnow::unique(host, winnow::column(two), 3, options,
                   {winnow::move_column(in, out)}, 3, &count, status);
    CHECK(wrong());
    winnow::select_unique(host, winnow::column(two), 3, options, status);
    CHECK(wrong());
    winnow::compact_columns(host, kept, {winnow::move_column(in, small)}, 3,
                            &count, status);
    CHECK(wrong());
    winnow::split(host, kept, winnow::column(in), winnow::output(small), 3,
                  winnow::output(out), 3, ends, status);
    CHECK(wrong());
    winnow::expand(host, kept, winnow::column(two), 3, nullptr,
                   winnow::output(out), status);
    CHECK(wrong());
    winnow::expand(host, kept, winnow::column(in), 3, nullptr,
                   winnow::output(small), status);
    CHECK(wrong());
    winnow::fill(host, &count, 3, in.data(), winnow::output(small), status);
    CHECK(wrong());
    winnow::fill(host, nullptr, 7, winnow::span<int>(small), status);
    CHECK(wrong());
    winnow_arrivals arrivals = winnow_arrivals();
    arrivals.n = 3;
    winnow::fill_holes(host, kept, arrivals, {winnow::move_column(two, out)}, 3,
                       &count, status);
    CHECK(wrong());
    arrivals.n = 1;
    winnow::fill_holes(host, kept, arrivals, {winnow::move_column(in, out)}, 4,
                       &count, status);
    CHECK(wrong());

    winnow::accumulate_by_key(host, keys, {winnow::column(two)}, 2,
                              {winnow::output(sums)}, status);
    CHECK(wrong());
    winnow::accumulate_by_key(host, keys, {winnow::column(in)}, 2,
                              {winnow::output(one)}, status);
    CHECK(wrong());
    winnow::accumulate_by_key(host, keys, {winnow::column(in)}, 2,
                              {winnow::output(sums)}, status);
    CHECK(right() && sums[0] == 1 && sums[1] == 5);
    winnow::accumulate_where(host, {winnow::column(two)}, low, keys,
                             {winnow::column(in)}, 2, {winnow::output(sums)},
                             status);
    CHECK(wrong());
    winnow::accumulate_where(host, {winnow::column(in)}, low, keys,
                             {winnow::column(in)}, 2, {winnow::output(sums)});
    CHECK(sums[0] == 2 && sums[1] == 10);
    winnow::reduce_all(host, {winnow::column(two)}, 3, {winnow::count_items()},
                       status);
    CHECK(wrong());
    winnow_digit digit = winnow_digit();
    digit.bits = 1;
    winnow::partition_by_key(host, keys, digit,
                             {winnow::move_column(in, small)}, ends, status);
    CHECK(wrong());
    winnow::partition_blocks(host, keys, digit, winnow_blocks(),
                             {winnow::move_column(in, small)}, ends, status);
    CHECK(wrong());
}

/* What a description says of itself, and outputs of no size. */
void test_descriptions(const winnow::context &host) {
    winnow::status status;
    const std::vector<int> in = {1, 2, 3};
    std::vector<int> none, out(3);
    std::vector<std::uint64_t> no_index;
    std::uint64_t count = 7;
    const auto low = winnow::less(4);
    const auto kept = winnow::select_if(host, in, low);
    const auto wrong = [&] {
        return status.code() == WINNOW_ERR_ARGUMENT && !status.detail().empty();
    };
    winnow::copy_if(host, in, low, none, &count, status);
    CHECK(wrong() && count == 7);
    winnow::copy_index_if(host, in, low, no_index, &count, status);
    CHECK(wrong());
    winnow::compact(host, kept, in, none, &count, status);
    CHECK(wrong());
    winnow::compact_index(host, kept, no_index, &count, status);
    CHECK(wrong());
    winnow::split(host, kept, in, out, none, &count, status);
    CHECK(wrong());
    winnow::copy_if(host, none, low, none, &count, status);
    CHECK(status.ok() && count == 0);

    const std::vector<std::uint32_t> offsets = {0, 1, 3}, no_offset;
    std::vector<std::uint32_t> counts(1), ends(2);
    winnow::segmented_copy_if(host, in, low,
                              winnow::segments(offsets, counts, {}), out,
                              &count, status);
    CHECK(wrong());
    winnow::segmented_copy_if(host, in, low,
                              winnow::segments(offsets, {}, ends), out, &count,
                              status);
    CHECK(wrong());
    winnow::selection_segments(host, kept, winnow::segments(no_offset, {}, {}),
                               status);
    CHECK(wrong());
    const auto values = winnow::column(in);
    winnow::select_where(
        host, {winnow::with_dictionary(winnow::column(in), values, 4)}, 3,
        winnow::condition::is_null(0), status);
    CHECK(wrong());
    const winnow_reduction parts[2] = {
        winnow::reduce(host, in, WINNOW_REDUCE_COUNT),
        winnow::reduce(host, in, WINNOW_REDUCE_COUNT)};
    const std::uint64_t first = 0;
    winnow::merge_reductions<int>(parts, {&first, 1}, WINNOW_REDUCE_COUNT,
                                  status);
    CHECK(wrong());
}

/* An empty object does not stand for all items, nor an empty vector for its memory. */
void test_empty(const winnow::context &host) {
    winnow::status status;
    const std::vector<int> in = {1, 2, 3, 4};
    const winnow_field fields[] = {winnow::field<int>("x")};
    const auto wrong = [&] {
        return status.code() == WINNOW_ERR_ARGUMENT && !status.detail().empty();
    };
    const auto none = winnow::condition::parse(fields, "x <", status);
    const auto nothing = winnow::expression::parse(fields, "x +", status);
    const auto all = winnow::condition::parse(fields, "x > 0");
    const winnow_aggregate items[] = {winnow::count_items()};
    const winnow_aggregate values[] = {
        winnow::aggregate(nothing, WINNOW_REDUCE_COUNT)};
    auto low = winnow::less(3);
    const auto taken = std::move(low);
    winnow_reduction result;
    winnow::reduce_if(host, in, low, WINNOW_REDUCE_SUM, &result, status);
    CHECK(wrong());
    (void)winnow::reduce_if(host, in, low, WINNOW_REDUCE_SUM, status);
    CHECK(wrong());
    winnow::reduce_where(host, {winnow::column(in)}, 4, none, items, &result,
                         status);
    CHECK(wrong());
    CHECK(
        winnow::reduce_where(host, {winnow::column(in)}, 4, none, items, status)
            .empty() &&
        wrong());
    (void)winnow::reduce_where(host, {winnow::column(in)}, 4, all, values,
                               status);
    CHECK(wrong());

    const std::vector<std::uint32_t> offsets = {0, 2, 4};
    std::vector<std::uint32_t> counts(2, 77), ends(3);
    const auto kept = winnow::select_if(host, in, taken);
    const std::uint32_t *const memory = counts.data();
    counts.clear();
    winnow::selection_segments(host, kept,
                               winnow::segments(offsets, counts, ends));
    CHECK(memory[0] == 77 && memory[1] == 77 && ends[2] == 2);

    std::vector<std::uint64_t> firsts(1, 1000);
    firsts.clear();
    result = winnow::reduce(host, in,
                            WINNOW_REDUCE_MAXIMUM | WINNOW_REDUCE_INDEX |
                                WINNOW_REDUCE_PARTIAL);
    result = winnow::merge_reductions<int>(
        {result}, firsts, WINNOW_REDUCE_MAXIMUM | WINNOW_REDUCE_INDEX);
    CHECK(result.maximum_index == 3);

    const std::vector<std::int32_t> begins = {0, 1, 1, 2, 3};
    std::vector<std::int32_t> out(5, -1);
    std::vector<char> bytes;
    winnow::compact_strings(host, kept,
                            winnow::strings(begins, std::string("abc")), out,
                            bytes, nullptr, status);
    CHECK(wrong() && out[0] == -1);
}

/* The compiler knows which overload throws. */
void test_noexcept(const winnow::context &host, winnow::status &status,
                   const std::vector<int> &in, const winnow::predicate<int> &p,
                   winnow::selection &kept) {
    static_assert(noexcept(winnow::copy_if(host, in, p, status)));
    static_assert(!noexcept(winnow::copy_if(host, in, p)));
    static_assert(noexcept(winnow::select_if(host, in, p, kept, status)));
    static_assert(!noexcept(winnow::select_if(host, in, p, kept)));
    static_assert(noexcept(winnow::context(0, status)));
    static_assert(noexcept(winnow::less(1, status)));
    (void)host, (void)status, (void)in, (void)p, (void)kept;
}

} // namespace

void test_errors() {
    const winnow::context host;
    winnow::status status;
    winnow::selection kept(1);
    test_both_ways(host);
    test_returned(host);
    test_sizes(host);
    test_lists(host);
    test_descriptions(host);
    test_empty(host);
    test_noexcept(host, status, {}, winnow::less(1), kept);
}
