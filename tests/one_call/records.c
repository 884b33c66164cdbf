/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "element.h"
#include "records.h"
#include "rules.h"

#define UNCOUNTED UINT64_C(0x7777777777777777)

static size_t in_start(const struct records_call *call) {
    return REGION_GUARD + call->in_ahead;
}

static size_t out_start(const struct records_call *call) {
    return REGION_GUARD + call->out_ahead;
}

struct records_call records_draw(uint64_t seed, uint64_t n, size_t bytes) {
    const winnow_type type = element_type(data_random(seed, 1));
    const size_t places = 17 - element_size(type); /* in a vector */
    struct rule rules[RULES_KINDS];
    struct records_call call = {
        .pattern = &patterns[data_random(seed, 2) % PATTERNS],
        .seed = seed,
        .n = n,
        .capacity = WINNOW_NO_LIMIT,
        .bytes = bytes,
        .field = data_random(seed, 3) % (bytes / 16) * 16 +
                 data_random(seed, 4) % places,
        .in_place = data_random(seed, 5) % 3 == 0,
        .uncounted = data_random(seed, 6) % 5 == 0};

    rules_kinds(type, rules);
    call.rule = rules[data_random(seed, 7) % RULES_KINDS];
    if (data_random(seed, 8) % 4 == 0)
        call.capacity = data_random(seed, 9) % (n + 2);
    return call;
}

/* The fields, one behind the other. */
static void fill_fields(const struct records_call *call,
                        unsigned char *fields) {
    const size_t size = element_size(call->rule.type);

    if (call->pattern != NULL) {
        data_fill(&call->rule, call->pattern, call->seed, call->n, fields);
        return;
    }
    data_fill(&call->rule, pattern_named("none"), call->seed, call->n, fields);
    data_fill(&call->rule, pattern_named("all"), call->seed, 1,
              fields + call->only * size);
}

static void fill(struct records *records) {
    const struct records_call *const call = &records->call;
    const size_t size = element_size(call->rule.type);
    const size_t bytes = call->n * call->bytes;
    unsigned char *const in = must_alloc(bytes + 1);
    unsigned char *const fields = must_alloc(call->n * size + 8);

    fill_fields(call, fields);
    for (size_t i = 0; i < bytes; i++)
        in[i] = (unsigned char)data_random(call->seed + 1, i);
    for (uint64_t i = 0; i < call->n; i++)
        memcpy(in + i * call->bytes + call->field, fields + i * size, size);
    region_write(&records->in, in_start(call), in, bytes);
    free(fields);
    free(in);
}

void records_open(struct records *records, const struct backend *backend,
                  const struct records_call *call) {
    const size_t room = call->n * call->bytes + 2 * REGION_GUARD + 16;
    const uint64_t numbers[3] = {call->same_word ? call->n / 2 : UNCOUNTED, 0,
                                 call->n / 2};

    *records = (struct records){.call = *call, .backend = backend};
    if (rule_create(&call->rule, &records->predicate) != WINNOW_OK)
        abort();
    region_open(&records->in, backend, room);
    region_poison(&records->in, room);
    region_open(&records->out, backend, room);
    region_poison(&records->out, room);
    records->d_numbers = backend_alloc(backend, sizeof(numbers));
    backend_upload(backend, records->d_numbers, numbers, sizeof(numbers));
    if (call->workspace_bytes != 0)
        records->d_workspace = backend_alloc(backend, call->workspace_bytes);
    fill(records);
}

winnow_status records_enqueue(const struct records *records) {
    const struct records_call *const call = &records->call;
    unsigned char *const in = records->in.base + in_start(call);
    unsigned char *const out =
        call->in_place ? in : records->out.base + out_start(call);
    uint64_t *const numbers = records->d_numbers;
    const winnow_in key = {.type = call->rule.type,
                           .d_base = in + call->field,
                           .stride_bytes = (int64_t)call->bytes};
    const winnow_move move = {
        .d_in = in, .d_out = out, .element_bytes = call->bytes};

    return winnow_copy_columns_if(
        records->backend->context, records->predicate, &key, call->n, &move, 1,
        call->capacity, call->uncounted ? NULL : numbers,
        WINNOW_LAUNCH(.stream = records->backend->stream,
                      .d_workspace = records->d_workspace,
                      .workspace_bytes = call->workspace_bytes,
                      .d_n = !call->limited    ? NULL
                             : call->same_word ? numbers
                                               : numbers + 2,
                      .d_position = call->placed ? numbers + 1 : NULL));
}

size_t records_plan(const struct backend *backend,
                    const struct records_call *call) {
    static unsigned char anywhere;
    void *const place = call->in_place ? &anywhere : NULL;
    const winnow_in key = {.type = call->rule.type,
                           .stride_bytes = (int64_t)call->bytes};
    const winnow_move move = {
        .d_in = place, .d_out = place, .element_bytes = call->bytes};
    winnow_plan plan = {.size = sizeof(plan)};
    winnow_predicate *predicate;

    if (rule_create(&call->rule, &predicate) != WINNOW_OK ||
        winnow_copy_columns_if(backend->context, predicate, &key, call->n,
                               &move, 1, call->capacity, NULL,
                               WINNOW_LAUNCH(.plan = &plan)) != WINNOW_OK)
        abort();
    winnow_predicate_destroy(predicate);
    return plan.workspace_bytes;
}

/* The oracle. What the output should hold goes to its shadow; in place no
 * record moves behind one that has yet to be read. */
static void expect(struct records *records, uint64_t numbers[2]) {
    const struct records_call *const call = &records->call;
    const size_t bytes = call->bytes;
    const uint64_t n = call->limited ? call->n / 2 : call->n;
    const unsigned char *const in = records->in.shadow + in_start(call);
    unsigned char *const out = call->in_place
                                   ? records->in.shadow + in_start(call)
                                   : records->out.shadow + out_start(call);
    uint64_t rank = 0, written = 0;

    for (uint64_t i = 0; i < n; i++) {
        unsigned char element[8]; /* aligned as any type */

        memcpy(element, in + i * bytes + call->field,
               element_size(call->rule.type));
        if (!oracle_keeps(&call->rule, element_load(call->rule.type, element)))
            continue;
        if (rank < call->capacity)
            memmove(out + written++ * bytes, in + i * bytes, bytes);
        rank++;
    }
    if (!call->uncounted)
        numbers[0] = rank;
    numbers[1] = call->placed ? written : 0;
}

static bool check_array(struct region *region, const char *name,
                        struct report *report) {
    region_fetch(region, region->bytes);
    return region_untouched(region, name, REGION_GUARD, 0, region->bytes,
                            report);
}

static bool check(struct records *records, bool done, struct report *report) {
    const struct records_call *const call = &records->call;
    uint64_t wanted[2] = {call->same_word ? call->n / 2 : UNCOUNTED, 0};
    uint64_t seen[2];
    struct report array = {{0}};
    char rule[128];

    if (done)
        expect(records, wanted);
    backend_download(records->backend, seen, records->d_numbers, sizeof(seen));
    if (seen[0] != wanted[0] || seen[1] != wanted[1])
        report_fail(&array, "the count is %llu, not %llu",
                    (unsigned long long)seen[0], (unsigned long long)wanted[0]);
    else if (check_array(&records->in, "the input", &array) &&
             check_array(&records->out, "the output", &array))
        return true;
    rule_describe(&call->rule, rule, sizeof(rule));
    return report_fail(
        report, "seed %llu, %llu records of %zu bytes, %s at %zu, %s%s: %s",
        (unsigned long long)call->seed, (unsigned long long)call->n,
        call->bytes, rule, call->field,
        call->pattern != NULL ? call->pattern->name : "one",
        call->in_place ? ", in place" : "", array.text);
}

static bool finish(struct records *records, bool done, struct report *report) {
    const char *const error = backend_wait(records->backend);
    const bool good = error == NULL ? check(records, done, report)
                                    : report_fail(report, "%s", error);

    region_close(&records->in);
    region_close(&records->out);
    backend_free(records->backend, records->d_numbers);
    if (records->d_workspace != NULL)
        backend_free(records->backend, records->d_workspace);
    winnow_predicate_destroy(records->predicate);
    return good;
}

bool records_close(struct records *records, struct report *report) {
    return finish(records, true, report);
}

bool records_run(const struct backend *backend, const struct records_call *call,
                 struct report *report) {
    struct records records;
    winnow_status status;

    records_open(&records, backend, call);
    status = records_enqueue(&records);
    if (!finish(&records, status == WINNOW_OK, report))
        return false;
    return status == WINNOW_OK ||
           report_fail(report, "seed %llu: %s", (unsigned long long)call->seed,
                       winnow_last_error());
}
