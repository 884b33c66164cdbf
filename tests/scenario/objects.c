/*
 * What calls are made of: contexts, predicates, conditions, expressions; and the
 * functions that cannot fail.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "scenario.h"

#include <string.h>

/* What cannot fail, and so is right whatever else is wrong. */
static winnow_status names(struct scenario *s) {
    size_t bytes = 0;
    winnow_launch launch;
    winnow_status status = winnow_selection_bytes(s->n, &bytes);
    if (status == WINNOW_OK)
        status = winnow_launch_init(&launch, sizeof launch);
    if (winnow_version() != WINNOW_VERSION ||
        strlen(winnow_version_string()) < 5 ||
        strcmp(winnow_status_name(WINNOW_ERR_MEMORY), "WINNOW_ERR_MEMORY") ||
        strlen(winnow_status_string(WINNOW_ERR_FILE)) < 5 ||
        winnow_set_last_error(WINNOW_ERR_FILE, "a detail") != WINNOW_ERR_FILE ||
        strcmp(winnow_last_error(), "a detail") ||
        strcmp(winnow_type_name(WINNOW_INT128), "int128") ||
        winnow_type_size(WINNOW_INT128) != 16 ||
        strcmp(winnow_strategy_name(WINNOW_TILE_SCAN), "tile_scan") ||
        strcmp(winnow_order_name(WINNOW_STABLE), "stable") ||
        winnow_no_limit() != WINNOW_NO_LIMIT ||
        winnow_no_index() != WINNOW_NO_INDEX || bytes < s->n / 8 ||
        launch.size != sizeof launch || launch.d_n != NULL)
        scenario_wrong(s, "a name or a number is wrong");
    return status;
}

static winnow_status context(struct scenario *s) {
    char text[200];
    winnow_context *context;
    winnow_status status = winnow_context_create(
        &context, s->backend.gpu ? 0 : WINNOW_DEVICE_HOST);
    if (status != WINNOW_OK)
        return status;
    status = winnow_context_notes(context, text, sizeof text);
    if (status == WINNOW_OK)
        status = winnow_context_set_compile(context, WINNOW_COMPILE_BEFORE);
    if (status == WINNOW_OK)
        status = s->backend.gpu ? winnow_context_tune(context, NULL)
                                : winnow_context_set_threads(context, 2);
    winnow_context_destroy(context);
    return status;
}

/* One is for devices, the other for the host. */
static winnow_status other_context(struct scenario *s) {
    const winnow_status status =
        s->backend.gpu ? winnow_context_set_threads(s->backend.context, 1)
                       : winnow_context_tune(s->backend.context, NULL);
    if (status != WINNOW_ERR_UNSUPPORTED)
        scenario_wrong(s, "%s", winnow_status_name(status));
    return WINNOW_OK;
}

static winnow_status predicates(struct scenario *s) {
    const int32_t low = 3, high = 7;
    winnow_predicate *made = NULL;
    (void)s;
    winnow_status status =
        winnow_predicate_compare(&made, WINNOW_INT32, WINNOW_LT, &high);
    if (status == WINNOW_OK) {
        winnow_predicate_destroy(made);
        status = winnow_predicate_range(&made, WINNOW_INT32, &low, &high);
    }
    if (status == WINNOW_OK) {
        winnow_predicate_destroy(made);
        status = winnow_predicate_bits(&made, WINNOW_INT32, 7, 3);
    }
    if (status == WINNOW_OK)
        winnow_predicate_destroy(made);
    return status;
}

static winnow_status cache(struct scenario *s) {
    (void)s;
    const winnow_status status = winnow_cache_set(NULL, 0);
    return status == WINNOW_OK ? winnow_cache_clear() : status;
}

static winnow_status expressions(struct scenario *s) {
    const winnow_field field = {.name = "x", .type = WINNOW_INT32};
    winnow_expression *made;
    winnow_status status =
        winnow_expression_parse(&made, &field, 1, "x * 2 + 1");
    if (status != WINNOW_OK)
        return status;
    if (winnow_expression_type(made) != WINNOW_INT64 ||
        strcmp(winnow_expression_format(made), "l") != 0)
        scenario_wrong(s, "the type is wrong");
    winnow_expression_destroy(made);
    status = winnow_expression_column(&made, 3, WINNOW_FLOAT32);
    if (status == WINNOW_OK)
        winnow_expression_destroy(made);
    return status;
}

/* What a condition and an expression read, and where a text is wrong. */
static winnow_status reading(struct scenario *s) {
    const winnow_field field = {.name = "x", .type = WINNOW_INT32};
    unsigned columns[WINNOW_CONDITION_MOST_COLUMNS], count = 0;
    winnow_place place = {.size = sizeof place};
    winnow_bound bound;
    uint64_t bounds = 0;
    winnow_condition *made;
    winnow_status status = winnow_condition_parse(&made, &field, 1, "x > 30");
    if (status != WINNOW_OK)
        return status;
    if (winnow_condition_columns(made, columns, &count) != WINNOW_OK ||
        winnow_condition_bounds(made, &bound, 1, &bounds) != WINNOW_OK ||
        count != 1 || columns[0] != 0 || bounds != 1 ||
        bound.kind != WINNOW_BOUND_RANGE || bound.low[0] != 31)
        scenario_wrong(s, "what a condition reads is wrong");
    winnow_predicate *predicate;
    status = winnow_condition_predicate(&predicate, made);
    winnow_condition_destroy(made);
    if (status != WINNOW_OK)
        return status;
    winnow_predicate_destroy(predicate);
    if (winnow_expression_columns(s->expression, columns, &count) !=
            WINNOW_OK ||
        count != 1)
        scenario_wrong(s, "what an expression reads is wrong");
    status = winnow_condition_parse(&made, &field, 1, "x >\n  y");
    if (status == WINNOW_ERR_MEMORY)
        return status;
    if (winnow_last_error_place(&place) != WINNOW_OK || place.line != 2 ||
        place.column != 3 || place.offset != 6 || place.field != 0)
        scenario_wrong(s, "the place of an error is wrong");
    return WINNOW_OK;
}

static winnow_status cuda(struct scenario *s) {
    const winnow_field field = {.name = "x", .type = WINNOW_INT32};
    const winnow_parameter parameter = {
        .name = "t", .type = WINNOW_INT32, .value.int64 = 4};
    winnow_condition *made;
    (void)s;
    const winnow_status status =
        winnow_condition_cuda(&made, "return x > t;", &field, 1, &parameter, 1);
    if (status == WINNOW_OK)
        winnow_condition_destroy(made);
    return status;
}

/* ------------------------------------------------------------------ conditions */

enum {
    PARTS = 16
};

/* Conditions that are made one after the other, and freed together. */
struct parts {
    winnow_condition *made[PARTS];
    unsigned number;
    winnow_status status;
};

static const winnow_condition *last(const struct parts *parts) {
    return parts->number > 0 ? parts->made[parts->number - 1] : NULL;
}

/* The next one, unless one has failed. */
#define MAKE(parts, function, ...)                                             \
    do {                                                                       \
        if ((parts)->status == WINNOW_OK)                                      \
            (parts)->status =                                                  \
                function(&(parts)->made[(parts)->number], __VA_ARGS__);        \
        if ((parts)->status == WINNOW_OK)                                      \
            (parts)->number++;                                                 \
    } while (0)

/* x is below 101: the values that 30 <= x says, as a list. */
static void make_list(struct parts *parts, struct scenario *s) {
    int32_t values[71];
    for (int i = 0; i < 71; i++)
        values[i] = 30 + i;
    MAKE(parts, winnow_condition_in, s->backend.context, 0, WINNOW_INT32,
         values, 71);
}

/* Nothing of it is true of columns without nulls and strings without 'A': */
static void make_false(struct parts *parts) {
    const winnow_buffer texts[] = {{"A", 1}, {"AA", 2}};
    MAKE(parts, winnow_condition_is_null, 0);
    MAKE(parts, winnow_condition_text, 2, WINNOW_TEXT_CONTAINS, "A", 1);
    MAKE(parts, winnow_condition_text_in, 2, texts, 2);
}

static void make_condition(struct parts *parts, struct scenario *s) {
    const winnow_field field = {.name = "x", .type = WINNOW_INT32};
    make_list(parts, s);
    MAKE(parts, winnow_condition_test, 0, s->predicate);
    MAKE(parts, winnow_condition_and, parts->made[0], last(parts));
    MAKE(parts, winnow_condition_bit, 1);
    MAKE(parts, winnow_condition_and, parts->made[2], last(parts));
    MAKE(parts, winnow_condition_parse, &field, 1, "x < 30");
    MAKE(parts, winnow_condition_not, last(parts));
    MAKE(parts, winnow_condition_is_true, last(parts));
    MAKE(parts, winnow_condition_and, parts->made[4], last(parts)); /* 8 */
    make_false(parts); /* 9, 10, 11 */
    MAKE(parts, winnow_condition_or, parts->made[9], parts->made[10]);
    MAKE(parts, winnow_condition_or, last(parts), parts->made[11]);
    MAKE(parts, winnow_condition_or, last(parts), parts->made[8]);
}

static winnow_status conditions(struct scenario *s) {
    struct parts parts = {.status = WINNOW_OK};
    const winnow_in columns[] = {{.type = WINNOW_INT32, .d_base = s->in->x},
                                 {.type = WINNOW_BIT, .d_base = s->in->bits},
                                 {.type = WINNOW_STRING32,
                                  .d_base = s->in->strings,
                                  .d_data = s->in->bytes,
                                  .data_size = s->in->strings[s->n]}};
    make_condition(&parts, s);
    if (parts.status == WINNOW_OK)
        parts.status =
            winnow_condition_prepare(s->backend.context, last(&parts));
    if (parts.status == WINNOW_OK)
        parts.status = winnow_select_where(
            s->backend.context, last(&parts), columns, 3, s->n,
            s->out->selection, sizeof s->out->selection, &s->launch);
    if (parts.status == WINNOW_OK)
        parts.status = winnow_selection_to_mask(
            s->backend.context, s->out->selection, s->n, WINNOW_MASK_BYTES,
            s->out->mask, 0, &s->launch);
    for (unsigned i = 0; i < parts.number; i++)
        winnow_condition_destroy(parts.made[i]);
    return parts.status;
}

static void check_mask(struct scenario *s) {
    if (memcmp(s->out->mask, s->in->keep, s->n) != 0)
        scenario_wrong(s, "the mask is wrong");
}

const struct scenario_step scenario_objects[] = {
    {.name = "names", .call = names},
    {.name = "context", .call = context},
    {.name = "other_context", .call = other_context},
    {.name = "predicates", .call = predicates},
    {.name = "cache", .call = cache},
    {.name = "expressions", .call = expressions},
    {.name = "reading", .call = reading},
    {.name = "condition_cuda", .call = cuda},
    {.name = "conditions", .call = conditions, .check = check_mask},
    {0}};
