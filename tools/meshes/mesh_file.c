/* SPDX-License-Identifier: MIT */
/*
 * Reads mesh files; see mesh_file.h. Files are opened by their real path.
 */
#include "meshes/mesh_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#if TOOL_HAVE_ZLIB
#include <zlib.h>
#endif

#include "output/json.h"
#include "text.h"

enum { MOST_BYTES = 64 << 20, MOST_FILES = 64 };

/* Returns the suffix of a name if it is in the list, which ends with NULL; otherwise NULL. */
static const char *suffix_of(const char *name, const char *const *suffixes)
{
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot != NULL && suffixes[i] != NULL; i++) {
        if (strcasecmp(dot + 1, suffixes[i]) == 0) {
            return suffixes[i];
        }
    }
    return NULL;
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

/* Returns the bytes compressed by gzip if that is smaller, otherwise NULL. */
static unsigned char *packed_bytes(const unsigned char *bytes, size_t size, size_t *packed_size)
{
#if TOOL_HAVE_ZLIB
    enum { GZIP = 16 + MAX_WBITS, FAST = 4, MEMORY = 8 };
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)bytes, .avail_in = (uInt)size};
    unsigned char *packed = allocate(size + 1, 1);
    stream.next_out = packed;
    stream.avail_out = (uInt)size;
    if (deflateInit2(&stream, FAST, Z_DEFLATED, GZIP, MEMORY, Z_DEFAULT_STRATEGY) == Z_OK) {
        const bool good = deflate(&stream, Z_FINISH) == Z_STREAM_END;
        *packed_size = stream.total_out;
        deflateEnd(&stream);
        if (good) {
            return packed;
        }
    }
    free(packed);
#else
    (void)bytes;
    (void)size;
    (void)packed_size;
#endif
    return NULL;
}

/* Returns the bytes of a regular file. Sets *why and returns NULL on failure. */
static unsigned char *read_bytes(const char *path, size_t *size, char **why)
{
    struct stat status;
    unsigned char *bytes = NULL;
    int descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0 || fstat(descriptor, &status) != 0) {
        *why = text_format("%s", strerror(errno));
    } else if (!S_ISREG(status.st_mode)) {
        *why = text_format("it is not a regular file");
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

mesh_file mesh_file_find(const td_file_search *places, const char *name)
{
    static const char *const types[] = {"stl", "obj", "dae", "glb", "gltf", NULL};
    mesh_file file = {.type = suffix_of(name, types)};
    if (file.type == NULL) {
        file.why = text_format("its name does not end like an STL, OBJ, COLLADA or glTF file");
        return file;
    }
    file.place = mesh_place_find(places, name);
    if (file.place.path == NULL) {
        file.why = text_format("%s", file.place.why);
    }
    return file;
}

void mesh_file_fill(mesh_file *file)
{
    if (file->why == NULL) {
        file->bytes = read_bytes(file->place.path, &file->size, &file->why);
    }
}

mesh_file mesh_file_read(const td_file_search *places, const char *name)
{
    mesh_file file = mesh_file_find(places, name);
    mesh_file_fill(&file);
    return file;
}

void mesh_file_free(mesh_file *file)
{
    free(file->bytes);
    free(file->why);
    mesh_place_free(&file->place);
}

/* ---- files that a mesh names ----------------------------------------------------------------- */

static void add_named(cJSON *files, const mesh_file *mesh, const char *text, const char *type);

/* Adds a file that a mesh names, and the files that a material library names. name does not end
   with NUL. */
static void add_file(cJSON *files, const mesh_file *mesh, const char *name, size_t length)
{
    static const char *const all[] = {"bin", "mtl", "png",  "jpg", "jpeg",
                                      "bmp", "gif", "webp", "tga", NULL};
    const char *const *suffixes = all + (strcmp(mesh->type, "gltf") != 0); /* only glTF has .bin
                                                                              files */
    while (length > 0 && strchr(" \t\r\n\"", name[length - 1]) != NULL) {
        length--;
    }
    scoped char *text = text_format("%.*s", (int)length, name);
    const char *type = suffix_of(text, suffixes);
    scoped char *path = type != NULL && cJSON_GetArraySize(files) < MOST_FILES &&
                                cJSON_GetObjectItemCaseSensitive(files, text) == NULL
                            ? mesh_place_beside(&mesh->place, text)
                            : NULL;
    size_t size = 0;
    char *why = NULL;
    scoped unsigned char *bytes = path != NULL ? read_bytes(path, &size, &why) : NULL;
    if (bytes != NULL) {
        scoped char *base64 = base64_of(bytes, size);
        cJSON_AddItemToObject(files, text, json_text(base64));
        if (strcmp(type, "mtl") == 0) {
            add_named(files, mesh, (const char *)bytes, type);
        }
    }
    free(why);
}

/* Adds the files of lines "mtllib NAME" in an OBJ file, or of lines "map_KIND NAME" in its
   materials. */
static void add_lines(cJSON *files, const mesh_file *mesh, const char *text, const char *word)
{
    for (const char *line = text; *line != '\0';) {
        line += strspn(line, " \t\r\n");
        const size_t length = strcspn(line, "\n");
        if (strncasecmp(line, word, strlen(word)) == 0) {
            const char *name = line + strcspn(line, " \t\r\n");
            name += strspn(name, " \t");
            size_t rest = (size_t)(line + length - name);
            if (*name == '-') { /* after options, the name is the last word */
                size_t last = rest - (rest > 0 && name[rest - 1] == '\r');
                while (last > 0 && name[last - 1] != ' ') {
                    last--;
                }
                name += last;
                rest -= last;
            }
            add_file(files, mesh, name, rest);
        }
        line += length;
    }
}

/* Adds the files in <init_from> elements of a COLLADA file. */
static void add_elements(cJSON *files, const mesh_file *mesh, const char *text)
{
    static const char element[] = "<init_from>";
    while ((text = strstr(text, element)) != NULL) {
        text += sizeof element - 1;
        text += strspn(text, " \t\r\n");
        add_file(files, mesh, text, strcspn(text, "<"));
    }
}

/* Returns the value of a hexadecimal digit, or -1. */
static int digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c != '\0' ? strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c) : NULL;
    return at != NULL ? (int)(at - digits) : -1;
}

/* Decodes "%20" and similar sequences in place, except "%00", which cannot be part of a name. */
static void decode_uri(char *uri)
{
    char *end = uri;
    for (const char *c = uri; *c != '\0'; c++) {
        const int high = *c == '%' ? digit(c[1]) : -1, low = high >= 0 ? digit(c[2]) : -1;
        const bool coded = low >= 0 && high + low > 0;
        *end++ = coded ? (char)(16 * high + low) : *c;
        c += coded ? 2 : 0;
    }
    *end = '\0';
}

/* Adds the external buffers and pictures of a glTF file. */
static void add_uris(cJSON *files, const mesh_file *mesh, const char *text)
{
    static const char *const lists[] = {"buffers", "images"};
    cJSON *root = cJSON_Parse(text);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const cJSON *item, *list = cJSON_GetObjectItemCaseSensitive(root, lists[i]);
        cJSON_ArrayForEach(item, list)
        {
            char *uri = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "uri"));
            if (uri != NULL && strncmp(uri, "data:", 5) != 0) {
                decode_uri(uri);
                add_file(files, mesh, uri, strlen(uri));
            }
        }
    }
    cJSON_Delete(root);
}

static void add_named(cJSON *files, const mesh_file *mesh, const char *text, const char *type)
{
    if (strcmp(type, "obj") == 0) {
        add_lines(files, mesh, text, "mtllib");
    } else if (strcmp(type, "mtl") == 0) {
        add_lines(files, mesh, text, "map_");
    } else if (strcmp(type, "dae") == 0) {
        add_elements(files, mesh, text);
    } else if (strcmp(type, "gltf") == 0) {
        add_uris(files, mesh, text);
    }
}

cJSON *mesh_file_json(const mesh_file *file)
{
    cJSON *item = cJSON_CreateObject(), *files = cJSON_CreateObject();
    size_t size = file->size;
    scoped unsigned char *packed = packed_bytes(file->bytes, file->size, &size);
    scoped char *base64 = base64_of(packed != NULL ? packed : file->bytes, size);
    cJSON_AddItemToObject(item, "type", json_text(file->type));
    cJSON_AddItemToObject(item, "base64", json_text(base64));
    if (packed != NULL) {
        cJSON_AddItemToObject(item, "gzip", cJSON_CreateTrue());
    }
    add_named(files, file, (const char *)file->bytes, file->type);
    if (files->child != NULL) {
        cJSON_AddItemToObject(item, "files", files);
    } else {
        cJSON_Delete(files);
    }
    return item;
}
