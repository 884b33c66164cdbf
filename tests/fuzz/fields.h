/*
 * Columns of every type, for texts of conditions that nobody has thought of.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_FUZZ_FIELDS_H
#define WINNOW_TESTS_FUZZ_FIELDS_H

#include <stdbool.h>

#include <winnow.h>

enum {
    FUZZ_FIELDS = 17
};
extern const winnow_field fuzz_fields[FUZZ_FIELDS];

/* A condition of these fields can be used. */
bool fuzz_use(winnow_context *context, const winnow_condition *condition);

#endif
