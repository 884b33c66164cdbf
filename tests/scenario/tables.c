/*
 * Tables: columns under a condition, and Arrow's record batches.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "scenario.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static winnow_status copy_where(struct scenario *s) {
    const winnow_in column = {.type = WINNOW_INT32, .d_base = s->in->x};
    const winnow_move moves[] = {
        {.d_in = s->in->x, .d_out = s->out->x, .element_bytes = 4},
        {.d_in = s->in->runs, .d_out = s->out->keys, .element_bytes = 4}};
    return winnow_copy_where(s->backend.context, s->condition, &column, 1, s->n,
                             moves, 2, s->n, &s->out->count, &s->launch);
}

static void check_columns(struct scenario *s) {
    scenario_check_count(s, s->out->count);
    scenario_check_packed(s, s->in->x, s->out->x, sizeof s->in->x[0]);
    scenario_check_packed(s, s->in->runs, s->out->keys, sizeof s->in->runs[0]);
}

static winnow_status reduce_where(struct scenario *s) {
    const winnow_in column = {.type = WINNOW_INT32, .d_base = s->in->x};
    const winnow_aggregate aggregate = {.expression = s->expression,
                                        .wanted = WINNOW_REDUCE_SUM};
    return winnow_reduce_where(s->backend.context, s->condition, &column, 1,
                               s->n, &aggregate, 1, &s->out->reduction,
                               &s->launch);
}

static void check_sum(struct scenario *s) {
    int64_t wanted = 0;
    for (uint64_t k = 0; k < s->kept; k++)
        wanted += s->in->x[s->kept_at[k]];
    scenario_check_count(s, s->out->reduction.count);
    if (s->out->reduction.sum.int64 != wanted)
        scenario_wrong(s, "the sum is wrong");
}

/* ----------------------------------------------------------------------- Arrow
 */

static void keep_schema(struct ArrowSchema *schema) {
    schema->release = NULL;
}

static void keep_array(struct ArrowArray *array) {
    array->release = NULL;
}

/* A batch of one column, whose memory is the scenario's. */
struct batch {
    struct ArrowSchema schema, column_schema, *schemas[1];
    struct ArrowDeviceArray batch;
    struct ArrowArray column, *columns[1];
    const void *no_buffers[1], *buffers[2];
};

static void make_batch(const struct scenario *s, struct batch *b) {
    *b = (struct batch){
        .schema = {.format = "+s",
                   .name = "",
                   .n_children = 1,
                   .children = b->schemas,
                   .release = keep_schema},
        .column_schema = {.format = "i", .name = "x", .release = keep_schema},
        .batch = {.array = {.length = (int64_t)s->n,
                            .n_buffers = 1,
                            .n_children = 1,
                            .buffers = b->no_buffers,
                            .children = b->columns,
                            .release = keep_array},
                  .device_id = s->backend.gpu ? 0 : -1,
                  .device_type = s->backend.gpu ? ARROW_DEVICE_CUDA_HOST
                                                : ARROW_DEVICE_CPU},
        .column = {.length = (int64_t)s->n,
                   .n_buffers = 2,
                   .buffers = b->buffers,
                   .release = keep_array},
        .buffers = {NULL, s->in->x}};
    b->schemas[0] = &b->column_schema;
    b->columns[0] = &b->column;
}

static winnow_status filter_arrow(struct scenario *s) {
    struct batch b;
    winnow_condition *condition;
    make_batch(s, &b);
    winnow_status status =
        winnow_condition_parse_arrow(&condition, &b.schema, "x >= 30");
    if (status != WINNOW_OK)
        return status;
    status = winnow_filter_arrow(s->backend.context, condition, &b.schema,
                                 &b.batch, &s->filtered, &s->launch);
    winnow_condition_destroy(condition);
    return status;
}

static void check_filtered(struct scenario *s) {
    const struct ArrowArray *const out = &s->filtered.array;
    scenario_check_count(s, (uint64_t)out->length);
    if (s->wrong[0] == '\0' && s->kept > 0) {
        const void *const x = out->children[0]->buffers[1];
        backend_download(&s->backend, s->out->x, x, s->kept * 4);
        scenario_check_packed(s, s->in->x, s->out->x, 4);
    }
    s->filtered.array.release(&s->filtered.array);
}

/* --------------------------------------------------------------------- streams
 */

/* A source of one batch; both kinds of streams. */
struct source {
    struct batch batch;
    int left;
};

static int schema_of(struct source *source, struct ArrowSchema *out) {
    *out = source->batch.schema;
    return 0;
}

static int next_of(struct source *source, struct ArrowDeviceArray *out) {
    *out = source->batch.batch;
    if (source->left-- == 0)
        out->array.release = NULL;
    return 0;
}

static int get_schema(struct ArrowArrayStream *stream,
                      struct ArrowSchema *out) {
    return schema_of(stream->private_data, out);
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    struct ArrowDeviceArray batch;
    const int error = next_of(stream->private_data, &batch);
    *out = batch.array;
    return error;
}

static int get_device_schema(struct ArrowDeviceArrayStream *stream,
                             struct ArrowSchema *out) {
    return schema_of(stream->private_data, out);
}

static int get_device_next(struct ArrowDeviceArrayStream *stream,
                           struct ArrowDeviceArray *out) {
    return next_of(stream->private_data, out);
}

static const char *no_error(struct ArrowArrayStream *stream) {
    (void)stream;
    return NULL;
}

static const char *no_device_error(struct ArrowDeviceArrayStream *stream) {
    (void)stream;
    return NULL;
}

static void end(struct ArrowArrayStream *stream) {
    stream->release = NULL;
}

static void end_device(struct ArrowDeviceArrayStream *stream) {
    stream->release = NULL;
}

static winnow_status status_of(int error) {
    return error == 0        ? WINNOW_OK
           : error == ENOMEM ? WINNOW_ERR_MEMORY
                             : WINNOW_ERR_CUDA;
}

static winnow_status filter_stream(struct scenario *s) {
    struct source source = {.left = 1};
    make_batch(s, &source.batch);
    struct ArrowArrayStream out, in = {.get_schema = get_schema,
                                       .get_next = get_next,
                                       .get_last_error = no_error,
                                       .release = end,
                                       .private_data = &source};
    struct ArrowArray nothing = {.release = NULL};
    winnow_status status =
        winnow_filter_arrow_stream(s->backend.context, "x >= 30", &in, &out);
    if (status != WINNOW_OK)
        return status;
    status = status_of(out.get_next(&out, &s->filtered.array));
    if (status == WINNOW_OK) {
        status = status_of(out.get_next(&out, &nothing));
        if (status != WINNOW_OK)
            s->filtered.array.release(&s->filtered.array);
    }
    if (nothing.release != NULL)
        scenario_wrong(s, "the stream does not end");
    out.release(&out);
    return status;
}

static winnow_status filter_device_stream(struct scenario *s) {
    struct source source = {.left = 1};
    make_batch(s, &source.batch);
    struct ArrowDeviceArrayStream out,
        in = {.device_type = source.batch.batch.device_type,
              .get_schema = get_device_schema,
              .get_next = get_device_next,
              .get_last_error = no_device_error,
              .release = end_device,
              .private_data = &source};
    winnow_status status = winnow_filter_arrow_device_stream(
        s->backend.context, "x >= 30", &in, &out);
    if (status != WINNOW_OK)
        return status;
    status = status_of(out.get_next(&out, &s->filtered));
    out.release(&out);
    return status;
}

const struct scenario_step scenario_tables[] = {
    {.name = "copy_where",
     .call = copy_where,
     .check = check_columns,
     .captured = true},
    {.name = "reduce_where",
     .call = reduce_where,
     .check = check_sum,
     .expressions = true,
     .captured = true},
    {.name = "filter_arrow", .call = filter_arrow, .check = check_filtered},
    {.name = "filter_arrow_stream",
     .call = filter_stream,
     .check = check_filtered,
     .host_only = true},
    {.name = "filter_arrow_device_stream",
     .call = filter_device_stream,
     .check = check_filtered},
    {0}};
