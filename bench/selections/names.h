/*
 * The experiments' names, for the command line.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_SELECTIONS_NAMES_H
#define WINNOW_BENCH_SELECTIONS_NAMES_H

/* NAME(name on the command line, function of selections.h without selections_)
 */
#define SELECTIONS_EACH(NAME)                                                  \
    NAME("chain", chain)                                                       \
    NAME("masks", masks)                                                       \
    NAME("ranges", ranges)                                                     \
    NAME("where", where)                                                       \
    NAME("to_mask", to_mask)                                                   \
    NAME("expand", expand)                                                     \
    NAME("columns", columns)                                                   \
    NAME("records", records)                                                   \
    NAME("unique", unique)                                                     \
    NAME("segments", segments)                                                 \
    NAME("q6", q6)                                                             \
    NAME("bits", bits)                                                         \
    NAME("nullable", nullable)                                                 \
    NAME("strings", strings_packed)                                            \
    NAME("string_tests", string_tests)                                         \
    NAME("expressions", expressions)                                           \
    NAME("decimals", decimals)                                                 \
    NAME("fill_holes", fill_holes)

#endif
