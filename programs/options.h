/*
 * The command line.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_PROGRAMS_OPTIONS_H
#define WINNOW_PROGRAMS_OPTIONS_H

#include <winnow.h>

#include <stdbool.h>

/* What is written of the items that are kept. */
typedef enum program_what {
    PROGRAM_ELEMENTS,
    PROGRAM_INDEX,
    PROGRAM_MASK,
    PROGRAM_COUNT,
    PROGRAM_REDUCE
} program_what;

typedef struct program_options {
    const char *condition;
    const char *inputs[WINNOW_PIPE_MOST_INPUTS]; /* FILE or NAME=FILE */
    unsigned input_count;
    const char *outputs[WINNOW_PIPE_MOST_OUTPUTS];
    unsigned output_count;
    const char *fields; /* of raw records; NULL: .npy files */
    program_what what;
    const char *reduce[WINNOW_MOST_AGGREGATES]; /* expressions */
    unsigned reduce_count;
    bool raw, npy; /* the format of outputs, where it is given */
    bool json, quiet;
    int device;
    unsigned threads; /* 0: the library chooses */
} program_options;

/* Exits on --help, --version and bad usage. */
void program_options_parse(program_options *options, int argc, char **argv);

#endif
