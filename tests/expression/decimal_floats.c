/*
 * Casts of floats to decimals, beside the digits that printf() writes of a float:
 * with glibc they are all that it has.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "decimals.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conditions.h"
#include "element.h"
#include "suite.h"

enum {
    N = 500,
    MOST_DIGITS = 38,
    PLACES = 1080, /* a float64 has at most 1074 */
    DIGITS = 400 + PLACES
};

struct floats {
    const struct backend *backend;
    winnow_type type;
    int precision, scale;
    unsigned char elements[8 * N];
    wide wanted[N];
    bool null[N];
};

/* Any, a special one, half way between decimals, or one that is written with few
 * digits. */
static uint64_t draw_bits(const struct floats *floats, uint64_t *seed) {
    const uint64_t any = draw_next(seed, UINT64_MAX);
    const int64_t whole = (int64_t)(any >> draw_next(seed, 64));
    const double odd = (double)(2 * (whole / 1024) + 1);
    double value = ldexp(odd, -1 - (int)draw_next(seed, MOST_DIGITS));
    uint64_t bits;
    float narrow;

    if (draw_next(seed, 2) == 0)
        value = (double)whole / pow(10, (double)draw_next(seed, MOST_DIGITS));
    else if (draw_next(seed, 2) == 0)
        value = nextafter(pow(10, (double)draw_next(seed, MOST_DIGITS + 2)),
                          draw_next(seed, 2) == 0 ? 0 : INFINITY);
    value = any % 2 == 0 ? value : -value;
    switch (draw_next(seed, 8)) {
    case 0:
        return element_infinity(floats->type);
    case 1:
        return element_nan(floats->type);
    case 2:
        return any & element_all_bits(floats->type);
    default:
        break;
    }
    if (floats->type == WINNOW_FLOAT16)
        return any & element_all_bits(floats->type);
    memcpy(&bits, &value, sizeof bits);
    if (floats->type == WINNOW_FLOAT64)
        return bits;
    narrow = (float)value;
    bits = 0;
    memcpy(&bits, &narrow, sizeof narrow); /* little-endian */
    return floats->type == WINNOW_BFLOAT16 ? bits >> 16 : bits;
}

/* Another digit; `most`, where there are as many as that. */
static unsigned_wide with_digit(unsigned_wide units, char digit,
                                unsigned_wide most) {
    return units >= most / 10 ? most
                              : 10 * units + (unsigned_wide)(digit - '0');
}

static void find_wanted(struct floats *floats, unsigned i, double value) {
    unsigned_wide units = 0, most = 1;
    const char *digit;
    char text[DIGITS];

    for (int d = 0; d < floats->precision; d++)
        most *= 10;
    floats->null[i] = !isfinite(value);
    floats->wanted[i] = 0;
    if (floats->null[i])
        return;
    snprintf(text, sizeof text, "%.*f", PLACES, fabs(value));
    for (digit = text; digit[0] != '.'; digit++)
        units = with_digit(units, digit[0], most);
    for (int d = 0; d < floats->scale; d++)
        units = with_digit(units, *++digit, most);
    units += units < most && digit[1] >= '5';
    floats->null[i] = units >= most;
    if (!floats->null[i])
        floats->wanted[i] = value < 0 ? -(wide)units : (wide)units;
}

/* Which are null, and which are equal to what is wanted, of which some are wrong. */
static void check(struct floats *floats, void *d_elements, wide *d_wanted,
                  uint64_t *seed) {
    char format[16], text[96];
    const winnow_field fields[2] = {
        {.name = "x", .type = floats->type},
        {.name = "w", .type = WINNOW_INT128, .format = format}};
    const winnow_in in[2] = {{.type = floats->type, .d_base = d_elements},
                             {.type = WINNOW_INT128, .d_base = d_wanted}};
    uint8_t null[N], equal[N];

    for (unsigned i = 0; i < N; i++) {
        const bool is_wrong = draw_next(seed, 4) == 0;
        null[i] = floats->null[i];
        equal[i] = !floats->null[i] && !is_wrong;
        floats->wanted[i] += is_wrong ? 1 : 0;
    }
    backend_upload(floats->backend, d_wanted, floats->wanted,
                   sizeof floats->wanted);
    snprintf(format, sizeof format, "d:%d,%d", floats->precision,
             floats->scale);
    snprintf(text, sizeof text, "cast(x as decimal(%d, %d)) is null",
             floats->precision, floats->scale);
    decimals_check_text(floats->backend, fields, in, 2, N, text, null);
    snprintf(text, sizeof text, "cast(x as decimal(%d, %d)) = w",
             floats->precision, floats->scale);
    decimals_check_text(floats->backend, fields, in, 2, N, text, equal);
}

void decimals_check_floats(const struct backend *backend, unsigned casts,
                           uint64_t seed) {
    void *const d_elements = backend_alloc(backend, N * sizeof(double));
    wide *const d_wanted = backend_alloc(backend, N * sizeof(wide));
    struct floats *const floats = must_alloc(sizeof *floats);

    floats->backend = backend;
    for (unsigned c = 0; c < casts; c++) {
        floats->type = (winnow_type)(WINNOW_FLOAT16 + c % 4);
        floats->precision = 1 + (int)draw_next(&seed, MOST_DIGITS);
        floats->scale = (int)draw_next(&seed, (uint64_t)floats->precision + 1);
        for (unsigned i = 0; i < N; i++) {
            const uint64_t bits = draw_bits(floats, &seed);
            element_store(floats->type,
                          floats->elements + i * element_size(floats->type),
                          bits);
            find_wanted(floats, i, element_to_double(floats->type, bits));
        }
        backend_upload(backend, d_elements, floats->elements,
                       N * element_size(floats->type));
        check(floats, d_elements, d_wanted, &seed);
    }
    backend_free(backend, d_elements);
    backend_free(backend, d_wanted);
    free(floats);
}
