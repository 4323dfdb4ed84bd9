/* SPDX-License-Identifier: MIT */
/*
 * The arguments that subcommands share. model_argp reads FILE, or several where the usage of the
 * command has "FILE...", and how to load them; state_argp adds
 * -q and --tree, velocity_argp --qd to these; passive_argp, beside them, reads --passive. All take
 * a tool_options as their input, and a subcommand names those that it wants as children of its own
 * argp.
 */
#ifndef TOOL_OPTIONS_H
#define TOOL_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

#include "input/column_words.h"
#include "input/file_use.h"
#include "input/loads.h"
#include "input/units.h"
#include "meshes/mesh_file.h"
#include "tandem/tandem.h"

/* Quantities of a state, in the order of a table's columns. */
enum quantity {
    QUANTITY_Q,
    QUANTITY_QD,
    QUANTITY_QDD,
    QUANTITY_TAU,
    QUANTITY_COUNT,
};

/* JOINT=VALUE, or values, as given to -q, --qd, --qdd or --tau. */
typedef struct assignment {
    enum quantity quantity;
    const char *text;
} assignment;

/* What the functions that a command calls need of the session's workspace; matrices grow with the
   square of the joints. What comes later has what comes before. */
typedef enum workspace_needs {
    NEEDS_NOTHING,     /* no workspace */
    NEEDS_WORKSPACE,   /* none of the functions needs matrices (td_workspace_options) */
    NEEDS_FORWARD,     /* forward dynamics: matrices where its plan calls for them */
    NEEDS_CONSTRAINTS, /* φ, K: matrices where the robot has loops */
    NEEDS_MATRICES,
} workspace_needs;

typedef struct tool_options {
    const char *file;  /* the one at work */
    const char **each; /* all of them: several, where the command's usage has "FILE..." */
    size_t file_count;
    const char *comment; /* before the name of each, where several are printed; NULL: nothing */
    bool quiet;          /* the command gives the number of warnings itself */
    td_load_options load;
    const char **actuated;     /* what load.actuated points to */
    td_joint_position *locked; /* what load.locked points to */
    td_joint_position *start;  /* what load.start points to */
    /* the unit of each of these, NULL where none is given */
    const value_unit **locked_unit, **start_unit;
    bool json;
    bool json_file;     /* because of what -o is called alone: none goes to standard output */
    bool tree;          /* tree coordinates instead of the independent ones */
    bool passive;       /* see td_forces */
    bool tells_passive; /* the command has an option about that */
    bool passive_by_default;
    bool takes_states;       /* the command takes a table of states behind FILE */
    bool table_beside_state; /* that table is not of states, and goes with one state */
    bool tabular;            /* a table is written without STATES */
    const char *states;      /* that table; NULL: one state */
    const char *state;       /* file of a state; NULL: none */
    const char *output;      /* where the table goes; NULL: standard output */
    bool keep;               /* the table has the columns of STATES as well */
    const char *plot;        /* picture of the table in place of it; NULL: none */
    /* the file of -o that is drawn when it is complete; NULL: plot is in its place */
    const char *drawn;
    const char *plot_x;   /* horizontal axis; NULL: t or rows */
    column_words columns; /* of --map and --unit */
    assignment *assignments;
    size_t assignment_count;
    mesh_package *package; /* of --package */
    size_t packages;
    const char **mesh_root; /* of --mesh-root */
    size_t mesh_roots;
    robot_loads loads; /* of --payload and --wrench */
    workspace_needs needs;
    td_following following; /* of the workspace */
    bool checks_meshes;     /* the command says what mesh files tell of the robot */
    file_use files; /* of options of the command's own; parse_arguments adds the shared ones */
} tool_options;

/* Parsers of shared options read into the tool_options of parse_arguments; a command gives its
   children no input. */
extern const struct argp model_argp;
extern const struct argp gravity_argp;  /* --gravity, of commands whose results depend on it */
extern const struct argp actuated_argp; /* --actuated, likewise */
extern const struct argp plan_argp;     /* --fd-plan, likewise */
extern const struct argp
    robot_argp; /* what model_argp has of FILE, and load_argp, for help alone */
extern const struct argp state_page_argp, table_page_argp; /* what many commands have, likewise */
extern const struct argp state_argp;
extern const struct argp state_file_argp; /* --state FILE, of commands with options of their own */
extern const struct argp velocity_argp;
extern const struct argp passive_argp;    /* --passive */
extern const struct argp no_passive_argp; /* --no-passive, of motions */
/* --payload, --wrench and --gravity, and the first alone (load_options.c). */
extern const struct argp load_argp;
extern const struct argp payload_argp;
extern const struct argp load_page_argp;      /* what robot_argp shows of them */
extern const struct argp package_argp;        /* --package, --mesh-root (mesh_options.c) */
extern const struct argp plot_option_argp;    /* --plot FILE, of commands that write tables */
extern const struct argp hidden_columns_argp; /* the same, on the page of tables alone */
extern const struct argp columns_argp;        /* --map and --unit, of commands that read tables */
extern const struct argp table_argp; /* both, -o FILE and --keep, of commands that read tables of
                                        states and write some */

/* A page of options that many commands have and hide from their own pages. */
typedef struct shared_page {
    const char *name;
    const char *summary;
    const char *title; /* of its options on the manual page of a command */
    const struct argp *argp;
} shared_page;
enum { SHARED_PAGES = 3 };
extern const shared_page shared_pages[SHARED_PAGES];

/* Returns the row of a shared page that describes a hidden option, and the page; NULL without one.
 */
const struct argp_option *shared_option(const struct argp_option *option, size_t *page);

/* The options that a shared parser reads into. */
tool_options *parsed_options(const struct argp_state *state);

/* The help of options that commands have beside the parsers below. test/options.py says where one
   has another meaning. */
#define Q_HELP "Set a joint position (rad, m, or as 90deg, pi/2, 15mm)"
#define QD_HELP "Set a joint velocity (rad/s, m/s, or as 10deg/s, 20rpm)"
#define QDD_HELP "Set a joint acceleration (rad/s², m/s²)"
#define TAU_HELP "Set a joint force (N m, N)"
#define POINT_HELP "Use this point of the link, m or as 20mm (default: its origin)"
#define HOLD_HELP "Hold these joints or flexible links fixed"
#define TREE_HELP "Use all joints of the tree instead of the independent ones"
#define FRAME_HELP                                                                                 \
    "Use world axes at the link's origin or point ('aligned', default), the "                      \
    "link's axes there ('body'), or world axes at the world's origin ('world')"

/* The help of an -o FILE of a motion's table. */
#define OUTPUT_FILE_HELP "Write the table to FILE: .csv, .npy, .svg, .png, .pdf"

/* What the file of -o says by its suffix: a picture goes to options->plot, and *output is NULL
   then; .json asks for JSON; .csv, .npy and no suffix are tables. json: the table can be JSON, as
   --json says too, for which every other suffix is an error then.
   *output, where it stays, is among the files that are written. Exits where the suffix is another
   one or does not go together with the other options. */
void options_take_suffix(tool_options *options, const char **output, bool json,
                         struct argp_state *state);

/* Whether the command writes a table: of STATES, or of the one state that -o saves. */
bool options_tabular(const tool_options *options);

/* Returns the value of --option, a whole number from 1 to most such as 1e6. Exits if it is invalid.
 */
size_t option_count(const char *option, const char *text, size_t most, struct argp_state *state);

/* Returns the value of --option, a positive number. Exits if it is invalid. */
double option_positive(const char *option, const char *text, struct argp_state *state);

/* "auto", "cluster", "reduced" */
const char *plan_text(td_plan plan);

/* Where the meshes of a robot's file are: "-" has none. */
mesh_places options_mesh_places(const tool_options *options, const char *file);

/* What acts on the robot beside its joints' forces. */
td_forces options_forces(const tool_options *options);
void options_add_wrenches(const tool_options *options, td_forces *forces);

/* Prints "tandem id: message" with control characters escaped, and exits. */
void option_error(const struct argp_state *state, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Exits with a message if argp would refuse an option among the words. name: "tandem id". */
void check_options(const struct argp *argp, const char *name, int count, char **words);

/* Parses into input. Exits on --help, on mistakes and without memory. */
void parse_words(const struct argp *argp, int argc, char **argv, void *input);

/* Parses into options, which is set up first when it is the input of the outermost argp. Exits on
   --help and on mistakes, among them that a file would be written that is read. */
void parse_arguments(const struct argp *argp, int argc, char **argv, void *input,
                     tool_options *options);
void options_free(tool_options *options);

void options_assign(tool_options *options, enum quantity quantity, const char *text);

/* Reads the value of --frame. Exits with a message if it is invalid. */
td_frame option_frame(const char *text, const struct argp_state *state);

#endif
