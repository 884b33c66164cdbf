/*
 * Strings under test: a call of winnow_compact_strings(), and what every byte of
 * its outputs should be after it, one string at a time.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_PACKED_STRINGS_H
#define WINNOW_TESTS_PACKED_STRINGS_H

#include "selected.h"

/* How long the strings are. */
enum string_lengths {
    STRINGS_SHORT, /* 0 to 16 bytes */
    STRINGS_EIGHT,
    STRINGS_MIXED, /* 0, 1, 8, 33, 5000 */
    STRINGS_LINES, /* 128 */
    STRINGS_EMPTY,
    STRINGS_HUGE, /* short ones, and one of most bytes */
    STRINGS_WILD, /* offsets anywhere, also below 0 and behind the data */
    STRINGS_LENGTHS
};

struct string_call {
    enum string_lengths lengths;
    bool wide;
    uint64_t n;
    uint64_t there;      /* launch->d_n, or UINT64_MAX */
    uint64_t most_bytes; /* of the data, about */
    uint64_t first;      /* the first offset */
    unsigned in_skew;    /* bytes that the data are off an alignment */
    unsigned out_skew;
    uint64_t offsets_capacity; /* or WINNOW_NO_LIMIT */
    uint64_t data_capacity;    /* likewise */
    bool offsets_alone;        /* no d_data */
    bool no_counts;
    bool is_selected; /* strings.selected has the items already */
    bool captured;    /* on a GPU, and replayed */
    uint64_t seed;
};

struct strings {
    struct selected selected;
    struct region out_offsets, out, counts, there;
    uint64_t *offsets;
    unsigned char *data;
    unsigned char *wanted; /* bytes */
};

/* Room for calls of `most` items, with `most_bytes` bytes. */
void strings_open(struct strings *strings, const struct backend *backend,
                  uint64_t most, uint64_t most_bytes);
void strings_close(struct strings *strings);

/* A call from a seed. */
struct string_call string_call_random(uint64_t seed, uint64_t most,
                                      uint64_t most_bytes);

/* Make the call with the items that keep[0 .. n) says. */
bool strings_run(struct strings *strings, const struct string_call *call,
                 const uint8_t *keep, struct report *report);

#endif
