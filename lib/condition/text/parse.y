/*
 * The grammar of the text of a condition: C's operators and SQL's words, ranges
 * as 10 <= x <= 20, and lists. What it means is in the files that text.h names.
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
%define api.location.type {struct winnow__text_span}
%define parse.error custom
/* Canonical LR, so that an error lists exactly what is possible there. */
%define lr.type canonical-lr
%locations
%initial-action { @$ = (winnow__text_span){0, 0}; }
%param {void *scanner}
%parse-param {struct winnow__text *text}
%parse-param {struct winnow__text_value *result}

%code requires {
#include "condition/text/text.h"
}

%code provides {
#define YYSTYPE WINNOW__PARSE_STYPE
#define YYLTYPE WINNOW__PARSE_LTYPE
int winnow__scan_lex(YYSTYPE *value, YYLTYPE *place, void *scanner);
}

%code {
#include "condition/text/scanner.h"

#include <stdio.h>
#include <stdlib.h>

#define winnow__parse_lex(value, place, scanner) lex(text, value, place, scanner)
static int lex(winnow__text *text, YYSTYPE *value, YYLTYPE *place,
               void *scanner);

/* Depths of the parser's stack. Few texts need more than the initial one, which
 * is on the thread's stack. */
#define YYINITDEPTH 40
#define YYMAXDEPTH 1000
#define YYMALLOC(bytes) allocate(text, bytes)
#define YYFREE free

#define YYLLOC_DEFAULT(current, rhs, n)                                        \
    do {                                                                       \
        (current).begin = (n) != 0 ? YYRHSLOC(rhs, 1).begin                    \
                                   : YYRHSLOC(rhs, 0).end;                     \
        (current).end = YYRHSLOC(rhs, n).end;                                  \
    } while (0)

#define MUST(call)                                                             \
    do {                                                                       \
        if (!(call))                                                           \
            YYABORT;                                                           \
    } while (0)

/* Record this failure first: bison would report that the text is nested too
 * deeply. */
static void *allocate(winnow__text *text, size_t bytes) {
    void *const piece = malloc(bytes);
    if (piece == NULL)
        winnow__text_no_memory(text);
    return piece;
}

static void winnow__parse_error(const YYLTYPE *place, void *scanner,
                                winnow__text *text, winnow__text_value *result,
                                const char *message) {
    (void)scanner;
    (void)result;
    (void)message;
    winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED, place->begin,
                      "the condition is nested too deeply");
}
}

%token END 0        "the end"
%token T_AND_WORD   "'and'"
%token T_AND        "'&&'"
%token T_OR         "'or'"
%token T_COMPARE    "a comparison such as '<' or '='"
%token T_IN         "'in'"
%token T_BETWEEN    "'between'"
%token T_IS         "'is null'"
%token T_NULL       "'null'"
%token T_COLUMN     "a column"
%token T_NUMBER     "a number"
%token T_STRING     "a text"
%token T_MOMENT     "'date', 'time', 'timestamp', 'duration'"
%token T_MINUS      "'-'"
%token T_NOT        "'not'"
%token T_TRUE       "'true'"
%token T_FALSE      "'false'"
%token T_FUNCTION   "a function"
%token T_OF_TWO     "'min', 'max'"
%token T_CAST       "'cast'"
%token T_ISNAN      "'isnan'"
%token T_ISFINITE   "'isfinite'"
%token T_TEXT_TEST  "'starts_with', 'ends_with', 'contains'"
%token T_BANG       "'!'"
%token T_LIKE       "'like'"
%token T_ESCAPE     "'escape'"
%token T_PLUS       "an operator such as '+'"
%token T_TIMES      "'*', '/', '//', '%'"
%token T_TYPE       "'::'"
%token T_AS         "'as' and a type"
%token T_WRONG      "a wrong word"

%%

text:
    or                  { MUST(text->of_values
                                   ? winnow__text_be_value(text, &$1)
                                   : winnow__text_condition(text, &$1));
                          *result = $1; }

or:
    and
  | or T_OR             { MUST(winnow__text_condition(text, &$1)); }
    and                 { MUST(winnow__text_condition(text, &$4));
                          $$ = $1;
                          MUST(winnow__text_join(text, WINNOW__NODE_OR, &$$,
                                                 &$4));
                          $$.span = @$; }

and:
    not
  | and and_word        { MUST(winnow__text_condition(text, &$1)); }
    not                 { MUST(winnow__text_condition(text, &$4));
                          $$ = $1;
                          MUST(winnow__text_join(text, WINNOW__NODE_AND, &$$,
                                                 &$4));
                          $$.span = @$; }

and_word:
    T_AND
  | T_AND_WORD

not:
    comparison
  | T_NOT not           { $$ = $2;
                          MUST(winnow__text_not(text, &$$));
                          $$.inverted = false;
                          $$.span = @$; }

comparison:
    mask
  | comparison T_COMPARE mask
                        { $$ = $1;
                          MUST(winnow__text_compare(text, &$$, &$2, &$3));
                          $$.span = @$; }
  | comparison between  { MUST(winnow__text_check_looked_for(text, &$1, @2)); }
    sum T_AND_WORD sum  { $$ = $1;
                          MUST(winnow__text_between(text, &$$, &$4, &$6,
                                                    $2.negative));
                          $$.span = @$; }
  | comparison like pattern escape
                        { MUST(winnow__text_check_left(text, &$1, @2));
                          $$ = $1;
                          MUST(winnow__text_like(text, &$$, &$3, &$4,
                                                 $2.negative));
                          $$.span = @$; }
  | comparison T_IS     { $$ = $1;
                          MUST(winnow__text_is(text, &$$, &$2));
                          $$.span = @$; }
  | list ')'            { MUST(winnow__text_list_close(text, &$$));
                          $$.span = @$; }

list:
    open
  | numbers
  | numbers ','

open:
    comparison in '('   { MUST(winnow__text_check_looked_for(text, &$1, @2));
                          MUST(winnow__text_list_open(text, &$1, &$2)); }

in:
    T_IN
  | T_NOT T_IN          { $$.negative = true; $$.span = @$; }

between:
    T_BETWEEN
  | T_NOT T_BETWEEN     { $$.negative = true; $$.span = @$; }

like:
    T_LIKE
  | T_NOT T_LIKE        { $$.negative = true; $$.span = @$; }

escape:
    %empty              { $$.kind = WINNOW__TEXT_CONSTANT; }
  | T_ESCAPE pattern    { $$ = $2; }

pattern:
    T_STRING
  | '(' pattern ')'     { $$ = $2; }

numbers:
    open sum            { MUST(winnow__text_list_add(text, &$2)); }
  | numbers ',' sum     { MUST(winnow__text_list_add(text, &$3)); }

mask:
    sum
  | mask '&' sum        { $$ = $1;
                          MUST(winnow__text_mask(text, &$$, @2, &$3)); }

sum:
    product
  | sum sign product    { $$ = $1;
                          MUST(winnow__text_combine(text, &$$, &$2, &$3));
                          $$.span = @$; }

sign:
    T_PLUS
  | T_MINUS

product:
    unary
  | product T_TIMES unary
                        { $$ = $1;
                          MUST(winnow__text_combine(text, &$$, &$2, &$3));
                          $$.span = @$; }

moment:
    T_MOMENT T_STRING   { $$ = $2;
                          $$.kind = WINNOW__TEXT_MOMENT;
                          $$.compare = $1.compare;
                          $$.span = @$; }

unary:
    value
  | T_BANG unary        { $$ = $2;
                          MUST(winnow__text_not(text, &$$));
                          $$.span = @$; }
  | sign unary          { $$ = $2;
                          MUST(winnow__text_sign(text, &$$, &$1));
                          $$.span = @$; }

value:
    T_NUMBER
  | T_NULL              { $$.kind = WINNOW__TEXT_NULL; }
  | T_STRING
  | moment
  | T_COLUMN
  | T_TRUE              { winnow__text_be_constant(&$$, true); }
  | T_FALSE             { winnow__text_be_constant(&$$, false); }
  | '(' or ')'          { $$ = $2;
                          $$.continues = $$.inverted = $$.bare = false;
                          $$.span = @$; }
  | value T_TYPE        { $$ = $1;
                          MUST(winnow__text_cast(text, &$$, &$2));
                          $$.span = @$; }
  | T_CAST '(' or T_AS
                        { $$ = $3;
                          MUST(winnow__text_cast(text, &$$, &$4));
                          $$.span = @$; }
  | T_FUNCTION '(' or ')'
                        { $$ = $3;
                          MUST(winnow__text_apply(text, &$$, &$1));
                          $$.span = @$; }
  | T_OF_TWO '(' or ',' or ')'
                        { $$ = $3;
                          MUST(winnow__text_combine(text, &$$, &$1, &$5));
                          $$.span = @$; }
  | T_ISNAN '(' or ')'  { $$ = $3;
                          MUST(winnow__text_is_nan(text, &$$));
                          $$.span = @$; }
  | T_ISFINITE '(' or ')'
                        { $$ = $3;
                          MUST(winnow__text_is_finite(text, &$$));
                          $$.span = @$; }
  | T_TEXT_TEST '(' or ',' or ')'
                        { $$ = $3;
                          MUST(winnow__text_test_strings(text, &$$, &$1, &$5));
                          $$.span = @$; }

%%

/* ------------------------------------------------------------------- words */

static unsigned arguments_of(int token) {
    switch (token) {
    case T_FUNCTION:
    case T_ISNAN:
    case T_ISFINITE:
        return 1;
    case T_OF_TWO:
    case T_TEXT_TEST:
        return 2;
    default:
        return 0;
    }
}

static bool is_end_of_value(int token) {
    static const int tokens[] = {T_COLUMN, T_NUMBER, T_STRING, T_NULL, T_TRUE,
                                 T_FALSE,  T_IS,     T_TYPE,   T_AS,   ')'};
    for (size_t i = 0; i < sizeof tokens / sizeof tokens[0]; i++)
        if (token == tokens[i])
            return true;
    return false;
}

/* Read the next word, and keep track of what comes before it for messages. */
static int lex(winnow__text *text, YYSTYPE *value, YYLTYPE *place,
               void *scanner) {
    const int token = winnow__scan_lex(value, place, scanner);
    text->ended_value = text->ends_value;
    text->ends_value = is_end_of_value(token);
    if (token == '(' && text->depth++ < WINNOW__TEXT_MOST_CALLS)
        text->calls[text->depth - 1] = text->called;
    else if ((token == ')' || token == T_AS) && text->depth > 0)
        text->depth--;
    text->called = (winnow__text_call){*place, arguments_of(token)};
    return token;
}

/* ---------------------------------------------------------------- mistakes */

static bool contains(const yysymbol_kind_t symbols[], int number,
                     yysymbol_kind_t symbol) {
    for (int i = 0; i < number; i++)
        if (symbols[i] == symbol)
            return true;
    return false;
}

/* Is the symbol listed as expected? Of words with the same meaning only one is;
 * likewise of functions, and of arithmetic operators. */
static bool is_listed(yysymbol_kind_t symbol, const yysymbol_kind_t expected[],
                      int number) {
    switch (symbol) {
    case YYSYMBOL_T_AND:
        return !contains(expected, number, YYSYMBOL_T_AND_WORD);
    case YYSYMBOL_T_MINUS: /* a sign, if no value comes before it */
        return !contains(expected, number, YYSYMBOL_T_TIMES);
    case YYSYMBOL_T_PLUS:
        return contains(expected, number, YYSYMBOL_T_TIMES);
    case YYSYMBOL_T_TIMES:
    case YYSYMBOL_T_TYPE:
        return false;
    case YYSYMBOL_T_OF_TWO:
    case YYSYMBOL_T_CAST:
    case YYSYMBOL_T_ISNAN:
    case YYSYMBOL_T_ISFINITE:
    case YYSYMBOL_T_TEXT_TEST:
        return !contains(expected, number, YYSYMBOL_T_FUNCTION);
    case YYSYMBOL_T_BANG:
        return !contains(expected, number, YYSYMBOL_T_NOT);
    case YYSYMBOL_T_MOMENT:
        return !contains(expected, number, YYSYMBOL_T_STRING);
    case YYSYMBOL_T_IS: /* these are possible nearly everywhere */
    case YYSYMBOL_T_NULL:
        return false;
    default:
        return true;
    }
}

/* Suggest what may be meant instead of the last word. */
static const char *hint_of(const winnow__text *text, yysymbol_kind_t found,
                           char buffer[40]) {
    const winnow__text_span word = text->word;
    const unsigned odd = winnow__odd_character(text->from + word.begin,
                                               word.end - word.begin);
    const char *const from = text->from + word.begin;
    if (*from == ',' && word.begin > 0 && from[-1] >= '0' && from[-1] <= '9')
        return " (a number has a decimal point, as in 5.5)";
    if (found == YYSYMBOL_T_COLUMN && word.begin > 0 && from[-1] == '\'')
        return " (a ' inside of a text is written twice, as in 'O''Neill')";
    if (found == YYSYMBOL_T_COLUMN && odd != 0) {
        snprintf(buffer, 40, " (it has the character U+%04X)", odd);
        return buffer;
    }
    if (found != YYSYMBOL_T_COLUMN && word.end > word.begin &&
        winnow__text_is_name(text))
        return " (the column of this name is written in double quotes)";
    return "";
}

/* Does a function's call have too few values or too many? */
static bool is_wrong_call(const winnow__text *text, yysymbol_kind_t found,
                          const yysymbol_kind_t expected[], int number,
                          winnow__text_call *call) {
    const yysymbol_kind_t comma = YYTRANSLATE(',');
    const bool closes = found == YYTRANSLATE(')');
    const uint32_t depth = text->depth + closes;
    if ((!closes && found != comma) || !text->ended_value || depth == 0 ||
        depth > WINNOW__TEXT_MOST_CALLS)
        return false;
    *call = text->calls[depth - 1];
    return call->arguments != 0 &&
           (!closes || contains(expected, number, comma));
}

/* Report what was found, and what is possible there. */
static int yyreport_syntax_error(const yypcontext_t *context, void *scanner,
                                 winnow__text *text,
                                 winnow__text_value *result) {
    enum {
        MOST = YYNTOKENS
    };
    const winnow__text_span place = *yypcontext_location(context);
    const yysymbol_kind_t found = yypcontext_token(context);
    yysymbol_kind_t expected[MOST];
    winnow__text_call call;
    const int number = yypcontext_expected_tokens(context, expected, MOST);
    char list[256] = "", hint[40];
    size_t length = 0;
    int listed = 0;
    (void)scanner;
    (void)result;
    for (int i = 0; i < number; i++)
        if (is_listed(expected[i], expected, number))
            length += (size_t)snprintf(
                list + length, sizeof list - length, "%s%s",
                listed++ == 0 ? "" : ", ", yysymbol_name(expected[i]));
    const char *const of = listed > 1 ? "one of: " : "";
    if (is_wrong_call(text, found, expected, number, &call))
        winnow__text_fail(text, WINNOW_ERR_SYNTAX, place.begin,
                          "found '%.*s', but %.*s takes %s",
                          WINNOW__TEXT_SHOWN(text, place, 60),
                          WINNOW__TEXT_SHOWN(text, call.function, 60),
                          call.arguments == 1 ? "one argument"
                                              : "two arguments");
    else if (found == YYSYMBOL_YYEOF)
        winnow__text_fail(text, WINNOW_ERR_SYNTAX, place.begin,
                          "found the end, expected %s%s", of, list);
    else
        winnow__text_fail(text, WINNOW_ERR_SYNTAX, place.begin,
                          "found '%.*s'%s, expected %s%s",
                          WINNOW__TEXT_SHOWN(text, place, 60), hint_of(text, found, hint),
                          of, list);
    return 0;
}

bool winnow__text_parse(winnow__text *text, char *buffer, size_t length,
                        winnow__text_value *result) {
    if (setjmp(text->scanner_fails) != 0)
        return winnow__text_no_memory(text);
    void *const scanner = winnow__scanner_open(text, buffer, length);
    return winnow__parse_parse(scanner, text, result) == 0;
}
