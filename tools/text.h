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

/* Allocates count × size bytes, set to zero. If memory runs out, the program ends with a message
   and EXIT_COMPUTE. */
void *allocate(size_t count, size_t size);
void *reallocate(void *memory, size_t count, size_t size);
_Noreturn void end_without_memory(void);

/* Precedes the declaration of a pointer whose memory is freed at the end of its block. */
#define scoped __attribute__((cleanup(free_scoped)))
static inline void free_scoped(void *pointer)
{
    free(*(void **)pointer);
}

/* Prints into a new string. If memory runs out, the program ends, as in all text_ functions. */
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

/* Prints "tandem: ..." and a newline on standard error, for errors and for negative or incomplete
   answers. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints notes and warnings, which change neither the result nor the exit code. Prints nothing
   after notes_silence (--quiet). notes_shown returns whether notes are printed, for reports of
   several lines. */
void tell_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void notes_silence(void);
bool notes_shown(void);

/* Whether --verbose was given, which prints what messages omit: notes about robots, all of many
   warnings. */
void verbose_on(void);
bool is_verbose(void);

/* Reports an error of the command line that shows only after reading a file, and ends the program
   with EXIT_USAGE. Removes temporary files. */
_Noreturn void refuse_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Flushes standard output. Returns 0, or errno of the first failure. */
int flush_output(void);
/* Flushes standard output and clears its error, before it is redirected. Returns whether all was
   written. */
bool restart_output(void);

/* A number's text, returned by value so that one printf can use several: number_brief(x).text */
typedef struct number {
    char text[40];
} number;

/* Returns "1 link", "2 links"; "body" becomes "bodies". */
number counted(size_t count, const char *what);

/* Returns the largest finite magnitude of n numbers; 0 for none. */
double largest_of(const double *x, size_t n);

/* Returns x, or 0 if it is below 1e-14 of scale, the largest number of its table or column. */
double significant(double x, double scale);

number number_exact(double x); /* shortest text that reads back to the same double; "nan", "inf" */
number number_brief(double x); /* 6 digits, for tables that people read */
number number_of_scale(double x, double scale); /* brief, significant digits only */
number number_place(double x); /* brief, but 0 below 1e-12: for positions (m) and rotations */
number number_clear(double x); /* 10 digits, for values from a file */

/* Reads a finite decimal number that fills the whole text, in any locale. Returns false otherwise.
 */
bool parse_number(const char *text, double *value);

/* Returns whether a cell is a missing number: empty, "nan", "inf", "null" and the like. */
bool is_missing(const char *text);

/* Reads three numbers separated by commas. Returns false for more or fewer. */
bool parse_triple(const char *text, double value[3]);

/* Reads the UTF-8 character at the start of text and returns its length in bytes. Returns 0 if it
   is invalid, including overlong sequences and surrogates. */
size_t character_read(const char *text, unsigned *code);

/* Writes a character as at most 4 bytes of UTF-8. Returns the number of bytes. */
size_t character_write(unsigned code, char *to);

/* Returns whether a terminal acts on the character or does not show it: control characters, ends of
   lines and paragraphs, direction marks, and invisible ones, which make two names look alike. */
bool character_is_control(unsigned code);

/* Writes text with control characters, direction marks and invalid UTF-8 made visible, so that a
   file cannot control a terminal. */
void put_clean(FILE *stream, const char *text);
char *text_clean(const char *text);
/* Returns the columns of the text on a terminal (one per code point). */
size_t text_width(const char *text);

/* Prints one term of a sum: "0.5·name", " - name", or " + 0.1" if name is NULL. first: no sign
   before a positive term. */
void put_term(FILE *stream, bool first, double factor, const char *name);

/* wants_colour returns whether the stream is a terminal with color. terminal_columns returns the
   width of standard output: COLUMNS of the environment, else the terminal's, else SIZE_MAX. */
bool wants_colour(FILE *stream);
size_t terminal_columns(void);

/* Return the candidate closest to a misspelled word, or NULL if none is close. nearest_name
   compares words and spelling, nearest_spelling only spelling. */
const char *nearest_name(const char *name, const char *const *candidates, size_t count);
const char *nearest_spelling(const char *word, const char *const *candidates, size_t count);

/* Returns "no link 'tol'; did you mean 'tool'?" in a new string, without the question if no name is
   close. */
char *unknown_name(const char *kind, const char *name, const char *const *candidates, size_t count);

#endif
