/*
 * The text of a condition: the common part of its scanner (scan.l), its grammar
 * (parse.y) and the files that give it a meaning.
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
    WINNOW__TEXT_MOST_CALLS = 16, /* calls whose function errors can name */
    WINNOW__TEXT_SCANNER_BYTES = 512
};

/* A part of the text, as offsets of bytes. */
typedef struct winnow__text_span {
    uint32_t begin, end;
} winnow__text_span;

/* An open parenthesis: for a function the number of its arguments, else 0. */
typedef struct winnow__text_call {
    winnow__text_span function;
    unsigned arguments;
} winnow__text_call;

/* What a part of the text means. */
typedef enum winnow__text_kind {
    WINNOW__TEXT_CONDITION,
    WINNOW__TEXT_CONSTANT, /* true or false for every item; without a node */
    WINNOW__TEXT_COLUMN,   /* or its bits under a mask, or a computed value */
    WINNOW__TEXT_COMPUTED, /* a constant, computed from constants */
    WINNOW__TEXT_NULL,     /* the word null */
    WINNOW__TEXT_NUMBER,
    WINNOW__TEXT_STRING,  /* in quotes */
    WINNOW__TEXT_MOMENT,  /* a date, a time, a timestamp, a duration */
    WINNOW__TEXT_STRINGS, /* a column of them */
    WINNOW__TEXT_UNTESTED /* a column that can only be tested for null */
} winnow__text_kind;

/* What `is` asks of a value. Unknown means null. */
typedef enum winnow__text_is_kind {
    WINNOW__TEXT_IS_NULL,
    WINNOW__TEXT_IS_TRUE,
    WINNOW__TEXT_IS_FALSE
} winnow__text_is_kind;

typedef struct winnow__text_value {
    uint8_t kind; /* winnow__text_kind */
    /* winnow_compare for an operator, and with `continues`;
     * winnow__pattern_kind for a function; winnow__meaning_kind for a moment,
     * WINNOW__NUMBERS if its column decides. */
    uint8_t compare;
    bool truth;     /* for a constant */
    bool negative;  /* for a number */
    bool folded;    /* for a number: units * 10^-places, computed from others */
    bool has_point; /* one of those had a point */
    bool decimal;   /* one of those was cast to a decimal */
    bool masked;    /* for a column: `mask` applies */
    bool is_signed; /* for a masked column: has it signed values? */
    bool bare;      /* for a masked column: it has no parentheses */
    /* For a condition: a comparison of a number with a column, to which another
     * number may be added, as in 10 <= x <= 20. */
    bool continues;
    bool of_null;  /* with `continues`: null was compared, not a column */
    bool inverted; /* for a condition: it is only ! and a column */
    /* For a column: it is `value`, and not an element. */
    bool computed;
    bool counted; /* for a column of moments: they are plain numbers of units */
    /* For a computed value: it has the zone of `column`; it is the year of `column`. */
    bool zoned, is_year;
    uint8_t meaning; /* winnow__meaning_kind */
    uint8_t unit;    /* its index, coarsest first: winnow__unit_of() */
    uint16_t column;
    winnow__value value;
    winnow__exact exact; /* for computed decimals; or for their type */
    winnow__text_span span;
    winnow__text_span left;  /* for a masked column: the text before the & */
    winnow__text_span right; /* and the text after it; for a number: its digits;
                                for a text or a moment: the quotes and what they
                                contain; without parentheses around it */
    uint32_t first;          /* for a condition: the index of its first node */
    int32_t places;
    uint64_t mask;
    winnow__wide units; /* 0 to 10^38 - 1 */
} winnow__text_value;

/* The numbers of a list, as elements of its column's type. The texts of a list
 * for a column of strings, as spans. */
typedef struct winnow__text_list {
    winnow__text_value column;
    bool is_open, negated, empty, has_null;
    bool equal;     /* if a number is searched: is it found? */
    uint32_t built; /* number of the builder's values before the list */
    unsigned char *values;
    size_t bytes, room;
} winnow__text_list;

/* A text while it is parsed. The nodes are in postfix order, as the grammar
 * makes them. */
typedef struct winnow__text {
    const winnow_field *fields;
    winnow__names names;
    const char *from;     /* the text */
    bool of_values;       /* it is an expression, not a condition */
    winnow_status status; /* of the first failure */
    uint32_t named;      /* the field that was named last; or WINNOW_NO_FIELD */
    uint32_t name_bytes; /* of a failure: length of a name that no field has */
    winnow__text_span word; /* the last word */
    /* Does the last word end a value, and did the one before it? */
    bool ends_value, ended_value;
    /* Open parentheses, and the calls of the first ones. */
    uint32_t depth;
    winnow__text_call calls[WINNOW__TEXT_MOST_CALLS], called;
    winnow__node *nodes;
    uint32_t number, room; /* of nodes */
    unsigned tests;
    winnow__builder *builder; /* for computed values; NULL: there are none */
    winnow__tested tested;
    uint16_t uses[WINNOW_CONDITION_MOST_COLUMNS]; /* number of tests of each */
    winnow__text_list list;
    /* The scanner's memory, and where to jump if that is too little. */
    _Alignas(16) unsigned char scanner[WINNOW__TEXT_SCANNER_BYTES];
    unsigned scanner_used;
    jmp_buf scanner_fails;
} winnow__text;

/* Combine *a with other values into *a. `op` is the operator's word or sign.
 * False: failed. */
typedef bool winnow__text_operation(winnow__text *text, winnow__text_value *a,
                                    const winnow__text_value *op,
                                    const winnow__text_value *b);
typedef bool winnow__text_test_of_three(winnow__text *text,
                                        winnow__text_value *a,
                                        const winnow__text_value *b,
                                        const winnow__text_value *c,
                                        bool negated);

/* ---- text.c: failures. */

/* Record a failure and its place in the text if it is the first. Returns false. */
bool winnow__text_fail(winnow__text *text, winnow_status status, uint32_t place,
                       const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Out of memory. Returns false. */
bool winnow__text_no_memory(winnow__text *text);
/* The arguments of "%.*s" for a part of the text, or for its first bytes if it
 * is longer than `most`. */
#define WINNOW__TEXT_SHOWN(text, span, most)                                   \
    winnow__text_shown((text), (span), (most)), (text)->from + (span).begin
int winnow__text_shown(const winnow__text *text, winnow__text_span span,
                       uint32_t most);
/* The same for the name of a column or the text of a computed value. */
#define WINNOW__TEXT_NAME(text, value)                                         \
    winnow__text_name_length((text), (value)),                                 \
        winnow__text_name_of((text), (value))
int winnow__text_name_length(const winnow__text *text,
                             const winnow__text_value *value);
const char *winnow__text_name_of(const winnow__text *text,
                                 const winnow__text_value *value);

/* ---- nodes.c. False: failed. */

/* Add a leaf that tests *value, a column at `place`, which becomes the leaf's
 * condition. Takes over the leaf's references; its kind and test have to be
 * set. */
bool winnow__text_add_leaf(winnow__text *text, winnow__text_value *value,
                           winnow__node leaf, uint32_t place);
/* Add the nodes of a condition on *value, a column. Takes over the references
 * of their sets. */
bool winnow__text_add_nodes(winnow__text *text, winnow__text_value *value,
                            const winnow__node *nodes, unsigned number,
                            uint32_t place);
/* *value becomes unknown for every item. */
bool winnow__text_add_unknown(winnow__text *text, winnow__text_value *value);
/* Add IS_TRUE to the condition of the last nodes. */
bool winnow__text_add_is_true(winnow__text *text);
/* Add a copy of the nodes [first, end), for the condition at `place`. */
bool winnow__text_copy(winnow__text *text, uint32_t first, uint32_t end,
                       uint32_t place);
/* *a becomes a and b, or a or b. The last nodes are those of b. */
bool winnow__text_join(winnow__text *text, winnow__node_kind kind,
                       winnow__text_value *a, const winnow__text_value *b);
/* If it `turns`, *value, a condition of the last nodes, becomes its opposite.
 * Returns true. */
bool winnow__text_turn(winnow__text *text, winnow__text_value *value,
                       bool turns);
/* *value becomes true for every item, or for none. */
void winnow__text_be_constant(winnow__text_value *value, bool truth);
/* Make the condition of a value, which takes over the sets. */
winnow_status winnow__text_take(winnow__text *text,
                                const winnow__text_value *value,
                                winnow_condition **condition_p);
/* Free the nodes and the list. */
void winnow__text_drop(winnow__text *text);

/* ---- operand_kind.c */

const winnow__type_info *winnow__text_type(const winnow__text *text,
                                           const winnow__text_value *column);
winnow_type winnow__text_element_type(const winnow__text *text,
                                      const winnow__text_value *column);
/* The meaning of a column's or a computed value's numbers. */
winnow__meaning winnow__text_meaning(const winnow__text *text,
                                     const winnow__text_value *value);
/* Is it true or false, rather than a number? */
bool winnow__text_is_bit(const winnow__text *text,
                         const winnow__text_value *value);
/* Fail because a column of bits is compared with a number. Returns false. */
bool winnow__text_fail_bit(winnow__text *text,
                           const winnow__text_value *column);

/* ---- range.c. False: failed. */

uint64_t winnow__text_mask_of(const winnow__text *text,
                              const winnow__text_value *column);
/* The values that a column may have. */
winnow__domain winnow__text_domain(const winnow__text *text,
                                   const winnow__text_value *column);
/* The bits of a key's value. */
uint64_t winnow__text_bits(const winnow__domain *domain, winnow__wide key);
winnow__number winnow__text_number(const winnow__text *text,
                                   const winnow__text_value *number);
/* Is it a number without a point and an exponent? */
bool winnow__text_is_whole(const winnow__text *text,
                           const winnow__text_value *number);
/* Is it a constant? */
static inline bool winnow__text_is_point(const winnow__text_value *value) {
    return value->kind == WINNOW__TEXT_NUMBER ||
           value->kind == WINNOW__TEXT_MOMENT ||
           value->kind == WINNOW__TEXT_COMPUTED;
}
/* Is it a constant with a place among the column's values, so that keys can
 * compare it? */
bool winnow__text_is_point_of(const winnow__text *text,
                              const winnow__text_value *column,
                              const winnow__text_value *constant);
/* The place of a constant among the values of a column. */
bool winnow__text_point(winnow__text *text, const winnow__text_value *column,
                        const winnow__text_value *constant,
                        winnow__point *point);
/* *column becomes the condition that its key is one of these, which are in its
 * domain. The test is at `place`. */
bool winnow__text_add_keys(winnow__text *text, winnow__text_value *column,
                           winnow__keys keys, uint32_t place);

/* ---- truth.c. False: failed. */

/* Make a condition of a value; for a column: that it is not 0. */
bool winnow__text_condition(winnow__text *text, winnow__text_value *value);
bool winnow__text_not(winnow__text *text, winnow__text_value *value);
bool winnow__text_is_nan(winnow__text *text, winnow__text_value *value);
bool winnow__text_is_finite(winnow__text *text, winnow__text_value *value);

/* ---- mask.c */

/* *a becomes a & b. `sign`: the place of &. False: failed. */
bool winnow__text_mask(winnow__text *text, winnow__text_value *a,
                       winnow__text_span sign, const winnow__text_value *b);

/* ---- moment.c. False: failed. */

/* Is a column of dates, times, timestamps or durations? */
bool winnow__text_is_of_moments(const winnow__text *text,
                                const winnow__text_value *column);
/* If *value is a text that is compared with such a column, it becomes a moment. */
void winnow__text_take_moment(const winnow__text *text,
                              const winnow__text_value *column,
                              winnow__text_value *value);
/* The place of a moment among the values of a column. */
bool winnow__text_moment_point(winnow__text *text,
                               const winnow__text_value *column,
                               const winnow__text_value *value,
                               winnow__point *point);
/* The nanoseconds of a moment whose kind is written, in the zone of the other
 * operand. */
bool winnow__text_read_moment(winnow__text *text,
                              const winnow__text_value *value,
                              const winnow__text_value *beside,
                              winnow__wide *nanoseconds);
/* Fail because a number is compared with a column of moments. Returns false. */
bool winnow__text_fail_bare(winnow__text *text,
                            const winnow__text_value *column,
                            const winnow__text_value *number);
/* "a date", "dates" */
const char *winnow__meaning_name(winnow__meaning_kind kind, bool many);

/* ---- operators.c. False: failed. */

/* *a becomes a op b. op is an operator with its winnow__binary, or a function
 * of two arguments. */
winnow__text_operation winnow__text_combine;
/* *value becomes -value or +value. The sign is a word with its winnow__binary. */
bool winnow__text_sign(winnow__text *text, winnow__text_value *value,
                       const winnow__text_value *sign);

/* ---- fold.c */

/* If a and b are exact constants and op is + - or *, *a becomes the number a op
 * b, and *folded is true. False: the result does not fit. */
bool winnow__text_fold(winnow__text *text, winnow__text_value *a,
                       const winnow__text_value *op,
                       const winnow__text_value *b, bool *folded);

/* ---- functions.c. False: failed. */

/* Functions of one argument that are not a winnow__unary. */
enum {
    WINNOW__TEXT_PLUS = 15,
    WINNOW__TEXT_PART = 16, /* plus winnow__part_of */
    WINNOW__TEXT_LENGTH = 32
};
/* *a becomes function(a). */
bool winnow__text_apply(winnow__text *text, winnow__text_value *a,
                        const winnow__text_value *function);
/* ---- cast.c */

/* Cast *a to a type. The word of the type has the kind of a number, with the
 * type in `compare`; of a moment, with its winnow__meaning_kind; or of a text.
 * False: failed. */
bool winnow__text_cast(winnow__text *text, winnow__text_value *a,
                       const winnow__text_value *type);

/* ---- compare_values.c */

/* *a becomes a op b, of numbers, moments or bits. False: failed. */
winnow__text_operation winnow__text_compare_values;

/* ---- operand.c */

/* A unit in nanoseconds, by its index: a day, a second, ... 1. */
uint64_t winnow__unit_of(unsigned unit);
/* The number of a computed constant. */
winnow__constant winnow__text_constant(const winnow__text *text,
                                       const winnow__text_value *value);
/* The expression of a computed value, with a reference. NULL: failed. */
struct winnow_expression *
winnow__text_expression(winnow__text *text, const winnow__text_value *value);
/* *value, the whole text, becomes a computed value. */
bool winnow__text_be_value(winnow__text *text, winnow__text_value *value);

/* ---- years.c. False: failed. */

/* *value, the year of a column, becomes the condition that its key is one of
 * these. */
bool winnow__text_add_years(winnow__text *text, winnow__text_value *value,
                            winnow__keys keys, uint32_t place);
/* If the list is a few ranges, *value, the year of a column, becomes the
 * condition that it is in the list. Else *added is false. */
bool winnow__text_in_years(winnow__text *text, winnow__text_value *value,
                           bool *added);

/* ---- compare.c. False: failed. */

static inline bool winnow__is_equality(winnow_compare compare) {
    return compare == WINNOW_EQ || compare == WINNOW_NE;
}
/* Is the comparison true for less (-1), equal (0) or greater (1)? */
bool winnow__holds(int order, winnow_compare compare);
/* Fail unless the comparison of *a and a second one make a range like the example. */
bool winnow__text_check_range(winnow__text *text, const winnow__text_value *a,
                              const winnow__text_value *comparison,
                              const char *example);
/* *a is a comparison with the column *b, and may be continued to a < b < c; or
 * it is known for all items. */
void winnow__text_go_on(winnow__text_value *a, winnow_compare compare,
                        const winnow__text_value *b);
/* *a becomes *a and *second, the second half of a range. The last nodes are
 * those of *second. */
bool winnow__text_join_range(winnow__text *text, winnow__text_value *a,
                             winnow__text_value *second);
/* *a becomes a op b. */
winnow__text_operation winnow__text_compare;
/* *a, which is a column, becomes a between b and c. */
winnow__text_test_of_three winnow__text_between;
/* Fail unless it is a column, which `word` needs before it. */
bool winnow__text_check_left(winnow__text *text, const winnow__text_value *a,
                             winnow__text_span word);
/* Fail unless it is a column, a number or null, as "in" and "between" need. */
bool winnow__text_check_looked_for(winnow__text *text,
                                   const winnow__text_value *a,
                                   winnow__text_span word);
/* Fail because `! x op ...` means (!x) op ..., which is no condition. */
bool winnow__text_fail_inverted(winnow__text *text, const winnow__text_value *a,
                                winnow__text_span word);

/* ---- compare_strings.c. False: failed. */

/* *a becomes a op b. At least one is a column of strings or a text. */
winnow__text_operation winnow__text_compare_strings;
/* ---- match.c. False: failed. */

/* *a becomes a like b escape c. c is a text, or missing. */
winnow__text_test_of_three winnow__text_like;
/* *a becomes function(a, b). */
winnow__text_operation winnow__text_test_strings;
/* *value becomes the condition that its strings are in the list. */
bool winnow__text_in_strings(winnow__text *text, winnow__text_value *value);

/* ---- strings.c */

/* Fail because it is a text or a column of strings, and `wanted` was expected. */
bool winnow__text_fail_string(winnow__text *text,
                              const winnow__text_value *value,
                              const char *wanted);
/* Fail because a text is compared with a column of numbers. */
bool winnow__text_fail_text(winnow__text *text,
                            const winnow__text_value *column,
                            const winnow__text_value *value);
static inline bool winnow__text_is_string(const winnow__text_value *value) {
    return value->kind == WINNOW__TEXT_STRING ||
           value->kind == WINNOW__TEXT_STRINGS;
}

/* ---- wide.c: for columns of WINNOW_INT128. False: failed. */

/* winnow__text_add_keys() */
bool winnow__text_add_wide_keys(winnow__text *text, winnow__text_value *column,
                                winnow__keys keys, uint32_t place);
/* *value, the list's column, becomes the condition that it is in the list. */
bool winnow__text_in_wide(winnow__text *text, winnow__text_value *value);

/* ---- nulls.c. False: failed. */

/* Fail if it is a column that can only be tested for null. */
bool winnow__text_check_tested(winnow__text *text,
                               const winnow__text_value *value);

/* *value becomes the condition that it is, or is not, null, true or false. */
bool winnow__text_is(winnow__text *text, winnow__text_value *value,
                     const winnow__text_value *word);
/* *a becomes a op b. One of them is null. */
winnow__text_operation winnow__text_compare_null;
/* *a becomes a between b and c, as two comparisons. */
winnow__text_test_of_three winnow__text_between_any;

/* ---- list.c. False: failed. */

/* Begin the list of a column. `in` is the word. */
bool winnow__text_list_open(winnow__text *text,
                            const winnow__text_value *column,
                            const winnow__text_value *in);
bool winnow__text_list_add(winnow__text *text,
                           const winnow__text_value *number);
/* *value becomes the condition. */
bool winnow__text_list_close(winnow__text *text, winnow__text_value *value);

/* ---- parse.y */

/* Parse a copy of the text: `length` bytes, and two zeros. Writes to the copy. */
bool winnow__text_parse(winnow__text *text, char *buffer, size_t length,
                        winnow__text_value *result);
