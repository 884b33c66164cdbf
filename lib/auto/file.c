/*
 * Reading a tuning profile: all of it is right, or nothing is taken of it.
 * winnow_tuning(5) describes the format.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core/status.h"
#include "profile.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
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
    winnow__line line;
    const winnow__cuda_context *context;
    const winnow__strategies *const *operations;
    line_kind expected;
    char driver[64], date[16];
    winnow__profile *profile;
    unsigned lines;   /* of entries: one for each candidate */
    uint32_t reached; /* the selectivity up to which the last entry goes */
} reader;

/* The path, the text and what is between them fit in a detail. */
winnow_status winnow__expected(const winnow__line *line, const char *format,
                               ...) {
    char text[320];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return winnow__fail(WINNOW_ERR_SYNTAX, "%s, line %u: %s", line->path,
                        line->number, text);
}

#define EXPECTED(...) winnow__expected(&in->line, __VA_ARGS__)

/* A word that is not what it should be. */
static winnow_status no(const reader *in, const char *word, const char *what) {
    return EXPECTED("'%.60s' is no %s", word, what);
}

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
    char digits[] = "0000000000"; /* one, and 9 decimals */
    uint64_t value;
    const size_t length = strlen(text);
    if (length == 0 || length == 2 || length > sizeof digits ||
        (length > 2 && text[1] != '.'))
        return false;
    digits[0] = text[0];
    if (length > 2)
        memcpy(digits + 1, text + 2, length - 2);
    if (!take_number(digits, WINNOW__FRACTION_ONE, &value))
        return false;
    *billionths_p = (uint32_t)value;
    return true;
}

/* ------------------------------------------------------------------- head */

/* A word, and what has to follow it. */
static winnow_status read_head(reader *in, const char *line) {
    static const struct {
        const char *word, *form; /* NULL: one text is right, not a form */
    } head[] = {[MAGIC] = {"winnow-tuning", NULL},
                [DEVICE] = {"device", "NAME"},
                [COMPUTE] = {"compute", NULL},
                [MULTIPROCESSORS] = {"multiprocessors", NULL},
                [DRIVER] = {"driver", "VERSION"},
                [DATE] = {"date", "YEAR-MONTH-DAY"}};
    const winnow__device_identity *const own = &in->context->identity;
    const char *const word = head[in->expected].word;
    const char *form = head[in->expected].form;
    const size_t length = strlen(word);
    const bool begins = strncmp(line, word, length) == 0 && line[length] == ' ';
    const char *const rest = begins ? line + length + 1 : "";
    const size_t bytes = strlen(rest) + 1;
    char wanted[sizeof own->name];
    int date_length = 0;

    snprintf(wanted, sizeof wanted, "%s",
             in->expected == MAGIC ? "1" : own->name);
    if (in->expected == COMPUTE)
        snprintf(wanted, sizeof wanted, "%d.%d", own->major, own->minor);
    if (in->expected == MULTIPROCESSORS)
        snprintf(wanted, sizeof wanted, "%u", own->multiprocessors);
    sscanf(rest, "%*4[0-9]-%*2[0-9]-%*2[0-9]%n", &date_length);
    bool right = strcmp(rest, wanted) == 0;
    if (in->expected == DRIVER) {
        right = bytes > 1 && bytes <= sizeof in->driver;
        snprintf(in->driver, sizeof in->driver, "%s", rest);
    } else if (in->expected == DATE) {
        right = date_length == 10 && bytes == 11;
        snprintf(in->date, sizeof in->date, "%s", rest);
    }
    if (right) {
        in->expected++;
        return WINNOW_OK;
    }
    if (in->expected == DEVICE && begins)
        return EXPECTED("the profile is of device '%.80s': expected "
                        "'%s', which the context has",
                        rest, wanted);
    if (in->expected == MAGIC && bytes > 1 &&
        rest[strspn(rest, "0123456789")] == '\0')
        return EXPECTED("version %.20s: expected 1, the one that this "
                        "libwinnow reads",
                        rest);
    return EXPECTED("expected '%s %s'", word, form != NULL ? form : wanted);
}

/* ---------------------------------------------------------------- entries */

/* The number of a word among `number`; past them if it is another. */
static unsigned find(const char *word, const char *const *words,
                     unsigned number) {
    unsigned i = 0;
    while (i < number && strcmp(word, words[i]) != 0)
        i++;
    return i;
}

static const char *const sizes[WINNOW__SIZES] = {"1", "2", "4", "8"};
static const char SIZE[] = "size of elements: expected 1, 2, 4 or 8 bytes";

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

/* Are both of elements in the same order and of the same size? */
static bool is_of_same(const winnow__entry *a, const winnow__entry *b) {
    return a->operation == b->operation && a->order == b->order &&
           a->log2_size == b->log2_size;
}

/* The last entry, if there is one, goes up to a selectivity of 1. */
static winnow_status check_complete(const reader *in) {
    if (in->reached == WINNOW__FRACTION_ONE)
        return WINNOW_OK;
    return EXPECTED("expected the range of selectivity from %.9g on, "
                    "for the elements of line %u",
                    in->reached / (double)WINNOW__FRACTION_ONE,
                    in->profile->entries[in->profile->number - 1].line);
}

/* One more range of selectivity, of the last entry or of another. */
static winnow_status add_range(reader *in, const winnow__entry *line,
                               uint32_t low) {
    winnow__entry *const entries = in->profile->entries;
    unsigned number = in->profile->number;
    const bool more = in->reached != WINNOW__FRACTION_ONE &&
                      is_of_same(&entries[number - 1], line) &&
                      entries[number - 1].from == line->from &&
                      entries[number - 1].to == line->to;
    WINNOW__TRY(more ? WINNOW_OK : check_complete(in));
    for (unsigned i = 0; i < number && !more; i++)
        if (is_of_same(&entries[i], line) && entries[i].from <= line->to &&
            line->from <= entries[i].to)
            return EXPECTED("the range of n overlaps that of line %u: expected "
                            "one apart from it",
                            entries[i].line);
    if (!more) {
        entries[number++] = *line;
        in->profile->number = number;
        in->reached = 0;
    }
    winnow__entry *const entry = &entries[number - 1];
    if (low != in->reached)
        return EXPECTED(
            "the range of selectivity begins at %.9g: expected %.9g",
            low / (double)WINNOW__FRACTION_ONE,
            in->reached / (double)WINNOW__FRACTION_ONE);
    if (entry->number == WINNOW__MOST_CANDIDATES)
        return EXPECTED("expected at most %d ranges of selectivity",
                        WINNOW__MOST_CANDIDATES);
    entry->candidates[entry->number++] = line->candidates[0];
    in->reached = line->candidates[0].below;
    return WINNOW_OK;
}

static winnow_status read_entry(reader *in, char *columns[]) {
    static const char *const orders[] = {
        [WINNOW_UNORDERED] = "unordered", [WINNOW_STABLE] = "stable"};
    winnow__entry entry = {.line = in->line.number};
    winnow__candidate *const candidate = &entry.candidates[0];
    uint32_t low;
    const winnow__strategies *const *operation = in->operations;
    while (*operation != NULL && strcmp((*operation)->name, columns[0]) != 0)
        operation++;
    if (*operation == NULL)
        return no(in, columns[0],
                  "operation: expected copy_if or copy_index_if");
    entry.operation = *operation;
    entry.order = (winnow_order)find(columns[1], orders, 2);
    if ((unsigned)entry.order == 2)
        return no(in, columns[1], "order: expected unordered or stable");
    entry.log2_size = find(columns[2], sizes, WINNOW__SIZES);
    if (entry.log2_size == WINNOW__SIZES)
        return no(in, columns[2], SIZE);
    if (!take_number(columns[3], UINT64_MAX, &entry.from) || entry.from == 0)
        return no(in, columns[3],
                  "begin of a range of n: expected a number from 1 on");
    entry.to = UINT64_MAX;
    if ((strcmp(columns[4], "max") != 0 &&
         !take_number(columns[4], UINT64_MAX, &entry.to)) ||
        entry.to < entry.from)
        return EXPECTED("'%.60s' is no end of a range of n: expected a "
                        "number from %" PRIu64 " on, or max",
                        columns[4], entry.from);
    if (!take_fraction(columns[5], &low))
        return no(in, columns[5],
                  "selectivity: expected 0 to 1, with at most 9 decimals");
    if (!take_fraction(columns[6], &candidate->below) ||
        candidate->below <= low)
        return no(in, columns[6],
                  "end of a range of selectivity: expected more than its "
                  "begin, and at most 1, with at most 9 decimals");
    if (!find_strategy(columns[7], &candidate->strategy))
        return no(in, columns[7],
                  "strategy of a CUDA device: expected one from global_atomic "
                  "to tile_scan");
    if (!find_shape(columns[8], &candidate->shape))
        return no(in, columns[8],
                  "shape: expected one of the strategy, or by_size");
    WINNOW__TRY(winnow__check_entry(&in->line, &entry, in->context));
    return add_range(in, &entry, low);
}

/* By which numbers of survivors columns are packed: 'compact', the size of an
 * element, and the two fractions. */
static winnow_status read_packing(reader *in, char *columns[]) {
    winnow__profile *const profile = in->profile;
    winnow__packing packing;
    const unsigned log2_size = find(columns[1], sizes, WINNOW__SIZES);
    if (log2_size == WINNOW__SIZES)
        return no(in, columns[1], SIZE);
    if (profile->packing_line[log2_size] != 0)
        return EXPECTED("expected one line of compact for %s bytes: "
                        "line %u is another",
                        columns[1], profile->packing_line[log2_size]);
    if (!take_fraction(columns[2], &packing.gather_below) ||
        packing.gather_below > WINNOW__MOST_GATHERED)
        return no(in, columns[2],
                  "fraction of a tile to gather: expected 0 to 0.5, with at "
                  "most 9 decimals");
    if (!take_fraction(columns[3], &packing.skewed_above))
        return no(in, columns[3],
                  "fraction of whole vectors: expected 0 to 1, with at most 9 "
                  "decimals");
    if (log2_size > 1 && packing.skewed_above != WINNOW__FRACTION_ONE)
        return EXPECTED("'%s': expected 1, since elements of %s bytes "
                        "are never staged out of step",
                        columns[3], columns[1]);
    profile->packing[log2_size] = packing;
    profile->packing_line[log2_size] = in->line.number;
    return WINNOW_OK;
}

/* What comes behind the head. */
static winnow_status read_body(reader *in, char *line) {
    char *columns[MOST_TOKENS], *rest = NULL;
    unsigned number = 0;
    uint64_t lines;
    for (char *word = strtok_r(line, " \t", &rest);
         word != NULL && number < MOST_TOKENS;
         word = strtok_r(NULL, " \t", &rest))
        columns[number++] = word;
    const bool ends = number == 2 && strcmp(columns[0], "end") == 0;
    const bool packs =
        number == PACKING_COLUMNS && strcmp(columns[0], "compact") == 0;
    winnow_status status = ends || packs ? check_complete(in) : WINNOW_OK;
    if (status != WINNOW_OK)
        return status;
    if (ends &&
        (!take_number(columns[1], UINT32_MAX, &lines) || lines != in->lines))
        return EXPECTED("'end %.60s': expected 'end %u', the number of entries "
                        "before it",
                        columns[1], in->lines);
    if (ends) {
        in->expected = ENDED;
        return WINNOW_OK;
    }
    if (packs)
        status = read_packing(in, columns);
    else if (number == COLUMNS)
        status = read_entry(in, columns);
    else
        status = EXPECTED(
            "expected an entry of %d columns (operation, order, bytes, n from, "
            "to, selectivity from, to, strategy, shape), one of %d (compact, "
            "bytes, gather below, skew above), or 'end %u'",
            COLUMNS, PACKING_COLUMNS, in->lines);
    in->lines++;
    return status;
}

/* ------------------------------------------------------------------- files */

static winnow_status read_line(reader *in, char *line, size_t length) {
    const size_t blank = strspn(line, " \t");
    if (in->line.number == 1 && strncmp(line, "\xef\xbb\xbf", 3) == 0)
        return EXPECTED(
            "the file begins with a byte order mark: expected none");
    if (strlen(line) != length)
        return EXPECTED("expected text, and there is a byte of 0");
    if (length != 0 && line[length - 1] == '\r')
        return EXPECTED("the line ends with a carriage return: expected none");
    if (line[blank] == '\0' || line[blank] == '#')
        return WINNOW_OK;
    if (in->expected == ENDED)
        return EXPECTED("expected nothing after the end");
    return in->expected == ENTRIES ? read_body(in, line) : read_head(in, line);
}

/* There is a byte of 0 behind it. */
static winnow_status read_lines(reader *in, char *text, size_t bytes) {
    char *const end = text + bytes;
    while (text < end) {
        char *stop = memchr(text, '\n', (size_t)(end - text));
        stop = stop != NULL ? stop : end;
        *stop = '\0';
        in->line.number++;
        WINNOW__TRY(read_line(in, text, (size_t)(stop - text)));
        text = stop + 1;
    }
    if (in->expected == ENDED)
        return WINNOW_OK;
    in->line.number++;
    return EXPECTED(
        in->expected == ENTRIES
            ? "the file ends here: expected entries, and 'end %u'"
            : "the file ends here: expected the head of a profile (%u entries "
              "so far)",
        in->lines);
}

static winnow_status fail_to_read(const reader *in, int error) {
    return winnow__refuse("%s: cannot be read: %s", in->line.path,
                          strerror(error));
}

/* All of it; the path of what is no file may block neither here nor there. */
static winnow_status read_file(const reader *in, const char *path, char *text,
                               size_t *bytes_p) {
    const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    winnow_status status = WINNOW_OK;
    struct stat about;
    size_t bytes = 0;
    ssize_t got = 1;
    if (file < 0)
        return fail_to_read(in, errno);
    if (fstat(file, &about) != 0)
        status = fail_to_read(in, errno);
    else if (!S_ISREG(about.st_mode))
        status = winnow__refuse("%s: is not a regular file", in->line.path);
    while (status == WINNOW_OK && got > 0 && bytes <= MOST_BYTES) {
        do
            got = read(file, text + bytes, MOST_BYTES + 1 - bytes);
        while (got < 0 && errno == EINTR);
        if (got < 0)
            status = fail_to_read(in, errno);
        else
            bytes += (size_t)got;
    }
    if (bytes > MOST_BYTES)
        status = winnow__fail(WINNOW_ERR_SYNTAX,
                              "%s: expected a profile, of at most %d bytes",
                              in->line.path, MOST_BYTES);
    close(file);
    *bytes_p = bytes;
    return status;
}

winnow_status winnow__profile_read(const char *path,
                                   const winnow__cuda_context *context,
                                   const winnow__strategies *const *operations,
                                   winnow__profile **profile_p) {
    reader in = {.context = context,
                 .operations = operations,
                 .reached = WINNOW__FRACTION_ONE};
    const size_t length = strlen(path), most = sizeof in.line.path - 4;
    char *const text = calloc(MOST_BYTES + 1, 1);
    size_t bytes = 0;
    snprintf(in.line.path, sizeof in.line.path, "%s%s",
             length > most ? "..." : "",
             length > most ? path + length - most : path);
    winnow_status status =
        text != NULL ? read_file(&in, path, text, &bytes) : WINNOW_ERR_MEMORY;
    if (status == WINNOW_OK) {
        /* A column takes two bytes, with the space behind it. */
        in.profile =
            calloc(1, sizeof *in.profile + (bytes / (2 * COLUMNS) + 1) *
                                               sizeof in.profile->entries[0]);
        status = in.profile != NULL ? read_lines(&in, text, bytes)
                                    : WINNOW_ERR_MEMORY;
    }
    free(text);
    if (status == WINNOW_ERR_MEMORY)
        winnow__fail(status, "no host memory for a tuning profile");
    if (status != WINNOW_OK) {
        free(in.profile);
        return status;
    }
    snprintf(in.profile->source, sizeof in.profile->source,
             "%s, of %s, driver %s", in.line.path, in.date, in.driver);
    *profile_p = in.profile;
    return WINNOW_OK;
}
