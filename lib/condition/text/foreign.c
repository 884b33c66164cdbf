/*
 * Words of other languages, and the words to write instead.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core/ascii.h"
#include "scanner.h"

#define OF_INFINITY                                                            \
    "infinity is 1 / 0, and its opposite -1 / 0; isfinite(x) is false of both"
#define OF_PATTERNS                                                            \
    "patterns are of like, as in name like 'a%', and there are starts_with, "  \
    "ends_with and contains"
#define OF_CASES                                                               \
    "upper and lower case differ: write name like 'a%' or name like 'A%'"
#define OF_CHOICES                                                             \
    "a value is not chosen: write a condition, as in x > 1 and a = 3 or x <= " \
    "1 and b = 3"
#define OF_NULLS                                                               \
    "a null is asked for: write x > 3 or x is null, or x > 3 and x is not "    \
    "null"
#define OF_CLAUSES                                                             \
    "the text is what stands behind SQL's where, one condition and no more"
#define OF_LISTS "write x in (1, 2), or comparisons with or"
#define OF_CLOCKS "there is no clock: write the date, as in date '2024-01-31'"
#define OF_DURATIONS "write a duration, as in duration '90 d'"
#define OF_PARTS                                                               \
    "write year(x), month(x), day(x), hour(x), minute(x), second(x)"
#define OF_STRINGS "strings are compared and have a length: none is computed"
#define OF_AGGREGATES "a condition is of one item, and not of several"
#define OF_POWERS "write x * x; there are sqrt(x), and 1e3 for 1000.0"
#define OF_FUNCTION "it is a function, as in starts_with(name, 'a')"

#define OF_MOMENTS "a text in quotes follows it, as in date '2024-01-31'"

typedef struct foreign {
    const char *name, *hint;
} foreign;

static const foreign words[] = {
    {"inf", OF_INFINITY},
    {"infinity", OF_INFINITY},
    {"nan", "use isnan(x): a NaN equals nothing"},
    {"none", "it is called null"},
    {"is", "write x is null, or is not null, is true, is false, is unknown"},
    {"like", "a text in single quotes follows it, as in name like 'a%'"},
    {"as", "a type and a parenthesis follow it, as in cast(x as int64)"},
    {"escape", "it follows a pattern, as in name like 'a!%' escape '!'"},
    {"starts_with", OF_FUNCTION},
    {"ends_with", OF_FUNCTION},
    {"contains", OF_FUNCTION},
    {"ilike", OF_CASES},
    {"collate", "strings compare by their bytes, without collate"},
    {"similar", OF_PATTERNS},
    {"regexp", OF_PATTERNS},
    {"rlike", OF_PATTERNS},
    {"glob", OF_PATTERNS},
    {"case", OF_CHOICES},
    {"when", OF_CHOICES},
    {"coalesce", OF_NULLS},
    {"distinct", "write x = y or x is null and y is null"},
    {"xor", "write (x > 1 or y > 1) and not (x > 1 and y > 1)"},
    {"mod", "write x % y"},
    {"div", "write x // y"},
    {"date", OF_MOMENTS},
    {"time", OF_MOMENTS},
    {"timestamp", OF_MOMENTS},
    {"interval", OF_DURATIONS},
    {"current_date", OF_CLOCKS},
    {"current_time", OF_CLOCKS},
    {"current_timestamp", OF_CLOCKS},
    {"any", OF_LISTS},
    {"all", OF_LISTS},
    {"some", OF_LISTS},
    {"exists", OF_LISTS},
    {"select", OF_CLAUSES},
    {"from", OF_CLAUSES},
    {"where", OF_CLAUSES},
    {"group", OF_CLAUSES},
    {"order", OF_CLAUSES},
    {"having", OF_CLAUSES},
    {"limit", OF_CLAUSES},
    {"offset", OF_CLAUSES},
    {"union", OF_CLAUSES},
    {"join", OF_CLAUSES},
};

static const foreign functions[] = {
    {"ceiling", "write ceil(x)"},
    {"trunc", "write cast(x as int64)"},
    {"try_cast", "write cast(x as int64), which is null where it has no value"},
    {"greatest", "write max(x, y)"},
    {"least", "write min(x, y)"},
    {"mod", "write x % y"},
    {"power", OF_POWERS},
    {"pow", OF_POWERS},
    {"len", "write length(x)"},
    {"strlen", "write length(x)"},
    {"octet_length", "write length(x)"},
    {"char_length", "write length(x), of bytes"},
    {"prefix", "write starts_with(name, 'a')"},
    {"startswith", "write starts_with(name, 'a')"},
    {"suffix", "write ends_with(name, 'a')"},
    {"endswith", "write ends_with(name, 'a')"},
    {"regexp_matches", OF_PATTERNS},
    {"regexp_like", OF_PATTERNS},
    {"lower", OF_CASES},
    {"upper", OF_CASES},
    {"trim", OF_STRINGS},
    {"substr", OF_STRINGS},
    {"substring", OF_STRINGS},
    {"replace", OF_STRINGS},
    {"concat", OF_STRINGS},
    {"coalesce", OF_NULLS},
    {"ifnull", OF_NULLS},
    {"nullif", OF_NULLS},
    {"isnull", "write x is null"},
    {"if", OF_CHOICES},
    {"extract", OF_PARTS},
    {"date_part", OF_PARTS},
    {"date_trunc",
     "write a range, as in x >= '2024-01-01' and x < '2024-02-01'"},
    {"to_date", "write date '2024-01-31'"},
    {"to_timestamp", "write timestamp '2024-01-31 10:00:00'"},
    {"now", OF_CLOCKS},
    {"count", OF_AGGREGATES},
    {"sum", OF_AGGREGATES},
    {"avg", OF_AGGREGATES},
};

static const char *find(const foreign *from, size_t number, const char *name,
                        size_t length) {
    for (size_t i = 0; i < number; i++)
        if (strlen(from[i].name) == length &&
            winnow__ascii_same(from[i].name, name, length))
            return from[i].hint;
    return NULL;
}

const char *winnow__foreign_word(const char *name, size_t length) {
    return find(words, sizeof words / sizeof words[0], name, length);
}

const char *winnow__foreign_function(const char *name, size_t length) {
    const char *hint =
        find(functions, sizeof functions / sizeof functions[0], name, length);
    if (hint == NULL)
        hint = winnow__foreign_word(name, length);
    return hint != NULL
               ? hint
               : "the functions are abs, cast, ceil, contains, day, ends_with, "
                 "floor, hour, isfinite, isnan, length, max, min, minute, "
                 "month, round, second, sqrt, starts_with and year";
}

/* ---------------------------------------------------------------- characters */

/* Characters that look like others, or are invisible, or compose letters in
 * another normalization. */
static const struct {
    unsigned first, last;
} odd[] = {{0x80, 0xbf},     {0xd7, 0xd7},     {0x300, 0x36f},
           {0x1680, 0x1680}, {0x2000, 0x206f}, {0x2190, 0x22ff},
           {0x3000, 0x303f}, {0xfe00, 0xfe0f}, {0xfeff, 0xfeff},
           {0xff00, 0xff65}, {0xfff0, 0xffff}};

unsigned winnow__odd_character(const char *from, size_t length) {
    const unsigned char *at = (const unsigned char *)from;
    const unsigned char *const end = at + length;
    while (at < end) {
        const unsigned char first = *at++;
        unsigned code = first < 0xe0   ? first & 0x1f
                        : first < 0xf0 ? first & 0x0f
                                       : first & 0x07;
        if (first < 0xc0) /* not the first byte of a character with several */
            continue;
        for (; at < end && (*at & 0xc0) == 0x80; at++)
            code = code << 6 | (*at & 0x3f);
        for (unsigned i = 0; i < sizeof odd / sizeof odd[0]; i++)
            if (code >= odd[i].first && code <= odd[i].last)
                return code;
    }
    return 0;
}
