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
    test_noexcept(host, status, {}, winnow::less(1), kept);
}
