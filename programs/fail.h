/*
 * The exit statuses, and the end of a run that fails: one line on standard
 * error.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_PROGRAMS_FAIL_H
#define WINNOW_PROGRAMS_FAIL_H

#include <stdbool.h>

/* winnow(1) lists them. */
typedef enum program_status {
    PROGRAM_DONE = 0,
    PROGRAM_USAGE = 2,  /* the command line, or the condition */
    PROGRAM_INPUT = 3,  /* an input cannot be opened or read */
    PROGRAM_FORMAT = 4, /* it is not what it should be, or too short */
    PROGRAM_OUTPUT = 5, /* an output cannot be written */
    PROGRAM_CLOSED = 6, /* nobody reads the pipe that is written to */
    PROGRAM_DEVICE = 7  /* no such device, no memory, an error of the device */
} program_status;

/* A name may have anything: control characters of ASCII and of Unicode, which a
 * terminal obeys, and what is no UTF-8 become '?'. Was there none? */
bool program_make_printable(char *text);

_Noreturn void program_fail(program_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Of an output: PROGRAM_CLOSED for EPIPE, PROGRAM_DEVICE for ENOMEM, else
 * PROGRAM_OUTPUT. */
program_status program_output_status(int error_number);

/* calloc() that fails as above. */
void *program_allocate(unsigned long count, unsigned long bytes);

#endif
