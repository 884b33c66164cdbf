/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "type.h"

#include "status.h"

static const winnow__type_info types[] = {
    [WINNOW_INT8] = {"int8", 1, 0, 1, 0},
    [WINNOW_INT16] = {"int16", 2, 1, 1, 0},
    [WINNOW_INT32] = {"int32", 4, 2, 1, 0},
    [WINNOW_INT64] = {"int64", 8, 3, 1, 0},
    [WINNOW_UINT8] = {"uint8", 1, 0, 0, 0},
    [WINNOW_UINT16] = {"uint16", 2, 1, 0, 0},
    [WINNOW_UINT32] = {"uint32", 4, 2, 0, 0},
    [WINNOW_UINT64] = {"uint64", 8, 3, 0, 0},
    [WINNOW_FLOAT16] = {"float16", 2, 1, 0, 0x7c00},
    [WINNOW_BFLOAT16] = {"bfloat16", 2, 1, 0, 0x7f80},
    [WINNOW_FLOAT32] = {"float32", 4, 2, 0, 0x7f800000},
    [WINNOW_FLOAT64] = {"float64", 8, 3, 0, 0x7ff0000000000000},
};

const winnow__type_info *winnow__type(winnow_type type) {
    if ((int)type <= WINNOW_OPAQUE ||
        (size_t)type >= sizeof types / sizeof types[0])
        return NULL;
    return &types[type];
}

const winnow__type_info *winnow__tested_type(winnow_type type) {
    static const winnow__type_info int128 = {"int128", 16, 4, 1, 0};
    return type == WINNOW_INT128 ? &int128 : winnow__type(type);
}

/* Types that are not numbers of 1 to 8 bytes. */
static const struct {
    const char *name;
    unsigned size; /* bytes of an element; 0: it has no fixed size */
} special[] = {
    [WINNOW_OPAQUE] = {"opaque", 0},     [WINNOW_BIT] = {"bit", 0},
    [WINNOW_STRING32] = {"string32", 0}, [WINNOW_STRING64] = {"string64", 0},
    [WINNOW_VIEW] = {"view", 16},        [WINNOW_INT128] = {"int128", 16},
};

/* Does `special` contain the type? */
static bool has_special(winnow_type type) {
    return (int)type >= 0 &&
           (size_t)type < sizeof special / sizeof special[0] &&
           special[type].name != NULL;
}

bool winnow__is_special_type(winnow_type type) {
    return type != WINNOW_OPAQUE && has_special(type);
}

winnow_status winnow__fail_type(const char *argument, winnow_type type) {
    if (winnow__is_special_type(type))
        return winnow__refuse(
            "%s is %s: wanted a type of numbers of up to 8 bytes", argument,
            special[type].name);
    return winnow__refuse(
        "%s %d is no winnow_type%s", argument, (int)type,
        type == WINNOW_OPAQUE ? " of elements that can be tested" : "");
}

winnow_status winnow__check_index_type(winnow_type type, uint64_t n) {
    if (type != WINNOW_UINT32 && type != WINNOW_UINT64)
        return winnow__refuse(
            "index_type %d, %s, is neither WINNOW_UINT32 nor WINNOW_UINT64",
            (int)type, winnow_type_name(type));
    if (type == WINNOW_UINT32 && n > UINT64_C(1) << 32)
        return winnow__refuse(
            "n is %llu: its indices do not fit in WINNOW_UINT32",
            (unsigned long long)n);
    return WINNOW_OK;
}

const char *winnow_type_name(winnow_type type) {
    const winnow__type_info *info = winnow__type(type);
    return info != NULL        ? info->name
           : has_special(type) ? special[type].name
                               : "unknown";
}

size_t winnow_type_size(winnow_type type) {
    const winnow__type_info *info = winnow__type(type);
    return info != NULL        ? info->size
           : has_special(type) ? special[type].size
                               : 0;
}
