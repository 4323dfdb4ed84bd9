/* SPDX-License-Identifier: MIT */
/*
 * The locale of a thread, by POSIX 2008 or by the C library of Windows.
 */
#include "base/c_locale.h"

#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)

bool td_c_locale_begin(td_c_locale *scope)
{
    const char *name = setlocale(LC_ALL, NULL);
    scope->before = name ? _strdup(name) : NULL;
    if (!scope->before)
        return false;
    scope->configured = _configthreadlocale(_ENABLE_PER_THREAD_LOCALE);
    setlocale(LC_ALL, "C");
    return true;
}

void td_c_locale_end(td_c_locale *scope)
{
    setlocale(LC_ALL, scope->before);
    _configthreadlocale(scope->configured);
    free(scope->before);
}

#else

bool td_c_locale_begin(td_c_locale *scope)
{
    scope->own = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (scope->own == (locale_t)0)
        return false;
    scope->before = uselocale(scope->own);
    return true;
}

void td_c_locale_end(td_c_locale *scope)
{
    uselocale(scope->before);
    freelocale(scope->own);
}

#endif
