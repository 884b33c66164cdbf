/*
 * Streams of record batches in memory of a device, or of the host.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <errno.h>
#include <string.h>

#include "arrow_batch.h"
#include "suite.h"

enum {
    ROWS = 200,
    BATCHES = 3
};

/* A stream of batches of k and views. */
struct source {
    const struct backend *backend;
    struct ArrowSchema *schema;
    int batches;   /* that are left */
    int fails_at;  /* the batch of this number left is an error, */
    int spoilt;    /* or malformed, */
    int elsewhere; /* or of another device */
    int schema_error;
    int released;
};

static void release_copy(struct ArrowSchema *schema) {
    schema->release = NULL;
}

static int get_schema(struct ArrowDeviceArrayStream *stream,
                      struct ArrowSchema *out) {
    struct source *const source = stream->private_data;
    if (source->schema_error != 0)
        return source->schema_error;
    *out = *source->schema;
    out->release = release_copy;
    return 0;
}

static void draw(const struct ArrowSchema *schema, int number,
                 struct ArrowArray *out) {
    arrow_random(schema, number == 2 ? 0 : ROWS,
                 &(struct arrow_shape){.seed = (uint64_t)number}, out);
}

static int get_next(struct ArrowDeviceArrayStream *stream,
                    struct ArrowDeviceArray *out) {
    struct source *const source = stream->private_data;
    struct ArrowArray host;
    *out = (struct ArrowDeviceArray){.device_id = -1,
                                     .device_type = stream->device_type};
    if (source->batches == source->fails_at)
        return EBADF;
    if (source->batches == 0)
        return 0;
    draw(source->schema, source->batches, &host);
    if (source->backend->gpu) {
        out->device_id = source->batches == source->elsewhere;
        arrow_upload(source->backend, source->schema, &host, &out->array);
        host.release(&host);
    } else {
        out->array = host;
    }
    if (source->batches == source->spoilt)
        out->array.children[1]->null_count = ROWS + 1;
    source->batches--;
    return 0;
}

static const char *get_last_error(struct ArrowDeviceArrayStream *stream) {
    (void)stream;
    return "of the source";
}

static void release_source(struct ArrowDeviceArrayStream *stream) {
    struct source *const source = stream->private_data;
    source->released++;
    stream->release = NULL;
}

static struct ArrowDeviceArrayStream open_source(const struct backend *backend,
                                                 struct source *source) {
    source->backend = backend;
    source->schema = arrow_batch_of(arrow_schema("vu", "c", 0));
    return (struct ArrowDeviceArrayStream){
        .device_type = backend->gpu ? ARROW_DEVICE_CUDA : ARROW_DEVICE_CPU,
        .get_schema = get_schema,
        .get_next = get_next,
        .get_last_error = get_last_error,
        .release = release_source,
        .private_data = source};
}

static void compare(const struct source *source, int number,
                    const struct ArrowDeviceArray *out) {
    struct arrow_batch batch = {.schema = source->schema};
    struct ArrowArray down;
    draw(source->schema, number, &batch.host);
    if (source->backend->gpu) {
        cr_assert_eq(out->device_type, ARROW_DEVICE_CUDA);
        cr_assert_eq(out->device_id, 0);
        arrow_download(source->backend, source->schema, &out->array, &down);
        arrow_batch_compare(&batch, &down);
        down.release(&down);
    } else {
        cr_assert_eq(out->device_type, ARROW_DEVICE_CPU);
        cr_assert_eq(out->device_id, -1);
        arrow_batch_compare(&batch, &out->array);
    }
    batch.host.release(&batch.host);
}

/* Batches outlive the stream, in which none of the device's is kept. */
BACKEND_TEST(arrow_device_stream, batches) {
    struct source source = {.batches = BATCHES, .fails_at = -1};
    struct ArrowDeviceArrayStream in = open_source(backend, &source), out;
    struct ArrowDeviceArray batches[BATCHES], end;
    struct ArrowSchema schema;
    cr_assert(winnow_filter_arrow_device_stream(backend->context, "k < 50", &in,
                                                &out) == WINNOW_OK,
              "%s", winnow_last_error());
    cr_assert_null(in.release);
    cr_assert_eq(out.device_type,
                 backend->gpu ? ARROW_DEVICE_CUDA : ARROW_DEVICE_CPU);
    cr_assert_eq(out.get_schema(&out, &schema), 0);
    cr_assert_eq(schema.n_children, 2);
    schema.release(&schema);
    for (int i = 0; i < BATCHES; i++) {
        cr_assert_eq(out.get_next(&out, &batches[i]), 0, "%s",
                     out.get_last_error(&out));
        cr_assert_not_null(batches[i].array.release);
        if (backend->gpu)
            cr_assert_eq(arrow_unreleased(), 0);
    }
    cr_assert_eq(out.get_next(&out, &end), 0);
    cr_assert_null(end.array.release);
    cr_assert_eq(source.released, 0);
    out.release(&out);
    cr_assert_null(out.release);
    cr_assert_eq(source.released, 1);
    for (int i = 0; i < BATCHES; i++) {
        compare(&source, BATCHES - i, &batches[i]);
        batches[i].array.release(&batches[i].array);
    }
    cr_assert_eq(arrow_unreleased(), 0);
    arrow_schema_free(source.schema);
}

static void refused(const struct backend *backend, const char *text,
                    struct ArrowDeviceArrayStream *in, winnow_status wanted,
                    const char *detail) {
    struct ArrowDeviceArrayStream out = {.private_data = in};
    cr_assert_eq(
        winnow_filter_arrow_device_stream(backend->context, text, in, &out),
        wanted, "%s", winnow_last_error());
    cr_assert(strstr(winnow_last_error(), detail) != NULL, "'%s' has no '%s'",
              winnow_last_error(), detail);
    cr_assert_eq(out.private_data, (void *)in);
}

BACKEND_TEST(arrow_device_stream, refusals) {
    struct source source = {.batches = BATCHES, .fails_at = -1};
    struct ArrowDeviceArrayStream in = open_source(backend, &source);
    refused(backend, NULL, &in, WINNOW_ERR_ARGUMENT, "text is NULL");
    refused(backend, "k", NULL, WINNOW_ERR_ARGUMENT, "in is NULL");
    refused(backend, "k <", &in, WINNOW_ERR_SYNTAX, "line 1, column 4");
    source.schema_error = ENODEV;
    refused(backend, "k", &in, WINNOW_ERR_ARGUMENT, "of the source");
    source.schema_error = 0;
    source.schema->children[1]->format = "+r";
    refused(backend, "true", &in, WINNOW_ERR_UNSUPPORTED, "'c': run-end");
    source.schema->children[1]->format = "vu";
    in.device_type = ARROW_DEVICE_ROCM;
    refused(backend, "true", &in, WINNOW_ERR_ARGUMENT, "device_type is 10");
    cr_assert_eq(source.released, 0);
    cr_assert_not_null(in.release);
    in.release = NULL;
    refused(backend, "true", &in, WINNOW_ERR_ARGUMENT, "was released");
    arrow_schema_free(source.schema);
}

/* A batch that fails is released, and the stream goes on behind it. */
BACKEND_TEST(arrow_device_stream, errors) {
    struct source source = {.batches = 4,
                            .fails_at = 1,
                            .spoilt = 4,
                            .elsewhere = backend->gpu ? 3 : 0};
    struct ArrowDeviceArrayStream in = open_source(backend, &source), out;
    struct ArrowDeviceArray batch;
    cr_assert(winnow_filter_arrow_device_stream(backend->context, "k < 50", &in,
                                                &out) == WINNOW_OK,
              "%s", winnow_last_error());
    cr_assert_eq(out.get_next(&out, &batch), EINVAL);
    cr_assert(strstr(out.get_last_error(&out), "null_count is 201") != NULL,
              "%s", out.get_last_error(&out));
    cr_assert_eq(arrow_unreleased(), 0);
    if (backend->gpu) {
        cr_assert_eq(out.get_next(&out, &batch), EINVAL);
        cr_assert(strstr(out.get_last_error(&out), "device_id is 1") != NULL);
        cr_assert_eq(arrow_unreleased(), 0);
    } else {
        cr_assert_eq(out.get_next(&out, &batch), 0);
        batch.array.release(&batch.array);
    }
    cr_assert_eq(out.get_next(&out, &batch), 0, "%s", out.get_last_error(&out));
    cr_assert_eq(batch.array.length, 0);
    batch.array.release(&batch.array);
    cr_assert_eq(out.get_next(&out, &batch), EBADF);
    cr_assert_str_eq(out.get_last_error(&out), "of the source");
    out.release(&out);
    cr_assert_eq(source.released, 1);
    cr_assert_eq(arrow_unreleased(), 0);
    arrow_schema_free(source.schema);
}
