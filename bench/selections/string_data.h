/*
 * Columns of strings, made by the host.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_SELECTIONS_STRING_DATA_H
#define WINNOW_BENCH_SELECTIONS_STRING_DATA_H

#include "../lab.h"

typedef struct selections_strings {
    uint64_t n, bytes; /* of all strings */
    uint64_t *offsets; /* n + 1 */
    char *text;
} selections_strings;

/* n strings of `mean` bytes, more or less by up to `spread`; as many letters
 * from `a` on make them up. */
void selections_strings_init(selections_strings *s, bench_lab *lab, uint64_t n,
                             unsigned mean, unsigned spread, unsigned letters);
/* n strings, each of which is a copy of entry draw(i). */
typedef uint64_t selections_entry_draw(uint64_t i);
void selections_strings_repeat(selections_strings *s, bench_lab *lab,
                               uint64_t n, const selections_strings *entries,
                               selections_entry_draw *draw);
/* The bytes of string i, and how many they are. */
const char *selections_strings_at(const selections_strings *s, uint64_t i,
                                  uint64_t *bytes_p);

/* An element of WINNOW_STRING32, WINNOW_STRING64 or WINNOW_VIEW takes this number of bytes. */
size_t selections_offset_bytes(winnow_type type);
/* `count` offsets as such a type has them, in memory of the lab's. */
void *selections_offsets(bench_lab *lab, winnow_type type,
                         const uint64_t *offsets, uint64_t count);
/* The column on the device. */
winnow_in selections_strings_send(const selections_strings *s, bench_lab *lab,
                                  winnow_type type);

#endif
