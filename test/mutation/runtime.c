/* SPDX-License-Identifier: MIT */
/*
 * Reads from the environment when the program starts:
 *
 *   TD_MUTATION_FAULT    number of the selected fault
 *   TD_MUTATION_REACHED  a file with one byte per fault, shared by all processes of a test: 1 if
 *                        the location of the fault was executed, even if the process crashes
 *   TD_MUTATION_TEST     name of the only test of a Check program that runs
 *   TD_MUTATION_NAMES    a file to which the names of its tests are appended; no test runs
 */
#include "runtime.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST = 1 << 20 };

static unsigned char nowhere[MOST];
int td_mutant = -1;
unsigned char *td_mutants_reached = nowhere;

__attribute__((constructor)) static void choose(void)
{
    const char *fault = getenv("TD_MUTATION_FAULT"), *reached = getenv("TD_MUTATION_REACHED");
    if (fault)
        td_mutant = atoi(fault);
    const int file = reached ? open(reached, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0)
        return;
    void *map = mmap(NULL, MOST, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (map != MAP_FAILED)
        td_mutants_reached = map;
    close(file);
}

int td_mutation_runs(const char *name)
{
    const char *names = getenv("TD_MUTATION_NAMES"), *test = getenv("TD_MUTATION_TEST");
    FILE *out = names ? fopen(names, "a") : NULL;
    if (out) {
        fprintf(out, "%s\n", name);
        fclose(out);
    }
    return !names && (!test || strcmp(test, name) == 0);
}
