/*
 * The checks of an array that npy_parse() took.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "npy_use.h"

#include <stdlib.h>
#include <string.h>

enum {
    ITEMS = 7
};

static bool is_same(const npy_array *array, const npy_array *again) {
    return again->items == ITEMS && again->item.bytes == array->item.bytes &&
           again->item.field_count == array->item.field_count &&
           strcmp(again->descr, array->descr) == 0 &&
           strcmp(again->tail, array->tail) == 0;
}

static const char *read_again(const npy_array *array, const char *header,
                              size_t bytes) {
    npy_array again;
    unsigned version = 0;
    char why[256];
    const unsigned skip =
        NPY_MAGIC_BYTES +
        npy_length_bytes((const unsigned char *)header, &version);
    if (bytes % 64 != 0 || !npy_parse(&again, version, header + skip,
                                      bytes - skip, "x", why, sizeof why))
        return "it cannot be read again";
    const bool same = is_same(array, &again);
    npy_clear(&again);
    return same ? NULL : "it is another when it is read again";
}

const char *fuzz_npy_use(const npy_array *array, size_t header_bytes) {
    const record *const item = &array->item;
    size_t bytes = 0;
    for (size_t f = 0; f < item->field_count; f++) {
        const record_field *const field = &item->fields[f];
        if (field->offset > item->bytes ||
            winnow_type_size(field->type) > item->bytes - field->offset)
            return "a field is outside";
    }
    if (item->bytes != 0 && array->items > INT64_MAX / item->bytes)
        return "it is too large";
    if (item->bytes > 4096) /* no pipe takes it */
        return NULL;
    char *const header = npy_write(array, ITEMS, header_bytes, &bytes);
    if (header == NULL)
        return "no memory";
    const char *const wrong = read_again(array, header, bytes);
    free(header);
    return wrong;
}
