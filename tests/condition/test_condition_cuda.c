/*
 * winnow_condition_cuda: what it refuses before anything is compiled.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <string.h>

#include "suite.h"

#include <winnow.h>

static winnow_condition *const untouched = (winnow_condition *)16;

/* Refuse, and say why. */
static void refuse(winnow_status wanted, const char *why, const char *body,
                   const winnow_field *fields, unsigned field_count,
                   const winnow_parameter *parameters,
                   unsigned parameter_count) {
    winnow_condition *condition = untouched;
    const winnow_status status = winnow_condition_cuda(
        &condition, body, fields, field_count, parameters, parameter_count);
    cr_assert_eq(status, wanted, "%s: %s", why, winnow_status_name(status));
    cr_assert_not_null(strstr(winnow_last_error(), why), "%s: %s", why,
                       winnow_last_error());
    cr_assert_eq(condition, untouched, "%s", why);
}

static const winnow_field x = {.name = "x", .type = WINNOW_FLOAT32};

static void refuse_field(winnow_status wanted, const char *why,
                         winnow_field field) {
    const winnow_field fields[] = {x, field};
    refuse(wanted, why, "return x > 1;", fields, 2, NULL, 0);
}

static void refuse_parameter(winnow_status wanted, const char *why,
                             winnow_parameter parameter) {
    const winnow_parameter parameters[] = {
        {.name = "t", .type = WINNOW_INT8, .value = {.int64 = -128}},
        parameter};
    refuse(wanted, why, "return x > 1;", &x, 1, parameters, 2);
}

static const char *const no_names[] = {
    "",        "1x",  "a b",   "a-b", "x;",     "\xc3\xa9",
    "alignas", "and", "class", "int", "return", "xor_eq"};
#define NO_NAMES (sizeof no_names / sizeof no_names[0])

/* A parameter has a name. A column that cannot have one may be of any type. */
Test(condition_cuda, names) {
    static const char *const names[] = {"_",      "x1",   "Class",   "and_",
                                        "int8_t", "or_e", "xor_eq1", "a"};
    winnow_condition *condition;
    for (unsigned i = 0; i < NO_NAMES; i++) {
        const winnow_field fields[] = {
            x, {.name = no_names[i], .type = WINNOW_STRING32}};
        cr_assert_eq(winnow_condition_cuda(
                         &condition, "int a = 1; return x > a; // a b; a-b",
                         fields, 2, NULL, 0),
                     WINNOW_OK, "%s: %s", no_names[i], winnow_last_error());
        winnow_condition_destroy(condition);
        refuse_parameter(
            WINNOW_ERR_ARGUMENT, "no name in C++",
            (winnow_parameter){.name = no_names[i], .type = WINNOW_INT32});
    }
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        const winnow_parameter parameter = {.name = names[i],
                                            .type = WINNOW_INT32};
        cr_assert_eq(winnow_condition_cuda(&condition, "return x > 1;", &x, 1,
                                           &parameter, 1),
                     WINNOW_OK, "%s: %s", names[i], winnow_last_error());
        winnow_condition_destroy(condition);
    }
    refuse_field(WINNOW_ERR_ARGUMENT, "fields[1].name is NULL",
                 (winnow_field){.type = WINNOW_INT32});
    refuse_parameter(WINNOW_ERR_ARGUMENT, "parameters[1].name is NULL",
                     (winnow_parameter){.type = WINNOW_INT32});
}

Test(condition_cuda, arguments) {
    static char body[8194];
    winnow_field fields[33];
    winnow_parameter parameters[65];
    winnow_condition *condition;
    for (unsigned i = 0; i < 33; i++)
        fields[i] = x;
    for (unsigned i = 0; i < 65; i++)
        parameters[i] = (winnow_parameter){.name = "t", .type = WINNOW_INT32};
    cr_assert_eq(winnow_condition_cuda(NULL, "return x;", &x, 1, NULL, 0),
                 WINNOW_ERR_ARGUMENT);
    refuse(WINNOW_ERR_ARGUMENT, "body is NULL", NULL, &x, 1, NULL, 0);
    refuse(WINNOW_ERR_ARGUMENT, "fields is NULL", "return x;", NULL, 1, NULL,
           0);
    refuse(WINNOW_ERR_ARGUMENT, "parameters is NULL", "return x;", &x, 1, NULL,
           1);
    refuse(WINNOW_ERR_UNSUPPORTED, "field_count is 0", "return x;", &x, 0, NULL,
           0);
    refuse(WINNOW_ERR_UNSUPPORTED, "field_count is 33", "return x;", fields, 33,
           NULL, 0);
    refuse(WINNOW_ERR_UNSUPPORTED, "parameter_count is 65", "return x;", &x, 1,
           parameters, 65);
    memset(body, ' ', 8193);
    refuse(WINNOW_ERR_UNSUPPORTED, "more than 8192 bytes", body, &x, 1, NULL,
           0);
    body[8192] = '\0';
    cr_assert_eq(winnow_condition_cuda(&condition, body, &x, 1, NULL, 0),
                 WINNOW_OK, "%s", winnow_last_error());
    winnow_condition_destroy(condition);
}

Test(condition_cuda, types) {
    static const winnow_type floats[] = {WINNOW_FLOAT16, WINNOW_BFLOAT16};
    const winnow_field string = {.name = "s", .type = WINNOW_STRING32};
    const winnow_field fields[] = {x, string};
    refuse(WINNOW_ERR_UNSUPPORTED, "fields[1] is of string32", "return s;",
           fields, 2, NULL, 0);
    refuse(WINNOW_ERR_UNSUPPORTED, "no field", "return true;", &string, 1, NULL,
           0);
    refuse_field(
        WINNOW_ERR_ARGUMENT, "fields[1].reserved",
        (winnow_field){.name = "y", .type = WINNOW_INT32, .reserved = {0, 1}});
    refuse_parameter(WINNOW_ERR_ARGUMENT, "parameters[1].reserved",
                     (winnow_parameter){.name = "y",
                                        .type = WINNOW_INT32,
                                        .reserved = {1, 0}});
    refuse_parameter(WINNOW_ERR_UNSUPPORTED, "parameters[1] is of bit",
                     (winnow_parameter){.name = "y", .type = WINNOW_BIT});
    for (unsigned i = 0; i < 2; i++)
        refuse_parameter(WINNOW_ERR_UNSUPPORTED, "parameters[1] is of",
                         (winnow_parameter){.name = "y", .type = floats[i]});
    refuse_parameter(WINNOW_ERR_ARGUMENT, "parameters[1].value is no int8",
                     (winnow_parameter){.name = "y",
                                        .type = WINNOW_INT8,
                                        .value = {.int64 = 128}});
    refuse_parameter(WINNOW_ERR_ARGUMENT, "parameters[1].value is no uint32",
                     (winnow_parameter){.name = "y",
                                        .type = WINNOW_UINT32,
                                        .value = {.int64 = -1}});
}
