/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "placed.h"

#include <stdlib.h>
#include <string.h>

static const void *moved(const struct formula_column *column,
                         void *const memory[], const void *address) {
    for (unsigned m = 0; m < FORMULA_MEMORY; m++) {
        const unsigned char *const from = column->memory[m];
        const unsigned char *const at = address;
        if (from != NULL && at >= from && at < from + column->bytes[m])
            return (unsigned char *)memory[m] + (at - from);
    }
    return address == column->buffers && address != NULL
               ? memory[FORMULA_MEMORY]
               : NULL;
}

static void move(const struct formula_column *column, void *const memory[],
                 winnow_in *in) {
    in->d_base = moved(column, memory, in->d_base);
    in->d_data = moved(column, memory, in->d_data);
    in->d_valid = moved(column, memory, in->d_valid);
}

void placed_open(struct placed *placed, const struct backend *backend,
                 const struct formula_table *table) {
    memset(placed, 0, sizeof *placed);
    placed->backend = backend;
    for (unsigned c = 0; c < table->columns; c++) {
        const struct formula_column *const column = &table->column[c];
        void **const memory = placed->memory[c];
        for (unsigned m = 0; m < FORMULA_MEMORY; m++) {
            if (column->memory[m] == NULL)
                continue;
            memory[m] = backend_alloc(backend, column->bytes[m]);
            backend_upload(backend, memory[m], column->memory[m],
                           column->bytes[m]);
        }
        if (column->type == WINNOW_VIEW) {
            const winnow_buffer buffer = {.d_bytes = memory[2], .bytes = 64};
            memory[FORMULA_MEMORY] = backend_alloc(backend, sizeof buffer);
            backend_upload(backend, memory[FORMULA_MEMORY], &buffer,
                           sizeof buffer);
        }
        placed->in[c] = column->in;
        placed->dictionary[c] = column->dictionary;
        move(column, memory, &placed->in[c]);
        move(column, memory, &placed->dictionary[c]);
        if (column->in.dictionary != NULL)
            placed->in[c].dictionary = &placed->dictionary[c];
    }
}

void placed_close(struct placed *placed) {
    for (unsigned c = 0; c < FORMULA_COLUMNS; c++)
        for (unsigned m = 0; m < FORMULA_MEMORY + 1; m++)
            if (placed->memory[c][m] != NULL)
                backend_free(placed->backend, placed->memory[c][m]);
}

bool placed_compiles(const struct placed *placed) {
    const char *const nvrtc = getenv("WINNOW_NVRTC");

    return placed->backend->gpu && (nvrtc == NULL || strcmp(nvrtc, "off") != 0);
}
