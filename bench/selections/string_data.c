/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "string_data.h"

#include "../util.h"

#include <stddef.h>
#include <string.h>

/* As Arrow has them: up to 12 bytes; or the first 4, a buffer and the offset there. */
typedef struct view {
    uint32_t bytes;
    char first[4];
    uint32_t buffer, offset;
} view;
#define INSIDE 12

void selections_strings_init(selections_strings *s, bench_lab *lab, uint64_t n,
                             unsigned mean, unsigned spread, unsigned letters) {
    uint64_t at = 0;
    s->n = n;
    s->offsets = lab_host(lab, (n + 1) * sizeof *s->offsets);
    for (uint64_t i = 0; i < n; i++) {
        s->offsets[i] = at;
        at += mean - spread + lab_random(45, i) % (2 * spread + 1);
    }
    s->offsets[n] = s->bytes = at;
    s->text = lab_host(lab, at + 8);
#pragma omp parallel for
    for (uint64_t w = 0; w < at / 8 + 1; w++) {
        const uint64_t drawn = lab_random(46, w);
        for (unsigned k = 0; k < 8; k++)
            s->text[8 * w + k] =
                (char)('a' + (drawn >> 8 * k & 0xff) % letters);
    }
}

void selections_strings_repeat(selections_strings *s, bench_lab *lab,
                               uint64_t n, const selections_strings *entries,
                               selections_entry_draw *draw) {
    uint64_t at = 0, bytes;
    s->n = n;
    s->offsets = lab_host(lab, (n + 1) * sizeof *s->offsets);
    for (uint64_t i = 0; i < n; i++) {
        s->offsets[i] = at;
        selections_strings_at(entries, draw(i), &bytes);
        at += bytes;
    }
    s->offsets[n] = s->bytes = at;
    s->text = lab_host(lab, at);
#pragma omp parallel for private(bytes)
    for (uint64_t i = 0; i < n; i++) {
        const char *const from =
            selections_strings_at(entries, draw(i), &bytes);
        memcpy(s->text + s->offsets[i], from, bytes);
    }
}

const char *selections_strings_at(const selections_strings *s, uint64_t i,
                                  uint64_t *bytes_p) {
    *bytes_p = s->offsets[i + 1] - s->offsets[i];
    return s->text + s->offsets[i];
}

size_t selections_offset_bytes(winnow_type type) {
    return type == WINNOW_STRING32   ? sizeof(uint32_t)
           : type == WINNOW_STRING64 ? sizeof(uint64_t)
                                     : sizeof(view);
}

void *selections_offsets(bench_lab *lab, winnow_type type,
                         const uint64_t *offsets, uint64_t count) {
    const uint32_t size = (uint32_t)selections_offset_bytes(type);
    void *const written = lab_host(lab, count * size);
#pragma omp parallel for
    for (uint64_t i = 0; i < count; i++)
        bench_store(written, size, i, offsets[i]);
    return written;
}

static winnow_in send_views(const selections_strings *s, bench_lab *lab) {
    view *const views = lab_host(lab, s->n * sizeof *views);
    const winnow_buffer text = {lab_send(lab, s->text, s->bytes), s->bytes};
#pragma omp parallel for
    for (uint64_t i = 0; i < s->n; i++) {
        uint64_t bytes;
        const char *const at = selections_strings_at(s, i, &bytes);
        views[i] = (view){.bytes = (uint32_t)bytes};
        if (bytes <= INSIDE) {
            memcpy((char *)&views[i] + offsetof(view, first), at, bytes);
        } else {
            memcpy(views[i].first, at, sizeof views[i].first);
            views[i].offset = (uint32_t)s->offsets[i];
        }
    }
    return (winnow_in){.type = WINNOW_VIEW,
                       .d_base = lab_send(lab, views, s->n * sizeof *views),
                       .d_data = lab_send(lab, &text, sizeof text),
                       .data_size = 1};
}

winnow_in selections_strings_send(const selections_strings *s, bench_lab *lab,
                                  winnow_type type) {
    if (type == WINNOW_VIEW)
        return send_views(s, lab);
    if (type == WINNOW_STRING32 && s->bytes > INT32_MAX)
        bench_fail("%s: more than 2^31 - 1 bytes", winnow_type_name(type));
    const void *const offsets =
        selections_offsets(lab, type, s->offsets, s->n + 1);
    return (winnow_in){
        .type = type,
        .d_base =
            lab_send(lab, offsets, (s->n + 1) * selections_offset_bytes(type)),
        .d_data = lab_send(lab, s->text, s->bytes),
        .data_size = s->bytes};
}
