/*
 * The threads of this process.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_TASKS_H
#define WINNOW_TESTS_TASKS_H

#include <stdbool.h>

/* How many there are; 0 where /proc does not say. */
unsigned count_threads(void);

/* Whether there are as many as this within ten seconds: a thread that was joined is
 * in /proc until the kernel has removed it. */
bool threads_become(unsigned number);

#endif
