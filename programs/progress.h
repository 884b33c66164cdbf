/*
 * One line on standard error that says how far a run is, with as many of its
 * parts as the terminal is wide. Nothing is written where standard error is no
 * terminal that can erase a line.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_PROGRAMS_PROGRESS_H
#define WINNOW_PROGRAMS_PROGRESS_H

#include <winnow.h>

#include <stdbool.h>

/* Seconds, of a clock that is not set. */
double program_now(void);

/* `items` may be WINNOW_NO_LIMIT, for unknown. */
void program_progress_begin(bool quiet, uint64_t items, uint64_t item_bytes);
/* A winnow_pipe_progress. */
int program_progress_tell(void *user, const winnow_pipe_state *state);
/* Take the line away, before anything else is printed. A signal's handler may. */
void program_progress_clear(void);

#endif
