/* SPDX-License-Identifier: MIT */
/*
 * Reads the bytes of a table; see table_input.h.
 */
#include "input/table_input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#if TOOL_HAVE_ZLIB
#include <zlib.h>
#endif

#include "text.h"

enum { PACKED_BYTES = 1 << 16, FIRST = 4096 };

static const unsigned char gzip_begin[] = {0x1f, 0x8b},
                           array_begin[] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

struct table_input {
    int file;
    const char *name;
    size_t done, total;
    unsigned char first[FIRST]; /* bytes that were inspected and are returned first */
    size_t first_count, first_given;
    bool array;
#if TOOL_HAVE_ZLIB
    bool packed; /* zip is in use; first holds unpacked bytes */
    bool inside; /* within a member of the gzip file */
    z_stream zip;
    unsigned char *block; /* input buffer of zip */
#endif
};

const char *table_input_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "<stdin>" : path;
}

static ssize_t complain_of(const table_input *in, const char *text)
{
    complain("%s: %s", in->name, text);
    return -1;
}

static ssize_t read_file(table_input *in, void *bytes, size_t size)
{
    ssize_t length;
    do {
        length = read(in->file, bytes, size);
    } while (length < 0 && errno == EINTR);
    in->done += length > 0 ? (size_t)length : 0;
    return length < 0 ? complain_of(in, strerror(errno)) : length;
}

/* ---- gzip ------------------------------------------------------------------------------------ */

#if TOOL_HAVE_ZLIB
static bool packed_begin(table_input *in)
{
    enum { GZIP = 16 };
    in->block = allocate(PACKED_BYTES, 1);
    memcpy(in->block, in->first, in->first_count);
    in->zip.next_in = in->block;
    in->zip.avail_in = (uInt)in->first_count;
    in->first_count = 0;
    in->packed = inflateInit2(&in->zip, MAX_WBITS + GZIP) == Z_OK;
    in->inside = true;
    return in->packed || complain_of(in, "out of memory") == 0;
}

/* Begins the next member. A gzip file may have several, and zeros after the last. */
static void next_member(table_input *in)
{
    while (in->zip.avail_in > 0 && *in->zip.next_in == 0) {
        in->zip.next_in++;
        in->zip.avail_in--;
    }
    if (in->zip.avail_in > 0) {
        in->inside = inflateReset(&in->zip) == Z_OK;
    }
}

static ssize_t packed_read(table_input *in, void *bytes, size_t size)
{
    const uInt room = size < PACKED_BYTES ? (uInt)size : PACKED_BYTES;
    in->zip.next_out = bytes;
    in->zip.avail_out = room;
    while (in->zip.avail_out == room) {
        if (in->zip.avail_in == 0) {
            const ssize_t length = read_file(in, in->block, PACKED_BYTES);
            if (length <= 0) {
                return length < 0 || !in->inside ? length
                                                 : complain_of(in, "its gzip data are cut off");
            }
            in->zip.next_in = in->block;
            in->zip.avail_in = (uInt)length;
        }
        if (!in->inside) {
            next_member(in);
            continue;
        }
        const int code = inflate(&in->zip, Z_NO_FLUSH);
        in->inside = code != Z_STREAM_END;
        if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
            return complain_of(in,
                               code == Z_MEM_ERROR ? "out of memory" : "its gzip data are damaged");
        }
    }
    return (ssize_t)(room - in->zip.avail_out);
}
#endif

/* ---- compressed or not ----------------------------------------------------------------------- */

static ssize_t read_any(table_input *in, void *bytes, size_t size)
{
#if TOOL_HAVE_ZLIB
    if (in->packed) {
        return packed_read(in, bytes, size);
    }
#endif
    return read_file(in, bytes, size);
}

/* Returns whether the input begins with the given bytes. Stops reading at the first difference,
   since further bytes may not come. Returns −1 after a message. */
static int begins_as(table_input *in, const unsigned char *what, size_t size)
{
    while (in->first_count < size && memcmp(in->first, what, in->first_count) == 0) {
        const ssize_t length = read_any(in, in->first + in->first_count, size - in->first_count);
        if (length <= 0) {
            return (int)length;
        }
        in->first_count += (size_t)length;
    }
    return memcmp(in->first, what, size) == 0;
}

static bool begin(table_input *in)
{
    int found = begins_as(in, gzip_begin, sizeof gzip_begin);
    if (found > 0) {
#if TOOL_HAVE_ZLIB
        if (!packed_begin(in)) {
            return false;
        }
#else
        complain("%s: this build cannot read gzip files (no zlib); unpack it: gzip -dc FILE | ...",
                 in->name);
        return false;
#endif
    }
    found = found < 0 ? found : begins_as(in, array_begin, sizeof array_begin);
    in->array = found > 0;
    return found >= 0;
}

table_input *table_input_open(const char *path)
{
    const bool standard = strcmp(path, "-") == 0;
    table_input *in = allocate(1, sizeof *in);
    in->name = table_input_name(path);
    in->file = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (in->file < 0) {
        complain("%s: %s", path, strerror(errno));
    } else {
        in->total =
            fstat(in->file, &status) == 0 && S_ISREG(status.st_mode) ? (size_t)status.st_size : 0;
    }
    if (in->file < 0 || !begin(in)) {
        table_input_close(in);
        return NULL;
    }
    return in;
}

void table_input_close(table_input *in)
{
    if (in == NULL) {
        return;
    }
#if TOOL_HAVE_ZLIB
    if (in->packed) {
        inflateEnd(&in->zip);
    }
    free(in->block);
#endif
    if (in->file > STDIN_FILENO) {
        close(in->file);
    }
    free(in);
}

int table_input_begins(table_input *in, int (*judge)(const char *text, size_t size))
{
    int found;
    while ((found = judge((const char *)in->first, in->first_count)) < 0 &&
           in->first_count < FIRST) {
        const ssize_t length = read_any(in, in->first + in->first_count, FIRST - in->first_count);
        if (length <= 0) {
            return (int)length;
        }
        in->first_count += (size_t)length;
    }
    return found > 0;
}

bool table_input_is_array(const table_input *in)
{
    return in->array;
}

ssize_t table_input_read(table_input *in, void *bytes, size_t size)
{
    const size_t held = in->first_count - in->first_given;
    if (held == 0) {
        return read_any(in, bytes, size);
    }
    const size_t count = held < size ? held : size;
    memcpy(bytes, in->first + in->first_given, count);
    in->first_given += count;
    return (ssize_t)count;
}

bool table_input_fill(table_input *in, void *bytes, size_t size, bool *told)
{
    for (size_t filled = 0; filled < size;) {
        const ssize_t length = table_input_read(in, (char *)bytes + filled, size - filled);
        *told = *told || length < 0;
        if (length <= 0) {
            return false;
        }
        filled += (size_t)length;
    }
    return true;
}

size_t table_input_done(const table_input *in)
{
    return in->done;
}

size_t table_input_total(const table_input *in)
{
    return in->total;
}
