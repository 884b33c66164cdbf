/*
 * Record batches of Arrow's interface: random ones of every type are filtered,
 * and each row of the output is compared, as text, with the row of the input
 * that it has to be.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrow_batch.h"
#include "reduced.h"
#include "suite.h"

/* By arrow_asked. */
static const char *const texts[] = {"k < 50", "c is null", "not (c) is null"};

/* What every array of an output has, at all levels. */
static void check_array(const struct ArrowArray *array, bool host) {
    cr_assert_not_null(array->release);
    cr_assert_eq(array->offset, 0);
    cr_assert_geq(array->null_count, host ? 0 : -1);
    for (int64_t i = 0; i < array->n_buffers; i++)
        cr_assert_eq((uintptr_t)array->buffers[i] % 8, 0);
    for (int64_t i = 0; i < array->n_children; i++)
        check_array(array->children[i], host);
    if (array->dictionary != NULL)
        check_array(array->dictionary, host);
}

static void check_nulls(const struct ArrowArray *array) {
    int64_t nulls = 0;
    const unsigned char *const valid =
        array->n_buffers > 0 ? array->buffers[0] : NULL;
    for (int64_t i = 0; valid != NULL && i < array->length; i++)
        nulls += (valid[i / 8] >> i % 8 & 1) == 0;
    if (array->n_buffers > 0 && array->null_count >= 0)
        cr_assert_eq(nulls, array->null_count);
    for (int64_t i = 0; i < array->n_children; i++)
        check_nulls(array->children[i]);
}

static void run_batch(const struct backend *backend,
                      struct arrow_batch *batch) {
    winnow_condition *const condition =
        arrow_condition(batch->schema, texts[batch->asked]);
    struct ArrowDeviceArray out;
    struct ArrowArray down;
    const winnow_status status = winnow_filter_arrow(
        backend->context, condition, batch->schema, &batch->in, &out,
        WINNOW_LAUNCH(.stream = backend->stream));
    cr_assert(status == WINNOW_OK, "%s", winnow_last_error());
    winnow_condition_destroy(condition);
    check_array(&out.array, !backend->gpu);
    if (backend->gpu) {
        cr_assert_eq(out.device_type, ARROW_DEVICE_CUDA);
        cr_assert_eq(out.device_id, 0);
        cr_assert_not_null(out.sync_event);
        cr_assert(!backend_wait(backend));
        arrow_download(backend, batch->schema, &out.array, &down);
        arrow_batch_compare(batch, &down);
        check_nulls(&down);
        down.release(&down);
    } else {
        cr_assert_eq(out.device_type, ARROW_DEVICE_CPU);
        cr_assert_eq(out.device_id, -1);
        cr_assert_null(out.sync_event);
        arrow_batch_compare(batch, &out.array);
        check_nulls(&out.array);
    }
    out.array.release(&out.array);
    cr_assert_null(out.array.release);
}

/* ------------------------------------------------------------------ all types */

enum {
    COLUMNS = 70
};

/* Columns of every type. */
static unsigned all_columns(struct ArrowSchema *columns[COLUMNS]) {
    static const char *const formats[] = {
        "n",       "b",     "c",        "C",         "s",          "S",
        "i",       "I",     "l",        "L",         "e",          "f",
        "g",       "vu",    "vz",       "w:1",       "w:7",        "w:0",
        "tdD",     "tdm",   "tts",      "ttm",       "ttu",        "ttn",
        "tDs",     "tDn",   "tiM",      "tiD",       "tin",        "tss:",
        "tsn:UTC", "d:5,2", "d:9,3,32", "d:9,-3,64", "d:30,0,256", "w:4096",
        "u",       "z",     "U",        "Z"};
    unsigned number = 0;
    for (; number < sizeof formats / sizeof formats[0]; number++)
        columns[number] = arrow_schema(formats[number], "c", 0);
    columns[number++] = arrow_schema(
        "+s", "c", 3, arrow_schema("b", "x", 0), arrow_schema("g", "y", 0),
        arrow_schema("+s", "z", 1, arrow_schema("vu", "w", 0)));
    columns[number++] = arrow_schema("+s", "c", 0);
    columns[number++] =
        arrow_encoded(arrow_schema("c", "c", 0), arrow_schema("vu", NULL, 0));
    columns[number++] =
        arrow_encoded(arrow_schema("L", "c", 0),
                      arrow_schema("+s", NULL, 1, arrow_schema("i", "x", 0)));
    columns[number++] = arrow_encoded(
        arrow_schema("S", "c", 0), arrow_encoded(arrow_schema("i", NULL, 0),
                                                 arrow_schema("tdD", NULL, 0)));
    columns[number++] = arrow_schema("+w:3", "c", 1, arrow_schema("i", "x", 0));
    columns[number++] =
        arrow_schema("+w:2", "c", 1,
                     arrow_schema("+w:4", "x", 1, arrow_schema("s", "y", 0)));
    return number;
}

/* Lists whose elements are packed by a selection of their own. */
static unsigned list_columns(struct ArrowSchema *columns[COLUMNS]) {
    unsigned number = 0;
    columns[number++] = arrow_schema("+l", "c", 1, arrow_schema("i", "x", 0));
    columns[number++] = arrow_schema("+L", "c", 1, arrow_schema("vu", "x", 0));
    columns[number++] = arrow_schema(
        "+l", "c", 1, arrow_schema("+L", "x", 1, arrow_schema("b", "y", 0)));
    columns[number++] = arrow_schema(
        "+m", "c", 1,
        arrow_schema(
            "+s", "entries", 2, arrow_schema("C", "key", 0),
            arrow_schema("+w:2", "value", 1, arrow_schema("b", "z", 0))));
    columns[number++] = arrow_schema("+w:0", "c", 1, arrow_schema("i", "x", 0));
    columns[number++] =
        arrow_schema("+w:1100", "c", 1, arrow_schema("i", "x", 0));
    columns[number++] = arrow_schema(
        "+w:3", "c", 1,
        arrow_encoded(arrow_schema("i", "x", 0),
                      arrow_schema("+l", NULL, 1, arrow_schema("g", "y", 0))));
    return number;
}

static void run_types(const struct backend *backend, uint64_t n,
                      const struct arrow_shape *shape) {
    struct ArrowSchema *columns[COLUMNS];
    unsigned number = all_columns(columns);
    if (!backend->gpu || !reduced_mode() || n == 9)
        number += list_columns(columns + number);
    for (unsigned i = 0; i < number; i++) {
        struct arrow_batch batch;
        arrow_batch_open(backend, &batch, arrow_batch_of(columns[i]), n, shape);
        run_batch(backend, &batch);
        arrow_batch_close(backend, &batch);
    }
    cr_assert_eq(arrow_unreleased(), 0);
}

static void run_sizes(const struct backend *backend,
                      const struct arrow_shape *shape) {
    static const uint64_t sizes[] = {0, 1, 9, 64, 333, 5000};
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (!backend->gpu || sizes[i] < 100)
            run_types(backend, sizes[i], shape);
}

BACKEND_TEST(arrow, types) {
    run_sizes(backend, &(struct arrow_shape){.seed = 11});
}

BACKEND_TEST(arrow, LONG(types_with_nulls)) {
    run_sizes(backend, &(struct arrow_shape){.nulls = true, .seed = 12});
}

BACKEND_TEST(arrow, LONG(slices)) {
    run_sizes(backend, &(struct arrow_shape){.sliced = true, .seed = 13});
}

BACKEND_TEST(arrow, LONG(slices_with_nulls)) {
    run_sizes(backend,
              &(struct arrow_shape){.nulls = true, .sliced = true, .seed = 14});
}

/* Whether elements of any type are null, and those of dictionaries' entries. */
BACKEND_TEST(arrow, is_null) {
    static const struct arrow_shape shapes[] = {
        {.seed = 15}, {.nulls = true, .sliced = true, .seed = 16}};
    for (unsigned s = 0; s < 4; s++) {
        struct ArrowSchema *columns[COLUMNS];
        unsigned number = all_columns(columns);
        if (!backend->gpu)
            number += list_columns(columns + number);
        for (unsigned i = 0; i < number; i++) {
            const struct ArrowSchema *const entries = columns[i]->dictionary;
            struct arrow_batch batch;
            if ((entries != NULL && entries->dictionary != NULL) ||
                (backend->gpu && strncmp(columns[i]->format, "+w", 2) == 0) ||
                (backend->gpu && entries == NULL && i % 4 != s)) {
                arrow_schema_free(columns[i]);
                continue;
            }
            arrow_batch_open(backend, &batch, arrow_batch_of(columns[i]),
                             s == 0 ? 1 : 90, &shapes[s / 2]);
            batch.asked = s % 2 == 0 ? ARROW_C_IS_NULL : ARROW_C_IS_NOT_NULL;
            run_batch(backend, &batch);
            arrow_batch_close(backend, &batch);
        }
    }
    cr_assert_eq(arrow_unreleased(), 0);
}

BACKEND_TEST(arrow, dictionary_of_a_dictionary) {
    struct arrow_batch batch;
    struct ArrowDeviceArray out;
    winnow_condition *condition;
    arrow_batch_open(backend, &batch,
                     arrow_batch_of(arrow_encoded(
                         arrow_schema("S", "c", 0),
                         arrow_encoded(arrow_schema("i", NULL, 0),
                                       arrow_schema("tdD", NULL, 0)))),
                     9, &(struct arrow_shape){.seed = 17});
    cr_assert_eq(winnow_condition_is_null(&condition, 1), WINNOW_OK);
    cr_assert_eq(winnow_filter_arrow(backend->context, condition, batch.schema,
                                     &batch.in, &out,
                                     WINNOW_LAUNCH(.stream = backend->stream)),
                 WINNOW_ERR_UNSUPPORTED);
    cr_assert_str_eq(winnow_last_error(),
                     "column 'c': no condition takes a dictionary of a "
                     "dictionary");
    winnow_condition_destroy(condition);
    arrow_batch_close(backend, &batch);
}

/* ---------------------------------------------------------------- whole tables */

/* More columns than one call packs, in batches that are sliced themselves. */
BACKEND_TEST(arrow, wide) {
    enum {
        WIDE = 150
    };
    struct ArrowSchema *const schema =
        arrow_batch_of(arrow_schema("b", "c", 0));
    struct ArrowSchema *const wide = arrow_schema("+s", "", 0);
    free(wide->children);
    wide->children = must_alloc(WIDE * sizeof *wide->children);
    wide->n_children = WIDE;
    for (int i = 0; i < WIDE; i++)
        wide->children[i] = i < 2
                                ? schema->children[i]
                                : arrow_schema(i % 3 == 0 ? "b" : "g", "d", 0);
    schema->n_children = 0;
    arrow_schema_free(schema);
    struct arrow_batch batch;
    arrow_batch_open(
        backend, &batch, wide, 77,
        &(struct arrow_shape){.nulls = true, .sliced = true, .seed = 15});
    cr_assert(batch.host.offset > 0);
    run_batch(backend, &batch);
    arrow_batch_close(backend, &batch);
    cr_assert_eq(arrow_unreleased(), 0);
}

/* Children may be moved out, and are released apart. */
BACKEND_TEST(arrow, moved_children) {
    struct arrow_batch batch;
    struct ArrowDeviceArray out;
    struct ArrowArray k, deep;
    arrow_batch_open(
        backend, &batch,
        arrow_batch_of(arrow_schema("+s", "c", 1, arrow_schema("i", "x", 0))),
        300, &(struct arrow_shape){.nulls = true, .seed = 16});
    winnow_condition *const condition = arrow_condition(batch.schema, "k < 50");
    cr_assert_eq(winnow_filter_arrow(backend->context, condition, batch.schema,
                                     &batch.in, &out,
                                     WINNOW_LAUNCH(.stream = backend->stream)),
                 WINNOW_OK);
    const int64_t rows = out.array.length;
    k = *out.array.children[0];
    out.array.children[0]->release = NULL;
    deep = *out.array.children[1]->children[0];
    out.array.children[1]->children[0]->release = NULL;
    out.array.release(&out.array);
    int32_t first, last[1];
    backend_download(backend, &first, k.buffers[1], sizeof first);
    backend_download(backend, last, (const int32_t *)deep.buffers[1] + rows - 1,
                     sizeof last);
    cr_assert(first >= 0 && first < 50 && last[0] >= 0 && last[0] < 100);
    deep.release(&deep);
    k.release(&k);
    cr_assert_null(k.release);
    winnow_condition_destroy(condition);
    arrow_batch_close(backend, &batch);
    cr_assert_eq(arrow_unreleased(), 0);
}

/* A batch may outlive the context that made it. */
BACKEND_TEST(arrow, outlives_its_context) {
    struct arrow_batch batch;
    struct ArrowDeviceArray out;
    winnow_context *context;
    cr_assert_eq(
        winnow_context_create(&context, backend->gpu ? 0 : WINNOW_DEVICE_HOST),
        WINNOW_OK);
    arrow_batch_open(backend, &batch, arrow_batch_of(arrow_schema("g", "c", 0)),
                     50, &(struct arrow_shape){.seed = 17});
    winnow_condition *const condition = arrow_condition(batch.schema, "k < 50");
    cr_assert_eq(winnow_filter_arrow(context, condition, batch.schema,
                                     &batch.in, &out,
                                     WINNOW_LAUNCH(.stream = backend->stream)),
                 WINNOW_OK);
    cr_assert(!backend_wait(backend));
    winnow_context_destroy(context);
    out.array.release(&out.array);
    winnow_condition_destroy(condition);
    arrow_batch_close(backend, &batch);
}

/* Rows without columns; a struct's offset counts for its children. */
BACKEND_TEST(arrow, no_columns) {
    struct ArrowSchema *const schema = arrow_schema("+s", "", 0);
    struct arrow_batch batch;
    struct ArrowDeviceArray out;
    arrow_batch_open(backend, &batch, arrow_batch_of(arrow_schema("n", "c", 0)),
                     7, &(struct arrow_shape){.seed = 18});
    batch.in.array.n_children = 0;
    for (int keep = 0; keep < 2; keep++) {
        winnow_condition *const condition =
            arrow_condition(schema, keep ? "true" : "false");
        cr_assert(winnow_filter_arrow(
                      backend->context, condition, schema, &batch.in, &out,
                      WINNOW_LAUNCH(.stream = backend->stream)) == WINNOW_OK,
                  "%s", winnow_last_error());
        cr_assert_eq(out.array.length, keep ? 7 : 0);
        cr_assert_eq(out.array.n_children, 0);
        out.array.release(&out.array);
        winnow_condition_destroy(condition);
    }
    batch.in.array.n_children = 2;
    arrow_batch_close(backend, &batch);
    arrow_schema_free(schema);
}

/* Every test of a column of nulls is unknown; it may have a validity buffer. */
static const char *const tests_of_nulls[] = {
    "c = 1",
    "c <> 'a'",
    "c = date '2024-01-31'",
    "c = true",
    "c < k",
    "1 < c < 3",
    "k < c <= 3",
    "c in (1, 2)",
    "c not in ('a', 'b')",
    "c between 'a' and 'b'",
    "c between k and 3",
    "c like 'a%'",
    "c not like 'a%' escape '!'",
    "starts_with(c, 'a')",
    "isnan(c)",
    "not isfinite(c)",
    "(c & 1) = 1",
    "(1 & c) = 0",
    "c + 1 > 0",
    "-c < 0",
    "length(c) = 0",
    "year(c) = 2024",
    "c::int32 = 1",
    "min(c, k) = 1",
    "c",
    "!c",
};

static uint64_t kept_of(const struct backend *backend,
                        const struct arrow_batch *batch, const char *text) {
    struct ArrowDeviceArray out;
    winnow_condition *const condition = arrow_condition(batch->schema, text);
    cr_assert(winnow_filter_arrow(
                  backend->context, condition, batch->schema, &batch->in, &out,
                  WINNOW_LAUNCH(.stream = backend->stream)) == WINNOW_OK,
              "%s: %s", text, winnow_last_error());
    const uint64_t kept = (uint64_t)out.array.length;
    out.array.release(&out.array);
    winnow_condition_destroy(condition);
    return kept;
}

BACKEND_TEST(arrow, tests_of_nulls) {
    const void *validity = NULL;
    struct arrow_batch batch;
    char text[200];
    arrow_batch_open(backend, &batch, arrow_batch_of(arrow_schema("n", "c", 0)),
                     200, &(struct arrow_shape){.seed = 21});
    struct ArrowArray *const column = batch.in.array.children[1];
    const struct ArrowArray before = *column;
    column->n_buffers = 1;
    column->buffers = &validity;
    const uint64_t some = kept_of(backend, &batch, "k < 50");
    cr_assert(some > 0 && some < 200);
    for (unsigned i = 0; i < sizeof tests_of_nulls / sizeof(char *); i++)
        for (int way = 0; way < 3; way++) {
            static const char *const formats[] = {"(%s) is null and k < 50",
                                                  "(%s) or k < 50",
                                                  "not (%s) or k < 50"};
            snprintf(text, sizeof text, formats[way], tests_of_nulls[i]);
            cr_expect_eq(kept_of(backend, &batch, text), some, "%s", text);
        }
    cr_expect_eq(kept_of(backend, &batch, "c is null and k < 50"), some);
    cr_expect_eq(kept_of(backend, &batch, "c is not null"), 0);
    *column = before;
    arrow_batch_close(backend, &batch);
}

/* A column of bits is a condition, from its offset on. */
BACKEND_TEST(arrow, bits) {
    for (uint64_t n = 1; n < 400; n += 131) {
        struct arrow_batch batch;
        struct ArrowDeviceArray out;
        arrow_batch_open(backend, &batch,
                         arrow_batch_of(arrow_schema("b", "c", 0)), n,
                         &(struct arrow_shape){.sliced = true, .seed = n});
        winnow_condition *const condition =
            arrow_condition(batch.schema, "c and k < 50");
        cr_assert(winnow_filter_arrow(
                      backend->context, condition, batch.schema, &batch.in,
                      &out,
                      WINNOW_LAUNCH(.stream = backend->stream)) == WINNOW_OK,
                  "%s", winnow_last_error());
        int64_t wanted = 0;
        const struct ArrowArray *const c = batch.host.children[1];
        for (int64_t i = 0; i < batch.host.length; i++) {
            const int64_t at = batch.host.offset + c->offset + i;
            wanted +=
                arrow_batch_keeps(&batch, i) &&
                (((const unsigned char *)c->buffers[1])[at / 8] >> at % 8 & 1);
        }
        cr_assert_eq(out.array.length, wanted);
        out.array.release(&out.array);
        winnow_condition_destroy(condition);
        arrow_batch_close(backend, &batch);
    }
}

/* Is the string of a row valid, and does it come before 'n' or 'N'? */
static bool is_before_n(const struct ArrowSchema *schema,
                        const struct ArrowArray *array, int64_t i) {
    struct arrow_text text = {0};
    arrow_write(&text, schema, array, i);
    /* Behind a quote the string; the quote behind an empty one is less. */
    const bool found = text.bytes[0] == '\'' && (text.bytes[1] | 32) < 'n';
    free(text.bytes);
    return found;
}

static void filter_strings(const struct backend *backend,
                           struct ArrowSchema *column, const char *text,
                           const struct arrow_shape *shape) {
    struct arrow_batch batch;
    struct ArrowDeviceArray out;
    arrow_batch_open(backend, &batch, arrow_batch_of(column), 300, shape);
    winnow_condition *const condition = arrow_condition(batch.schema, text);
    const winnow_status status = winnow_filter_arrow(
        backend->context, condition, batch.schema, &batch.in, &out,
        WINNOW_LAUNCH(.stream = backend->stream));
    winnow_condition_destroy(condition);
    cr_assert(status == WINNOW_OK, "%s", winnow_last_error());
    int64_t wanted = 0;
    for (int64_t i = 0; i < batch.host.length; i++)
        wanted +=
            arrow_batch_keeps(&batch, i) &&
            is_before_n(column, batch.host.children[1], batch.host.offset + i);
    cr_assert(wanted > 0);
    cr_assert_eq(out.array.length, wanted, "%s: %lld rows, not %lld",
                 column->format, (long long)out.array.length,
                 (long long)wanted);
    out.array.release(&out.array);
    arrow_batch_close(backend, &batch);
}

/* Strings behind offsets, and views, in a condition, and dictionaries of them.
 * What random arrays have behind offsets are small letters. */
BACKEND_TEST(arrow, strings_in_conditions) {
    static const char *const formats[] = {"vu", "vz", "u", "z", "U", "Z"};
    for (unsigned i = 0; i < 2 * sizeof formats / sizeof formats[0]; i++) {
        const char *const format = formats[i / 2];
        for (int turned = 0; turned < 2; turned++) {
            struct ArrowSchema *const values =
                arrow_schema(format, i % 2 ? NULL : "c", 0);
            filter_strings(
                backend,
                i % 2 ? arrow_encoded(arrow_schema("s", "c", 0), values)
                      : values,
                turned ? "not (c >= 'N' and c < 'a' or c >= 'n') and "
                         "not c is null and k < 50"
                       : "(c < 'N' or c >= 'a' and c < 'n') and k < 50",
                &(struct arrow_shape){
                    .nulls = i / 2 % 2 == 0, .sliced = true, .seed = 21 + i});
        }
    }
    cr_assert_eq(arrow_unreleased(), 0);
}

/* ------------------------------------------------------------------ refusals */

static void refused(const struct ArrowSchema *schema, const char *text,
                    winnow_status wanted, const char *detail) {
    winnow_condition *condition = NULL;
    cr_assert_eq(winnow_condition_parse_arrow(&condition, schema, text), wanted,
                 "%s", text);
    cr_assert_null(condition);
    cr_assert(strstr(winnow_last_error(), detail) != NULL, "'%s' has no '%s'",
              winnow_last_error(), detail);
}

Test(arrow, texts) {
    struct ArrowSchema *const schema = arrow_schema(
        "+s", NULL, 8, arrow_schema("i", "k", 0), arrow_schema("i", "twice", 0),
        arrow_schema("u", "twice", 0), arrow_schema("i", NULL, 0),
        arrow_schema("i", "", 0),
        arrow_schema("+s", "pair", 1, arrow_schema("i", "x", 0)),
        arrow_schema("?", "other", 0),
        arrow_encoded(arrow_schema("S", "twofold", 0),
                      arrow_encoded(arrow_schema("i", NULL, 0),
                                    arrow_schema("u", "", 0))));
    winnow_condition_destroy(arrow_condition(schema, "k < 50"));
    winnow_condition_destroy(arrow_condition(schema, "pair is not null"));
    winnow_condition_destroy(
        arrow_condition(schema, "k < 50 and (other) is null"));
    refused(schema, "twofold is null", WINNOW_ERR_UNSUPPORTED,
            "column 'twofold' is a dictionary of a dictionary");
    refused(schema, "twice is null", WINNOW_ERR_UNSUPPORTED,
            "line 1, column 1: column 'twice' is there more than once");
    refused(schema, "k < 50 and twice = 1", WINNOW_ERR_UNSUPPORTED,
            "line 1, column 12: column 'twice' is there more than once");
    refused(schema, "pair = 1", WINNOW_ERR_UNSUPPORTED,
            "column 'pair' is nested");
    refused(schema, "\"other\" = 1", WINNOW_ERR_UNSUPPORTED, "is not known");
    refused(schema, "x = 1", WINNOW_ERR_SYNTAX, "'x', which is no column");
    refused(schema, "k <", WINNOW_ERR_SYNTAX, "line 1, column 4");
    refused(schema, NULL, WINNOW_ERR_ARGUMENT, "text is NULL");
    refused(NULL, "k", WINNOW_ERR_ARGUMENT, "schema is NULL");
    refused(schema->children[0], "k", WINNOW_ERR_ARGUMENT, "'+s'");
    arrow_schema_free(schema);
}

/* The order of a dictionary is not that of its bytes. */
Test(arrow, ordered_dictionaries) {
    static const char *const right[] = {
        "size = 'small'",
        "'small' <> size",
        "size in ('small', 'large')",
        "size like 's%' or starts_with(size, 'm')",
        "length(size) < 5 and size is not null",
        "size = name and name < 'z'",
        "plain > 'medium' and plain <= name"};
    static const char *const wrong[] = {"size > 'medium'",
                                        "'medium' <= size",
                                        "size >= ('medium')",
                                        "size < name",
                                        "name <= size",
                                        "'a' < name < size",
                                        "'a' < size < 'b'",
                                        "name < size and name < 'z'",
                                        "size between 'medium' and 'z'",
                                        "size not between name and 'z'",
                                        "name between 'a' and size"};
    struct ArrowSchema *const schema = arrow_schema(
        "+s", NULL, 3,
        arrow_encoded(arrow_schema("c", "size", 0), arrow_schema("u", NULL, 0)),
        arrow_encoded(arrow_schema("c", "plain", 0),
                      arrow_schema("u", NULL, 0)),
        arrow_schema("vu", "name", 0));
    schema->children[0]->flags |= ARROW_FLAG_DICTIONARY_ORDERED;
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++)
        winnow_condition_destroy(arrow_condition(schema, right[i]));
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        refused(schema, wrong[i], WINNOW_ERR_UNSUPPORTED,
                "column 'size' has an ordered dictionary, whose order <, <=, "
                ">, >= and between do not know: write = or in, as in size in "
                "('a', 'b')");
    arrow_schema_free(schema);
}

BACKEND_TEST(arrow, launches) {
    struct arrow_batch batch;
    struct ArrowDeviceArray out;
    uint64_t number = 0;
    int32_t strategy = 0;
    winnow_plan plan = {.size = sizeof plan};
    arrow_batch_open(backend, &batch, arrow_batch_of(arrow_schema("g", "c", 0)),
                     50, &(struct arrow_shape){.seed = 19});
    winnow_condition *const condition = arrow_condition(batch.schema, "k < 50");
    const winnow_launch launches[] = {
        {.size = sizeof launches[0], .d_n = &number},
        {.size = sizeof launches[0], .d_position = &number},
        {.size = sizeof launches[0], .d_strategy = &strategy},
        {.size = sizeof launches[0], .strategy = WINNOW_TILE_SCAN},
        {.size = sizeof launches[0], .plan = &plan}};
    for (unsigned i = 0; i < sizeof launches / sizeof launches[0]; i++)
        cr_assert_eq(winnow_filter_arrow(backend->context, condition,
                                         batch.schema, &batch.in, &out,
                                         &launches[i]),
                     WINNOW_ERR_UNSUPPORTED);
    cr_assert_eq(winnow_filter_arrow(backend->context, NULL, batch.schema,
                                     &batch.in, &out, NULL),
                 WINNOW_ERR_ARGUMENT);
    cr_assert_eq(winnow_filter_arrow(backend->context, condition, NULL,
                                     &batch.in, &out, NULL),
                 WINNOW_ERR_ARGUMENT);
    batch.in.array.null_count = 1;
    const void *const bits = batch.in.array.buffers[0];
    batch.in.array.buffers[0] = &number;
    cr_assert_eq(winnow_filter_arrow(backend->context, condition, batch.schema,
                                     &batch.in, &out, NULL),
                 WINNOW_ERR_UNSUPPORTED);
    cr_assert(strstr(winnow_last_error(), "nulls of its own") != NULL);
    batch.in.array.buffers[0] = bits;
    winnow_condition_destroy(condition);
    arrow_batch_close(backend, &batch);
}
