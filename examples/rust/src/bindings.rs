// What bindgen makes of winnow.h, in its own names.
//
// SPDX-License-Identifier: Apache-2.0
#![allow(dead_code, deref_nullptr, improper_ctypes)]
#![allow(non_camel_case_types, non_snake_case, non_upper_case_globals)]
include!(concat!(env!("OUT_DIR"), "/winnow.rs"));
