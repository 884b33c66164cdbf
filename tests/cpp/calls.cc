/*
 * Every function of winnow.hpp, on the host, against the standard library.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "check.hpp"

#include <winnow.hpp>

int main() try {
    test_types();
    test_filters();
    test_aggregates();
    test_keyed();
    test_selections();
    test_tables();
    test_pipes();
    test_arrow();
    test_errors();
    return 0;
} catch (const winnow::error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
