/*
 * winnow_condition_parse: what the text of a condition means.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "text.h"
#include "core/predicate.h"
#include "core/status.h"
#include "scanner.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---------------------------------------------------------------- failures */

bool winnow__text_fail(winnow__text *text, winnow_status status,
                       winnow__text_place place, const char *format, ...) {
    char detail[400];
    va_list arguments;
    if (text->status != WINNOW_OK)
        return false;
    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    text->status = winnow__fail(status, "line %u, column %u: %s", place.line,
                                place.column, detail);
    return false;
}

void winnow__text_unknown(winnow__text *text, unsigned char byte,
                          winnow__text_place place) {
    if (byte > ' ' && byte < 0x7f)
        winnow__text_fail(text, WINNOW_ERR_SYNTAX, place,
                          "found '%c', with which no word begins", byte);
    else
        winnow__text_fail(text, WINNOW_ERR_SYNTAX, place,
                          "found byte 0x%02x, with which no word begins", byte);
}

void winnow__text_use(winnow__text *text, winnow__text_place place,
                      const char *meant) {
    winnow__text_fail(text, WINNOW_ERR_SYNTAX, place, "found '%.*s': use %s",
                      (int)text->word_length, text->word, meant);
}

void winnow__text_quoted(winnow__text *text, winnow__text_place place) {
    const unsigned char *const word = (const unsigned char *)text->word;
    if (text->word_length == 3 && word[1] < 0x80)
        winnow__text_fail(text, WINNOW_ERR_SYNTAX, place,
                          "found %.3s: a character is its number, %u",
                          text->word, word[1]);
    else
        winnow__text_fail(text, WINNOW_ERR_SYNTAX, place,
                          "found %.*s: columns are compared with numbers, and "
                          "a character is its number",
                          text->word_length < 40 ? (int)text->word_length : 40,
                          text->word);
}

bool winnow__text_arithmetic(winnow__text *text, winnow__text_place place) {
    return winnow__text_fail(
        text, WINNOW_ERR_UNSUPPORTED, place,
        "found '%.*s': a condition compares columns with numbers, and has no "
        "arithmetic",
        (int)text->word_length, text->word);
}

/* ------------------------------------------------------------------- words */

static const winnow_field *field_of(const winnow__text *text,
                                    const winnow__text_value *value) {
    return &text->fields[value->column];
}

static const winnow__type_info *type_of(const winnow__text *text,
                                        const winnow__text_value *value) {
    return winnow__type(field_of(text, value)->type);
}

/* What is meant by words of other languages; NULL: nothing that is known. */
static const char *hint_of(const char *name, unsigned length) {
    static const struct {
        const char *word, *hint;
    } words[] = {
        {"and", "use &&"},
        {"or", "use ||"},
        {"not", "use !, as in !(x in (1, 2))"},
        {"between", "a range is 10 <= x <= 20"},
        {"inf", "use isfinite(x), which is false of infinities"},
        {"infinity", "use isfinite(x), which is false of infinities"},
        {"nan", "use isnan(x): a NaN equals nothing"},
    };
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strlen(words[i].word) == length &&
            strncasecmp(words[i].word, name, length) == 0)
            return words[i].hint;
    return NULL;
}

/* The columns that there are, or as many as there is room for. */
static void list_names(const winnow__text *text, char *to, size_t bytes) {
    static const char more[] = ", ...";
    size_t length = 0;
    snprintf(to, bytes, "there is none");
    for (unsigned i = 0; i < text->number_of_fields; i++) {
        const char *const name = text->fields[i].name;
        if (length + 2 + strlen(name) + sizeof more > bytes) {
            snprintf(to + length, bytes - length, "%s", more);
            return;
        }
        length += (size_t)snprintf(to + length, bytes - length, "%s%s",
                                   i == 0 ? "" : ", ", name);
    }
}

bool winnow__text_name(winnow__text *text, const char *name, unsigned length,
                       winnow__text_value *value) {
    for (unsigned i = 0; i < text->number_of_fields; i++)
        if (strlen(text->fields[i].name) == length &&
            memcmp(text->fields[i].name, name, length) == 0) {
            *value = (winnow__text_value){.kind = WINNOW__TEXT_COLUMN,
                                          .place = value->place,
                                          .column = (uint16_t)i};
            return true;
        }
    const char *const hint = hint_of(name, length);
    char names[200];
    list_names(text, names, sizeof names);
    return winnow__text_fail(
        text, WINNOW_ERR_SYNTAX, value->place, "found '%.*s'%s%s",
        length > 100 ? 100 : (int)length, name,
        hint != NULL ? ": " : ", which is the name of no column. Names: ",
        hint != NULL ? hint : names);
}

/* A number of decimal digits, which is none of octal ones, is often meant. */
static bool fail_number(winnow__text *text, const char *digits, unsigned length,
                        winnow__text_place place) {
    const unsigned zeros = (unsigned)strspn(digits, "0");
    const bool octal = zeros != 0 && strspn(digits, "0123456789") >= length;
    return winnow__text_fail(text, WINNOW_ERR_SYNTAX, place,
                             "found '%.*s', which is no number%s%.*s",
                             (int)length, digits,
                             octal ? ": a 0 in front makes it octal, use " : "",
                             octal ? (int)(length - zeros) : 0, digits + zeros);
}

bool winnow__text_scan_number(winnow__text *text, const char *digits,
                              unsigned length, winnow__text_value *value) {
    uint64_t bits;
    *value = (winnow__text_value){.kind = WINNOW__TEXT_NUMBER,
                                  .place = value->place,
                                  .number = {digits, length, false}};
    if (length > WINNOW__TEXT_MOST_DIGITS)
        return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED, value->place,
                                 "a number of %u characters: at most %d are "
                                 "possible",
                                 length, WINNOW__TEXT_MOST_DIGITS);
    if (winnow__number_bits(&value->number, winnow__type(WINNOW_FLOAT64),
                            &bits) == WINNOW__NUMBER_MALFORMED)
        return fail_number(text, digits, length, value->place);
    return true;
}

/* ------------------------------------------------------------------- nodes */

static bool add_test(winnow__text *text, const winnow__text_value *column,
                     const winnow_predicate *predicate) {
    if (text->tests == WINNOW_CONDITION_MOST_TESTS)
        return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED, column->place,
                                 "here is one test more than the %d that a "
                                 "condition can have",
                                 WINNOW_CONDITION_MOST_TESTS);
    text->tests++;
    text->nodes[text->number++] = (winnow__node){.kind = WINNOW__NODE_TEST,
                                                 .column = column->column,
                                                 .type = predicate->type,
                                                 .test = predicate->test};
    return true;
}

static void add_join(winnow__text *text, winnow__node_kind kind) {
    text->nodes[text->number++] = (winnow__node){.kind = (uint8_t)kind};
}

static void negate_last(winnow__text *text) {
    text->nodes[text->number - 1].negated ^= true;
}

static void be_condition(winnow__text_value *value) {
    value->kind = WINNOW__TEXT_CONDITION;
    value->continues = false;
}

/* Add the test of a predicate that was just made, if it was, and free it. */
static bool add_made(winnow__text *text, const winnow__text_value *column,
                     winnow_status status, winnow_predicate *made) {
    if (status != WINNOW_OK) {
        text->status = status;
        return false;
    }
    const bool added = add_test(text, column, made);
    winnow_predicate_destroy(made);
    return added;
}

static bool add_comparison(winnow__text *text, const winnow__text_value *column,
                           winnow_compare compare, uint64_t bits) {
    winnow_predicate *made = NULL;
    const winnow_status status = winnow_predicate_compare(
        &made, field_of(text, column)->type, compare, &bits);
    return add_made(text, column, status, made);
}

static bool add_bits(winnow__text *text, const winnow__text_value *column,
                     uint64_t value) {
    winnow_predicate *made = NULL;
    const winnow_status status = winnow_predicate_bits(
        &made, field_of(text, column)->type, column->mask, value);
    return add_made(text, column, status, made);
}

/* ----------------------------------------------------------------- numbers */

/* The bits of a number as an element of a type, under the name of a column. */
static bool take_number(winnow__text *text, const winnow__text_value *value,
                        const winnow__type_info *type, uint64_t *bits_p) {
    const winnow__text_number *const number = &value->number;
    const char *const sign = number->negative ? "-" : "";
    const int length = (int)number->length;
    switch (winnow__number_bits(number, type, bits_p)) {
    case WINNOW__NUMBER_FITS:
        return true;
    case WINNOW__NUMBER_FRACTION:
        return winnow__text_fail(text, WINNOW_ERR_SYNTAX, value->place,
                                 "found %s%.*s, expected an integer: the "
                                 "column is of %s",
                                 sign, length, number->digits, type->name);
    default:
        return winnow__text_fail(text, WINNOW_ERR_SYNTAX, value->place,
                                 "found %s%.*s, expected a number that %s can "
                                 "hold",
                                 sign, length, number->digits, type->name);
    }
}

/* The unsigned integer of as many bytes: of masks. */
static const winnow__type_info *unsigned_of(const winnow__type_info *type) {
    return winnow__type(
        (winnow_type)((int)WINNOW_UINT8 + (int)type->log2_size));
}

bool winnow__text_negate(winnow__text *text, winnow__text_value *value) {
    if (value->kind != WINNOW__TEXT_NUMBER)
        return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED, value->place,
                                 "expected a number after '-': a condition has "
                                 "no arithmetic");
    value->number.negative = !value->number.negative;
    return true;
}

/* -------------------------------------------------------------- conditions */

/* As in C: what is not 0 is true. */
bool winnow__text_condition(winnow__text *text, winnow__text_value *value) {
    bool added = true;
    switch (value->kind) {
    case WINNOW__TEXT_CONDITION:
        break;
    case WINNOW__TEXT_NUMBER:
        return winnow__text_fail(text, WINNOW_ERR_SYNTAX, value->place,
                                 "found a number, expected a condition");
    case WINNOW__TEXT_COLUMN:
        if (value->masked) {
            added = add_bits(text, value, 0);
            if (added)
                negate_last(text);
        } else {
            added = add_comparison(text, value, WINNOW_NE, 0);
        }
        break;
    }
    be_condition(value);
    return added;
}

bool winnow__text_join(winnow__text *text, winnow__node_kind kind,
                       winnow__text_value *a) {
    add_join(text, kind);
    be_condition(a);
    return true;
}

bool winnow__text_not(winnow__text *text, winnow__text_value *value) {
    const bool is_column = value->kind == WINNOW__TEXT_COLUMN && !value->masked;
    if (!winnow__text_condition(text, value))
        return false;
    negate_last(text);
    value->inverted = is_column;
    return true;
}

/* `! x op ...` is (!x) op ..., which is no condition. */
static bool fail_inverted(winnow__text *text, const winnow__text_value *a,
                          winnow__text_place place, const char *word) {
    return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED, place,
                             "! is before %s, as in C: use !(%.100s %s ...)",
                             word, field_of(text, a)->name, word);
}

/* What a function is called with. */
static bool check_argument(winnow__text *text, const winnow__text_value *value,
                           const char *name) {
    if (value->kind != WINNOW__TEXT_COLUMN || value->masked)
        return winnow__text_fail(text, WINNOW_ERR_SYNTAX, value->place,
                                 "expected a column in the parentheses of %s",
                                 name);
    if (type_of(text, value)->infinity == 0)
        return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED, value->place,
                                 "%s is of floats: '%s' is of %s", name,
                                 field_of(text, value)->name,
                                 type_of(text, value)->name);
    return true;
}

/* The elements whose magnitude is at most so much. */
static bool add_magnitude(winnow__text *text, winnow__text_value *value,
                          uint64_t most) {
    const winnow__type_info *const type = type_of(text, value);
    const uint64_t low = most | UINT64_C(1) << (8 * type->size - 1);
    winnow_predicate *made = NULL;
    const winnow_status status =
        winnow_predicate_range(&made, field_of(text, value)->type, &low, &most);
    if (!add_made(text, value, status, made))
        return false;
    be_condition(value);
    return true;
}

bool winnow__text_is_nan(winnow__text *text, winnow__text_value *value) {
    if (!check_argument(text, value, "isnan") ||
        !add_magnitude(text, value, type_of(text, value)->infinity))
        return false;
    negate_last(text);
    return true;
}

bool winnow__text_is_finite(winnow__text *text, winnow__text_value *value) {
    return check_argument(text, value, "isfinite") &&
           add_magnitude(text, value, type_of(text, value)->infinity - 1);
}

/* ------------------------------------------------------------------- masks */

bool winnow__text_mask(winnow__text *text, winnow__text_value *a,
                       const winnow__text_value *b) {
    const bool swapped = a->kind == WINNOW__TEXT_NUMBER;
    const winnow__text_value *const column = swapped ? b : a;
    const winnow__text_value *const number = swapped ? a : b;
    winnow__text_value masked = *column;
    if (a->kind == WINNOW__TEXT_CONDITION || b->kind == WINNOW__TEXT_CONDITION)
        return winnow__text_fail(
            text, WINNOW_ERR_UNSUPPORTED, b->place,
            "& of a condition: conditions are joined by &&, and == is before "
            "&, as in C: (flags & 7) == 3");
    if (column->kind != WINNOW__TEXT_COLUMN)
        return winnow__text_fail(text, WINNOW_ERR_SYNTAX, b->place,
                                 "found a number on both sides of &, expected "
                                 "a column");
    if (number->kind != WINNOW__TEXT_NUMBER || column->masked)
        return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED, b->place,
                                 "& is of one column and one number");
    if (type_of(text, column)->infinity != 0)
        return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED, b->place,
                                 "& is of integers: '%s' is of %s",
                                 field_of(text, column)->name,
                                 type_of(text, column)->name);
    if (!take_number(text, number, unsigned_of(type_of(text, column)),
                     &masked.mask))
        return false;
    masked.masked = true;
    masked.place = a->place;
    *a = masked;
    return true;
}

/* ------------------------------------------------------------- comparisons */

static winnow_compare mirrored(winnow_compare compare) {
    static const winnow_compare of[] = {
        [WINNOW_LT] = WINNOW_GT, [WINNOW_LE] = WINNOW_GE,
        [WINNOW_EQ] = WINNOW_EQ, [WINNOW_NE] = WINNOW_NE,
        [WINNOW_GE] = WINNOW_LE, [WINNOW_GT] = WINNOW_LT};
    return of[compare];
}

static const char *word_of(winnow_compare compare) {
    static const char *const of[] = {
        [WINNOW_LT] = "<",  [WINNOW_LE] = "<=", [WINNOW_EQ] = "==",
        [WINNOW_NE] = "!=", [WINNOW_GE] = ">=", [WINNOW_GT] = ">"};
    return of[compare];
}

static bool is_rising(winnow_compare compare) {
    return compare == WINNOW_LT || compare == WINNOW_LE;
}

static bool is_equality(winnow_compare compare) {
    return compare == WINNOW_EQ || compare == WINNOW_NE;
}

/* A test that the masked bits of a column are a number. */
static bool add_masked(winnow__text *text, const winnow__text_value *column,
                       const winnow__text_value *number) {
    uint64_t bits;
    if (!take_number(text, number, unsigned_of(type_of(text, column)), &bits))
        return false;
    if ((bits & ~column->mask) != 0)
        return winnow__text_fail(text, WINNOW_ERR_SYNTAX, number->place,
                                 "found %.*s, which has bits that the mask "
                                 "lacks",
                                 (int)number->number.length,
                                 number->number.digits);
    return add_bits(text, column, bits);
}

/* A comparison with an integer that the column's type cannot hold: it is true,
 * or false, of all its elements. */
static bool add_certain(winnow__text *text, const winnow__text_value *column,
                        winnow_compare compare, bool above) {
    winnow__text_value all = *column;
    all.mask = 0;
    if (!add_bits(text, &all, 0))
        return false;
    if (is_equality(compare) ? compare == WINNOW_EQ
                             : is_rising(compare) != above)
        negate_last(text);
    return true;
}

static bool add_number(winnow__text *text, const winnow__text_value *column,
                       winnow_compare compare,
                       const winnow__text_value *number) {
    const winnow__type_info *const type = type_of(text, column);
    uint64_t bits;
    if (type->infinity == 0 &&
        winnow__number_bits(&number->number, type, &bits) ==
            WINNOW__NUMBER_TOO_LARGE)
        return add_certain(text, column, compare, !number->number.negative);
    return take_number(text, number, type, &bits) &&
           add_comparison(text, column, compare, bits);
}

/* column op number */
static bool compare_column(winnow__text *text, const winnow__text_value *column,
                           winnow_compare compare,
                           const winnow__text_value *comparison,
                           const winnow__text_value *number) {
    if (!column->masked)
        return add_number(text, column, compare, number);
    if (!is_equality(compare))
        return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED,
                                 comparison->place,
                                 "bits under a mask are compared by == and !=");
    if (!add_masked(text, column, number))
        return false;
    if (compare == WINNOW_NE)
        negate_last(text);
    return true;
}

/* The second half of 10 <= x <= 20, whose first is *a. */
static bool compare_range(winnow__text *text, winnow__text_value *a,
                          const winnow__text_value *comparison,
                          const winnow__text_value *number) {
    if (is_equality(comparison->compare) ||
        is_rising(comparison->compare) != is_rising(a->compare))
        return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED,
                                 comparison->place,
                                 "the comparisons of a range go one way, as in "
                                 "10 <= x <= 20");
    if (!compare_column(text, a, comparison->compare, comparison, number))
        return false;
    add_join(text, WINNOW__NODE_AND);
    be_condition(a);
    return true;
}

bool winnow__text_compare(winnow__text *text, winnow__text_value *a,
                          const winnow__text_value *comparison,
                          const winnow__text_value *b) {
    const winnow_compare compare = comparison->compare;
    if (a->continues && b->kind == WINNOW__TEXT_NUMBER)
        return compare_range(text, a, comparison, b);
    if (a->kind == WINNOW__TEXT_CONDITION && a->inverted)
        return fail_inverted(text, a, comparison->place, word_of(compare));
    if (a->kind == WINNOW__TEXT_CONDITION || b->kind == WINNOW__TEXT_CONDITION)
        return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED,
                                 comparison->place,
                                 "a condition is compared with nothing: it is "
                                 "joined by && and ||");
    if (a->kind == WINNOW__TEXT_COLUMN && b->kind == WINNOW__TEXT_COLUMN)
        return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED,
                                 comparison->place,
                                 "two columns: a condition compares a column "
                                 "with numbers");
    if (a->kind == b->kind)
        return winnow__text_fail(text, WINNOW_ERR_SYNTAX, comparison->place,
                                 "found a number on both sides, expected a "
                                 "column on one (== is before &, as in C)");
    if (a->kind == WINNOW__TEXT_COLUMN) {
        if (!compare_column(text, a, compare, comparison, b))
            return false;
        be_condition(a);
        return true;
    }
    if (!compare_column(text, b, mirrored(compare), comparison, a))
        return false;
    *a = *b;
    a->kind = WINNOW__TEXT_CONDITION;
    a->compare = compare;
    a->continues = !is_equality(compare);
    return true;
}

/* ------------------------------------------------------------------- lists */

bool winnow__text_in(winnow__text *text, const winnow__text_value *column,
                     const winnow__text_value *number, bool first) {
    /* The test's place is that of its number. */
    winnow__text_value tested = *column;
    tested.place = number->place;
    if (column->kind == WINNOW__TEXT_CONDITION && column->inverted)
        return fail_inverted(text, column, column->place, "in");
    if (column->kind != WINNOW__TEXT_COLUMN)
        return winnow__text_fail(text, WINNOW_ERR_SYNTAX, column->place,
                                 "expected a column before 'in'");
    if (!(column->masked ? add_masked(text, &tested, number)
                         : add_number(text, &tested, WINNOW_EQ, number)))
        return false;
    if (!first)
        add_join(text, WINNOW__NODE_OR);
    return true;
}

/* ------------------------------------------------------------------ fields */

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_name(const char *name) {
    static const char *const words[] = {"in", "isnan", "isfinite"};
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(name, words[i]) == 0)
            return false;
    if (!is_letter(*name))
        return false;
    while (is_letter(*name) || (*name >= '0' && *name <= '9'))
        name++;
    return *name == '\0';
}

static winnow_status check_field(const winnow_field *fields, unsigned i) {
    if (fields[i].name == NULL)
        return winnow__fail(WINNOW_ERR_ARGUMENT, "fields[%u].name is NULL", i);
    if (!is_name(fields[i].name))
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "fields[%u].name '%.100s' is no name of a column",
                            i, fields[i].name);
    if (winnow__type(fields[i].type) == NULL)
        return winnow__fail(
            WINNOW_ERR_ARGUMENT, "fields[%u].type %d is no winnow_type%s", i,
            (int)fields[i].type,
            fields[i].type == WINNOW_OPAQUE ? " of elements that can be tested"
                                            : "");
    for (unsigned j = 0; j < i; j++)
        if (strcmp(fields[i].name, fields[j].name) == 0)
            return winnow__fail(WINNOW_ERR_ARGUMENT,
                                "fields[%u] and fields[%u] are both '%.100s'",
                                j, i, fields[i].name);
    return WINNOW_OK;
}

static winnow_status check_fields(const winnow_field *fields, unsigned number) {
    if (fields == NULL)
        return winnow__fail(WINNOW_ERR_ARGUMENT, "fields is NULL");
    if (number > WINNOW_CONDITION_MOST_COLUMNS)
        return winnow__fail(WINNOW_ERR_UNSUPPORTED,
                            "field_count is %u: at most %u are possible",
                            number, WINNOW_CONDITION_MOST_COLUMNS);
    for (unsigned i = 0; i < number; i++) {
        winnow_status status = check_field(fields, i);
        if (status != WINNOW_OK)
            return status;
    }
    return WINNOW_OK;
}

/* ------------------------------------------------------------------- parse */

static winnow_status parse(winnow__text *text, const char *from,
                           size_t length) {
    char *const buffer = malloc(length + 2);
    if (buffer == NULL)
        return winnow__fail(WINNOW_ERR_MEMORY,
                            "no host memory for a condition's text");
    memcpy(buffer, from, length);
    memset(buffer + length, 0, 2);
    winnow__text_parse(text, buffer, length);
    free(buffer);
    return text->status;
}

winnow_status winnow_condition_parse(winnow_condition **condition_p,
                                     const winnow_field *fields,
                                     unsigned number_of_fields,
                                     const char *text) {
    if (condition_p == NULL || text == NULL)
        return winnow__fail(WINNOW_ERR_ARGUMENT, "%s is NULL",
                            text == NULL ? "text" : "condition_p");
    winnow_status status = check_fields(fields, number_of_fields);
    if (status != WINNOW_OK)
        return status;
    const size_t length = strnlen(text, WINNOW__TEXT_MOST_BYTES + 1);
    if (length > WINNOW__TEXT_MOST_BYTES)
        return winnow__fail(WINNOW_ERR_UNSUPPORTED,
                            "the text has more than %d bytes",
                            WINNOW__TEXT_MOST_BYTES);
    winnow__text parsed = {.fields = fields,
                           .number_of_fields = number_of_fields};
    status = parse(&parsed, text, length);
    if (status != WINNOW_OK)
        return status;
    winnow_condition *const made =
        winnow__condition_create(parsed.tests, parsed.number);
    if (made == NULL)
        return WINNOW_ERR_MEMORY;
    memcpy(made->nodes, parsed.nodes, parsed.number * sizeof parsed.nodes[0]);
    *condition_p = made;
    return WINNOW_OK;
}
