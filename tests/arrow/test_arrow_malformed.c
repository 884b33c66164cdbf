/*
 * Record batches that the specification forbids, and that a producer may send
 * all the same: each is refused, with a detail that says what is wrong, and
 * nothing is read outside of what is there.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "arrow_data.h"
#include "suite.h"

enum {
    ROWS = 40,
    MOST_BUFFERS = 6
};

/* A batch of a column k, of int32, and one column more, which is to be spoilt;
 * its structs and its list of buffers are brought back. */
struct patient {
    struct ArrowSchema *schema, *column_schema;
    struct ArrowDeviceArray in;
    struct ArrowArray *column;
    struct ArrowArray batch_before, column_before;
    struct ArrowSchema schema_before;
    const void *buffers_before[MOST_BUFFERS];
    char *spoilt; /* memory of a case */
};

static void open_patient(struct patient *patient, struct ArrowSchema *column) {
    *patient = (struct patient){
        .schema = arrow_schema("+s", "", 2, arrow_schema("i", "k", 0), column),
        .column_schema = column,
        .in = {.device_id = -1, .device_type = ARROW_DEVICE_CPU}};
    arrow_random(patient->schema, ROWS, &(struct arrow_shape){.seed = 5},
                 &patient->in.array);
    patient->column = patient->in.array.children[1];
    patient->batch_before = patient->in.array;
    patient->column_before = *patient->column;
    patient->schema_before = *column;
    memcpy(patient->buffers_before, patient->column->buffers,
           (size_t)patient->column->n_buffers * sizeof(void *));
}

static void close_patient(struct patient *patient) {
    patient->in.array = patient->batch_before;
    *patient->column = patient->column_before;
    *patient->column_schema = patient->schema_before;
    memcpy(patient->column->buffers, patient->buffers_before,
           (size_t)patient->column->n_buffers * sizeof(void *));
    free(patient->spoilt);
    patient->in.array.release(&patient->in.array);
    arrow_schema_free(patient->schema);
    cr_assert_eq(arrow_unreleased(), 0);
}

static winnow_status filter(const struct backend *backend,
                            struct patient *patient) {
    const winnow_field field = {.name = "k", .type = WINNOW_INT32};
    winnow_condition *condition;
    struct ArrowDeviceArray out;
    cr_assert_eq(winnow_condition_parse(&condition, &field, 1, "k >= 0"),
                 WINNOW_OK);
    memset(&out, 0x5a, sizeof out);
    const struct ArrowDeviceArray before = out;
    const winnow_status status = winnow_filter_arrow(
        backend->context, condition, patient->schema, &patient->in, &out, NULL);
    winnow_condition_destroy(condition);
    if (status == WINNOW_OK)
        out.array.release(&out.array);
    else
        cr_assert_eq(memcmp(&before, &out, sizeof out), 0);
    return status;
}

/* A copy of a buffer to spoil, in place of it. */
static void *spoil(struct patient *patient, int number, size_t bytes) {
    patient->spoilt = must_alloc(bytes);
    memcpy(patient->spoilt, patient->column->buffers[number], bytes);
    patient->column->buffers[number] = patient->spoilt;
    return patient->spoilt;
}

/* The column of each case. */
enum column {
    NUMBERS,
    BITS,
    VIEWS,
    CODES, /* a dictionary's indices */
    STRUCTS,
    PAIRS, /* lists of two */
    STRINGS,
    LISTS,
    NULLS
};

static struct ArrowSchema *column_of(enum column column) {
    switch (column) {
    case NUMBERS:
        return arrow_schema("g", "c", 0);
    case BITS:
        return arrow_schema("b", "c", 0);
    case VIEWS:
        return arrow_schema("vu", "c", 0);
    case CODES:
        return arrow_encoded(arrow_schema("c", "c", 0),
                             arrow_schema("g", NULL, 0));
    case STRUCTS:
        return arrow_schema("+s", "c", 1, arrow_schema("i", "x", 0));
    case PAIRS:
        return arrow_schema("+w:2", "c", 1, arrow_schema("i", "x", 0));
    case STRINGS:
        return arrow_schema("u", "c", 0);
    case LISTS:
        return arrow_schema("+L", "c", 1, arrow_schema("i", "x", 0));
    default:
        return arrow_schema("n", "c", 0);
    }
}

/* A view that is not in its place, of the kept rows' first. */
struct view {
    int32_t length, prefix, buffer, offset;
};

static void spoil_view(struct patient *patient, struct view view) {
    struct view *const views = spoil(patient, 1, ROWS * sizeof *views);
    views[7] = view;
}

#define CASE(NAME, ...)                                                        \
    static void NAME(struct patient *patient) {                                \
        struct ArrowArray *const column = patient->column;                     \
        struct ArrowArray *const batch = &patient->in.array;                   \
        (void)column;                                                          \
        (void)batch;                                                           \
        __VA_ARGS__;                                                           \
    }
CASE(negative_length, column->length = -1)
CASE(negative_offset, column->offset = -1)
CASE(large_offset, column->offset = INT64_MAX - 5)
CASE(far_offset, column->offset = INT64_MAX / 8)
CASE(short_column, column->length = ROWS - 1)
CASE(low_null_count, column->null_count = -2)
CASE(high_null_count, column->null_count = ROWS + 1)
CASE(nulls_without_bits, column->null_count = 3)
CASE(one_buffer, column->n_buffers = 1)
CASE(three_buffers, column->n_buffers = 3)
CASE(no_buffers, column->buffers = NULL)
CASE(null_values, column->buffers[1] = NULL)
CASE(released, column->release = NULL)
CASE(two_children, column->n_children = 2)
CASE(no_children, column->children = NULL)
CASE(null_child, batch->children[1] = NULL)
CASE(short_child, column->children[0]->length--)
CASE(two_columns_less, batch->n_children = 0)
CASE(released_batch, batch->release = NULL)
CASE(long_batch, batch->length++)
CASE(no_dictionary, column->dictionary = NULL)
CASE(more_dictionary, column->dictionary = column)
CASE(large_code, ((signed char *)spoil(patient, 1, ROWS))[9] = 40)
CASE(negative_code, ((signed char *)spoil(patient, 1, ROWS))[9] = -1)
CASE(few_view_buffers, column->n_buffers = 2)
CASE(no_view_sizes, column->buffers[column->n_buffers - 1] = NULL)
CASE(odd_view_sizes,
     column->buffers[column->n_buffers - 1] =
         (const char *)column->buffers[column->n_buffers - 1] + 4)
CASE(no_view_bytes, column->buffers[3] = NULL)
CASE(negative_view, spoil_view(patient, (struct view){-1, 0, 0, 0}))
CASE(long_view, spoil_view(patient, (struct view){1501, 0, 0, 0}))
CASE(far_view, spoil_view(patient, (struct view){20, 0, 2, 1481}))
CASE(view_before, spoil_view(patient, (struct view){20, 0, 1, -1}))
CASE(view_of_none, spoil_view(patient, (struct view){20, 0, 3, 0}))
CASE(view_of_less, spoil_view(patient, (struct view){20, 0, -1, 0}))
CASE(view_of_much,
     spoil_view(patient, (struct view){INT32_MAX, 0, 0, INT32_MAX}))
CASE(descending, {
    int32_t *const offsets = spoil(patient, 1, (ROWS + 1) * sizeof *offsets);
    offsets[11] = offsets[12] + 1;
})
CASE(negative_string, ((int32_t *)spoil(patient, 1, (ROWS + 1) * 4))[0] = -1)
CASE(no_string_bytes, column->buffers[2] = NULL)
CASE(odd_offsets, column->buffers[1] = (const char *)column->buffers[1] + 1)
CASE(lists_beyond, column->children[0]->length--)
CASE(list_descends, ((int64_t *)spoil(patient, 1, (ROWS + 1) * 8))[1] = 0)
CASE(unknown_format, patient->column_schema->format = "_pl128")
CASE(null_format, patient->column_schema->format = NULL)
CASE(run_ends, patient->column_schema->format = "+r")
CASE(sparse_union, patient->column_schema->format = "+us:0,1")
CASE(list_views, patient->column_schema->format = "+vL")
CASE(no_width, patient->column_schema->format = "w:")
CASE(large_width, patient->column_schema->format = "w:99999999999999999999")
CASE(wide_elements, patient->column_schema->format = "w:4097")
CASE(wrong_decimal, patient->column_schema->format = "d:1,2,48")
CASE(released_schema, patient->column_schema->release = NULL)
CASE(no_struct, patient->schema->format = "+l")

static const struct {
    enum column column;
    void (*spoil)(struct patient *patient);
    const char *detail; /* a part of it */
    winnow_status status;
} cases[] = {
    {NUMBERS, negative_length, "'c': length is -1", WINNOW_ERR_ARGUMENT},
    {NUMBERS, negative_offset, "offset is -1", WINNOW_ERR_ARGUMENT},
    {NUMBERS, large_offset, "offset is", WINNOW_ERR_ARGUMENT},
    {NUMBERS, far_offset, "do not fit", WINNOW_ERR_ARGUMENT},
    {NUMBERS, short_column, "length is 39", WINNOW_ERR_ARGUMENT},
    {NUMBERS, low_null_count, "null_count is -2", WINNOW_ERR_ARGUMENT},
    {NUMBERS, high_null_count, "null_count is 41", WINNOW_ERR_ARGUMENT},
    {NUMBERS, nulls_without_bits, "buffers[0] is NULL", WINNOW_ERR_ARGUMENT},
    {NUMBERS, one_buffer, "n_buffers is 1", WINNOW_ERR_ARGUMENT},
    {NUMBERS, three_buffers, "n_buffers is 3", WINNOW_ERR_ARGUMENT},
    {NUMBERS, no_buffers, "buffers is NULL", WINNOW_ERR_ARGUMENT},
    {NUMBERS, null_values, "buffers[1] is NULL", WINNOW_ERR_ARGUMENT},
    {NUMBERS, released, "was released", WINNOW_ERR_ARGUMENT},
    {NUMBERS, two_children, "n_children is 2", WINNOW_ERR_ARGUMENT},
    {NUMBERS, null_child, "children[1] is NULL", WINNOW_ERR_ARGUMENT},
    {NUMBERS, two_columns_less, "n_children is 0", WINNOW_ERR_ARGUMENT},
    {NUMBERS, released_batch, "was released", WINNOW_ERR_ARGUMENT},
    {NUMBERS, long_batch, "length is 40", WINNOW_ERR_ARGUMENT},
    {NUMBERS, more_dictionary, "has a dictionary", WINNOW_ERR_ARGUMENT},
    {BITS, null_values, "buffers[1] is NULL", WINNOW_ERR_ARGUMENT},
    {BITS, nulls_without_bits, "buffers[0] is NULL", WINNOW_ERR_ARGUMENT},
    {NULLS, three_buffers, "n_buffers is 3", WINNOW_ERR_ARGUMENT},
    {STRUCTS, no_children, "children is NULL", WINNOW_ERR_ARGUMENT},
    {STRUCTS, short_child, "'c.x': length is 39", WINNOW_ERR_ARGUMENT},
    {STRUCTS, three_buffers, "n_buffers is 3", WINNOW_ERR_ARGUMENT},
    {PAIRS, short_child, "'c.x': length is 79", WINNOW_ERR_ARGUMENT},
    {CODES, no_dictionary, "has a dictionary", WINNOW_ERR_ARGUMENT},
    {CODES, large_code, "'c': an index is", WINNOW_ERR_ARGUMENT},
    {CODES, negative_code, "'c': an index is", WINNOW_ERR_ARGUMENT},
    {VIEWS, few_view_buffers, "n_buffers is 2", WINNOW_ERR_ARGUMENT},
    {VIEWS, no_view_sizes, "sizes of 3 buffers", WINNOW_ERR_ARGUMENT},
    {VIEWS, odd_view_sizes, "not aligned", WINNOW_ERR_ARGUMENT},
    {VIEWS, no_view_bytes, "buffers[3] is NULL", WINNOW_ERR_ARGUMENT},
    {VIEWS, negative_view, "outside of its buffer", WINNOW_ERR_ARGUMENT},
    {VIEWS, long_view, "outside of its buffer", WINNOW_ERR_ARGUMENT},
    {VIEWS, far_view, "outside of its buffer", WINNOW_ERR_ARGUMENT},
    {VIEWS, view_before, "outside of its buffer", WINNOW_ERR_ARGUMENT},
    {VIEWS, view_of_none, "outside of its buffer", WINNOW_ERR_ARGUMENT},
    {VIEWS, view_of_less, "outside of its buffer", WINNOW_ERR_ARGUMENT},
    {VIEWS, view_of_much, "outside of its buffer", WINNOW_ERR_ARGUMENT},
    {STRINGS, descending, "offset 11 is", WINNOW_ERR_ARGUMENT},
    {STRINGS, negative_string, "offset 0 is -1", WINNOW_ERR_ARGUMENT},
    {STRINGS, no_string_bytes, "buffers[2] is NULL", WINNOW_ERR_ARGUMENT},
    {STRINGS, odd_offsets, "not aligned", WINNOW_ERR_ARGUMENT},
    {STRINGS, null_values, "buffers[1] is NULL", WINNOW_ERR_ARGUMENT},
    {LISTS, lists_beyond, "'c.x': length is", WINNOW_ERR_ARGUMENT},
    {LISTS, list_descends, "offset 0 is", WINNOW_ERR_ARGUMENT},
    {NUMBERS, unknown_format, "'_pl128' is not known", WINNOW_ERR_UNSUPPORTED},
    {NUMBERS, null_format, "format is NULL", WINNOW_ERR_ARGUMENT},
    {NUMBERS, run_ends, "run-end", WINNOW_ERR_UNSUPPORTED},
    {NUMBERS, sparse_union, "n_buffers is 2", WINNOW_ERR_ARGUMENT},
    {NUMBERS, list_views, "list views", WINNOW_ERR_UNSUPPORTED},
    {NUMBERS, no_width, "is not known", WINNOW_ERR_UNSUPPORTED},
    {NUMBERS, large_width, "is not known", WINNOW_ERR_UNSUPPORTED},
    {NUMBERS, wide_elements, "'c': elements have 4097 bytes: at most 4096",
     WINNOW_ERR_UNSUPPORTED},
    {NUMBERS, wrong_decimal, "is not known", WINNOW_ERR_UNSUPPORTED},
    {NUMBERS, released_schema, "schema was released", WINNOW_ERR_ARGUMENT},
    {NUMBERS, no_struct, "n_children is 2", WINNOW_ERR_ARGUMENT},
};

BACKEND_TEST(arrow_malformed, host) {
    if (backend->gpu)
        return; /* its buffers are not there */
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct patient patient;
        open_patient(&patient, column_of(cases[i].column));
        struct ArrowArray *const child =
            patient.column->n_children > 0 ? patient.column->children[0] : NULL;
        const int64_t child_length = child == NULL ? 0 : child->length;
        struct ArrowArray **const columns = patient.in.array.children;
        cases[i].spoil(&patient);
        const winnow_status status = filter(backend, &patient);
        cr_assert_eq(status, cases[i].status, "case %u: %s", i,
                     status == WINNOW_OK ? "accepted" : winnow_last_error());
        cr_assert(strstr(winnow_last_error(), cases[i].detail) != NULL,
                  "case %u: '%s' has no '%s'", i, winnow_last_error(),
                  cases[i].detail);
        if (child != NULL)
            child->length = child_length;
        columns[1] = patient.column;
        patient.schema->format = "+s";
        close_patient(&patient);
    }
}

/* An offset that exceeds the next one is found wherever it is. */
BACKEND_TEST(arrow_malformed, each_offset) {
    if (backend->gpu)
        return; /* its buffers are not there */
    for (int64_t rows = ROWS - 4; rows < ROWS; rows++)
        for (int64_t i = 0; i < rows; i++) {
            struct patient patient;
            char wanted[32];
            open_patient(&patient, column_of(STRINGS));
            int32_t *const offsets =
                spoil(&patient, 1, (ROWS + 1) * sizeof *offsets);
            patient.in.array.length = rows;
            offsets[i] = offsets[i + 1] + 1;
            snprintf(wanted, sizeof wanted, "offset %d is", (int)i);
            cr_assert_eq(filter(backend, &patient), WINNOW_ERR_ARGUMENT);
            cr_assert(strstr(winnow_last_error(), wanted) != NULL,
                      "'%s' has no '%s'", winnow_last_error(), wanted);
            close_patient(&patient);
        }
}

/* What the host sees of a device's array is checked before anything else. */
BACKEND_TEST(arrow_malformed, structs) {
    struct patient patient;
    open_patient(&patient, column_of(NUMBERS));
    patient.column->n_buffers = 1;
    cr_assert_eq(filter(backend, &patient), WINNOW_ERR_ARGUMENT);
    cr_assert(strstr(winnow_last_error(), "n_buffers is 1") != NULL);
    close_patient(&patient);
}

/* An array of another device, and launches of other calls. */
BACKEND_TEST(arrow_malformed, places) {
    struct patient patient;
    void *event = NULL;
    open_patient(&patient, column_of(NUMBERS));
    patient.in.device_type =
        backend->gpu ? ARROW_DEVICE_CPU : ARROW_DEVICE_CUDA;
    patient.in.device_id = 0;
    cr_assert_eq(filter(backend, &patient), WINNOW_ERR_ARGUMENT);
    cr_assert(strstr(winnow_last_error(), "device_type") != NULL);
    patient.in.device_type = ARROW_DEVICE_ROCM;
    cr_assert_eq(filter(backend, &patient), WINNOW_ERR_ARGUMENT);
    if (backend->gpu) {
        patient.in.device_type = ARROW_DEVICE_CUDA;
        patient.in.device_id = 1;
        cr_assert_eq(filter(backend, &patient), WINNOW_ERR_ARGUMENT);
        cr_assert(strstr(winnow_last_error(), "device_id is 1") != NULL);
    } else {
        patient.in.device_type = ARROW_DEVICE_CPU;
        patient.in.sync_event = &event;
        cr_assert_eq(filter(backend, &patient), WINNOW_ERR_ARGUMENT);
        cr_assert(strstr(winnow_last_error(), "sync_event") != NULL);
    }
    close_patient(&patient);
}
