/*
 * winnow_filter_arrow_stream: batches are filtered as they are asked for.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "filter.h"
#include "output.h"
#include "core/context.h"
#include "core/status.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct filtered {
    winnow_context *context;
    winnow_condition *condition;
    struct ArrowSchema schema;
    struct ArrowArrayStream in;
    char error[512]; /* of our own; "": ask the stream before */
} filtered;

/* ----------------------------------------------------------------- callbacks */

static int get_schema(struct ArrowArrayStream *stream,
                      struct ArrowSchema *out) {
    filtered *const own = stream->private_data;
    own->error[0] = '\0';
    return own->in.get_schema(&own->in, out);
}

static const char *get_last_error(struct ArrowArrayStream *stream) {
    filtered *const own = stream->private_data;
    return own->error[0] != '\0' ? own->error
                                 : own->in.get_last_error(&own->in);
}

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

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    filtered *const own = stream->private_data;
    struct ArrowDeviceArray in = {.device_type = ARROW_DEVICE_CPU,
                                  .device_id = -1};
    struct ArrowDeviceArray made;
    own->error[0] = '\0';
    const int failed = own->in.get_next(&own->in, &in.array);
    if (failed != 0)
        return failed;
    if (in.array.release == NULL) { /* the end */
        *out = in.array;
        return 0;
    }
    winnow_status status = winnow__arrow_filter(
        own->context, own->condition, &own->schema, &in, true, &made, NULL);
    if (status == WINNOW_OK)
        winnow__arrow_move(&made.array, out);
    else
        snprintf(own->error, sizeof own->error, "%s", winnow_last_error());
    in.array.release(&in.array);
    return error_number(status);
}

static void release(struct ArrowArrayStream *stream) {
    filtered *const own = stream->private_data;
    own->in.release(&own->in);
    own->schema.release(&own->schema);
    winnow_condition_destroy(own->condition);
    free(own);
    stream->release = NULL;
}

/* -------------------------------------------------------------------- making */

static winnow_status check(const winnow_context *context, const char *text,
                           const struct ArrowArrayStream *in,
                           const struct ArrowArrayStream *out) {
    const char *const missing = context == NULL ? "context"
                                : text == NULL  ? "text"
                                : in == NULL    ? "in"
                                : out == NULL   ? "out"
                                                : NULL;
    if (missing != NULL)
        return winnow__fail(WINNOW_ERR_ARGUMENT, "%s is NULL", missing);
    if (in->release == NULL)
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "the stream was released, or moved");
    if (!context->backend->is_host)
        return winnow__fail(WINNOW_ERR_UNSUPPORTED,
                            "the stream is of the host's memory, and the "
                            "context of a device");
    return WINNOW_OK;
}

static winnow_status take_schema(struct ArrowArrayStream *in,
                                 struct ArrowSchema *schema) {
    const int failed = in->get_schema(in, schema);
    if (failed == 0)
        return WINNOW_OK;
    const char *const why = in->get_last_error(in);
    return winnow__fail(WINNOW_ERR_ARGUMENT,
                        "the stream has no schema: error %d, '%.200s'", failed,
                        why == NULL ? "" : why);
}

/* No batch has other types: what is not filtered is refused before the first. */
static winnow_status make_condition(filtered *own, const char *text) {
    const winnow__arrow_path batch = {0};
    const winnow_status status =
        winnow_condition_parse_arrow(&own->condition, &own->schema, text);
    if (status != WINNOW_OK)
        return status;
    return winnow__arrow_check_types(&batch, &own->schema);
}

winnow_status winnow_filter_arrow_stream(winnow_context *context,
                                         const char *text,
                                         struct ArrowArrayStream *in,
                                         struct ArrowArrayStream *out) {
    winnow_status status = check(context, text, in, out);
    if (status != WINNOW_OK)
        return status;
    filtered *const own = calloc(1, sizeof *own);
    if (own == NULL)
        return winnow__fail(WINNOW_ERR_MEMORY, "no host memory for a stream");
    own->context = context;
    status = take_schema(in, &own->schema);
    if (status == WINNOW_OK) {
        status = make_condition(own, text);
        if (status != WINNOW_OK)
            own->schema.release(&own->schema);
    }
    if (status != WINNOW_OK) {
        winnow_condition_destroy(own->condition);
        free(own);
        return status;
    }
    own->in = *in;
    in->release = NULL;
    *out = (struct ArrowArrayStream){.get_schema = get_schema,
                                     .get_next = get_next,
                                     .get_last_error = get_last_error,
                                     .release = release,
                                     .private_data = own};
    return WINNOW_OK;
}
