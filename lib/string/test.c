/*
 * Tests of strings with one text, and what all tests share.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test.h"

#include "core/status.h"

#ifdef WINNOW_CUDA
#include "set/tables.h"
#endif

#include <stdlib.h>
#include <string.h>

winnow__string_test *winnow__string_test_new(winnow__pattern_kind kind,
                                             uint64_t bytes) {
    winnow__string_test *const test = calloc(1, sizeof *test);
    winnow__pattern *const pattern = calloc(1, sizeof *pattern + bytes);
    if (test == NULL || pattern == NULL) {
        free(test);
        free(pattern);
        winnow__no_memory("a test of strings");
        return NULL;
    }
    atomic_init(&test->references, 1);
    pattern->kind = kind;
    pattern->bytes = sizeof *pattern + bytes;
    test->pattern = pattern;
    return test;
}

winnow__pattern_text winnow__put_text(winnow__pattern *pattern, uint64_t *place,
                                      winnow__bytes text) {
    const winnow__pattern_text put = {.place = (uint32_t)(*place / 8),
                                      .bytes = (uint32_t)text.number};
    if (text.number != 0)
        memcpy((unsigned char *)pattern + *place, text.bytes, text.number);
    *place += winnow__text_room(text.number);
    return put;
}

/* How common a byte is. Letters are in the order of their frequency in English texts.
 * The frequency of other bytes depends on the column: they count as a g. */
static unsigned commonness(char byte) {
    static const char letters[] = "zqxjkvbpygfwmucldrhsnioate ";
    const char *const at = memchr(letters, byte, sizeof letters - 1);
    return (unsigned)((at != NULL ? at : letters + 9) - letters);
}

static uint32_t rarest_word(winnow__bytes text) {
    unsigned least = UINT32_MAX;
    uint32_t rare = 0;
    for (size_t i = 0; text.number > WINNOW__FIND_TEXT && i + 4 <= text.number;
         i += 4) {
        unsigned sum = 0;
        for (unsigned k = 0; k < 4; k++)
            sum += commonness(text.bytes[i + k]);
        if (sum < least) {
            least = sum;
            rare = (uint32_t)i;
        }
    }
    return rare;
}

winnow_status winnow__string_test_create(winnow__string_test **test_p,
                                         winnow__pattern_kind kind,
                                         winnow__bytes text) {
    uint64_t place = sizeof(winnow__pattern);
    if (text.number > UINT32_MAX)
        return winnow__fail(WINNOW_ERR_UNSUPPORTED,
                            "a text of %llu bytes: at most %u are possible",
                            (unsigned long long)text.number, UINT32_MAX);
    winnow__string_test *const test =
        winnow__string_test_new(kind, winnow__text_room(text.number));
    if (test == NULL)
        return WINNOW_ERR_MEMORY;
    test->pattern->text = winnow__put_text(test->pattern, &place, text);
    test->pattern->least =
        kind == WINNOW__PATTERN_LESS || kind == WINNOW__PATTERN_LESS_EQUAL
            ? 0
            : (uint32_t)text.number;
    if (kind == WINNOW__PATTERN_CONTAINS)
        test->pattern->rare = rarest_word(text);
    *test_p = test;
    return WINNOW_OK;
}

/* Relaxed: the thread that shares a test has a reference. */
winnow__string_test *winnow__string_test_share(winnow__string_test *test) {
    atomic_fetch_add_explicit(&test->references, 1, memory_order_relaxed);
    return test;
}

/* Release: this thread has finished with the test. Acquire: the last thread sees that
 * all others have. */
void winnow__string_test_release(winnow__string_test *test) {
    if (test == NULL || atomic_fetch_sub_explicit(&test->references, 1,
                                                  memory_order_acq_rel) != 1)
        return;
#ifdef WINNOW_CUDA
    winnow__tables_retire(test);
#endif
    for (unsigned i = 0; i < 2; i++)
        winnow__string_test_release(test->need[i]);
    free(test->pattern);
    free(test);
}
