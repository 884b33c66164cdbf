/*
 * Lists in the text of a condition: x in (1, 2, 3).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "operand.h"
#include "set/set.h"

#include <stdlib.h>
#include <string.h>

bool winnow__text_list_open(winnow__text *text,
                            const winnow__text_value *column,
                            const winnow__text_value *in) {
    winnow__text_list *const list = &text->list;
    if (list->is_open)
        return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED, in->span.begin,
                                 "found '%.*s' inside of a list, which has "
                                 "constants alone",
                                 WINNOW__TEXT_SHOWN(text, in->span, 20));
    list->column = *column;
    list->is_open = list->empty = true;
    list->negated = in->negative;
    list->has_null = list->equal = false;
    list->built =
        text->builder != NULL ? winnow__builder_values(text->builder) : 0;
    list->bytes = 0;
    return true;
}

static bool make_room(winnow__text *text, unsigned size) {
    winnow__text_list *const list = &text->list;
    if (list->room - list->bytes >= size)
        return true;
    const size_t room = list->room == 0 ? 256 : 2 * list->room;
    unsigned char *const values = realloc(list->values, room);
    if (values == NULL)
        return winnow__text_no_memory(text);
    list->values = values;
    list->room = room;
    return true;
}

/* Texts are copied when the list is complete. */
static bool add_text(winnow__text *text, const winnow__text_value *value) {
    winnow__text_list *const list = &text->list;
    if (value->kind != WINNOW__TEXT_STRING)
        return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED,
                                 value->span.begin,
                                 "found '%.*s', expected a text in single "
                                 "quotes: '%.*s' is of strings",
                                 WINNOW__TEXT_SHOWN(text, value->span, 60),
                                 WINNOW__TEXT_NAME(text, &list->column));
    if (list->bytes / sizeof value->right == WINNOW__TEXT_MOST_IN_LIST)
        return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED,
                                 value->span.begin,
                                 "here is one text more than the %d that a "
                                 "list can have",
                                 WINNOW__TEXT_MOST_IN_LIST);
    if (!make_room(text, sizeof value->right))
        return false;
    memcpy(list->values + list->bytes, &value->right, sizeof value->right);
    list->bytes += sizeof value->right;
    return true;
}

/* Add a number to a list in which a constant is searched. */
static bool add_to_number(winnow__text *text,
                          const winnow__text_value *number) {
    const winnow__text_value equal = {.compare = WINNOW_EQ};
    winnow__text_value compared = text->list.column;
    if (!winnow__text_compare(text, &compared, &equal, number))
        return false;
    text->list.equal |= compared.truth;
    return true;
}

/* Fail unless the value is a constant that can be compared by keys. */
static bool check_constant(winnow__text *text,
                           const winnow__text_value *value) {
    const winnow__text_value *const column = &text->list.column;
    if (!winnow__text_is_point(value) && value->kind != WINNOW__TEXT_NULL &&
        value->kind != WINNOW__TEXT_STRING)
        return winnow__text_fail(
            text, WINNOW_ERR_UNSUPPORTED, value->span.begin,
            "found '%.*s', expected a constant: write %.*s "
            "= %.*s or ...",
            WINNOW__TEXT_SHOWN(text, value->span, 60),
            WINNOW__TEXT_SHOWN(text, column->span, 60),
            WINNOW__TEXT_SHOWN(text, value->span, 60));
    return column->kind != WINNOW__TEXT_COLUMN ||
           (value->kind != WINNOW__TEXT_COMPUTED && !value->decimal) ||
           winnow__text_is_point_of(text, column, value) ||
           winnow__text_fail(
               text, WINNOW_ERR_UNSUPPORTED, value->span.begin,
               "found '%.*s' of %s, '%.*s' is of %s: write %.*s "
               "= %.*s or ...",
               WINNOW__TEXT_SHOWN(text, value->span, 60),
               value->decimal
                   ? "decimals"
                   : winnow_type_name(winnow__text_element_type(text, value)),
               WINNOW__TEXT_NAME(text, column),
               winnow__column_type_name(text, column),
               WINNOW__TEXT_SHOWN(text, column->span, 60),
               WINNOW__TEXT_SHOWN(text, value->span, 60));
}

static bool add(winnow__text *text, const winnow__text_value *number) {
    winnow__text_list *const list = &text->list;
    list->empty = false;
    if (number->kind == WINNOW__TEXT_NULL ||
        list->column.kind == WINNOW__TEXT_NULL) {
        list->has_null = true;
        return true;
    }
    if (list->column.kind == WINNOW__TEXT_NUMBER)
        return add_to_number(text, number);
    if (list->column.kind == WINNOW__TEXT_STRINGS)
        return add_text(text, number);
    winnow__text_value value = *number;
    winnow__text_take_moment(text, &list->column, &value);
    if (value.kind == WINNOW__TEXT_STRING)
        return winnow__text_fail_text(text, &list->column, number);
    const winnow__domain domain = winnow__text_domain(text, &list->column);
    winnow__point point;
    if (!winnow__text_point(text, &list->column, &value, &point))
        return false;
    const winnow__keys keys = winnow__point_keys(&point, WINNOW_EQ, &domain);
    const unsigned size = domain.type->size;
    /* No value of the column is equal to this number. */
    if (keys.low > keys.high)
        return true;
    if (list->bytes / size == WINNOW__TEXT_MOST_IN_LIST)
        return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED,
                                 number->span.begin,
                                 "here is one number more than the %d that a "
                                 "list can have",
                                 WINNOW__TEXT_MOST_IN_LIST);
    if (!make_room(text, size))
        return false;
    /* Little-endian. */
    const uint64_t bits = size == 16 ? 0 : winnow__text_bits(&domain, keys.low);
    memcpy(list->values + list->bytes,
           size == 16 ? (const void *)&keys.low : (const void *)&bits, size);
    list->bytes += size;
    return true;
}

bool winnow__text_list_add(winnow__text *text,
                           const winnow__text_value *number) {
    if (!check_constant(text, number) || !add(text, number))
        return false;
    if (text->builder != NULL)
        winnow__builder_forget(text->builder, text->list.built);
    return true;
}

static bool close_list(winnow__text *text, winnow__text_value *value) {
    winnow__text_list *const list = &text->list;
    if (list->column.kind == WINNOW__TEXT_NULL ||
        list->column.kind == WINNOW__TEXT_NUMBER) {
        *value = list->column;
        winnow__text_be_constant(value, list->equal != list->negated);
        return true;
    }
    if (list->column.kind == WINNOW__TEXT_STRINGS)
        return winnow__text_in_strings(text, value);
    const winnow__type_info *const type =
        winnow__text_type(text, &list->column);
    const uint32_t place = list->column.span.begin;
    winnow__node leaf = {.negated = list->negated};
    *value = list->column;
    if (list->empty) {
        winnow__text_be_constant(value, list->negated);
        return true;
    }
    if (type->size == 16)
        return winnow__text_in_wide(text, value);
    if (list->column.is_year) {
        bool added;
        if (!winnow__text_in_years(text, value, &added))
            return false;
        if (added)
            return winnow__text_turn(text, value, list->negated);
    }
    const winnow_status status = winnow__set_create(
        &leaf.set, &leaf.test, type, winnow__text_mask_of(text, &list->column),
        list->values, list->bytes / type->size);
    if (status != WINNOW_OK) {
        text->status = status;
        return false;
    }
    leaf.kind = leaf.set != NULL ? WINNOW__NODE_SET : WINNOW__NODE_TEST;
    return winnow__text_add_leaf(text, value, leaf, place);
}

/* If the list contains null, values that are not in it are unknown. */
bool winnow__text_list_close(winnow__text *text, winnow__text_value *value) {
    const bool negated = text->list.negated;
    text->list.is_open = false;
    if (!close_list(text, value))
        return false;
    winnow__text_value unknown = *value;
    return !text->list.has_null ||
           (winnow__text_add_unknown(text, &unknown) &&
            winnow__text_join(text,
                              negated ? WINNOW__NODE_AND : WINNOW__NODE_OR,
                              value, &unknown));
}
