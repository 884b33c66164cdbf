/*
 * Reads a tuning profile: the whole file has to be valid, or none of it is
 * used. winnow_tuning(5) describes the format.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MOST_BYTES = 1 << 20, /* of the file */
    COLUMNS = 9,
    PACKING_COLUMNS = 4,
    MOST_TOKENS = COLUMNS + 1
};

/* Lines of the head, in this order. Entries follow, then the end. */
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
    char path[160]; /* for messages: the end of a long path */
    unsigned line;
    const winnow__cuda_context *context;
    const winnow__strategies *const *operations;
    line_kind expected;
    const char *head[ENTRIES]; /* the text after the word of each line */
    winnow__profile *profile;
    unsigned packing_line[WINNOW__SIZES]; /* 0: no such line */
    unsigned lines;   /* lines of entries: one for each candidate */
    uint32_t reached; /* the upper selectivity of the last entry */
} reader;

#define SIZE "size of elements: expected 1, 2, 4 or 8 bytes"
#define FRACTION "expected 0 to 1, with at most 9 decimals"

/* The error for a word that is not what it should be. */
static winnow_status no(const char *word, const char *what) {
    return WINNOW__EXPECTED("'%.60s' is no %s", word, what);
}

/* Only digits, and a value of at most `most`. */
static bool take_number(const char *text, uint64_t most, uint64_t *value_p) {
    char *end;
    errno = 0;
    *value_p = strtoull(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 &&
           *value_p <= most;
}

/* 0 to 1, with up to 9 decimals, in billionths. strtod() would take another decimal
 * point in some locales. */
static bool take_fraction(const char *text, uint32_t *billionths_p) {
    char digits[] = "0000000000"; /* one digit and 9 decimals */
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

/* The word of a line, and the text that has to follow it. */
static winnow_status read_head(reader *in, const char *line) {
    const winnow__device_identity *const own = &in->context->identity;
    char compute[24], number[12];
    const struct {
        const char *word, *form, *text; /* NULL: any text of this form */
    } head[] = {[MAGIC] = {"winnow-tuning", "1", "1"},
                [DEVICE] = {"device", "NAME", own->name},
                [COMPUTE] = {"compute", compute, compute},
                [MULTIPROCESSORS] = {"multiprocessors", number, number},
                [DRIVER] = {"driver", "VERSION", NULL},
                [DATE] = {"date", "YEAR-MONTH-DAY", NULL}},
      *const wanted = &head[in->expected];
    const size_t length = strlen(wanted->word);
    const bool begins =
        strncmp(line, wanted->word, length) == 0 && line[length] == ' ';
    const char *const rest = begins ? line + length + 1 : "";
    int date_length = 0;
    snprintf(compute, sizeof compute, "%d.%d", own->major, own->minor);
    snprintf(number, sizeof number, "%u", own->multiprocessors);
    sscanf(rest, "%*4[0-9]-%*2[0-9]-%*2[0-9]%n", &date_length);
    bool right = rest[0] != '\0';
    if (wanted->text != NULL)
        right = strcmp(rest, wanted->text) == 0;
    else if (in->expected == DATE)
        right = date_length == 10 && rest[10] == '\0';
    if (right) {
        in->head[in->expected++] = rest;
        return WINNOW_OK;
    }
    if (in->expected == DEVICE && begins)
        return WINNOW__EXPECTED("the profile is of device '%.80s': expected "
                                "'%s', which the context has",
                                rest, own->name);
    if (in->expected == MAGIC && rest[0] != '\0' &&
        rest[strspn(rest, "0123456789")] == '\0')
        return WINNOW__EXPECTED("version %.20s: expected 1, the one that this "
                                "libwinnow reads",
                                rest);
    return WINNOW__EXPECTED("expected '%s %s'", wanted->word, wanted->form);
}

/* ---------------------------------------------------------------- entries */

/* The words of an entry; none is empty. */

static bool find_operation(const reader *in, const char *word,
                           const winnow__strategies **operation_p) {
    const winnow__strategies *const *operation = in->operations;
    while (*operation != NULL && strcmp(word, (*operation)->name) != 0)
        operation++;
    *operation_p = *operation;
    return *operation != NULL;
}

static bool find_order(const char *word, winnow_order *order_p) {
    *order_p = word[0] == 's' ? WINNOW_STABLE : WINNOW_UNORDERED;
    return strcmp(word, winnow_order_name(*order_p)) == 0;
}

static bool find_size(const char *word, unsigned *log2_size_p) {
    *log2_size_p = (unsigned)strcspn("1248", word);
    return word[1] == '\0' && *log2_size_p < WINNOW__SIZES;
}

/* A strategy of a device, other than AUTO. */
static bool find_strategy(const char *word, winnow_strategy *strategy_p) {
    int i = WINNOW_AUTO + 1;
    while (winnow__strategy_exists((winnow_strategy)i) &&
           strcmp(word, winnow_strategy_name((winnow_strategy)i)) != 0)
        i++;
    *strategy_p = (winnow_strategy)i;
    return winnow__strategy_exists(*strategy_p);
}

static bool find_shape(const char *word, winnow__shape *shape_p) {
    winnow__shape i = 0;
    while (i < WINNOW__SHAPE_COUNT && strcmp(word, winnow__shapes[i].name) != 0)
        i++;
    *shape_p = i;
    return i < WINNOW__SHAPE_COUNT || strcmp(word, "by_size") == 0;
}

/* Do both entries have the same operation, order and element size? */
static bool is_of_same(const winnow__entry *a, const winnow__entry *b) {
    return a->operation == b->operation && a->order == b->order &&
           a->log2_size == b->log2_size;
}

/* The last entry, if there is one, has to end at a selectivity of 1. */
static winnow_status check_complete(const reader *in) {
    if (in->reached == WINNOW__FRACTION_ONE)
        return WINNOW_OK;
    return WINNOW__EXPECTED("expected the range of selectivity from %.9g on, "
                            "for the elements of line %u",
                            in->reached / (double)WINNOW__FRACTION_ONE,
                            in->profile->entries[in->profile->number - 1].line);
}

/* Add a range of selectivity, to the last entry or to a new one. */
static winnow_status add_range(reader *in, const winnow__entry *line,
                               uint32_t low) {
    winnow__entry *const end = in->profile->entries + in->profile->number;
    winnow__entry *entry = in->profile->entries;
    while (entry < end && !(is_of_same(entry, line) &&
                            entry->from <= line->to && line->from <= entry->to))
        entry++;
    if (in->reached == WINNOW__FRACTION_ONE || entry + 1 != end ||
        entry->from != line->from || entry->to != line->to) {
        WINNOW__TRY(check_complete(in));
        if (entry < end)
            return WINNOW__EXPECTED("the range of n overlaps that of line %u: "
                                    "expected one apart from it",
                                    entry->line);
        *entry = *line;
        in->profile->number++;
        in->reached = 0;
    }
    if (low != in->reached)
        return WINNOW__EXPECTED(
            "the range of selectivity begins at %.9g: expected %.9g",
            low / (double)WINNOW__FRACTION_ONE,
            in->reached / (double)WINNOW__FRACTION_ONE);
    if (entry->number == WINNOW__MOST_CANDIDATES)
        return WINNOW__EXPECTED("expected at most %d ranges of selectivity",
                                WINNOW__MOST_CANDIDATES);
    entry->candidates[entry->number++] = line->candidates[0];
    in->reached = line->candidates[0].below;
    return WINNOW_OK;
}

static winnow_status read_entry(reader *in, char *columns[]) {
    winnow__entry entry = {.line = in->line, .to = UINT64_MAX};
    winnow__candidate *const candidate = &entry.candidates[0];
    uint32_t low;
    if (!find_operation(in, columns[0], &entry.operation))
        return no(columns[0], "operation: expected copy_if or copy_index_if");
    if (!find_order(columns[1], &entry.order))
        return no(columns[1], "order: expected unordered or stable");
    if (!find_size(columns[2], &entry.log2_size))
        return no(columns[2], SIZE);
    if (!take_number(columns[3], UINT64_MAX, &entry.from) || entry.from == 0)
        return no(columns[3],
                  "begin of a range of n: expected a number from 1 on");
    if ((strcmp(columns[4], "max") != 0 &&
         !take_number(columns[4], UINT64_MAX, &entry.to)) ||
        entry.to < entry.from)
        return WINNOW__EXPECTED("'%.60s' is no end of a range of n: expected a "
                                "number from %" PRIu64 " on, or max",
                                columns[4], entry.from);
    if (!take_fraction(columns[5], &low))
        return no(columns[5], "selectivity: " FRACTION);
    if (!take_fraction(columns[6], &candidate->below) ||
        candidate->below <= low)
        return no(columns[6],
                  "end of a range of selectivity: expected more than its "
                  "begin, and at most 1, with at most 9 decimals");
    if (!find_strategy(columns[7], &candidate->strategy))
        return no(columns[7],
                  "strategy of a CUDA device: expected one from global_atomic "
                  "to tile_scan");
    if (!find_shape(columns[8], &candidate->shape))
        return no(columns[8],
                  "shape: expected one of the strategy, or by_size");
    WINNOW__TRY(winnow__check_entry(&entry, in->context));
    return add_range(in, &entry, low);
}

/* How columns are packed: 'compact', the element size, and the two fractions. */
static winnow_status read_packing(reader *in, char *columns[]) {
    winnow__packing packing;
    unsigned log2_size;
    if (!find_size(columns[1], &log2_size))
        return no(columns[1], SIZE);
    if (in->packing_line[log2_size] != 0)
        return WINNOW__EXPECTED("expected one line of compact for %s bytes: "
                                "line %u is another",
                                columns[1], in->packing_line[log2_size]);
    if (!take_fraction(columns[2], &packing.gather_below) ||
        packing.gather_below > WINNOW__MOST_GATHERED)
        return no(columns[2],
                  "fraction of a tile to gather: expected 0 to 0.5, with at "
                  "most 9 decimals");
    if (!take_fraction(columns[3], &packing.skewed_above))
        return no(columns[3], "fraction of whole vectors: " FRACTION);
    if (log2_size > 1 && packing.skewed_above != WINNOW__FRACTION_ONE)
        return WINNOW__EXPECTED("'%s': expected 1, since elements of %s bytes "
                                "are never staged out of step",
                                columns[3], columns[1]);
    in->profile->packing[log2_size] = packing;
    in->packing_line[log2_size] = in->line;
    return WINNOW_OK;
}

/* A line after the head. */
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
    if (!ends && !packs && number != COLUMNS)
        return WINNOW__EXPECTED(
            "expected an entry of %d columns (operation, order, bytes, n from, "
            "to, selectivity from, to, strategy, shape), one of %d (compact, "
            "bytes, gather below, skew above), or 'end %u'",
            COLUMNS, PACKING_COLUMNS, in->lines);
    if (number != COLUMNS)
        WINNOW__TRY(check_complete(in));
    if (!ends) {
        in->lines++;
        return packs ? read_packing(in, columns) : read_entry(in, columns);
    }
    if (!take_number(columns[1], UINT32_MAX, &lines) || lines != in->lines)
        return WINNOW__EXPECTED("'end %.60s': expected 'end %u', the number of "
                                "entries before it",
                                columns[1], in->lines);
    in->expected = ENDED;
    return WINNOW_OK;
}

/* ------------------------------------------------------------------- files */

static winnow_status read_line(reader *in, char *line, size_t length) {
    const size_t blank = strspn(line, " \t");
    if (in->line == 1 && strncmp(line, "\xef\xbb\xbf", 3) == 0)
        return WINNOW__EXPECTED(
            "the file begins with a byte order mark: expected none");
    if (strlen(line) != length)
        return WINNOW__EXPECTED("expected text, and there is a byte of 0");
    if (length != 0 && line[length - 1] == '\r')
        return WINNOW__EXPECTED(
            "the line ends with a carriage return: expected none");
    if (line[blank] == '\0' || line[blank] == '#')
        return WINNOW_OK;
    if (in->expected == ENDED)
        return WINNOW__EXPECTED("expected nothing after the end");
    return in->expected == ENTRIES ? read_body(in, line) : read_head(in, line);
}

/* The text ends with a byte of 0 after `bytes` bytes. */
static winnow_status read_lines(reader *in, char *text, size_t bytes) {
    char *const end = text + bytes;
    winnow_status status = WINNOW_OK;
    char why[320]; /* fits in a detail with the path and the line */
    memcpy(in->profile->packing, winnow__built_in.packing,
           sizeof in->profile->packing);
    while (text < end && status == WINNOW_OK) {
        char *stop = memchr(text, '\n', (size_t)(end - text));
        stop = stop != NULL ? stop : end;
        *stop = '\0';
        in->line++;
        status = read_line(in, text, (size_t)(stop - text));
        text = stop + 1;
    }
    if (status == WINNOW_OK && in->expected == ENDED)
        return WINNOW_OK;
    if (status == WINNOW_OK) {
        in->line++;
        WINNOW__EXPECTED(
            in->expected == ENTRIES
                ? "the file ends here: expected entries, and 'end %u'"
                : "the file ends here: expected the head of a profile (%u "
                  "entries so far)",
            in->lines);
    }
    snprintf(why, sizeof why, "%s", winnow_last_error());
    return winnow__fail(WINNOW_ERR_SYNTAX, "%s, line %u: %s", in->path,
                        in->line, why);
}

static winnow_status fail_to_read(const reader *in) {
    return winnow__refuse("%s: cannot be read: %s", in->path, strerror(errno));
}

/* Read the whole file. O_NONBLOCK: opening or reading a path that is not a regular
 * file must not block. */
static winnow_status read_file(const reader *in, const char *path, char *text,
                               size_t *bytes_p) {
    const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    winnow_status status = WINNOW_OK;
    struct stat about;
    size_t bytes = 0;
    ssize_t got = 1;
    if (file < 0)
        return fail_to_read(in);
    if (fstat(file, &about) != 0)
        status = fail_to_read(in);
    else if (!S_ISREG(about.st_mode))
        status = winnow__refuse("%s: is not a regular file", in->path);
    while (status == WINNOW_OK && got != 0 && bytes <= MOST_BYTES) {
        got = read(file, text + bytes, MOST_BYTES + 1 - bytes);
        if (got > 0)
            bytes += (size_t)got;
        else if (got < 0 && errno != EINTR)
            status = fail_to_read(in);
    }
    if (bytes > MOST_BYTES)
        status = winnow__fail(WINNOW_ERR_SYNTAX,
                              "%s: expected a profile, of at most %d bytes",
                              in->path, MOST_BYTES);
    close(file);
    *bytes_p = bytes;
    return status;
}

winnow_status winnow__load_profile(const winnow__cuda_context *context,
                                   winnow__tuning *tuning, const char *path) {
    reader in = {.context = context,
                 .operations = tuning->operations,
                 .reached = WINNOW__FRACTION_ONE};
    const size_t length = strlen(path), most = sizeof in.path - 4;
    char *const text = calloc(MOST_BYTES + 1, 1);
    size_t bytes = 0;
    if (text == NULL)
        return winnow__no_memory("a tuning profile");
    snprintf(in.path, sizeof in.path, "%s%s", length > most ? "..." : "",
             length > most ? path + length - most : path);
    winnow_status status = read_file(&in, path, text, &bytes);
    if (status == WINNOW_OK) {
        /* A column has at least two bytes, with the space after it. */
        in.profile =
            calloc(1, sizeof *in.profile + (bytes / (2 * COLUMNS) + 1) *
                                               sizeof in.profile->entries[0]);
        status = in.profile != NULL ? read_lines(&in, text, bytes)
                                    : winnow__no_memory("a tuning profile");
    }
    if (status == WINNOW_OK) {
        snprintf(in.profile->source, sizeof in.profile->source,
                 "%s, of %s, driver %s", in.path, in.head[DATE],
                 in.head[DRIVER]);
        /* No thread walks this list before the context ends. */
        in.profile->previous = atomic_exchange(&tuning->all, in.profile);
        atomic_store_explicit(&tuning->loaded, in.profile,
                              memory_order_release);
    } else {
        free(in.profile);
    }
    free(text);
    return status;
}
