/* SPDX-License-Identifier: MIT */
/*
 * The page of tandem view without a robot, built by view/. It is in view_page.c.in or, for builds
 * without the page, in view_page_absent.c with size 0.
 */
#ifndef TOOL_VIEW_PAGE_H
#define TOOL_VIEW_PAGE_H

#include <stddef.h>

extern const char view_page[];
size_t view_page_size(void);

#endif
