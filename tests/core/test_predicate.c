/*
 * Making predicates: what is accepted, and the answer to bad input. What a
 * predicate keeps is for test_copy_if.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <string.h>

#include <criterion/criterion.h>

#include <winnow.h>

#include "element.h"
#include "rules.h"

/* Never a predicate's address: shows whether *predicate_p was written. */
static char unwritten;
#define UNWRITTEN ((winnow_predicate *)(void *)&unwritten)

static void expect_refused(winnow_status status, const winnow_predicate *made,
                           const char *detail, const char *what) {
    cr_assert_eq(status, WINNOW_ERR_ARGUMENT, "%s: %s", what,
                 winnow_status_name(status));
    cr_assert(strstr(winnow_last_error(), detail),
              "%s: the detail \"%s\" lacks \"%s\"", what, winnow_last_error(),
              detail);
    cr_assert(made == UNWRITTEN, "%s: *predicate_p was written", what);
}

Test(predicate, every_rule_is_accepted) {
    FOR_EACH_TYPE(type) {
        struct rule rules[RULES_MOST];
        const size_t count = rules_all(type, rules);

        for (size_t i = 0; i < count; i++) {
            winnow_predicate *made = NULL;
            const winnow_status status = rule_create(&rules[i], &made);
            char text[128];

            rule_describe(&rules[i], text, sizeof(text));
            cr_assert_eq(status, WINNOW_OK, "%s: %s: %s", text,
                         winnow_status_name(status), winnow_last_error());
            cr_assert_not_null(made, "%s", text);
            winnow_predicate_destroy(made);
        }
    }
    winnow_predicate_destroy(NULL);
}

Test(predicate, null_pointers) {
    const int64_t zero = 0;
    winnow_predicate *made = UNWRITTEN;

    expect_refused(
        winnow_predicate_compare(NULL, WINNOW_INT64, WINNOW_LT, &zero), made,
        "predicate_p", "compare");
    expect_refused(winnow_predicate_range(NULL, WINNOW_INT64, &zero, &zero),
                   made, "predicate_p", "range");
    expect_refused(winnow_predicate_bits(NULL, WINNOW_INT64, 0, 0), made,
                   "predicate_p", "bits");
    expect_refused(
        winnow_predicate_compare(&made, WINNOW_INT64, WINNOW_LT, NULL), made,
        "value", "compare");
    expect_refused(winnow_predicate_range(&made, WINNOW_INT64, NULL, &zero),
                   made, "low", "range");
    expect_refused(winnow_predicate_range(&made, WINNOW_INT64, &zero, NULL),
                   made, "high", "range");
}

Test(predicate, unknown_enums) {
    static const int bad_types[] = {-1, WINNOW_OPAQUE, WINNOW_BIT,
                                    WINNOW_VIEW + 1};
    static const int bad_compares[] = {-1, 6, 7, 1 << 20};
    const int64_t zero = 0;
    winnow_predicate *made = UNWRITTEN;

    for (size_t i = 0; i < 4; i++) {
        const winnow_type type = (winnow_type)bad_types[i];

        expect_refused(winnow_predicate_compare(&made, type, WINNOW_LT, &zero),
                       made, "type", "compare");
        expect_refused(winnow_predicate_range(&made, type, &zero, &zero), made,
                       "type", "range");
        expect_refused(winnow_predicate_bits(&made, type, 0, 0), made, "type",
                       "bits");
        expect_refused(winnow_predicate_compare(&made, WINNOW_INT64,
                                                (winnow_compare)bad_compares[i],
                                                &zero),
                       made, "compare", "compare");
    }
}

Test(predicate, masks) {
    FOR_EACH_TYPE(type) {
        const char *name = winnow_type_name(type);
        const uint64_t all = element_all_bits(type);
        winnow_predicate *made = UNWRITTEN;

        if (all != UINT64_MAX) {
            expect_refused(winnow_predicate_bits(&made, type, all + 1, 0), made,
                           "mask", name);
            expect_refused(winnow_predicate_bits(&made, type, UINT64_MAX, 0),
                           made, "mask", name);
            expect_refused(winnow_predicate_bits(&made, type, all, all + 1),
                           made, "value", name);
        }
        expect_refused(winnow_predicate_bits(&made, type, 0, 1), made, "value",
                       name);
        expect_refused(winnow_predicate_bits(&made, type, all ^ 1, 1), made,
                       "value", name);
        cr_assert_eq(winnow_predicate_bits(&made, type, all, all), WINNOW_OK,
                     "%s: %s", name, winnow_last_error());
        winnow_predicate_destroy(made);
    }
}
