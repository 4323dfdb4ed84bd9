/* SPDX-License-Identifier: MIT */
/*
 * The textbook algorithms for one type of real, as a table named TD_TEXTBOOK (test/meson.build).
 */
#include "kernel/reference/reference.h"

#include "kernel/reference/aba.c"
#include "kernel/reference/crba.c"
#include "kernel/reference/rnea.c"

extern const td_textbook TD_TEXTBOOK;

const td_textbook TD_TEXTBOOK = {.rnea = textbook_rnea, .crba = textbook_crba, .aba = textbook_aba};
