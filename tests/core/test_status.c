/*
 * Names, texts, the version and the thread's last error.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include <winnow.h>

#include "element.h"

static void expect_text(const char *got, const char *wanted) {
    cr_assert(got != NULL && strcmp(got, wanted) == 0, "got \"%s\", not \"%s\"",
              got ? got : "NULL", wanted);
}

Test(status, names) {
    static const struct {
        winnow_status status;
        int value;
        const char *name;
    } rows[] = {
        {WINNOW_OK, 0, "WINNOW_OK"},
        {WINNOW_ERR_ARGUMENT, 1, "WINNOW_ERR_ARGUMENT"},
        {WINNOW_ERR_WORKSPACE, 2, "WINNOW_ERR_WORKSPACE"},
        {WINNOW_ERR_UNSUPPORTED, 3, "WINNOW_ERR_UNSUPPORTED"},
        {WINNOW_ERR_MEMORY, 4, "WINNOW_ERR_MEMORY"},
        {WINNOW_ERR_NO_DEVICE, 5, "WINNOW_ERR_NO_DEVICE"},
        {WINNOW_ERR_CUDA, 6, "WINNOW_ERR_CUDA"},
        {WINNOW_ERR_SYNTAX, 7, "WINNOW_ERR_SYNTAX"},
        {WINNOW_ERR_COMPILE, 8, "WINNOW_ERR_COMPILE"},
        {WINNOW_ERR_FILE, 9, "WINNOW_ERR_FILE"},
        {WINNOW_ERR_STOPPED, 10, "WINNOW_ERR_STOPPED"},
        {WINNOW_ERR_COMMUNICATION, 11, "WINNOW_ERR_COMMUNICATION"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *text = winnow_status_string(rows[i].status);

        cr_assert_eq((int)rows[i].status, rows[i].value);
        expect_text(winnow_status_name(rows[i].status), rows[i].name);
        cr_assert(text && strlen(text) > 3, "%s has no text", rows[i].name);
        for (size_t j = 0; j < i; j++)
            cr_assert(strcmp(text, winnow_status_string(rows[j].status)) != 0,
                      "%s and %s have the same text", rows[i].name,
                      rows[j].name);
    }
    expect_text(winnow_status_name((winnow_status)12), "WINNOW_STATUS_UNKNOWN");
    expect_text(winnow_status_name((winnow_status)-1), "WINNOW_STATUS_UNKNOWN");
    expect_text(winnow_status_name((winnow_status)INT_MAX),
                "WINNOW_STATUS_UNKNOWN");
    cr_assert_not_null(winnow_status_string((winnow_status)-1));
}

Test(status, types) {
    static const char *const names[] = {
        "opaque",   "int8",    "int16",   "int32",  "int64",
        "uint8",    "uint16",  "uint32",  "uint64", "float16",
        "bfloat16", "float32", "float64", "bit"};
    /* Without a size: all but two. */
    static const struct {
        winnow_type type;
        int value;
        const char *name;
        size_t size;
    } others[] = {{WINNOW_INT128, 14, "int128", 16},
                  {WINNOW_STRING32, 15, "string32", 0},
                  {WINNOW_STRING64, 16, "string64", 0},
                  {WINNOW_VIEW, 17, "view", 16}};

    for (int i = WINNOW_OPAQUE; i <= WINNOW_BIT; i++)
        expect_text(winnow_type_name((winnow_type)i), names[i]);
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        cr_assert_eq((int)others[i].type, others[i].value);
        expect_text(winnow_type_name(others[i].type), others[i].name);
        cr_assert_eq(winnow_type_size(others[i].type), others[i].size);
    }
    FOR_EACH_TYPE(type) {
        cr_assert_eq(winnow_type_size(type), element_size(type), "size of %s",
                     names[type]);
    }
    cr_assert_eq(winnow_type_size(WINNOW_OPAQUE), 0);
    expect_text(winnow_type_name((winnow_type)-1), "unknown");
    expect_text(winnow_type_name((winnow_type)(WINNOW_VIEW + 1)), "unknown");
    cr_assert_eq(winnow_type_size((winnow_type)-1), 0);
    cr_assert_eq(winnow_type_size(WINNOW_BIT), 0);
    cr_assert_eq(winnow_type_size((winnow_type)(WINNOW_VIEW + 1)), 0);
}

Test(status, strategies_and_orders) {
    static const struct {
        winnow_strategy strategy;
        int value;
        const char *name;
    } rows[] = {
        {WINNOW_HOST, -1, "host"},
        {WINNOW_AUTO, 0, "auto"},
        {WINNOW_GLOBAL_ATOMIC, 1, "global_atomic"},
        {WINNOW_SHARED_ATOMIC, 2, "shared_atomic"},
        {WINNOW_WARP_AGGREGATED, 3, "warp_aggregated"},
        {WINNOW_WARP_SHARED, 4, "warp_shared"},
        {WINNOW_TILE_AGGREGATED, 5, "tile_aggregated"},
        {WINNOW_CUB_SCAN, 6, "cub_scan"},
        {WINNOW_TILE_SCAN, 7, "tile_scan"},
        {WINNOW_SOFTWARE_ATOMIC, 8, "software_atomic"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        cr_assert_eq((int)rows[i].strategy, rows[i].value);
        expect_text(winnow_strategy_name(rows[i].strategy), rows[i].name);
    }
    expect_text(winnow_strategy_name((winnow_strategy)-2), "unknown");
    expect_text(winnow_strategy_name((winnow_strategy)1000), "unknown");
    expect_text(winnow_order_name(WINNOW_UNORDERED), "unordered");
    expect_text(winnow_order_name(WINNOW_STABLE), "stable");
    expect_text(winnow_order_name((winnow_order)2), "unknown");
    expect_text(winnow_order_name((winnow_order)-1), "unknown");
}

Test(status, version) {
    char text[32];

    cr_assert_eq(winnow_version(), WINNOW_VERSION);
    snprintf(text, sizeof(text), "%d.%d.%d", WINNOW_VERSION_MAJOR,
             WINNOW_VERSION_MINOR, WINNOW_VERSION_PATCH);
    expect_text(winnow_version_string(), text);
    expect_text(winnow_version_string(), PACKAGE_VERSION);
}

static void *fail_elsewhere(void *wanted) {
    const char **verdict = wanted;

    if (winnow_last_error()[0] != '\0')
        *verdict = "a new thread's last error is not empty";
    else if (winnow_context_create(NULL, WINNOW_DEVICE_HOST) !=
             WINNOW_ERR_ARGUMENT)
        *verdict = "context_create(NULL) did not fail";
    else if (!strstr(winnow_last_error(), "context_p"))
        *verdict = "the detail does not name context_p";
    return NULL;
}

Test(status, last_error) {
    winnow_predicate *predicate = NULL;
    const int32_t zero = 0;
    const char *verdict = NULL;
    char kept[256];
    pthread_t thread;

    expect_text(winnow_last_error(), "");
    cr_assert_eq(
        winnow_predicate_compare(&predicate, WINNOW_INT32, WINNOW_LT, NULL),
        WINNOW_ERR_ARGUMENT);
    cr_assert(strstr(winnow_last_error(), "value"), "detail is \"%s\"",
              winnow_last_error());

    /* A call that works leaves it alone. */
    snprintf(kept, sizeof(kept), "%s", winnow_last_error());
    cr_assert_eq(
        winnow_predicate_compare(&predicate, WINNOW_INT32, WINNOW_LT, &zero),
        WINNOW_OK);
    winnow_predicate_destroy(predicate);
    expect_text(winnow_last_error(), kept);

    /* Another thread has its own. */
    cr_assert_eq(pthread_create(&thread, NULL, fail_elsewhere, &verdict), 0);
    cr_assert_eq(pthread_join(thread, NULL), 0);
    cr_assert_null(verdict, "%s", verdict);
    expect_text(winnow_last_error(), kept);

    /* Two failures: the detail is the last one's. */
    cr_assert_eq(winnow_context_create(NULL, WINNOW_DEVICE_HOST),
                 WINNOW_ERR_ARGUMENT);
    cr_assert(strstr(winnow_last_error(), "context_p"), "detail is \"%s\"",
              winnow_last_error());
}

#ifndef WINNOW_CUDA
/* Who asks for a GPU of a library without CUDA is told what it has. */
/* By a library over this one. */
Test(status, set_last_error) {
    char text[600];

    cr_assert_eq(winnow_set_last_error(WINNOW_ERR_COMMUNICATION, "MPI: lost"),
                 WINNOW_ERR_COMMUNICATION);
    expect_text(winnow_last_error(), "MPI: lost");
    cr_assert_eq(winnow_set_last_error(WINNOW_OK, winnow_last_error() + 5),
                 WINNOW_OK);
    expect_text(winnow_last_error(), "lost");
    memset(text, 'x', sizeof(text));
    text[sizeof(text) - 1] = 0;
    cr_assert_eq(winnow_set_last_error(WINNOW_ERR_FILE, text), WINNOW_ERR_FILE);
    cr_assert_eq(strlen(winnow_last_error()), 511);
    cr_assert_eq(winnow_set_last_error(WINNOW_ERR_FILE, NULL), WINNOW_ERR_FILE);
    expect_text(winnow_last_error(), "");
}

Test(status, no_cuda) {
    winnow_context *context;
    cr_assert_eq(winnow_context_create(&context, 0), WINNOW_ERR_NO_DEVICE);
    expect_text(winnow_last_error(),
                "device 0: this libwinnow was built without CUDA, and has the "
                "host alone");
}
#endif

/* --------------------------------------------------------------------- places */

static winnow_place place_now(void) {
    winnow_place place = {.size = sizeof(place)};

    cr_assert_eq(winnow_last_error_place(&place), WINNOW_OK);
    return place;
}

/* Line, column, offset and field of a mistake are those that the detail has. */
Test(status, places) {
    static const winnow_field fields[] = {
        {.name = "x", .type = WINNOW_INT32},
        {.name = "when", .type = WINNOW_INT64, .format = "tss:"},
        {.name = "record", .type = WINNOW_OPAQUE}};
    static const struct {
        const char *text;
        unsigned line, column, offset;
        uint32_t field;
    } cases[] = {
        {"x >", 1, 4, 3, 0},
        {"y > 3", 1, 1, 0, WINNOW_NO_FIELD},
        {"x > 3 and\n\n  when > 5", 3, 10, 20, 1},
        {"x > 3\r\nand x > 'b'", 2, 9, 15, 0},
        {"/* \n */ when = 'soon'", 2, 12, 15, 1},
        {"record > x", 1, 1, 0, 2},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        winnow_condition *made;
        char wanted[60];

        cr_assert_neq(winnow_condition_parse(&made, fields, 3, cases[i].text),
                      WINNOW_OK);
        const winnow_place place = place_now();

        snprintf(wanted, sizeof(wanted), "line %u, column %u: ", place.line,
                 place.column);
        cr_assert_eq(strncmp(winnow_last_error(), wanted, strlen(wanted)), 0,
                     "%s: %s", cases[i].text, winnow_last_error());
        cr_assert_eq(place.line, cases[i].line, "%s", winnow_last_error());
        cr_assert_eq(place.column, cases[i].column, "%s", winnow_last_error());
        cr_assert_eq(place.offset, cases[i].offset, "%s", winnow_last_error());
        cr_assert_eq(place.field, cases[i].field, "%s", winnow_last_error());
    }
}

/* A success leaves it alone; what fails without a text has none. */
Test(status, place_of_another_error) {
    const winnow_field field = {.name = "x", .type = WINNOW_INT32};
    winnow_place wrong = {.size = 3};
    winnow_condition *condition;
    winnow_expression *expression;

    cr_assert_eq(place_now().line, 0);
    cr_assert_eq(place_now().field, WINNOW_NO_FIELD);
    cr_assert_eq(winnow_expression_parse(&expression, &field, 1, "x + "),
                 WINNOW_ERR_SYNTAX);
    cr_assert_eq(place_now().offset, 4);
    cr_assert_eq(winnow_condition_parse(&condition, &field, 1, "x = 1"),
                 WINNOW_OK);
    winnow_condition_destroy(condition);
    cr_assert_eq(place_now().line, 1);
    cr_assert_eq(winnow_set_last_error(WINNOW_ERR_SYNTAX, winnow_last_error()),
                 WINNOW_ERR_SYNTAX);
    cr_assert_eq(place_now().line, 1);
    cr_assert_eq(winnow_last_error_place(&wrong), WINNOW_ERR_ARGUMENT);
    cr_assert_eq(place_now().line, 0);
    cr_assert_eq(winnow_last_error_place(NULL), WINNOW_ERR_ARGUMENT);
    cr_assert_str_eq(winnow_last_error(), "place is NULL");
}
