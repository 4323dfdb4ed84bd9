/* SPDX-License-Identifier: MIT */
/*
 * Mesh files, see mesh_file.h. Where a file really is, links resolved, must be below the folder
 * that it is looked for in, and it is opened by that path.
 */
#include "robot/mesh_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text.h"

enum { MOST_BYTES = 64 << 20 };

/* What a name leads to: a folder that it must stay in, and the path below it. */
typedef struct place {
    char *folder;
    const char *below;
} place;

static const char *type_of(const char *name)
{
    static const char *const types[] = {"stl", "obj", "dae"};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot != NULL && i < sizeof types / sizeof *types; i++) {
        if (strcasecmp(dot + 1, types[i]) == 0) {
            return types[i];
        }
    }
    return NULL;
}

/* Whether a component of the path is "..". */
static bool climbs(const char *path)
{
    for (const char *at = path; at != NULL; at = strchr(at, '/')) {
        at += *at == '/';
        if (strncmp(at, "..", 2) == 0 && (at[2] == '/' || at[2] == '\0')) {
            return true;
        }
    }
    return false;
}

static char *folder_of(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash == NULL ? text_format(".") : text_format("%.*s", (int)(slash - file) + 1, file);
}

/* The place of a name; on failure its folder is NULL, and *why says why. */
static place find_place(const mesh_places *places, const char *name, char **why)
{
    static const char scheme[] = "package://";
    if (strncmp(name, scheme, sizeof scheme - 1) != 0) {
        if (strstr(name, "://") != NULL || strncasecmp(name, "file:", 5) == 0) {
            *why = text_format("only package:// and paths beside the URDF are read");
        } else if (places->robot == NULL) {
            *why = text_format("beside what is read from standard input there is no file");
        } else {
            return (place){folder_of(places->robot), name};
        }
        return (place){NULL, NULL};
    }
    const char *package = name + sizeof scheme - 1;
    const size_t length = strcspn(package, "/");
    const char *below = package + length + (package[length] == '/');
    for (size_t i = 0; i < places->packages; i++) {
        const mesh_package *p = &places->package[i];
        if (p->name_length == length && strncmp(p->name, package, length) == 0) {
            return (place){text_format("%s", p->folder), below};
        }
    }
    if (places->robot != NULL && strncmp(package, "..", length) != 0) {
        /* a folder of that name beside the URDF */
        return (place){folder_of(places->robot), package};
    }
    *why = text_format("give its folder by --package %.*s=DIR", (int)length, package);
    return (place){NULL, NULL};
}

/* The real path of the place, NULL where it is none within its folder. */
static char *resolve(const place *at, const char *name, char **why)
{
    if (climbs(at->below) || *at->below == '/') {
        *why = text_format("it leads out of the folder");
        return NULL;
    }
    char *folder = realpath(at->folder, NULL);
    char *path = text_format("%s/%s", at->folder, at->below);
    char *real = folder != NULL ? realpath(path, NULL) : NULL;
    size_t length = folder != NULL ? strlen(folder) : 0;
    length -= length == 1; /* the root's slash is its own */
    if (real == NULL) {
        const bool package = strncmp(name, "package://", 10) == 0;
        *why = text_format("%s%s", strerror(errno),
                           package ? " (--package NAME=DIR says where a package is)" : "");
    } else if (strncmp(real, folder, length) != 0 || real[length] != '/') {
        *why = text_format("a link leads out of the folder");
        free(real);
        real = NULL;
    }
    free(folder);
    free(path);
    return real;
}

static char *base64_of(const unsigned char *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *text = allocate((size + 2) / 3 * 4 + 1, 1), *end = text;
    for (size_t i = 0; i < size; i += 3) {
        const size_t n = size - i < 3 ? size - i : 3;
        const unsigned three = (unsigned)bytes[i] << 16 |
                               (n > 1 ? (unsigned)bytes[i + 1] << 8 : 0) |
                               (n > 2 ? bytes[i + 2] : 0);
        for (size_t k = 0; k < 4; k++) {
            *end++ = k <= n ? digits[three >> (18 - 6 * k) & 63] : '=';
        }
    }
    return text;
}

/* All bytes of a regular file; NULL with *why. */
static unsigned char *read_bytes(const char *path, size_t *size, char **why)
{
    struct stat status;
    unsigned char *bytes = NULL;
    int descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0 || fstat(descriptor, &status) != 0) {
        *why = text_format("%s", strerror(errno));
    } else if (!S_ISREG(status.st_mode)) {
        *why = text_format("it is no regular file");
    } else if (status.st_size > MOST_BYTES) {
        *why = text_format("it is larger than %d MiB", MOST_BYTES >> 20);
    } else {
        bytes = allocate((size_t)status.st_size + 1, 1);
        ssize_t got = 0;
        *size = 0;
        while (*size < (size_t)status.st_size &&
               (got = read(descriptor, bytes + *size, (size_t)status.st_size - *size)) > 0) {
            *size += (size_t)got;
        }
        if (got < 0) {
            *why = text_format("%s", strerror(errno));
            free(bytes);
            bytes = NULL;
        }
    }
    if (descriptor >= 0) {
        close(descriptor);
    }
    return bytes;
}

unsigned char *mesh_file_bytes(const mesh_places *places, const char *name, const char **type,
                               size_t *size, char **path, char **why)
{
    *path = NULL;
    *type = type_of(name);
    if (*type == NULL) {
        *why = text_format("it is no STL, OBJ or COLLADA file by its name");
        return NULL;
    }
    place at = find_place(places, name, why);
    *path = at.folder != NULL ? resolve(&at, name, why) : NULL;
    unsigned char *bytes = *path != NULL ? read_bytes(*path, size, why) : NULL;
    free(at.folder);
    return bytes;
}

mesh_file mesh_file_read(const mesh_places *places, const char *name)
{
    mesh_file file = {.type = NULL};
    size_t size = 0;
    unsigned char *bytes = mesh_file_bytes(places, name, &file.type, &size, &file.path, &file.why);
    if (bytes != NULL) {
        file.base64 = base64_of(bytes, size);
    }
    free(bytes);
    return file;
}

void mesh_file_free(mesh_file *file)
{
    free(file->base64);
    free(file->why);
    free(file->path);
}
