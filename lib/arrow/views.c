/*
 * Views of strings: survivors are packed as elements of 16 bytes, and the bytes
 * of long ones into buffers of the output.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pack.h"
#include "core/status.h"

#include <string.h>

enum {
    INLINE = 12,     /* a string of at most 12 bytes is in its view */
    KEEP_AT_MOST = 4 /* buffers are kept if at least 1 / KEEP_AT_MOST of their
                        bytes is used: gathering bytes would not be faster */
};

typedef struct view {
    int32_t length;
    char prefix[4]; /* and 8 more bytes of a short string */
    int32_t buffer, offset;
} view;

_Static_assert(sizeof(view) == 16, "the specification says so");

typedef struct sources {
    const int64_t *sizes;
    const void *const *buffers;
    int64_t number;
} sources;

static sources sources_of(const struct ArrowArray *in) {
    return (sources){.sizes = in->buffers[in->n_buffers - 1],
                     .buffers = in->buffers + 2,
                     .number = in->n_buffers - 3};
}

static bool is_inside(const sources *from, const view *at) {
    return at->length >= 0 &&
           (at->length <= INLINE ||
            (at->buffer >= 0 && at->buffer < from->number && at->offset >= 0 &&
             (int64_t)at->offset + at->length <= from->sizes[at->buffer]));
}

/* Are all strings inside of their views, and none null? The loop has no branch. */
static bool all_are_short(const struct ArrowArray *out, uint64_t n) {
    const view *const views = out->buffers[1];
    unsigned longer = 0;
    for (uint64_t i = 0; i < n; i++)
        longer |= (uint32_t)views[i].length > INLINE;
    return longer == 0 && out->buffers[0] == NULL;
}

/* Count the bytes of an output's strings that are in buffers; views of nulls
 * become empty. Fails if a view is outside of its buffer. */
static winnow_status check_views(const winnow__arrow_item *item,
                                 const sources *from, uint64_t n,
                                 uint64_t *bytes_p) {
    view *const views = (view *)(uintptr_t)item->out->buffers[1];
    uint64_t bytes = 0;
    *bytes_p = 0;
    if (all_are_short(item->out, n))
        return WINNOW_OK;
    for (uint64_t i = 0; i < n; i++) {
        if (winnow__arrow_is_null(item->out, i))
            views[i] = (view){0};
        if (!is_inside(from, &views[i]))
            return winnow__arrow_fail(
                item->path, WINNOW_ERR_ARGUMENT,
                "a view of %d bytes from %d on is outside of its buffer, %d",
                (int)views[i].length, (int)views[i].offset,
                (int)views[i].buffer);
        bytes += views[i].length > INLINE ? (uint64_t)views[i].length : 0;
    }
    *bytes_p = bytes;
    return WINNOW_OK;
}

static uint64_t all_bytes(const sources *from) {
    uint64_t bytes = 0;
    for (int64_t i = 0; i < from->number; i++)
        bytes += (uint64_t)from->sizes[i];
    return bytes;
}

/* ------------------------------------------------- buffers with what is used */

/* Can the next string go into the same buffer? */
static bool fits(uint64_t used, int32_t length) {
    return used + (uint64_t)length <= INT32_MAX;
}

static winnow_status make_buffers(winnow__arrow_level *level,
                                  const winnow__arrow_item *item,
                                  const int64_t *sizes, unsigned number) {
    int64_t *out_sizes;
    void *to;
    WINNOW__TRY(winnow__arrow_view_buffers(item->out, number, &out_sizes));
    for (unsigned i = 0; i < number; i++) {
        out_sizes[i] = sizes[i];
        WINNOW__TRY(winnow__arrow_buffer(level->place, item->out, 2 + i,
                                         (uint64_t)sizes[i], &to));
    }
    return WINNOW_OK;
}

static void gather(const winnow__arrow_item *item, const sources *from,
                   uint64_t n) {
    view *const views = (view *)(uintptr_t)item->out->buffers[1];
    uint64_t used = 0;
    int32_t buffer = 0;
    for (uint64_t i = 0; i < n; i++) {
        view *const at = &views[i];
        if (at->length <= INLINE)
            continue;
        if (!fits(used, at->length)) {
            buffer++;
            used = 0;
        }
        memcpy((char *)(uintptr_t)item->out->buffers[2 + buffer] + used,
               (const char *)from->buffers[at->buffer] + at->offset,
               (size_t)at->length);
        at->buffer = buffer;
        at->offset = (int32_t)used;
        used += (uint64_t)at->length;
    }
}

/* Compute the sizes of the buffers that gather() fills. */
static unsigned plan_buffers(const winnow__arrow_item *item, uint64_t n,
                             int64_t *sizes) {
    const view *const views = item->out->buffers[1];
    unsigned number = 0;
    for (uint64_t i = 0; i < n; i++) {
        if (views[i].length <= INLINE)
            continue;
        if (number == 0 || !fits((uint64_t)sizes[number - 1], views[i].length))
            sizes[number++] = 0;
        sizes[number - 1] += views[i].length;
    }
    return number;
}

static winnow_status pack_bytes(winnow__arrow_level *level,
                                const winnow__arrow_item *item,
                                const sources *from, uint64_t bytes) {
    /* Two adjacent buffers together have more bytes than fit into one. */
    const uint64_t most = 2 * (bytes / INT32_MAX) + 2;
    void *sizes;
    WINNOW__TRY(
        winnow__arrow_take(level->place, most * sizeof(int64_t), &sizes));
    const unsigned number =
        bytes == 0 ? 0 : plan_buffers(item, level->count, sizes);
    WINNOW__TRY(make_buffers(level, item, sizes, number));
    if (bytes > 0)
        gather(item, from, level->count);
    winnow__arrow_give(level->place, sizes);
    return WINNOW_OK;
}

/* ---------------------------------------------------------- buffers as they are
 */

static winnow_status copy_buffers(winnow__arrow_level *level,
                                  const winnow__arrow_item *item,
                                  const sources *from) {
    const unsigned number = (unsigned)from->number;
    int64_t *sizes;
    void *to;
    WINNOW__TRY(winnow__arrow_view_buffers(item->out, number, &sizes));
    if (number > 0)
        WINNOW__TRY(winnow__arrow_fetch(level->place, sizes, from->sizes,
                                        number * sizeof *sizes));
    for (unsigned i = 0; i < number; i++) {
        if (sizes[i] < 0)
            return winnow__arrow_fail(item->path, WINNOW_ERR_ARGUMENT,
                                      "a buffer has %lld bytes",
                                      (long long)sizes[i]);
        WINNOW__TRY(winnow__arrow_buffer(level->place, item->out, 2 + i,
                                         (uint64_t)sizes[i], &to));
        WINNOW__TRY(winnow__arrow_copy(level->place, to, from->buffers[i],
                                       (uint64_t)sizes[i]));
    }
    return WINNOW_OK;
}

winnow_status winnow__arrow_views(winnow__arrow_level *level,
                                  const winnow__arrow_item *item) {
    const sources from = sources_of(item->in);
    uint64_t bytes = 0;
    if (!level->place->host)
        return copy_buffers(level, item, &from);
    WINNOW__TRY(check_views(item, &from, level->count, &bytes));
    const uint64_t all = all_bytes(&from);
    if (level->gives && bytes >= all / KEEP_AT_MOST && bytes > 0)
        return winnow__arrow_keep(item->out, item->in);
    /* More if strings share bytes. */
    return bytes > all ? copy_buffers(level, item, &from)
                       : pack_bytes(level, item, &from, bytes);
}
