/*
 * Calls that go by keys.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "scenario.h"

#include <string.h>

static winnow_status partition(struct scenario *s) {
    const winnow_in keys = {.type = WINNOW_UINT32, .d_base = s->in->keys};
    const winnow_digit digit = {.bits = 3};
    const winnow_move move = {
        .d_in = s->in->x, .d_out = s->out->x, .element_bytes = 4};
    winnow_launch launch = s->launch;
    launch.order = WINNOW_STABLE;
    return winnow_partition_by_key(s->backend.context, &keys, s->n, &digit,
                                   &move, 1, s->out->offsets, &launch);
}

static void check_partition(struct scenario *s) {
    uint64_t at = 0;
    for (uint32_t key = 0; key < SCENARIO_KEYS; key++) {
        if (s->out->offsets[key] != at)
            scenario_wrong(s, "part %u is wrong", key);
        for (uint64_t i = key; i < s->n; i += SCENARIO_KEYS)
            if (s->out->x[at++] != s->in->x[i])
                scenario_wrong(s, "item %llu is wrong", (unsigned long long)i);
    }
    if (s->out->offsets[SCENARIO_KEYS] != at)
        scenario_wrong(s, "the last offset is wrong");
}

/* In blocks of two: a part of an odd number of items has a gap. */
static winnow_status partition_blocks(struct scenario *s) {
    static const int32_t none = -7;
    const void *const fills[] = {&none};
    const winnow_in keys = {.type = WINNOW_UINT32, .d_base = s->in->keys};
    const winnow_digit digit = {.bits = 3};
    const winnow_blocks blocks = {
        .size = sizeof blocks, .align = 2, .fills = fills};
    const winnow_move move = {
        .d_in = s->in->x, .d_out = s->out->x, .element_bytes = 4};
    winnow_launch launch = s->launch;
    launch.order = WINNOW_STABLE;
    return winnow_partition_blocks(s->backend.context, &keys, s->n, &digit,
                                   &blocks, &move, 1, s->out->offsets, &launch);
}

static void check_blocks(struct scenario *s) {
    uint64_t at = 0;
    for (uint32_t key = 0; key < SCENARIO_KEYS; key++) {
        if (s->out->offsets[key] != at)
            scenario_wrong(s, "part %u is wrong", key);
        for (uint64_t i = key; i < s->n; i += SCENARIO_KEYS)
            if (s->out->x[at++] != s->in->x[i])
                scenario_wrong(s, "item %llu is wrong", (unsigned long long)i);
        if (at % 2 != 0 && s->out->x[at++] != -7)
            scenario_wrong(s, "the gap behind part %u is wrong", key);
    }
    if (s->out->offsets[SCENARIO_KEYS] != at)
        scenario_wrong(s, "the last offset is wrong");
}

static winnow_status accumulate(struct scenario *s) {
    const winnow_in keys = {.type = WINNOW_UINT32, .d_base = s->in->keys};
    const winnow_in value = {.type = WINNOW_INT32, .d_base = s->in->x};
    const winnow_out sum = {.type = WINNOW_INT64, .d_base = s->out->sums};
    return winnow_accumulate_by_key(s->backend.context, &keys, &value, 1, s->n,
                                    SCENARIO_KEYS, &sum, &s->out->count,
                                    &s->launch);
}

static winnow_status accumulate_where(struct scenario *s) {
    const winnow_in keys = {.type = WINNOW_UINT32, .d_base = s->in->keys};
    const winnow_in value = {.type = WINNOW_INT32, .d_base = s->in->x};
    const winnow_out sum = {.type = WINNOW_INT64, .d_base = s->out->sums};
    const winnow_accumulation accumulation = {.keys = &keys,
                                              .values = &value,
                                              .sums = &sum,
                                              .components = 1,
                                              .key_bound = SCENARIO_KEYS};
    return winnow_accumulate_where(s->backend.context, s->condition, &value, 1,
                                   s->n, &accumulation, &s->out->count,
                                   &s->launch);
}

/* The sums are added to what was there. */
static void check_sums(struct scenario *s, bool all) {
    uint64_t before, sums[SCENARIO_KEYS];
    memset(&before, 0xa5, sizeof before);
    for (int key = 0; key < SCENARIO_KEYS; key++)
        sums[key] = before;
    for (uint64_t i = 0; i < s->n; i++)
        if (all || s->in->keep[i])
            sums[s->in->keys[i]] += (uint64_t)s->in->x[i];
    if (memcmp(sums, s->out->sums, sizeof sums) != 0)
        scenario_wrong(s, "the sums are wrong");
    if (s->out->count != 0)
        scenario_wrong(s, "no key is beyond the bound");
}

static void check_accumulate(struct scenario *s) {
    check_sums(s, true);
}

static void check_accumulate_where(struct scenario *s) {
    check_sums(s, false);
}

static winnow_status unique(struct scenario *s) {
    const winnow_in keys = {.element_bytes = 4, .d_base = s->in->runs};
    const winnow_move move = {
        .d_in = s->in->x, .d_out = s->out->x, .element_bytes = 4};
    return winnow_unique(s->backend.context, &keys, s->n, NULL, &move, 1, s->n,
                         &s->out->count, &s->launch);
}

static void check_unique(struct scenario *s) {
    if (s->out->count != (s->n + 2) / 3)
        scenario_wrong(s, "the count is wrong");
    for (uint64_t k = 0; 3 * k < s->n; k++)
        if (s->out->x[k] != s->in->x[3 * k])
            scenario_wrong(s, "run %llu is wrong", (unsigned long long)k);
}

const struct scenario_step scenario_keyed[] = {
    {.name = "partition_by_key",
     .call = partition,
     .check = check_partition,
     .captured = true},
    {.name = "partition_blocks",
     .call = partition_blocks,
     .check = check_blocks,
     .captured = true},
    {.name = "accumulate_by_key",
     .call = accumulate,
     .check = check_accumulate,
     .captured = true},
    {.name = "accumulate_where",
     .call = accumulate_where,
     .check = check_accumulate_where,
     .captured = true},
    {.name = "unique", .call = unique, .check = check_unique, .captured = true},
    {0}};
