/*
 * Divisions of integers of each type by constants, and of what is computed of
 * them: all items' quotients and rests against integers of 128 bits.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "conditions.h"
#include "selected.h"
#include "suite.h"
#ifdef WINNOW_SIMT
#include "simt/double.h"
#endif

__extension__ typedef __int128 integer;

enum {
    N = 1100,
    COLUMNS = 3
};

/* Elements x, and what the quotients and the rests are to be. */
struct division {
    const struct backend *backend;
    winnow_type type;
    integer low, high; /* of the type */
    integer x[N], of[N];
    uint8_t keep[N];
    void *memory[COLUMNS];
    struct selected selected;
};

static bool is_signed(winnow_type type) {
    return type <= WINNOW_INT64;
}

/* As the text's arithmetic has it: 64 bits, which wrap. */
static integer wrapped(winnow_type type, integer value) {
    return type == WINNOW_UINT64 ? (integer)(uint64_t)value
                                 : (integer)(int64_t)(uint64_t)value;
}

static integer floor_of(integer a, integer b) {
    return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}

static void division_open(struct division *of, const struct backend *backend,
                          winnow_type type) {
    const unsigned bits = 8 * (unsigned)winnow_type_size(type);
    of->backend = backend;
    of->type = type;
    of->high = ((integer)1 << (bits - is_signed(type))) - 1;
    of->low = is_signed(type) ? -of->high - 1 : 0;
    for (unsigned c = 0; c < COLUMNS; c++)
        of->memory[c] = backend_alloc(backend, N * sizeof(uint64_t));
    selected_open(&of->selected, backend, N);
}

static void division_close(struct division *of) {
    selected_close(&of->selected);
    for (unsigned c = 0; c < COLUMNS; c++)
        backend_free(of->backend, of->memory[c]);
}

/* The ends of the type, what is around 0, multiples of the divisor and those
 * beside them, and any. */
static void draw_items(struct division *of, integer by, uint64_t *seed) {
    const integer step = by < 0 ? -by : by == 0 ? 1 : by;
    const integer range = of->high - of->low;
    static uint64_t elements[N];
    for (unsigned i = 0; i < N; i++) {
        const integer any =
            of->low +
            (integer)((draw_next(seed, UINT64_MAX) + draw_next(seed, 2)) &
                      (uint64_t)range);
        integer x = i < 4    ? of->low + i
                    : i < 8  ? of->high - (i - 4)
                    : i < 16 ? (integer)i - 12
                    : i % 3  ? any / step * step + (int)(i % 5) - 2
                             : any;
        if (x < of->low || x > of->high)
            x = any;
        of->x[i] = x;
        const uint64_t bits = (uint64_t)x;
        memcpy((unsigned char *)elements + i * winnow_type_size(of->type),
               &bits, winnow_type_size(of->type));
    }
    backend_upload(of->backend, of->memory[0], elements, sizeof elements);
}

/* Of some items a quotient or a rest that is wrong. */
static void put_results(struct division *of, integer by) {
    static uint64_t quotient[N], rest[N];
    for (unsigned i = 0; i < N; i++) {
        const integer y = of->of[i];
        quotient[i] = by == 0 ? 0 : (uint64_t)floor_of(y, by);
        rest[i] = by == 0 ? 0 : (uint64_t)(y % by);
        quotient[i] += i % 7 == 3;
        rest[i] -= i % 11 == 5;
        of->keep[i] = by != 0 && i % 7 != 3 && i % 11 != 5;
    }
    backend_upload(of->backend, of->memory[1], quotient, sizeof quotient);
    backend_upload(of->backend, of->memory[2], rest, sizeof rest);
}

static void check(struct division *of, winnow_type wide, const char *text) {
    const winnow_field fields[COLUMNS] = {{.name = "x", .type = of->type},
                                          {.name = "q", .type = wide},
                                          {.name = "r", .type = wide}};
    winnow_in in[COLUMNS];
    winnow_condition *condition;
    for (unsigned c = 0; c < COLUMNS; c++)
        in[c] = (winnow_in){.type = fields[c].type, .d_base = of->memory[c]};
    cr_assert_eq(winnow_condition_parse(&condition, fields, COLUMNS, text),
                 WINNOW_OK, "%s: %s", text, winnow_last_error());
    selected_prepare(&of->selected, N);
    cr_assert_eq(
        winnow_select_where(of->backend->context, condition, in, COLUMNS, N,
                            of->selected.d_selection, of->selected.bytes,
                            WINNOW_LAUNCH(.stream = of->backend->stream)),
        WINNOW_OK, "%s: %s", text, winnow_last_error());
    struct report report = {{0}};
    cr_assert(selected_check(&of->selected, of->keep, &report), "%s, %s: %s",
              winnow_type_name(of->type), text, report.text);
    winnow_condition_destroy(condition);
}

/* A number in a text: of 128 bits there are none that fit printf(). */
static const char *written(integer number, char text[32]) {
    if (number < 0)
        snprintf(text, 32, "(%" PRId64 ")", (int64_t)number);
    else
        snprintf(text, 32, "%" PRIu64, (uint64_t)number);
    return text;
}

/* Of x itself, and of times * x + plus. */
static void check_by(struct division *of, integer by, int times, int plus,
                     uint64_t *seed) {
    char text[300], number[32], value[64] = "x", other[32];
    draw_items(of, by, seed);
    if (times != 1 || plus != 0)
        snprintf(value, sizeof value, "(%d * x + %d)", times, plus);
    for (unsigned i = 0; i < N; i++)
        of->of[i] = wrapped(of->type, of->x[i] * times + plus);
    put_results(of, by);
    written(by, number);
    snprintf(text, sizeof text, "%s // %s = q and %s %% %s = r", value, number,
             value, number);
    const winnow_type wide =
        of->type == WINNOW_UINT64 ? WINNOW_UINT64 : WINNOW_INT64;
    check(of, wide, text);
    /* Beside constants, in reach and out of it. */
    const integer some = of->of[draw_next(seed, N)];
    const integer far = draw_next(seed, 3) == 0 ? of->high / 2 + 3
                        : by == 0               ? 0
                                                : some % by;
    for (unsigned i = 0; i < N; i++)
        of->keep[i] =
            by != 0 && (of->of[i] % by == far ||
                        wrapped(of->type, floor_of(of->of[i], by)) > far + 3);
    written(far, other);
    snprintf(text, sizeof text, "%s %% %s = %s or %s // %s > %s + 3", value,
             number, other, value, number, other);
    check(of, wide, text);
}

/* Of floats: what the processor that the tests run on divides. */
static void check_floats(struct division *of, integer by, uint64_t *seed) {
    char text[100], number[32];
    static double quotient[N];
    draw_items(of, by, seed);
    for (unsigned i = 0; i < N; i++) {
        const double exact = (double)of->x[i] / (double)by;
        of->keep[i] = i % 7 != 3;
        quotient[i] =
            of->keep[i] ? exact : nextafter(exact, i % 2 ? -1e300 : 1e300);
    }
    backend_upload(of->backend, of->memory[1], quotient, sizeof quotient);
    snprintf(text, sizeof text, "x / %s = q", written(by, number));
    check(of, WINNOW_FLOAT64, text);
}

static void check_type(const struct backend *backend, winnow_type type,
                       unsigned random, uint64_t seed) {
    static const int64_t few[] = {
        0,  1,  2,  3,  7,    10,    60,         64,         100,
        -1, -2, -7, -8, 1000, 65536, 146097,     86400,      INT32_MAX,
        5,  6,  9,  11, 641,  1461,  1000000007, 4294967295, 4294967296};
    static struct division of;
    division_open(&of, backend, type);
    for (unsigned i = 0; i < sizeof few / sizeof few[0]; i++)
        if (few[i] >= 0 || is_signed(type))
            check_by(&of, few[i], 1, 0, &seed);
    for (unsigned i = 0; i < sizeof few / sizeof few[0]; i++)
        if (few[i] != 0)
            check_floats(&of, few[i], &seed);
    check_by(&of, INT64_MAX, 1, 0, &seed);
    if (type != WINNOW_UINT64)
        check_by(&of, INT64_MIN, 1, 0, &seed);
    for (unsigned i = 0; i < random; i++) {
        const unsigned bits =
            1 + (unsigned)draw_next(&seed, type == WINNOW_UINT64 ? 64 : 63);
        const integer by =
            (integer)((draw_next(&seed, UINT64_MAX) + draw_next(&seed, 2)) >>
                      (64 - bits));
        check_by(&of, is_signed(type) && draw_next(&seed, 4) == 0 ? -by : by,
                 1 + (int)draw_next(&seed, 5) * (int)draw_next(&seed, 5000),
                 (int)draw_next(&seed, 2000000) -
                     (is_signed(type) ? 1000000 : 0),
                 &seed);
        const unsigned some = (unsigned)draw_next(&seed, 54);
        check_floats(&of, (integer)draw_next(&seed, UINT64_C(1) << some) + 1,
                     &seed);
    }
    division_close(&of);
}

#define OF_TYPE(NAME, TYPE)                                                    \
    BACKEND_TEST(quotients, NAME) {                                            \
        check_type(backend, TYPE, backend->gpu ? 6 : 300, 2029);               \
    }
OF_TYPE(int8, WINNOW_INT8)
OF_TYPE(int16, WINNOW_INT16)
OF_TYPE(int32, WINNOW_INT32)
OF_TYPE(int64, WINNOW_INT64)
OF_TYPE(uint8, WINNOW_UINT8)
OF_TYPE(uint16, WINNOW_UINT16)
OF_TYPE(uint32, WINNOW_UINT32)
OF_TYPE(uint64, WINNOW_UINT64)

#ifdef WINNOW_SIMT
/* By kernels of their own: what differs in constants shares one, unless these
 * need more bits. */
#define COMPILED(NAME, TYPE)                                                   \
    GPU_TEST(quotients, NAME) {                                                \
        static struct division of;                                             \
        static const int64_t by[] = {0, 7, 10, 4294967296, 1000000007};        \
        uint64_t seed = 5;                                                     \
        use_double("off");                                                     \
        division_open(&of, backend, TYPE);                                     \
        cr_assert_eq(winnow_context_set_compile(backend->context,              \
                                                WINNOW_COMPILE_BEFORE),        \
                     WINNOW_OK);                                               \
        for (unsigned i = 0; i < sizeof by / sizeof by[0]; i++) {              \
            check_by(&of, by[i], 1, 0, &seed);                                 \
            check_by(&of, by[i], 3, 70, &seed);                                \
            check_by(&of, by[i], 100003, 5, &seed);                            \
            if (by[i] != 0)                                                    \
                check_floats(&of, by[i], &seed);                               \
        }                                                                      \
        cr_assert_geq(compilations(), 3);                                      \
        division_close(&of);                                                   \
    }
COMPILED(LONG(compiled_int16), WINNOW_INT16)
COMPILED(SLOW(compiled_uint64), WINNOW_UINT64)
COMPILED(LONG(compiled_int32), WINNOW_INT32)
COMPILED(LONG(compiled_int64), WINNOW_INT64)
COMPILED(LONG(compiled_uint32), WINNOW_UINT32)
#endif
