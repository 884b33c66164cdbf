/*
 * winnow_select_unique: keys of every size, as columns and as fields of
 * records, at every alignment; by bits and by value; with fewer items on the
 * device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "element.h"
#include "reduced.h"
#include "selected.h"
#include "suite.h"

/* Around words, vectors, tiles, and the tiles of a block. */
static const uint64_t edges[] = {
    0,    1,    2,    15,   16,   17,   31,   32,   33,    127,   128,   129,
    1000, 4079, 4095, 4096, 4097, 8191, 8192, 8193, 12289, 32767, 32769, 70001};
#define EDGES (sizeof(edges) / sizeof(edges[0]))

#define ALL UINT64_MAX /* d_n is NULL */

struct keys {
    const struct backend *backend;
    struct selected selected;
    uint8_t *keep, *starts;
    unsigned char *bytes; /* what is uploaded */
    uint64_t *d_n;
};

struct shape {
    uint64_t n;
    uint64_t there; /* items; ALL */
    size_t key_bytes, stride;
    size_t offset;    /* of the first key, in bytes off 16 */
    winnow_type type; /* or WINNOW_OPAQUE */
    winnow_unique_options options;
    const char *pattern; /* where runs begin */
};

static void keys_open(struct keys *keys, const struct backend *backend,
                      uint64_t most, uint64_t most_bytes) {
    *keys = (struct keys){.backend = backend};
    selected_open(&keys->selected, backend, most);
    keys->keep = must_alloc(most);
    keys->starts = must_alloc(most);
    keys->bytes = must_alloc(most_bytes);
    keys->d_n = backend_alloc(backend, sizeof(*keys->d_n));
}

static void keys_close(struct keys *keys) {
    selected_close(&keys->selected);
    free(keys->keep);
    free(keys->starts);
    free(keys->bytes);
    backend_free(keys->backend, keys->d_n);
}

static uint64_t items_there(const struct shape *shape) {
    return shape->there < shape->n ? shape->there : shape->n;
}

/* Bytes from the first key's first byte to the last one's last. */
static size_t bytes_of(const struct shape *shape, uint64_t items) {
    return items == 0 ? 0 : (items - 1) * shape->stride + shape->key_bytes;
}

static unsigned char *key_at(const struct keys *keys, const struct shape *shape,
                             uint64_t i) {
    return keys->bytes + shape->offset + i * shape->stride;
}

/* Neighbours that differ do so in one bit; between keys there is noise. */
static void fill(struct keys *keys, const struct shape *shape, uint64_t seed) {
    selected_fill(pattern_named(shape->pattern), seed, shape->n, keys->starts);
    for (size_t i = 0; i < shape->offset + bytes_of(shape, shape->n); i++)
        keys->bytes[i] = (unsigned char)data_random(seed, i);
    for (uint64_t i = 1; i < shape->n; i++) {
        unsigned char *const key = key_at(keys, shape, i);
        const uint64_t bit = data_random(seed + 1, i) % (8 * shape->key_bytes);

        memcpy(key, key_at(keys, shape, i - 1), shape->key_bytes);
        if (keys->starts[i])
            key[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
}

/* ------------------------------------------------------------- the oracle */

static bool equal_values(const struct shape *shape, const unsigned char *a,
                         const unsigned char *b) {
    const uint64_t x = element_load(shape->type, a);
    const uint64_t y = element_load(shape->type, b);
    double u, v;

    if (!element_is_float(shape->type))
        return x == y;
    u = element_to_double(shape->type, x);
    v = element_to_double(shape->type, y);
    if (isnan(u) && isnan(v))
        return shape->options.equality == WINNOW_EQUAL_NAN;
    return u == v;
}

static bool equal(const struct keys *keys, const struct shape *shape,
                  uint64_t i, uint64_t j) {
    const unsigned char *const a = key_at(keys, shape, i);
    const unsigned char *const b = key_at(keys, shape, j);

    if (shape->options.equality == WINNOW_EQUAL_BITS)
        return memcmp(a, b, shape->key_bytes) == 0;
    return equal_values(shape, a, b);
}

static void find(struct keys *keys, const struct shape *shape) {
    const uint64_t there = items_there(shape);

    memset(keys->keep, 0, shape->n);
    for (uint64_t i = 0; i < there; i++)
        if (shape->options.keep == WINNOW_UNIQUE_FIRST)
            keys->keep[i] = i == 0 || !equal(keys, shape, i - 1, i);
        else
            keys->keep[i] = i + 1 == there || !equal(keys, shape, i, i + 1);
}

static void check(struct keys *keys, const struct shape *shape) {
    const struct backend *const backend = keys->backend;
    const size_t bytes = shape->offset + bytes_of(shape, shape->n);
    unsigned char *const d_bytes = backend_alloc(backend, bytes);
    const winnow_in described = {
        .type = shape->type,
        .element_bytes =
            shape->type == WINNOW_OPAQUE ? (uint32_t)shape->key_bytes : 0,
        .d_base = d_bytes + shape->offset,
        .stride_bytes = (int64_t)shape->stride};
    struct report report = {{0}};

    backend_upload(backend, d_bytes, keys->bytes, bytes);
    backend_upload(backend, keys->d_n, &shape->there, sizeof(shape->there));
    selected_prepare(&keys->selected, shape->n);
    find(keys, shape);
    cr_assert_eq(
        winnow_select_unique(
            backend->context, &described, shape->n, &shape->options,
            keys->selected.d_selection, keys->selected.bytes,
            WINNOW_LAUNCH(.stream = backend->stream,
                          .d_n = shape->there == ALL ? NULL : keys->d_n)),
        WINNOW_OK, "%s", winnow_last_error());
    cr_assert(selected_check(&keys->selected, keys->keep, &report),
              "%s -- %llu of n %llu, keys of %zu + %zu, %zu apart, keep %d, "
              "equality %d, %s, runs %s",
              report.text, (unsigned long long)items_there(shape),
              (unsigned long long)shape->n, shape->key_bytes, shape->offset,
              shape->stride, (int)shape->options.keep,
              (int)shape->options.equality, winnow_type_name(shape->type),
              shape->pattern);
    backend_free(backend, d_bytes);
}

static struct shape shape_of(uint64_t n, size_t key_bytes, size_t stride,
                             size_t offset, winnow_unique_keep keep) {
    struct shape shape = {.n = n,
                          .there = ALL,
                          .key_bytes = key_bytes,
                          .stride = stride,
                          .offset = offset,
                          .options = {.size = sizeof(winnow_unique_options)},
                          .pattern = "uniform:0.5"};

    shape.options.keep = keep;
    return shape;
}

static const winnow_unique_keep ends[] = {WINNOW_UNIQUE_FIRST,
                                          WINNOW_UNIQUE_LAST};

/* ------------------------------------------------------------------ tests */

/* Columns: every edge, every density of runs, at changing alignments. */
BACKEND_TEST(select_unique, SLOW(columns)) {
    static const size_t sizes[] = {1, 2, 4, 8, 16};
    const size_t number = reduced_mode() ? EDGES - 3 : EDGES;
    const uint64_t most = edges[number - 1];
    struct keys keys;

    keys_open(&keys, backend, most, most * 16 + 16);
    for (size_t s = 0; s < 5; s++)
        for (size_t i = 0; i < number; i++) {
            const size_t size = sizes[s];
            const size_t random = data_random(110 + s, i) % 16;
            struct shape shape = shape_of(edges[i], size, size,
                                          random / size * size, ends[i % 2]);

            shape.pattern = patterns[(i + s) % PATTERNS].name;
            fill(&keys, &shape, 120 + i);
            check(&keys, &shape);
            shape.options.keep = ends[(i + 1) % 2];
            check(&keys, &shape);
        }
    keys_close(&keys);
}

/* All equal, all different; one run at either end; borders at tiles. */
BACKEND_TEST(select_unique, runs) {
    static const char *const runs[] = {"none",      "all",    "uniform:0.01",
                                       "runs:1024", "prefix", "alternate"};
    static const size_t sizes[] = {1, 4, 12};
    struct keys keys;

    keys_open(&keys, backend, 12289, 12289 * 12);
    for (size_t s = 0; s < 3; s++)
        for (size_t r = 0; r < 6; r++)
            for (size_t e = 0; e < 2; e++) {
                struct shape shape =
                    shape_of(12289, sizes[s], sizes[s], 0, ends[e]);

                shape.pattern = runs[r];
                fill(&keys, &shape, 130 + r);
                check(&keys, &shape);
            }
    keys_close(&keys);
}

/* A single border at a place, such as between two tiles. */
BACKEND_TEST(select_unique, borders) {
    static const uint64_t places[] = {1,    31,   32,   33,   4095, 4096,
                                      4097, 8191, 8192, 8193, 9000};
    static const size_t sizes[] = {1, 2, 4, 8, 6, 16};
    struct keys keys;

    keys_open(&keys, backend, 9001, 9001 * 16);
    for (size_t p = 0; p < sizeof(places) / sizeof(places[0]); p++)
        for (size_t e = 0; e < 2; e++) {
            const size_t size = sizes[(2 * p + e) % 6];
            const struct shape shape = shape_of(9001, size, size, 0, ends[e]);

            memset(keys.bytes, 7, places[p] * size);
            memset(keys.bytes + places[p] * size, 8,
                   (shape.n - places[p]) * size);
            check(&keys, &shape);
        }
    keys_close(&keys);
}

/* Small keys at every alignment of a vector. */
BACKEND_TEST(select_unique, alignments) {
    static const uint64_t sizes[] = {3, 30, 4090, 4097, 8200};
    struct keys keys;

    keys_open(&keys, backend, 8200, 8200 * 2 + 16);
    for (size_t offset = 0; offset < 16; offset++)
        for (size_t i = 0; i < 5; i++) {
            const size_t size = 1 + (offset + i) % 2;
            const struct shape shape =
                shape_of(sizes[i], size, size, offset / size * size,
                         ends[(offset + i) / 2 % 2]);

            fill(&keys, &shape, 140 + offset);
            check(&keys, &shape);
        }
    keys_close(&keys);
}

/* Keys of every size, as columns and in records, aligned to anything. */
BACKEND_TEST(select_unique, records) {
    static const size_t gaps[] = {0, 1, 2, 4, 8, 16, 24, 100};
    const uint64_t n = reduced_mode() ? 4200 : 9001;
    struct keys keys;

    keys_open(&keys, backend, n, n * 116 + 16);
    for (size_t size = 1; size <= 16; size++)
        for (size_t g = 0; g < 8; g++) {
            const size_t random = data_random(150, size * 8 + g) % 16;
            const size_t stride = size + gaps[g];
            /* As aligned as the rest is, or less. */
            const size_t alignment =
                (size | stride | 16) & -(size | stride | 16);
            struct shape shape =
                shape_of(n, size, stride,
                         g % 2 ? random : random / alignment * alignment,
                         ends[(size + g) % 2]);

            if (reduced_mode() && (size + g) % 3 != 0)
                continue;
            fill(&keys, &shape, 151 + size);
            check(&keys, &shape);
        }
    keys_close(&keys);
}

/* Columns of 2, 4 and 8 bytes that are not aligned to that. */
BACKEND_TEST(select_unique, unaligned) {
    struct keys keys;

    keys_open(&keys, backend, 5000, 5000 * 8 + 16);
    for (size_t size = 2; size <= 8; size *= 2)
        for (size_t offset = 1; offset < size; offset++) {
            const struct shape shape =
                shape_of(5000, size, size, offset, ends[offset % 2]);

            fill(&keys, &shape, 160);
            check(&keys, &shape);
        }
    keys_close(&keys);
}

/* Runs of special values: zeros, NaN, infinities, and random bits. */
static void fill_values(struct keys *keys, const struct shape *shape,
                        uint64_t seed) {
    const winnow_type type = shape->type;
    uint64_t specials[ELEMENT_SPECIALS];
    const size_t number = element_specials(type, specials);
    uint64_t bits = 0;

    for (uint64_t i = 0; i < shape->n; i++) {
        const uint64_t random = data_random(seed, i);

        if (random % 3 != 0) {
            bits = random % 7 == 0 ? data_random(seed + 1, i)
                                   : specials[random / 21 % number];
            /* Neighbours of either sign are frequent. */
            if (random / 1024 % 2)
                bits ^= element_top_bit(type);
            bits &= element_all_bits(type);
        }
        element_store(type, key_at(keys, shape, i), bits);
    }
}

BACKEND_TEST(select_unique, LONG(values)) {
    static const winnow_equality equalities[] = {
        WINNOW_EQUAL_BITS, WINNOW_EQUAL_VALUES, WINNOW_EQUAL_NAN};
    struct keys keys;

    keys_open(&keys, backend, 9001, 9001 * 12 + 16);
    FOR_EACH_TYPE(type)
    for (size_t q = 0; q < 3; q++)
        for (size_t e = 0; e < 4; e++) {
            const size_t size = element_size(type);
            struct shape shape = shape_of(9001, size, e < 2 ? size : size + 4,
                                          e < 2 ? 0 : 1, ends[e % 2]);

            shape.type = type;
            shape.options.equality = equalities[q];
            fill_values(&keys, &shape, 170 + q);
            check(&keys, &shape);
        }
    keys_close(&keys);
}

/* -0 after +0, NaN after NaN, in the least of inputs. */
BACKEND_TEST(select_unique, zeros_and_nan) {
    static const float values[] = {0.0f, -0.0f, NAN, NAN, 1.0f};
    static const uint8_t wanted[3][5] = {
        {1, 1, 1, 0, 1}, {1, 0, 1, 1, 1}, {1, 0, 1, 0, 1}};
    struct keys keys;

    keys_open(&keys, backend, 5, 64);
    memcpy(keys.bytes, values, sizeof(values));
    for (size_t q = 0; q < 3; q++) {
        struct shape shape = shape_of(5, 4, 4, 0, WINNOW_UNIQUE_FIRST);

        shape.type = WINNOW_FLOAT32;
        shape.options.equality = (winnow_equality)q;
        check(&keys, &shape);
        cr_assert_eq(memcmp(keys.keep, wanted[q], 5), 0);
    }
    keys_close(&keys);
}

/* Items on the device: none, some, up to a tile's border, all, and more. */
BACKEND_TEST(select_unique, some_items) {
    static const uint64_t there[] = {
        0,    1,    31,   32,   33,   4095,          4096,
        4097, 8192, 9000, 9001, 9002, UINT64_MAX - 1};
    static const size_t sizes[] = {1, 2, 4, 8, 16, 6};
    struct keys keys;

    keys_open(&keys, backend, 9001, 9001 * 16 + 16);
    for (size_t i = 0; i < sizeof(there) / sizeof(there[0]); i++)
        for (size_t s = i % 2; s < 6; s += reduced_mode() ? 2 : 1)
            for (size_t e = 0; e < 2; e++) {
                struct shape shape =
                    shape_of(9001, sizes[s], sizes[s], 0, ends[e]);

                shape.there = there[i];
                fill(&keys, &shape, 180 + i);
                check(&keys, &shape);
            }
    keys_close(&keys);
}

/* ---------------------------------------------------------------- bad input */

#define N 100
#define ENOUGH 1024

#define WRONG(call, text)                                                      \
    do {                                                                       \
        cr_assert_eq((call), WINNOW_ERR_ARGUMENT);                             \
        cr_assert_str_eq(winnow_last_error(), text);                           \
    } while (0)

struct wrong {
    winnow_context *context;
    winnow_in keys;
    winnow_unique_options options;
    void *selection;
};

static winnow_status ask(const struct wrong *wrong, uint64_t n) {
    return winnow_select_unique(wrong->context, &wrong->keys, n,
                                &wrong->options, wrong->selection, ENOUGH,
                                NULL);
}

static struct wrong right(winnow_context *context) {
    static _Alignas(16) unsigned char selection[ENOUGH];
    static const uint32_t keys[N] = {1, 1, 2};

    return (struct wrong){.context = context,
                          .keys = {.element_bytes = 4, .d_base = keys},
                          .options = {.size = sizeof(winnow_unique_options)},
                          .selection = selection};
}

Test(select_unique, wrong_keys) {
    winnow_context *context;
    struct wrong w;

    cr_assert_eq(winnow_context_create(&context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
    w = right(context);
    WRONG(
        winnow_select_unique(context, NULL, N, NULL, w.selection, ENOUGH, NULL),
        "keys is NULL");
    w.keys.element_bytes = 0;
    WRONG(ask(&w, N), "keys has no type, and element_bytes is 0");
    w.keys.element_bytes = 17;
    WRONG(ask(&w, N), "keys->element_bytes is 17: wanted 1 to 16");
    w.keys.type = WINNOW_UINT64;
    WRONG(ask(&w, N), "keys->element_bytes is 17: wanted 0, or 8, the size of "
                      "its type, uint64");
    w.keys.type = (winnow_type)99;
    WRONG(ask(&w, N), "keys->type 99 is no winnow_type");
    w = right(context);
    w.keys.stride_bytes = 3;
    WRONG(ask(&w, N), "keys->stride_bytes is 3: a key has 4 bytes");
    w.keys.stride_bytes = -4;
    cr_assert_eq(ask(&w, N), WINNOW_ERR_UNSUPPORTED);
    cr_assert_str_eq(winnow_last_error(),
                     "keys->stride_bytes is -4: keys of a negative stride are "
                     "not offered");
    w.keys.stride_bytes = INT64_MAX;
    WRONG(ask(&w, N),
          "keys: n is 100: elements 9223372036854775807 bytes apart run past "
          "the end of the address space");
    w = right(context);
    w.keys.d_base = NULL;
    WRONG(ask(&w, N), "keys->d_base is NULL");
    w.keys.d_base = w.selection;
    WRONG(ask(&w, N), "keys->d_base and d_selection overlap");
    w = right(context);
    w.context = NULL;
    WRONG(ask(&w, N), "context is NULL");
    w = right(context);
    w.selection = NULL;
    WRONG(ask(&w, N), "d_selection is NULL");
    w = right(context);
    WRONG(
        winnow_select_unique(context, &w.keys, N, NULL, w.selection, 543, NULL),
        "the selection has 543 bytes: 544 are needed");
    WRONG(winnow_select_unique(context, &w.keys, N, NULL, w.selection, ENOUGH,
                               WINNOW_LAUNCH(.d_n = (uint64_t *)w.selection)),
          "d_selection and launch->d_n overlap");
    w.keys.element_bytes = 1; /* that many are in the address space */
    cr_assert_eq(ask(&w, (UINT64_C(1) << 42) + 1), WINNOW_ERR_UNSUPPORTED);
    for (size_t i = 0; i < ENOUGH; i++)
        cr_assert_eq(((unsigned char *)w.selection)[i], 0);
    winnow_context_destroy(context);
}

Test(select_unique, wrong_options) {
    winnow_context *context;
    struct wrong w;

    cr_assert_eq(winnow_context_create(&context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
    w = right(context);
    w.options.size = 0;
    WRONG(ask(&w, N),
          "options->size is 0: wanted sizeof(winnow_unique_options), which is "
          "32");
    w = right(context);
    w.options.keep = (winnow_unique_keep)2;
    WRONG(ask(&w, N), "options->keep 2 is no winnow_unique_keep");
    w = right(context);
    w.options.reserved[1] = 1;
    WRONG(ask(&w, N), "options->reserved is not 0");
    w = right(context);
    w.options.equality = (winnow_equality)3;
    WRONG(ask(&w, N), "options->equality 3 is no winnow_equality");
    w.options.equality = (winnow_equality)-1;
    WRONG(ask(&w, N), "options->equality -1 is no winnow_equality");
    w.options.equality = WINNOW_EQUAL_VALUES;
    WRONG(ask(&w, N),
          "options->equality is of values, and keys->type is WINNOW_OPAQUE: "
          "wanted the type of the keys, or WINNOW_EQUAL_BITS");
    w.keys.type = WINNOW_FLOAT64;
    WRONG(ask(&w, N), "keys->element_bytes is 4: wanted 0, or 8, the size of "
                      "its type, float64");
    for (size_t i = 0; i < ENOUGH; i++)
        cr_assert_eq(((unsigned char *)w.selection)[i], 0);
    winnow_context_destroy(context);
}

/* A longer struct, of a later version, is taken where what is new is 0. */
Test(select_unique, later_options) {
    struct {
        winnow_unique_options options;
        uint64_t later;
    } longer = {{.size = sizeof(longer)}, 1};
    winnow_context *context;
    struct wrong w;

    cr_assert_eq(winnow_context_create(&context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
    w = right(context);
    cr_assert_eq(winnow_select_unique(context, &w.keys, N, &longer.options,
                                      w.selection, ENOUGH, NULL),
                 WINNOW_ERR_ARGUMENT);
    longer.later = 0;
    cr_assert_eq(winnow_select_unique(context, &w.keys, N, &longer.options,
                                      w.selection, ENOUGH, NULL),
                 WINNOW_OK);
    winnow_context_destroy(context);
}
