/*
 * The text of a condition over columns, some of which cannot be tested.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <winnow.h>

#include <stdbool.h>

/* Why conditions cannot test a field. */
typedef struct winnow__refusal {
    const char *why; /* "is of lists"; NULL: they can */
    bool wholly;     /* they cannot even ask whether it is null */
    bool of_nulls;   /* every element is null: its name stands for null */
    bool
        ordered; /* a dictionary of strings whose entries have an order of their
                        own */
} winnow__refusal;

/* winnow_condition_parse() for fields with refusals, one for each. Their names
 * may be "" or equal; the call adds refusals for names that occur more than
 * once. A text that uses a refused field is WINNOW_ERR_UNSUPPORTED. */
winnow_status winnow__condition_parse(winnow_condition **condition_p,
                                      const winnow_field *fields,
                                      winnow__refusal *refusals,
                                      unsigned field_count, const char *text);
