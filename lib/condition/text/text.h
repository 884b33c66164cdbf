/*
 * The text of a condition: what its scanner (scan.l), its grammar (parse.y) and
 * the meaning of both share.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "format.h"
#include "names.h"
#include "number.h"
#include "condition/program/tree.h"

#include "condition/program/decimal.h"

#include <setjmp.h>

enum {
    WINNOW__TEXT_MOST_BYTES = 1 << 30,
    WINNOW__TEXT_MOST_IN_LIST = 1 << 24, /* numbers */
    WINNOW__TEXT_MOST_CALLS = 16, /* of which an error knows the function */
    WINNOW__TEXT_SCANNER_BYTES = 512
};

/* A part of the text, in bytes from its beginning. */
typedef struct winnow__text_span {
    uint32_t begin, end;
} winnow__text_span;

/* A parenthesis that is open: of a function, how many arguments that takes; of
 * others 0. */
typedef struct winnow__text_call {
    winnow__text_span function;
    unsigned arguments;
} winnow__text_call;

/* What a part of the text stands for. */
typedef enum winnow__text_kind {
    WINNOW__TEXT_CONDITION,
    WINNOW__TEXT_CONSTANT, /* true or false of every item; it has no node */
    WINNOW__TEXT_COLUMN,   /* or its bits under a mask, or a value of columns */
    WINNOW__TEXT_COMPUTED, /* a constant, of constants alone */
    WINNOW__TEXT_NULL,     /* the word */
    WINNOW__TEXT_NUMBER,
    WINNOW__TEXT_STRING,  /* in quotes */
    WINNOW__TEXT_MOMENT,  /* a date, a time, a timestamp, a duration */
    WINNOW__TEXT_STRINGS, /* a column of them */
    WINNOW__TEXT_UNTESTED /* a column of which nothing is asked but whether it is
                             null */
} winnow__text_kind;

/* What a value is asked to be; to be unknown is to be null. */
typedef enum winnow__text_is_kind {
    WINNOW__TEXT_IS_NULL,
    WINNOW__TEXT_IS_TRUE,
    WINNOW__TEXT_IS_FALSE
} winnow__text_is_kind;

typedef struct winnow__text_value {
    uint8_t kind; /* winnow__text_kind */
    /* winnow_compare: of an operator, and of `continues`; winnow__pattern_kind:
     * of a function; winnow__meaning_kind: of a moment, WINNOW__NUMBERS where
     * its column tells. */
    uint8_t compare;
    bool truth;     /* of a constant */
    bool negative;  /* of a number */
    bool folded;    /* of a number: it is units * 10^-places, made of others */
    bool has_point; /* one of those had one */
    bool masked;    /* of a column: `mask` applies */
    bool is_signed; /* of a masked column: its values are */
    bool bare;      /* of a masked column: no parentheses are around it */
    /* Of a condition: a number was compared with a column, and another number
     * may follow, as in 10 <= x <= 20. */
    bool continues;
    bool of_null;  /* of one that continues: null was compared, no column */
    bool inverted; /* of a condition: it is ! and a column, no more */
    /* Of a column: it is `value`, not an element. */
    bool computed;
    bool
        counted; /* of a column of moments: they count as numbers of their unit */
    /* Of what is computed: `column` has its zone; it is the year of `column`. */
    bool zoned, is_year;
    uint8_t meaning; /* winnow__meaning_kind */
    uint8_t unit;    /* number of it, coarsest first: winnow__unit_of() */
    uint16_t column;
    winnow__value value;
    winnow__exact exact; /* of decimals that are computed; or of their type */
    winnow__text_span span;
    winnow__text_span left;  /* of a masked column: what is before the & */
    winnow__text_span right; /* and what follows it; of a number: its digits; of
                                a text and a moment: the quotes and what is in
                                them; whatever parentheses are around it */
    uint32_t first;          /* of a condition: the number of its first node */
    int32_t places;
    uint64_t mask;
    winnow__wide units; /* less than 10^38, and not below 0 */
} winnow__text_value;

/* The numbers of a list, as elements of the type of its column; of one of
 * strings, where the texts stand, as spans. */
typedef struct winnow__text_list {
    winnow__text_value column;
    bool is_open, negated, empty, has_null;
    bool equal;     /* of a number in place of the column: one is */
    uint32_t built; /* values of the builder, before the list's */
    unsigned char *values;
    size_t bytes, room;
} winnow__text_list;

/* A text on its way to a condition: the nodes so far, in postfix order, as they
 * come from the grammar. */
typedef struct winnow__text {
    const winnow_field *fields;
    winnow__names names;
    const char *from;       /* the text */
    bool of_values;         /* it says an expression, and no condition */
    winnow_status status;   /* of the first failure */
    uint32_t named;         /* the last field that was; WINNOW_NO_FIELD */
    uint32_t name_bytes;    /* of a failure: of a name that no field has */
    winnow__text_span word; /* the last */
    /* Ends the last word a value, and did the one before it? */
    bool ends_value, ended_value;
    /* Parentheses that are open, and what the first ones belong to. */
    uint32_t depth;
    winnow__text_call calls[WINNOW__TEXT_MOST_CALLS], called;
    winnow__node *nodes;
    uint32_t number, room; /* of nodes */
    unsigned tests;
    winnow__builder *builder; /* of what is computed; NULL: nothing is */
    winnow__tested tested;
    uint16_t uses[WINNOW_CONDITION_MOST_COLUMNS]; /* of each, by tests */
    winnow__text_list list;
    /* What the scanner works in, and where it goes on if that is too little. */
    _Alignas(16) unsigned char scanner[WINNOW__TEXT_SCANNER_BYTES];
    unsigned scanner_used;
    jmp_buf scanner_fails;
} winnow__text;

/* What makes *a of an operation with others; `op` is the word or the sign of it.
 * False: it failed. */
typedef bool winnow__text_operation(winnow__text *text, winnow__text_value *a,
                                    const winnow__text_value *op,
                                    const winnow__text_value *b);
typedef bool winnow__text_test_of_three(winnow__text *text,
                                        winnow__text_value *a,
                                        const winnow__text_value *b,
                                        const winnow__text_value *c,
                                        bool negated);

/* ---- text.c: failures. */

/* Record a failure and its place in the text, if it is the first; false. */
bool winnow__text_fail(winnow__text *text, winnow_status status, uint32_t place,
                       const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* There is no memory; false. */
bool winnow__text_no_memory(winnow__text *text);
/* A part, or its first bytes if there are more than `most`: as arguments of
 * "%.*s". */
#define WINNOW__TEXT_SHOWN(text, span, most)                                   \
    winnow__text_shown((text), (span), (most)), (text)->from + (span).begin
int winnow__text_shown(const winnow__text *text, winnow__text_span span,
                       uint32_t most);
/* The name of a column, or the text of what is computed: likewise. */
#define WINNOW__TEXT_NAME(text, value)                                         \
    winnow__text_name_length((text), (value)),                                 \
        winnow__text_name_of((text), (value))
int winnow__text_name_length(const winnow__text *text,
                             const winnow__text_value *value);
const char *winnow__text_name_of(const winnow__text *text,
                                 const winnow__text_value *value);

/* ---- nodes.c. False: they failed. */

/* Add a leaf that tests *value, a column, which the text has at `place`; it is what
 * *value becomes. The text takes the references of the leaf, whose kind and test are
 * set. */
bool winnow__text_add_leaf(winnow__text *text, winnow__text_value *value,
                           winnow__node leaf, uint32_t place);
/* Likewise nodes that are a condition of its column, with the references of
 * their sets. */
bool winnow__text_add_nodes(winnow__text *text, winnow__text_value *value,
                            const winnow__node *nodes, unsigned number,
                            uint32_t place);
/* *value becomes unknown of every item. */
bool winnow__text_add_unknown(winnow__text *text, winnow__text_value *value);
/* The condition whose nodes are the last becomes that it is true. */
bool winnow__text_add_is_true(winnow__text *text);
/* Add a copy of the nodes [first, end), of the condition at `place`. */
bool winnow__text_copy(winnow__text *text, uint32_t first, uint32_t end,
                       uint32_t place);
/* *a becomes a and b, or a or b, whose nodes are the last. */
bool winnow__text_join(winnow__text *text, winnow__node_kind kind,
                       winnow__text_value *a, const winnow__text_value *b);
/* *value, a condition whose nodes are the last, becomes its opposite, if it `turns`;
 * true. */
bool winnow__text_turn(winnow__text *text, winnow__text_value *value,
                       bool turns);
/* *value is true of every item, or of none. */
void winnow__text_be_constant(winnow__text_value *value, bool truth);
/* The condition of a value, which is one, and which takes the sets. */
winnow_status winnow__text_take(winnow__text *text,
                                const winnow__text_value *value,
                                winnow_condition **condition_p);
/* Free nodes, and the list. */
void winnow__text_drop(winnow__text *text);

/* ---- operand_kind.c */

const winnow__type_info *winnow__text_type(const winnow__text *text,
                                           const winnow__text_value *column);
winnow_type winnow__text_element_type(const winnow__text *text,
                                      const winnow__text_value *column);
/* What the numbers of a column, or of what is computed, mean. */
winnow__meaning winnow__text_meaning(const winnow__text *text,
                                     const winnow__text_value *value);
/* Has it bits: true or false, and no numbers? */
bool winnow__text_is_bit(const winnow__text *text,
                         const winnow__text_value *value);
/* A column of bits is compared with a number; false. */
bool winnow__text_fail_bit(winnow__text *text,
                           const winnow__text_value *column);

/* ---- range.c. False: they failed. */

uint64_t winnow__text_mask_of(const winnow__text *text,
                              const winnow__text_value *column);
/* The values that a column may have. */
winnow__domain winnow__text_domain(const winnow__text *text,
                                   const winnow__text_value *column);
/* The bits of the value with a key. */
uint64_t winnow__text_bits(const winnow__domain *domain, winnow__wide key);
winnow__number winnow__text_number(const winnow__text *text,
                                   const winnow__text_value *number);
/* Has a number neither a point nor an exponent? */
bool winnow__text_is_whole(const winnow__text *text,
                           const winnow__text_value *number);
/* Is it a constant? */
static inline bool winnow__text_is_point(const winnow__text_value *value) {
    return value->kind == WINNOW__TEXT_NUMBER ||
           value->kind == WINNOW__TEXT_MOMENT ||
           value->kind == WINNOW__TEXT_COMPUTED;
}
/* Is it a constant that has a place among the values of the column, so that
 * keys say how it compares? */
bool winnow__text_is_point_of(const winnow__text *text,
                              const winnow__text_value *column,
                              const winnow__text_value *constant);
/* Where a constant is among the values of a column. */
bool winnow__text_point(winnow__text *text, const winnow__text_value *column,
                        const winnow__text_value *constant,
                        winnow__point *point);
/* *column becomes the condition that it has one of these keys, which are of its
 * domain; the test is at `place`. */
bool winnow__text_add_keys(winnow__text *text, winnow__text_value *column,
                           winnow__keys keys, uint32_t place);

/* ---- truth.c. False: they failed. */

/* Make a condition of a value: of a column, that it is not 0. */
bool winnow__text_condition(winnow__text *text, winnow__text_value *value);
bool winnow__text_not(winnow__text *text, winnow__text_value *value);
bool winnow__text_is_nan(winnow__text *text, winnow__text_value *value);
bool winnow__text_is_finite(winnow__text *text, winnow__text_value *value);

/* ---- mask.c */

/* *a becomes a & b; the & is at `sign`. False: it failed. */
bool winnow__text_mask(winnow__text *text, winnow__text_value *a,
                       winnow__text_span sign, const winnow__text_value *b);

/* ---- moment.c. False: they failed. */

/* Is a column of dates, times, timestamps or durations? */
bool winnow__text_is_of_moments(const winnow__text *text,
                                const winnow__text_value *column);
/* *value, if it is a text beside such a column, becomes a moment. */
void winnow__text_take_moment(const winnow__text *text,
                              const winnow__text_value *column,
                              winnow__text_value *value);
/* Where a moment is among the values of a column. */
bool winnow__text_moment_point(winnow__text *text,
                               const winnow__text_value *column,
                               const winnow__text_value *value,
                               winnow__point *point);
/* The nanoseconds of a moment that names its kind, in the zone of what it stands
 * beside. */
bool winnow__text_read_moment(winnow__text *text,
                              const winnow__text_value *value,
                              const winnow__text_value *beside,
                              winnow__wide *nanoseconds);
/* A number is compared with a column of them; false. */
bool winnow__text_fail_bare(winnow__text *text,
                            const winnow__text_value *column,
                            const winnow__text_value *number);
/* "a date", "dates" */
const char *winnow__meaning_name(winnow__meaning_kind kind, bool many);

/* ---- operators.c. False: they failed. */

/* *a becomes a op b; op is a word with its winnow__binary, or a function with
 * two arguments. */
winnow__text_operation winnow__text_combine;
/* *value becomes -value, or +value, which is the same; the sign is a word with
 * its winnow__binary. */
bool winnow__text_sign(winnow__text *text, winnow__text_value *value,
                       const winnow__text_value *sign);

/* ---- fold.c */

/* *a becomes a op b, a number, and *folded is true, if both are exact constants
 * and op is + - or *; false: the result does not fit. */
bool winnow__text_fold(winnow__text *text, winnow__text_value *a,
                       const winnow__text_value *op,
                       const winnow__text_value *b, bool *folded);

/* ---- functions.c. False: they failed. */

/* Functions of one argument that are no winnow__unary. */
enum {
    WINNOW__TEXT_PLUS = 15,
    WINNOW__TEXT_PART = 16, /* and winnow__part_of */
    WINNOW__TEXT_LENGTH = 32
};
/* *a becomes function(a). */
bool winnow__text_apply(winnow__text *text, winnow__text_value *a,
                        const winnow__text_value *function);
/* ---- cast.c */

/* *a becomes a value of a type. The word that names it has the kind of a number,
 * with the type as `compare`, of a moment, with its winnow__meaning_kind, or of a
 * text. False: it failed. */
bool winnow__text_cast(winnow__text *text, winnow__text_value *a,
                       const winnow__text_value *type);

/* ---- compare_values.c */

/* *a becomes a op b, of two that are numbers, moments, bits. False: it failed. */
winnow__text_operation winnow__text_compare_values;

/* ---- operand.c */

/* A unit in nanoseconds, by its number: a day, a second, ... 1. */
uint64_t winnow__unit_of(unsigned unit);
/* The number that a constant, which is computed, is. */
winnow__constant winnow__text_constant(const winnow__text *text,
                                       const winnow__text_value *value);
/* The expression of what is computed, with a reference; NULL: it failed. */
struct winnow_expression *
winnow__text_expression(winnow__text *text, const winnow__text_value *value);
/* *value, which is all of the text, becomes a value that is computed. */
bool winnow__text_be_value(winnow__text *text, winnow__text_value *value);

/* ---- years.c. False: they failed. */

/* *value, the year of a column, becomes the condition that it has one of these
 * keys. */
bool winnow__text_add_years(winnow__text *text, winnow__text_value *value,
                            winnow__keys keys, uint32_t place);
/* *value, the year of a column, becomes the condition that it is in the list, if
 * that is a few ranges; else nothing, and *added is false. */
bool winnow__text_in_years(winnow__text *text, winnow__text_value *value,
                           bool *added);

/* ---- compare.c. False: they failed. */

static inline bool winnow__is_equality(winnow_compare compare) {
    return compare == WINNOW_EQ || compare == WINNOW_NE;
}
/* Does it hold of what is less (-1), equal (0) or greater (1)? */
bool winnow__holds(int order, winnow_compare compare);
/* Do the comparison of *a and a second one make a range, such as the example? */
bool winnow__text_check_range(winnow__text *text, const winnow__text_value *a,
                              const winnow__text_value *comparison,
                              const char *example);
/* *a, the condition of a comparison with the column *b, may go on as a < b < c;
 * or it is known of all items. */
void winnow__text_go_on(winnow__text_value *a, winnow_compare compare,
                        const winnow__text_value *b);
/* *a becomes *a and *second, the second half of a range, whose nodes are the
 * last. */
bool winnow__text_join_range(winnow__text *text, winnow__text_value *a,
                             winnow__text_value *second);
/* *a becomes a op b. */
winnow__text_operation winnow__text_compare;
/* *a, which is a column, becomes a between b and c. */
winnow__text_test_of_three winnow__text_between;
/* Is it a column, as what stands before `word` has to be? */
bool winnow__text_check_left(winnow__text *text, const winnow__text_value *a,
                             winnow__text_span word);
/* Is it one, a number or null, as stands before "in" and "between"? */
bool winnow__text_check_looked_for(winnow__text *text,
                                   const winnow__text_value *a,
                                   winnow__text_span word);
/* `! x op ...` is (!x) op ..., which is no condition. */
bool winnow__text_fail_inverted(winnow__text *text, const winnow__text_value *a,
                                winnow__text_span word);

/* ---- compare_strings.c. False: they failed. */

/* *a becomes a op b, of which one is of strings or a text. */
winnow__text_operation winnow__text_compare_strings;
/* ---- match.c. False: they failed. */

/* *a becomes a like b escape c; c is a text, or there is none. */
winnow__text_test_of_three winnow__text_like;
/* *a becomes function(a, b). */
winnow__text_operation winnow__text_test_strings;
/* *value becomes the condition that its strings are in the list. */
bool winnow__text_in_strings(winnow__text *text, winnow__text_value *value);

/* ---- strings.c */

/* It is a text, or a column of strings, where `wanted` was expected. */
bool winnow__text_fail_string(winnow__text *text,
                              const winnow__text_value *value,
                              const char *wanted);
/* A text is compared with a column of numbers. */
bool winnow__text_fail_text(winnow__text *text,
                            const winnow__text_value *column,
                            const winnow__text_value *value);
static inline bool winnow__text_is_string(const winnow__text_value *value) {
    return value->kind == WINNOW__TEXT_STRING ||
           value->kind == WINNOW__TEXT_STRINGS;
}

/* ---- wide.c: of columns of WINNOW_INT128. False: they failed. */

/* winnow__text_add_keys() */
bool winnow__text_add_wide_keys(winnow__text *text, winnow__text_value *column,
                                winnow__keys keys, uint32_t place);
/* *value, the column of the list, becomes the condition that it is in that. */
bool winnow__text_in_wide(winnow__text *text, winnow__text_value *value);

/* ---- nulls.c. False: they failed. */

/* Is a value anything but a column that no test takes? */
bool winnow__text_check_tested(winnow__text *text,
                               const winnow__text_value *value);

/* *value becomes: it is null, true, false, or not. */
bool winnow__text_is(winnow__text *text, winnow__text_value *value,
                     const winnow__text_value *word);
/* *a becomes a op b, one of which is null. */
winnow__text_operation winnow__text_compare_null;
/* *a becomes a between b and c, as two comparisons. */
winnow__text_test_of_three winnow__text_between_any;

/* ---- list.c. False: they failed. */

/* Begin the list of a column; `in` is the word. */
bool winnow__text_list_open(winnow__text *text,
                            const winnow__text_value *column,
                            const winnow__text_value *in);
bool winnow__text_list_add(winnow__text *text,
                           const winnow__text_value *number);
/* *value becomes the condition. */
bool winnow__text_list_close(winnow__text *text, winnow__text_value *value);

/* ---- parse.y */

/* Parse a copy of the text: `length` bytes and two more, which are 0, and which
 * are written to. */
bool winnow__text_parse(winnow__text *text, char *buffer, size_t length,
                        winnow__text_value *result);
