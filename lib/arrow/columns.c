/*
 * The columns of a record batch, as conditions read them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "columns.h"
#include "check.h"
#include "core/status.h"

#include <stdlib.h>

static void describe(const winnow__arrow_type *type,
                     const struct ArrowArray *array, uint64_t start,
                     winnow_in *in) {
    const void *const valid = winnow__arrow_validity(type, array);
    const uint64_t first = (uint64_t)array->offset + start;
    in->type = type->type;
    if (type->kind == WINNOW__ARROW_BITS) {
        in->d_base = array->buffers[1];
        in->offset = first;
    } else if (type->kind == WINNOW__ARROW_FIXED) {
        in->d_base =
            (const char *)array->buffers[1] + first * type->element_bytes;
        if (type->type == WINNOW_OPAQUE)
            in->element_bytes = (uint32_t)type->element_bytes;
    }
    if (valid != NULL) {
        in->d_valid = valid;
        in->valid_offset = first;
    }
}

winnow_status winnow__arrow_columns_make(winnow__arrow_columns *columns,
                                         winnow__arrow_place *place,
                                         const struct ArrowSchema *schema,
                                         const struct ArrowArray *batch) {
    const winnow__arrow_path nowhere = {0};
    (void)place;
    columns->number = (unsigned)batch->n_children;
    columns->in = calloc((size_t)batch->n_children + 1, sizeof *columns->in);
    if (columns->in == NULL)
        return winnow__fail(WINNOW_ERR_MEMORY, "no host memory for columns");
    for (unsigned i = 0; i < columns->number; i++) {
        winnow__arrow_type type;
        winnow_status status =
            winnow__arrow_type_of(&nowhere, schema->children[i], &type);
        if (status != WINNOW_OK) {
            winnow__arrow_columns_free(columns);
            return status;
        }
        describe(&type, batch->children[i], (uint64_t)batch->offset,
                 &columns->in[i]);
    }
    return WINNOW_OK;
}

void winnow__arrow_columns_free(winnow__arrow_columns *columns) {
    free(columns->in);
}
