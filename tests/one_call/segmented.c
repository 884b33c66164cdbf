/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "element.h"
#include "segmented.h"

#define UNCOUNTED UINT64_C(0x7777777777777777)

struct segmented_call segmented_draw(uint64_t seed, uint64_t n,
                                     winnow_type type) {
    const size_t most = 16 / element_size(type);
    struct rule rules[RULES_KINDS];
    struct segmented_call call = {
        .pattern = &patterns[data_random(seed, 1) % PATTERNS],
        .seed = seed,
        .n = n,
        .number = data_random(seed, 2) % 500,
        .capacity = WINNOW_NO_LIMIT,
        .out_ahead = (unsigned)(data_random(seed, 3) % most),
        .wide = data_random(seed, 4) % 2 != 0,
        .uncounted = data_random(seed, 5) % 4 == 0};

    rules_kinds(type, rules);
    call.rule = rules[data_random(seed, 6) % RULES_KINDS];
    if (data_random(seed, 7) % 4 == 0)
        call.in_ahead = (unsigned)(data_random(seed, 8) % most);
    if (data_random(seed, 9) % 4 == 0)
        call.capacity = data_random(seed, 10) % (n + 2);
    return call;
}

static size_t size_of(const struct segmented *segmented) {
    return element_size(segmented->call.rule.type);
}

static size_t in_start(const struct segmented *segmented) {
    return REGION_GUARD + segmented->call.in_ahead * size_of(segmented);
}

static size_t out_start(const struct segmented *segmented) {
    return REGION_GUARD + segmented->call.out_ahead * size_of(segmented);
}

/* Segments of n / number items and some; the last offset may be behind n. */
static uint64_t offset_of(const struct segmented_call *call, uint64_t s) {
    const uint64_t each = call->n / (call->number + 1) + 1;

    return s * each + data_random(call->seed + 1, s) % each;
}

/* Put a number where the call has it, as wide as the call has them. */
static void put(const struct segmented_call *call, struct region *region,
                uint64_t i, uint64_t value) {
    const uint32_t narrow = (uint32_t)value;

    if (call->wide)
        memcpy(region->shadow + REGION_GUARD + 8 * i, &value, 8);
    else
        memcpy(region->shadow + REGION_GUARD + 4 * i, &narrow, 4);
}

static void region_make(struct region *region, const struct backend *backend,
                        size_t bytes) {
    region_open(region, backend, bytes + 2 * REGION_GUARD);
    region_poison(region, region->bytes);
}

void segmented_open(struct segmented *segmented, const struct backend *backend,
                    const struct segmented_call *call) {
    const size_t numbers = (call->number + 1) * 8;
    const size_t room =
        (call->n + call->position + 16) * element_size(call->rule.type);
    const uint64_t given[3] = {call->same_word ? call->n / 2 : UNCOUNTED,
                               call->position, call->n / 2};
    unsigned char *const elements = must_alloc(room);

    *segmented = (struct segmented){.call = *call, .backend = backend};
    if (rule_create(&call->rule, &segmented->predicate) != WINNOW_OK)
        abort();
    region_make(&segmented->in, backend, room);
    region_make(&segmented->out, backend, room);
    region_make(&segmented->offsets, backend, numbers);
    region_make(&segmented->counts, backend, numbers);
    region_make(&segmented->out_offsets, backend, numbers);
    region_make(&segmented->numbers, backend, sizeof(given));
    region_write(&segmented->numbers, REGION_GUARD, given, sizeof(given));
    data_fill(&call->rule, call->pattern, call->seed, call->n, elements);
    region_write(&segmented->in, in_start(segmented), elements,
                 call->n * size_of(segmented));
    for (uint64_t s = 0; s <= call->number; s++)
        put(call, &segmented->offsets, s, offset_of(call, s));
    backend_upload(backend, segmented->offsets.base, segmented->offsets.shadow,
                   segmented->offsets.bytes);
    if (call->workspace_bytes != 0)
        segmented->d_workspace = backend_alloc(backend, call->workspace_bytes);
    free(elements);
}

winnow_status segmented_enqueue(struct segmented *segmented) {
    const struct segmented_call *const call = &segmented->call;
    uint64_t *const numbers =
        (uint64_t *)(void *)(segmented->numbers.base + REGION_GUARD);
    const winnow_segments segments = {
        .type = call->wide ? WINNOW_UINT64 : WINNOW_UINT32,
        .count = call->number,
        .d_offsets = segmented->offsets.base + REGION_GUARD,
        .d_counts = segmented->counts.base + REGION_GUARD,
        .d_out_offsets = segmented->out_offsets.base + REGION_GUARD};

    return winnow_segmented_copy_if(
        segmented->backend->context, segmented->predicate, call->rule.type,
        segmented->in.base + in_start(segmented), call->n, &segments,
        segmented->out.base + out_start(segmented), call->capacity,
        call->uncounted ? NULL : numbers,
        WINNOW_LAUNCH(.stream = segmented->backend->stream,
                      .d_workspace = segmented->d_workspace,
                      .workspace_bytes = call->workspace_bytes,
                      .d_n = !call->limited    ? NULL
                             : call->same_word ? numbers
                                               : numbers + 2,
                      .d_position = call->placed ? numbers + 1 : NULL));
}

size_t segmented_plan(const struct backend *backend,
                      const struct segmented_call *call) {
    const winnow_segments segments = {.type = WINNOW_UINT64,
                                      .count = call->number};
    winnow_plan plan = {.size = sizeof(plan)};
    winnow_predicate *predicate;

    if (rule_create(&call->rule, &predicate) != WINNOW_OK ||
        winnow_segmented_copy_if(backend->context, predicate, call->rule.type,
                                 NULL, call->n, &segments, NULL, call->capacity,
                                 NULL,
                                 WINNOW_LAUNCH(.plan = &plan)) != WINNOW_OK)
        abort();
    winnow_predicate_destroy(predicate);
    return plan.workspace_bytes;
}

/* The oracle: what the outputs should hold goes to their shadows. */
static void expect(struct segmented *segmented) {
    const struct segmented_call *const call = &segmented->call;
    const size_t size = size_of(segmented);
    const unsigned char *from = segmented->in.shadow + in_start(segmented);
    const uint64_t n = call->limited ? call->n / 2 : call->n;
    const uint64_t start = call->placed ? call->position : 0;
    unsigned char *const to = segmented->out.shadow + out_start(segmented);
    uint64_t at = start;
    uint64_t *const before = must_alloc((call->n + 1) * sizeof(uint64_t));
    uint64_t rank = 0;

    for (uint64_t i = 0; i < n; i++, from += size) {
        before[i] = rank;
        if (!oracle_keeps(&call->rule, element_load(call->rule.type, from)))
            continue;
        rank++;
        if (at < call->capacity)
            memcpy(to + at++ * size, from, size);
    }
    before[n] = rank;
    for (uint64_t s = 0; s <= call->number; s++) {
        const uint64_t begin = offset_of(call, s), end = offset_of(call, s + 1);
        const uint64_t here = before[begin < n ? begin : n];

        put(call, &segmented->out_offsets, s, here);
        if (s < call->number)
            put(call, &segmented->counts, s, before[end < n ? end : n] - here);
    }
    if (!call->uncounted)
        memcpy(segmented->numbers.shadow + REGION_GUARD, &rank, sizeof(rank));
    if (call->placed)
        memcpy(segmented->numbers.shadow + REGION_GUARD + 8, &at, sizeof(at));
    free(before);
}

static bool check(struct region *region, const char *name,
                  struct report *report) {
    region_fetch(region, region->bytes);
    return region_untouched(region, name, REGION_GUARD, 0, region->bytes,
                            report);
}

bool segmented_close(struct segmented *segmented, bool enqueued,
                     struct report *report) {
    const char *const error = backend_wait(segmented->backend);
    bool good = error == NULL || report_fail(report, "%s", error);

    if (enqueued)
        expect(segmented);
    good = good && check(&segmented->out, "the output", report) &&
           check(&segmented->counts, "the counts", report) &&
           check(&segmented->out_offsets, "the offsets", report) &&
           check(&segmented->numbers, "the numbers", report);
    region_close(&segmented->in);
    region_close(&segmented->offsets);
    region_close(&segmented->out);
    region_close(&segmented->counts);
    region_close(&segmented->out_offsets);
    region_close(&segmented->numbers);
    if (segmented->d_workspace != NULL)
        backend_free(segmented->backend, segmented->d_workspace);
    winnow_predicate_destroy(segmented->predicate);
    return good;
}

bool segmented_run(const struct backend *backend,
                   const struct segmented_call *call, struct report *report) {
    struct segmented segmented;
    winnow_status status;

    segmented_open(&segmented, backend, call);
    status = segmented_enqueue(&segmented);
    if (!segmented_close(&segmented, status == WINNOW_OK, report))
        return false;
    return status == WINNOW_OK ||
           report_fail(report, "%s", winnow_last_error());
}
