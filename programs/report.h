/*
 * What is printed of a run: text, or one JSON object.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_PROGRAMS_REPORT_H
#define WINNOW_PROGRAMS_REPORT_H

#include "options.h"
#include "reduce.h"

typedef struct program_report {
    const program_options *options;
    const program_input *inputs;
    winnow_pipe_state state;
    uint64_t bytes; /* read */
    double seconds;
    const program_sum *sums; /* of options->reduce_count expressions */
} program_report;

/* Fails where standard output cannot be written. */
void program_report_print(const program_report *report);

#endif
