/*
 * Reading a tuning profile: all of it is right, or nothing is taken of it.
 * winnow_tuning(5) describes the format.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core/status.h"
#include "core/strategy.h"
#include "profile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    VERSION = 1,
    MOST_BYTES = 1 << 20, /* of a file */
    COLUMNS = 9,
    PACKING_COLUMNS = 4,
    MOST_TOKENS = COLUMNS + 1
};

/* Lines of the head, in this order; then come entries, then the end. */
typedef enum line_kind {
    MAGIC,
    DEVICE,
    COMPUTE,
    MULTIPROCESSORS,
    DRIVER,
    DATE,
    ENTRIES,
    ENDED
} line_kind;

typedef struct reader {
    const char *path;
    const winnow__cuda_context *context;
    unsigned line;
    line_kind expected;
    char driver[64], date[16];
    winnow__entry *entries;
    unsigned number, room;
    winnow__packing packing[WINNOW__SIZES];
    unsigned packing_line[WINNOW__SIZES]; /* 0: there is none */
    unsigned lines;   /* of entries: one for each candidate */
    uint32_t reached; /* the selectivity up to which the last entry goes */
} reader;

static winnow_status expected(const reader *in, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static winnow_status expected(const reader *in, const char *format, ...) {
    char text[320];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return winnow__fail(WINNOW_ERR_SYNTAX, "%s, line %u: %s", in->path,
                        in->line, text);
}

/* A word that is not what it should be. */
static winnow_status no(const reader *in, const char *word, const char *what) {
    return expected(in, "'%s' is no %s", word, what);
}

static const char SIZE[] = "size of elements: expected 1, 2, 4 or 8 bytes";

/* ---------------------------------------------------------------- numbers */

/* Digits alone, and no more than `most`. */
static bool take_number(const char *text, uint64_t most, uint64_t *value_p) {
    uint64_t value = 0;
    if (*text == '\0')
        return false;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9')
            return false;
        const unsigned digit = (unsigned)(*text - '0');
        if (value > (most - digit) / 10)
            return false;
        value = 10 * value + digit;
    }
    *value_p = value;
    return true;
}

/* 0 to 1, with up to 9 decimals, in billionths. By hand: what strtod() takes
 * for a decimal point depends on the program's locale. */
static bool take_fraction(const char *text, uint32_t *billionths_p) {
    uint32_t value, unit = WINNOW__WHOLE;
    if (*text != '0' && *text != '1')
        return false;
    value = (uint32_t)(*text++ - '0') * WINNOW__WHOLE;
    if (*text == '\0') {
        *billionths_p = value;
        return true;
    }
    if (*text++ != '.' || *text == '\0')
        return false;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9' || unit == 1)
            return false;
        unit /= 10;
        value += (uint32_t)(*text - '0') * unit;
    }
    *billionths_p = value;
    return value <= WINNOW__WHOLE;
}

/* ------------------------------------------------------------------- head */

/* What follows the first word of a line, or NULL if that is another. */
static const char *after_word(const char *line, const char *word) {
    const size_t length = strlen(word);
    if (strncmp(line, word, length) != 0 || line[length] != ' ')
        return NULL;
    return line + length + 1;
}

static winnow_status read_magic(reader *in, const char *line) {
    const char *const rest = after_word(line, "winnow-tuning");
    uint64_t version;
    if (rest == NULL || !take_number(rest, UINT32_MAX, &version))
        return expected(in, "expected 'winnow-tuning %d'", VERSION);
    if (version != VERSION)
        return expected(in,
                        "version %" PRIu64 ": expected %d, the one that this "
                        "libwinnow reads",
                        version, VERSION);
    return WINNOW_OK;
}

/* Which device it is: a line for each of these. */
static winnow_status read_device(reader *in, const char *line) {
    const winnow__device_identity *const own = &in->context->identity;
    const char *const name = after_word(line, "device");
    char wanted[32];
    if (in->expected == DEVICE && name == NULL)
        return expected(in, "expected 'device NAME'");
    if (in->expected == DEVICE)
        return strcmp(name, own->name) == 0
                   ? WINNOW_OK
                   : expected(in,
                              "the profile is of device '%s': expected '%s', "
                              "which the context has",
                              name, own->name);
    if (in->expected == COMPUTE)
        snprintf(wanted, sizeof wanted, "compute %d.%d", own->major,
                 own->minor);
    else
        snprintf(wanted, sizeof wanted, "multiprocessors %u",
                 own->multiprocessors);
    return strcmp(line, wanted) == 0
               ? WINNOW_OK
               : expected(in, "expected '%s', as the context's device has",
                          wanted);
}

static winnow_status read_driver(reader *in, const char *line) {
    const char *const rest = after_word(line, "driver");
    if (rest == NULL || *rest == '\0' || strlen(rest) >= sizeof in->driver)
        return expected(in, "expected 'driver VERSION'");
    strcpy(in->driver, rest);
    return WINNOW_OK;
}

static winnow_status read_date(reader *in, const char *line) {
    static const char pattern[] = "0000-00-00";
    const char *const rest = after_word(line, "date");
    bool right = rest != NULL && strlen(rest) == strlen(pattern);
    for (size_t i = 0; right && pattern[i] != '\0'; i++)
        right = pattern[i] == '-' ? rest[i] == '-'
                                  : rest[i] >= '0' && rest[i] <= '9';
    if (!right)
        return expected(in, "expected 'date YEAR-MONTH-DAY', like 2026-01-31");
    strcpy(in->date, rest);
    return WINNOW_OK;
}

/* ---------------------------------------------------------------- entries */

static bool find_operation(const char *word,
                           const winnow__strategies **operation_p) {
    *operation_p = strcmp(word, winnow__copy_if_strategies.name) == 0
                       ? &winnow__copy_if_strategies
                       : &winnow__copy_index_if_strategies;
    return strcmp(word, (*operation_p)->name) == 0;
}

static bool find_order(const char *word, winnow_order *order_p) {
    *order_p = strcmp(word, winnow_order_name(WINNOW_STABLE)) == 0
                   ? WINNOW_STABLE
                   : WINNOW_UNORDERED;
    return strcmp(word, winnow_order_name(*order_p)) == 0;
}

/* One that a device has, and not AUTO. */
static bool find_strategy(const char *word, winnow_strategy *strategy_p) {
    int i = WINNOW_AUTO + 1;
    while (winnow__strategy_exists((winnow_strategy)i) &&
           strcmp(word, winnow_strategy_name((winnow_strategy)i)) != 0)
        i++;
    *strategy_p = (winnow_strategy)i;
    return winnow__strategy_exists(*strategy_p);
}

static bool find_shape(const char *word, winnow__shape *shape_p) {
    int i = 0;
    while (i < WINNOW__SHAPE_COUNT && strcmp(word, winnow__shapes[i].name) != 0)
        i++;
    *shape_p = (winnow__shape)i;
    return i < WINNOW__SHAPE_COUNT || strcmp(word, "by_size") == 0;
}

/* The size of an element. */
static bool take_size(const char *word, unsigned *log2_size_p) {
    unsigned i = 0;
    while (i < WINNOW__SIZES && (word[0] != '0' + (1 << i) || word[1] != '\0'))
        i++;
    *log2_size_p = i;
    return i < WINNOW__SIZES;
}

/* An entry of one range of selectivity, from *low_p on. */
static winnow_status read_columns(const reader *in, char *columns[],
                                  winnow__entry *entry, uint32_t *low_p) {
    winnow__candidate *const candidate = &entry->candidates[0];
    if (!find_operation(columns[0], &entry->operation))
        return no(in, columns[0],
                  "operation: expected copy_if or copy_index_if");
    if (!find_order(columns[1], &entry->order))
        return no(in, columns[1], "order: expected unordered or stable");
    if (!take_size(columns[2], &entry->log2_size))
        return no(in, columns[2], SIZE);
    if (!take_number(columns[3], UINT64_MAX, &entry->from) || entry->from == 0)
        return no(in, columns[3],
                  "begin of a range of n: expected a number from 1 on");
    entry->to = UINT64_MAX;
    if ((strcmp(columns[4], "max") != 0 &&
         !take_number(columns[4], UINT64_MAX, &entry->to)) ||
        entry->to < entry->from)
        return expected(in,
                        "'%s' is no end of a range of n: expected a number "
                        "from %" PRIu64 " on, or max",
                        columns[4], entry->from);
    if (!take_fraction(columns[5], low_p))
        return no(in, columns[5],
                  "selectivity: expected 0 to 1, with at most 9 decimals");
    if (!take_fraction(columns[6], &candidate->below) ||
        candidate->below <= *low_p)
        return expected(in,
                        "'%s' is no end of a range of selectivity: expected "
                        "more than %s, and at most 1",
                        columns[6], columns[5]);
    if (!find_strategy(columns[7], &candidate->strategy))
        return no(in, columns[7],
                  "strategy of a CUDA device: expected one from global_atomic "
                  "to tile_scan");
    if (!find_shape(columns[8], &candidate->shape))
        return expected(in, "'%s' is no shape: expected one of %s, or by_size",
                        columns[8], winnow_strategy_name(candidate->strategy));
    return WINNOW_OK;
}

/* Are both of elements in the same order and of the same size? */
static bool is_of_same(const winnow__entry *a, const winnow__entry *b) {
    return a->operation == b->operation && a->order == b->order &&
           a->log2_size == b->log2_size;
}

/* The last entry goes up to a selectivity of 1. */
static winnow_status check_complete(const reader *in) {
    if (in->number == 0 || in->reached == WINNOW__WHOLE)
        return WINNOW_OK;
    return expected(in,
                    "expected the range of selectivity from %.9g on, for the "
                    "elements of line %u",
                    in->reached / (double)WINNOW__WHOLE,
                    in->entries[in->number - 1].line);
}

static winnow_status add_entry(reader *in, const winnow__entry *entry) {
    winnow_status status = check_complete(in);
    if (status != WINNOW_OK)
        return status;
    for (unsigned i = 0; i < in->number; i++)
        if (is_of_same(&in->entries[i], entry) &&
            in->entries[i].from <= entry->to &&
            entry->from <= in->entries[i].to)
            return expected(in,
                            "the range of n overlaps that of line %u: expected "
                            "one apart from it",
                            in->entries[i].line);
    if (in->number == in->room) {
        in->room = in->room == 0 ? 16 : 2 * in->room;
        winnow__entry *entries =
            realloc(in->entries, in->room * sizeof *in->entries);
        if (entries == NULL)
            return winnow__fail(WINNOW_ERR_MEMORY,
                                "no host memory for a tuning profile");
        in->entries = entries;
    }
    in->entries[in->number++] = *entry;
    in->reached = 0;
    return WINNOW_OK;
}

/* One more range of selectivity, of the last entry or of another. */
static winnow_status add_range(reader *in, const winnow__entry *line,
                               uint32_t low) {
    winnow__entry *entry =
        in->number != 0 ? &in->entries[in->number - 1] : NULL;
    const bool more = entry != NULL && in->reached != WINNOW__WHOLE &&
                      is_of_same(entry, line) && entry->from == line->from &&
                      entry->to == line->to;
    winnow_status status = more ? WINNOW_OK : add_entry(in, line);
    if (status != WINNOW_OK)
        return status;
    entry = &in->entries[in->number - 1];
    if (low != in->reached)
        return expected(in,
                        "the range of selectivity begins at %.9g: expected "
                        "%.9g",
                        low / (double)WINNOW__WHOLE,
                        in->reached / (double)WINNOW__WHOLE);
    if (more && entry->number == WINNOW__MOST_CANDIDATES)
        return expected(in, "expected at most %d ranges of selectivity",
                        WINNOW__MOST_CANDIDATES);
    if (more)
        entry->candidates[entry->number++] = line->candidates[0];
    in->reached = line->candidates[0].below;
    return WINNOW_OK;
}

/* Cut a line at its spaces; return how many words there are, and one more at
 * most than there should be. */
static int cut_words(char *line, char *words[MOST_TOKENS]) {
    int number = 0;
    char *rest = NULL;
    for (char *word = strtok_r(line, " \t", &rest);
         word != NULL && number < MOST_TOKENS;
         word = strtok_r(NULL, " \t", &rest))
        words[number++] = word;
    return number;
}

/* By which numbers of survivors columns are packed: 'compact', the size of an
 * element, and the two fractions. */
static winnow_status read_packing(reader *in, char *columns[]) {
    winnow__packing packing;
    unsigned log2_size;
    winnow_status status = check_complete(in);
    if (status != WINNOW_OK)
        return status;
    if (!take_size(columns[1], &log2_size))
        return no(in, columns[1], SIZE);
    if (in->packing_line[log2_size] != 0)
        return expected(in,
                        "expected one line of compact for %s bytes: line "
                        "%u is another",
                        columns[1], in->packing_line[log2_size]);
    if (!take_fraction(columns[2], &packing.gather_below) ||
        packing.gather_below > WINNOW__MOST_GATHERED)
        return expected(in,
                        "'%s' is no fraction of a tile to gather: expected 0 "
                        "to %g, with at most 9 decimals",
                        columns[2],
                        WINNOW__MOST_GATHERED / (double)WINNOW__WHOLE);
    if (!take_fraction(columns[3], &packing.skewed_above))
        return expected(in,
                        "'%s' is no fraction of whole vectors: expected 0 to "
                        "1, with at most 9 decimals",
                        columns[3]);
    if (log2_size > 1 && packing.skewed_above != WINNOW__WHOLE)
        return expected(in,
                        "'%s': expected 1, since elements of %s bytes are "
                        "never staged out of step",
                        columns[3], columns[1]);
    in->packing[log2_size] = packing;
    in->packing_line[log2_size] = in->line;
    in->lines++;
    return WINNOW_OK;
}

static winnow_status read_end(reader *in, const char *number) {
    uint64_t lines;
    winnow_status status = check_complete(in);
    if (status != WINNOW_OK)
        return status;
    if (!take_number(number, UINT32_MAX, &lines) || lines != in->lines)
        return expected(in,
                        "'end %s': expected 'end %u', the number of entries "
                        "before it",
                        number, in->lines);
    in->expected = ENDED;
    return WINNOW_OK;
}

static winnow_status read_entry(reader *in, char *line) {
    winnow__entry entry = {.number = 1, .line = in->line};
    char *columns[MOST_TOKENS];
    char why[256];
    uint32_t low = 0;
    const int number = cut_words(line, columns);
    if (number == 2 && strcmp(columns[0], "end") == 0)
        return read_end(in, columns[1]);
    if (number == PACKING_COLUMNS && strcmp(columns[0], "compact") == 0)
        return read_packing(in, columns);
    if (number != COLUMNS)
        return expected(in,
                        "expected an entry of %d columns (operation, order, "
                        "bytes, n from, to, selectivity from, to, strategy, "
                        "shape), one of %d (compact, bytes, gather below, "
                        "skew above), or 'end %u'",
                        COLUMNS, PACKING_COLUMNS, in->lines);
    winnow_status status = read_columns(in, columns, &entry, &low);
    if (status == WINNOW_OK &&
        !winnow__entry_is_possible(&entry, in->context, why, sizeof why))
        return expected(in, "%s", why);
    if (status == WINNOW_OK)
        status = add_range(in, &entry, low);
    in->lines++;
    return status;
}

/* ------------------------------------------------------------------- files */

static winnow_status read_line(reader *in, char *line) {
    static winnow_status (*const heads[])(reader *, const char *) = {
        [MAGIC] = read_magic,    [DEVICE] = read_device,
        [COMPUTE] = read_device, [MULTIPROCESSORS] = read_device,
        [DRIVER] = read_driver,  [DATE] = read_date,
    };
    const size_t blank = strspn(line, " \t");
    if (line[blank] == '\0' || line[blank] == '#')
        return WINNOW_OK;
    if (in->expected == ENDED)
        return expected(in, "expected nothing after the end");
    if (in->expected == ENTRIES)
        return read_entry(in, line);
    winnow_status status = heads[in->expected](in, line);
    if (status == WINNOW_OK)
        in->expected++;
    return status;
}

static winnow_status read_lines(reader *in, char *text, size_t bytes) {
    winnow_status status = WINNOW_OK;
    char *const end = text + bytes;
    while (text < end && status == WINNOW_OK) {
        char *const stop = memchr(text, '\n', (size_t)(end - text));
        char *const next = stop != NULL ? stop + 1 : end;
        in->line++;
        if (stop != NULL)
            *stop = '\0';
        if (memchr(text, '\0', (size_t)(next - text)) != stop)
            return expected(in, "expected text, and there is a byte of 0");
        status = read_line(in, text);
        text = next;
    }
    if (status == WINNOW_OK && in->expected != ENDED) {
        in->line++;
        status = expected(in,
                          in->expected == ENTRIES
                              ? "the file ends here: expected entries, and "
                                "'end %u'"
                              : "the file ends here: expected the head of "
                                "a profile (%u entries so far)",
                          in->lines);
    }
    return status;
}

static winnow_status fail_to_read(const char *path, int error) {
    return winnow__fail(WINNOW_ERR_ARGUMENT, "%s: cannot be read: %s", path,
                        strerror(error));
}

/* All of it, with a 0 behind it; free() it in any case. */
static winnow_status read_file(const char *path, char **text_p,
                               size_t *bytes_p) {
    FILE *file = fopen(path, "re");
    winnow_status status = WINNOW_OK;
    if (file == NULL)
        return fail_to_read(path, errno);
    *text_p = malloc(MOST_BYTES + 1);
    errno = 0;
    if (*text_p != NULL)
        *bytes_p = fread(*text_p, 1, MOST_BYTES + 1, file);
    if (*text_p == NULL)
        status = winnow__fail(WINNOW_ERR_MEMORY,
                              "no host memory for a tuning profile");
    else if (ferror(file))
        status = fail_to_read(path, errno);
    else if (*bytes_p > MOST_BYTES)
        status = winnow__fail(WINNOW_ERR_SYNTAX,
                              "%s: expected a profile, of at most %d bytes",
                              path, MOST_BYTES);
    else
        (*text_p)[*bytes_p] = '\0';
    fclose(file);
    return status;
}

winnow_status winnow__profile_read(const char *path,
                                   const winnow__cuda_context *context,
                                   winnow__profile **profile_p) {
    reader in = {.path = path, .context = context};
    winnow__profile *profile = NULL;
    char *text = NULL;
    size_t bytes = 0;
    winnow_status status = read_file(path, &text, &bytes);
    if (status == WINNOW_OK)
        status = read_lines(&in, text, bytes);
    free(text);
    if (status == WINNOW_OK) {
        profile = calloc(1, sizeof *profile);
        if (profile == NULL)
            status = winnow__fail(WINNOW_ERR_MEMORY,
                                  "no host memory for a tuning profile");
    }
    if (status != WINNOW_OK) {
        free(in.entries);
        return status;
    }
    snprintf(profile->source, sizeof profile->source,
             "%.300s, of %s, driver %s", path, in.date, in.driver);
    profile->entries = in.entries;
    profile->number = in.number;
    for (unsigned i = 0; i < WINNOW__SIZES; i++) {
        profile->packing[i] = in.packing[i];
        profile->has_packing[i] = in.packing_line[i] != 0;
    }
    *profile_p = profile;
    return WINNOW_OK;
}

void winnow__profile_free(winnow__profile *profile) {
    free(profile->entries);
    free(profile);
}
