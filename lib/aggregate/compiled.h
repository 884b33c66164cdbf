/*
 * reduce_where by one kernel, compiled at run time, which decides the condition
 * and reduces what passes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "details.h"

/* Bytes for the words of all parts and aggregates, aligned to 16. */
size_t winnow__compiled_words_bytes(const winnow__query *query);
/* A line of a plan's text: is there a kernel? */
winnow_status winnow__explain_reduction(const winnow__query *query,
                                        struct winnow__text *text,
                                        bool *is_compiled_p);
/*
 * Find the kernel and enqueue it; `words` has its words, `memory` is what tests of
 * strings work in. *is_enqueued_p: false: there is none, and nothing was enqueued.
 */
winnow_status winnow__enqueue_reduction(const winnow__call *call, void *words,
                                        void *memory, bool *is_enqueued_p);
