/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "runs.h"

#define UNCOUNTED UINT64_C(0x7777777777777777)

/* Where an array begins in its region, which begins at such a boundary. */
static size_t start_of(unsigned ahead, size_t bytes) {
    return REGION_GUARD + ahead * bytes;
}

static size_t keys_start(const struct runs_call *call) {
    return start_of(call->in_ahead, call->key_bytes) + (call->odd ? 1 : 0);
}

static size_t room_of(const struct runs_call *call, size_t bytes) {
    return call->n * bytes + 2 * REGION_GUARD + 16 * bytes;
}

struct runs_call runs_draw(uint64_t seed, uint64_t n, size_t key_bytes,
                           size_t value_bytes) {
    static const uint64_t some[] = {1, 2, 5, 40, 1000, 0};
    static const uint64_t periods[] = {16, 512, 3072, 49152};
    struct runs_call call = {.seed = seed,
                             .n = n,
                             .key_bytes = key_bytes,
                             .value_bytes = value_bytes,
                             .run = some[data_random(seed, 1) % 6],
                             .capacity = WINNOW_NO_LIMIT};

    if (data_random(seed, 2) % 4 == 0)
        call.period = periods[data_random(seed, 3) % 4];
    if (data_random(seed, 4) % 2 == 0)
        call.in_ahead = (unsigned)(data_random(seed, 5) % (16 / key_bytes));
    call.out_ahead = (unsigned)(data_random(seed, 6) % (16 / key_bytes));
    call.values_ahead = (unsigned)(data_random(seed, 7) % 4);
    call.values_out_ahead = (unsigned)(data_random(seed, 8) % 4);
    if (data_random(seed, 9) % 4 == 0)
        call.capacity = data_random(seed, 10) % (n + 2);
    call.uncounted = data_random(seed, 11) % 5 == 0;
    return call;
}

static bool begins(const struct runs_call *call, uint64_t i) {
    const uint64_t drawn = data_random(call->seed, i + 1000);

    if (call->period != 0)
        return (i + call->in_ahead) * call->key_bytes % call->period == 0 &&
               drawn % 4 != 0;
    return call->run != 0 && drawn % call->run == 0;
}

/* A run's key is that of the run before, but for one bit. */
static void fill_keys(struct runs *runs) {
    const struct runs_call *const call = &runs->call;
    const size_t size = call->key_bytes;
    unsigned char *const keys = must_alloc(call->n * size + size);

    memset(keys, 0, size);
    for (uint64_t i = 1; i < call->n; i++) {
        const uint64_t bit = data_random(call->seed + 1, i) % (8 * size);

        memcpy(keys + i * size, keys + (i - 1) * size, size);
        if (begins(call, i))
            keys[i * size + bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    region_write(&runs->keys, keys_start(call), keys, call->n * size);
    free(keys);
}

static void fill_values(struct runs *runs) {
    const struct runs_call *const call = &runs->call;
    const size_t bytes = call->n * call->value_bytes;
    unsigned char *const values = must_alloc(bytes + 1);

    for (size_t i = 0; i < bytes; i++)
        values[i] = (unsigned char)data_random(call->seed + 2, i);
    region_write(&runs->values, start_of(call->values_ahead, call->value_bytes),
                 values, bytes);
    free(values);
}

static void region_make(struct region *region, const struct backend *backend,
                        size_t bytes) {
    region_open(region, backend, bytes);
    region_poison(region, bytes);
}

void runs_open(struct runs *runs, const struct backend *backend,
               const struct runs_call *call) {
    const uint64_t numbers[3] = {call->same_word ? call->n / 2 : UNCOUNTED,
                                 call->n / 2, 0};

    *runs = (struct runs){.call = *call, .backend = backend};
    region_make(&runs->keys, backend, room_of(call, call->key_bytes));
    region_make(&runs->keys_out, backend, room_of(call, call->key_bytes));
    region_make(&runs->values, backend, room_of(call, call->value_bytes));
    region_make(&runs->values_out, backend, room_of(call, call->value_bytes));
    runs->d_numbers = backend_alloc(backend, sizeof(numbers));
    backend_upload(backend, runs->d_numbers, numbers, sizeof(numbers));
    if (call->workspace_bytes != 0)
        runs->d_workspace = backend_alloc(backend, call->workspace_bytes);
    fill_keys(runs);
    fill_values(runs);
}

/* The keys are packed first, or last. */
static winnow_status enqueue(const struct backend *backend,
                             const struct runs_call *call, const void *d_keys,
                             winnow_move keys_move, winnow_move values_move,
                             uint64_t *d_count, const winnow_launch *launch) {
    const bool first = call->seed % 2 == 0;
    const winnow_in keys = {.type =
                                call->by_value ? WINNOW_FLOAT32 : WINNOW_OPAQUE,
                            .element_bytes = (uint32_t)call->key_bytes,
                            .d_base = d_keys};
    const winnow_unique_options options = {
        .size = sizeof(options),
        .keep = call->last ? WINNOW_UNIQUE_LAST : WINNOW_UNIQUE_FIRST,
        .equality = call->by_value ? WINNOW_EQUAL_VALUES : WINNOW_EQUAL_BITS};
    const winnow_move moves[2] = {first ? keys_move : values_move,
                                  first ? values_move : keys_move};
    const unsigned alone = call->value_bytes == 0;

    return winnow_unique(backend->context, &keys, call->n, &options,
                         alone ? &keys_move : moves, 2 - alone, call->capacity,
                         d_count, launch);
}

winnow_status runs_enqueue(struct runs *runs) {
    const struct runs_call *const call = &runs->call;
    const winnow_move keys = {.d_in = runs->keys.base + keys_start(call),
                              .d_out =
                                  runs->keys_out.base +
                                  start_of(call->out_ahead, call->key_bytes),
                              .element_bytes = call->key_bytes};
    const winnow_move values = {
        .d_in =
            runs->values.base + start_of(call->values_ahead, call->value_bytes),
        .d_out = runs->values_out.base +
                 start_of(call->values_out_ahead, call->value_bytes),
        .element_bytes = call->value_bytes};
    uint64_t *const numbers = runs->d_numbers;

    return enqueue(
        runs->backend, call, keys.d_in, keys, values,
        call->uncounted ? NULL : numbers,
        WINNOW_LAUNCH(.stream = runs->backend->stream,
                      .d_workspace = runs->d_workspace,
                      .workspace_bytes = call->workspace_bytes,
                      .d_n = !call->limited    ? NULL
                             : call->same_word ? numbers
                                               : numbers + 1,
                      .d_position = call->placed ? numbers + 2 : NULL));
}

size_t runs_plan(const struct backend *backend, const struct runs_call *call) {
    const winnow_move keys = {.element_bytes = call->key_bytes};
    const winnow_move values = {.element_bytes = call->value_bytes};
    winnow_plan plan = {.size = sizeof(plan)};

    if (enqueue(backend, call, NULL, keys, values, NULL,
                WINNOW_LAUNCH(.plan = &plan)) != WINNOW_OK)
        abort();
    return plan.workspace_bytes;
}

/* The oracle: is item i the first, or the last, of its run? */
static bool is_kept(const struct runs *runs, uint64_t i, uint64_t n) {
    const struct runs_call *const call = &runs->call;
    const size_t size = call->key_bytes;
    const unsigned char *const keys = runs->keys.shadow + keys_start(call);
    const uint64_t other = call->last ? i + 1 : i - 1;
    float here, there;

    if (i == (call->last ? n - 1 : 0))
        return true;
    if (!call->by_value)
        return memcmp(keys + i * size, keys + other * size, size) != 0;
    memcpy(&here, keys + i * size, sizeof(here));
    memcpy(&there, keys + other * size, sizeof(there));
    return here != there;
}

/* What an output should hold goes to its shadow. */
static uint64_t expect(const struct runs *runs, struct region *out,
                       const struct region *in, size_t bytes, size_t start,
                       unsigned out_ahead) {
    const struct runs_call *const call = &runs->call;
    const uint64_t n = call->limited ? call->n / 2 : call->n;
    uint64_t rank = 0;

    for (uint64_t i = 0; i < n; i++) {
        if (!is_kept(runs, i, n))
            continue;
        if (rank < call->capacity)
            memcpy(out->shadow + start_of(out_ahead, bytes) + rank * bytes,
                   in->shadow + start + i * bytes, bytes);
        rank++;
    }
    return rank;
}

static bool check(struct runs *runs, bool done, struct report *report) {
    const struct runs_call *const call = &runs->call;
    uint64_t wanted[3] = {call->same_word ? call->n / 2 : UNCOUNTED,
                          call->n / 2, 0};
    uint64_t seen[3];

    if (done) {
        const uint64_t rank =
            expect(runs, &runs->keys_out, &runs->keys, call->key_bytes,
                   keys_start(call), call->out_ahead);

        expect(runs, &runs->values_out, &runs->values, call->value_bytes,
               start_of(call->values_ahead, call->value_bytes),
               call->values_out_ahead);
        if (!call->uncounted)
            wanted[0] = rank;
        if (call->placed)
            wanted[2] = rank < call->capacity ? rank : call->capacity;
    }
    backend_download(runs->backend, seen, runs->d_numbers, sizeof(seen));
    for (unsigned i = 0; i < 3; i++)
        if (seen[i] != wanted[i])
            return report_fail(report, "seed %llu: number %u is %llu, not %llu",
                               (unsigned long long)call->seed, i,
                               (unsigned long long)seen[i],
                               (unsigned long long)wanted[i]);
    region_fetch(&runs->keys_out, runs->keys_out.bytes);
    region_fetch(&runs->values_out, runs->values_out.bytes);
    return region_untouched(&runs->keys_out, "keys", REGION_GUARD, 0,
                            runs->keys_out.bytes, report) &&
           region_untouched(&runs->values_out, "values", REGION_GUARD, 0,
                            runs->values_out.bytes, report);
}

static bool finish(struct runs *runs, bool done, struct report *report) {
    const char *const error = backend_wait(runs->backend);
    const bool good = error == NULL ? check(runs, done, report)
                                    : report_fail(report, "%s", error);

    region_close(&runs->keys);
    region_close(&runs->values);
    region_close(&runs->keys_out);
    region_close(&runs->values_out);
    backend_free(runs->backend, runs->d_numbers);
    if (runs->d_workspace != NULL)
        backend_free(runs->backend, runs->d_workspace);
    return good;
}

bool runs_close(struct runs *runs, struct report *report) {
    return finish(runs, true, report);
}

bool runs_run(const struct backend *backend, const struct runs_call *call,
              struct report *report) {
    struct runs runs;
    winnow_status status;

    runs_open(&runs, backend, call);
    status = runs_enqueue(&runs);
    if (!finish(&runs, status == WINNOW_OK, report))
        return false;
    return status == WINNOW_OK ||
           report_fail(report, "seed %llu: %s", (unsigned long long)call->seed,
                       winnow_last_error());
}
