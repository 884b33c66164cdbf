/*
 * The experiments' names, for the command line.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_SEEDS_NAMES_H
#define WINNOW_BENCH_SEEDS_NAMES_H

/* NAME(name on the command line, function of seeds.h without seeds_) */
#define SEEDS_EACH(NAME)                                                       \
    NAME("filter", filter)                                                     \
    NAME("particles", particles)                                               \
    NAME("minimum", minimum)                                                   \
    NAME("prefix-sums", prefix_sums)                                           \
    NAME("copy-atomic", copy_atomic)                                           \
    NAME("atomic-impact", atomic_impact)                                       \
    NAME("atomic-add", atomic_add)                                             \
    NAME("atomic-add-write", atomic_add_write)                                 \
    NAME("matrix-product", matrix_product)                                     \
    NAME("k-means", k_means)                                                   \
    NAME("scalar-product", scalar_product)                                     \
    NAME("string-match", string_match)

#endif
