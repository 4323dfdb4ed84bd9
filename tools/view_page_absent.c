/* SPDX-License-Identifier: MIT */
/* The empty page of builds without the page of tandem view, see view_page.h. */
#include "view_page.h"

const char view_page[1] = "";

size_t view_page_size(void)
{
    return 0;
}
