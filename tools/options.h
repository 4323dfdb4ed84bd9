/* SPDX-License-Identifier: MIT */
/*
 * The options that subcommands share. model_set reads FILE (several if the command's usage has
 * "FILE...") and how to load them. state_set adds -q and --tree, and velocity_set adds --qd.
 * passive_set reads --passive. All read into the tool_options with which the options of a
 * subcommand begin.
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

/* JOINT=VALUE, or a list of values, as given to -q, --qd, --qdd or --tau. */
typedef struct assignment {
    enum quantity quantity;
    const char *text;
} assignment;

/* The workspace that a command needs. Matrices need memory in proportion to the square of the
   number of joints. Each need includes the previous ones. */
typedef enum workspace_needs {
    NEEDS_NOTHING,     /* no workspace */
    NEEDS_WORKSPACE,   /* without matrices (td_workspace_options) */
    NEEDS_FORWARD,     /* forward dynamics: matrices if its plan uses them */
    NEEDS_CONSTRAINTS, /* φ, K: matrices if the robot has loops */
    NEEDS_MATRICES,
} workspace_needs;

typedef struct tool_options {
    const char *file;  /* the current one */
    const char **each; /* all of them; several only if the command's usage has "FILE..." */
    size_t file_count;
    const char *comment; /* printed before each name if there are several; NULL: nothing */
    bool quiet;          /* the command reports the number of warnings itself */
    td_load_options load;
    const char **actuated;     /* storage of load.actuated */
    td_joint_position *locked; /* storage of load.locked */
    td_joint_position *start;  /* storage of load.start */
    /* the units of these positions, NULL if not given */
    const value_unit **locked_unit, **start_unit;
    bool json;
    bool json_file;     /* JSON because of the suffix of -o only; standard output gets none */
    bool tree;          /* tree coordinates instead of the independent ones */
    bool passive;       /* see td_forces */
    bool tells_passive; /* the command has --passive or --no-passive */
    bool passive_by_default;
    bool takes_states;       /* the command accepts a table of states after FILE */
    bool table_beside_state; /* the table is not one of states and is used with one state */
    bool tabular;            /* the command writes a table even without STATES */
    const char *states;      /* the table of states; NULL: one state */
    const char *state;       /* file with a state; NULL: none */
    const char *output;      /* file of the table; NULL: standard output */
    bool keep;               /* the table also has the columns of STATES */
    const char *plot;        /* picture instead of the table; NULL: none */
    /* the file of -o, drawn when complete; NULL: plot replaces the table */
    const char *drawn;
    const char *plot_x;   /* horizontal axis; NULL: t or rows */
    column_words columns; /* of --map and --unit */
    assignment *assignments;
    size_t assignment_count;
    td_package *package; /* of --package */
    size_t packages;
    word_list mesh_root;       /* of --mesh-root */
    word_list xacro_arguments; /* NAME:=VALUE; storage of load.xacro_arguments */
    bool some_xacro;           /* of several files, not all are xacro files */
    robot_loads loads;         /* of --payload and --wrench */
    workspace_needs needs;
    td_following following; /* of the workspace */
    bool checks_meshes;     /* the command reports what mesh files reveal about the robot */
    file_use files; /* files of the command's own options; parse_arguments adds the files of shared
                       ones */
} tool_options;

/* Sets of options that subcommands include in their own (option.h). */
extern const option_set model_set;
extern const option_set gravity_set;  /* --gravity, for commands whose results depend on it */
extern const option_set actuated_set; /* --actuated, for the same reason */
extern const option_set plan_set;     /* --fd-plan, for the same reason */
extern const option_set state_set;
extern const option_set state_file_set; /* --state FILE, for commands with their own options */
extern const option_set velocity_set;
extern const option_set passive_set;    /* --passive */
extern const option_set no_passive_set; /* --no-passive, for motions */
/* --payload, --wrench and --gravity; payload_set: only --payload (load_set.c). */
extern const option_set load_set, payload_set;
extern const option_set payload_rows_set, wrench_rows_set; /* without a help row */
extern const option_set package_set;        /* --package, --mesh-root (mesh_options.c) */
extern const option_set picture_set;        /* --plot FILE, for commands that write tables */
extern const option_set columns_set;        /* --map and --unit, for commands that read tables */
extern const option_set hidden_columns_set; /* the same, shown only on the page of tables */
extern const option_set table_set;          /* both, -o FILE and --keep, of commands on tables */

/* A help page of options that many commands share and hide from their own pages. */
typedef struct shared_page {
    const char *name;
    const char *summary;
    const char *title; /* heading of these options on a command's manual page */
    const option_set *set;
} shared_page;
enum { SHARED_PAGES = 3 };
extern const shared_page shared_pages[SHARED_PAGES];
extern const option_set robot_page, state_page, table_page; /* sets of these pages */

/* Help texts of options that several commands declare. test/options.py lists where an option has a
   different meaning. */
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

/* Help text of -o FILE for the table of a motion. */
#define OUTPUT_FILE_HELP "Write the table to FILE: .csv, .npy, .svg, .png, .pdf"

/* Selects the format by the suffix of -o. For a picture, moves the path to options->plot and sets
   *output to NULL. The suffix .json selects JSON; .csv, .npy and no suffix are tables. json: the
   table itself can be JSON, so that --json excludes every other suffix. Adds *output to the files
   that are written. Exits if the suffix is unknown or contradicts the other options. */
void options_take_suffix(tool_options *options, const char **output, bool json,
                         const command_line *line);

/* Returns whether the command writes a table: of STATES, or of the one state that -o saves. */
bool options_tabular(const tool_options *options);

/* Allows files that are not xacro files beside at least one that is, although NAME:=VALUE is given.
 */
void options_spread_arguments(tool_options *options, const char *const *files, size_t count);

/* Returns "auto", "cluster" or "reduced". */
const char *plan_text(td_plan plan);

/* Returns where to find the meshes of a robot's file. "-" has none. */
td_file_search options_mesh_places(const tool_options *options, const char *file);

/* Returns the forces on the robot other than the joints' forces. */
td_forces options_forces(const tool_options *options);
void options_add_wrenches(const tool_options *options, td_forces *forces);

/* More readers of values (input/option_value.h). */
option_reader option_input;  /* const char *: a file to read */
option_reader option_output; /* const char *: a file to write */
option_reader option_assign; /* JOINT=VALUE, or values; o->at holds the quantity */
option_reader option_load;   /* a force on a link (loads_add_force) */
/* The choices of --frame. */
extern const option_choice frame_choices[];

/* Parses into options, which begin with a tool_options and hold zeros and defaults. Exits on --help
   and on errors, such as the same file as input and output. */
void parse_arguments(const option_set *set, int argc, char **argv, void *options);
void options_free(tool_options *options);

void options_assign(tool_options *options, enum quantity quantity, const char *text);

#endif
