/*
 * Descriptors that the program was started with.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_PROGRAMS_STREAMS_H
#define WINNOW_PROGRAMS_STREAMS_H

/* First of all: no file that is opened later takes the number of a standard
 * stream that is closed. What is in standard output at exit is written, or is
 * an error. */
void program_streams_begin(void);

/* Write what was printed. Fails with PROGRAM_OUTPUT or PROGRAM_CLOSED. */
void program_streams_flush(void);

/* The number of the descriptor that a path names, such as /dev/stdout, /dev/fd/3
 * or a link to one; -1: it names none. */
int program_streams_find(const char *path);

#endif
