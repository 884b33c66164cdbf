/*
 * Decimals in conditions that are compiled, by NVRTC's double.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "tests/expression/decimal_formulas.h"
#include "reduced.h"
#include "simt/double.h"

GPU_TEST(compiled, SLOW(decimals)) {
    static struct decimal_table table;
    const unsigned conditions = reduced_mode() ? 4 : 16;

    use_double("off");
    cr_assert_eq(
        winnow_context_set_compile(backend->context, WINNOW_COMPILE_BEFORE),
        WINNOW_OK);
    decimal_table_open(&table, backend, 3000, 7);
    decimals_check_comparisons(&table, conditions, 9);
    decimal_formulas_check(&table, conditions, 11);
    decimal_sums_check(&table, conditions, 13);
    decimals_check_floats(backend, conditions, 15);
    cr_assert(compilations() > conditions / 2, "%u kernels", compilations());
    decimal_table_close(&table);
}
