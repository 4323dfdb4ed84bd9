/* SPDX-License-Identifier: MIT */
/*
 * Declarations of options: the words of a command line and the destinations of their values. A set
 * contains the rows of a command, or rows that several commands share, and names the sets that it
 * includes. The parser, --help, manual pages and completion all read the same rows.
 */
#ifndef TOOL_OPTION_H
#define TOOL_OPTION_H

#include <stdbool.h>
#include <stddef.h>

typedef struct command_option command_option;
typedef struct option_set option_set;

/* The state of parsing a command line. */
typedef struct command_line {
    const char *name;      /* "tandem id" */
    const option_set *set; /* of the command */
    void *options; /* destination of values; begins with a tool_options if there is a FILE */
    const command_option **given; /* the options so far */
    size_t count;
} command_line;

/* Reads the value of an option. text: NULL without a value. Exits with a message if it is invalid.
 */
typedef void option_reader(const command_option *o, char *text, command_line *line);

/* One of the words that an option accepts, and its value. */
typedef struct option_choice {
    const char *word;
    int value;
} option_choice;

struct command_option {
    const char *name;    /* "qd"; NULL: a heading, or an option with only a letter */
    const char *arg;     /* the name of the value; NULL: no value */
    const char *help;    /* text on the page, or the heading */
    option_reader *read; /* NULL: the row stands for options that another page describes */
    size_t at;           /* offset of the value in the options */
    const option_choice *of;
    size_t number; /* a parameter of the reader: the largest value, or an order */
    char letter;
    bool hidden;    /* no page shows it */
    bool optional;  /* the value may be missing */
    bool page_only; /* shown only on the shared page; commands read the option by another row */
    int group;      /* rows of one group are listed together; negative groups come last */
};

/* A word after FILE, or in place of FILE if the command has none. */
typedef struct option_argument {
    const char *name;
    size_t at;           /* offset of a const char * in the options */
    const char *missing; /* the message if it is missing; NULL: it is optional */
    const char *more;    /* the message about an extra word; NULL: a FILE */
    bool is_name;        /* the name of a joint, not a table */
    /* Returns whether a word can be this argument; NULL: any can. */
    bool (*takes)(const void *options, const char *word);
} option_argument;

/* Exits with the message if an option in "given" is present (NULL: always) and either none in
   "needs" or any in "excludes" is present. Names are separated by blanks. */
typedef struct option_rule {
    const char *given, *needs, *excludes;
    const char *message;
} option_rule;

enum { OPTION_PARTS = 9 };

/* Lists end with a row of zeros. */
struct option_set {
    const char *usage; /* words after the options; one line per form */
    const char *about; /* text above the options; text after \v goes below them */
    const command_option *rows;
    const option_argument *arguments;
    const option_rule *rules;
    const option_set *page;       /* the only page that shows the rows; NULL: every page */
    void (*start)(void *options); /* called before all options */
    /* Called first for each other word. Returns whether the word was used. */
    bool (*take)(const char *word, command_line *l);
    void (*rest)(const char *word, command_line *l); /* called for all other words */
    void (*check)(command_line *line);               /* called after all words */
    /* Sets that this one includes. The parser checks them first, last to first, and then this set.
       header, group: replace the headings and groups of a part's rows. */
    const option_set *parts[OPTION_PARTS + 1];
    const char *header[OPTION_PARTS];
    int group[OPTION_PARTS];
};

/* Returns the destination of an option's value. */
static inline void *option_place(const command_option *o, const command_line *line)
{
    return (char *)line->options + o->at;
}

/* Returns whether one of the options was given. Names are separated by blanks. */
bool option_given(const command_line *line, const char *names);

/* Prints "tandem id: message" with control characters escaped, and exits. */
void option_error(const command_line *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Exits with a message about the first option in words that is not in the set or lacks its value.
   name: "tandem id". */
void check_options(const option_set *set, const char *name, int count, char **words);

/* Reads the words after argv[0] (the name) into the options. Exits on --help and on errors. */
void parse_words(const option_set *set, int argc, char **argv, void *options);

#endif
