/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "element.h"
#include "keyed_columns.h"
#include "rules.h"

#define UNCOUNTED UINT64_C(0x7777777777777777)

static size_t size_of(const struct keyed_columns_call *call) {
    return element_size(call->rule.type);
}

/* ------------------------------------------------------------------- draws */

/* Two of five with elements at multiples of their size, as columns are. */
static size_t draw_ahead(uint64_t seed, uint64_t which, size_t bytes) {
    const uint64_t random = data_random(seed, which);

    return random % 5 < 2 && bytes < 16 ? random / 5 % 16 / bytes * bytes
                                        : random / 5 % 16;
}

static struct keyed_column draw_column(uint64_t seed) {
    static const size_t sizes[] = {1, 2, 4, 8, 3, 5, 12, 16, 20, 100};
    const size_t bytes = sizes[data_random(seed, 1) % 10];

    return (struct keyed_column){.bytes = bytes,
                                 .in_ahead = draw_ahead(seed, 2, bytes),
                                 .out_ahead = draw_ahead(seed, 3, bytes)};
}

/* Its output is aligned to the key's type. */
static struct keyed_column draw_key_column(uint64_t seed, size_t size) {
    return (struct keyed_column){.bytes = size,
                                 .out_ahead =
                                     data_random(seed, 4) % 16 / size * size,
                                 .is_key = true};
}

struct keyed_columns_call keyed_columns_draw(uint64_t seed, uint64_t n,
                                             winnow_type type) {
    const size_t size = element_size(type);
    struct rule rules[RULES_KINDS];
    struct keyed_columns_call call = {
        .pattern = &patterns[data_random(seed, 1) % PATTERNS],
        .seed = seed,
        .n = n,
        .capacity = WINNOW_NO_LIMIT,
        .number = (unsigned)(1 + data_random(seed, 2) % KEYED_COLUMNS_MOST),
        .uncounted = data_random(seed, 3) % 5 == 0,
        .asks = data_random(seed, 4) % 2 == 0};

    rules_kinds(type, rules);
    call.rule = rules[data_random(seed, 5) % RULES_KINDS];
    if (data_random(seed, 6) % 4 == 0)
        call.capacity = data_random(seed, 7) % (n + 2);
    for (unsigned c = 0; c < call.number; c++)
        call.columns[c] = data_random(seed, 10 + c) % 6 == 0
                              ? draw_key_column(seed + c, size)
                              : draw_column(seed + c);
    call.columns[data_random(seed, 8) % call.number] =
        draw_key_column(seed, size);
    return call;
}

/* ------------------------------------------------------------------ memory */

static size_t key_start(const struct keyed_columns_call *call) {
    return REGION_GUARD + call->key_ahead;
}

/* Where the input of a column is, and where it begins there. */
static struct region *in_of(struct keyed_columns *columns, unsigned c) {
    return columns->call.columns[c].is_key ? &columns->key : &columns->in[c];
}

static size_t in_start(const struct keyed_columns_call *call, unsigned c) {
    return call->columns[c].is_key ? key_start(call)
                                   : REGION_GUARD + call->columns[c].in_ahead;
}

static struct region *out_of(struct keyed_columns *columns, unsigned c) {
    return columns->call.columns[c].in_place ? in_of(columns, c)
                                             : &columns->out[c];
}

static size_t out_start(const struct keyed_columns_call *call, unsigned c) {
    return call->columns[c].in_place
               ? in_start(call, c)
               : REGION_GUARD + call->columns[c].out_ahead;
}

static void make(struct region *region, const struct backend *backend,
                 size_t bytes) {
    region_open(region, backend, bytes + 2 * REGION_GUARD + 16);
    region_poison(region, region->bytes);
}

static void fill_key(struct keyed_columns *columns) {
    const struct keyed_columns_call *const call = &columns->call;
    const size_t size = size_of(call);
    unsigned char *const keys = must_alloc(call->n * size + 8);

    if (call->pattern != NULL) {
        data_fill(&call->rule, call->pattern, call->seed, call->n, keys);
    } else {
        data_fill(&call->rule, pattern_named("none"), call->seed, call->n,
                  keys);
        data_fill(&call->rule, pattern_named("all"), call->seed, 1,
                  keys + call->only * size);
    }
    region_write(&columns->key, key_start(call), keys, call->n * size);
    free(keys);
}

static void fill_column(struct keyed_columns *columns, unsigned c) {
    const struct keyed_columns_call *const call = &columns->call;
    const size_t bytes = call->n * call->columns[c].bytes;
    unsigned char *const in = must_alloc(bytes + 1);

    for (size_t i = 0; i < bytes; i++)
        in[i] = (unsigned char)data_random(call->seed + 1 + c, i);
    region_write(&columns->in[c], in_start(call, c), in, bytes);
    free(in);
}

static void open_column(struct keyed_columns *columns, unsigned c) {
    const struct keyed_columns_call *const call = &columns->call;
    const struct keyed_column *const column = &call->columns[c];

    make(&columns->in[c], columns->backend, call->n * column->bytes);
    make(&columns->out[c], columns->backend, call->n * column->bytes);
    fill_column(columns, c);
    columns->list[c] =
        (winnow_move){.d_in = in_of(columns, c)->base + in_start(call, c),
                      .d_out = out_of(columns, c)->base + out_start(call, c),
                      .element_bytes = column->bytes};
}

/* All bits are set of what the call is given, and all around is poison. */
static void open_workspace(struct keyed_columns *columns) {
    const struct keyed_columns_call *const call = &columns->call;
    unsigned char *ones;

    columns->workspace_bytes = keyed_columns_plan(columns->backend, call);
    ones = must_alloc(columns->workspace_bytes + 1);
    memset(ones, 0xff, columns->workspace_bytes);
    make(&columns->workspace, columns->backend, columns->workspace_bytes);
    region_write(&columns->workspace, REGION_GUARD, ones,
                 columns->workspace_bytes);
    free(ones);
}

void keyed_columns_open(struct keyed_columns *columns,
                        const struct backend *backend,
                        const struct keyed_columns_call *call) {
    const uint64_t numbers[3] = {call->same_word ? call->n / 2 : UNCOUNTED, 0,
                                 call->n / 2};

    *columns = (struct keyed_columns){.call = *call, .backend = backend};
    if (rule_create(&call->rule, &columns->predicate) != WINNOW_OK)
        abort();
    make(&columns->key, backend, call->n * 8);
    fill_key(columns);
    for (unsigned c = 0; c < call->number; c++)
        open_column(columns, c);
    columns->d_numbers = backend_alloc(backend, sizeof(numbers));
    backend_upload(backend, columns->d_numbers, numbers, sizeof(numbers));
    if (call->asks)
        open_workspace(columns);
}

/* ----------------------------------------------------------------- the call */

winnow_status keyed_columns_enqueue(const struct keyed_columns *columns) {
    const struct keyed_columns_call *const call = &columns->call;
    uint64_t *const numbers = columns->d_numbers;
    const winnow_in key = {.type = call->rule.type,
                           .d_base = columns->key.base + key_start(call)};

    return winnow_copy_columns_if(
        columns->backend->context, columns->predicate, &key, call->n,
        columns->list, call->number, call->capacity,
        call->uncounted ? NULL : numbers,
        WINNOW_LAUNCH(.stream = columns->backend->stream,
                      .d_workspace =
                          call->asks ? columns->workspace.base + REGION_GUARD
                                     : NULL,
                      .workspace_bytes = columns->workspace_bytes,
                      .d_n = !call->limited    ? NULL
                             : call->same_word ? numbers
                                               : numbers + 2,
                      .d_position = call->placed ? numbers + 1 : NULL));
}

size_t keyed_columns_plan(const struct backend *backend,
                          const struct keyed_columns_call *call) {
    static unsigned char anywhere;
    const winnow_in key = {.type = call->rule.type};
    winnow_move list[KEYED_COLUMNS_MOST] = {{0}};
    winnow_plan plan = {.size = sizeof(plan)};
    winnow_predicate *predicate;

    for (unsigned c = 0; c < call->number; c++) {
        list[c].element_bytes = call->columns[c].bytes;
        if (call->columns[c].in_place)
            list[c].d_in = list[c].d_out = &anywhere;
    }
    if (rule_create(&call->rule, &predicate) != WINNOW_OK ||
        winnow_copy_columns_if(backend->context, predicate, &key, call->n, list,
                               call->number, call->capacity, NULL,
                               WINNOW_LAUNCH(.plan = &plan)) != WINNOW_OK)
        abort();
    winnow_predicate_destroy(predicate);
    return plan.workspace_bytes;
}

/* The oracle. What the outputs should hold goes to their shadows; in place no
 * element moves behind one that has yet to be read. */
static void expect(struct keyed_columns *columns, uint64_t numbers[2]) {
    const struct keyed_columns_call *const call = &columns->call;
    const uint64_t n = call->limited ? call->n / 2 : call->n;
    const unsigned char *const keys = columns->key.shadow + key_start(call);
    uint64_t *const kept = must_alloc((n + 1) * sizeof(uint64_t));
    uint64_t number = 0, written;

    for (uint64_t i = 0; i < n; i++) {
        unsigned char key[8]; /* aligned as any type */

        memcpy(key, keys + i * size_of(call), size_of(call));
        if (oracle_keeps(&call->rule, element_load(call->rule.type, key)))
            kept[number++] = i;
    }
    written = number < call->capacity ? number : call->capacity;
    for (unsigned c = 0; c < call->number; c++) {
        const size_t bytes = call->columns[c].bytes;
        const unsigned char *const in =
            in_of(columns, c)->shadow + in_start(call, c);
        unsigned char *const out =
            out_of(columns, c)->shadow + out_start(call, c);

        for (uint64_t k = 0; k < written; k++)
            memmove(out + k * bytes, in + kept[k] * bytes, bytes);
    }
    free(kept);
    if (!call->uncounted)
        numbers[0] = number;
    numbers[1] = call->placed ? written : 0;
}

static bool check_region(struct region *region, const char *name, unsigned c,
                         struct report *report) {
    struct report array = {{0}};

    region_fetch(region, region->bytes);
    return region_untouched(region, name, REGION_GUARD, 0, region->bytes,
                            &array) ||
           report_fail(report, "column %u, %s", c, array.text);
}

static bool check_workspace(struct keyed_columns *columns,
                            struct report *report) {
    struct region *const memory = &columns->workspace;
    const size_t end = REGION_GUARD + columns->workspace_bytes;

    if (!columns->call.asks)
        return true;
    region_fetch(memory, memory->bytes);
    return region_untouched(memory, "the workspace", REGION_GUARD, 0,
                            REGION_GUARD, report) &&
           region_untouched(memory, "the workspace", REGION_GUARD, end,
                            memory->bytes, report);
}

static bool check_arrays(struct keyed_columns *columns, struct report *report) {
    for (unsigned c = 0; c < columns->call.number; c++)
        if (!check_region(&columns->in[c], "the input", c, report) ||
            !check_region(&columns->out[c], "the output", c, report))
            return false;
    return check_region(&columns->key, "the key", columns->call.number,
                        report) &&
           check_workspace(columns, report);
}

static bool check(struct keyed_columns *columns, bool done,
                  struct report *report) {
    const struct keyed_columns_call *const call = &columns->call;
    uint64_t wanted[2] = {call->same_word ? call->n / 2 : UNCOUNTED, 0};
    uint64_t seen[2];
    struct report array = {{0}};
    char rule[128];

    if (done)
        expect(columns, wanted);
    backend_download(columns->backend, seen, columns->d_numbers, sizeof(seen));
    if (seen[0] != wanted[0] || seen[1] != wanted[1])
        report_fail(&array, "the count is %llu, not %llu",
                    (unsigned long long)seen[0], (unsigned long long)wanted[0]);
    else if (check_arrays(columns, &array))
        return true;
    rule_describe(&call->rule, rule, sizeof(rule));
    return report_fail(report, "seed %llu, %llu items, %u columns, %s, %s: %s",
                       (unsigned long long)call->seed,
                       (unsigned long long)call->n, call->number, rule,
                       call->pattern != NULL ? call->pattern->name : "one",
                       array.text);
}

static bool finish(struct keyed_columns *columns, bool done,
                   struct report *report) {
    const char *const error = backend_wait(columns->backend);
    const bool good = error == NULL ? check(columns, done, report)
                                    : report_fail(report, "%s", error);

    region_close(&columns->key);
    for (unsigned c = 0; c < columns->call.number; c++) {
        region_close(&columns->in[c]);
        region_close(&columns->out[c]);
    }
    region_close(&columns->workspace);
    backend_free(columns->backend, columns->d_numbers);
    winnow_predicate_destroy(columns->predicate);
    return good;
}

bool keyed_columns_close(struct keyed_columns *columns, struct report *report) {
    return finish(columns, true, report);
}

bool keyed_columns_run(const struct backend *backend,
                       const struct keyed_columns_call *call,
                       struct report *report) {
    struct keyed_columns columns;
    winnow_status status;

    keyed_columns_open(&columns, backend, call);
    status = keyed_columns_enqueue(&columns);
    if (!finish(&columns, status == WINNOW_OK, report))
        return false;
    return status == WINNOW_OK ||
           report_fail(report, "seed %llu: %s", (unsigned long long)call->seed,
                       winnow_last_error());
}
