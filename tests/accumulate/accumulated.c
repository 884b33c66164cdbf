/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "accumulated.h"

#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "element.h"
#include "reduced.h"

/* -------------------------------------------------------------------- keys */

uint64_t accumulated_key(enum keys kind, uint64_t bound, uint64_t n, uint64_t i,
                         uint64_t seed) {
    const uint64_t random = data_random(seed, i);

    switch (kind) {
    case KEYS_FEW:
        return random % 5 * (bound / 5);
    case KEYS_SKEWED: {
        /* As Zipf's law with an exponent of 1.5: above x with x^-0.5. */
        const double u = (double)((random >> 11) + 1) / 9007199254740992.0;
        const double x = 1 / (u * u);
        return x <= (double)bound ? (uint64_t)x - 1 : random % bound;
    }
    case KEYS_SORTED:
        return (uint64_t)((double)i / (double)n * (double)bound);
    case KEYS_RUNS:
        return data_random(seed, i / 32) % bound;
    case KEYS_ONE:
        return bound - 1;
    case KEYS_MIXED:
        return (i / 32 * 8 + i % 8) % bound;
    case KEYS_TURNS:
        return i < n / 2 ? i / 8 % bound : random % 5 * (bound / 5);
    case KEYS_HALVES:
        return i < n / 2 ? random % bound : random % 5 * (bound / 5);
    case KEYS_SHORT:
        while (i > 0 && data_random(seed + 11, i) % 3 != 0)
            i--;
        return data_random(seed, i) % bound;
    default:
        return random % bound;
    }
}

/* ------------------------------------------------------------------- trials */

static winnow_type sum_type(const struct accumulate *t) {
    if (!t->wide_sums)
        return t->value_type;
    return t->value_type == WINNOW_INT32     ? WINNOW_INT64
           : t->value_type == WINNOW_UINT32  ? WINNOW_UINT64
           : t->value_type == WINNOW_FLOAT32 ? WINNOW_FLOAT64
                                             : t->value_type;
}

/* One of the two kinds of arrays: values, or sums. In bytes: an element; what is
 * before the first; from an item to the next; from a component to the next. */
struct arrays {
    const struct accumulate *t;
    winnow_type type;
    enum layout layout;
    uint64_t items;
    size_t size, gap, item, component;
};

/* Arrays lie in one piece of memory each, behind a gap and with one at least as
 * large between columns: odd multiples of an element, so that nothing is aligned
 * to more than that, or 16. */
static struct arrays arrays_of(const struct accumulate *t, winnow_type type,
                               enum layout layout, uint64_t items) {
    const size_t size = element_size(type);
    const size_t gap = t->aligned_values ? 16 : 3 * size;
    const size_t bytes = items * size + gap;
    struct arrays arrays = {t, type, layout, items, size, gap, 0, 0};

    if (layout == COLUMNS) {
        arrays.item = size;
        arrays.component = t->aligned_values ? (bytes + 15) / 16 * 16 : bytes;
    } else {
        arrays.item = (t->components + (layout == PADDED) * 2) * size;
        arrays.component = size;
    }
    return arrays;
}

static struct arrays values_of(const struct accumulate *t) {
    return arrays_of(t, t->value_type, t->values_layout, t->n);
}

static struct arrays sums_of(const struct accumulate *t) {
    return arrays_of(t, sum_type(t), t->sums_layout, t->bound);
}

size_t accumulated_keys_gap(const struct accumulate *t) {
    return t->aligned_keys ? 16 : element_size(t->key_type);
}

/* Where component j of item i is. */
static size_t place(const struct arrays *a, uint64_t i, unsigned j) {
    return a->gap + i * a->item + j * a->component;
}

static size_t all_bytes(const struct arrays *a) {
    return a->gap + (a->layout == COLUMNS ? a->t->components * a->component
                                          : a->items * a->item);
}

size_t accumulated_bytes(const struct accumulate *t) {
    const struct arrays sums = sums_of(t);

    return all_bytes(&sums);
}

/* 0 and the size of an element mean the same. */
static int64_t stride_bytes(const struct arrays *a) {
    return a->item == a->size && a->t->seed % 2 == 0 ? 0 : (int64_t)a->item;
}

static void put(winnow_type type, unsigned char *to, uint64_t random) {
    const double small = (double)(random % 17) - 8;
    const float small32 = (float)small;

    if (type == WINNOW_FLOAT32)
        memcpy(to, &small32, sizeof(small32));
    else if (type == WINNOW_FLOAT64)
        memcpy(to, &small, sizeof(small));
    else
        element_store(type, to, random);
}

static double load_double(winnow_type type, const void *from) {
    float narrow;
    double wide;

    if (type == WINNOW_FLOAT64) {
        memcpy(&wide, from, sizeof(wide));
        return wide;
    }
    memcpy(&narrow, from, sizeof(narrow));
    return narrow;
}

/* *to += *value */
static void add(winnow_type to_type, unsigned char *to, winnow_type type,
                const unsigned char *value) {
    if (element_is_float(type)) {
        const double sum = load_double(to_type, to) + load_double(type, value);
        const float narrow = (float)sum;

        if (to_type == WINNOW_FLOAT32)
            memcpy(to, &narrow, sizeof(narrow));
        else
            memcpy(to, &sum, sizeof(sum));
    } else {
        const uint64_t bits = element_load(type, value);
        const uint64_t wide = element_is_signed(type)
                                  ? (uint64_t)element_to_signed(type, bits)
                                  : bits;

        element_store(to_type, to, element_load(to_type, to) + wide);
    }
}

/* One in 13 is not below the bound. */
void accumulated_expect(const struct accumulate *t, struct accumulated *a) {
    unsigned char *const keys = a->keys + accumulated_keys_gap(t);
    const size_t size = element_size(t->key_type);
    const struct arrays values = values_of(t), sums = sums_of(t);

    for (uint64_t i = 0; i < t->n; i++) {
        uint64_t key = 0;
        const bool there = !t->counted || i < t->items;
        const bool beyond =
            t->bound == 0 ||
            (t->beyond && data_random(t->seed + 7, i) % 13 == 0);

        if (!beyond)
            key = accumulated_key(t->keys, t->bound, t->n, i, t->seed);
        else
            key = i % 2 == 0 ? t->bound : UINT64_MAX;
        element_store(t->key_type, keys + i * size, key);
        key = element_load(t->key_type, keys + i * size);
        a->beyond += there && key >= t->bound;
        for (unsigned j = 0; j < t->components; j++) {
            unsigned char *const value = a->values + place(&values, i, j);

            put(t->value_type, value, data_random(t->seed + 3 + j, i));
            if (there && key < t->bound)
                add(sums.type, a->expected + place(&sums, key, j), values.type,
                    value);
        }
    }
}

void accumulated_open(const struct accumulate *t, const struct backend *backend,
                      struct accumulated *a) {
    const size_t key_bytes =
        accumulated_keys_gap(t) + t->n * element_size(t->key_type);
    const struct arrays values = values_of(t), sums = sums_of(t);
    const size_t value_bytes = all_bytes(&values);
    const size_t out_bytes = all_bytes(&sums);

    *a = (struct accumulated){.keys = must_alloc(key_bytes),
                              .values = must_alloc(value_bytes),
                              .out = must_alloc(out_bytes),
                              .expected = must_alloc(out_bytes),
                              .d_keys = backend_alloc(backend, key_bytes),
                              .d_values = backend_alloc(backend, value_bytes),
                              .d_out = backend_alloc(backend, out_bytes),
                              .d_beyond = backend_alloc(backend, 8),
                              .d_n = backend_alloc(backend, 8)};
    memset(a->keys, 0x5a, key_bytes);
    memset(a->values, 0x5a, value_bytes);
    memset(a->out, 0xa5, out_bytes);
    for (uint64_t key = 0; key < t->bound; key++)
        for (unsigned j = 0; j < t->components; j++)
            put(sums.type, a->out + place(&sums, key, j),
                data_random(t->seed + 99, key * 16 + j));
    memcpy(a->expected, a->out, out_bytes);
    accumulated_expect(t, a);
    backend_upload(backend, a->d_keys, a->keys, key_bytes);
    backend_upload(backend, a->d_values, a->values, value_bytes);
    backend_upload(backend, a->d_out, a->out, out_bytes);
    backend_upload(backend, a->d_n, &t->items, sizeof(t->items));
}

void accumulated_close(const struct backend *backend, struct accumulated *a) {
    backend_free(backend, a->d_keys);
    backend_free(backend, a->d_values);
    backend_free(backend, a->d_out);
    backend_free(backend, a->d_beyond);
    backend_free(backend, a->d_n);
    free(a->keys);
    free(a->values);
    free(a->out);
    free(a->expected);
}

/* d_values, d_out: NULL for a plan. */
static winnow_status enqueue(const struct accumulate *t,
                             const struct backend *backend,
                             const struct accumulated *a,
                             const winnow_launch *launch) {
    const struct arrays from = values_of(t), to = sums_of(t);
    const bool there = launch->plan == NULL;
    const winnow_in keys = {
        .type = t->key_type,
        .d_base = there ? a->d_keys + accumulated_keys_gap(t) : NULL};
    winnow_in values[16];
    winnow_out sums[16];

    for (unsigned j = 0; j < t->components; j++) {
        values[j] = (winnow_in){
            .type = from.type,
            .d_base = there ? a->d_values + place(&from, 0, j) : NULL,
            .stride_bytes = stride_bytes(&from)};
        sums[j] =
            (winnow_out){.type = to.type,
                         .d_base = there ? a->d_out + place(&to, 0, j) : NULL,
                         .stride_bytes = stride_bytes(&to)};
    }
    if (t->call != NULL)
        return t->call(t, backend, a, &keys, values, sums, launch);
    return winnow_accumulate_by_key(
        backend->context, &keys, values, t->components, t->n, t->bound, sums,
        t->beyond && there ? a->d_beyond : NULL, launch);
}

winnow_status accumulated_enqueue(const struct accumulate *t,
                                  const struct backend *backend,
                                  const struct accumulated *a, void *workspace,
                                  size_t bytes) {
    return enqueue(t, backend, a,
                   WINNOW_LAUNCH(.stream = backend->stream,
                                 .d_n = t->counted ? a->d_n : NULL,
                                 .d_workspace = workspace,
                                 .workspace_bytes = bytes));
}

winnow_status accumulated_plan(const struct accumulate *t,
                               const struct backend *backend, size_t *bytes_p) {
    winnow_plan plan = {.size = sizeof(plan)};
    const winnow_status status =
        enqueue(t, backend, NULL, WINNOW_LAUNCH(.plan = &plan));

    *bytes_p = plan.workspace_bytes;
    return status;
}

bool accumulated_check(const struct accumulate *t,
                       const struct backend *backend,
                       const struct accumulated *a, struct report *report) {
    const size_t bytes = accumulated_bytes(t);
    uint64_t beyond = 0;

    backend_download(backend, a->out, a->d_out, bytes);
    for (size_t i = 0; i < bytes; i++)
        if (a->out[i] != a->expected[i])
            return report_fail(report, "byte %zu of %zu is %02x, not %02x", i,
                               bytes, a->out[i], a->expected[i]);
    backend_download(backend, &beyond, a->d_beyond, sizeof(beyond));
    if (t->beyond && beyond != a->beyond)
        return report_fail(report, "%llu beyond the bound, not %llu",
                           (unsigned long long)beyond,
                           (unsigned long long)a->beyond);
    return true;
}

bool accumulated_run(const struct accumulate *t, const struct backend *backend,
                     struct report *report) {
    struct report what = {{0}};
    struct accumulated a;
    size_t bytes = 0;
    bool ok = true;

    accumulated_open(t, backend, &a);
    if (accumulated_plan(t, backend, &bytes) != WINNOW_OK)
        ok = report_fail(&what, "plan: %s", winnow_last_error());
    void *workspace =
        ok && bytes && t->seed % 2 == 0 ? backend_alloc(backend, bytes) : NULL;
    if (ok && accumulated_enqueue(t, backend, &a, workspace,
                                  workspace ? bytes : 0) != WINNOW_OK)
        ok = report_fail(&what, "%s", winnow_last_error());
    const char *error = ok ? backend_wait(backend) : NULL;
    if (error != NULL)
        ok = report_fail(&what, "%s", error);
    if (ok)
        ok = accumulated_check(t, backend, &a, &what);
    if (workspace)
        backend_free(backend, workspace);
    accumulated_close(backend, &a);
    return ok ||
           report_fail(
               report,
               "%s: keys %d of %s below %llu, n %llu of %llu, %u of %s "
               "into %s, way %d, layouts %d %d, seed %llu: %s",
               backend->name, (int)t->keys, winnow_type_name(t->key_type),
               (unsigned long long)t->bound,
               (unsigned long long)(t->counted ? t->items : t->n),
               (unsigned long long)t->n, t->components,
               winnow_type_name(t->value_type), winnow_type_name(sum_type(t)),
               t->way, (int)t->values_layout, (int)t->sums_layout,
               (unsigned long long)t->seed, what.text);
}

/* ------------------------------------------------------------------- grids */

bool accumulated_types(const struct backend *backend, accumulated_trial *run,
                       struct report *report) {
    const uint64_t n = reduced_mode() ? 3000 : 300001;

    for (size_t i = 0; i < VALUE_TYPES * 2 * 4; i++) {
        struct accumulate t = ACCUMULATE_INIT;

        t.n = n;
        t.value_type = accumulated_value_types[i % VALUE_TYPES];
        t.key_type = i / VALUE_TYPES % 2 ? WINNOW_UINT64 : WINNOW_UINT32;
        t.components = i / VALUE_TYPES < 2 ? 1 : 2 + (unsigned)(i % 8);
        t.values_layout = (enum layout)(i / VALUE_TYPES / 2 % 2);
        t.sums_layout = (enum layout)(i % 2);
        t.keys = KEYS_SKEWED;
        t.bound = 200 + i * 1000;
        if (!run(&t, backend, report))
            return false;
    }
    return true;
}

bool accumulated_keys(const struct backend *backend, accumulated_trial *run,
                      struct report *report) {
    /* Slots for each key, too few of them, and far too few. */
    static const uint64_t bounds[] = {1, 7, 1024, 5000, 60000};
    const uint64_t n = reduced_mode() ? 4500 : 1000003;

    for (int kind = 0; kind < KEYS_KINDS; kind++)
        for (size_t b = 0; b < sizeof(bounds) / sizeof(bounds[0]); b++) {
            struct accumulate t = ACCUMULATE_INIT;

            t.n = n;
            t.keys = (enum keys)kind;
            t.bound = bounds[b];
            t.beyond = (kind + b) % 2 == 0;
            t.value_type = b % 2 ? WINNOW_FLOAT32 : WINNOW_FLOAT64;
            t.components = kind % 3 == 0 ? 9 : 1;
            if (!run(&t, backend, report))
                return false;
        }
    return true;
}

bool accumulated_components(const struct backend *backend,
                            accumulated_trial *run, struct report *report) {
    const uint64_t n = reduced_mode() ? 1500 : 100000;

    for (unsigned components = 1; components <= 16; components++)
        for (int layout = 0; layout < 4; layout++) {
            struct accumulate t = ACCUMULATE_INIT;

            t.n = n;
            t.components = components;
            t.bound = components % 2 ? 300 : 30000;
            t.values_layout = (enum layout)(layout % 2);
            t.sums_layout = (enum layout)(layout / 2);
            t.seed = components;
            if ((!reduced_mode() || layout == (int)components % 4) &&
                !run(&t, backend, report))
                return false;
        }
    return true;
}

/* Keys in runs, of arrays that are aligned; so many that blocks of a GPU look
 * at samples and leave runs to a kernel of their own. */
bool accumulated_neighbours(const struct backend *backend,
                            accumulated_trial *run, struct report *report) {
    static const uint64_t bounds[] = {300, 30000, 1000000};
    static const enum keys kinds[] = {KEYS_SORTED, KEYS_SHORT, KEYS_TURNS,
                                      KEYS_RUNS};
    const uint64_t n = reduced_mode() ? 9000 : backend->gpu ? 5000000 : 300000;

    for (unsigned i = 0; i < 12; i++) {
        struct accumulate t = ACCUMULATE_INIT;

        t.n = n + i;
        t.keys = kinds[i % 4];
        t.bound = bounds[i % 3];
        t.value_type = accumulated_value_types[i % VALUE_TYPES];
        t.key_type = i % 5 < 2 ? WINNOW_UINT64 : WINNOW_UINT32;
        t.components = 1 + i / 4 % 2;
        t.aligned_keys = t.aligned_values = true;
        t.beyond = i % 3 == 0;
        if (!run(&t, backend, report))
            return false;
    }
    return true;
}

/* From so few keys that each warp has a copy of all sums in shared memory, by
 * a copy that several warps share, to none. */
bool accumulated_bounds(const struct backend *backend, accumulated_trial *run,
                        struct report *report) {
    static const uint64_t bounds[] = {20, 400, 900, 1300, 2500, 5000};

    for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++) {
        struct accumulate t = ACCUMULATE_INIT;

        t.n = reduced_mode() ? 6000 : 100000;
        t.components = i % 2 == 0 ? 9 : 10;
        t.value_type = i % 3 == 0 ? WINNOW_FLOAT64 : WINNOW_FLOAT32;
        t.bound = bounds[i];
        t.seed = 90 + i;
        t.beyond = true;
        t.values_layout = i < 3 ? COLUMNS : INTERLEAVED;
        if (!run(&t, backend, report))
            return false;
    }
    return true;
}

bool accumulated_sizes(const struct backend *backend, accumulated_trial *run,
                       struct report *report) {
    static const uint64_t sizes[] = {0,    1,    31,    32,     33,
                                     511,  2047, 2048,  2049,   4096,
                                     8191, 8193, 70001, 2500001};
    const size_t number = reduced_mode() ? 12 : 14;

    for (size_t i = 0; i < number; i++)
        for (int none = 0; none <= 1; none++) { /* with a bound of 0 */
            struct accumulate t = ACCUMULATE_INIT;

            t.n = sizes[i];
            t.bound = none ? 0 : 77;
            t.value_type = WINNOW_FLOAT32;
            t.components = 1 + (unsigned)i % 3;
            if (!run(&t, backend, report))
                return false;
        }
    return true;
}

bool accumulated_items(const struct backend *backend, accumulated_trial *run,
                       struct report *report) {
    const uint64_t n = reduced_mode() ? 30001 : 1000003;
    const uint64_t items[] = {0, 1, n / 50, n / 3, n - 1, n, n + 1, UINT64_MAX};
    static const uint64_t bounds[] = {50, 3000, 60000};

    for (unsigned i = 0; i < 24; i++) {
        struct accumulate t = ACCUMULATE_INIT;

        t.n = n;
        t.counted = true;
        t.items = items[i % 8];
        t.keys = (enum keys)(i % KEYS_KINDS);
        t.bound = bounds[i / 8];
        t.components = 1 + i % 3;
        t.value_type = accumulated_value_types[i % VALUE_TYPES];
        t.key_type = i % 2 ? WINNOW_UINT64 : WINNOW_UINT32;
        t.aligned_keys = t.aligned_values = i % 4 < 2;
        if (!run(&t, backend, report))
            return false;
    }
    return true;
}

bool accumulated_wide(const struct backend *backend, accumulated_trial *run,
                      struct report *report) {
    static const winnow_type types[] = {WINNOW_INT32, WINNOW_UINT32,
                                        WINNOW_FLOAT32};
    static const uint64_t bounds[] = {60, 3000, 60000};
    const uint64_t n = reduced_mode() ? 6001 : 300007;

    for (unsigned i = 0; i < 3 * 3 * 4; i++) {
        struct accumulate t = ACCUMULATE_INIT;

        t.wide_sums = true;
        t.value_type = types[i % 3];
        t.bound = bounds[i / 3 % 3];
        t.n = n + i % 2 * 24000;
        t.keys = (enum keys)(i % KEYS_KINDS);
        t.components = i % 4 == 0 ? 1 : 1 + i % 5;
        t.values_layout = (enum layout)(i % 7 % LAYOUTS);
        t.sums_layout = (enum layout)(i % 5 % LAYOUTS);
        t.key_type = i % 8 < 4 ? WINNOW_UINT64 : WINNOW_UINT32;
        t.aligned_keys = t.aligned_values = i % 2;
        t.beyond = i % 3 != 0;
        if (!run(&t, backend, report))
            return false;
    }
    return true;
}
