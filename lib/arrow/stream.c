/*
 * Streams of record batches: a batch is filtered when the consumer asks for it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "filter.h"
#include "pack.h"
#include "core/context.h"
#include "core/status.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* private_data of an output points to this. */
typedef struct filtered {
    winnow_context *context;
    winnow_condition *condition;
    struct ArrowSchema schema;
    winnow_stream work; /* NULL, or a CUDA stream of its own */
    bool is_device;
    union {
        struct ArrowArrayStream host;
        struct ArrowDeviceArrayStream device;
    } in;
    char error[512]; /* an error of ours; "": ask the input stream */
} filtered;

/* ---------------------------------------------------------------- both kinds */

static int error_number(winnow_status status) {
    switch (status) {
    case WINNOW_OK:
        return 0;
    case WINNOW_ERR_MEMORY:
        return ENOMEM;
    case WINNOW_ERR_UNSUPPORTED:
        return ENOTSUP;
    case WINNOW_ERR_ARGUMENT:
        return EINVAL;
    default:
        return EIO;
    }
}

/* Filter a batch, which is not the end, and release it. On a device its buffers
 * are read until the output is written. */
static int filter(filtered *own, struct ArrowDeviceArray *in,
                  struct ArrowDeviceArray *out) {
    winnow_status status = winnow__arrow_filter(
        own->context, own->condition, &own->schema, in, true, out,
        &(winnow_launch){.size = sizeof(winnow_launch), .stream = own->work});
#ifdef WINNOW_CUDA
    if (status == WINNOW_OK && own->work != NULL) {
        status = winnow__arrow_cuda_finish(own->work);
        if (status != WINNOW_OK)
            out->array.release(&out->array);
    }
#endif
    if (status != WINNOW_OK)
        snprintf(own->error, sizeof own->error, "%s", winnow_last_error());
    if (in->array.release != NULL)
        in->array.release(&in->array);
    return error_number(status);
}

/* All batches have the stream's types, so an unsupported type is refused before the
 * first batch. */
static winnow_status make_condition(filtered *own, const char *text) {
    const winnow__arrow_path batch = {0};
    WINNOW__TRY(
        winnow_condition_parse_arrow(&own->condition, &own->schema, text));
    return winnow__arrow_check_types(&batch, &own->schema);
}

static winnow_status make_work(filtered *own) {
#ifdef WINNOW_CUDA
    if (!own->context->backend->is_host)
        return winnow__arrow_cuda_make_work(own->context, &own->work);
#endif
    (void)own;
    return WINNOW_OK;
}

static void destroy(filtered *own) {
#ifdef WINNOW_CUDA
    if (own->work != NULL)
        winnow__arrow_cuda_destroy_work(own->work);
#endif
    if (own->schema.release != NULL)
        own->schema.release(&own->schema);
    winnow_condition_destroy(own->condition);
    free(own);
}

static winnow_status no_schema(int failed, const char *why) {
    return winnow__refuse("the stream has no schema: error %d, '%.200s'",
                          failed, why == NULL ? "" : why);
}

static winnow_status check(const void *context, const char *text,
                           const void *in, const void *out) {
    WINNOW__TRY(winnow__need(context, "context"));
    WINNOW__TRY(winnow__need(text, "text"));
    WINNOW__TRY(winnow__need(in, "in"));
    return winnow__need(out, "out");
}

static winnow_status was_released(void) {
    return winnow__refuse("the stream was released, or moved");
}

/* Make all that depends on the schema. */
static winnow_status complete(filtered *own, const char *text) {
    WINNOW__TRY(make_condition(own, text));
    return make_work(own);
}

static int take_schema(filtered *own, struct ArrowSchema *out) {
    own->error[0] = '\0';
    return own->is_device ? own->in.device.get_schema(&own->in.device, out)
                          : own->in.host.get_schema(&own->in.host, out);
}

static const char *error_of(filtered *own) {
    if (own->error[0] != '\0')
        return own->error;
    return own->is_device ? own->in.device.get_last_error(&own->in.device)
                          : own->in.host.get_last_error(&own->in.host);
}

static int filter_next(filtered *own, struct ArrowDeviceArray *out) {
    struct ArrowDeviceArray in = {.device_type = ARROW_DEVICE_CPU,
                                  .device_id = -1};
    own->error[0] = '\0';
    const int failed = own->is_device
                           ? own->in.device.get_next(&own->in.device, &in)
                           : own->in.host.get_next(&own->in.host, &in.array);
    if (failed != 0)
        return failed;
    if (in.array.release != NULL)
        return filter(own, &in, out);
    *out = in; /* the end of the stream */
    return 0;
}

/* Make an output stream. After an error the input still belongs to the caller. */
static winnow_status open_stream(const filtered *given, const char *text,
                                 filtered **own_p) {
    filtered *const own = malloc(sizeof *own);
    if (own == NULL)
        return winnow__no_memory("a stream");
    *own = *given;
    const int failed = take_schema(own, &own->schema);
    if (failed != 0)
        own->schema.release = NULL;
    const winnow_status status =
        failed != 0 ? no_schema(failed, error_of(own)) : complete(own, text);
    if (status == WINNOW_OK)
        *own_p = own;
    else
        destroy(own);
    return status;
}

/* ------------------------------------------------------------ of the host */

static int get_schema(struct ArrowArrayStream *stream,
                      struct ArrowSchema *out) {
    return take_schema(stream->private_data, out);
}

static const char *get_last_error(struct ArrowArrayStream *stream) {
    return error_of(stream->private_data);
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    struct ArrowDeviceArray made;
    const int failed = filter_next(stream->private_data, &made);
    if (failed == 0)
        winnow__arrow_move(&made.array, out);
    return failed;
}

static void release(struct ArrowArrayStream *stream) {
    filtered *const own = stream->private_data;
    own->in.host.release(&own->in.host);
    destroy(own);
    stream->release = NULL;
}

winnow_status winnow_filter_arrow_stream(winnow_context *context,
                                         const char *text,
                                         struct ArrowArrayStream *in,
                                         struct ArrowArrayStream *out) {
    filtered *own;
    WINNOW__TRY(check(context, text, in, out));
    if (in->release == NULL)
        return was_released();
    if (!context->backend->is_host)
        return winnow__unsupported(
            "the stream is of the host's memory, and the context of a device");
    WINNOW__TRY(open_stream(&(filtered){.context = context, .in.host = *in},
                            text, &own));
    in->release = NULL;
    *out = (struct ArrowArrayStream){.get_schema = get_schema,
                                     .get_next = get_next,
                                     .get_last_error = get_last_error,
                                     .release = release,
                                     .private_data = own};
    return WINNOW_OK;
}

/* ------------------------------------------------------------ of any device */

static int get_device_schema(struct ArrowDeviceArrayStream *stream,
                             struct ArrowSchema *out) {
    return take_schema(stream->private_data, out);
}

static const char *
get_last_device_error(struct ArrowDeviceArrayStream *stream) {
    return error_of(stream->private_data);
}

static int get_next_device(struct ArrowDeviceArrayStream *stream,
                           struct ArrowDeviceArray *out) {
    return filter_next(stream->private_data, out);
}

static void release_device(struct ArrowDeviceArrayStream *stream) {
    filtered *const own = stream->private_data;
    own->in.device.release(&own->in.device);
    destroy(own);
    stream->release = NULL;
}

winnow_status
winnow_filter_arrow_device_stream(winnow_context *context, const char *text,
                                  struct ArrowDeviceArrayStream *in,
                                  struct ArrowDeviceArrayStream *out) {
    filtered *own;
    WINNOW__TRY(check(context, text, in, out));
    if (in->release == NULL)
        return was_released();
    WINNOW__TRY(
        winnow__arrow_check_place(context, "in->device_type", in->device_type));
    WINNOW__TRY(open_stream(
        &(filtered){.context = context, .is_device = true, .in.device = *in},
        text, &own));
    in->release = NULL;
    *out = (struct ArrowDeviceArrayStream){
        .device_type =
            context->backend->is_host ? ARROW_DEVICE_CPU : ARROW_DEVICE_CUDA,
        .get_schema = get_device_schema,
        .get_next = get_next_device,
        .get_last_error = get_last_device_error,
        .release = release_device,
        .private_data = own};
    return WINNOW_OK;
}
