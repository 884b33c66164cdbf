/*
 * winnow_condition_in: sets of values of every size and kind, against a search in
 * a sorted array.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "element.h"
#include "reduced.h"
#include "suite.h"
#include "table.h"

/* ------------------------------------------------------------------ values */

enum kind {
    WIDE,     /* any bits */
    NARROW,   /* an eighth of an interval, on both sides of 0 */
    INTERVAL, /* all of it */
    HIGH,     /* in the upper half of the bits */
    FOLDED,   /* two equal halves */
    STEPS,    /* far apart, with equal distances */
    SPECIAL,  /* the type's special values */
    TWICE,    /* any bits, and again in another order */
    KINDS
};

struct values {
    winnow_type type;
    uint64_t count;
    unsigned char *elements;
    uint64_t *sorted; /* bits that can be equal to an element; of zeros 0 */
    uint64_t sortable;
};

static bool is_nan(winnow_type type, uint64_t bits) {
    return element_is_float(type) &&
           (bits & ~element_top_bit(type)) > element_infinity(type);
}

/* Equal values have the same. */
static uint64_t normal(winnow_type type, uint64_t bits) {
    return element_is_float(type) && (bits & ~element_top_bit(type)) == 0
               ? 0
               : bits;
}

static int compare(const void *a, const void *b) {
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

    return left < right ? -1 : left > right;
}

/* By their bits from the lowest on: of the largest set qsort() takes seconds. */
static void sort(uint64_t *values, uint64_t count) {
    uint64_t *const other = must_alloc((count + 1) * sizeof(uint64_t));

    for (unsigned shift = 0; shift < 64; shift += 8) {
        uint64_t *const from = shift / 8 % 2 ? other : values;
        uint64_t *const to = shift / 8 % 2 ? values : other;
        uint64_t place[257] = {0};

        for (uint64_t i = 0; i < count; i++)
            place[(from[i] >> shift & 255) + 1]++;
        for (unsigned digit = 0; digit < 256; digit++)
            place[digit + 1] += place[digit];
        for (uint64_t i = 0; i < count; i++)
            to[place[from[i] >> shift & 255]++] = from[i];
    }
    free(other);
}

static uint64_t draw_value(winnow_type type, enum kind kind, uint64_t count,
                           uint64_t i, uint64_t seed) {
    const unsigned width = 8 * (unsigned)element_size(type);
    const uint64_t any = data_random(seed, i);
    uint64_t specials[ELEMENT_SPECIALS];

    switch (kind) {
    case NARROW:
        return any % (8 * count) - 4 * count;
    case INTERVAL:
        return i * 2654435761u % count - count / 2;
    case HIGH:
        return any << width / 2;
    case FOLDED:
        return (any & (UINT64_MAX >> (64 - width / 2))) *
               ((UINT64_C(1) << width / 2) + 1);
    case STEPS:
        return i * (UINT64_C(0x10003) << (width / 4));
    case SPECIAL:
        return specials[any % element_specials(type, specials)];
    case TWICE:
        return data_random(seed, i % (count / 2 + 1));
    default:
        return any;
    }
}

static void values_open(struct values *values, winnow_type type, enum kind kind,
                        uint64_t count, uint64_t seed) {
    const size_t size = element_size(type);

    values->type = type;
    values->count = count;
    values->elements = must_alloc(count * size + 1);
    values->sorted = must_alloc((count + 1) * sizeof(uint64_t));
    values->sortable = 0;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t bits =
            draw_value(type, kind, count, i, seed) & element_all_bits(type);

        element_store(type, values->elements + i * size, bits);
        if (!is_nan(type, bits))
            values->sorted[values->sortable++] = normal(type, bits);
    }
    sort(values->sorted, values->sortable);
}

static void values_close(struct values *values) {
    free(values->elements);
    free(values->sorted);
}

static bool values_have(const struct values *values, uint64_t bits) {
    const uint64_t wanted = normal(values->type, bits);

    return !is_nan(values->type, bits) && values->sortable != 0 &&
           bsearch(&wanted, values->sorted, values->sortable, sizeof(wanted),
                   compare) != NULL;
}

/* Half of the elements are values; others are beside one, or any. */
static uint64_t draw_element(const struct values *values, uint64_t i,
                             uint64_t seed) {
    const uint64_t any = data_random(seed, 2 * i);
    const uint64_t choice = data_random(seed, 2 * i + 1);
    uint64_t specials[ELEMENT_SPECIALS];
    uint64_t bits = any;

    if (values->sortable != 0 && choice % 8 < 6) {
        bits = values->sorted[any % values->sortable];
        if (choice % 8 == 4)
            bits += choice >> 8 & 1 ? 1 : UINT64_MAX;
        if (choice % 8 == 5)
            bits ^= UINT64_C(1) << (choice >> 8) % 64;
    } else if (choice % 8 == 6) {
        bits = specials[any % element_specials(values->type, specials)];
    }
    return bits & element_all_bits(values->type);
}

/* ------------------------------------------------------------------ columns */

/* Elements in memory of the backend, and which of them are in the set. */
struct column {
    const struct backend *backend;
    winnow_in in;
    void *d_memory;
    uint8_t *keep;
    uint64_t n;
};

static void column_open(struct column *column, const struct backend *backend,
                        const struct values *values, uint64_t n, size_t stride,
                        size_t front, uint64_t seed) {
    const size_t bytes = front + n * stride + element_size(values->type);
    unsigned char *const memory = must_alloc(bytes);

    memset(memory, 0x5a, bytes);
    column->backend = backend;
    column->n = n;
    column->keep = must_alloc(n + 1);
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t bits = draw_element(values, i, seed);

        element_store(values->type, memory + front + i * stride, bits);
        column->keep[i] = values_have(values, bits);
    }
    column->d_memory = backend_alloc(backend, bytes);
    backend_upload(backend, column->d_memory, memory, bytes);
    free(memory);
    column->in = (winnow_in){.type = values->type,
                             .d_base = (char *)column->d_memory + front,
                             .stride_bytes = (int64_t)stride};
}

static void column_close(struct column *column) {
    backend_free(column->backend, column->d_memory);
    free(column->keep);
}

/* Does the condition keep what `keep` says, of columns of n items? */
static bool selects(const struct backend *backend,
                    const winnow_condition *condition, const winnow_in *columns,
                    unsigned number, uint64_t n, const uint8_t *keep,
                    struct report *report) {
    winnow_launch launch = {.size = sizeof(launch), .stream = backend->stream};
    struct selected selected;

    selected_open(&selected, backend, n);
    selected_prepare(&selected, n);
    if (winnow_select_where(backend->context, condition, columns, number, n,
                            selected.d_selection, selected.bytes,
                            &launch) != WINNOW_OK)
        return report_fail(report, "%s", winnow_last_error());
    const bool ok = selected_check(&selected, keep, report);

    selected_close(&selected);
    return ok;
}

/* In, and not in. */
static bool check_column(const struct column *column,
                         const winnow_condition *condition,
                         struct report *report) {
    const struct backend *const backend = column->backend;
    winnow_condition *inverse;
    uint8_t *const others = must_alloc(column->n + 1);
    bool ok = selects(backend, condition, &column->in, 1, column->n,
                      column->keep, report);

    for (uint64_t i = 0; i < column->n; i++)
        others[i] = !column->keep[i];
    cr_assert_eq(winnow_condition_not(&inverse, condition), WINNOW_OK);
    ok = ok &&
         selects(backend, inverse, &column->in, 1, column->n, others, report);
    winnow_condition_destroy(inverse);
    free(others);
    return ok;
}

static winnow_condition *make(const struct backend *backend,
                              const struct values *values) {
    winnow_condition *condition;

    cr_assert_eq(winnow_condition_in(&condition, backend->context, 0,
                                     values->type, values->elements,
                                     values->count),
                 WINNOW_OK, "%s", winnow_last_error());
    return condition;
}

static void check(const struct backend *backend, winnow_type type,
                  enum kind kind, uint64_t count, uint64_t n, size_t gap,
                  size_t front) {
    const uint64_t seed = 100 * count + kind;
    struct values values;
    struct column column;

    values_open(&values, type, kind, count, seed);
    winnow_condition *const condition = make(backend, &values);
    column_open(&column, backend, &values, n, element_size(type) + gap, front,
                seed + 1);
    struct report report = {{0}};
    const bool ok = check_column(&column, condition, &report);
    cr_assert(ok, "%s, kind %d, %d values, stride %d more, from %d: %s",
              winnow_type_name(type), (int)kind, (int)count, (int)gap,
              (int)front, report.text);
    column_close(&column);
    winnow_condition_destroy(condition);
    values_close(&values);
}

/* ------------------------------------------------------------------- tests */

/* The CPU device takes its time. */
#ifdef WINNOW_SIMT
#define STEP 3
#else
#define STEP 1
#endif

static void every_kind(const struct backend *backend, uint64_t n) {
    static const uint64_t counts[] = {0, 1, 2, 3, 7, 8, 9, 33, 64, 65, 1000};

    FOR_EACH_TYPE(type)
    for (int kind = WIDE; kind < KINDS; kind++)
        for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i += STEP)
            if (counts[i] != 0 || kind == WIDE)
                check(backend, type, (enum kind)kind, counts[i], n, 0, 0);
}

BACKEND_TEST(sets, LONG(kinds)) {
#ifdef WINNOW_SIMT
    every_kind(backend, 200);
#else
    every_kind(backend, reduced_mode() ? 300 : 1500);
#endif
}

/* Elements apart from each other, and none aligned. */
BACKEND_TEST(sets, LONG(layouts)) {
    static const uint64_t counts[] = {5, 50, 500};

    FOR_EACH_TYPE(type)
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        const size_t size = element_size(type);

        check(backend, type, WIDE, counts[i], 5001, 0, size);
        check(backend, type, WIDE, counts[i], 5001, 0, 1);
        check(backend, type, WIDE, counts[i], 5001, 2 * size, size);
        check(backend, type, NARROW, counts[i], 5001, 3, 5);
    }
}

/* Every length of a last word. */
BACKEND_TEST(sets, LONG(sizes)) {
    for (uint64_t n = 1; n <= 100; n += STEP) {
        check(backend, WINNOW_UINT8, WIDE, 20, n, 0, 0);
        check(backend, WINNOW_INT16, WIDE, 20, n, 0, 0);
        check(backend, WINNOW_INT32, WIDE, 6, n, 0, 0);
        check(backend, WINNOW_INT64, NARROW, 70, n, 0, 0);
        check(backend, WINNOW_FLOAT32, WIDE, 300, n, 0, 0);
    }
}

BACKEND_TEST(sets, large) {
    static const winnow_type types[] = {WINNOW_INT32, WINNOW_INT64,
                                        WINNOW_FLOAT32, WINNOW_FLOAT64};
#ifdef WINNOW_SIMT
    const uint64_t count = 50000;
#else
    const uint64_t count = reduced_mode() ? 20000 : 1000000;
#endif

    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        check(backend, types[i], WIDE, count, 20000, 0, 0);
        check(backend, types[i], NARROW, count, 20000, 0, 0);
        check(backend, types[i], HIGH, count, 20000, 0, 0);
        check(backend, types[i], STEPS, count, 20000, 0, 0);
    }
}

#ifndef WINNOW_SIMT
/* As many as there may be, and one more. */
BACKEND_TEST(sets, largest) {
    const uint64_t count = WINNOW_CONDITION_MOST_VALUES;
    winnow_condition *condition;

    if (!reduced_mode()) {
        check(backend, WINNOW_INT32, WIDE, count, 20000, 0, 0);
        check(backend, WINNOW_INT64, TWICE, count, 20000, 0, 0);
    }
    cr_assert_eq(winnow_condition_in(&condition, backend->context, 0,
                                     WINNOW_INT32, &count, count + 1),
                 WINNOW_ERR_UNSUPPORTED);
}
#endif

/* Values that stand in the memory of the context. */
BACKEND_TEST(sets, memory) {
    const size_t bytes = 1000 * sizeof(uint64_t);
    struct values values;
    struct column column;
    winnow_condition *condition;

    values_open(&values, WINNOW_INT64, WIDE, 1000, 5);
    void *const d_values = backend_alloc(backend, bytes);
    backend_upload(backend, d_values, values.elements, bytes);
    cr_assert_eq(winnow_condition_in(&condition, backend->context, 0,
                                     WINNOW_INT64, d_values, 1000),
                 WINNOW_OK, "%s", winnow_last_error());
    backend_free(backend, d_values);
    column_open(&column, backend, &values, 3000, 8, 0, 6);
    MUST(check_column(&column, condition, report));
    column_close(&column);
    winnow_condition_destroy(condition);
    values_close(&values);
}

/* Of integers, the bits under a mask: as a text has them. */
BACKEND_TEST(sets, masks) {
    enum {
        N = 3000,
        MOST = 700
    };
    static const struct {
        winnow_type type;
        uint64_t mask;
    } cases[] = {{WINNOW_UINT8, 12},
                 {WINNOW_UINT16, 0xfe1c},
                 {WINNOW_INT32, 0x7ff0fff3},
                 {WINNOW_UINT64, UINT64_C(0xfff0fffffffff0ff)}};
    static const unsigned counts[] = {2, 9, 70, MOST};
    static char text[40 * MOST];
    static uint64_t values[MOST];
    unsigned char *const elements = must_alloc(N * sizeof(uint64_t));
    uint8_t *const keep = must_alloc(N);
    void *const d_elements = backend_alloc(backend, N * sizeof(uint64_t));

    for (unsigned i = 0; i < 4 * sizeof(cases) / sizeof(cases[0]); i++) {
        const winnow_type type = cases[i / 4].type;
        const uint64_t mask = cases[i / 4].mask;
        const unsigned count = counts[i % 4];
        const winnow_field field = {.name = "k", .type = type};
        const winnow_in column = {.type = type, .d_base = d_elements};
        winnow_condition *condition;
        int at = sprintf(text, "(k & %llu) in (", (unsigned long long)mask);

        for (unsigned v = 0; v < count; v++) {
            values[v] = data_random(i, v) & mask;
            at += sprintf(text + at, v == 0 ? "%llu" : ", %llu",
                          (unsigned long long)values[v]);
        }
        strcpy(text + at, ")");
        for (uint64_t k = 0; k < N; k++) {
            const uint64_t any = data_random(i + 50, k);
            const uint64_t x =
                k % 2 == 0 ? any : values[any % count] | (any >> 9 & ~mask);

            element_store(type, elements + k * element_size(type), x);
            keep[k] = false;
            for (unsigned v = 0; v < count; v++)
                keep[k] |= (x & mask) == values[v];
        }
        backend_upload(backend, d_elements, elements, N * sizeof(uint64_t));
        cr_assert_eq(winnow_condition_parse(&condition, &field, 1, text),
                     WINNOW_OK, "%s", winnow_last_error());
        MUST(selects(backend, condition, &column, 1, N, keep, report));
        winnow_condition_destroy(condition);
    }
    backend_free(backend, d_elements);
    free(keep);
    free(elements);
}

/* Sets and comparisons under and, or, not, over three columns; the parts of a
 * condition are gone before it is used. */
BACKEND_TEST(sets, trees) {
    enum {
        COLUMNS = 3,
        LEAVES = 7,
        N = 6000
    };
    static const winnow_type types[COLUMNS] = {WINNOW_INT32, WINNOW_UINT8,
                                               WINNOW_FLOAT64};
    static const uint64_t counts[] = {6, 40, 3000};

    for (uint64_t seed = 0; seed < (reduced_mode() ? 4 : 40); seed++) {
        struct column columns[COLUMNS];
        struct values values[COLUMNS];
        winnow_in in[COLUMNS];
        winnow_condition *trees[LEAVES];
        uint8_t *keep[LEAVES];
        uint64_t draws = seed;
        unsigned number = LEAVES;

        for (unsigned c = 0; c < COLUMNS; c++) {
            values_open(&values[c], types[c], seed % 2 ? WIDE : NARROW,
                        counts[draw_next(&draws, 3)], seed + c);
            column_open(&columns[c], backend, &values[c], N,
                        element_size(types[c]) + (seed % 3 == 0 ? c : 0), 0,
                        seed);
            in[c] = columns[c].in;
        }
        for (unsigned i = 0; i < LEAVES; i++) {
            const unsigned c = (unsigned)draw_next(&draws, COLUMNS);

            keep[i] = must_alloc(N);
            memcpy(keep[i], columns[c].keep, N);
            cr_assert_eq(winnow_condition_in(&trees[i], NULL, c, types[c],
                                             values[c].elements,
                                             values[c].count),
                         WINNOW_OK);
        }
        while (number > 1) {
            const unsigned at = (unsigned)draw_next(&draws, number - 1);
            const unsigned how = (unsigned)draw_next(&draws, 4);
            winnow_condition *const a = trees[at], *const b = trees[at + 1];
            winnow_condition *inverse;

            cr_assert_eq(winnow_condition_not(&inverse, b), WINNOW_OK);
            cr_assert_eq((how & 1 ? winnow_condition_and : winnow_condition_or)(
                             &trees[at], a, how & 2 ? inverse : b),
                         WINNOW_OK);
            for (unsigned i = 0; i < N; i++) {
                const bool other = keep[at + 1][i] != (how >> 1);

                keep[at][i] =
                    how & 1 ? keep[at][i] && other : keep[at][i] || other;
            }
            winnow_condition_destroy(a);
            winnow_condition_destroy(b);
            winnow_condition_destroy(inverse);
            free(keep[at + 1]);
            number--;
            for (unsigned i = at + 1; i < number; i++) {
                trees[i] = trees[i + 1];
                keep[i] = keep[i + 1];
            }
        }
        MUST(selects(backend, trees[0], in, COLUMNS, N, keep[0], report));
        winnow_condition_destroy(trees[0]);
        free(keep[0]);
        for (unsigned c = 0; c < COLUMNS; c++) {
            column_close(&columns[c]);
            values_close(&values[c]);
        }
    }
}

/* ------------------------------------------------------- of the host alone */

#ifndef WINNOW_SIMT
Test(sets, instructions) {
    for (int i = 0; i < BACKEND_ISAS; i++) {
        struct backend backend;

        if (!backend_open_isa(&backend, backend_isas[i]))
            continue;
        every_kind(&backend, 700);
        check(&backend, WINNOW_INT32, WIDE, 100000, 20000, 0, 0);
        check(&backend, WINNOW_INT64, WIDE, 100000, 20000, 0, 0);
        backend_close(&backend);
    }
}

/* Threads use a condition, and make and destroy others that share its set. */
#define THREADS 6

struct sharer {
    pthread_t thread;
    struct backend backend;
    const struct values *values;
    const winnow_condition *condition;
    bool ok;
    struct report report;
};

static void *share(void *argument) {
    struct sharer *const sharer = argument;
    struct column column;

    column_open(&column, &sharer->backend, sharer->values, 4000, 4, 0, 9);
    sharer->ok = true;
    for (int i = 0; i < 20 && sharer->ok; i++) {
        winnow_condition *both;

        sharer->ok = winnow_condition_and(&both, sharer->condition,
                                          sharer->condition) == WINNOW_OK &&
                     check_column(&column, both, &sharer->report);
        winnow_condition_destroy(both);
    }
    column_close(&column);
    return NULL;
}

Test(sets, threads) {
    struct sharer sharers[THREADS] = {{0}};
    struct values values;

    values_open(&values, WINNOW_INT32, WIDE, 500, 8);
    for (int i = 0; i < THREADS; i++) {
        backend_open_host(&sharers[i].backend);
        sharers[i].values = &values;
    }
    winnow_condition *const condition = make(&sharers[0].backend, &values);
    for (int i = 0; i < THREADS; i++) {
        sharers[i].condition = condition;
        cr_assert_eq(
            pthread_create(&sharers[i].thread, NULL, share, &sharers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(sharers[i].thread, NULL);
    winnow_condition_destroy(condition);
    for (int i = 0; i < THREADS; i++) {
        cr_assert(sharers[i].ok, "%s", sharers[i].report.text);
        backend_close(&sharers[i].backend);
    }
    values_close(&values);
}

Test(sets, refused) {
    const int32_t value = 3;
    winnow_condition *condition = NULL;

    cr_assert_eq(winnow_condition_in(NULL, NULL, 0, WINNOW_INT32, &value, 1),
                 WINNOW_ERR_ARGUMENT);
    cr_assert_eq(
        winnow_condition_in(&condition, NULL, 0, WINNOW_INT32, NULL, 1),
        WINNOW_ERR_ARGUMENT);
    cr_assert_eq(
        winnow_condition_in(&condition, NULL, 0, (winnow_type)99, &value, 1),
        WINNOW_ERR_ARGUMENT);
    cr_assert_eq(
        winnow_condition_in(&condition, NULL, 0, WINNOW_OPAQUE, &value, 1),
        WINNOW_ERR_ARGUMENT);
    cr_assert_eq(
        winnow_condition_in(&condition, NULL, 65536, WINNOW_INT32, &value, 1),
        WINNOW_ERR_UNSUPPORTED);
    cr_assert_null(condition);
    cr_assert_eq(
        winnow_condition_in(&condition, NULL, 65535, WINNOW_INT32, NULL, 0),
        WINNOW_OK);
    winnow_condition_destroy(condition);
}
#endif
