/*
 * A test of strings. It never changes, so that conditions and threads share it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_STRING_TEST_H
#define WINNOW_LIB_STRING_TEST_H

#include "kernels/string/pattern.h"

#include <winnow.h>

#include <stdatomic.h>
#include <stdbool.h>

typedef struct winnow__string_test {
    atomic_uint references;
    winnow__pattern *pattern;
    /* For LIKE on the host: tests that are made first, since a string that fails one
     * of them fails this test. NULL: none. */
    struct winnow__string_test *need[2];
    /* For LIKE: the number of characters and bytes in the longest segment that is
     * searched for and has a character after a text. A device's time for each byte of
     * a string is proportional to it. */
    uint64_t slow;
} winnow__string_test;

/* A text that is not terminated. */
typedef struct winnow__bytes {
    const char *bytes;
    size_t number;
} winnow__bytes;

/*
 * Make a test. The caller gets a reference. The arguments are copied.
 *
 * WINNOW_ERR_MEMORY; WINNOW_ERR_UNSUPPORTED: the texts have too many bytes; both with
 * the detail set.
 */

/* A kind with one text: neither LIKE nor LIST. */
winnow_status winnow__string_test_create(winnow__string_test **test_p,
                                         winnow__pattern_kind kind,
                                         winnow__bytes text);
/* SQL's LIKE: % stands for any bytes, _ for a character. After `escape`, if that is
 * not empty, either stands for itself. A pattern that ends with the escape is
 * WINNOW_ERR_ARGUMENT, without a detail. */
winnow_status winnow__string_test_like(winnow__string_test **test_p,
                                       winnow__bytes pattern,
                                       winnow__bytes escape);
/* Equal to one of the texts, which may have duplicates. `next` returns text i. */
typedef winnow__bytes winnow__next_text(const void *argument, uint64_t i);
winnow_status winnow__string_test_list(winnow__string_test **test_p,
                                       winnow__next_text *next,
                                       const void *argument, uint64_t number);

/* Add a reference. Returns the test. */
winnow__string_test *winnow__string_test_share(winnow__string_test *test);
/* Drop a reference; the last one frees the test. NULL is allowed. */
void winnow__string_test_release(winnow__string_test *test);

/* Does the pattern fit in the arguments of a kernel? Else a device needs a copy of
 * it. */
static inline bool
winnow__string_test_is_small(const winnow__string_test *test) {
    return test->pattern->bytes <= WINNOW__STRING_INLINE;
}

static inline const unsigned char *
winnow__pattern_bytes(const winnow__pattern *pattern,
                      const winnow__pattern_text *text) {
    return (const unsigned char *)pattern + UINT64_C(8) * text->place;
}

/* The part of a pattern at `place`, in bytes from the pattern's start. */
static inline void *winnow__pattern_part(const winnow__pattern *pattern,
                                         uint64_t place) {
    return (unsigned char *)(uintptr_t)pattern + place;
}

/* The kind of a comparison by bytes. *negated_p: the result has to be negated. */
static inline winnow__pattern_kind
winnow__string_compare_kind(winnow_compare compare, bool *negated_p) {
    *negated_p =
        compare == WINNOW_NE || compare == WINNOW_GE || compare == WINNOW_GT;
    return compare == WINNOW_EQ || compare == WINNOW_NE ? WINNOW__PATTERN_EQUAL
           : compare == WINNOW_LT || compare == WINNOW_GE
               ? WINNOW__PATTERN_LESS
               : WINNOW__PATTERN_LESS_EQUAL;
}

/* Every string contains the empty text, as every string starts with it. */
static inline winnow__pattern_kind
winnow__string_part_kind(winnow__pattern_kind kind, bool empty) {
    return kind == WINNOW__PATTERN_CONTAINS && empty ? WINNOW__PATTERN_STARTS
                                                     : kind;
}

/* ---- for lib/string alone */

/* A test whose pattern has `bytes` bytes of zeros after its head. NULL, with the
 * detail set: no memory. */
winnow__string_test *winnow__string_test_new(winnow__pattern_kind kind,
                                             uint64_t bytes);
/* The bytes that a text takes in a pattern. */
static inline uint64_t winnow__text_room(uint64_t bytes) {
    return (bytes + 7) / 8 * 8;
}
/* Put a text at *place, in bytes from the pattern's start. *place moves after the
 * text. */
winnow__pattern_text winnow__put_text(winnow__pattern *pattern, uint64_t *place,
                                      winnow__bytes text);

#endif
