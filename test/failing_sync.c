/* SPDX-License-Identifier: MIT */
/*
 * Preloaded into a program: fsync fails for files or for folders, as the environment variable
 * SYNC_FAILS selects ("file", "folder"). This imitates a broken disk. A program that does not sync
 * its output would not notice (outputs.sh).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int fsync(int descriptor)
{
    const char *fails = getenv("SYNC_FAILS");
    struct stat status;
    if (fails != NULL && fstat(descriptor, &status) == 0 &&
        strcmp(fails, S_ISDIR(status.st_mode) ? "folder" : "file") == 0) {
        errno = EIO;
        return -1;
    }
    return 0;
}
