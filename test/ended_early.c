/* SPDX-License-Identifier: MIT */
/*
 * Preloaded into a program: kills it by a signal right after mkstemp has created a file, before the
 * program knows. The file must not remain (outputs.sh).
 */
#include <dlfcn.h>
#include <signal.h>

/* declared as in stdlib.h, which may alias one to the other */
int mkstemp(char *name);
int mkstemp64(char *name);

static int make(const char *function, char *name)
{
    int (*theirs)(char *) = NULL;
    *(void **)&theirs = dlsym(RTLD_NEXT, function);
    const int made = theirs(name);
    raise(SIGTERM);
    return made;
}

int mkstemp(char *name)
{
    return make("mkstemp", name);
}

int mkstemp64(char *name)
{
    return make("mkstemp64", name);
}
