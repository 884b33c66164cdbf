/* What a test of winnow.hpp found. SPDX-License-Identifier: Apache-2.0 */
#ifndef WINNOW_TESTS_CPP_CHECK_HPP
#define WINNOW_TESTS_CPP_CHECK_HPP

#include <cstdio>
#include <cstdlib>

/* Not assert(), which NDEBUG takes away. */
#define CHECK(condition)                                                       \
    do {                                                                       \
        if (!(condition)) {                                                    \
            std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__,    \
                         #condition);                                          \
            std::exit(1);                                                      \
        }                                                                      \
    } while (0)

void test_aggregates();
void test_filters();
void test_keyed();
void test_selections();
void test_tables();
void test_pipes();
void test_arrow();
void test_errors();
void test_types();

#endif /* WINNOW_TESTS_CPP_CHECK_HPP */
