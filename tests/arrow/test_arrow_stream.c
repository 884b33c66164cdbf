/*
 * Streams of record batches.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arrow_data.h"
#include "suite.h"

/* A stream of batches of k, an int32 below 100, and views. */
struct source {
    struct ArrowSchema *schema;
    int batches;  /* that are left */
    int fails_at; /* the batch of this number left is an error, */
    int spoilt;   /* or malformed */
    int schema_error;
    int released;
};

static void release_copy(struct ArrowSchema *schema) {
    schema->release = NULL;
}

static int get_schema(struct ArrowArrayStream *stream,
                      struct ArrowSchema *out) {
    struct source *const source = stream->private_data;
    if (source->schema_error != 0)
        return source->schema_error;
    *out = *source->schema;
    out->release = release_copy;
    return 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    struct source *const source = stream->private_data;
    if (source->batches == source->fails_at)
        return EBADF;
    if (source->batches == 0) {
        out->release = NULL;
        return 0;
    }
    arrow_random(source->schema, source->batches == 2 ? 0 : 500,
                 &(struct arrow_shape){.seed = (uint64_t)source->batches}, out);
    if (source->batches == source->spoilt)
        out->children[1]->null_count = 501;
    source->batches--;
    return 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream) {
    (void)stream;
    return "of the source";
}

static void release_source(struct ArrowArrayStream *stream) {
    struct source *const source = stream->private_data;
    source->released++;
    stream->release = NULL;
}

static struct ArrowArrayStream open_source(struct source *source) {
    source->schema = arrow_schema("+s", "", 2, arrow_schema("i", "k", 0),
                                  arrow_schema("vu", "c", 0));
    return (struct ArrowArrayStream){.get_schema = get_schema,
                                     .get_next = get_next,
                                     .get_last_error = get_last_error,
                                     .release = release_source,
                                     .private_data = source};
}

static void compare(const struct ArrowSchema *schema, int number, int below,
                    const struct ArrowArray *out) {
    struct ArrowArray wanted;
    struct arrow_text a = {0}, b = {0};
    int64_t kept = 0;
    arrow_random(schema, number == 2 ? 0 : 500,
                 &(struct arrow_shape){.seed = (uint64_t)number}, &wanted);
    for (int64_t i = 0; i < wanted.length; i++)
        if (((const int32_t *)wanted.children[0]->buffers[1])[i] < below) {
            cr_assert_lt(kept, out->length);
            arrow_write(&a, schema, &wanted, i);
            arrow_write(&b, schema, out, kept++);
        }
    cr_assert_eq(kept, out->length);
    cr_assert(a.length == b.length &&
              (a.length == 0 || memcmp(a.bytes, b.bytes, a.length) == 0));
    free(a.bytes);
    free(b.bytes);
    wanted.release(&wanted);
}

/* Few rows, whose bytes are gathered; most of them, and buffers are kept; none;
 * all. */
BACKEND_TEST(arrow_stream, batches) {
    static const struct {
        const char *text;
        int below;
    } cuts[] = {{"k < 1", 1}, {"k < 80", 80}, {"k < 0", 0}, {"true", 100}};
    if (backend->gpu)
        return;
    for (unsigned i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
        struct source source = {.batches = 3, .fails_at = -1};
        struct ArrowArrayStream in = open_source(&source), out;
        struct ArrowSchema schema;
        struct ArrowArray batches[3], end;
        cr_assert(winnow_filter_arrow_stream(backend->context, cuts[i].text,
                                             &in, &out) == WINNOW_OK,
                  "%s", winnow_last_error());
        cr_assert_null(in.release);
        cr_assert_eq(out.get_schema(&out, &schema), 0);
        cr_assert_eq(schema.n_children, 2);
        schema.release(&schema);
        for (int j = 0; j < 3; j++) {
            cr_assert_eq(out.get_next(&out, &batches[j]), 0, "%s",
                         out.get_last_error(&out));
            cr_assert_not_null(batches[j].release);
        }
        cr_assert_eq(out.get_next(&out, &end), 0);
        cr_assert_null(end.release);
        cr_assert_eq(source.released, 0);
        out.release(&out);
        cr_assert_null(out.release);
        cr_assert_eq(source.released, 1);
        /* They outlive the stream. */
        for (int j = 0; j < 3; j++) {
            compare(source.schema, 3 - j, cuts[i].below, &batches[j]);
            batches[j].release(&batches[j]);
        }
        cr_assert_eq(arrow_unreleased(), 0);
        arrow_schema_free(source.schema);
    }
}

BACKEND_TEST(arrow_stream, errors) {
    struct source source = {.batches = 3, .fails_at = 1, .spoilt = 3};
    struct ArrowArrayStream in = open_source(&source), out;
    struct ArrowArray batch;
    if (backend->gpu) {
        cr_assert_eq(
            winnow_filter_arrow_stream(backend->context, "true", &in, &out),
            WINNOW_ERR_UNSUPPORTED);
        arrow_schema_free(source.schema);
        return;
    }
    cr_assert_eq(winnow_filter_arrow_stream(backend->context, "k <", &in, &out),
                 WINNOW_ERR_SYNTAX);
    cr_assert_eq(winnow_filter_arrow_stream(backend->context, NULL, &in, &out),
                 WINNOW_ERR_ARGUMENT);
    source.schema_error = ENODEV;
    cr_assert_eq(winnow_filter_arrow_stream(backend->context, "k", &in, &out),
                 WINNOW_ERR_ARGUMENT);
    cr_assert(strstr(winnow_last_error(), "of the source") != NULL);
    source.schema_error = 0;
    source.schema->children[1]->format = "+r";
    cr_assert_eq(
        winnow_filter_arrow_stream(backend->context, "true", &in, &out),
        WINNOW_ERR_UNSUPPORTED);
    cr_assert(strstr(winnow_last_error(), "'c': run-end") != NULL);
    source.schema->children[1]->format = "vu";
    cr_assert_eq(source.released, 0);
    cr_assert_not_null(in.release);

    cr_assert_eq(
        winnow_filter_arrow_stream(backend->context, "k < 50", &in, &out),
        WINNOW_OK);
    cr_assert_eq(out.get_next(&out, &batch), EINVAL);
    cr_assert(strstr(out.get_last_error(&out), "null_count is 501") != NULL);
    cr_assert_eq(out.get_next(&out, &batch), 0);
    cr_assert_eq(batch.length, 0);
    batch.release(&batch);
    cr_assert_eq(out.get_next(&out, &batch), EBADF);
    cr_assert_str_eq(out.get_last_error(&out), "of the source");
    out.release(&out);
    cr_assert_eq(source.released, 1);
    in.release = NULL;
    cr_assert_eq(winnow_filter_arrow_stream(backend->context, "k", &in, &out),
                 WINNOW_ERR_ARGUMENT);
    cr_assert_eq(arrow_unreleased(), 0);
    arrow_schema_free(source.schema);
}
