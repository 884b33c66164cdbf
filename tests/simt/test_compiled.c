/*
 * Conditions that are compiled at run time, by NVRTC's double (nvrtc.c), and what
 * is kept of them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <dirent.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "condition/compile/disk.h"
#include "conditions.h"
#include "gpu.h"
#include "selected.h"
#include "simt/double.h"
#include "simt/simt.h"
#include "suite.h"

enum {
    MOST = 9000,
    COLUMNS = 4
};

/* x float32, y float64, k int32, f bits; y and f have nulls. */
struct compiled {
    const struct backend *backend;
    struct selected selected;
    winnow_in columns[COLUMNS];
    void *memory[COLUMNS], *valid[COLUMNS];
    float x[MOST];
    double y[MOST];
    int32_t k[MOST];
    uint8_t f[MOST / 8 + 8], valid_bits[COLUMNS][MOST / 8 + 8];
};

static const winnow_field fields[COLUMNS] = {
    {.name = "x", .type = WINNOW_FLOAT32},
    {.name = "y", .type = WINNOW_FLOAT64},
    {.name = "k", .type = WINNOW_INT32},
    {.name = "f", .type = WINNOW_BIT}};

static bool bit_of(const uint8_t *bits, uint64_t i) {
    return bits[i / 8] >> i % 8 & 1;
}

static void compiled_open(struct compiled *of, const struct backend *backend,
                          unsigned shift) {
    const void *const data[COLUMNS] = {of->x, of->y, of->k, of->f};
    const size_t bytes[COLUMNS] = {sizeof of->x, sizeof of->y, sizeof of->k,
                                   sizeof of->f};
    uint64_t seed = 5;
    of->backend = backend;
    cr_assert_eq(
        winnow_context_set_compile(backend->context, WINNOW_COMPILE_BEFORE),
        WINNOW_OK);
    for (unsigned i = 0; i < MOST; i++) {
        of->x[i] = (float)draw_next(&seed, 100) - 50;
        of->y[i] =
            draw_next(&seed, 20) == 0 ? NAN : (double)draw_next(&seed, 2000);
        of->k[i] = (int32_t)draw_next(&seed, 7) - 3;
    }
    for (unsigned i = 0; i < sizeof of->f; i++) {
        of->f[i] = (uint8_t)draw_next(&seed, 256);
        for (unsigned c = 0; c < COLUMNS; c++)
            of->valid_bits[c][i] =
                c % 2 == 1 ? (uint8_t)draw_next(&seed, 256) : 0xff;
    }
    for (unsigned c = 0; c < COLUMNS; c++) {
        /* Elements are aligned to their size, or to nothing, or to vectors. */
        of->memory[c] = backend_alloc(backend, bytes[c] + 16);
        of->valid[c] = backend_alloc(backend, sizeof of->valid_bits[c]);
        backend_upload(backend, (char *)of->memory[c] + shift, data[c],
                       bytes[c]);
        backend_upload(backend, of->valid[c], of->valid_bits[c],
                       sizeof of->valid_bits[c]);
        of->columns[c] = (winnow_in){.d_base = (char *)of->memory[c] + shift,
                                     .type = fields[c].type};
        if (c % 2 == 1)
            of->columns[c].d_valid = of->valid[c];
    }
    selected_open(&of->selected, backend, MOST);
}

static void compiled_close(struct compiled *of) {
    selected_close(&of->selected);
    for (unsigned c = 0; c < COLUMNS; c++) {
        backend_free(of->backend, of->memory[c]);
        backend_free(of->backend, of->valid[c]);
    }
}

/* The selection's memory is prepared. */
static winnow_status enqueue(struct compiled *of,
                             const winnow_condition *condition, uint64_t n) {
    return winnow_select_where(of->backend->context, condition, of->columns,
                               COLUMNS, n, of->selected.d_selection,
                               of->selected.bytes,
                               WINNOW_LAUNCH(.stream = of->backend->stream));
}

static winnow_status select_all(struct compiled *of,
                                const winnow_condition *condition, uint64_t n) {
    selected_prepare(&of->selected, n);
    return enqueue(of, condition, n);
}

static void check_all(struct compiled *of, const winnow_condition *condition,
                      uint64_t n, const uint8_t *keep) {
    struct report report = {{0}};
    cr_assert_eq(select_all(of, condition, n), WINNOW_OK, "%s",
                 winnow_last_error());
    cr_assert(selected_check(&of->selected, keep, &report), "n %llu: %s",
              (unsigned long long)n, report.text);
}

/* What the tests' body says, where no column is null. */
static uint8_t passes(const struct compiled *of, uint64_t i, float limit,
                      const int32_t *table) {
    return bit_of(of->valid_bits[1], i) && bit_of(of->valid_bits[3], i) &&
           of->x[i] * of->x[i] < (float)of->y[i] + limit &&
           (table[of->k[i] + 3] > 0 || bit_of(of->f, i));
}

static const char body[] =
    "return x * x < float(y) + limit && (table[k + 3] > 0 || f);";
static const int32_t table[7] = {1, -1, 0, 5, -3, 2, 0};

static winnow_condition *create(const void *d_table, float limit) {
    const winnow_parameter parameters[] = {
        {.name = "limit", .type = WINNOW_FLOAT32, .value = {.float64 = limit}},
        {.name = "table", .type = WINNOW_INT32, .d_data = d_table}};
    winnow_condition *condition;
    cr_assert_eq(
        winnow_condition_cuda(&condition, body, fields, COLUMNS, parameters, 2),
        WINNOW_OK, "%s", winnow_last_error());
    return condition;
}

/* Every layout and number of items, by one kernel. */
GPU_TEST(compiled, source) {
    static const unsigned shifts[] = {0, 8, 1};
    static struct compiled of;
    static uint8_t keep[MOST];
    void *const d_table = backend_alloc(backend, sizeof table);
    use_double("off");
    backend_upload(backend, d_table, table, sizeof table);
    for (unsigned s = 0; s < 3; s++) {
        compiled_open(&of, backend, shifts[s]);
        for (unsigned l = 0; l < 2; l++) {
            const float limit = l == 0 ? 0 : -500;
            winnow_condition *const condition = create(d_table, limit);
            static const uint64_t sizes[] = {0, 1, 1023, 1024, 4095, MOST};
            for (uint64_t i = 0; i < MOST; i++)
                keep[i] = passes(&of, i, limit, table);
            for (size_t n = 0; n < sizeof sizes / sizeof sizes[0]; n++)
                check_all(&of, condition, sizes[n], keep);
            winnow_condition_destroy(condition);
        }
        compiled_close(&of);
    }
    cr_assert_eq(compilations(), 1, "%u kernels", compilations());
    backend_free(backend, d_table);
}

/* Together with what is built in, under not and or. */
GPU_TEST(compiled, with_others) {
    static struct compiled of;
    static uint8_t keep[MOST];
    const int32_t zero = 0;
    winnow_predicate *predicate;
    winnow_condition *source, *test, *either, *neither, *flag, *condition;
    use_double("off");
    compiled_open(&of, backend, 0);
    cr_assert_eq(
        winnow_predicate_compare(&predicate, WINNOW_INT32, WINNOW_GT, &zero),
        WINNOW_OK);
    cr_assert_eq(winnow_condition_test(&test, 2, predicate), WINNOW_OK);
    cr_assert_eq(
        winnow_condition_cuda(&source, "return y > 1000;", fields, 2, NULL, 0),
        WINNOW_OK);
    cr_assert_eq(winnow_condition_or(&either, source, test), WINNOW_OK);
    cr_assert_eq(winnow_condition_not(&neither, either), WINNOW_OK);
    cr_assert_eq(winnow_condition_bit(&flag, 3), WINNOW_OK);
    cr_assert_eq(winnow_condition_or(&condition, neither, flag), WINNOW_OK);
    for (unsigned i = 0; i < MOST; i++) {
        const bool known = bit_of(of.valid_bits[1], i);
        keep[i] = (known && !(of.y[i] > 1000) && !(of.k[i] > 0)) ||
                  (bit_of(of.valid_bits[3], i) && bit_of(of.f, i));
    }
    check_all(&of, condition, MOST, keep);
    check_all(&of, condition, 5000, keep);
    winnow_condition_destroy(condition);
    winnow_condition_destroy(flag);
    winnow_condition_destroy(neither);
    winnow_condition_destroy(either);
    winnow_condition_destroy(source);
    winnow_condition_destroy(test);
    winnow_predicate_destroy(predicate);
    compiled_close(&of);
}

/* What a text's condition says, with three truths: false, true, unknown. */
static bool expression_passes(const struct compiled *of, uint64_t i) {
    const int32_t k = of->k[i];
    const bool known = bit_of(of->valid_bits[1], i);
    const bool quotient = k != 0 && floor(10.0 / k) > 2;
    const bool product = known && of->x[i] * 2 < of->y[i];
    return (quotient || product) && !(k % 2 * (double)of->x[i] > 9);
}

/* A quotient by 0 is null, whether that decides or not. */
GPU_TEST(compiled, expression) {
    static struct compiled of;
    static uint8_t keep[MOST];
    winnow_condition *condition, *negated;
    use_double("off");
    compiled_open(&of, backend, 0);
    cr_assert_eq(winnow_condition_parse(
                     &condition, fields, COLUMNS,
                     "(10 // k > 2 or x * 2 < y) and not k % 2 * x > 9"),
                 WINNOW_OK, "%s", winnow_last_error());
    for (uint64_t i = 0; i < MOST; i++)
        keep[i] = expression_passes(&of, i);
    check_all(&of, condition, MOST, keep);
    winnow_condition_destroy(condition);
    cr_assert_eq(
        winnow_condition_parse(&condition, fields, COLUMNS, "10 // k > 2 or f"),
        WINNOW_OK, "%s", winnow_last_error());
    cr_assert_eq(winnow_condition_not(&negated, condition), WINNOW_OK);
    for (uint64_t i = 0; i < MOST; i++)
        keep[i] = of.k[i] != 0 && !(floor(10.0 / of.k[i]) > 2) &&
                  bit_of(of.valid_bits[3], i) && !bit_of(of.f, i);
    check_all(&of, negated, MOST, keep);
    winnow_condition_destroy(negated);
    winnow_condition_destroy(condition);
    /* Another operation is all that differs: it has a kernel of its own. */
    cr_assert_eq(
        winnow_condition_parse(&condition, fields, COLUMNS, "10 % k > 0 or f"),
        WINNOW_OK, "%s", winnow_last_error());
    cr_assert_eq(winnow_condition_not(&negated, condition), WINNOW_OK);
    for (uint64_t i = 0; i < MOST; i++)
        keep[i] = of.k[i] != 0 && !(10 % of.k[i] > 0) &&
                  bit_of(of.valid_bits[3], i) && !bit_of(of.f, i);
    check_all(&of, negated, MOST, keep);
    cr_assert_eq(compilations(), 3, "%u kernels", compilations());
    winnow_condition_destroy(negated);
    winnow_condition_destroy(condition);
    compiled_close(&of);
}

/* Ranges of floats of either sign, beside what is computed. */
GPU_TEST(compiled, signs) {
    static struct compiled of;
    static uint8_t keep[MOST];
    winnow_condition *condition;
    use_double("off");
    compiled_open(&of, backend, 0);
    cr_assert_eq(winnow_condition_parse(
                     &condition, fields, COLUMNS,
                     "k >= -2 and x > -20.5 and x <= 3 and x * 2 < k * 5"),
                 WINNOW_OK, "%s", winnow_last_error());
    for (uint64_t i = 0; i < MOST; i++)
        keep[i] = of.k[i] >= -2 && of.x[i] > -20.5F && of.x[i] <= 3 &&
                  of.x[i] * 2 < (float)(of.k[i] * 5);
    check_all(&of, condition, MOST, keep);
    cr_assert_eq(compilations(), 1, "%u kernels", compilations());
    winnow_condition_destroy(condition);
    compiled_close(&of);
}

/* Beside a set an expression is not compiled: prepared or not, the results are
 * the same. */
GPU_TEST(compiled, beside_a_set) {
    enum {
        VALUES = 40
    };
    static struct compiled of;
    static uint8_t keep[MOST];
    int32_t values[VALUES];
    winnow_condition *in, *expression, *both;
    use_double("off");
    compiled_open(&of, backend, 0);
    for (int i = 0; i < VALUES; i++)
        values[i] = i == 0 ? -2 : 37 * i * i; /* of the elements, -2 alone */
    cr_assert_eq(winnow_condition_in(&in, backend->context, 2, WINNOW_INT32,
                                     values, VALUES),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_eq(winnow_condition_parse(&expression, fields, COLUMNS,
                                        "x * 2 < y and 10 // k > 2"),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_eq(winnow_condition_or(&both, in, expression), WINNOW_OK);
    for (uint64_t i = 0; i < MOST; i++)
        keep[i] = of.k[i] == -2 ||
                  (bit_of(of.valid_bits[1], i) && of.x[i] * 2 < of.y[i] &&
                   of.k[i] != 0 && floor(10.0 / of.k[i]) > 2);
    check_all(&of, both, MOST, keep);
    cr_assert_eq(winnow_condition_prepare(backend->context, both), WINNOW_OK,
                 "%s", winnow_last_error());
    check_all(&of, both, MOST, keep);
    cr_assert_eq(compilations(), 0, "%u kernels", compilations());
    winnow_condition_destroy(both);
    winnow_condition_destroy(expression);
    winnow_condition_destroy(in);
    compiled_close(&of);
}

/* Parameters of each type, at the ends of what they have; names that the
 * library's own source has, too. */
GPU_TEST(compiled, parameters) {
    static struct compiled of;
    static uint8_t keep[MOST];
    winnow_condition *condition;
    const winnow_parameter parameters[] = {
        {.name = "a", .type = WINNOW_INT8, .value = {.int64 = INT8_MIN}},
        {.name = "b", .type = WINNOW_INT16, .value = {.int64 = INT16_MIN}},
        {.name = "c", .type = WINNOW_INT32, .value = {.int64 = INT32_MIN}},
        {.name = "d", .type = WINNOW_INT64, .value = {.int64 = INT64_MIN}},
        {.name = "e", .type = WINNOW_UINT8, .value = {.uint64 = UINT8_MAX}},
        {.name = "lane", .type = WINNOW_UINT16, .value = {.uint64 = 65535}},
        {.name = "COLUMNS",
         .type = WINNOW_UINT32,
         .value = {.uint64 = UINT32_MAX}},
        {.name = "live",
         .type = WINNOW_UINT64,
         .value = {.uint64 = UINT64_MAX}},
        {.name = "g", .type = WINNOW_FLOAT32, .value = {.float64 = 0.1}},
        {.name = "h", .type = WINNOW_FLOAT64, .value = {.float64 = 0.1}}};
    static const char text[] =
        "return a == -128 && b == -32768 && c == -2147483647 - 1 &&"
        " d == -9223372036854775807ll - 1 && e == 255 && lane == 65535 && "
        "COLUMNS == 4294967295u &&"
        " live == ~0ull && g == 0.1f && h == 0.1 && x > 0;";
    use_double("off");
    compiled_open(&of, backend, 0);
    for (unsigned i = 0; i < 10; i++) {
        winnow_parameter one = parameters[i];
        if (one.type == WINNOW_FLOAT32 || one.type == WINNOW_FLOAT64 ||
            winnow_type_size(one.type) == 8)
            continue;
        one.value.uint64 += i < 4 ? UINT64_MAX : 1;
        cr_assert_eq(
            winnow_condition_cuda(&condition, "return x;", fields, 1, &one, 1),
            WINNOW_ERR_ARGUMENT, "parameter %u", i);
    }
    cr_assert_eq(
        winnow_condition_cuda(&condition, text, fields, 1, parameters, 10),
        WINNOW_OK, "%s", winnow_last_error());
    for (uint64_t i = 0; i < MOST; i++)
        keep[i] = of.x[i] > 0;
    check_all(&of, condition, 5000, keep);
    winnow_condition_destroy(condition);
    compiled_close(&of);
}

/* A capture compiles nothing: it says what to do before. */
GPU_TEST(compiled, capture) {
    static struct compiled of;
    static uint8_t keep[MOST];
    void *const d_table = backend_alloc(backend, sizeof table);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    struct report report = {{0}};
    use_double("off");
    backend_upload(backend, d_table, table, sizeof table);
    compiled_open(&of, backend, 0);
    winnow_condition *const condition = create(d_table, 1);
    selected_prepare(&of.selected, MOST);
    GPU_MUST(
        cudaStreamBeginCapture(backend->stream, cudaStreamCaptureModeRelaxed));
    cr_assert_eq(enqueue(&of, condition, MOST), WINNOW_ERR_UNSUPPORTED);
    cr_assert_not_null(strstr(winnow_last_error(), "winnow_condition_prepare"),
                       "%s", winnow_last_error());
    cr_assert_eq(compilations(), 0);
    cr_assert_eq(winnow_condition_prepare(backend->context, condition),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_eq(compilations(), 1);
    cr_assert_eq(enqueue(&of, condition, MOST), WINNOW_OK, "%s",
                 winnow_last_error());
    GPU_MUST(cudaStreamEndCapture(backend->stream, &graph));
    GPU_MUST(cudaGraphInstantiate(&exec, graph, 0));
    GPU_MUST(cudaGraphLaunch(exec, backend->stream));
    for (uint64_t i = 0; i < MOST; i++)
        keep[i] = passes(&of, i, 1, table);
    cr_assert(selected_check(&of.selected, keep, &report), "%s", report.text);
    cr_assert_eq(compilations(), 1, "what is prepared fits every call");
    GPU_MUST(cudaGraphExecDestroy(exec));
    GPU_MUST(cudaGraphDestroy(graph));
    winnow_condition_destroy(condition);
    compiled_close(&of);
    backend_free(backend, d_table);
}

/* Names that the library's source has: of types, of functions, of the kernel. */
GPU_TEST(compiled, names) {
    static struct compiled of;
    static uint8_t keep[MOST];
    static const winnow_field named[COLUMNS] = {
        {.name = "f32", .type = WINNOW_FLOAT32},
        {.name = "f64", .type = WINNOW_FLOAT64},
        {.name = "i32", .type = WINNOW_INT32},
        {.name = "live", .type = WINNOW_BIT}};
    const winnow_parameter parameters[] = {
        {.name = "float32", .type = WINNOW_FLOAT32, .value = {.float64 = 3}},
        {.name = "user0", .type = WINNOW_FLOAT64, .value = {.float64 = 900}},
        {.name = "u64", .type = WINNOW_UINT64, .value = {.uint64 = 1}},
        {.name = "Args", .type = WINNOW_UINT64, .value = {.uint64 = 1}}};
    winnow_condition *condition;
    use_double("off");
    compiled_open(&of, backend, 0);
    cr_assert_eq(winnow_condition_cuda(
                     &condition,
                     "const int32_t a = i32; // the last line is a comment\n"
                     "return f32 > float32 && f64 < user0 && u64 == Args && "
                     "(live || a > 0); // %s %d",
                     named, COLUMNS, parameters, 4),
                 WINNOW_OK, "%s", winnow_last_error());
    for (uint64_t i = 0; i < MOST; i++)
        keep[i] = bit_of(of.valid_bits[1], i) && bit_of(of.valid_bits[3], i) &&
                  of.x[i] > 3 && of.y[i] < 900 &&
                  (bit_of(of.f, i) || of.k[i] > 0);
    check_all(&of, condition, MOST, keep);
    winnow_condition_destroy(condition);
    compiled_close(&of);
}

/* Columns that no body names are not read, and their nulls do not matter; a name
 * within another is none, and a keyword is no column's. */
GPU_TEST(compiled, columns_named) {
    static const winnow_field named[COLUMNS] = {
        {.name = "x", .type = WINNOW_FLOAT32},
        {.name = "const", .type = WINNOW_FLOAT64},
        {.name = "k", .type = WINNOW_INT32},
        {.name = "f", .type = WINNOW_BIT}};
    static struct compiled of;
    static uint8_t keep[MOST];
    winnow_condition *condition;
    use_double("off");
    compiled_open(&of, backend, 0);
    of.columns[1].d_base = of.columns[3].d_base = (void *)16;
    of.columns[1].d_valid = of.columns[3].d_valid = (void *)16;
    cr_assert_eq(winnow_condition_cuda(&condition,
                                       "const float yf = k; return yf > -2;",
                                       named, COLUMNS, NULL, 0),
                 WINNOW_OK, "%s", winnow_last_error());
    for (uint64_t i = 0; i < MOST; i++)
        keep[i] = of.k[i] > -2;
    check_all(&of, condition, MOST, keep);
    winnow_condition_destroy(condition);
    cr_assert_eq(
        winnow_condition_cuda(&condition, "return true;", fields, 1, NULL, 0),
        WINNOW_OK, "%s", winnow_last_error());
    memset(keep, 1, sizeof keep);
    check_all(&of, condition, MOST, keep);
    winnow_condition_destroy(condition);
    compiled_close(&of);
}

/* A list of strings that has no room in a kernel's argument, beside an expression.
 */
GPU_TEST(compiled, large_pattern) {
    enum {
        LISTED = 700,
        BYTES = 8, /* of a string */
        ITEMS = 3000
    };
    static struct compiled of;
    static uint8_t keep[ITEMS];
    static char text[LISTED * (BYTES + 4) + 64], data[ITEMS * BYTES + 1];
    static uint32_t offsets[ITEMS + 1];
    static const winnow_field two[] = {{.name = "x", .type = WINNOW_FLOAT32},
                                       {.name = "s", .type = WINNOW_STRING32}};
    winnow_condition *condition;
    winnow_in columns[2];
    struct report report = {{0}};
    use_double("off");
    compiled_open(&of, backend, 0);
    void *const d_offsets = backend_alloc(backend, sizeof offsets);
    void *const d_data = backend_alloc(backend, sizeof data);
    strcpy(text, "x * 2 > 10 and s in (''");
    for (unsigned i = 0; i < LISTED; i++)
        snprintf(text + strlen(text), BYTES + 5, ", 'n%07u'", 3 * i);
    strcat(text, ")");
    for (unsigned i = 0; i < ITEMS; i++) {
        offsets[i + 1] = offsets[i] + BYTES;
        snprintf(&data[i * BYTES], BYTES + 1, "n%07u", i);
        keep[i] = of.x[i] * 2 > 10 && i % 3 == 0 && i < 3 * LISTED;
    }
    backend_upload(backend, d_offsets, offsets, sizeof offsets);
    backend_upload(backend, d_data, data, sizeof data);
    columns[0] = of.columns[0];
    columns[1] = (winnow_in){.type = WINNOW_STRING32,
                             .d_base = d_offsets,
                             .d_data = d_data,
                             .data_size = sizeof data};
    cr_assert_eq(winnow_condition_parse(&condition, two, 2, text), WINNOW_OK,
                 "%s", winnow_last_error());
    selected_prepare(&of.selected, ITEMS);
    cr_assert_eq(winnow_select_where(backend->context, condition, columns, 2,
                                     ITEMS, of.selected.d_selection,
                                     of.selected.bytes,
                                     WINNOW_LAUNCH(.stream = backend->stream)),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert(selected_check(&of.selected, keep, &report), "%s", report.text);
    cr_assert_eq(compilations(), 1, "%u kernels", compilations());
    winnow_condition_destroy(condition);
    backend_free(backend, d_offsets);
    backend_free(backend, d_data);
    compiled_close(&of);
}

/* As many columns as there may be. */
GPU_TEST(compiled, many_columns) {
    enum {
        MANY = 32,
        ITEMS = 3000
    };
    static struct compiled of;
    static uint8_t keep[ITEMS];
    static char name[MANY][8], text[MANY * 16];
    winnow_field many[MANY];
    winnow_in columns[MANY];
    winnow_condition *condition;
    struct report report = {{0}};
    use_double("off");
    compiled_open(&of, backend, 0);
    strcpy(text, "return 0");
    for (unsigned c = 0; c < MANY; c++) {
        snprintf(name[c], sizeof name[c], "c%u", c);
        snprintf(text + strlen(text), 16, " + %s", name[c]);
        many[c] = (winnow_field){.name = name[c], .type = WINNOW_FLOAT64};
        columns[c] = (winnow_in){.type = WINNOW_FLOAT64,
                                 .d_base = (char *)of.memory[1] + 8 * c};
    }
    strcat(text, " > 32000;");
    cr_assert_eq(winnow_condition_cuda(&condition, text, many, MANY, NULL, 0),
                 WINNOW_OK, "%s", winnow_last_error());
    for (unsigned i = 0; i < ITEMS; i++) {
        double sum = 0;
        for (unsigned c = 0; c < MANY; c++)
            sum += of.y[i + c];
        keep[i] = sum > 32000;
    }
    selected_prepare(&of.selected, ITEMS);
    cr_assert_eq(winnow_select_where(backend->context, condition, columns, MANY,
                                     ITEMS, of.selected.d_selection,
                                     of.selected.bytes,
                                     WINNOW_LAUNCH(.stream = backend->stream)),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert(selected_check(&of.selected, keep, &report), "%s", report.text);
    winnow_condition_destroy(condition);
    compiled_close(&of);
}

/* ----------------------------------------------------------------- threads */

enum {
    THREADS = 6
};

struct preparing {
    winnow_context *context;
    winnow_condition *condition;
    winnow_status status;
    bool has_log;
    pthread_t thread;
};

static void *prepare(void *argument) {
    struct preparing *const of = argument;
    of->status = winnow_condition_prepare(of->context, of->condition);
    of->has_log = strstr(winnow_last_error(), "missing") != NULL;
    return NULL;
}

/* Two threads of each condition compile it once; those of another do not wait:
 * the compilations meet. */
GPU_TEST(compiled, threads) {
    static const char *const bodies[] = {"return x > 3;", "return x > 4;",
                                         "return missing;"};
    struct preparing of[THREADS] = {{.context = NULL}};
    use_double("off");
    meet(3);
    for (unsigned i = 0; i < THREADS; i++) {
        of[i].context = backend->context;
        cr_assert_eq(winnow_condition_cuda(&of[i].condition, bodies[i % 3],
                                           fields, 1, NULL, 0),
                     WINNOW_OK, "%s", winnow_last_error());
    }
    for (unsigned i = 0; i < THREADS; i++)
        cr_assert_eq(pthread_create(&of[i].thread, NULL, prepare, &of[i]), 0);
    for (unsigned i = 0; i < THREADS; i++)
        cr_assert_eq(pthread_join(of[i].thread, NULL), 0);
    for (unsigned i = 0; i < THREADS; i++) {
        cr_assert_eq(of[i].status, i % 3 == 2 ? WINNOW_ERR_SYNTAX : WINNOW_OK,
                     "thread %u", i);
        cr_assert(i % 3 != 2 || of[i].has_log, "thread %u", i);
        winnow_condition_destroy(of[i].condition);
    }
    cr_assert_eq(compilations(), 3, "%u kernels", compilations());
}

/* -------------------------------------------------------------------- failure */

/* What does not compile has the compiler's words in the detail. */
GPU_TEST(compiled, wrong) {
    static struct compiled of;
    winnow_condition *condition, *in, *both;
    const int32_t values[40] = {0, 7, 23, 45, 123, 999};
    use_double("off");
    compiled_open(&of, backend, 0);
    cr_assert_eq(winnow_condition_cuda(&condition, "return\n missing > 1;",
                                       fields, COLUMNS, NULL, 0),
                 WINNOW_OK);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(select_all(&of, condition, 100), WINNOW_ERR_SYNTAX);
        cr_assert_not_null(strstr(winnow_last_error(), "missing"), "%s",
                           winnow_last_error());
    }
    cr_assert_eq(compilations(), 1, "it is not tried again");
    winnow_condition_destroy(condition);
    cr_assert_eq(winnow_condition_cuda(&condition, "return\n  absent > 1;",
                                       fields, COLUMNS, NULL, 0),
                 WINNOW_OK);
    cr_assert_eq(select_all(&of, condition, 100), WINNOW_ERR_SYNTAX);
    cr_assert_not_null(strstr(winnow_last_error(), "condition:2"), "%s",
                       winnow_last_error());
    cr_assert_not_null(strstr(winnow_last_error(), "absent"), "%s",
                       winnow_last_error());
    cr_assert_eq(
        winnow_condition_in(&in, backend->context, 2, WINNOW_INT32, values, 40),
        WINNOW_OK, "%s", winnow_last_error());
    cr_assert_eq(winnow_condition_and(&both, condition, in), WINNOW_OK);
    cr_assert_eq(select_all(&of, both, 100), WINNOW_ERR_UNSUPPORTED);
    winnow_condition_destroy(both);
    winnow_condition_destroy(in);
    winnow_condition_destroy(condition);
    compiled_close(&of);
}

/* ----------------------------------------------------------------- processes */

enum {
    WRONG = 99
};

/* Prepare a condition in a process of its own. `note`: of its context; NULL: there
 * is none. */
static pid_t start(const struct backend *backend, const char *note) {
    char notes[1000];
    winnow_condition *condition;
    fflush(NULL);
    const pid_t process = fork();
    cr_assert_geq(process, 0);
    if (process != 0)
        return process;
    const bool is_right =
        winnow_condition_cuda(&condition, "return x > 3;", fields, 1, NULL,
                              0) == WINNOW_OK &&
        winnow_condition_prepare(backend->context, condition) == WINNOW_OK &&
        winnow_context_notes(backend->context, notes, sizeof notes) ==
            WINNOW_OK &&
        (note != NULL ? strstr(notes, note) != NULL : notes[0] == '\0');
    _exit(is_right ? (int)compilations() : WRONG);
}

/* How often it has compiled; WRONG: something failed. */
static int end(pid_t process) {
    int status;
    cr_assert_eq(waitpid(process, &status, 0), process);
    cr_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* The path of the only file of a folder. */
static void find_entry(const char *folder, char *path, size_t bytes) {
    unsigned number = 0;
    DIR *const list = opendir(folder);
    cr_assert_not_null(list);
    for (const struct dirent *one; (one = readdir(list)) != NULL;)
        if (strcmp(one->d_name, ".") != 0 && strcmp(one->d_name, "..") != 0) {
            snprintf(path, bytes, "%s/%s", folder, one->d_name);
            number++;
        }
    closedir(list);
    cr_assert_eq(number, 1, "%u files", number);
}

/* Other code of the same key, which is whole, and which no driver loads. */
static void spoil(const char *path) {
    static char entry[65536];
    char reason[512], code[] = "no code";
    uint64_t key_bytes;
    FILE *const file = fopen(path, "rb");
    cr_assert_not_null(file);
    cr_assert_gt(fread(entry, 1, sizeof entry, file), 40);
    fclose(file);
    /* Behind 16 bytes and three numbers. */
    memcpy(&key_bytes, entry + 16, sizeof key_bytes);
    cr_assert_lt(key_bytes, sizeof entry - 40);
    cr_assert_null(winnow__disk_keep(
        &(winnow__disk_key){.bytes = entry + 40, .number = (size_t)key_bytes},
        &(winnow__code){.bytes = code, .number = sizeof code}, reason,
        sizeof reason));
}

/* Where nothing can be kept, as below a home that nobody may write to, calls
 * succeed, with a note. Two processes compile the same at once and keep one file,
 * which a third reads. What the driver refuses is compiled again. */
GPU_TEST(compiled, processes) {
    char folder[] = "/tmp/winnow-compiled-XXXXXX";
    char path[512];
    use_double("off");
    unsetenv("WINNOW_CACHE");
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", "/proc", 1);
    cr_assert_eq(end(start(backend, "kept on disk: /proc/.cache")), 1);
    cr_assert_not_null(mkdtemp(folder));
    use_double(folder);
    const pid_t one = start(backend, NULL), other = start(backend, NULL);
    const int first = end(one), second = end(other);
    cr_assert(first <= 1 && second <= 1 && first + second >= 1, "%d, %d", first,
              second);
    find_entry(folder, path, sizeof path);
    cr_assert_eq(end(start(backend, NULL)), 0, "it is read");
    spoil(path);
    cr_assert_eq(end(start(backend, "refused by the driver")), 1);
    find_entry(folder, path, sizeof path);
    cr_assert_eq(end(start(backend, NULL)), 0, "it is whole again");
    cr_assert_eq(unlink(path), 0);
    cr_assert_eq(rmdir(folder), 0);
}

/* No header is found, and the detail says which. */
GPU_TEST(compiled, header) {
    winnow_condition *condition;
    use_double("off");
    cr_assert_eq(winnow_condition_cuda(&condition,
                                       "\n#include <no_header.h>\nreturn x;",
                                       fields, 1, NULL, 0),
                 WINNOW_OK);
    cr_assert_eq(winnow_condition_prepare(backend->context, condition),
                 WINNOW_ERR_SYNTAX);
    cr_assert_not_null(strstr(winnow_last_error(), "no_header.h"), "%s",
                       winnow_last_error());
    winnow_condition_destroy(condition);
}

/* Without a compiler, and on the host. */
GPU_TEST(compiled, no_compiler) {
    static struct compiled of;
    winnow_condition *condition;
    struct backend host;
    cr_assert_eq(setenv("WINNOW_NVRTC", "off", 1), 0);
    compiled_open(&of, backend, 0);
    cr_assert_eq(
        winnow_condition_cuda(&condition, "return x > 3;", fields, 1, NULL, 0),
        WINNOW_OK);
    cr_assert_eq(select_all(&of, condition, 100), WINNOW_ERR_UNSUPPORTED);
    cr_assert_not_null(strstr(winnow_last_error(), "WINNOW_NVRTC is off"), "%s",
                       winnow_last_error());
    backend_open_host(&host);
    cr_assert_eq(winnow_select_where(host.context, condition, of.columns, 1, 0,
                                     of.selected.d_selection, of.selected.bytes,
                                     NULL),
                 WINNOW_ERR_UNSUPPORTED);
    backend_close(&host);
    winnow_condition_destroy(condition);
    compiled_close(&of);
}
