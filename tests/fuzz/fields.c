/*
 * Columns of every type.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "fields.h"

#include <stdint.h>

enum {
    ITEMS = 40
};

const winnow_field fuzz_fields[FUZZ_FIELDS] = {
    {.name = "price", .type = WINNOW_FLOAT32},
    {.name = "flags", .type = WINNOW_UINT8},
    {.name = "id", .type = WINNOW_INT64},
    {.name = "x", .type = WINNOW_INT16},
    {.name = "half_1", .type = WINNOW_FLOAT16},
    {.name = "and", .type = WINNOW_UINT16},
    {.name = "a \"b\"", .type = WINNOW_INT32},
    {.name = "day", .type = WINNOW_INT32, .format = "tdD"},
    {.name = "at", .type = WINNOW_INT64, .format = "tsm:UTC"},
    {.name = "took", .type = WINNOW_INT64, .format = "tDn"},
    {.name = "cost", .type = WINNOW_INT64, .format = "d:18,2,64"},
    {.name = "wide", .type = WINNOW_INT128},
    {.name = "sum", .type = WINNOW_INT128, .format = "d:38,4"},
    {.name = "s", .type = WINNOW_STRING32},
    {.name = "t", .type = WINNOW_VIEW},
    {.name = "kind", .type = WINNOW_STRING64}, /* a dictionary */
    {.name = "ok", .type = WINNOW_BIT}};
/* Columns of the fields, each other one with nulls. */
static void fill(winnow_in *columns) {
    static const uint64_t elements[2 * ITEMS];
    static const uint8_t valid[ITEMS / 8] = {0xb7, 0x0f, 0xff, 0x55, 0xfe};
    static const char bytes[] = "it's left, lmn";
    static const winnow_buffer buffer = {bytes, sizeof(bytes)};
    static uint32_t offsets[ITEMS + 1], views[4 * ITEMS];
    static uint64_t far[ITEMS + 1];
    static winnow_in values;

    for (uint32_t i = 0; i <= ITEMS; i++)
        far[i] = offsets[i] = i / 3;
    for (uint32_t i = 0; i < ITEMS; i++)
        views[4 * i] = i % 16;
    values = (winnow_in){.type = WINNOW_STRING64,
                         .d_base = far,
                         .d_data = bytes,
                         .data_size = sizeof(bytes)};
    for (unsigned i = 0; i < FUZZ_FIELDS; i++) {
        winnow_in *const in = &columns[i];

        *in = (winnow_in){.type = fuzz_fields[i].type, .d_base = elements};
        if (in->type == WINNOW_STRING32) {
            in->d_base = offsets;
            in->d_data = bytes;
            in->data_size = sizeof(bytes);
        } else if (in->type == WINNOW_VIEW) {
            in->d_base = views;
            in->d_data = &buffer;
            in->data_size = 1;
        } else if (in->type == WINNOW_STRING64) {
            in->type = WINNOW_INT16;
            in->dictionary = &values;
            in->dictionary_n = ITEMS;
        }
        if (i % 2 == 0)
            in->d_valid = (const void *)valid;
    }
}

bool fuzz_use(winnow_context *context, const winnow_condition *condition) {
    static _Alignas(16) unsigned char selection[1024];
    winnow_in columns[FUZZ_FIELDS];

    fill(columns);
    return winnow_select_where(context, condition, columns, FUZZ_FIELDS, ITEMS,
                               selection, sizeof(selection), NULL) == WINNOW_OK;
}
