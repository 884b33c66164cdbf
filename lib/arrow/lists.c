/*
 * Lists. Those of a fixed size whose elements have nothing but bytes of a fixed
 * size are packed as elements themselves; the children of others by a selection
 * of their own.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pack.h"

/* ------------------------------------------------------- lists as elements */

/* Bytes of an element of the child; 0: it has more than bytes. */
static uint64_t plain_bytes(const struct ArrowSchema *schema,
                            const struct ArrowArray *in) {
    const winnow__arrow_path nowhere = {0};
    winnow__arrow_type type;
    if (winnow__arrow_type_of(&nowhere, schema, &type) != WINNOW_OK ||
        winnow__arrow_validity(&type, in) != NULL || in->dictionary != NULL)
        return 0;
    return type.kind == WINNOW__ARROW_FIXED
               ? type.element_bytes
               : winnow__arrow_list_bytes(&type, schema, in);
}

uint64_t winnow__arrow_list_bytes(const winnow__arrow_type *type,
                                  const struct ArrowSchema *schema,
                                  const struct ArrowArray *in) {
    if (type->kind != WINNOW__ARROW_FIXED_LIST)
        return 0;
    const uint64_t bytes =
        plain_bytes(schema->children[0], in->children[0]) * type->list_size;
    return bytes > WINNOW__ARROW_MOST_ELEMENT ? 0 : bytes;
}

winnow_status winnow__arrow_list_elements(winnow__arrow_level *level,
                                          const winnow__arrow_item *item,
                                          const void **from_p, void **to_p) {
    const struct ArrowSchema *schema = item->schema;
    const struct ArrowArray *in = item->in;
    struct ArrowArray *out = item->out;
    winnow__arrow_type type = item->type;
    uint64_t start = item->start, length = level->count;
    winnow_status status = WINNOW_OK;
    while (type.kind == WINNOW__ARROW_FIXED_LIST && status == WINNOW_OK) {
        const uint64_t size = type.list_size;
        schema = schema->children[0];
        in = in->children[0];
        out = out->children[0];
        start = (uint64_t)in->offset + start * size;
        length *= size;
        status = winnow__arrow_type_of(item->path, schema, &type);
        if (status == WINNOW_OK)
            status =
                winnow__arrow_make(level->place, out, (unsigned)in->n_buffers,
                                   (unsigned)in->n_children, false);
        out->length = (int64_t)length;
    }
    if (status == WINNOW_OK)
        status = winnow__arrow_buffer(level->place, out, 1,
                                      length * type.element_bytes, to_p);
    *from_p = (const char *)in->buffers[1] + start * type.element_bytes;
    return status;
}

winnow_status winnow__arrow_lists(winnow__arrow_level *level,
                                  const winnow__arrow_item *item) {
    (void)level;
    if (item->out->n_children == 1 && item->out->children[0]->release != NULL)
        return WINNOW_OK;
    return winnow__arrow_fail(item->path, WINNOW_ERR_UNSUPPORTED,
                              "lists are not filtered");
}
