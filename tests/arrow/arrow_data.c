/*
 * Record batches for tests.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "arrow_data.h"

#include "report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------- schemas */

static void release_schema(struct ArrowSchema *schema) {
    for (int64_t i = 0; i < schema->n_children; i++)
        arrow_schema_free(schema->children[i]);
    if (schema->dictionary != NULL)
        arrow_schema_free(schema->dictionary);
    free(schema->children);
    schema->release = NULL;
}

void arrow_schema_free(struct ArrowSchema *schema) {
    if (schema->release != NULL)
        schema->release(schema);
    free(schema);
}

struct ArrowSchema *arrow_schema(const char *format, const char *name,
                                 int children, ...) {
    struct ArrowSchema *const made = must_alloc(sizeof *made);
    va_list list;
    *made = (struct ArrowSchema){.format = format,
                                 .name = name,
                                 .flags = ARROW_FLAG_NULLABLE,
                                 .n_children = children,
                                 .release = release_schema};
    made->children =
        must_alloc((size_t)(children + 1) * sizeof *made->children);
    va_start(list, children);
    for (int i = 0; i < children; i++)
        made->children[i] = va_arg(list, struct ArrowSchema *);
    va_end(list);
    return made;
}

struct ArrowSchema *arrow_encoded(struct ArrowSchema *schema,
                                  struct ArrowSchema *values) {
    schema->dictionary = values;
    return schema;
}

/* -------------------------------------------------------------------- arrays */

static int unreleased;

int arrow_unreleased(void) {
    return unreleased;
}

struct owner {
    const struct backend *backend; /* NULL, or where buffers are, */
    bool sizes_on_host;            /* but for the last one */
};

static void free_buffer(const struct backend *backend, const void *buffer) {
    if (buffer == NULL)
        return;
    if (backend == NULL)
        free((void *)(uintptr_t)buffer);
    else
        backend_free(backend, (void *)(uintptr_t)buffer);
}

static void release_array(struct ArrowArray *array) {
    struct owner *const owner = array->private_data;
    for (int64_t i = 0; i < array->n_buffers; i++)
        free_buffer(owner->sizes_on_host && i == array->n_buffers - 1
                        ? NULL
                        : owner->backend,
                    array->buffers[i]);
    for (int64_t i = 0; i < array->n_children; i++) {
        if (array->children[i]->release != NULL)
            array->children[i]->release(array->children[i]);
        free(array->children[i]);
    }
    if (array->dictionary != NULL) {
        if (array->dictionary->release != NULL)
            array->dictionary->release(array->dictionary);
        free(array->dictionary);
    }
    free(array->buffers);
    free(array->children);
    free(owner);
    array->release = NULL;
    unreleased--;
}

static void make_array(const struct backend *backend,
                       const struct ArrowSchema *schema, int64_t length,
                       int64_t offset, int64_t buffers,
                       struct ArrowArray *out) {
    struct owner *const owner = must_alloc(sizeof *owner);
    *owner = (struct owner){.backend = backend};
    *out = (struct ArrowArray){.length = length,
                               .offset = offset,
                               .n_buffers = buffers,
                               .n_children = schema->n_children,
                               .release = release_array,
                               .private_data = owner};
    out->buffers = must_alloc((size_t)(buffers + 1) * sizeof *out->buffers);
    memset(out->buffers, 0, (size_t)(buffers + 1) * sizeof *out->buffers);
    out->children =
        must_alloc((size_t)(out->n_children + 1) * sizeof *out->children);
    for (int64_t i = 0; i < out->n_children; i++)
        out->children[i] = must_alloc(sizeof *out->children[i]);
    if (schema->dictionary != NULL)
        out->dictionary = must_alloc(sizeof *out->dictionary);
    unreleased++;
}

/* ------------------------------------------------------------------- formats */

enum kind {
    NOTHING,
    BITS,
    FIXED,
    STRINGS,
    VIEWS,
    LISTS,
    FIXED_LISTS,
    STRUCTS
};

/* *bytes: of an element, of an offset, or elements of a list. */
static enum kind kind_of(const char *format, int64_t *bytes) {
    static const struct {
        const char *formats;
        int64_t bytes;
    } sizes[] = {{" c C ", 1},
                 {" s S e ", 2},
                 {" i I f tdD tts ttm tiM ", 4},
                 {" l L g tdm ttu ttn tDs tDm tDu tDn tiD ", 8},
                 {" tin ", 16}};
    char padded[80];
    *bytes = 0;
    switch (format[0]) {
    case 'n':
        return NOTHING;
    case 'b':
        return BITS;
    case 'u':
    case 'z':
        *bytes = 4;
        return STRINGS;
    case 'U':
    case 'Z':
        *bytes = 8;
        return STRINGS;
    case 'v':
        *bytes = 16;
        return VIEWS;
    case 'w':
        *bytes = atoi(format + 2);
        return FIXED;
    case 'd': {
        const char *bits = strchr(strchr(format, ',') + 1, ',');
        *bytes = bits == NULL ? 16 : atoi(bits + 1) / 8;
        return FIXED;
    }
    case '+':
        *bytes = format[1] == 'L' ? 8 : format[1] == 'w' ? atoi(format + 3) : 4;
        return format[1] == 's'   ? STRUCTS
               : format[1] == 'w' ? FIXED_LISTS
                                  : LISTS;
    default:
        break;
    }
    *bytes = 8; /* a timestamp */
    snprintf(padded, sizeof padded, " %s ", format);
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (strstr(sizes[i].formats, padded) != NULL)
            *bytes = sizes[i].bytes;
    return FIXED;
}

/* -------------------------------------------------------------------- random */

struct random {
    uint64_t state;
};

static uint64_t draw(struct random *random) {
    random->state += 0x9e3779b97f4a7c15u;
    uint64_t x = random->state;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static int64_t draw_below(struct random *random, int64_t bound) {
    return (int64_t)(draw(random) % (uint64_t)bound);
}

static void *draw_bits(struct random *random, int64_t n, unsigned zeros) {
    unsigned char *const bits = must_alloc((size_t)(n + 7) / 8 + (n == 0));
    memset(bits, 0, (size_t)(n + 7) / 8);
    for (int64_t i = 0; i < n; i++)
        if (draw(random) % 6 >= zeros)
            bits[i / 8] |= (unsigned char)(1 << i % 8);
    return bits;
}

static bool bit_of(const void *bits, int64_t i) {
    return bits == NULL || (((const unsigned char *)bits)[i / 8] >> i % 8 & 1);
}

/* Numbers below 100, in the first byte of elements; of larger ones that no test
 * reads, any bytes. */
static void *draw_elements(struct random *random, int64_t n, int64_t bytes) {
    unsigned char *const to = must_alloc((size_t)(n * bytes) + 1);
    memset(to, 0, (size_t)(n * bytes));
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < bytes; j++)
            if (j == 0 || bytes > 8)
                to[i * bytes + j] = (unsigned char)draw_below(random, 100);
    /* Without the byte that stands for a size of 0. */
    return n * bytes == 0 ? to : realloc(to, (size_t)(n * bytes));
}

static void set_offset(void *offsets, int64_t bytes, int64_t i, int64_t value) {
    if (bytes == 4)
        ((int32_t *)offsets)[i] = (int32_t)value;
    else
        ((int64_t *)offsets)[i] = value;
}

static int64_t get_offset(const void *offsets, int64_t bytes, int64_t i) {
    return bytes == 4 ? ((const int32_t *)offsets)[i]
                      : ((const int64_t *)offsets)[i];
}

/* n + 1 offsets, which begin at some number; *end_p is the last. */
static void *draw_offsets(struct random *random, int64_t n, int64_t bytes,
                          int64_t most, int64_t *end_p) {
    void *const offsets = must_alloc((size_t)((n + 1) * bytes));
    int64_t at = draw_below(random, 5);
    for (int64_t i = 0; i <= n; i++) {
        set_offset(offsets, bytes, i, at);
        if (i < n)
            at += draw_below(random, 3) == 0 ? 0 : draw_below(random, most);
    }
    *end_p = at;
    return offsets;
}

static void *draw_bytes(struct random *random, int64_t n) {
    unsigned char *const to = must_alloc((size_t)n + (n == 0));
    for (int64_t i = 0; i < n; i++)
        to[i] = (unsigned char)('a' + draw_below(random, 26));
    return to;
}

struct view {
    int32_t length;
    char prefix[4];
    int32_t buffer, offset;
};

enum {
    VIEW_BUFFERS = 3,
    VIEW_BYTES = 1500
};

static void draw_view(struct random *random, const struct ArrowArray *array,
                      struct view *view) {
    char *const inside = (char *)view;
    memset(view, 0, sizeof *view);
    if (draw(random) % 2 == 0) {
        view->length = (int32_t)draw_below(random, 13);
        for (int i = 0; i < view->length; i++)
            inside[4 + i] = (char)('A' + draw_below(random, 26));
        return;
    }
    view->length = 13 + (int32_t)draw_below(random, 60);
    view->buffer = (int32_t)draw_below(random, VIEW_BUFFERS);
    view->offset = (int32_t)draw_below(random, VIEW_BYTES - view->length + 1);
    memcpy(view->prefix,
           (const char *)array->buffers[2 + view->buffer] + view->offset, 4);
}

static void draw_views(struct random *random, int64_t n,
                       struct ArrowArray *out) {
    struct view *const views = must_alloc((size_t)n * sizeof *views + (n == 0));
    int64_t *const sizes = must_alloc(VIEW_BUFFERS * sizeof *sizes);
    for (int i = 0; i < VIEW_BUFFERS; i++) {
        out->buffers[2 + i] = draw_bytes(random, VIEW_BYTES);
        sizes[i] = VIEW_BYTES;
    }
    out->buffers[2 + VIEW_BUFFERS] = sizes;
    for (int64_t i = 0; i < n; i++)
        if (bit_of(out->buffers[0], i))
            draw_view(random, out, &views[i]);
        else
            memset(&views[i], 0x7b, sizeof views[i]);
    out->buffers[1] = views;
}

static int64_t buffers_of(enum kind kind) {
    return kind == NOTHING                          ? 0
           : kind == STRUCTS || kind == FIXED_LISTS ? 1
           : kind == STRINGS                        ? 3
           : kind == VIEWS                          ? 3 + VIEW_BUFFERS
                                                    : 2;
}

static int64_t nulls_of(const struct ArrowArray *array) {
    int64_t nulls = 0;
    for (int64_t i = 0; i < array->length; i++)
        nulls += !bit_of(array->buffers[0], array->offset + i);
    return nulls;
}

/* Indices of entries; of nulls any. */
static void draw_indices(struct random *random, int64_t n, int64_t bytes,
                         struct ArrowArray *out) {
    unsigned char *const indices = draw_elements(random, n, bytes);
    for (int64_t i = 0; i < n; i++)
        indices[i * bytes] =
            bit_of(out->buffers[0], i)
                ? (unsigned char)draw_below(random, out->dictionary->length)
                : 255;
    out->buffers[1] = indices;
}

static void fill(const struct ArrowSchema *schema, uint64_t n,
                 const struct arrow_shape *shape, struct random *random,
                 struct ArrowArray *out) {
    int64_t bytes, end;
    const enum kind kind = kind_of(schema->format, &bytes);
    const int64_t offset = shape->sliced ? draw_below(random, 70) : 0;
    const int64_t all =
        offset + (int64_t)n + (shape->sliced ? draw_below(random, 9) : 0);

    make_array(NULL, schema, (int64_t)n, offset, buffers_of(kind), out);
    if (kind == NOTHING) {
        out->null_count = out->length;
        return;
    }
    if (shape->nulls)
        out->buffers[0] = draw_bits(random, all, 2);
    out->null_count = draw(random) % 2 == 0 ? nulls_of(out) : -1;
    if (schema->dictionary != NULL)
        fill(schema->dictionary, 40, shape, random, out->dictionary);
    switch (kind) {
    case BITS:
        out->buffers[1] = draw_bits(random, all, 3);
        break;
    case FIXED:
        if (schema->dictionary != NULL)
            draw_indices(random, all, bytes, out);
        else
            out->buffers[1] = draw_elements(random, all, bytes);
        break;
    case STRINGS:
        out->buffers[1] = draw_offsets(random, all, bytes, 20, &end);
        out->buffers[2] = draw_bytes(random, end);
        break;
    case VIEWS:
        draw_views(random, all, out);
        break;
    case LISTS:
        out->buffers[1] = draw_offsets(random, all, bytes, 5, &end);
        fill(schema->children[0], (uint64_t)end, shape, random,
             out->children[0]);
        break;
    case FIXED_LISTS:
        fill(schema->children[0], (uint64_t)(all * bytes), shape, random,
             out->children[0]);
        break;
    default:
        for (int64_t i = 0; i < out->n_children; i++)
            fill(schema->children[i], (uint64_t)all, shape, random,
                 out->children[i]);
    }
}

void arrow_random(const struct ArrowSchema *schema, uint64_t n,
                  const struct arrow_shape *shape, struct ArrowArray *out) {
    struct random random = {shape->seed};
    fill(schema, n, shape, &random, out);
}

/* ------------------------------------------------------------------ transfers */

static void get(const struct backend *backend, bool up, void *to,
                const void *from, size_t bytes) {
    if (up)
        memcpy(to, from, bytes);
    else
        backend_download(backend, to, from, bytes);
}

/* Bytes of a buffer. What they depend on is on `up ? host : device`. */
static size_t buffer_bytes(const struct backend *backend, bool up,
                           const struct ArrowSchema *schema,
                           const struct ArrowArray *in, int64_t number) {
    int64_t bytes, last[1];
    const enum kind kind = kind_of(schema->format, &bytes);
    const int64_t all = in->offset + in->length;
    if (number == 0)
        return (size_t)(all + 7) / 8;
    switch (kind) {
    case BITS:
        return (size_t)(all + 7) / 8;
    case STRINGS:
    case LISTS:
        if (number == 1)
            return (size_t)((all + 1) * bytes);
        last[0] = 0;
        get(backend, up, last, (const char *)in->buffers[1] + all * bytes,
            (size_t)bytes);
        return (size_t)last[0];
    case VIEWS:
        if (number == in->n_buffers - 1)
            return (size_t)(in->n_buffers - 3) * 8;
        if (number == 1)
            return (size_t)all * 16;
        get(backend, up, last,
            (const int64_t *)in->buffers[in->n_buffers - 1] + number - 2, 8);
        return (size_t)last[0];
    default:
        return (size_t)(all * bytes);
    }
}

/* Producers have the sizes of views' buffers on the host, or with the buffers. */
static bool keeps_sizes(const struct ArrowSchema *schema,
                        const struct ArrowArray *array) {
    int64_t bytes;
    return kind_of(schema->format, &bytes) == VIEWS && array->length % 2 == 0;
}

static void transfer(const struct backend *backend, bool up,
                     const struct ArrowSchema *schema,
                     const struct ArrowArray *in, struct ArrowArray *out) {
    make_array(up ? backend : NULL, schema, in->length, in->offset,
               in->n_buffers, out);
    struct owner *const owner = out->private_data;
    owner->sizes_on_host = up && keeps_sizes(schema, in);
    out->null_count = in->null_count;
    for (int64_t i = 0; i < in->n_buffers; i++) {
        const bool to_device =
            up && !(owner->sizes_on_host && i == in->n_buffers - 1);
        if (in->buffers[i] == NULL)
            continue;
        const size_t bytes = buffer_bytes(backend, up, schema, in, i);
        void *const to = to_device
                             ? backend_alloc(backend, bytes + (bytes == 0))
                             : must_alloc(bytes);
        if (to_device)
            backend_upload(backend, to, in->buffers[i], bytes);
        else if (up)
            memcpy(to, in->buffers[i], bytes);
        else
            backend_download(backend, to, in->buffers[i], bytes);
        out->buffers[i] = to;
    }
    for (int64_t i = 0; i < in->n_children; i++)
        transfer(backend, up, schema->children[i], in->children[i],
                 out->children[i]);
    if (schema->dictionary != NULL)
        transfer(backend, up, schema->dictionary, in->dictionary,
                 out->dictionary);
}

void arrow_upload(const struct backend *backend,
                  const struct ArrowSchema *schema, const struct ArrowArray *in,
                  struct ArrowArray *out) {
    transfer(backend, true, schema, in, out);
}

void arrow_download(const struct backend *backend,
                    const struct ArrowSchema *schema,
                    const struct ArrowArray *in, struct ArrowArray *out) {
    transfer(backend, false, schema, in, out);
}

/* ---------------------------------------------------------------- the oracle */

static void append(struct arrow_text *to, const void *from, size_t bytes) {
    if (to->length + bytes > to->room) {
        to->room = 2 * (to->length + bytes) + 100;
        to->bytes = realloc(to->bytes, to->room);
        if (to->bytes == NULL)
            abort();
    }
    if (bytes > 0)
        memcpy(to->bytes + to->length, from, bytes);
    to->length += bytes;
}

static void append_word(struct arrow_text *to, const char *word) {
    append(to, word, strlen(word));
}

static void append_quoted(struct arrow_text *to, const void *from,
                          int64_t bytes) {
    append_word(to, "'");
    append(to, from, (size_t)bytes);
    append_word(to, "'");
}

static int64_t index_of(const void *indices, int64_t bytes, int64_t i) {
    int64_t index = 0;
    memcpy(&index, (const char *)indices + i * bytes, (size_t)bytes);
    return index;
}

static void append_range(struct arrow_text *to,
                         const struct ArrowSchema *schema,
                         const struct ArrowArray *child, int64_t begin,
                         int64_t end) {
    append_word(to, "[");
    for (int64_t i = begin; i < end; i++)
        arrow_write(to, schema->children[0], child, i);
    append_word(to, "]");
}

static void append_view(struct arrow_text *to, const struct ArrowArray *array,
                        int64_t at) {
    const struct view *const view = (const struct view *)array->buffers[1] + at;
    append_quoted(to,
                  view->length <= 12
                      ? (const char *)view + 4
                      : (const char *)array->buffers[2 + view->buffer] +
                            view->offset,
                  view->length);
    if (view->length > 12)
        append(to, view->prefix, 4);
}

void arrow_write(struct arrow_text *to, const struct ArrowSchema *schema,
                 const struct ArrowArray *array, int64_t i) {
    int64_t bytes;
    const enum kind kind = kind_of(schema->format, &bytes);
    const int64_t at = array->offset + i;
    if (kind == NOTHING || !bit_of(array->buffers[0], at)) {
        append_word(to, "null ");
        return;
    }
    if (schema->dictionary != NULL) {
        arrow_write(to, schema->dictionary, array->dictionary,
                    index_of(array->buffers[1], bytes, at));
        return;
    }
    switch (kind) {
    case BITS:
        append_word(to, bit_of(array->buffers[1], at) ? "true " : "false ");
        break;
    case FIXED:
        append_quoted(to, (const char *)array->buffers[1] + at * bytes, bytes);
        break;
    case STRINGS: {
        const int64_t begin = get_offset(array->buffers[1], bytes, at);
        append_quoted(to, (const char *)array->buffers[2] + begin,
                      get_offset(array->buffers[1], bytes, at + 1) - begin);
        break;
    }
    case VIEWS:
        append_view(to, array, at);
        break;
    case LISTS:
        append_range(to, schema, array->children[0],
                     get_offset(array->buffers[1], bytes, at),
                     get_offset(array->buffers[1], bytes, at + 1));
        break;
    case FIXED_LISTS:
        append_range(to, schema, array->children[0], at * bytes,
                     (at + 1) * bytes);
        break;
    default:
        append_word(to, "{");
        for (int64_t j = 0; j < array->n_children; j++)
            arrow_write(to, schema->children[j], array->children[j], at);
        append_word(to, "}");
    }
}
