/*
 * The profiles that are built in. Their shapes are those of
 * kernels/copy/shapes.h, by the size of the input, with limits that follow the
 * number of multiprocessors.
 *
 * An entry of its own belongs here where another strategy or shape was measured
 * to be faster by 3% or more, in the median over the patterns of the data, and
 * with the kernels as they are. Of the H200's record (bench/NOTES.md, "The
 * choice") there is none.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile.h"

#include <string.h>

#define ALL_BY_SIZE(STRATEGY)                                                  \
    {                                                                          \
        .from = 1, .to = UINT64_MAX, .number = 1, .candidates = {              \
            {STRATEGY, WINNOW__SHAPE_COUNT, WINNOW__WHOLE}                     \
        }                                                                      \
    }

static const winnow__entry unordered = ALL_BY_SIZE(WINNOW_TILE_AGGREGATED);
static const winnow__entry stable = ALL_BY_SIZE(WINNOW_TILE_SCAN);

#define EACH_SIZE(ENTRY)                                                       \
    {                                                                          \
        {1, &ENTRY}, {1, &ENTRY}, {1, &ENTRY}, {                               \
            1, &ENTRY                                                          \
        }                                                                      \
    }
#define EACH_ORDER                                                             \
    {                                                                          \
        [WINNOW_UNORDERED] = EACH_SIZE(unordered), [WINNOW_STABLE] =           \
                                                       EACH_SIZE(stable)       \
    }

/* Measured on an H200 (bench/SELECTIONS.md), but for what is staged out of
 * step, which elements of 4 and 8 bytes never are. */
#define PACKING                                                                \
    {                                                                          \
        {WINNOW__WHOLE / 16, WINNOW__WHOLE / 4},                               \
            {WINNOW__WHOLE / 16, WINNOW__WHOLE},                               \
            {WINNOW__WHOLE / 16, WINNOW__WHOLE}, {                             \
            WINNOW__WHOLE / 4, WINNOW__WHOLE                                   \
        }                                                                      \
    }
#define HAS_PACKING                                                            \
    { true, true, true, true }

static const struct {
    const char *device; /* its name; NULL: any */
    winnow__profile profile;
} profiles[] = {
    {"NVIDIA H200",
     {.source = "built in, measured on an NVIDIA H200",
      .entries = {[WINNOW__TUNED_COPY_IF] = EACH_ORDER,
                  [WINNOW__TUNED_COPY_INDEX_IF] = EACH_ORDER},
      .packing = PACKING,
      .has_packing = HAS_PACKING}},
    {NULL,
     {.source = "built in, for any device: scaled from an NVIDIA H200 by the "
                "number of multiprocessors",
      .entries = {[WINNOW__TUNED_COPY_IF] = EACH_ORDER,
                  [WINNOW__TUNED_COPY_INDEX_IF] = EACH_ORDER},
      .packing = PACKING,
      .has_packing = HAS_PACKING}},
};

const winnow__profile *
winnow__built_in_profile(const winnow__device_identity *device) {
    size_t i = 0;
    while (profiles[i].device != NULL &&
           strcmp(profiles[i].device, device->name) != 0)
        i++;
    return &profiles[i].profile;
}
