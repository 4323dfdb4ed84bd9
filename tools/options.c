/* SPDX-License-Identifier: MIT */
/*
 * Implements the arguments that subcommands share, see options.h.
 */
#include "options.h"

#include <stdlib.h>
#include <string.h>

#include "../urdf/xacro_file.h"
#include "command.h"
#include "input/bundled.h"
#include "input/option_value.h"
#include "input/value.h"
#include "output/help_page.h"
#include "text.h"

static const option_choice bases[] = {
    {"fixed", TD_BASE_FIXED}, {"floating", TD_BASE_FLOATING}, {0}};
static const option_choice plans[] = {
    {"auto", TD_PLAN_AUTO}, {"cluster", TD_PLAN_CLUSTER}, {"reduced", TD_PLAN_REDUCED}, {0}};

const char *plan_text(td_plan plan)
{
    return choice_word(plans, (int)plan);
}

static void read_gravity(const command_option *o, char *text, command_line *line)
{
    tool_options *options = line->options;
    (void)o;
    if (!read_quantities(text, UNIT_SLIDE, 2, 3, options->load.gravity)) {
        option_error(line, "--gravity must be three numbers X,Y,Z in m/s², not '%s'", text);
    }
}

/* Adds the names of a comma-separated list. Cuts the text of argv in place. */
static void read_actuated(const command_option *o, char *text, command_line *line)
{
    tool_options *options = line->options;
    (void)o;
    td_load_options *load = &options->load;
    if (strcmp(text, "independent") == 0) {
        load->actuation = TD_ACTUATION_INDEPENDENT;
        return;
    }
    if (strcmp(text, "transmissions") == 0) {
        load->actuation = TD_ACTUATION_TRANSMISSION;
        return;
    }
    if (strcmp(text, "ros2_control") == 0) {
        load->actuation = TD_ACTUATION_COMMANDED;
        return;
    }
    load->actuation = TD_ACTUATION_LIST;
    for (char *name = strsep(&text, ","); name != NULL; name = strsep(&text, ",")) {
        options->actuated =
            reallocate(options->actuated, load->actuated_count + 1, sizeof *options->actuated);
        options->actuated[load->actuated_count++] = name;
    }
    load->actuated = options->actuated;
}

/* Appends one JOINT=POSITION to a list and its unit to another. Splits at the last equals sign,
   since names of joints may contain one. */
static td_joint_position *read_position(td_joint_position *list, const value_unit ***units,
                                        size_t *count, const char *option, char *text,
                                        const command_line *line)
{
    char *equals = strrchr(text, '=');
    td_joint_position one = {text, 0};
    const value_unit *u = NULL;
    if (equals == NULL || equals == text) {
        option_error(line, "%s must be JOINT=POSITION, not '%s'", option, text);
    } else if (!value_parse(equals + 1, &one.position, &u)) {
        option_error(line, "%s %s: '%s' is not a finite number", option, text, equals + 1);
    } else {
        *equals = '\0';
        list = reallocate(list, *count + 1, sizeof *list);
        *units = reallocate(*units, *count + 1, sizeof **units);
        (*units)[*count] = u;
        list[(*count)++] = one;
    }
    return list;
}

static void read_lock(const command_option *o, char *text, command_line *line)
{
    tool_options *options = line->options;
    td_load_options *load = &options->load;
    (void)o;
    load->locked = options->locked = read_position(options->locked, &options->locked_unit,
                                                   &load->locked_count, "--lock", text, line);
}

/* Reads JOINT=POSITION, or several separated by commas. The option may be repeated. */
static void read_start(const command_option *o, char *text, command_line *line)
{
    tool_options *options = line->options;
    td_load_options *load = &options->load;
    (void)o;
    for (char *one = strsep(&text, ","); one != NULL; one = strsep(&text, ",")) {
        load->start = options->start = read_position(options->start, &options->start_unit,
                                                     &load->start_count, "--start", one, line);
    }
}

static void read_file(const char *name, command_line *line)
{
    tool_options *options = line->options;
    const bool several = strstr(line->set->usage, "FILE...") != NULL;
    if (options->file != NULL && !several) {
        option_error(line, "more than one FILE: '%s'", name);
    }
    for (size_t i = 0; i < options->file_count && strcmp(name, "-") == 0; i++) {
        if (strcmp(options->each[i], "-") == 0) {
            option_error(line, "only one FILE can be standard input");
        }
    }
    options->each = reallocate(options->each, options->file_count + 1, sizeof *options->each);
    options->each[options->file_count++] = name;
    options->file = options->each[0];
}

/* Stores NAME:=VALUE, an argument of xacro. */
static bool take_xacro_argument(const char *word, command_line *line)
{
    tool_options *options = line->options;
    if (td_xacro_name_length(word) == 0) {
        return false;
    }
    word_list_add(&options->xacro_arguments, word);
    options->load.xacro_arguments = options->xacro_arguments.word;
    options->load.xacro_argument_count = options->xacro_arguments.count;
    return true;
}

void options_spread_arguments(tool_options *options, const char *const *files, size_t count)
{
    for (size_t i = 0; i < count && options->xacro_arguments.count > 0; i++) {
        options->some_xacro = options->some_xacro || td_is_xacro_file(files[i]);
    }
}

static void check_file(command_line *line)
{
    tool_options *options = line->options;
    if (options->file == NULL) {
        option_error(line, "a FILE is missing ('-' is standard input)");
    }
    if (options->file_count > 1) {
        options_spread_arguments(options, options->each, options->file_count);
    }
}

/* ---- how a robot is loaded ------------------------------------------------------------------- */

#define AT(member) .at = offsetof(tool_options, member)

/* Help of commands omits these rows; 'tandem help robot' shows them. */
static const command_option base_rows[] = {
    {"base", "KIND", "Make the root link 'fixed' to the world (default) or 'floating'",
     option_choose, AT(load.base), .of = bases, .group = 1},
    {0},
};
static const command_option gravity_rows[] = {
    {"gravity", "X,Y,Z", "Set gravity in world axes, m/s² (default 0,0,-9.81)", read_gravity,
     .group = 1},
    {0},
};
static const command_option actuated_rows[] = {
    {"actuated", "JOINTS",
     "Choose the motors: 'independent' (default), 'transmissions', 'ros2_control' (what it "
     "commands), or joint names separated by commas",
     read_actuated, .group = 1},
    {0},
};
static const command_option plan_rows[] = {
    {"fd-plan", "PLAN",
     "Compute accelerations by articulated bodies over clusters ('cluster'), factors of GᵀHG "
     "('reduced'), or the cheaper of both ('auto', default)",
     option_choose, AT(load.plan), .of = plans, .group = 1},
    {0},
};
static const command_option loading_rows[] = {
    {"submechanisms", "LIST",
     "Read loops, independent and actuated joints that FILE lacks from a YAML file", option_text,
     AT(load.submechanisms), .group = 1},
    {"closing-frames", "TYPE",
     "Read loops that FILE states only in part, such as frames closing_X_1 and closing_X_2: "
     "'point', 'revolute' (about z), 'fixed' or another type",
     option_text, AT(load.closing_frames), .group = 1},
    {"lock", "JOINT=POSITION",
     "Fix a joint at a position (as with -q) when the robot is loaded; may be repeated", read_lock,
     .group = 1},
    {"start", "JOINT=POSITION,...",
     "Start joints here, which selects the branch of loops (as with -q); other joints start at "
     "reference= of FILE, else at zero or the nearest limit",
     read_start, .group = 1},
    {"strict", NULL, "Refuse a file with warnings", option_flag, AT(load.strict), .group = 1},
    {"open-loops", NULL, "Leave loops open: the robot is its spanning tree", option_flag,
     AT(load.open_loops), .group = 1},
    {"ignore-limits", NULL, "Ignore all limits of joint positions in FILE", option_flag,
     AT(load.ignore_limits), .group = 1},
    {"xacro", "PROGRAM",
     "Expand xacro files, named *.xacro or recognized by their content, with this program (default "
     "xacro) and the words NAME:=VALUE, wherever they are",
     option_text, AT(load.xacro), .group = 1},
    {"xacro-timeout", "SECONDS", "Stop xacro after this time (default 30)", option_time,
     AT(load.xacro_timeout), .group = 1},
    {"partial", NULL, "Load a part of a robot whose parent link or leading joints are not in FILE",
     option_flag, AT(load.partial), .group = 1},
    {0},
};
static const command_option model_rows[] = {
    {"--base, --lock, ...", .help = "Control how FILE is loaded: 'tandem help robot'", .group = 1},
    {"json", NULL, "Print JSON", option_flag, AT(json), .group = 2},
    {0},
};
static const option_set base_set = {.rows = base_rows, .page = &robot_page};
static const option_set loading_set = {.rows = loading_rows, .page = &robot_page};
const option_set gravity_set = {.rows = gravity_rows, .page = &robot_page};
const option_set actuated_set = {.rows = actuated_rows, .page = &robot_page};
const option_set plan_set = {.rows = plan_rows, .page = &robot_page};
const option_set model_set = {.rows = model_rows,
                              .take = take_xacro_argument,
                              .rest = read_file,
                              .check = check_file,
                              .parts = {&base_set, &loading_set, &common_set}};

const option_set robot_page = {
    .usage = "FILE [NAME:=VALUE...]",
    .about = "These options control how commands load a robot from FILE. "
             "Commands that compute forces also accept payloads and wrenches.",
    .parts = {&base_set, &gravity_set, &actuated_set, &plan_set, &loading_set, &payload_rows_set,
              &wrench_rows_set}};

/* ---- the state ------------------------------------------------------------------------------- */

/* Checks that a table of states is not combined with a second robot or a single state. */
static void check_states(command_line *line)
{
    const tool_options *options = line->options;
    if (options->states == NULL) {
        if (options->takes_states && !options->tabular && options->plot != NULL) {
            option_error(line, "--plot draws a table: give STATES");
        }
        return;
    }
    if (names_robot(options->states)) {
        option_error(line, "'%s' is a second robot, not a table of states", options->states);
    } else if (!options->table_beside_state &&
               (options->assignment_count > 0 || options->state != NULL)) {
        option_error(line, "give a table of states or one state, not both");
    } else if (strcmp(options->states, "-") == 0 && options->file != NULL &&
               strcmp(options->file, "-") == 0) {
        option_error(line, "FILE and STATES cannot both be standard input");
    }
}

static bool takes_states(const void *options, const char *word)
{
    (void)word;
    return ((const tool_options *)options)->takes_states;
}

static void read_state_file(const command_option *o, char *text, command_line *line)
{
    tool_options *options = line->options;
    (void)o;
    if (options->state != NULL) {
        option_error(line, "--state is given twice");
    }
    options->state = text;
}

static const command_option state_file_rows[] = {
    {"state", "FILE", "Read the state from a file ('tandem help state')", read_state_file, .at = 0},
    {0},
};
const option_set state_file_set = {.rows = state_file_rows};

/* Help of commands omits these rows; 'tandem help state' shows them. */
static const command_option given_rows[] = {
    {"q", "JOINT=VALUE",
     Q_HELP "; separate several by commas, or give all values in the model's order. Other joints "
            "are in the reference configuration: where --start or FILE puts them and loops were "
            "assembled, else at zero or the nearest limit",
     option_assign, .at = QUANTITY_Q, .letter = 'q'},
    {"qd", "JOINT=VALUE", QD_HELP ", as with -q", option_assign, .at = QUANTITY_QD,
     .page_only = true},
    {"state", "FILE",
     "Read the state from a file: JSON as --json prints it (q, qd, ...: names and values), or a "
     "table with one row, such as one message of 'ros2 topic echo'. -q and similar options "
     "override it",
     read_state_file, .at = 0},
    {"tree", NULL, TREE_HELP, option_flag, AT(tree)},
    {0},
};
static const command_option state_rows[] = {
    {"-q, --state, --tree", .help = "Give the state: 'tandem help state'"}, {0}};
static const option_argument states[] = {
    {"STATES", AT(states), .is_name = true, .takes = takes_states}, {0}};
static const option_set given_set = {.rows = given_rows, .page = &state_page};
const option_set state_set = {.rows = state_rows,
                              .arguments = states,
                              .check = check_states,
                              .parts = {&given_set, &model_set}};
const option_set state_page = {.usage = "FILE",
                               .about = "These options give a state to commands that need one.",
                               .parts = {&given_set}};

static const command_option velocity_rows[] = {
    {"qd", "JOINT=VALUE", QD_HELP, option_assign, .at = QUANTITY_QD}, {0}};
const option_set velocity_set = {.rows = velocity_rows, .parts = {&state_set}};

/* ---- forces on joints ------------------------------------------------------------------------ */

static void read_passive(const command_option *o, char *text, command_line *line)
{
    (void)text;
    ((tool_options *)line->options)->passive = o->name[0] == 'p';
}

static void start_passive(void *options)
{
    ((tool_options *)options)->tells_passive = true;
}

/* Makes passive forces the default in commands that compute motions. */
static void start_no_passive(void *options)
{
    tool_options *common = options;
    common->tells_passive = common->passive = common->passive_by_default = true;
}

static const command_option passive_rows[] = {
    {"passive", NULL, "Include rotor inertias, damping, friction and springs of joints",
     read_passive, .at = 0},
    {"no-passive", .read = read_passive, .hidden = true},
    {0},
};
static const command_option no_passive_rows[] = {
    {"no-passive", NULL, "Leave out damping, friction, springs and rotors", read_passive, .at = 0},
    {"passive", .read = read_passive, .hidden = true},
    {0},
};
const option_set passive_set = {.rows = passive_rows, .start = start_passive};
const option_set no_passive_set = {.rows = no_passive_rows, .start = start_no_passive};

td_forces options_forces(const tool_options *options)
{
    td_forces forces = td_forces_default();
    forces.passive = options->passive;
    options_add_wrenches(options, &forces);
    return forces;
}

void options_add_wrenches(const tool_options *options, td_forces *forces)
{
    forces->wrenches = options->loads.total;
    forces->wrench_frame = loads_frame(&options->loads);
}

void parse_arguments(const option_set *set, int argc, char **argv, void *options)
{
    tool_options *common = options;
    common->load = td_load_options_default();
    common->load.xacro = "xacro";
    parse_words(set, argc, argv, options);
    file_use *files = &common->files;
    for (size_t i = 0; i < common->file_count; i++) {
        file_use_read(files, common->each[i]);
    }
    file_use_read(files, common->load.submechanisms);
    file_use_read(files, common->states);
    file_use_read(files, common->state);
    file_use_write(files, common->plot);
    if (!file_use_check(files)) {
        exit(EXIT_USAGE);
    }
}

void options_free(tool_options *options)
{
    free(options->each);
    free(options->actuated);
    free(options->locked);
    free(options->locked_unit);
    free(options->start_unit);
    free(options->start);
    free(options->assignments);
    free(options->columns.map.word);
    free(options->columns.unit.word);
    free(options->package);
    free(options->mesh_root.word);
    free(options->xacro_arguments.word);
    file_use_free(&options->files);
    loads_free(&options->loads);
}

void options_assign(tool_options *options, enum quantity quantity, const char *text)
{
    options->assignments = reallocate(options->assignments, options->assignment_count + 1,
                                      sizeof *options->assignments);
    options->assignments[options->assignment_count++] = (assignment){quantity, text};
}

void option_input(const command_option *o, char *text, command_line *line)
{
    option_text(o, text, line);
    file_use_read(&((tool_options *)line->options)->files, text);
}

void option_output(const command_option *o, char *text, command_line *line)
{
    option_text(o, text, line);
    file_use_write(&((tool_options *)line->options)->files, text);
}

void option_assign(const command_option *o, char *text, command_line *line)
{
    options_assign(line->options, (enum quantity)o->at, text);
}

const option_choice frame_choices[] = {
    {"world", TD_FRAME_WORLD}, {"body", TD_FRAME_BODY}, {"aligned", TD_FRAME_ALIGNED}, {0}};

const shared_page shared_pages[SHARED_PAGES] = {
    {"robot", "how commands of tandem load a robot", "The robot", &robot_page},
    {"state", "how to give a state to commands of tandem", "The state", &state_page},
    {"table", "tables that commands of tandem read and write", "Tables", &table_page}};
