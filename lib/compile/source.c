/*
 * Straight code: an operation of the condition's program is a few lines that
 * change `live`, the fields of a lane's items that are still kept. Constants are
 * in the kernel's argument, so that conditions that differ in these alone share
 * a kernel.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "source.h"

#include "expression/source.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char prelude[] = {
#include "lib/compile/prelude.inc"
};

enum {
    /* Bytes of a lane's registers for elements that are loaded together: 4 KiB of
     * a warp. Kernels of two columns of float64 take 58 registers for sm_90 and
     * spill none, with 256 bytes 92: half as many warps. */
    MOST_LOADED = 128,
    /* Steps of a program, and bytes of a body, that there are more than one copy
     * of: each costs time to compile. */
    LONG_PROGRAM = 16,
    LONG_BODY = 128,
    FEW_BIT_LOADS = 2, /* that are each a copy of the code */
    ITEMS = 4,         /* of a lane and a step */
    STEPS = 8,
    COLUMN_BYTES = sizeof(winnow__compiled_column),
    /* At most, of all but the expressions. */
    MOST_PROGRAM_KEY =
        16 + 6 * WINNOW__WHERE_MOST_LEAVES + 8 * WINNOW__WHERE_MOST_LEAVES +
        WINNOW__WHERE_MOST_TESTS + 3 * WINNOW__WHERE_MOST_COLUMNS,
    TEST_CONSTANTS = 4,
    NONE = 0xffff
};

/* ------------------------------------------------------------------- layout */

/* Where the argument has what: columns of the program first, and those of each
 * expression behind; tests first, and the constants of each. A column that an
 * expression reads is two: its elements and its validity. */
typedef struct layout {
    unsigned columns, constants;
    uint16_t column[WINNOW__WHERE_MOST_COLUMNS];   /* of its expression */
    uint16_t constant[WINNOW__WHERE_MOST_COLUMNS]; /* likewise */
} layout;

/* The first column of the program that is computed by the same expression. */
static unsigned first_with(const winnow__to_compile *what, unsigned column) {
    unsigned i = 0;
    while (what->computed[i].expression != what->computed[column].expression)
        i++;
    return i;
}

static bool is_first(const winnow__to_compile *what, unsigned column) {
    return what->computed[column].expression != NULL &&
           first_with(what, column) == column;
}

static layout lay_out(const winnow__to_compile *what) {
    const winnow__where_program *const program = what->program;
    layout made = {.columns = program->column_count,
                   .constants = TEST_CONSTANTS * program->tests};
    for (unsigned c = 0; c < program->column_count; c++) {
        if (!is_first(what, c))
            continue;
        made.column[c] = (uint16_t)made.columns;
        made.constant[c] = (uint16_t)made.constants;
        made.columns += 2 * what->computed[c].expression->columns;
        made.constants += what->computed[c].expression->program.constants;
    }
    return made;
}

static bool is_load_of_length(const winnow__expression *expression) {
    for (unsigned i = 0; i < expression->program.steps; i++)
        if (expression->program.step[i].code == WINNOW__LOAD_LENGTH)
            return true;
    return false;
}

/* ----------------------------------------------------------------- argument */

static unsigned bytes_of(winnow_type type) {
    return type == WINNOW_BIT ? 0 : (unsigned)winnow_type_size(type);
}

/* Can four elements be loaded as an aligned vector, or as several? */
static bool is_by_vectors(const winnow__value_column *column, unsigned bytes) {
    const unsigned vector = ITEMS * bytes < 16 ? ITEMS * bytes : 16;
    return column->access == WINNOW__VALUE_ELEMENTS &&
           column->stride == bytes && (uintptr_t)column->first % vector == 0;
}

/* A column that an expression reads. */
static const winnow__value_column *read_of(const winnow__to_compile *what,
                                           uint16_t column) {
    unsigned i = 0;
    while (what->read[i] != column)
        i++;
    return &what->read_column[i];
}

static void write_read(const winnow__to_compile *what,
                       const winnow__expression *expression,
                       winnow__compiled_args *to,
                       winnow__compiled_column *columns) {
    for (unsigned i = 0; i < expression->columns; i++) {
        const winnow__value_column *const read =
            read_of(what, expression->column[i].column);
        const winnow_type type = expression->column[i].type;
        if (type != WINNOW_BIT && !is_by_vectors(read, bytes_of(type)))
            to->by_vectors = 0;
        columns[2 * i] = (winnow__compiled_column){
            .first = read->first,
            .stride = read->stride,
            .skip = read->skip,
            .is_aligned = read->access == WINNOW__VALUE_ELEMENTS};
        columns[2 * i + 1] = (winnow__compiled_column){
            .first = read->valid, .skip = read->valid_skip};
    }
}

void winnow__write_argument(const winnow__to_compile *what,
                            winnow__compiled_args *to) {
    const winnow__where_program *const program = what->program;
    const layout of = lay_out(what);
    winnow__compiled_column *const columns =
        (winnow__compiled_column *)(to + 1);
    uint64_t *const constants = (uint64_t *)(columns + of.columns);
    to->by_vectors = 1;
    for (unsigned c = 0; c < program->column_count; c++) {
        const winnow__where_column *const from = &program->columns[c];
        const winnow__computed *const computed = &what->computed[c];
        columns[c] = (winnow__compiled_column){.first = from->first,
                                               .stride = from->stride,
                                               .skip = from->skip,
                                               .is_aligned = from->access !=
                                                             WINNOW__BY_BYTES};
        if (computed->expression == NULL &&
            (from->access == WINNOW__BY_ELEMENTS ||
             from->access == WINNOW__BY_BYTES))
            to->by_vectors = 0;
        if (!is_first(what, c))
            continue;
        write_read(what, computed->expression, to, &columns[of.column[c]]);
        memcpy(&constants[of.constant[c]],
               computed->expression->program.constant,
               computed->expression->program.constants * sizeof constants[0]);
    }
    for (unsigned t = 0; t < program->tests; t++) {
        const winnow__test *const test = &program->test[t];
        const uint64_t numbers[TEST_CONSTANTS] = {test->flip, test->mask,
                                                  test->low, test->span};
        memcpy(&constants[TEST_CONSTANTS * t], numbers, sizeof numbers);
    }
}

/* ---------------------------------------------------------------------- key */

static unsigned char *put(unsigned char *key, const void *bytes,
                          size_t number) {
    memcpy(key, bytes, number);
    return key + number;
}

/* A source: its body, names and parameters. */
static unsigned char *put_source(unsigned char *key,
                                 const winnow__expression *expression) {
    const struct winnow__expression_source *const source = expression->source;
    key = put(key, source->parameter,
              source->parameters * sizeof source->parameter[0]);
    for (unsigned i = 0; i < expression->columns + source->parameters; i++)
        key = put(key, source->name[i], strlen(source->name[i]) + 1);
    return put(key, source->body, strlen(source->body) + 1);
}

/* At most as many bytes as a key has of an expression, or of all that is none. */
static size_t most_key_of(const winnow__expression *expression) {
    size_t bytes =
        32 + sizeof expression->program.step + sizeof expression->column;
    const struct winnow__expression_source *const source = expression->source;
    if (source == NULL)
        return bytes;
    bytes += sizeof source->parameter + strlen(source->body) + 1;
    for (unsigned i = 0; i < expression->columns + source->parameters; i++)
        bytes += strlen(source->name[i]) + 1;
    return bytes;
}

/* What a test needs: bit 0 its sign, bit 1 its mask. */
static unsigned needs_of(const winnow__test *test, unsigned log2_size) {
    const uint64_t all = UINT64_MAX >> (64 - (8u << log2_size));
    return ((test->flip & all) != 0) | ((test->mask & all) != all) << 1;
}

static bool is_of_bits(const winnow__where_column *column) {
    return column->access == WINNOW__BY_BITS;
}

static unsigned size_of(const winnow__to_compile *what, unsigned column) {
    const winnow__expression *const expression =
        what->computed[column].expression;
    if (expression == NULL)
        return what->program->columns[column].log2_size;
    return expression->program.result_type == WINNOW__FLOAT32 ? 2 : 3;
}

size_t winnow__write_key(const winnow__to_compile *what, unsigned char *key) {
    const winnow__where_program *const program = what->program;
    unsigned char *at = key;
    const uint16_t numbers[] = {program->ops, program->column_count,
                                program->leaves, program->tests};
    at = put(at, numbers, sizeof numbers);
    at = put(at, program->op, program->ops * sizeof program->op[0]);
    for (unsigned l = 0; l < program->leaves; l++) {
        const winnow__where_leaf *const leaf = &program->leaf[l];
        const uint16_t of[] = {leaf->first, leaf->tests, leaf->column,
                               leaf->negated};
        at = put(at, of, sizeof of);
        for (unsigned t = 0; t < leaf->tests; t++)
            *at++ = (unsigned char)needs_of(&program->test[leaf->first + t],
                                            size_of(what, leaf->column));
    }
    for (unsigned c = 0; c < program->column_count; c++) {
        const winnow__computed *const computed = &what->computed[c];
        if (computed->expression == NULL) {
            *at++ = 0;
            *at++ = is_of_bits(&program->columns[c]);
            *at++ = program->columns[c].log2_size;
            continue;
        }
        *at++ = (unsigned char)(1 + computed->is_validity);
        *at++ = (unsigned char)first_with(what, c);
        if (!is_first(what, c))
            continue;
        const winnow__expression *const expression = computed->expression;
        const winnow__value_program *const value = &expression->program;
        const unsigned char of[] = {value->steps,     value->columns,
                                    value->constants, value->registers,
                                    value->result,    value->result_type};
        at = put(at, of, sizeof of);
        at = put(at, value->step, value->steps * sizeof value->step[0]);
        if (expression->source != NULL)
            at = put_source(at, expression);
        for (unsigned i = 0; i < expression->columns; i++)
            *at++ = (unsigned char)expression->column[i].type;
    }
    return (size_t)(at - key);
}

bool winnow__is_compilable(const winnow__to_compile *what) {
    const layout of = lay_out(what);
    size_t key = MOST_PROGRAM_KEY;
    for (unsigned c = 0; c < what->program->column_count; c++) {
        if (!is_first(what, c))
            continue;
        key += most_key_of(what->computed[c].expression);
        if (is_load_of_length(what->computed[c].expression))
            return false;
    }
    if (key > WINNOW__MOST_KEY)
        return false;
    return sizeof(winnow__compiled_args) + of.columns * COLUMN_BYTES +
               (of.constants != 0 ? of.constants : 1) * sizeof(uint64_t) <=
           WINNOW__MOST_ARGUMENT;
}

/* --------------------------------------------------------------------- text */

typedef struct text {
    char *bytes; /* NULL: there was no memory */
    size_t used, room;
} text;

static void add(text *to, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void add(text *to, const char *format, ...) {
    for (;;) {
        if (to->bytes == NULL)
            return;
        va_list arguments;
        va_start(arguments, format);
        const int length = vsnprintf(to->bytes + to->used, to->room - to->used,
                                     format, arguments);
        va_end(arguments);
        if (length >= 0 && (size_t)length < to->room - to->used) {
            to->used += (size_t)length;
            return;
        }
        char *const more = realloc(to->bytes, 2 * to->room);
        if (more == NULL)
            free(to->bytes);
        to->bytes = more;
        to->room *= 2;
    }
}

/* -------------------------------------------------------------- expressions */

static const char *const value_types[] = {[WINNOW__INT64] = "i64",
                                          [WINNOW__UINT64] = "u64",
                                          [WINNOW__FLOAT32] = "f32",
                                          [WINNOW__FLOAT64] = "f64",
                                          [WINNOW__BOOL] = "bool"};

/* What is known of each operation. */
typedef struct operation {
    const char *name;
    uint8_t a, b, result; /* types; NO_OPERAND: it has none */
    bool makes_null;
} operation;

enum {
    NO_OPERAND = 0xff
};

#define OF_LOAD(NAME, ELEMENT, RESULT)                                         \
    [WINNOW__##NAME] = {#NAME, NO_OPERAND, NO_OPERAND, WINNOW__##RESULT, false},
#define OF_OTHER_LOAD(NAME, RESULT) OF_LOAD(NAME, , RESULT)
#define OF_UNARY(NAME, A, RESULT)                                              \
    [WINNOW__##                                                                \
        NAME] = {#NAME, WINNOW__##A, NO_OPERAND, WINNOW__##RESULT, false},
#define OF_UNARY_NULL(NAME, A, RESULT)                                         \
    [WINNOW__##NAME] = {#NAME, WINNOW__##A, NO_OPERAND, WINNOW__##RESULT, true},
#define OF_BINARY(NAME, A, B, RESULT)                                          \
    [WINNOW__##                                                                \
        NAME] = {#NAME, WINNOW__##A, WINNOW__##B, WINNOW__##RESULT, false},
#define OF_BINARY_NULL(NAME, A, B, RESULT)                                     \
    [WINNOW__##                                                                \
        NAME] = {#NAME, WINNOW__##A, WINNOW__##B, WINNOW__##RESULT, true},
static const operation operations[] = {
    WINNOW__LOADS(OF_LOAD) WINNOW__OTHER_LOADS(OF_OTHER_LOAD)
        WINNOW__UNARY_OPERATIONS(OF_UNARY)
            WINNOW__UNARY_NULL_OPERATIONS(OF_UNARY_NULL)
                WINNOW__BINARY_OPERATIONS(OF_BINARY)
                    WINNOW__COMPARISONS(OF_BINARY)
                        WINNOW__BINARY_NULL_OPERATIONS(OF_BINARY_NULL)};

/* An operand, as a value of a type: the last step that wrote its register, whose
 * type may be another integer's. */
static void add_operand(text *to, const uint16_t *written, unsigned operand,
                        unsigned type, unsigned constants) {
    if (operand & WINNOW__CONSTANT_OPERAND) {
        const unsigned number = operand & ~WINNOW__CONSTANT_OPERAND;
        add(to,
            type == WINNOW__FLOAT32   ? "bits_as<f32>(u32(a.constant[%u]))"
            : type == WINNOW__FLOAT64 ? "bits_as<f64>(a.constant[%u])"
            : type == WINNOW__BOOL    ? "(a.constant[%u] != 0)"
            : type == WINNOW__INT64   ? "i64(a.constant[%u])"
                                      : "a.constant[%u]",
            constants + number);
        return;
    }
    add(to, "%s(v%u)", value_types[type], written[operand]);
}

static void add_operands(text *to, const winnow__step *step,
                         const operation *done, const uint16_t *written,
                         unsigned constants) {
    add_operand(to, written, step->a, done->a, constants);
    if (done->b == NO_OPERAND)
        return;
    add(to, ", ");
    add_operand(to, written, step->b, done->b, constants);
}

/* The type of the elements that are loaded of a column, and how a value is made
 * of one. */
static const char *element_of(winnow_type type) {
    switch (type) {
    case WINNOW_INT8:
        return "i8";
    case WINNOW_INT16:
        return "i16";
    case WINNOW_INT32:
        return "i32";
    case WINNOW_INT64:
        return "i64";
    case WINNOW_UINT8:
        return "u8";
    case WINNOW_UINT16:
    case WINNOW_FLOAT16:
    case WINNOW_BFLOAT16:
        return "u16";
    case WINNOW_UINT32:
        return "u32";
    case WINNOW_UINT64:
        return "u64";
    case WINNOW_FLOAT32:
        return "f32";
    case WINNOW_FLOAT64:
        return "f64";
    default:
        return "i128";
    }
}

/* The element of an item that was loaded of a column, as the test has it. */
static void add_element(text *to, winnow_type type, unsigned i) {
    if (type == WINNOW_FLOAT16)
        add(to, "bits_as<f32>(winnow__bits_of_float16(x%u))", i);
    else if (type == WINNOW_BFLOAT16)
        add(to, "bits_as<f32>(u32(x%u) << 16)", i);
    else if (type == WINNOW_INT128)
        add(to, "winnow__float64_of_wide(x%u.low, x%u.high)", i, i);
    else
        add(to, "x%u", i);
}

static void add_step(text *to, const winnow__to_compile *what, unsigned column,
                     const layout *of, unsigned number, uint16_t *written) {
    const winnow__value_program *const program =
        &what->computed[column].expression->program;
    const winnow__step *const step = &program->step[number];
    const operation *const done = &operations[step->code];
    if (done->makes_null) {
        add(to, "    ok &= !winnow__null_%s(", done->name);
        add_operands(to, step, done, written, of->constant[column]);
        add(to, ");\n");
    }
    add(to, "    const %s v%u = ", value_types[done->result], number);
    if (done->a != NO_OPERAND) {
        add(to, "winnow__do_%s(", done->name);
        add_operands(to, step, done, written, of->constant[column]);
        add(to, ");\n");
    } else {
        add(to, "%s(", value_types[done->result]);
        add_element(to, what->computed[column].expression->column[step->a].type,
                    step->a);
        add(to, ");\n");
    }
    written[step->to] = (uint16_t)number;
}

/* ------------------------------------------------------------------- tests */

static void add_tests(text *to, const winnow__to_compile *what,
                      const winnow__where_leaf *leaf, const char *unsigned_type,
                      const char *value) {
    const unsigned size = size_of(what, leaf->column);
    for (unsigned t = 0; t < leaf->tests; t++) {
        const unsigned needs =
            needs_of(&what->program->test[leaf->first + t], size);
        add(to, "%spasses<%s, %s, %s>(%s, a.constant + %u)",
            t == 0 ? "" : " ||\n                    ",
            needs & 1 ? "true" : "false", needs & 2 ? "true" : "false",
            unsigned_type, value, TEST_CONSTANTS * (leaf->first + t));
    }
}

/* The type of a user's function's argument, in words that no argument is called. */
static const char *argument_type(winnow_type type) {
    switch (type) {
    case WINNOW_BIT:
        return "bool";
    case WINNOW_INT8:
        return "signed char";
    case WINNOW_INT16:
        return "short";
    case WINNOW_INT32:
        return "int";
    case WINNOW_INT64:
        return "long long";
    case WINNOW_UINT8:
        return "unsigned char";
    case WINNOW_UINT16:
        return "unsigned short";
    case WINNOW_UINT32:
        return "unsigned";
    case WINNOW_UINT64:
        return "unsigned long long";
    case WINNOW_FLOAT64:
        return "double";
    default:
        return "float";
    }
}

static void add_function(text *to, const winnow__expression *expression,
                         unsigned column) {
    const struct winnow__expression_source *const source = expression->source;
    add(to, "__device__ inline bool user%u(", column);
    for (unsigned i = 0; i < expression->columns; i++)
        add(to, "%sconst %s %s", i != 0 ? ", " : "",
            argument_type(expression->column[i].type), source->name[i]);
    for (unsigned i = 0; i < source->parameters; i++)
        add(to, ", const %s %s%s", argument_type(source->parameter[i].type),
            source->parameter[i].is_pointer ? "*const " : "",
            source->name[expression->columns + i]);
    add(to, ") {\n#line 1 \"condition\"\n%s\n}\n", source->body);
}

static void add_parameter(text *to, const winnow__source_parameter *parameter,
                          unsigned constant) {
    const char *const type = element_of(parameter->type);
    if (parameter->is_pointer)
        add(to, "reinterpret_cast<const %s *>(a.constant[%u])",
            argument_type(parameter->type), constant);
    else if (parameter->type == WINNOW_FLOAT32)
        add(to, "bits_as<f32>(u32(a.constant[%u]))", constant);
    else if (parameter->type == WINNOW_FLOAT64)
        add(to, "bits_as<f64>(a.constant[%u])", constant);
    else
        add(to, "%s(a.constant[%u])", type, constant);
}

/* It is called of no item that is null or dead. */
static void add_call(text *to, const winnow__expression *expression,
                     unsigned column, unsigned first_constant) {
    const struct winnow__expression_source *const source = expression->source;
    add(to, "is_live && user%u(", column);
    for (unsigned i = 0; i < expression->columns; i++) {
        add(to, "%s", i != 0 ? ", " : "");
        add_element(to, expression->column[i].type, i);
    }
    for (unsigned i = 0; i < source->parameters; i++) {
        add(to, ", ");
        add_parameter(to, &source->parameter[i], first_constant + i);
    }
    add(to, ")");
}

static const char *const unsigned_types[] = {"u8", "u16", "u32", "u64"};

/* Does an element pass? */
static void add_plain_test(text *to, const winnow__to_compile *what,
                           const winnow__where_leaf *leaf) {
    const char *const type =
        unsigned_types[what->program->columns[leaf->column].log2_size];
    add(to, "%s x0) {\n    return ", type);
    add_tests(to, what, leaf, type, "x0");
}

/* Does an expression's value pass, or its bit; and is it none that is null? */
static void add_computed_test(text *to, const winnow__to_compile *what,
                              const winnow__where_leaf *leaf,
                              const layout *of) {
    const unsigned column = first_with(what, leaf->column);
    const winnow__expression *const expression =
        what->computed[column].expression;
    const winnow__value_program *const program = &expression->program;
    const unsigned type = program->result_type;
    uint16_t written[WINNOW__MOST_REGISTERS] = {0};
    for (unsigned i = 0; i < expression->columns; i++)
        add(to, "%s x%u, ",
            expression->column[i].type == WINNOW_BIT
                ? "bool"
                : element_of(expression->column[i].type),
            i);
    add(to, "bool is_live, bool &ok) {\n");
    for (unsigned i = 0; i < program->steps; i++)
        add_step(to, what, column, of, i, written);
    if (expression->source != NULL) {
        add(to, "    return ");
        add_call(to, expression, column, of->constant[column]);
        return;
    }
    add(to, "    const %s value = ", value_types[type]);
    add_operand(to, written, program->result, type, of->constant[column]);
    add(to, ";\n    return ");
    if (type == WINNOW__BOOL)
        add(to, "value");
    else
        add_tests(to, what, leaf, type == WINNOW__FLOAT32 ? "u32" : "u64",
                  type == WINNOW__FLOAT32   ? "bits_as<u32>(value)"
                  : type == WINNOW__FLOAT64 ? "bits_as<u64>(value)"
                                            : "u64(value)");
}

/* Can a value be null though no element is? */
static bool makes_nulls(const winnow__value_program *program) {
    for (unsigned i = 0; i < program->steps; i++)
        if (operations[program->step[i].code].makes_null)
            return true;
    return false;
}

/* A leaf's test of an item, by the leaf's number. */
static void add_test(text *to, const winnow__to_compile *what, unsigned number,
                     const layout *of) {
    const winnow__where_leaf *const leaf = &what->program->leaf[number];
    const winnow__computed *const computed = &what->computed[leaf->column];
    const bool is_computed = computed->expression != NULL;
    if (is_computed ? computed->is_validity &&
                          !makes_nulls(&computed->expression->program)
                    : is_of_bits(&what->program->columns[leaf->column]))
        return;
    add(to, "__device__ inline bool test%u(const Args &a, ", number);
    if (is_computed)
        add_computed_test(to, what, leaf, of);
    else
        add_plain_test(to, what, leaf);
    add(to, ";\n}\n");
}

/* ------------------------------------------------------------------- leaves */

/* What a leaf's test reads of items. */
typedef struct reading {
    unsigned number, columns;
    bool is_computed;
    bool is_first; /* of a whole chunk all items are live */
    bool is_long;  /* its test is: there is one copy of it */
    struct {
        const char *type; /* NULL: they are bits, of all items */
        unsigned column;  /* of the argument */
    } of[WINNOW__MOST_READ];
} reading;

/* The most steps whose elements a lane has room for. */
static unsigned steps_for(unsigned bytes) {
    unsigned steps = STEPS;
    while (steps > 1 && steps * ITEMS * bytes > MOST_LOADED)
        steps /= 2;
    return steps;
}

/* An item, number `at` of a lane's: element %index of each x. */
static void add_item(text *to, const reading *leaf, const char *index) {
    if (leaf->is_computed)
        add(to, "                bool ok = true;\n");
    add(to, "                const bool p = test%u(a", leaf->number);
    for (unsigned i = 0; i < leaf->columns; i++)
        if (leaf->of[i].type != NULL)
            add(to, ", x%u%s", i, index);
        else
            add(to, ", (b%u >> at & 1) != 0", i);
    if (leaf->is_computed)
        add(to, ", (live & valid) >> at & 1, ok");
    add(to, ");\n"
            "                pass |= u32(p) << at;\n");
    if (leaf->is_computed)
        add(to, "                valid &= ~(u32(!ok) << at);\n");
}

static void add_loads(text *to, const reading *leaf, const char *kind,
                      const char *step, const char *index, bool are_all) {
    for (unsigned i = 0; i < leaf->columns; i++)
        if (leaf->of[i].type != NULL) {
            add(to, "            load_%s(a.column[%u], first + 128 * %s, ",
                kind, leaf->of[i].column, step);
            if (are_all)
                add(to, "15");
            else
                add(to, "live >> 4 * %s & 15", step);
            add(to, ", x%u%s);\n", i, index);
        }
}

static void add_arrays(text *to, const reading *leaf, const char *size) {
    for (unsigned i = 0; i < leaf->columns; i++)
        if (leaf->of[i].type != NULL)
            add(to, "        %s x%u%s;\n", leaf->of[i].type, i, size);
}

/* Straight code for several steps, whose loads are under way together. */
static void add_steps(text *to, const reading *leaf, unsigned steps) {
    char size[32];
    snprintf(size, sizeof size, "[%u][4]", steps);
    add(to,
        "#pragma unroll 1\n"
        "    for (u32 begin = 0; begin < STEPS; begin += %u) {\n",
        steps);
    add_arrays(to, leaf, size);
    add(to,
        "#pragma unroll\n"
        "        for (u32 k = 0; k < %u; k++) {\n",
        steps);
    add_loads(to, leaf, "vectors", "(begin + k)", "[k]", leaf->is_first);
    add(to,
        "        }\n"
        "#pragma unroll\n"
        "        for (u32 k = 0; k < %u; k++) {\n"
        "#pragma unroll\n"
        "            for (u32 j = 0; j < 4; j++) {\n"
        "                const u32 at = 4 * (begin + k) + j;\n",
        steps);
    add_item(to, leaf, "[k][j]");
    add(to, "            }\n        }\n    }\n");
}

/* A loop over the items. */
static void add_items(text *to, const reading *leaf, bool are_vectors) {
    add(to, "#pragma unroll 1\n"
            "    for (u32 k = 0; k < STEPS; k++) {\n");
    add_arrays(to, leaf, "[4]");
    if (are_vectors) {
        add(to, "        if (by_vectors) {\n");
        add_loads(to, leaf, "vectors", "k", "", leaf->is_first);
        add(to, "        } else {\n");
    }
    add_loads(to, leaf, "elements", "k", "", false);
    if (are_vectors)
        add(to, "        }\n");
    add(to, "#pragma unroll 1\n"
            "        for (u32 j = 0; j < 4; j++) {\n"
            "                const u32 at = 4 * k + j;\n");
    add_item(to, leaf, "[0]");
    for (unsigned i = 0; i < leaf->columns; i++)
        if (leaf->of[i].type != NULL)
            add(to, "                shift_in(x%u, x%u[0]);\n", i, i);
    add(to, "        }\n    }\n");
}

/* `bytes`: of an item, that are loaded. */
static void add_all_items(text *to, const reading *leaf, unsigned bytes) {
    if (bytes != 0 && !leaf->is_long) {
        add(to, "    if (by_vectors) {\n");
        add_steps(to, leaf, steps_for(bytes));
        add(to, "    } else\n");
    }
    add_items(to, leaf, bytes != 0 && leaf->is_long);
}

static void add_plain_leaf(text *to, const winnow__to_compile *what,
                           unsigned number, bool is_first) {
    const winnow__where_leaf *const leaf = &what->program->leaf[number];
    const winnow__where_column *const column =
        &what->program->columns[leaf->column];
    if (is_of_bits(column)) {
        add(to, "    pass = load_bits(a.column[%u], %u, chunk, items, live);\n",
            leaf->column, leaf->first);
        return;
    }
    const reading reads = {
        .number = number,
        .columns = 1,
        .is_first = is_first,
        .of[0] = {unsigned_types[column->log2_size], leaf->column}};
    add_all_items(to, &reads, 1u << column->log2_size);
}

/* The bits that an expression reads, of the whole chunk: those of columns of
 * bits, and which items none of its elements is null of. */
static void add_bits_read(text *to, const winnow__expression *expression,
                          unsigned first_column) {
    add(to,
        "    u32 valid = ALL;\n"
        "#pragma unroll 1\n"
        "    for (u32 c = %u; c < %u; c += 2)\n"
        "        valid &= load_bits(a.column[c], 0, chunk, items, live);\n",
        first_column + 1, first_column + 2 * expression->columns);
    for (unsigned i = 0; i < expression->columns; i++)
        if (expression->column[i].type == WINNOW_BIT)
            add(to,
                "    const u32 b%u = load_bits(a.column[%u], 0, chunk, items, "
                "live);\n",
                i, first_column + 2 * i);
}

/* Is its code long? Those operations are tens of instructions, or a call. */
static bool is_long(const winnow__expression *expression) {
    static const uint8_t long_ones[] = {WINNOW__FLOOR_DIVIDE_INT64,
                                        WINNOW__FLOOR_DIVIDE_UINT64,
                                        WINNOW__FLOOR_DIVIDE_FLOAT32,
                                        WINNOW__FLOOR_DIVIDE_FLOAT64,
                                        WINNOW__REMAINDER_INT64,
                                        WINNOW__REMAINDER_UINT64,
                                        WINNOW__REMAINDER_FLOAT32,
                                        WINNOW__REMAINDER_FLOAT64,
                                        WINNOW__DIVIDE_FLOAT32,
                                        WINNOW__DIVIDE_FLOAT64,
                                        WINNOW__SQRT_FLOAT32,
                                        WINNOW__SQRT_FLOAT64,
                                        WINNOW__YEAR,
                                        WINNOW__MONTH,
                                        WINNOW__DAY,
                                        WINNOW__LOAD_INT128};
    const winnow__value_program *const program = &expression->program;
    if (expression->source != NULL)
        return strlen(expression->source->body) > LONG_BODY;
    for (unsigned i = 0; i < program->steps; i++)
        if (memchr(long_ones, program->step[i].code, sizeof long_ones) != NULL)
            return true;
    return program->steps > LONG_PROGRAM;
}

/* Of an expression: its test, and which values are null. */
static void add_computed_leaf(text *to, const winnow__to_compile *what,
                              unsigned number, bool is_first,
                              const layout *of) {
    const winnow__where_leaf *const leaf = &what->program->leaf[number];
    const unsigned column = first_with(what, leaf->column);
    const winnow__expression *const expression =
        what->computed[column].expression;
    const bool is_validity = what->computed[leaf->column].is_validity;
    reading reads = {.number = number,
                     .columns = expression->columns,
                     .is_computed = true,
                     .is_first = is_first,
                     .is_long = is_long(expression)};
    unsigned bytes = 0;
    for (unsigned i = 0; i < expression->columns; i++) {
        const winnow_type type = expression->column[i].type;
        bytes += bytes_of(type);
        reads.of[i].type = type != WINNOW_BIT ? element_of(type) : NULL;
        reads.of[i].column = of->column[column] + 2 * i;
    }
    if (is_validity && makes_nulls(&expression->program))
        add(to, "    if (__any_sync(ALL, live & ~known%u)) {\n", column);
    else
        add(to, "    {\n");
    add_bits_read(to, expression, of->column[column]);
    if (is_validity && !makes_nulls(&expression->program)) {
        add(to, "    pass = valid;\n    }\n");
        return;
    }
    add(to, "    pass = 0;\n");
    add_all_items(to, &reads, bytes);
    add(to, "    valid%u = valid;\n    known%u = live;\n    }\n", column,
        column);
    if (is_validity)
        add(to, "    pass = valid%u;\n", column);
}

/* ------------------------------------------------------------------- source */

static const winnow__where_leaf *leaf_at(const winnow__where_program *program,
                                         unsigned i) {
    return i < program->ops && program->op[i] < WINNOW__WHERE_MOST_LEAVES
               ? &program->leaf[program->op[i]]
               : NULL;
}

/* Are two leaves side by side an expression's value, and whether it is not null?
 * Then both are known of one evaluation. The one of the value; else NULL. */
static const winnow__where_leaf *pair_at(const winnow__to_compile *what,
                                         unsigned i) {
    const winnow__where_leaf *const a = leaf_at(what->program, i);
    const winnow__where_leaf *const b = leaf_at(what->program, i + 1);
    if (a == NULL || b == NULL)
        return NULL;
    const winnow__computed *const of_a = &what->computed[a->column];
    const winnow__computed *const of_b = &what->computed[b->column];
    if (of_a->expression == NULL || of_a->expression != of_b->expression ||
        of_a->is_validity == of_b->is_validity)
        return NULL;
    const winnow__where_leaf *const validity = of_a->is_validity ? a : b;
    return validity->negated ? NULL : of_a->is_validity ? b : a;
}

static void add_pair(text *to, const winnow__to_compile *what,
                     const winnow__where_leaf *leaf, bool is_first,
                     const layout *of) {
    add(to, "    pass = 0;\n");
    add_computed_leaf(to, what, (unsigned)(leaf - what->program->leaf),
                      is_first, of);
    add(to, "    live &= valid%u & %spass;\n", first_with(what, leaf->column),
        leaf->negated ? "~" : "");
}

static void add_operations(text *to, const winnow__to_compile *what,
                           const layout *of) {
    const winnow__where_program *const program = what->program;
    unsigned depth = 0;
    bool is_first = true;
    for (unsigned i = 0; i < program->ops; i++) {
        const unsigned op = program->op[i];
        if (op == WINNOW__WHERE_OPEN) {
            add(to, "    saved[%u] = live;\n", depth++);
        } else if (op == WINNOW__WHERE_CLOSE) {
            add(to, "    live = saved[%u] & ~live;\n", --depth);
        } else if (op == WINNOW__WHERE_TURN) {
            add(to, "    live = saved[%u] & ~live;\n", depth - 1);
        } else if (pair_at(what, i) != NULL) {
            add_pair(to, what, pair_at(what, i++), is_first, of);
            is_first = false;
        } else {
            const winnow__where_leaf *const leaf = &program->leaf[op];
            add(to, "    pass = 0;\n");
            if (what->computed[leaf->column].expression != NULL)
                add_computed_leaf(to, what, op, is_first, of);
            else
                add_plain_leaf(to, what, op, is_first);
            add(to,
                leaf->negated ? "    live &= ~pass;\n" : "    live &= pass;\n");
            is_first = false;
        }
    }
}

/* How many places load bits. */
static unsigned bit_loads(const winnow__to_compile *what) {
    unsigned loads = 0;
    for (unsigned l = 0; l < what->program->leaves; l++) {
        const unsigned column = what->program->leaf[l].column;
        const winnow__expression *const expression =
            what->computed[column].expression;
        if (expression == NULL)
            loads += is_of_bits(&what->program->columns[column]);
        else if (first_with(what, column) == column)
            loads += 1;
        for (unsigned i = 0; expression != NULL && i < expression->columns; i++)
            loads += expression->column[i].type == WINNOW_BIT;
    }
    return loads;
}

char *winnow__write_source(const winnow__to_compile *what) {
    const layout of = lay_out(what);
    text made = {.bytes = malloc(1 << 16), .room = 1 << 16};
    /* No macros: a body's names hide what is outside. */
    add(&made, "#define WINNOW__LOAD_BITS %s\n",
        bit_loads(what) > FEW_BIT_LOADS ? "__noinline__" : "inline");
    add(&made, "enum { COLUMNS = %u, CONSTANTS = %u };\n", of.columns,
        of.constants != 0 ? of.constants : 1);
    add(&made, "%.*s", (int)sizeof prelude, prelude);
    for (unsigned c = 0; c < what->program->column_count; c++)
        if (is_first(what, c) && what->computed[c].expression->source != NULL)
            add_function(&made, what->computed[c].expression, c);
    add(&made, "#line 1 \"winnow\"\n");
    for (unsigned l = 0; l < what->program->leaves; l++)
        add_test(&made, what, l, &of);
    add(&made,
        "__device__ inline u32 decide(const Args &a, u64 chunk, u64 items,\n"
        "                             u32 live, bool by_vectors) {\n"
        "    const u64 first = chunk + 4 * lane();\n"
        "    u32 pass = 0;\n"
        "    u32 saved[%u];\n"
        "    (void)first, (void)items, (void)saved, (void)by_vectors;\n",
        WINNOW__WHERE_DEPTH);
    for (unsigned c = 0; c < what->program->column_count; c++)
        if (is_first(what, c))
            add(&made,
                "    u32 valid%u = 0, known%u = 0;\n"
                "    (void)valid%u, (void)known%u;\n",
                c, c, c, c);
    add_operations(&made, what, &of);
    add(&made, "    return live;\n}\n");
    return made.bytes;
}
