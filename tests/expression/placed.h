/*
 * The columns of a table of formulas.h in a backend's memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_PLACED_H
#define WINNOW_TESTS_PLACED_H

#include "backend.h"
#include "formulas.h"

struct placed {
    const struct backend *backend;
    winnow_in in[FORMULA_COLUMNS], dictionary[FORMULA_COLUMNS];
    void *memory[FORMULA_COLUMNS][FORMULA_MEMORY + 1];
};

void placed_open(struct placed *placed, const struct backend *backend,
                 const struct formula_table *table);
void placed_close(struct placed *placed);
/* May there be a compiler for it? */
bool placed_compiles(const struct placed *placed);

#endif
