/*
 * The columns of a record batch, as conditions read them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "filter.h"
#include "check.h"
#include "condition/program/tree.h"
#include "core/status.h"

#include <stdlib.h>

/* The elements of an array that a condition tests: `n`, from number `first` of
 * its buffers on. */
typedef struct elements {
    const winnow__arrow_path *path;
    winnow__arrow_type type;
    const struct ArrowArray *array;
    uint64_t first, n;
} elements;

static winnow_status fail_alignment(const elements *part, const char *what,
                                    unsigned bytes) {
    return winnow__arrow_fail(part->path, WINNOW_ERR_ARGUMENT,
                              "the %s are not aligned to %u bytes", what,
                              bytes);
}

/* On a device the offsets and sizes are in its memory, too. */
static winnow_status describe_strings(winnow__arrow_columns *columns,
                                      const elements *part, winnow_in *in) {
    const unsigned bytes = part->type.offset_bytes;
    const char *const offsets =
        (const char *)part->array->buffers[1] + part->first * bytes;
    int64_t end = 0;
    int32_t short_end = 0;
    if ((uintptr_t)offsets % bytes != 0)
        return fail_alignment(part, "offsets", bytes);
    WINNOW__TRY(winnow__arrow_fetch(
        columns->place, bytes == 4 ? (void *)&short_end : (void *)&end,
        offsets + part->n * bytes, bytes));
    end = bytes == 4 ? short_end : end;
    if (end < 0)
        return winnow__arrow_fail(
            part->path, WINNOW_ERR_ARGUMENT, "offset %llu is %lld",
            (unsigned long long)(part->first + part->n), (long long)end);
    in->d_base = offsets;
    in->d_data = part->array->buffers[2];
    in->data_size = (uint64_t)end;
    return WINNOW_OK;
}

static winnow_status describe_buffers(winnow__arrow_columns *columns,
                                      const elements *part, unsigned number,
                                      int64_t *sizes, winnow_buffer *list,
                                      void *to) {
    const struct ArrowArray *const array = part->array;
    winnow_status status = winnow__arrow_fetch(
        columns->place, sizes, array->buffers[array->n_buffers - 1],
        number * sizeof *sizes);
    for (unsigned i = 0; i < number && status == WINNOW_OK; i++) {
        if (sizes[i] < 0)
            status = winnow__arrow_fail(part->path, WINNOW_ERR_ARGUMENT,
                                        "buffers[%u] is of %lld bytes", 2 + i,
                                        (long long)sizes[i]);
        list[i] = (winnow_buffer){.d_bytes = array->buffers[2 + i],
                                  .bytes = (uint64_t)sizes[i]};
    }
    /* `list` is host memory that the caller frees, so wait for the copy to a device. */
    if (status == WINNOW_OK)
        status =
            winnow__arrow_copy(columns->place, to, list, number * sizeof *list);
    return status == WINNOW_OK
               ? winnow__arrow_fetch(columns->place, sizes, to, sizeof *sizes)
               : status;
}

static winnow_status describe_views(winnow__arrow_columns *columns,
                                    const elements *part, winnow_in *in,
                                    void **to_p) {
    const unsigned number = (unsigned)(part->array->n_buffers - 3);
    in->d_base = (const char *)part->array->buffers[1] + part->first * 16;
    if ((uintptr_t)in->d_base % 8 != 0)
        return fail_alignment(part, "views", 8);
    if (number == 0)
        return WINNOW_OK;
    WINNOW__TRY(winnow__arrow_take(columns->place,
                                   number * sizeof(winnow_buffer), to_p));
    int64_t *const sizes = malloc(number * sizeof *sizes);
    winnow_buffer *const list = malloc(number * sizeof *list);
    winnow_status status =
        sizes == NULL || list == NULL
            ? winnow__no_memory("buffers")
            : describe_buffers(columns, part, number, sizes, list, *to_p);
    free(list);
    free(sizes);
    in->d_data = *to_p;
    in->data_size = number;
    return status;
}

static winnow_status describe(winnow__arrow_columns *columns,
                              const elements *part, winnow_in *in,
                              void **buffers_p) {
    const void *const valid = winnow__arrow_validity(&part->type, part->array);
    *in = (winnow_in){.type = part->type.type};
    if (part->n == 0) /* pointers to no elements may have any value */
        return WINNOW_OK;
    if (valid != NULL) {
        in->d_valid = valid;
        in->valid_offset = part->first;
    }
    switch (part->type.kind) {
    case WINNOW__ARROW_BITS:
        in->d_base = part->array->buffers[1];
        in->offset = part->first;
        return WINNOW_OK;
    case WINNOW__ARROW_FIXED:
        in->d_base = (const char *)part->array->buffers[1] +
                     part->first * part->type.element_bytes;
        return WINNOW_OK;
    case WINNOW__ARROW_STRINGS:
        return describe_strings(columns, part, in);
    case WINNOW__ARROW_VIEWS:
        return describe_views(columns, part, in, buffers_p);
    default:
        return WINNOW_OK;
    }
}

/* Describe column i of a batch. */
static winnow_status describe_column(winnow__arrow_columns *columns,
                                     const struct ArrowSchema *schema,
                                     const struct ArrowArray *batch,
                                     unsigned i) {
    const struct ArrowArray *const array = batch->children[i];
    const winnow__arrow_path nowhere = {0};
    const winnow__arrow_path path = {.parent = &nowhere,
                                     .name = schema->children[i]->name};
    elements column = {.path = &path,
                       .array = array,
                       .first =
                           (uint64_t)array->offset + (uint64_t)batch->offset,
                       .n = (uint64_t)batch->length};
    WINNOW__TRY(
        winnow__arrow_type_of(&path, schema->children[i], &column.type));
    WINNOW__TRY(
        describe(columns, &column, &columns->in[i], &columns->buffers[i]));
    if (array->dictionary == NULL)
        return WINNOW_OK;
    if (array->dictionary->dictionary != NULL)
        return winnow__arrow_fail(&path, WINNOW_ERR_UNSUPPORTED,
                                  "no condition takes a dictionary of a "
                                  "dictionary");
    elements values = {.path = &path,
                       .array = array->dictionary,
                       .first = (uint64_t)array->dictionary->offset,
                       .n = (uint64_t)array->dictionary->length};
    WINNOW__TRY(winnow__arrow_type_of(&path, schema->children[i]->dictionary,
                                      &values.type));
    WINNOW__TRY(
        describe(columns, &values, &columns->values[i], &columns->buffers[i]));
    columns->in[i].dictionary = &columns->values[i];
    columns->in[i].dictionary_n = values.n;
    return WINNOW_OK;
}

winnow_status winnow__arrow_columns_make(winnow__arrow_columns *columns,
                                         winnow__arrow_place *place,
                                         const winnow_condition *condition,
                                         const struct ArrowSchema *schema,
                                         const struct ArrowArray *batch) {
    const winnow__tested *const tested = &condition->tested;
    /* One more of each, so that no size is 0. */
    const size_t number = (size_t)batch->n_children + 1;
    *columns = (winnow__arrow_columns){
        .place = place,
        .number = (unsigned)batch->n_children,
        .in = calloc(number, sizeof *columns->in),
        .values = calloc(number, sizeof *columns->values),
        .buffers = calloc(number, sizeof *columns->buffers)};
    if (columns->in == NULL || columns->values == NULL ||
        columns->buffers == NULL)
        return winnow__no_memory("columns");
    for (unsigned i = 0; i < tested->read_number; i++)
        if (tested->read[i] < columns->number)
            WINNOW__TRY(
                describe_column(columns, schema, batch, tested->read[i]));
    return WINNOW_OK;
}

void winnow__arrow_columns_free(winnow__arrow_columns *columns) {
    for (unsigned i = 0; columns->buffers != NULL && i < columns->number; i++)
        winnow__arrow_give(columns->place, columns->buffers[i]);
    free(columns->buffers);
    free(columns->values);
    free(columns->in);
}
