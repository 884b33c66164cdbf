/*
 * A record batch whose structs say anything: it is refused, or filtered. What
 * buffers point to is there, and zero: a producer that lies about memory is
 * beyond what a consumer can see.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdbool.h>
#include <string.h>

#include <winnow/arrow.h>

#include "fuzz.h"

enum {
    MOST_NODES = 40,
    MOST_CHILDREN = 4,
    MOST_BUFFERS = 6,
    DEPTH = 4,
    POOL = 1 << 16
};

/* The schema and the array of a column, or of what is in one. */
struct node {
    struct ArrowSchema schema, *schemas[MOST_CHILDREN];
    struct ArrowArray array, *arrays[MOST_CHILDREN];
    const void *buffers[MOST_BUFFERS];
    char format[12];
};

static struct node nodes[MOST_NODES];
static unsigned used;
static winnow_context *context;
static _Alignas(64) uint8_t zeros[POOL], ones[POOL];

static void keep_schema(struct ArrowSchema *schema) {
    schema->release = NULL;
}

static void keep_array(struct ArrowArray *array) {
    array->release = NULL;
}

static const char *const formats[] = {
    "i",        "c",     "g",       "b",      "u",      "U",     "z",    "vu",
    "vz",       "n",     "+s",      "+l",     "+L",     "+vl",   "+w:3", "+m",
    "+r",       "w:5",   "d:9,2",   "d:38,4", "tdD",    "tsu:Z", "tDn",  "e",
    "d:9,2,32", "+us:1", "+ud:0,1", "tin",    "w:4097", "+w:0",  "L",    "f"};

static int64_t draw_number(struct fuzz_bytes *bytes, int64_t usual) {
    static const int64_t odd[] = {0, 1, -1, 2, 41, INT64_MAX, INT64_MIN, 3};
    const unsigned byte = fuzz_byte(bytes);
    return byte < 200 ? usual : odd[byte % 8];
}

static void draw_format(struct fuzz_bytes *bytes, struct node *node) {
    const unsigned byte = fuzz_byte(bytes);
    if (byte < 240) {
        snprintf(node->format, sizeof node->format, "%s",
                 formats[byte % (sizeof formats / sizeof formats[0])]);
        return;
    }
    for (unsigned i = 0; i + 1 < sizeof node->format; i++)
        node->format[i] = (char)fuzz_byte(bytes);
    node->format[sizeof node->format - 1] = '\0';
}

static void draw_buffers(struct fuzz_bytes *bytes, struct node *node) {
    static const char *const three[] = {"u", "U", "z", "vu", "vz"};
    int64_t usual = node->format[0] == '+' ? 1 : 2;
    for (unsigned i = 0; i < sizeof three / sizeof three[0]; i++)
        if (strcmp(node->format, three[i]) == 0)
            usual = 3;
    node->array.n_buffers = draw_number(bytes, usual);
    for (int i = 0; i < MOST_BUFFERS; i++) {
        const unsigned byte = fuzz_byte(bytes);
        node->buffers[i] = byte < 30                 ? NULL
                           : byte < 60               ? zeros + byte % 8
                           : i == 0 && byte % 2 == 0 ? ones
                                                     : zeros;
    }
    node->array.buffers = fuzz_byte(bytes) < 250 ? node->buffers : NULL;
}

static const char *const names[MOST_CHILDREN] = {"k", "c", "d", ""};

/* A node is at `depth`, with children below, and perhaps a dictionary. NULL: there
 * are enough. */
static struct node *draw_node(struct fuzz_bytes *bytes, int depth, int64_t n,
                              const char *name) {
    if (used == MOST_NODES || depth > DEPTH)
        return NULL;
    struct node *const node = &nodes[used++];
    *node = (struct node){.schema = {.name = name, .release = keep_schema},
                          .array = {.release = keep_array}};
    draw_format(bytes, node);
    if (depth == 0)
        strcpy(node->format, "+s");
    node->schema.format = fuzz_byte(bytes) < 253 ? node->format : NULL;
    node->schema.flags = fuzz_byte(bytes) % 8;
    node->array.length = draw_number(bytes, n);
    node->array.offset = fuzz_byte(bytes) < 50 ? draw_number(bytes, 1) : 0;
    node->array.null_count = draw_number(bytes, 0);
    draw_buffers(bytes, node);
    const unsigned wanted =
        node->format[0] == '+' ? 1 + fuzz_byte(bytes) % MOST_CHILDREN : 0;
    unsigned number = 0;
    while (number < wanted) {
        struct node *const child =
            draw_node(bytes, depth + 1, n, names[number]);
        if (child == NULL)
            break;
        node->schemas[number] = &child->schema;
        node->arrays[number++] = &child->array;
    }
    /* Behind the last there is NULL, so that a count may say more. */
    const int64_t told = draw_number(bytes, number);
    const bool possible = told <= MOST_CHILDREN;
    node->schema.n_children = possible ? told : number;
    node->array.n_children =
        fuzz_byte(bytes) < 250 ? node->schema.n_children : number;
    node->schema.children = node->schemas;
    node->array.children = node->arrays;
    if (fuzz_byte(bytes) > 225) {
        struct node *const values = draw_node(bytes, depth + 1, n, "");
        node->schema.dictionary = values != NULL ? &values->schema : NULL;
        node->array.dictionary =
            values != NULL && fuzz_byte(bytes) < 250 ? &values->array : NULL;
    }
    return node;
}

static bool is_refusal(winnow_status status) {
    return status == WINNOW_ERR_ARGUMENT || status == WINNOW_ERR_SYNTAX ||
           status == WINNOW_ERR_UNSUPPORTED;
}

static void filter(const struct node *root, const char *text) {
    const struct ArrowDeviceArray in = {
        .array = root->array, .device_id = -1, .device_type = ARROW_DEVICE_CPU};
    struct ArrowDeviceArray out;
    winnow_condition *condition = NULL;
    winnow_status status =
        winnow_condition_parse_arrow(&condition, &root->schema, text);
    if (status != WINNOW_OK) {
        FUZZ_MUST(is_refusal(status));
        return;
    }
    status =
        winnow_filter_arrow(context, condition, &root->schema, &in, &out, NULL);
    winnow_condition_destroy(condition);
    if (status != WINNOW_OK) {
        FUZZ_MUST(is_refusal(status));
        return;
    }
    FUZZ_MUST(out.array.length >= 0 && out.array.length <= in.array.length);
    FUZZ_MUST(out.array.n_children == in.array.n_children);
    out.array.release(&out.array);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const texts[] = {"k = 0", "true", "k is null", "c < 'b'",
                                        "k = 1"};
    struct fuzz_bytes bytes = {data, data + size};
    memset(ones, 0xff, sizeof ones);
    if (context == NULL)
        FUZZ_MUST(winnow_context_create(&context, WINNOW_DEVICE_HOST) ==
                  WINNOW_OK);
    used = 0;
    const char *const text = texts[fuzz_byte(&bytes) % 5];
    const struct node *const root =
        draw_node(&bytes, 0, fuzz_byte(&bytes) % 40, "");
    filter(root, text);
    return 0;
}
