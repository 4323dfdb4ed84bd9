/* SPDX-License-Identifier: MIT */
/*
 * Files and messages of targets that run the command's sources; see files.h.
 */
#include "files.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fuzz.h"
#include "text.h"

static char folder[FUZZ_PATH / 2];
static int kept[2]; /* the original standard output and error */

static void remove_folder(void)
{
    rmdir(folder);
}

void fuzz_path(char room[FUZZ_PATH], const char *name)
{
    if (*folder == '\0') {
        const char *place = getenv("TMPDIR");
        if (place == NULL || *place == '\0') /* a disk would dominate the running time */
            place = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
        const int length = snprintf(folder, sizeof folder, "%s/tandem-fuzz-XXXXXX", place);
        if (length >= (int)sizeof folder || mkdtemp(folder) == NULL)
            fuzz_fail("no temporary folder");
        atexit(remove_folder);
    }
    snprintf(room, FUZZ_PATH, "%s/%s", folder, name);
}

void fuzz_write(const char *path, const void *bytes, size_t size)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || (size > 0 && write(file, bytes, size) != (ssize_t)size) || close(file) != 0)
        fuzz_fail("%s cannot be written", path);
}

void fuzz_silence(void)
{
    static int nowhere = -1;
    static char room[BUFSIZ]; /* with NULL, setvbuf keeps the old buffer of one character */
    if (nowhere < 0) {
        nowhere = open("/dev/null", O_WRONLY);
        for (int k = 0; k < 2; k++)
            kept[k] = dup(STDOUT_FILENO + k);
        fuzz_errors = kept[1];
        setvbuf(stderr, room, _IOFBF, sizeof room);
    }
    fflush(NULL);
    dup2(nowhere, STDOUT_FILENO);
    if (getenv("TANDEM_FUZZ_LOUD") == NULL)
        dup2(nowhere, STDERR_FILENO);
}

void fuzz_restore(void)
{
    flush_output();
    restart_output();
    fflush(stderr);
    for (int k = 0; k < 2; k++)
        dup2(kept[k], STDOUT_FILENO + k);
}
