/*
 * The grammar of the text of a condition: C's operators and precedence, ranges
 * as 10 <= x <= 20, and lists. What it means is in text.c.
 *
 * Nodes are made in postfix order: a value becomes a condition before what
 * stands on its right is read.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
%require "3.6"
%define api.pure full
%define api.prefix {winnow__parse_}
%define api.value.type {struct winnow__text_value}
%define api.location.type {struct winnow__text_place}
%define parse.error custom
/* So that an error lists what may stand there, and nothing else. */
%define lr.type canonical-lr
%locations
%initial-action { @$ = (winnow__text_place){1, 1}; }
%param {void *scanner}
%parse-param {struct winnow__text *text}

%code requires {
#include "condition/text.h"
}

%code provides {
#define YYSTYPE WINNOW__PARSE_STYPE
#define YYLTYPE WINNOW__PARSE_LTYPE
int winnow__scan_lex(YYSTYPE *value, YYLTYPE *place, void *scanner);
}

%code {
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "core/status.h"
#include "condition/scanner.h"

#include <ctype.h>
#include <stdio.h>

#define winnow__parse_lex winnow__scan_lex

/* The stack has this room and never grows. */
#define YYINITDEPTH 1000
#define YYMAXDEPTH 1000

#define YYLLOC_DEFAULT(current, rhs, n)                                        \
    (current) = YYRHSLOC(rhs, (n) != 0)

#define MUST(call)                                                             \
    do {                                                                       \
        if (!(call))                                                           \
            YYABORT;                                                           \
    } while (0)

static void winnow__parse_error(const YYLTYPE *place, void *scanner,
                                winnow__text *text, const char *message) {
    (void)scanner;
    (void)message;
    winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED, *place,
                      "the condition is nested too deeply");
}
}

%token END 0        "the end"
%token T_COLUMN     "a column"
%token T_NUMBER     "a number"
%token T_OR         "'||'"
%token T_AND        "'&&'"
%token T_EQUALITY   "'==', '!='"
%token T_RELATION   "'<', '<=', '>', '>='"
%token T_MINUS      "'-'"
%token T_IN         "'in'"
%token T_ISNAN      "'isnan'"
%token T_ISFINITE   "'isfinite'"
%token T_WRONG      "a wrong word"

%%

text:
    or                  { MUST(winnow__text_condition(text, &$1)); }

or:
    and
  | or T_OR             { MUST(winnow__text_condition(text, &$1)); }
    and                 { MUST(winnow__text_condition(text, &$4));
                          $$ = $1;
                          MUST(winnow__text_join(text, WINNOW__NODE_OR, &$$)); }

and:
    mask
  | and T_AND           { MUST(winnow__text_condition(text, &$1)); }
    mask                { MUST(winnow__text_condition(text, &$4));
                          $$ = $1;
                          MUST(winnow__text_join(text, WINNOW__NODE_AND, &$$)); }

mask:
    equality
  | mask '&' equality   { $$ = $1; MUST(winnow__text_mask(text, &$$, &$3)); }

equality:
    relation
  | equality T_EQUALITY relation
                        { $$ = $1;
                          MUST(winnow__text_compare(text, &$$, &$2, &$3)); }

relation:
    sum
  | relation T_RELATION sum
                        { $$ = $1;
                          MUST(winnow__text_compare(text, &$$, &$2, &$3)); }
  | list ')'            { $$ = $1; $$.kind = WINNOW__TEXT_CONDITION; }

list:
    relation T_IN '(' constant
                        { $$ = $1;
                          MUST(winnow__text_in(text, &$$, &$4, true)); }
  | list ',' constant   { $$ = $1;
                          MUST(winnow__text_in(text, &$$, &$3, false)); }

constant:
    T_NUMBER
  | T_MINUS T_NUMBER    { $$ = $2; MUST(winnow__text_negate(text, &$$)); }

sum:
    unary
  | unary minus T_MINUS

/* Before a minus, which is the next word. */
minus:
    %empty              { MUST(winnow__text_arithmetic(text, yylloc)); }

unary:
    T_NUMBER
  | T_COLUMN
  | '(' or ')'          { $$ = $2;
                          $$.continues = $$.inverted = false; }
  | '!' unary           { $$ = $2; MUST(winnow__text_not(text, &$$)); }
  | T_MINUS unary       { $$ = $2; MUST(winnow__text_negate(text, &$$)); }
  | T_ISNAN '(' or ')'  { $$ = $3; MUST(winnow__text_is_nan(text, &$$)); }
  | T_ISFINITE '(' or ')'
                        { $$ = $3; MUST(winnow__text_is_finite(text, &$$)); }

%%

/* Is it said to be expected? A minus that follows a value is read, and refused:
 * it is not. */
static bool is_listed(yysymbol_kind_t symbol, const yysymbol_kind_t expected[],
                      int number) {
    if (symbol == YYSYMBOL_T_MINUS)
        for (int i = 0; i < number; i++)
            if (expected[i] == YYSYMBOL_T_AND)
                return false;
    return true;
}

/* What was found, and what could have stood there. */
static int yyreport_syntax_error(const yypcontext_t *context, void *scanner,
                                 winnow__text *text) {
    enum {
        MOST = 16
    };
    const winnow__text_place place = *yypcontext_location(context);
    yysymbol_kind_t expected[MOST];
    const int number = yypcontext_expected_tokens(context, expected, MOST);
    char list[256] = "";
    size_t length = 0;
    (void)scanner;
    for (int i = 0; i < number; i++)
        if (is_listed(expected[i], expected, number))
            length += (size_t)snprintf(
                list + length, sizeof list - length, "%s%s",
                length == 0 ? "" : ", ", yysymbol_name(expected[i]));
    if (yypcontext_token(context) == YYSYMBOL_YYEOF)
        winnow__text_fail(text, WINNOW_ERR_SYNTAX, place,
                          "found the end, expected one of: %s", list);
    else
        winnow__text_fail(text, WINNOW_ERR_SYNTAX, place,
                          "found '%.*s', expected one of: %s%s",
                          text->word_length < 100 ? (int)text->word_length
                                                  : 100,
                          text->word, list,
                          *text->word == ',' && place.column > 1 &&
                                  isdigit((unsigned char)text->word[-1])
                              ? " (a number has a decimal point: 5.5)"
                              : "");
    return 0;
}

void winnow__text_parse(winnow__text *text, char *buffer, size_t length) {
    void *scanner;
    if (!winnow__scanner_open(text, buffer, length, &scanner)) {
        text->status = winnow__fail(WINNOW_ERR_MEMORY,
                                    "no host memory for a condition's text");
        return;
    }
    winnow__parse_parse(scanner, text);
    winnow__scanner_close(scanner);
}
