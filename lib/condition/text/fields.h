/*
 * The text of a condition over columns of which some cannot be tested.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <winnow.h>

#include <stdbool.h>

/* Why no test takes a field. */
typedef struct winnow__refusal {
    const char *why; /* "is of lists"; NULL: tests take it */
    bool wholly;     /* nor may it be asked whether it is null */
    bool of_nulls;   /* every element is null: its name is the word null */
    bool ordered;    /* a dictionary of strings, whose entries have an order */
} winnow__refusal;

/*
 * winnow_condition_parse(), but that with refusals, one of each field, any name is
 * allowed, also "" and that of another field. The call adds those of names that
 * are there more than once. A text that asks for what is refused is
 * WINNOW_ERR_UNSUPPORTED.
 */
winnow_status winnow__condition_parse(winnow_condition **condition_p,
                                      const winnow_field *fields,
                                      winnow__refusal *refusals,
                                      unsigned field_count, const char *text);
