/*
 * Large inputs, on a device: TILE_SCAN's kernel reads the key or d_in once and
 * packs it, with another selector or sink, in place of a selection and a sink.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#if defined WINNOW_CUDA && !defined WINNOW_LIB_ONE_CALL_ONE_PASS_H
#define WINNOW_LIB_ONE_CALL_ONE_PASS_H

#include "one_call.h"
#include "cuda/plan.h"

/* The way that a call takes: from its plan to its launches. */
typedef struct winnow__way {
    enum {
        WINNOW__BY_SELECTION,
        WINNOW__BY_KEY,     /* the key is packed, and the items are marked in a
                               selection where there is more to do */
        WINNOW__BY_RECORDS, /* by a field of theirs */
        WINNOW__BY_PARTS    /* those that pass and the others */
    } kind;
    unsigned key; /* the number of the key's move */
} winnow__way;
WINNOW__OWN(winnow__way_of, winnow__way)

/* *planned_p: does the call go in one pass? If so its way is kept in the
 * plan. */
winnow_status
winnow__plan_one_pass(const winnow__query *query,
                      const struct winnow__constraints *constraints,
                      struct winnow__plan *plan, bool *planned_p);
void winnow__set_one_pass(const winnow__call *call, const winnow__way *way,
                          winnow__args *args);
/* Pack the key, and make the selection. */
winnow_status winnow__enqueue_marked(const winnow__call *call,
                                     const struct winnow__plan *plan,
                                     const struct winnow__workspace *memory,
                                     const winnow__selection *selection);

#endif
