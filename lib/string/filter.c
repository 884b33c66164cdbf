/*
 * The filter of a list.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "filter.h"

#include "core/status.h"
#include "test.h"

#include <stdlib.h>

enum {
    BITS_EACH =
        16, /* of a text: one string in 16 or fewer is looked up in vain */
    LEAST_LOG2 = 12,
    MOST_LOG2 = 23 /* 1 MiB, as caches of a CPU have */
};

static void add(winnow__filter *filter, uint64_t place) {
    filter->words[place / 64] |= UINT64_C(1) << place % 64;
}

static void add_text(winnow__filter *filter, const unsigned char *text,
                     uint32_t bytes) {
    if (bytes >= 8) {
        add(filter, winnow__filter_ends(filter, text, bytes));
    } else {
        const uint64_t all = winnow__load_few(text, bytes);
        add(filter, winnow__filter_place(filter, bytes, all, all));
    }
    if (bytes > WINNOW__VIEW_INLINE)
        add(filter,
            winnow__filter_place(filter, bytes, winnow__load_32(text), 0));
}

winnow__filter *winnow__filter_of(const winnow__pattern *list) {
    const winnow__pattern_text *const texts =
        (const winnow__pattern_text *)(const void *)((const unsigned char *)
                                                         list +
                                                     list->others);
    unsigned log2_bits = LEAST_LOG2;
    while (log2_bits < MOST_LOG2 &&
           UINT64_C(1) << log2_bits < (uint64_t)BITS_EACH * list->number)
        log2_bits++;
    winnow__filter *const filter =
        calloc(1, sizeof *filter + (UINT64_C(1) << log2_bits) / 8);
    if (filter == NULL) {
        winnow__fail(WINNOW_ERR_MEMORY, "no host memory for a list of texts");
        return NULL;
    }
    filter->shift = 64 - log2_bits;
    memcpy(filter->seed, list->seed, sizeof filter->seed);
    for (uint32_t i = 0; i < list->number; i++)
        add_text(filter, winnow__pattern_bytes(list, &texts[i]),
                 texts[i].bytes);
    return filter;
}
