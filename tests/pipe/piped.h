/*
 * A pipe under test: items, what is fed and how, where outputs go, and what
 * they have to have.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_PIPED_H
#define WINNOW_TESTS_PIPED_H

#include "backend.h"
#include "report.h"

/* Items: a key, which is tested, and a record beside it, which has another
 * column of the condition. */
struct piped_record {
    uint32_t id;
    int16_t weight; /* at 4: a column */
    uint16_t rest[3];
};

enum piped_feed {
    PIPED_MEMORY,  /* malloc()'s */
    PIPED_REACHED, /* pinned */
    PIPED_DEVICE,
    PIPED_FILE,
    PIPED_STREAM, /* a file, by read() */
    PIPED_FUNCTION,
    PIPED_FEEDS
};

enum piped_target {
    PIPED_TO_MEMORY,
    PIPED_TO_REACHED,
    PIPED_TO_DEVICE, /* elements; all else to memory */
    PIPED_TO_FILE,
    PIPED_TO_STREAM,
    PIPED_TO_FUNCTION,
    PIPED_TARGETS
};

struct piped {
    const struct backend *backend;
    uint64_t n;
    uint64_t seed;
    int threshold; /* keys are 0 to 99: kept below it */
    enum piped_feed feed;
    enum piped_target target;
    uint64_t piece;         /* items of a feed at most; 0: all at once */
    bool without_selection; /* elements alone */
    bool key_alone;         /* is tested: records have no column */
    uint64_t capacity;      /* of outputs in memory; 0: enough */
    winnow_pipe_options options;
};

/* Run it, and compare all outputs, the count and the state. */
bool piped_check(const struct piped *piped, struct report *report);

#endif
