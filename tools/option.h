/* SPDX-License-Identifier: MIT */
/*
 * Options as they are declared: what a command line may hold and where its values go. A set has the
 * rows of a command, or those that several commands share, and names the sets that it includes. The
 * parser, --help, manual pages and completion all read the same rows.
 */
#ifndef TOOL_OPTION_H
#define TOOL_OPTION_H

#include <stdbool.h>
#include <stddef.h>

typedef struct command_option command_option;
typedef struct option_set option_set;

/* A command line as it is parsed. */
typedef struct command_line {
    const char *name;      /* "tandem id" */
    const option_set *set; /* of the command */
    void *options;         /* where values go; begins with a tool_options where there is a FILE */
    const command_option **given; /* the options so far */
    size_t count;
} command_line;

/* Reads the value of an option; text: NULL where it has none. Exits with a message if it is
   invalid. */
typedef void option_reader(const command_option *o, char *text, command_line *line);

/* One of the words that an option takes, and what it stands for. */
typedef struct option_choice {
    const char *word;
    int value;
} option_choice;

struct command_option {
    const char *name;    /* "qd"; NULL: a heading, or an option that has a letter alone */
    const char *arg;     /* the name of the value; NULL: it takes none */
    const char *help;    /* text of the page, or the heading */
    option_reader *read; /* NULL: the row stands for options that another page describes */
    size_t at;           /* where the value is in the options */
    const option_choice *of;
    size_t number; /* for the reader: the largest value, or an order */
    char letter;
    bool hidden;    /* no page shows it */
    bool optional;  /* the value is */
    bool page_only; /* only the shared page shows it; no command takes it by this row */
    int group;      /* of rows that stand together; those below zero come last */
};

/* A word behind FILE, or in its place where the command has none. */
typedef struct option_argument {
    const char *name;
    size_t at;           /* of a const char * in the options */
    const char *missing; /* the message where it is missing; NULL: it need not be there */
    const char *more;    /* the message about one more word; NULL: it is a FILE */
    bool is_name;        /* of a joint, rather than a table */
    /* Whether a word may be this one; NULL: any. */
    bool (*takes)(const void *options, const char *word);
} option_argument;

/* Refused with the message where one of the options "given" is present (NULL: always), and none of
   those that it needs, or one of those that it excludes. Names have blanks between. */
typedef struct option_rule {
    const char *given, *needs, *excludes;
    const char *message;
} option_rule;

enum { OPTION_PARTS = 9 };

/* Lists end with a row of zeros. */
struct option_set {
    const char *usage; /* words behind the options; one line for each form */
    const char *about; /* text above the options; text behind \v is below them */
    const command_option *rows;
    const option_argument *arguments;
    const option_rule *rules;
    const option_set *page;       /* the one page that shows the rows; NULL: every page */
    void (*start)(void *options); /* before all options */
    void (*rest)(const char *word, command_line *l); /* takes all other words */
    void (*check)(command_line *line);               /* after all words */
    /* Sets that this one includes. The parser checks them first, from the last one to the first
       one, and then this set. header, group: new ones for the rows of a part. */
    const option_set *parts[OPTION_PARTS + 1];
    const char *header[OPTION_PARTS];
    int group[OPTION_PARTS];
};

/* Where the value of an option is. */
static inline void *option_place(const command_option *o, const command_line *line)
{
    return (char *)line->options + o->at;
}

/* Whether one of the options was given; names have blanks between. */
bool option_given(const command_line *line, const char *names);

/* Prints "tandem id: message" with control characters escaped, and exits. */
void option_error(const command_line *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Exits with a message about the first option among the words that the set lacks, or that lacks its
   value. name: "tandem id". */
void check_options(const option_set *set, const char *name, int count, char **words);

/* Reads the words behind argv[0], the name, into the options. Exits on --help and on mistakes. */
void parse_words(const option_set *set, int argc, char **argv, void *options);

#endif
