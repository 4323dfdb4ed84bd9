/* SPDX-License-Identifier: MIT */
/*
 * Text for people and programs: numbers, names that are safe for a terminal, color, spelling, and
 * allocation that ends the program on failure.
 */
#ifndef TOOL_TEXT_H
#define TOOL_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* count × size bytes, zeroed; without memory the program ends with a message and EXIT_COMPUTE. */
void *allocate(size_t count, size_t size);
void *reallocate(void *memory, size_t count, size_t size);
_Noreturn void end_without_memory(void);

/* Before the declaration of a pointer to memory: it is freed where its block ends. */
#define scoped __attribute__((cleanup(free_scoped)))
static inline void free_scoped(void *pointer)
{
    free(*(void **)pointer);
}

/* printf into a new string; without memory the program ends, as in all text_ functions that follow.
 */
char *text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *text_format_list(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));

/* A stream whose contents text_close returns as a new string. */
typedef struct text_stream {
    FILE *stream;
    char *text;
    size_t size;
} text_stream;

void text_open(text_stream *to);
char *text_close(text_stream *to);

/* "tandem: ..." and a newline on standard error, for errors and for what makes the answer no or
   incomplete. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same for notes and warnings, which change neither the result nor the exit code: nothing once
   notes_silence was called, as by --quiet. notes_shown: whether they are, for reports of more
   lines. */
void tell_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void notes_silence(void);
bool notes_shown(void);

/* Whether --verbose asks for what messages leave out: notes about robots, all of many warnings. */
void verbose_on(void);
bool is_verbose(void);

/* Reports a fault of the command line that shows only after reading a file, and ends the program
   with EXIT_USAGE. Temporary files are removed. */
_Noreturn void refuse_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Writes what standard output holds. Returns 0, or the errno of the first time that this failed. */
int flush_output(void);
/* The same, and forgets it: what comes goes elsewhere. Whether all was written. */
bool restart_output(void);

/* A number's text by value, so that several fit into one printf: number_brief(x).text */
typedef struct number {
    char text[40];
} number;

/* "1 link", "2 links", with the ending that bodies have as well. */
number counted(size_t count, const char *what);

/* The largest of n magnitudes, of those that are finite; 0 for none. */
double largest_of(const double *x, size_t n);

/* x, or 0 below 1e-14 of the largest number of its table or column: what rounding leaves. */
double significant(double x, double scale);

number number_exact(double x); /* the shortest that reads back to the same double; "nan", "inf" */
number number_brief(double x); /* 6 digits, for tables that people read */
number number_of_scale(double x, double scale); /* brief, significant digits only */
number number_place(double x); /* brief, but 0 below 1e-12: for positions (m) and rotations */
number number_clear(double x); /* 10 digits, for values that somebody wrote in a file */

/* A finite decimal number that fills the whole text, whatever the locale; else false. */
bool parse_number(const char *text, double *value);

/* Whether a cell is what tables have where there is no number: nothing, "nan", "inf", "null" and
   the like. */
bool is_missing(const char *text);

/* Three of them with commas between; false also where they are more or fewer. */
bool parse_triple(const char *text, double value[3]);

/* Reads the UTF-8 character at the start of text and returns its length in bytes. Returns 0 if it
   is invalid, including overlong sequences and surrogates. */
size_t character_read(const char *text, unsigned *code);

/* Writes a character as at most 4 bytes of UTF-8, whose count it returns. */
size_t character_write(unsigned code, char *to);

/* Whether a terminal does something with the character instead of showing it: control characters,
   ends of lines and paragraphs, marks of direction, and what it does not show at all, by which two
   names look alike. */
bool character_is_control(unsigned code);

/* Writes text with control characters, direction marks and invalid UTF-8 made visible, so that a
   file cannot control a terminal. */
void put_clean(FILE *stream, const char *text);
char *text_clean(const char *text);
/* Columns that the text takes on a terminal (one a code point). */
size_t text_width(const char *text);

/* One term of a sum: "0.5·name", " - name", " + 0.1" where name is NULL; first: no sign before. */
void put_term(FILE *stream, bool first, double factor, const char *name);

/* Whether the stream is a terminal that wants color; columns of standard output, by COLUMNS of the
   environment, else as the terminal says, SIZE_MAX where it is no terminal. */
bool wants_colour(FILE *stream);
size_t terminal_columns(void);

/* The candidate that a name was meant to be, by its words or its spelling, and the one that a
   keyword was, by its spelling alone; NULL where none is close. */
const char *nearest_name(const char *name, const char *const *candidates, size_t count);
const char *nearest_spelling(const char *word, const char *const *candidates, size_t count);

/* "no link 'tol'; did you mean 'tool'?" in a new string; without the question if none is close. */
char *unknown_name(const char *kind, const char *name, const char *const *candidates, size_t count);

#endif
