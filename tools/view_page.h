/* SPDX-License-Identifier: MIT */
/*
 * The page of tandem view, without a robot, which view/ makes: view_page.c.in has it, or where this
 * build has none view_page_absent.c, and its size is 0.
 */
#ifndef TOOL_VIEW_PAGE_H
#define TOOL_VIEW_PAGE_H

#include <stddef.h>

extern const char view_page[];
size_t view_page_size(void);

#endif
