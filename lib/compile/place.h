/*
 * Where compiled code is kept on disk, and how much of it: what the program or
 * the environment says.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_COMPILE_PLACE_H
#define WINNOW_LIB_COMPILE_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is nothing read, and nothing kept? */
bool winnow__cache_is_off(void);
uint64_t winnow__cache_most_bytes(void);
/* The directory, made if asked for. Negative: it is off or cannot be opened,
 * and `reason`, if it has room, says why. */
int winnow__cache_open(bool make, char *reason, size_t reason_bytes);

#endif
