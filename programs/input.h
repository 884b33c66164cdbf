/*
 * An input: a .npy file, or records without a header.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_PROGRAMS_INPUT_H
#define WINNOW_PROGRAMS_INPUT_H

#include "npy.h"

typedef struct program_input {
    char *name;       /* in NAME=FILE; NULL: none */
    const char *path; /* "standard input" of "-" */
    npy_array array;  /* items: WINNOW_NO_LIMIT until the end */
    bool is_npy;
    winnow_pipe_file file; /* where its elements are */
} program_input;

/* `text` is FILE or NAME=FILE; fields NULL: a .npy file. Fails if it cannot be
 * read, or is none. */
void program_input_open(program_input *input, const char *text,
                        const char *fields);

/* How long a NAME there is before a '=', with which a text begins; 0: none. */
size_t program_name_bytes(const char *text);

#endif
