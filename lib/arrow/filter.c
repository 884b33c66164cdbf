/*
 * winnow_filter_arrow: check, select, count, pack.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "filter.h"
#include "pack.h"
#include "core/context.h"
#include "core/operation.h"
#include "core/status.h"

#include <stddef.h>

/* ----------------------------------------------------------------- arguments */

static winnow_status refuse(const char *member) {
    return winnow__unsupported(
        "launch->%s is set, and winnow_filter_arrow takes none", member);
}

/* Take the members of the caller's launch that the calls below use. */
static winnow_status take_launch(const winnow_launch *launch,
                                 winnow_launch *taken) {
    winnow_launch whole = {.size = sizeof whole};
    if (launch != NULL) {
        winnow_status status = winnow__take_struct(
            "launch", "winnow_launch", offsetof(winnow_launch, reserved),
            launch, &whole, sizeof whole);
        if (status != WINNOW_OK)
            return status;
    }
    if (whole.d_n != NULL)
        return refuse("d_n");
    if (whole.d_position != NULL)
        return refuse("d_position");
    if (whole.plan != NULL)
        return refuse("plan");
    if (whole.d_strategy != NULL)
        return refuse("d_strategy");
    if (whole.strategy != WINNOW_AUTO && whole.strategy != WINNOW_HOST)
        return refuse("strategy");
    *taken = (winnow_launch){.size = sizeof *taken, .stream = whole.stream};
    return WINNOW_OK;
}

winnow_status winnow__arrow_check_place(const winnow_context *context,
                                        const char *member,
                                        ArrowDeviceType type) {
    const bool host = context->backend->is_host;
    const int own = host ? ARROW_DEVICE_CPU : ARROW_DEVICE_CUDA;
    if (type == own || type == ARROW_DEVICE_CUDA_HOST ||
        type == ARROW_DEVICE_CUDA_MANAGED)
        return WINNOW_OK;
    return winnow__refuse("%s is %d: wanted %d, of %s, for a context of %s",
                          member, (int)type, own, host ? "the CPU" : "CUDA",
                          host ? "the host" : "a device");
}

static winnow_status check_host(const struct ArrowDeviceArray *in,
                                const winnow_launch *launch) {
    if (in->sync_event != NULL)
        return winnow__refuse("in->sync_event is set, and the context is of "
                              "the host, which waits for none");
    if (launch->stream != NULL)
        return winnow__refuse("launch->stream is set, and the context is of "
                              "the host, which has none");
    return WINNOW_OK;
}

static winnow_status check_batch(const struct ArrowSchema *schema,
                                 const struct ArrowArray *batch, bool reads) {
    const winnow__arrow_path path = {0};
    const uint64_t n = batch->length > 0 ? (uint64_t)batch->length : 0;
    WINNOW__TRY(winnow__arrow_check_batch_schema(schema));
    WINNOW__TRY(winnow__arrow_check(&path, schema, batch, 0, n, reads));
    if (batch->null_count != 0 && batch->buffers[0] != NULL)
        return winnow__unsupported(
            "the batch has nulls of its own: only its columns may have any");
    return WINNOW_OK;
}

/* ---------------------------------------------------------------------- work */

static winnow_status select_rows(winnow__arrow_level *level,
                                 const winnow_condition *condition,
                                 const struct ArrowSchema *schema,
                                 const struct ArrowArray *batch,
                                 size_t selection_bytes) {
    winnow__arrow_columns columns;
    winnow_status status = winnow__arrow_columns_make(&columns, level->place,
                                                      condition, schema, batch);
    if (status == WINNOW_OK)
        status = winnow_select_where(
            level->place->context, condition, columns.in, columns.number,
            level->n, level->selection, selection_bytes, &level->place->launch);
    winnow__arrow_columns_free(&columns);
    return status == WINNOW_OK ? winnow__arrow_count(level) : status;
}

static winnow_status filter(winnow__arrow_place *place,
                            const winnow_condition *condition,
                            const struct ArrowSchema *schema,
                            struct ArrowArray *batch, bool gives,
                            struct ArrowArray *out) {
    const winnow__arrow_path path = {0};
    winnow__arrow_level level;
    size_t bytes;
    winnow_status status = winnow__arrow_open_level(
        &level, place, (uint64_t)batch->length, &bytes);
    level.gives = gives;
    if (status == WINNOW_OK && level.n > 0)
        status = select_rows(&level, condition, schema, batch, bytes);
    if (status == WINNOW_OK)
        status = winnow__arrow_pack(&level, &path, schema, batch, 0, out);
    winnow__arrow_close_level(&level);
    return status;
}

static winnow_status open_place(winnow__arrow_place *place,
                                const struct ArrowDeviceArray *in) {
    WINNOW__TRY(winnow__arrow_check_place(place->context, "in->device_type",
                                          in->device_type));
#ifdef WINNOW_CUDA
    if (!place->host)
        return winnow__arrow_cuda_open(place, in);
#endif
    return check_host(in, &place->launch);
}

static winnow_status close_place(winnow__arrow_place *place,
                                 struct ArrowDeviceArray *out) {
#ifdef WINNOW_CUDA
    if (!place->host)
        return winnow__arrow_cuda_close(place, out);
#endif
    (void)place;
    out->device_type = ARROW_DEVICE_CPU;
    out->device_id = -1;
    return WINNOW_OK;
}

/* Called if a call fails after its place was opened. */
static void abandon(winnow__arrow_place *place, struct ArrowArray *made) {
#ifdef WINNOW_CUDA
    if (!place->host)
        winnow__arrow_cuda_wait(place);
#endif
    (void)place;
    if (made->release != NULL)
        made->release(made);
}

/* The device has to be current. */
static winnow_status run(winnow__arrow_place *place,
                         const winnow_condition *condition,
                         const struct ArrowSchema *schema,
                         struct ArrowDeviceArray *in, bool gives,
                         struct ArrowDeviceArray *out) {
    struct ArrowDeviceArray made = {.array = {.release = NULL}};
    winnow_status status = check_batch(schema, &in->array, place->host);
    if (status == WINNOW_OK)
        status = open_place(place, in);
    if (status != WINNOW_OK)
        return status;
    status = filter(place, condition, schema, &in->array, gives, &made.array);
    if (status == WINNOW_OK)
        status = close_place(place, &made);
    if (status == WINNOW_OK)
        *out = made;
    else
        abandon(place, &made.array);
    winnow__arrow_leave(place->owner);
    return status;
}

winnow_status winnow__arrow_filter(winnow_context *context,
                                   const winnow_condition *condition,
                                   const struct ArrowSchema *schema,
                                   struct ArrowDeviceArray *in, bool gives,
                                   struct ArrowDeviceArray *out,
                                   const winnow_launch *launch) {
    winnow__arrow_place place = {.context = context,
                                 .host = context->backend->is_host};
    winnow_status status = take_launch(launch, &place.launch);
    if (status != WINNOW_OK)
        return status;
    bool entered = false;
    if (context->backend->enter != NULL)
        status = context->backend->enter(context, &entered);
    if (status != WINNOW_OK)
        return status;
    status = run(&place, condition, schema, in, gives, out);
    if (context->backend->leave != NULL)
        context->backend->leave(context, entered);
    return status;
}

winnow_status winnow_filter_arrow(winnow_context *context,
                                  const winnow_condition *condition,
                                  const struct ArrowSchema *schema,
                                  const struct ArrowDeviceArray *in,
                                  struct ArrowDeviceArray *out,
                                  const winnow_launch *launch) {
    WINNOW__TRY(winnow__need(context, "context"));
    WINNOW__TRY(winnow__need(condition, "condition"));
    WINNOW__TRY(winnow__need(in, "in"));
    WINNOW__TRY(winnow__need(out, "out"));
    /* A copy, from which no array is moved. */
    struct ArrowDeviceArray copy = *in;
    return winnow__arrow_filter(context, condition, schema, &copy, false, out,
                                launch);
}
