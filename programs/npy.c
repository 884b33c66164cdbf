/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "npy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_DEPTH = 16,
    MOST_DIMENSIONS = 64, /* NumPy's limit */
    MOST_ELEMENTS = 4096, /* of a field of several elements, to name each */
    MOST_NAME = 1024
};

typedef struct parser {
    const char *text, *at, *end;
    npy_array *array;
    bool is_latin1;
    unsigned depth;
    const char *wrong; /* what is wrong at `at`; NULL: nothing yet */
} parser;

typedef struct name {
    char text[MOST_NAME];
    size_t bytes;
} name;

typedef struct shape {
    uint64_t sizes[MOST_DIMENSIONS];
    unsigned count;
} shape;

/* -------------------------------------------------------------------- tokens */

/* The first mistake is the one that is told. */
static bool wrong(parser *p, const char *what) {
    if (p->wrong == NULL)
        p->wrong = what;
    return false;
}

static void skip_space(parser *p) {
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t' ||
                              *p->at == '\n' || *p->at == '\r'))
        p->at++;
}

/* Is this character next? It is not taken. */
static bool is_next(parser *p, char c) {
    skip_space(p);
    return p->at < p->end && *p->at == c;
}

static bool take(parser *p, char c) {
    const bool is = is_next(p, c);
    if (is)
        p->at++;
    return is;
}

static bool take_word(parser *p, const char *word) {
    const size_t bytes = strlen(word);
    skip_space(p);
    if ((size_t)(p->end - p->at) < bytes || memcmp(p->at, word, bytes) != 0)
        return false;
    p->at += bytes;
    return true;
}

static bool put(parser *p, name *to, unsigned char byte) {
    if (to->bytes == MOST_NAME)
        return wrong(p, "a text of more than 1024 bytes");
    to->text[to->bytes++] = (char)byte;
    return true;
}

static bool put_code(parser *p, name *to, uint32_t code) {
    if (code == 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return wrong(p, "a character that no name can have");
    if (code < 0x80)
        return put(p, to, (unsigned char)code);
    if (code < 0x800)
        return put(p, to, (unsigned char)(0xc0 | code >> 6)) &&
               put(p, to, (unsigned char)(0x80 | (code & 63)));
    if (code < 0x10000)
        return put(p, to, (unsigned char)(0xe0 | code >> 12)) &&
               put(p, to, (unsigned char)(0x80 | (code >> 6 & 63))) &&
               put(p, to, (unsigned char)(0x80 | (code & 63)));
    return put(p, to, (unsigned char)(0xf0 | code >> 18)) &&
           put(p, to, (unsigned char)(0x80 | (code >> 12 & 63))) &&
           put(p, to, (unsigned char)(0x80 | (code >> 6 & 63))) &&
           put(p, to, (unsigned char)(0x80 | (code & 63)));
}

static int digit_of(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static bool take_escape(parser *p, name *to) {
    static const char from[] = "\\'\"ntr", means[] = "\\'\"\n\t\r";
    static const char kinds[] = "xuU";
    if (p->at == p->end)
        return wrong(p, "a text without its end");
    const char c = *p->at++;
    const char *const plain = c != '\0' ? strchr(from, c) : NULL;
    const char *const kind = c != '\0' ? strchr(kinds, c) : NULL;
    if (plain != NULL)
        return put(p, to, (unsigned char)means[plain - from]);
    if (kind == NULL)
        return wrong(p, "an escape that Python does not write");
    uint32_t code = 0;
    for (unsigned left = 2u << (kind - kinds); left != 0; left--) {
        const int digit = p->at < p->end ? digit_of(*p->at) : -1;
        if (digit < 0)
            return wrong(p, "an escape that Python does not write");
        code = 16 * code + (uint32_t)digit;
        p->at++;
    }
    return put_code(p, to, code);
}

/* A text in quotes, appended to a name. */
static bool take_text(parser *p, name *to) {
    if (!is_next(p, '\'') && !is_next(p, '"'))
        return wrong(p, "no text");
    const char quote = *p->at++;
    while (p->at < p->end && *p->at != quote) {
        const unsigned char c = (unsigned char)*p->at++;
        if (c == '\\'                ? !take_escape(p, to)
            : p->is_latin1 || c == 0 ? !put_code(p, to, c)
                                     : !put(p, to, c))
            return false;
    }
    return take(p, quote) || wrong(p, "a text without its end");
}

static bool take_number(parser *p, uint64_t *number_p) {
    uint64_t number = 0;
    skip_space(p);
    if (p->at == p->end || *p->at < '0' || *p->at > '9')
        return wrong(p, "no number");
    while (p->at < p->end && *p->at >= '0' && *p->at <= '9') {
        const uint64_t digit = (uint64_t)(*p->at - '0');
        if (number > (INT64_MAX - digit) / 10)
            return wrong(p, "a number of more than 63 bits");
        number = 10 * number + digit;
        p->at++;
    }
    if (p->at < p->end && *p->at == 'L') /* as Python 2 wrote it */
        p->at++;
    *number_p = number;
    return true;
}

/* (), (1,), (1, 2) or, of fields, 1. */
static bool take_shape(parser *p, shape *shape_p) {
    shape_p->count = 0;
    if (!take(p, '(')) {
        shape_p->count = 1;
        return take_number(p, &shape_p->sizes[0]);
    }
    while (!is_next(p, ')')) {
        if (shape_p->count == MOST_DIMENSIONS)
            return wrong(p, "more than 64 dimensions");
        if (!take_number(p, &shape_p->sizes[shape_p->count++]))
            return false;
        if (!take(p, ',') && !is_next(p, ')'))
            return wrong(p, "no comma between two dimensions");
    }
    return take(p, ')');
}

/* --------------------------------------------------------------------- types */

static bool multiply(parser *p, const shape *by, unsigned first,
                     uint64_t *product_p) {
    uint64_t product = *product_p;
    for (unsigned i = first; i < by->count; i++) {
        if (by->sizes[i] != 0 && product > INT64_MAX / by->sizes[i])
            return wrong(p, "a size of more than 63 bits");
        product *= by->sizes[i];
    }
    *product_p = product;
    return true;
}

static bool add(parser *p, const name *called, const record_field *field) {
    return record_add(&p->array->item, called->text, called->bytes, field) ||
           wrong(p, "too much for the memory");
}

/*
 * A field of several elements, whose fields are those from `first` on, and which
 * has `size` bytes for each. If that is one plain field, its elements are called
 * name0, name1 and so on; else no condition can test them.
 */
static bool repeat(parser *p, const name *called, size_t first, uint64_t size,
                   uint64_t times) {
    record *const item = &p->array->item;
    const bool is_plain = item->field_count == first + 1 &&
                          strlen(item->fields[first].name) == called->bytes &&
                          memcmp(item->fields[first].name, called->text,
                                 called->bytes) == 0 &&
                          item->fields[first].type != WINNOW_OPAQUE &&
                          times <= MOST_ELEMENTS;
    record_field field = {0};
    if (is_plain)
        field = item->fields[first];
    while (item->field_count > first) {
        item->field_count--;
        free(item->fields[item->field_count].name);
    }
    for (uint64_t i = 0; is_plain && i < times; i++) {
        name numbered = {.bytes = 0};
        const int bytes =
            snprintf(numbered.text, sizeof numbered.text, "%.*s%" PRIu64,
                     (int)called->bytes, called->text, i);
        numbered.bytes = (size_t)bytes < sizeof numbered.text
                             ? (size_t)bytes
                             : sizeof numbered.text - 1;
        if (!add(p, &numbered, &field))
            return false;
        field.offset += size;
    }
    return true;
}

static bool take_type(parser *p, const name *called, uint64_t offset,
                      uint64_t *size_p);

/* ('name', type) or ('name', type, shape); the name may be ('title', 'name'). */
static bool take_field(parser *p, const name *prefix, uint64_t offset,
                       uint64_t *size_p) {
    name called = *prefix, title = {.bytes = 0};
    const size_t first = p->array->item.field_count;
    shape times = {.count = 0};
    if (!take(p, '('))
        return wrong(p, "no field");
    if (called.bytes != 0 && !put(p, &called, '.'))
        return false;
    const size_t before = called.bytes;
    if (take(p, '(')) {
        if (!take_text(p, &title) || !take(p, ',') || !take_text(p, &called) ||
            !take(p, ')'))
            return wrong(p, "no name with a title");
    } else if (!take_text(p, &called)) {
        return false;
    }
    if (!take(p, ','))
        return wrong(p, "a field without a type");
    if (called.bytes == before) /* what NumPy leaves between fields */
        called.bytes = 0;
    if (!take_type(p, &called, offset, size_p))
        return false;
    if (take(p, ',') && !is_next(p, ')')) {
        const uint64_t size = *size_p;
        uint64_t product = 1;
        if (!take_shape(p, &times) || !multiply(p, &times, 0, &product) ||
            !multiply(p, &times, 0, size_p) ||
            !repeat(p, &called, first, size, product))
            return false;
        (void)take(p, ',');
    }
    return take(p, ')') || wrong(p, "a field without its end");
}

static bool take_fields(parser *p, const name *prefix, uint64_t offset,
                        uint64_t *size_p) {
    uint64_t all = 0;
    while (!is_next(p, ']')) {
        uint64_t size = 0;
        if (!take_field(p, prefix, offset + all, &size))
            return false;
        if (size > INT64_MAX - offset - all)
            return wrong(p, "a size of more than 63 bits");
        all += size;
        if (!take(p, ',') && !is_next(p, ']'))
            return wrong(p, "no comma between two fields");
    }
    *size_p = all;
    return take(p, ']');
}

static bool take_type(parser *p, const name *called, uint64_t offset,
                      uint64_t *size_p) {
    if (take(p, '[')) {
        if (++p->depth > MOST_DEPTH)
            return wrong(p, "fields that are nested too deeply");
        const bool taken = take_fields(p, called, offset, size_p);
        p->depth--;
        return taken;
    }
    name text = {.bytes = 0};
    record_field field;
    const char *why = NULL;
    if (!take_text(p, &text))
        return false;
    if (!record_dtype(text.text, text.bytes, &field, size_p, &why))
        return wrong(p, why);
    field.offset = offset;
    return called->bytes == 0 || add(p, called, &field);
}

/* ---------------------------------------------------------------- dictionary */

typedef struct dictionary {
    bool has_descr, has_order, has_shape;
    bool is_fortran;
    shape dimensions;
} dictionary;

static bool take_descr(parser *p, const char *field_name) {
    name called = {.bytes = strlen(field_name)};
    npy_array *const array = p->array;
    if (called.bytes > sizeof called.text)
        return wrong(p, "a name of more than 1024 bytes");
    memcpy(called.text, field_name, called.bytes);
    skip_space(p);
    if (is_next(p, '['))
        called.bytes = 0;
    const char *const start = p->at;
    if (!take_type(p, &called, 0, &array->item.bytes))
        return false;
    const size_t bytes = (size_t)(p->at - start);
    array->descr = malloc(bytes + 1);
    if (array->descr == NULL)
        return wrong(p, "too much for the memory");
    memcpy(array->descr, start, bytes);
    array->descr[bytes] = '\0';
    return true;
}

static bool take_order(parser *p, bool *is_fortran_p) {
    *is_fortran_p = take_word(p, "True");
    return *is_fortran_p || take_word(p, "False") ||
           wrong(p, "neither True nor False");
}

static bool take_entry(parser *p, dictionary *of, const char *field_name) {
    name key = {.bytes = 0};
    if (!take_text(p, &key))
        return false;
    if (!take(p, ':'))
        return wrong(p, "a key without a value");
    bool *has = NULL;
    if (key.bytes == 5 && memcmp(key.text, "descr", 5) == 0)
        has = &of->has_descr;
    else if (key.bytes == 13 && memcmp(key.text, "fortran_order", 13) == 0)
        has = &of->has_order;
    else if (key.bytes == 5 && memcmp(key.text, "shape", 5) == 0)
        has = &of->has_shape;
    if (has == NULL || *has)
        return wrong(p, "a key that is unknown or there twice");
    *has = true;
    return has == &of->has_descr   ? take_descr(p, field_name)
           : has == &of->has_order ? take_order(p, &of->is_fortran)
                                   : take_shape(p, &of->dimensions);
}

static bool take_dictionary(parser *p, dictionary *of, const char *field_name) {
    if (!take(p, '{'))
        return wrong(p, "no dictionary");
    while (!is_next(p, '}')) {
        if (!take_entry(p, of, field_name))
            return false;
        if (!take(p, ',') && !is_next(p, '}'))
            return wrong(p, "no comma between two entries");
    }
    (void)take(p, '}');
    skip_space(p);
    if (p->at != p->end)
        return wrong(p, "something behind the dictionary");
    if (!of->has_descr || !of->has_order || !of->has_shape)
        return wrong(p, "not all of 'descr', 'fortran_order' and 'shape'");
    return true;
}

/* The rows of an array of several dimensions are its elements. */
static bool take_rows(parser *p, const dictionary *of, const char *field_name) {
    const shape *const dimensions = &of->dimensions;
    npy_array *const array = p->array;
    const uint64_t size = array->item.bytes;
    uint64_t row = 1, all = 0;
    size_t tail = 0;
    if (dimensions->count == 0)
        return wrong(p, "an array of no dimension: a single number");
    array->items = dimensions->sizes[0];
    if (!multiply(p, dimensions, 1, &row) ||
        !multiply(p, dimensions, 1, &array->item.bytes))
        return false;
    all = array->item.bytes;
    if (!multiply(p, &(shape){.sizes = {array->items}, .count = 1}, 0, &all))
        return false;
    if (of->is_fortran && row > 1 && array->items > 1)
        return wrong(p, "an array in Fortran's order, whose rows are not "
                        "contiguous");
    for (unsigned i = 1; i < dimensions->count; i++) {
        const int bytes =
            snprintf(array->tail + tail, sizeof array->tail - tail,
                     ", %" PRIu64, dimensions->sizes[i]);
        tail += (size_t)bytes;
        if (tail >= sizeof array->tail)
            return wrong(p, "too many dimensions");
    }
    name called = {.bytes = strlen(field_name)};
    memcpy(called.text, field_name, called.bytes);
    return dimensions->count == 1 || repeat(p, &called, 0, size, row);
}

unsigned npy_length_bytes(const unsigned char *magic, unsigned *version_p) {
    if (memcmp(magic, "\x93NUMPY", 6) != 0 || magic[6] < 1 || magic[6] > 3 ||
        magic[7] != 0)
        return 0;
    *version_p = magic[6];
    return magic[6] == 1 ? 2 : 4;
}

bool npy_parse(npy_array *array_p, unsigned version, const char *text,
               size_t bytes, const char *field_name, char *why,
               size_t why_bytes) {
    dictionary of = {.has_descr = false};
    *array_p = (npy_array){.version = version};
    parser p = {.text = text,
                .at = text,
                .end = text + bytes,
                .array = array_p,
                .is_latin1 = version < 3};
    if (take_dictionary(&p, &of, field_name) && take_rows(&p, &of, field_name))
        return true;
    snprintf(why, why_bytes, "its header has %s, at byte %td", p.wrong,
             p.at - p.text);
    npy_clear(array_p);
    return false;
}

void npy_clear(npy_array *array) {
    free(array->descr);
    record_clear(&array->item);
    *array = (npy_array){0};
}

/* ------------------------------------------------------------------- writing */

char *npy_write(const npy_array *like, uint64_t n, size_t bytes,
                size_t *bytes_p) {
    const size_t text_bytes = strlen(like->descr) + strlen(like->tail) +
                              100; /* with what is around */
    const size_t most = text_bytes + bytes + 128;
    char *const made = malloc(most);
    if (made == NULL)
        return NULL;
    unsigned version = like->version;
    if (version == 1 && text_bytes + bytes > UINT16_MAX - 128)
        version = 2;
    const size_t start = NPY_MAGIC_BYTES + (version == 1 ? 2 : 4);
    size_t end =
        start + (size_t)snprintf(
                    made + start, most - start,
                    "{'descr': %s, 'fortran_order': False, 'shape': "
                    "(%" PRIu64 "%s), }",
                    like->descr, n, like->tail[0] != '\0' ? like->tail : ",");
    size_t whole = end + 1 > bytes ? end + 1 : bytes;
    whole = (whole + 63) / 64 * 64;
    memset(made + end, ' ', whole - end);
    made[whole - 1] = '\n';
    memcpy(made, "\x93NUMPY", 6);
    made[6] = (char)version;
    made[7] = 0;
    for (size_t i = NPY_MAGIC_BYTES; i < start; i++)
        made[i] = (char)((whole - start) >> 8 * (i - NPY_MAGIC_BYTES) & 255);
    *bytes_p = whole;
    return made;
}
