/*
 * Pipes on several devices at once.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_PIPES_DEVICES_H
#define WINNOW_BENCH_PIPES_DEVICES_H

#include "trial.h"

/* With 1, 2, 4 devices and so on, as many as there are: copies of a range by
 * each, and pipes. */
void pipes_measure_devices(const pipes_trial *t);

#endif
