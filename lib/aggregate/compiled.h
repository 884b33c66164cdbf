/*
 * reduce_where by one kernel, compiled at run time, which decides the condition
 * and reduces what passes: where there is a compiler, and for what
 * lib/condition/compile writes a source of.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_AGGREGATE_COMPILED_H
#define WINNOW_LIB_AGGREGATE_COMPILED_H

#include "details.h"

/* Bytes for the words of all parts and aggregates, aligned to 16. */
size_t winnow__compiled_words_bytes(const winnow__query *query);
/* Have the kernel of a call, which is planned, for its context's device. What
 * fails is a note of the context, but for WINNOW_ERR_MEMORY and WINNOW_ERR_CUDA. */
winnow_status winnow__prepare_reduction(const winnow__query *query);
/*
 * Find the kernel and enqueue it; `words` has its words, `memory` is what tests of
 * strings work in.
 * *is_enqueued_p: false: nothing was enqueued, since nothing is compiled here, or
 * the kernel cannot be had, of which there is a note of the context.
 */
winnow_status winnow__enqueue_reduction(const winnow__call *call, void *words,
                                        void *memory, bool *is_enqueued_p);

#endif
