/*
 * The program of a value.
 *
 * Of two operands the one that needs more registers is computed first. A loaded
 * element stays in its register for all uses. If that takes too many registers,
 * each use loads it again.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "builder.h"

#include "core/status.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* The most parts: operations, including loads, and constants. */
    MOST = WINNOW__MOST_OPERATIONS + WINNOW__MOST_CONSTANTS,
    NOWHERE = 0xff /* no register */
};

/* A value that the program needs. */
typedef struct part {
    winnow__value value;
    int16_t a, b;        /* the parts of its operands; -1: none */
    uint16_t uses, left; /* number of uses by operations; of uses that remain */
    uint16_t registers;  /* needed by a tree of its shape */
    uint8_t place;       /* a register, or NOWHERE */
} part;

typedef struct maker {
    const winnow__builder *builder;
    winnow__expression *to;
    bool reloads;
    int parts;
    part part[MOST];
    bool used[WINNOW__MOST_REGISTERS];
    winnow_status status;
} maker;

static const winnow__builder_node *node_of(const maker *m, int i) {
    return &m->builder->nodes[m->part[i].value];
}

static bool is_constant(const maker *m, int i) {
    return node_of(m, i)->code == WINNOW__IS_CONSTANT;
}

static bool is_load(const maker *m, int i) {
    return winnow__is_load(node_of(m, i)->code);
}

static void fail_limit(maker *m, unsigned most, const char *what) {
    m->status = winnow__fail_limit(most, what);
}

/* --------------------------------------------------------------------- parts */

/* The index of a value's part; -1: there are too many. */
static int part_of(maker *m, winnow__value value) {
    int i = 0;
    while (i < m->parts && m->part[i].value != value)
        i++;
    if (i == MOST) {
        fail_limit(m, WINNOW__MOST_OPERATIONS, "operations");
        return -1;
    }
    if (i == m->parts)
        m->part[m->parts++] =
            (part){.value = value, .a = -1, .b = -1, .place = NOWHERE};
    m->part[i].uses++;
    return i;
}

/* Find all parts, beginning with the result. */
static bool find_parts(maker *m, winnow__value result) {
    part_of(m, result);
    for (int i = 0; i < m->parts; i++) {
        const winnow__builder_node *const node = node_of(m, i);
        if (is_constant(m, i) || is_load(m, i))
            continue;
        if ((m->part[i].a = part_of(m, node->a)) < 0)
            return false;
        if (winnow__has_second(node->code) &&
            (m->part[i].b = part_of(m, node->b)) < 0)
            return false;
    }
    return true;
}

static unsigned registers_of(const maker *m, int i) {
    return i < 0 ? 0 : m->part[i].registers;
}

/* Compute how many registers each part needs. Operands are older than results. */
static void measure(maker *m) {
    winnow__value before = WINNOW__NO_VALUE;
    for (int done = 0; done < m->parts; done++) {
        int next = -1; /* the oldest part that was not measured */
        for (int i = 0; i < m->parts; i++)
            if ((before == WINNOW__NO_VALUE || m->part[i].value > before) &&
                (next < 0 || m->part[i].value < m->part[next].value))
                next = i;
        part *const p = &m->part[next];
        const unsigned a = registers_of(m, p->a), b = registers_of(m, p->b);
        before = p->value;
        p->registers = is_constant(m, next) ? 0
                       : a == b             ? a + 1
                       : a > b              ? a
                                            : b;
    }
}

/* ------------------------------------------------------------------ operations */

/* Add contiguous constants, as an operand; 0 if there is no room. */
static uint8_t add_constants(maker *m, const uint64_t *bits, unsigned number) {
    winnow__value_program *const program = &m->to->program;
    const size_t bytes = number * sizeof bits[0];
    unsigned i = 0;
    while (i + number <= program->constants &&
           memcmp(&program->constant[i], bits, bytes) != 0)
        i++;
    if (i + number > program->constants) {
        i = program->constants;
        if (i + number > WINNOW__MOST_CONSTANTS)
            return 0;
        memcpy(&program->constant[i], bits, bytes);
        program->constants = (uint8_t)(i + number);
    }
    return (uint8_t)(WINNOW__CONSTANT_OPERAND | i);
}

static uint8_t add_constant(maker *m, uint64_t bits) {
    const uint8_t operand = add_constants(m, &bits, 1);
    if (operand == 0)
        fail_limit(m, WINNOW__MOST_CONSTANTS, "constants");
    return operand;
}

static uint8_t add_column(maker *m, const winnow__builder_node *node) {
    winnow__expression *const to = m->to;
    unsigned i = 0;
    while (i < to->columns && to->column[i].column != node->a)
        i++;
    if (i == WINNOW__MOST_READ) {
        fail_limit(m, WINNOW__MOST_READ, "columns");
        return 0;
    }
    if (i == to->columns)
        to->column[to->columns++] =
            (winnow__expression_column){.column = (uint16_t)node->a,
                                        .type = (winnow_type)node->column_type};
    return (uint8_t)i;
}

static uint8_t take_register(maker *m) {
    unsigned i = 0;
    while (i < WINNOW__MOST_REGISTERS && m->used[i])
        i++;
    if (i == WINNOW__MOST_REGISTERS) {
        fail_limit(m, WINNOW__MOST_REGISTERS, "values at a time");
        return 0;
    }
    m->used[i] = true;
    if (i >= m->to->program.registers)
        m->to->program.registers = (uint8_t)(i + 1);
    return (uint8_t)i;
}

static bool is_reloaded(const maker *m, int i) {
    return m->reloads && is_load(m, i);
}

/* An operand was used. If no use remains, its register is free. */
static void leave(maker *m, int i, uint8_t operand) {
    if (i < 0 || is_constant(m, i))
        return;
    part *const p = &m->part[i];
    if (is_reloaded(m, i)) {
        m->used[operand] = false;
    } else if (--p->left == 0) {
        m->used[operand] = false;
        p->place = NOWHERE;
    }
}

static bool divides(unsigned code) {
    switch (code) {
        WINNOW__DIVISIONS(WINNOW__CASE)
        return true;
    default:
        return false;
    }
}

/* Can the operation make null? */
static bool makes_null(const maker *m, const part *p) {
    const winnow__builder_node *const node = &m->builder->nodes[p->value];
    if (!winnow__may_make_null(node->code))
        return false;
    if (!divides(node->code) || !is_constant(m, p->b))
        return true;
    const uint64_t by = node_of(m, p->b)->bits;
    return by == 0 || (node->code == WINNOW__FLOOR_DIVIDE_FLOAT64 ||
                               node->code == WINNOW__REMAINDER_FLOAT64
                           ? by == UINT64_C(1) << 63
                           : (node->code == WINNOW__FLOOR_DIVIDE_FLOAT32 ||
                              node->code == WINNOW__REMAINDER_FLOAT32) &&
                                 by == UINT32_C(1) << 31);
}

static uint8_t compute(maker *m, int i);

/* Is it a division by a constant? Then add the reciprocal. */
static bool becomes_quotient(maker *m, const part *p, winnow__step *step) {
    uint64_t constants[WINNOW__QUOTIENT_CONSTANTS];
    if (p->b < 0 || !is_constant(m, p->b))
        return false;
    const unsigned code = winnow__quotient_by(
        step->code, node_of(m, p->a)->code, node_of(m, p->b)->bits, constants);
    const uint8_t by =
        code != step->code
            ? add_constants(m, constants, WINNOW__QUOTIENT_CONSTANTS)
            : 0;
    if (by == 0)
        return false;
    step->code = (uint8_t)code;
    step->b = by;
    return true;
}

static void compute_operands(maker *m, const part *p, winnow__step *step) {
    uint8_t *const a = &step->a, *const b = &step->b;
    if (p->b < 0 || becomes_quotient(m, p, step)) {
        *a = compute(m, p->a);
    } else if (registers_of(m, p->b) > registers_of(m, p->a)) {
        *b = compute(m, p->b);
        *a = compute(m, p->a);
    } else {
        *a = compute(m, p->a);
        *b = compute(m, p->b);
    }
}

/* Write the operations of a part; returns its operand. Recursion is at most as
 * deep as there are parts. */
static uint8_t compute(maker *m, int i) {
    part *const p = &m->part[i];
    const winnow__builder_node *const node = node_of(m, i);
    winnow__value_program *const program = &m->to->program;
    winnow__step step = {.code = node->code};
    if (m->status != WINNOW_OK)
        return 0;
    if (is_constant(m, i))
        return add_constant(m, node->bits);
    if (p->place != NOWHERE)
        return p->place;
    if (is_load(m, i))
        step.a = add_column(m, node);
    else
        compute_operands(m, p, &step);
    if (m->status != WINNOW_OK)
        return 0;
    leave(m, p->a, step.a);
    leave(m, p->b, step.b);
    step.to = take_register(m);
    if (!is_reloaded(m, i))
        p->place = step.to;
    program->makes_nulls |= makes_null(m, p);
    if (program->steps == WINNOW__MOST_OPERATIONS)
        fail_limit(m, WINNOW__MOST_OPERATIONS, "operations");
    else
        program->step[program->steps++] = step;
    return step.to;
}

static void make_program(maker *m, bool reloads) {
    winnow__expression *const to = m->to;
    *to = (winnow__expression){.references = 1};
    m->status = WINNOW_OK;
    m->reloads = reloads;
    for (unsigned i = 0; i < WINNOW__MOST_REGISTERS; i++)
        m->used[i] = false;
    for (int i = 0; i < m->parts; i++) {
        m->part[i].left = m->part[i].uses;
        m->part[i].place = NOWHERE;
    }
    to->program.result = compute(m, 0);
    to->program.result_type = node_of(m, 0)->type;
    to->program.columns = (uint8_t)to->columns;
}

/* NULL: failed, and the builder's status is set. */
static winnow__expression *make(winnow__builder *builder, winnow__value value) {
    maker m = {.builder = builder, .status = WINNOW_OK};
    m.to = malloc(sizeof *m.to);
    if (m.to == NULL) {
        winnow__builder_no_memory(builder);
        return NULL;
    }
    if (find_parts(&m, value)) {
        measure(&m);
        make_program(&m, false);
        if (m.status != WINNOW_OK)
            make_program(&m, true);
    }
    if (m.status != WINNOW_OK) {
        builder->status = m.status;
        free(m.to);
        return NULL;
    }
    winnow__lower(&m.to->program, &m.to->host);
    return m.to;
}

/* For a node COMPARES_STRINGS. NULL: failed, and the builder's status is set. */
static winnow__expression *make_strings(winnow__builder *builder,
                                        const winnow__builder_node *node) {
    winnow__expression *const made = calloc(1, sizeof *made);
    if (made == NULL) {
        winnow__builder_no_memory(builder);
        return NULL;
    }
    made->compares_strings = true;
    made->compare = (uint8_t)node->bits;
    made->column[made->columns++] = (winnow__expression_column){
        .column = (uint16_t)node->a, .type = (winnow_type)node->column_type};
    if (node->b != node->a)
        made->column[made->columns++] =
            (winnow__expression_column){.column = (uint16_t)node->b,
                                        .type = (winnow_type)node->second_type};
    made->program.columns = (uint8_t)made->columns;
    made->program.result_type = WINNOW__BOOL;
    made->host.narrow_kind = WINNOW__OF_BOOL;
    made->references = 1;
    return made;
}

/* The place of a value's expression, or the place to put it: in place of one
 * that only the builder uses, or after the others. NULL: out of memory. */
static winnow__builder_made *find_made(winnow__builder *builder,
                                       winnow__value value) {
    winnow__builder_made *place = NULL;
    for (uint32_t i = 0; i < builder->made_number; i++) {
        winnow__builder_made *const made = &builder->made[i];
        if (made->value == value)
            return made;
        if (atomic_load(&made->expression->references) == 1)
            place = made;
    }
    if (place != NULL) {
        winnow__expression_release(place->expression);
    } else {
        if (builder->made_number == builder->made_room) {
            const uint32_t room = 2 * builder->made_room + 4;
            place = realloc(builder->made, room * sizeof *place);
            if (place == NULL)
                return NULL;
            builder->made = place;
            builder->made_room = room;
        }
        place = &builder->made[builder->made_number++];
    }
    *place = (winnow__builder_made){.value = value};
    return place;
}

winnow__expression *winnow__build_finish(winnow__builder *builder,
                                         winnow__value value) {
    if (value == WINNOW__NO_VALUE)
        return NULL;
    const winnow__builder_node *const node = &builder->nodes[value];
    winnow__builder_made *const made = find_made(builder, value);
    if (made == NULL) {
        winnow__builder_no_memory(builder);
        return NULL;
    }
    if (made->expression == NULL)
        made->expression = node->code == WINNOW__COMPARES_STRINGS
                               ? make_strings(builder, node)
                               : make(builder, value);
    if (made->expression == NULL) {
        *made = builder->made[--builder->made_number];
        return NULL;
    }
    winnow__expression_share(made->expression);
    return made->expression;
}
