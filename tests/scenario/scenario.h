/*
 * A scenario that calls every function of the library, on the host or on a
 * device, and knows what each call has to write. Tests run it where something is
 * wrong around the library: calls that fail, a caller's unusual environment,
 * many threads.
 *
 * Nothing here allocates between scenario_open() and scenario_close() but the
 * library, and nothing depends on a test framework.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_SCENARIO_H
#define WINNOW_TESTS_SCENARIO_H

#include <winnow/arrow.h>

#include "backend.h"

enum {
    SCENARIO_MOST = 20000, /* items */
    SCENARIO_KEYS = 8,
    SCENARIO_SEGMENTS = 4,
    SCENARIO_SELECTION = SCENARIO_MOST / 8 + SCENARIO_MOST / 40 + 1024
};

/* What the calls read. */
struct scenario_in {
    _Alignas(16) unsigned char selection[SCENARIO_SELECTION]; /* of `keep` */
    _Alignas(16) unsigned char segments[1024]; /* of the second and third */
    int32_t x[SCENARIO_MOST];                  /* an item is kept from 30 on */
    uint32_t keys[SCENARIO_MOST];              /* below SCENARIO_KEYS */
    uint32_t runs[SCENARIO_MOST];              /* three items each */
    uint8_t keep[SCENARIO_MOST];               /* 0 or 1 */
    uint8_t bits[SCENARIO_MOST / 8 + 1];       /* the same */
    uint32_t strings[SCENARIO_MOST + 1];       /* 0 to 2 bytes each */
    char bytes[2 * SCENARIO_MOST];
    uint32_t segment_offsets[SCENARIO_SEGMENTS + 1];
};

/* What they write. */
struct scenario_out {
    _Alignas(16) unsigned char selection[SCENARIO_SELECTION];
    int32_t x[SCENARIO_MOST + SCENARIO_KEYS]; /* a gap behind each part */
    int32_t rest[SCENARIO_MOST];
    uint32_t keys[SCENARIO_MOST + 1];
    char bytes[2 * SCENARIO_MOST];
    uint8_t mask[SCENARIO_MOST];
    uint64_t count, counts[2], offsets[SCENARIO_KEYS + 1];
    int64_t sums[SCENARIO_KEYS];
    double selectivity;
    winnow_reduction reduction;
    uint32_t segment_counts[SCENARIO_SEGMENTS];
    uint32_t segment_offsets[SCENARIO_SEGMENTS + 1];
};

struct scenario {
    struct backend backend;
    uint64_t n;
    unsigned threads; /* of pipes: 2, unless a test says something else */
    struct scenario_in *in;
    struct scenario_out *out;
    winnow_launch launch; /* with the backend's stream */
    winnow_predicate *predicate;
    winnow_condition *condition;
    winnow_expression *expression;
    uint64_t kept;
    uint32_t kept_at[SCENARIO_MOST];
    int file;                         /* has x */
    struct ArrowDeviceArray filtered; /* for a check, which releases it */
    void (*called)(void);             /* NULL, or what is called after a call */
    char wrong[300];
};

/*
 * A step: `call` makes its calls, or those up to the first that fails, whose
 * status it returns. `check`, when the stream's work is done, says in `wrong`
 * what they should not have written; NULL: `call` has done so.
 */
struct scenario_step {
    const char *name;
    winnow_status (*call)(struct scenario *);
    void (*check)(struct scenario *);
    bool host_only;
    bool captured;     /* it may be called while the stream is captured */
    bool expressions;  /* they take 300 kB of stack */
    bool writes_early; /* outputs are written in part, also on an error */
};

extern const struct scenario_step scenario_copies[], scenario_selections[],
    scenario_keyed[], scenario_objects[], scenario_tables[], scenario_pipes[];
/* All of them; NULL behind the last. */
const struct scenario_step *scenario_step_at(const struct scenario *scenario,
                                             size_t number);

/* n items at most SCENARIO_MOST. What fails here ends the program. */
void scenario_open(struct scenario *scenario, bool gpu, uint64_t n);
void scenario_close(struct scenario *scenario);
/* The backend and the objects are made anew, of the same inputs. */
void scenario_reopen(struct scenario *scenario);

/* Give all outputs a pattern, and is it still there? */
void scenario_clear(struct scenario *scenario);
bool scenario_is_clear(const struct scenario *scenario);

/* Clear, call, wait, check: on success what is wrong is told by `wrong`, which
 * is empty else. */
winnow_status scenario_run(struct scenario *scenario,
                           const struct scenario_step *step);

/* Say what is wrong, if nothing was. */
void scenario_wrong(struct scenario *scenario, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The items that are kept, packed, are their elements. */
void scenario_check_packed(struct scenario *scenario, const void *in,
                           const void *out, size_t element_bytes);
void scenario_check_count(struct scenario *scenario, uint64_t count);

#endif
