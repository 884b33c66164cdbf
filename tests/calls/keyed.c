/*
 * Calls by keys, and sums.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "calls.h"

#include <math.h>
#include <string.h>

#include "element.h"

static uint32_t word_of(const struct outcome *o, const winnow_in *in,
                        uint64_t i) {
    uint32_t word;

    memcpy(&word, (const unsigned char *)call_from(o, in->d_base) + 4 * i, 4);
    return word;
}

/* ---------------------------------------------------------------- partition */

static winnow_status partition_by_key(const struct arguments *a,
                                      const winnow_launch *launch) {
    return winnow_partition_by_key(a->context, &a->keys, a->n, &a->digit,
                                   a->moves, a->move_count, a->numbers, launch);
}

/* In blocks of one element parts are where they are without: others have a test
 * of their own. */
static winnow_status partition_blocks(const struct arguments *a,
                                      const winnow_launch *launch) {
    const winnow_blocks blocks = {.size = sizeof blocks, .align = 1};

    return winnow_partition_blocks(a->context, &a->keys, a->n, &a->digit,
                                   &blocks, a->moves, a->move_count, a->numbers,
                                   launch);
}

/* The part of an item; those from `parts` on are in none. */
static uint32_t part_of(const struct outcome *o, uint64_t i) {
    const uint32_t key = word_of(o, &o->a->keys, i) >> o->a->digit.shift;

    return o->a->digit.bits == 0 ? key : key & ((1u << o->a->digit.bits) - 1);
}

/* Each part in the input's order. */
static void partition(struct outcome *o) {
    unsigned char *const offsets = call_to(o, o->a->numbers);
    uint64_t at = 0;

    for (uint32_t part = 0; part < o->a->digit.parts; part++) {
        memcpy(offsets + 8 * part, &at, 8);
        for (uint64_t i = 0; i < o->items; i++) {
            if (part_of(o, i) != part)
                continue;
            for (unsigned m = 0; m < o->a->move_count; m++) {
                const winnow_move *const move = &o->a->moves[m];
                const size_t bytes = move->element_bytes;

                memcpy((unsigned char *)call_to(o, move->d_out) + at * bytes,
                       (const unsigned char *)call_from(o, move->d_in) +
                           i * bytes,
                       bytes);
            }
            at++;
        }
    }
    memcpy(offsets + 8 * (size_t)o->a->digit.parts, &at, 8);
}

/* -------------------------------------------------------------------- sums */

static winnow_status accumulate_by_key(const struct arguments *a,
                                       const winnow_launch *launch) {
    return winnow_accumulate_by_key(a->context, &a->keys, a->values,
                                    a->components, a->n, a->key_bound, a->sums,
                                    a->count, launch);
}

static winnow_status accumulate_where(const struct arguments *a,
                                      const winnow_launch *launch) {
    const winnow_accumulation accumulation = {.keys = &a->keys,
                                              .values = a->values,
                                              .sums = a->sums,
                                              .components = a->components,
                                              .key_bound = a->key_bound};

    return winnow_accumulate_where(a->context, a->condition, &a->column, 1,
                                   a->n, &accumulation, a->count, launch);
}

void calls_accumulate(struct outcome *o) {
    const struct arguments *const a = o->a;
    uint64_t beyond = 0;

    for (uint64_t i = 0; i < o->items; i++) {
        const uint32_t key = word_of(o, &a->keys, i);

        if (!o->keep[i])
            continue;
        beyond += key >= a->key_bound;
        for (unsigned c = 0; c < a->components && key < a->key_bound; c++) {
            unsigned char *const sum =
                (unsigned char *)call_to(o, a->sums[c].d_base) + 4 * key;
            uint32_t value;

            memcpy(&value, sum, 4);
            value += word_of(o, &a->values[c], i);
            memcpy(sum, &value, 4);
        }
    }
    if (a->count != NULL)
        memcpy(call_to(o, a->count), &beyond, 8);
}

static winnow_status reduce_where(const struct arguments *a,
                                  const winnow_launch *launch) {
    const winnow_aggregate aggregate = {.expression = a->expression,
                                        .wanted = a->wanted};

    return winnow_reduce_where(a->context, a->condition, &a->column, 1, a->n,
                               &aggregate, a->aggregate_count, a->reduction,
                               launch);
}

__extension__ typedef __int128 wide;

static wide value_at(const winnow_in *in, const unsigned char *from,
                     uint64_t i) {
    const uint64_t bits =
        element_load(in->type, from + i * element_size(in->type));

    return element_is_signed(in->type) ? (wide)element_to_signed(in->type, bits)
                                       : (wide)bits;
}

/* Of integers, with all that there is to find out; `type` has the ends of nothing. */
static void reduce(struct outcome *o, const winnow_in *in, winnow_type type) {
    const unsigned char *const from = call_from(o, in->d_base);
    const unsigned width = 8 * (unsigned)element_size(type);
    const bool is_signed = element_is_signed(type);
    winnow_reduction wanted = {.minimum_index = WINNOW_NO_INDEX,
                               .maximum_index = WINNOW_NO_INDEX},
                     seen;
    const wide top = ((wide)1 << (width - is_signed)) - 1;
    wide sum = 0, least = top, most = is_signed ? -top - 1 : 0;

    for (uint64_t i = 0; i < o->items; i++) {
        if (!o->keep[i])
            continue;
        const wide x = value_at(in, from, i);

        sum += x;
        wanted.count++;
        if (x < least || wanted.minimum_index == WINNOW_NO_INDEX) {
            least = x;
            wanted.minimum_index = i;
        }
        if (x > most || wanted.maximum_index == WINNOW_NO_INDEX) {
            most = x;
            wanted.maximum_index = i;
        }
    }
    wanted.sum.uint64 = (uint64_t)sum;
    wanted.overflow =
        is_signed ? sum != (int64_t)sum : sum != (wide)(uint64_t)sum;
    wanted.minimum.uint64 = (uint64_t)least;
    wanted.maximum.uint64 = (uint64_t)most;
    wanted.mean = (double)sum / (double)wanted.count;
    memcpy(&seen, call_seen(o, o->a->reduction), sizeof(seen));
    if (isnan(wanted.mean) && isnan(seen.mean)) /* any NaN will do */
        wanted.mean = seen.mean;
    memcpy(call_to(o, o->a->reduction), &wanted, sizeof(wanted));
}

void calls_reduce_column(struct outcome *o) {
    reduce(o, &o->a->tested, o->a->type);
}

static void reduce_values(struct outcome *o) {
    reduce(o, &o->a->column, WINNOW_INT64);
}

const struct call calls_keyed[] = {
    {"partition_by_key", partition_by_key, NULL, partition, 0},
    {"partition_blocks", partition_blocks, NULL, partition, 0},
    {"accumulate_by_key", accumulate_by_key, NULL, calls_accumulate,
     CALL_COUNTS},
    {"reduce_where", reduce_where, calls_where, reduce_values, 0},
    {"accumulate_where", accumulate_where, calls_where, calls_accumulate,
     CALL_COUNTS},
    {0}};
