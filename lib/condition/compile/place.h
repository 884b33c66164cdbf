/*
 * Where compiled code is kept on disk, and how much of it: what the program or
 * the environment says.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is nothing read, and nothing kept? */
bool winnow__cache_is_off(void);
uint64_t winnow__cache_most_bytes(void);

typedef enum winnow__cache_use {
    WINNOW__CACHE_READ,
    WINNOW__CACHE_WRITE, /* it is made, if it is not there */
    WINNOW__CACHE_CLEAR  /* also one that is not trusted */
} winnow__cache_use;

/* The directory. Negative: it is off, cannot be opened or is not trusted, and
 * `reason`, if it has room, says why; empty: it is off. */
int winnow__cache_open(winnow__cache_use use, char *reason,
                       size_t reason_bytes);

/* Code runs with the rights of the process: may nobody write there but root and
 * the user that it runs as? */
struct stat;
bool winnow__cache_trusts(const struct stat *about);
