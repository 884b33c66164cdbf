/*
 * The experiments' names, for the command line.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_PIPES_NAMES_H
#define WINNOW_BENCH_PIPES_NAMES_H

/* NAME(name on the command line, function of pipes.c without pipes_) */
#define PIPES_EACH(NAME)                                                       \
    NAME("pinned", pinned)                                                     \
    NAME("pageable", pageable)                                                 \
    NAME("file", file)                                                         \
    NAME("late", late)                                                         \
    NAME("devices", devices)

#endif
