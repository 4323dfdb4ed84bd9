/* SPDX-License-Identifier: MIT */
/*
 * Runs a fuzz target without libFuzzer: first on all given files and all files in given folders,
 * then on random mutations of them. The same seed and files give the same inputs.
 *
 *   fuzz_TARGET [--runs N] [--seconds S] [--seed K] [--dict FILE] [--keep FILE] FILE_OR_FOLDER...
 *
 * --keep writes each input to FILE before it runs, so that the input of a crash is known. Prints
 * TAP with one line for all inputs together; after a crash that line is missing.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"

enum { MOST_BYTES = 1 << 16, MOST_CHANGES = 6 };

typedef struct input {
    uint8_t *bytes;
    size_t size;
} input;

typedef struct inputs {
    input *at;
    size_t count;
} inputs;

static uint64_t state;

static size_t draw(size_t count)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return count > 0 ? (size_t)((state * 0x2545f4914f6cdd1du) >> 33) % count : 0;
}

static void add(inputs *all, const uint8_t *bytes, size_t size)
{
    input *grown = realloc(all->at, (all->count + 1) * sizeof *grown);
    uint8_t *copy = malloc(size + 1);
    if (grown == NULL || copy == NULL)
        abort();
    memcpy(copy, bytes, size);
    copy[size] = 0;
    all->at = grown;
    all->at[all->count++] = (input){copy, size};
}

static void read_file(inputs *all, const char *path)
{
    static uint8_t buffer[MOST_BYTES + 1];
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        exit(2);
    }
    const size_t size = fread(buffer, 1, sizeof buffer, file);
    fclose(file);
    if (size <= MOST_BYTES) /* mutating longer files takes too long */
        add(all, buffer, size);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void read_path(inputs *all, const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode)) {
        read_file(all, path);
        return;
    }
    struct dirent **entry;
    const int count = scandir(path, &entry, NULL, by_name);
    if (count < 0) {
        perror(path);
        exit(2);
    }
    for (int i = 0; i < count; i++) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, entry[i]->d_name);
        if (stat(name, &status) == 0 && S_ISREG(status.st_mode))
            read_file(all, name);
        free(entry[i]);
    }
    free(entry);
}

/* Reads a libFuzzer dictionary: one double-quoted string per line, with \xHH for other bytes. */
static void read_words(inputs *words, const char *path)
{
    char line[512];
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        perror(path);
        exit(2);
    }
    while (fgets(line, sizeof line, file) != NULL) {
        uint8_t word[sizeof line];
        size_t size = 0;
        const char *c = strchr(line, '"');
        for (c = c != NULL && *line != '#' ? c + 1 : ""; *c != '\0' && *c != '"'; c++) {
            unsigned code;
            if (*c == '\\' && sscanf(c, "\\x%2x", &code) == 1) {
                word[size++] = (uint8_t)code;
                c += 3;
            } else {
                c += *c == '\\' && c[1] != '\0';
                word[size++] = (uint8_t)*c;
            }
        }
        if (size > 0)
            add(words, word, size);
    }
    fclose(file);
}

/* Replaces count bytes at an offset with other bytes. */
static void replace(input *to, size_t at, size_t count, const uint8_t *bytes, size_t size)
{
    if (to->size - count + size > MOST_BYTES)
        return;
    memmove(to->bytes + at + size, to->bytes + at + count, to->size - at - count);
    if (size > 0)
        memcpy(to->bytes + at, bytes, size);
    to->size = to->size - count + size;
}

/* Finds the first number or word at or after an offset. Moves *at to its start and returns its
   length. */
static size_t word_at(const input *in, size_t *at)
{
    static const char inside[] =
        "0123456789+-.eEabcdfghijklmnopqrstuvwxyz_ABCDFGHIJKLMNOPQRSTUVWXYZ";
    while (*at < in->size && (in->bytes[*at] == 0 || strchr(inside, in->bytes[*at]) == NULL))
        ++*at;
    size_t end = *at;
    while (end < in->size && in->bytes[end] != 0 && strchr(inside, in->bytes[end]) != NULL)
        end++;
    return end - *at;
}

/* Mutates an input once. words_alone replaces words and numbers only, so that text stays
   well-formed. */
static void change(input *to, const inputs *files, const inputs *words, bool words_alone)
{
    static const char *const numbers[] = {"0",
                                          "1",
                                          "-1",
                                          "2",
                                          "1e308",
                                          "-1e308",
                                          "1e-308",
                                          "nan",
                                          "inf",
                                          "1e9",
                                          "1e-9",
                                          "0.5",
                                          "3.14",
                                          "65536",
                                          "-0",
                                          "1e400",
                                          "99999999999999999999",
                                          "1.5707963267948966"};
    size_t at = draw(to->size + 1);
    const size_t left = to->size - at;
    uint8_t byte = (uint8_t)draw(256);
    const input *other = &files->at[draw(files->count)];
    switch (words_alone ? 5 + draw(3) : draw(9)) {
    case 0:
        if (left > 0)
            to->bytes[at] ^= (uint8_t)(1u << draw(8));
        break;
    case 1:
        replace(to, at, left > 0, &byte, 1);
        break;
    case 2:
        replace(to, at, draw(left < 40 ? left + 1 : 40), NULL, 0);
        break;
    case 3: { /* copies a piece to another offset */
        const size_t from = draw(to->size + 1),
                     size = draw(to->size - from < 200 ? to->size - from + 1 : 200);
        uint8_t piece[200];
        memcpy(piece, to->bytes + from, size);
        replace(to, at, 0, piece, size);
        break;
    }
    case 4: { /* inserts a piece of another file */
        const size_t from = draw(other->size + 1);
        replace(to, at, draw(left < 200 ? left + 1 : 200), other->bytes + from,
                draw(other->size - from < 400 ? other->size - from + 1 : 400));
        break;
    }
    case 5:
    case 6: { /* replaces a number or word by another */
        const size_t size = word_at(to, &at);
        const bool known = words->count > 0 && draw(2) > 0;
        const char *number = numbers[draw(sizeof numbers / sizeof *numbers)];
        const input *word = known ? &words->at[draw(words->count)] : NULL;
        replace(to, at, size, word ? word->bytes : (const uint8_t *)number,
                word ? word->size : strlen(number));
        break;
    }
    case 7: { /* replaces a word by another of this input */
        size_t from = draw(to->size + 1);
        const size_t taken = word_at(to, &from), size = word_at(to, &at);
        uint8_t word[64];
        if (taken <= sizeof word) {
            memcpy(word, to->bytes + from, taken);
            replace(to, at, size, word, taken);
        }
        break;
    }
    default:
        if (words->count > 0) {
            const input *word = &words->at[draw(words->count)];
            replace(to, at, 0, word->bytes, word->size);
        }
    }
}

static void run(const input *in, const char *keep)
{
    if (keep != NULL) {
        const int file = open(keep, O_WRONLY | O_CREAT | O_TRUNC, 0666);
        if (file < 0 || write(file, in->bytes, in->size) != (ssize_t)in->size) {
            perror(keep);
            exit(2);
        }
        close(file);
    }
    /* a copy of exact size lets sanitizers detect reads beyond its end */
    uint8_t *copy = malloc(in->size > 0 ? in->size : 1);
    if (copy == NULL)
        abort();
    memcpy(copy, in->bytes, in->size);
    LLVMFuzzerTestOneInput(copy, in->size);
    free(copy);
}

int main(int argc, char **argv)
{
    inputs files = {0}, words = {0};
    unsigned long runs = 0;
    double seconds = 1e9;
    const char *keep = NULL;
    state = 1;
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--runs") == 0)
            runs = strtoul(value, NULL, 10);
        else if (strcmp(argv[i], "--seconds") == 0)
            seconds = strtod(value, NULL);
        else if (strcmp(argv[i], "--seed") == 0)
            state = strtoul(value, NULL, 10) * 2 + 1;
        else if (strcmp(argv[i], "--dict") == 0)
            read_words(&words, value);
        else if (strcmp(argv[i], "--keep") == 0)
            keep = value;
        else {
            read_path(&files, argv[i]);
            continue;
        }
        i++;
    }
    if (files.count == 0)
        add(&files, NULL, 0);
    for (size_t i = 0; i < files.count; i++)
        run(&files.at[i], keep);
    static uint8_t room[2 * MOST_BYTES];
    const time_t begin = time(NULL);
    unsigned long done = 0;
    for (; done < runs && difftime(time(NULL), begin) < seconds; done++) {
        const input *from = &files.at[draw(files.count)];
        input made = {room, from->size};
        memcpy(room, from->bytes, from->size);
        const bool words_alone = draw(2) > 0;
        for (size_t k = 1 + draw(1 + draw(MOST_CHANGES)); k > 0; k--)
            change(&made, &files, &words, words_alone);
        run(&made, keep);
    }
    for (size_t i = 0; i < files.count; i++)
        free(files.at[i].bytes);
    for (size_t i = 0; i < words.count; i++)
        free(words.at[i].bytes);
    free(files.at);
    free(words.at);
    printf("1..1\nok 1 - %zu files and %lu inputs made of them\n", files.count, done);
    return 0;
}
