/* SPDX-License-Identifier: MIT */
/*
 * The options that subcommands share. model_set reads FILE, or several where the usage of the
 * command has "FILE...", and how to load them; state_set adds -q and --tree, velocity_set
 * --qd to these; passive_set, beside them, reads --passive. All read into the tool_options with
 * which the options of a subcommand begin.
 */
#ifndef TOOL_OPTIONS_H
#define TOOL_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "input/column_words.h"
#include "input/file_use.h"
#include "input/loads.h"
#include "input/units.h"
#include "meshes/mesh_file.h"
#include "option.h"
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
    word_list mesh_root; /* of --mesh-root */
    robot_loads loads;   /* of --payload and --wrench */
    workspace_needs needs;
    td_following following; /* of the workspace */
    bool checks_meshes;     /* the command says what mesh files tell of the robot */
    file_use files; /* of options of the command's own; parse_arguments adds the shared ones */
} tool_options;

/* Sets of options that subcommands include in their own (option.h). */
extern const option_set model_set;
extern const option_set gravity_set;  /* --gravity, of commands whose results depend on it */
extern const option_set actuated_set; /* --actuated, likewise */
extern const option_set plan_set;     /* --fd-plan, likewise */
extern const option_set state_set;
extern const option_set state_file_set; /* --state FILE, of commands with options of their own */
extern const option_set velocity_set;
extern const option_set passive_set;    /* --passive */
extern const option_set no_passive_set; /* --no-passive, of motions */
/* --payload, --wrench and --gravity, and the first alone (load_set.c). */
extern const option_set load_set, payload_set;
extern const option_set payload_rows_set, wrench_rows_set; /* without a row about them */
extern const option_set package_set;        /* --package, --mesh-root (mesh_options.c) */
extern const option_set picture_set;        /* --plot FILE, of commands that write tables */
extern const option_set columns_set;        /* --map and --unit, of commands that read tables */
extern const option_set hidden_columns_set; /* the same, on the page of tables alone */
extern const option_set table_set; /* both, -o FILE and --keep, of commands that read tables of
                                          states and write some */

/* A page of options that many commands have and hide from their own pages. */
typedef struct shared_page {
    const char *name;
    const char *summary;
    const char *title; /* of its options on the manual page of a command */
    const option_set *set;
} shared_page;
enum { SHARED_PAGES = 3 };
extern const shared_page shared_pages[SHARED_PAGES];
extern const option_set robot_page, state_page, table_page; /* their sets */

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
                         const command_line *line);

/* Whether the command writes a table: of STATES, or of the one state that -o saves. */
bool options_tabular(const tool_options *options);

/* "auto", "cluster", "reduced" */
const char *plan_text(td_plan plan);

/* Where the meshes of a robot's file are: "-" has none. */
mesh_places options_mesh_places(const tool_options *options, const char *file);

/* What acts on the robot beside its joints' forces. */
td_forces options_forces(const tool_options *options);
void options_add_wrenches(const tool_options *options, td_forces *forces);

/* More readers of values (input/option_value.h). */
option_reader option_input;  /* const char *: a file that is read */
option_reader option_output; /* the same: a file that is written */
option_reader option_assign; /* JOINT=VALUE, or values; the place is their quantity */
option_reader option_load;   /* a force on a link (loads_add_force) */
/* The words of --frame. */
extern const option_choice frame_choices[];

/* Parses into options, which begin with a tool_options and hold zeros and defaults. Exits on --help
 * and on mistakes, among them that a file would be written that is read. */
void parse_arguments(const option_set *set, int argc, char **argv, void *options);
void options_free(tool_options *options);

void options_assign(tool_options *options, enum quantity quantity, const char *text);

#endif
