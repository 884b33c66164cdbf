/*
 * The loops for elements of every size. The including file defines word_bits()
 * and word_slots() for them, and in_bucket().
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

enum {
    FEW_WANTED = 12 /* fewer items of a word are looked up one by one */
};

#define JOIN_(a, b, c) a##b##c
#define JOIN(a, b, c) JOIN_(a, b, c)
#define OF(name) JOIN(name, _, BITS)
#define ELEMENT JOIN(uint, BITS, _t)

#define BITS 8
#include "lookup_loops.h"
#define BITS 16
#include "lookup_loops.h"
#define BITS 32
#include "lookup_buckets.h"
#include "lookup_loops.h"
#define BITS 64
#include "lookup_buckets.h"
#include "lookup_loops.h"
