/*
 * Random and mutated headers for npy_parse(): whatever they are, it takes them
 * or says what is wrong, and what it takes has fields within its elements, and
 * is the same when it is written and read again.
 *
 * usage: fuzz_npy [HEADERS [SEED]]
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/fuzz/npy_use.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static uint64_t seed;
static unsigned long failed;

static uint64_t next(void) {
    seed += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t x = seed;
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static unsigned below(size_t most) {
    return (unsigned)(next() % most);
}

static void wrong(const char *what, const char *text, size_t bytes) {
    failed++;
    printf("WRONG: %s: ", what);
    fwrite(text, 1, bytes, stdout);
    putchar('\n');
}

/* ------------------------------------------------------------- known headers */

/* As NumPy 2.4 writes them, and what they mean. `fields`: name, offset, type. */
static const struct {
    const char *text;
    uint64_t items, bytes;
    const char *tail, *fields;
} right[] = {
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }  \n", 3, 4, "",
     "x 0 float32;"},
    {"{'descr': '<f8', 'fortran_order': True, 'shape': (3,), }", 3, 8, "",
     "x 0 float64;"},
    {"{'descr': '>i4', 'fortran_order': False, 'shape': (3L,), }", 3, 4, "",
     "x 0 opaque;"},
    {"{'descr': '|b1', 'fortran_order': False, 'shape': (0,), }", 0, 1, "",
     "x 0 uint8;"},
    {"{\"shape\":(2,3),\"fortran_order\":False,\"descr\":\"<u2\"}", 2, 6, ", 3",
     "x0 0 uint16;x1 2 uint16;x2 4 uint16;"},
    {"{'descr': '<U5', 'fortran_order': False, 'shape': (7,), }", 7, 20, "",
     "x 0 opaque;"},
    {"{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (7,), }", 7, 8, "",
     "x 0 int64 tsn:;"},
    {"{'descr': '<m8[25us]', 'fortran_order': False, 'shape': (7,), }", 7, 8,
     "", "x 0 int64;"},
    {"{'descr': [('k', '|u1'), ('', '|V3'), ('v', '<f4'), ('p', '<f2', (2,)), "
     "(('a title', 'n'), [('q', '<i2'), ('s', '|S3')]), ('m', [('a', '<i4')], "
     "(2,))], 'fortran_order': False, 'shape': (9,), }",
     9, 25, "",
     "k 0 uint8;v 4 float32;p0 8 float16;p1 10 float16;n.q 12 int16;n.s 14 "
     "opaque;"},
    {"{'descr': [('it\\'s \\u20ac', '<i8')], 'fortran_order': False, 'shape': "
     "(9,), }",
     9, 8, "", "it's \xe2\x82\xac 0 int64;"},
};

static const char *const refused[] = {
    "",
    "{}",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (), }",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)} x",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (3 4)}",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (-3,)}",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (3.5,)}",
    "{'descr': '<f4', 'fortran_order': 0, 'shape': (3,)}",
    "{'descr': '<f4', 'fortran_order': True, 'shape': (3, 2)}",
    "{'descr': '<f4', 'fortran_order': False}",
    "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (3,)}",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), 'more': 1}",
    "{'descr': '|O', 'fortran_order': False, 'shape': (3,)}",
    "{'descr': 'f4', 'fortran_order': False, 'shape': (3,)}",
    "{'descr': '<f', 'fortran_order': False, 'shape': (3,)}",
    "{'descr': '<q8', 'fortran_order': False, 'shape': (3,)}",
    "{'descr': '<f4x', 'fortran_order': False, 'shape': (3,)}",
    "{'descr': [('a', '<f4'], 'fortran_order': False, 'shape': (3,)}",
    "{'descr': [('a\\x00', '<f4')], 'fortran_order': False, 'shape': (3,)}",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775808,)}",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807,)}",
    "{'descr':'<f4','fortran_order':False,'shape':(4294967296,4294967296)}",
};

static void describe(const npy_array *array, char *to, size_t bytes) {
    size_t at = 0;
    to[0] = '\0';
    for (size_t f = 0; f < array->item.field_count && at < bytes; f++) {
        const record_field *const field = &array->item.fields[f];
        at += (size_t)snprintf(to + at, bytes - at, "%s %" PRIu64 " %s%s%s;",
                               field->name, field->offset,
                               winnow_type_name(field->type),
                               field->format != NULL ? " " : "",
                               field->format != NULL ? field->format : "");
    }
}

static void try_known(void) {
    npy_array array;
    char why[256], fields[512];
    for (size_t i = 0; i < COUNT(right); i++) {
        const char *const text = right[i].text;
        if (!npy_parse(&array, 3, text, strlen(text), "x", why, sizeof why)) {
            wrong(why, text, strlen(text));
            continue;
        }
        describe(&array, fields, sizeof fields);
        if (array.items != right[i].items ||
            array.item.bytes != right[i].bytes ||
            strcmp(array.tail, right[i].tail) != 0 ||
            strcmp(fields, right[i].fields) != 0)
            wrong(fields, text, strlen(text));
        npy_clear(&array);
    }
    for (size_t i = 0; i < COUNT(refused); i++)
        if (npy_parse(&array, 1, refused[i], strlen(refused[i]), "x", why,
                      sizeof why)) {
            wrong("it is taken", refused[i], strlen(refused[i]));
            npy_clear(&array);
        }
}

/* ------------------------------------------------------------ random headers */

static const char *const pieces[] = {"{",
                                     "}",
                                     "[",
                                     "]",
                                     "(",
                                     ")",
                                     ",",
                                     ":",
                                     "'",
                                     "\"",
                                     "\\",
                                     "\\x41",
                                     "\\u20",
                                     "\\U0010ffff",
                                     "'descr'",
                                     "'shape'",
                                     "'fortran_order'",
                                     "True",
                                     "False",
                                     "'<f4'",
                                     "'>i8'",
                                     "'|S7'",
                                     "'|V0'",
                                     "('a', ",
                                     "(('t', 'a'), ",
                                     "0",
                                     "1",
                                     "(2,)",
                                     "65536",
                                     "9223372036854775807",
                                     "\xff",
                                     "\n"};

static size_t mutate(char *text, size_t bytes, size_t most) {
    for (unsigned left = 1 + below(2); left != 0; left--) {
        const size_t at = below(bytes + 1);
        const char *const piece = pieces[below(COUNT(pieces))];
        const size_t long_ = strlen(piece);
        switch (below(4)) {
        case 0: /* another byte */
            if (at < bytes)
                text[at] = (char)next();
            break;
        case 1: /* bytes go */
            if (at < bytes) {
                const size_t gone = 1 + below(bytes - at < 8 ? bytes - at : 8);
                memmove(text + at, text + at + gone, bytes - at - gone);
                bytes -= gone;
            }
            break;
        case 2: /* a piece comes */
            if (bytes + long_ <= most) {
                memmove(text + at + long_, text + at, bytes - at);
                memcpy(text + at, piece, long_);
                bytes += long_;
            }
            break;
        default: /* a part comes twice */
            if (at < bytes) {
                const size_t more = 1 + below(bytes - at);
                if (bytes + more <= most) {
                    memmove(text + at + more, text + at, bytes - at);
                    bytes += more;
                }
            }
            break;
        }
    }
    return bytes;
}

static unsigned long try_random(unsigned long count) {
    static char text[4096];
    unsigned long taken = 0;
    char why[256];
    npy_array array;
    for (unsigned long i = 0; i < count; i++) {
        const char *const from = right[below(COUNT(right))].text;
        size_t bytes = strlen(from);
        memcpy(text, from, bytes);
        bytes = mutate(text, bytes, sizeof text);
        /* At its own end, so that a detector sees a read behind it. */
        char *const exact = malloc(bytes + (bytes == 0));
        if (exact == NULL)
            exit(1);
        memcpy(exact, text, bytes);
        if (npy_parse(&array, 1 + below(3), exact, bytes, "x", why,
                      sizeof why)) {
            const char *const why_not = fuzz_npy_use(&array, 1 + below(300));
            if (why_not != NULL)
                wrong(why_not, text, bytes);
            npy_clear(&array);
            taken++;
        } else if (array.descr != NULL || array.item.fields != NULL) {
            wrong("something is left", text, bytes);
        }
        free(exact);
    }
    return taken;
}

int main(int argc, char **argv) {
    const unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 0) : 20000;
    seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    try_known();
    const unsigned long taken = try_random(count);
    printf("%lu headers, of which %lu were taken\n", count, taken);
    if (taken == 0)
        puts("WRONG: none was taken");
    return failed != 0 || taken == 0;
}
