/*
 * Calls of an array and a predicate.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "calls.h"

#include <string.h>

#include "element.h"

void calls_if(struct outcome *o) {
    const winnow_in *const in = &o->a->tested;
    const size_t size = element_size(in->type);
    const size_t stride =
        in->stride_bytes != 0 ? (size_t)in->stride_bytes : size;
    const unsigned char *const from = call_from(o, in->d_base);

    for (uint64_t i = 0; i < o->items; i++)
        o->keep[i] = oracle_keeps(&o->a->rule,
                                  element_load(in->type, from + i * stride));
}

static winnow_status copy_if(const struct arguments *a,
                             const winnow_launch *launch) {
    return winnow_copy_if(a->context, a->predicate, a->type, a->in, a->n,
                          a->out, a->capacity, a->count, launch);
}

static winnow_status copy_index_if(const struct arguments *a,
                                   const winnow_launch *launch) {
    return winnow_copy_index_if(a->context, a->predicate, a->type, a->in, a->n,
                                a->index_type, a->out, a->capacity, a->count,
                                launch);
}

static winnow_status count_if(const struct arguments *a,
                              const winnow_launch *launch) {
    return winnow_count_if(a->context, a->predicate, a->type, a->in, a->n,
                           a->count, launch);
}

static winnow_status estimate(const struct arguments *a,
                              const winnow_launch *launch) {
    return winnow_estimate_selectivity(a->context, a->predicate, a->type, a->in,
                                       a->n, a->selectivity, launch);
}

/* Of so few elements it is exact. */
static void share(struct outcome *o) {
    double share = 0;

    for (uint64_t i = 0; i < o->items; i++)
        share += o->keep[i];
    if (o->items != 0)
        share /= (double)o->items;
    memcpy(call_to(o, o->a->selectivity), &share, sizeof(share));
}

static winnow_status reduce_if(const struct arguments *a,
                               const winnow_launch *launch) {
    return winnow_reduce_if(a->context, a->predicate, a->type, a->in, a->n,
                            a->wanted, a->reduction, launch);
}

const struct call calls_arrays[] = {
    {"copy_if", copy_if, calls_if, calls_array,
     CALL_COUNTS | CALL_POSITION | CALL_STRATEGY | CALL_TYPED},
    {"copy_index_if", copy_index_if, calls_if, calls_indices,
     CALL_COUNTS | CALL_POSITION | CALL_STRATEGY | CALL_TYPED},
    {"count_if", count_if, calls_if, calls_count, CALL_TYPED},
    {"estimate_selectivity", estimate, calls_if, share, CALL_TYPED},
    {"reduce_if", reduce_if, calls_if, calls_reduce_column, CALL_TYPED},
    {0}};
