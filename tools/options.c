/* SPDX-License-Identifier: MIT */
/*
 * The arguments that subcommands share, see options.h.
 */
#include "options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "input/bundled.h"
#include "input/leading.h"
#include "input/option_rows.h"
#include "input/value.h"
#include "output/frame_name.h"
#include "output/help_page.h"
#include "text.h"

enum {
    KEY_BASE = 0x100,
    KEY_GRAVITY,
    KEY_ACTUATED,
    KEY_STRICT,
    KEY_OPEN_LOOPS,
    KEY_PARTIAL,
    KEY_IGNORE_LIMITS,
    KEY_JSON,
    KEY_TREE,
    KEY_QD,
    KEY_PASSIVE,
    KEY_NO_PASSIVE,
    KEY_FD_PLAN,
    KEY_SUBMECHANISMS,
    KEY_LOCK,
    KEY_START,
    KEY_STATE
};

size_t option_count(const char *option, const char *text, size_t most, struct argp_state *state)
{
    double x = 0;
    if (!parse_number(text, &x) || x < 1 || x > (double)most || x != floor(x)) {
        option_error(state, "--%s must be a whole number from 1 to %zu, not '%s'", option, most,
                     text);
    }
    return (size_t)x;
}

double option_positive(const char *option, const char *text, struct argp_state *state)
{
    double x = 0;
    if (!parse_number(text, &x) || x <= 0) {
        option_error(state, "--%s must be a number above zero, not '%s'", option, text);
    }
    return x;
}

const char *plan_text(td_plan plan)
{
    static const char *const text[] = {
        [TD_PLAN_AUTO] = "auto", [TD_PLAN_CLUSTER] = "cluster", [TD_PLAN_REDUCED] = "reduced"};
    return text[plan];
}

static void read_base(tool_options *options, const char *text, struct argp_state *state)
{
    if (strcmp(text, "fixed") == 0) {
        options->load.base = TD_BASE_FIXED;
    } else if (strcmp(text, "floating") == 0) {
        options->load.base = TD_BASE_FLOATING;
    } else {
        option_error(state, "--base must be 'fixed' or 'floating', not '%s'", text);
    }
}

static void read_gravity(tool_options *options, const char *text, struct argp_state *state)
{
    if (!read_quantities(text, UNIT_SLIDE, 2, 3, options->load.gravity)) {
        option_error(state, "--gravity must be three numbers X,Y,Z in m/s², not '%s'", text);
    }
}

/* Adds the names of a comma-separated list; argv is ours to cut up. */
static void read_actuated(tool_options *options, char *text)
{
    td_load_options *load = &options->load;
    if (strcmp(text, "independent") == 0) {
        load->actuation = TD_ACTUATION_INDEPENDENT;
        return;
    }
    if (strcmp(text, "transmissions") == 0) {
        load->actuation = TD_ACTUATION_TRANSMISSION;
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

/* One more JOINT=POSITION to a list and its unit to another; the name of a joint may hold an equals
   sign. */
static td_joint_position *read_position(td_joint_position *list, const value_unit ***units,
                                        size_t *count, const char *option, char *text,
                                        struct argp_state *state)
{
    char *equals = strrchr(text, '=');
    td_joint_position one = {text, 0};
    const value_unit *u = NULL;
    if (equals == NULL || equals == text) {
        option_error(state, "%s must be JOINT=POSITION, not '%s'", option, text);
    } else if (!value_parse(equals + 1, &one.position, &u)) {
        option_error(state, "%s %s: '%s' is not a finite number", option, text, equals + 1);
    } else {
        *equals = '\0';
        list = reallocate(list, *count + 1, sizeof *list);
        *units = reallocate(*units, *count + 1, sizeof **units);
        (*units)[*count] = u;
        list[(*count)++] = one;
    }
    return list;
}

static void read_lock(tool_options *options, char *text, struct argp_state *state)
{
    td_load_options *load = &options->load;
    load->locked = options->locked = read_position(options->locked, &options->locked_unit,
                                                   &load->locked_count, "--lock", text, state);
}

/* JOINT=POSITION, several with commas between; the option may be repeated */
static void read_start(tool_options *options, char *text, struct argp_state *state)
{
    td_load_options *load = &options->load;
    for (char *one = strsep(&text, ","); one != NULL; one = strsep(&text, ",")) {
        load->start = options->start = read_position(options->start, &options->start_unit,
                                                     &load->start_count, "--start", one, state);
    }
}

static void read_fd_plan(tool_options *options, const char *text, struct argp_state *state)
{
    for (td_plan plan = TD_PLAN_AUTO; plan <= TD_PLAN_REDUCED; plan++) {
        if (strcmp(text, plan_text(plan)) == 0) {
            options->load.plan = plan;
            return;
        }
    }
    option_error(state, "--fd-plan must be 'auto', 'cluster' or 'reduced', not '%s'", text);
}

static void read_file(tool_options *options, const char *name, struct argp_state *state)
{
    const struct argp *command = state->root_argp; /* argp puts one of its own above it */
    while (command->args_doc == NULL && command->children != NULL &&
           command->children->argp != NULL) {
        command = command->children->argp;
    }
    const bool several = command->args_doc != NULL && strstr(command->args_doc, "FILE...") != NULL;
    if (options->file != NULL && !several) {
        option_error(state, "more than one FILE: '%s'", name);
    }
    for (size_t i = 0; i < options->file_count && strcmp(name, "-") == 0; i++) {
        if (strcmp(options->each[i], "-") == 0) {
            option_error(state, "only one FILE can be standard input");
        }
    }
    options->each = reallocate(options->each, options->file_count + 1, sizeof *options->each);
    options->each[options->file_count++] = name;
    options->file = options->each[0];
}

static tool_options *parsed; /* of the command that is parsed */

tool_options *parsed_options(const struct argp_state *state)
{
    return state->input != NULL ? state->input : parsed;
}

/* Reads the options that say how FILE is loaded. */
static error_t parse_loading(int key, char *arg, struct argp_state *state)
{
    tool_options *options = parsed_options(state);
    switch (key) {
    case KEY_BASE:
        read_base(options, arg, state);
        break;
    case KEY_GRAVITY:
        read_gravity(options, arg, state);
        break;
    case KEY_ACTUATED:
        read_actuated(options, arg);
        break;
    case KEY_FD_PLAN:
        read_fd_plan(options, arg, state);
        break;
    case KEY_LOCK:
        read_lock(options, arg, state);
        break;
    case KEY_START:
        read_start(options, arg, state);
        break;
    case KEY_SUBMECHANISMS:
        options->load.submechanisms = arg;
        break;
    case KEY_STRICT:
        options->load.strict = true;
        break;
    case KEY_OPEN_LOOPS:
        options->load.open_loops = true;
        break;
    case KEY_PARTIAL:
        options->load.partial = true;
        break;
    case KEY_IGNORE_LIMITS:
        options->load.ignore_limits = true;
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static error_t parse_model(int key, char *arg, struct argp_state *state)
{
    tool_options *options = parsed_options(state);
    switch (key) {
    case KEY_JSON:
        options->json = true;
        break;
    case ARGP_KEY_ARG:
        read_file(options, arg, state);
        break;
    case ARGP_KEY_END:
        if (options->file == NULL) {
            option_error(state, "a FILE is missing ('-' is standard input)");
        }
        break;
    default:
        return parse_loading(key, arg, state);
    }
    return 0;
}

/* How a robot is loaded. Commands hide these rows, 'tandem help robot' shows them. */
#define BASE(flags)                                                                                \
    {                                                                                              \
        "base", KEY_BASE, "KIND", flags,                                                           \
            "Make the root link 'fixed' to the world (default) or 'floating'", 1                   \
    }
#define GRAVITY(flags)                                                                             \
    {                                                                                              \
        "gravity", KEY_GRAVITY, "X,Y,Z", flags,                                                    \
            "Set gravity in world axes, m/s² (default 0,0,-9.81)", 1                               \
    }
#define ACTUATED(flags)                                                                            \
    {                                                                                              \
        "actuated", KEY_ACTUATED, "JOINTS", flags,                                                 \
            "Choose the motors: 'independent' (default), 'transmissions', or joint names "         \
            "separated by commas",                                                                 \
            1                                                                                      \
    }
#define FD_PLAN(flags)                                                                             \
    {                                                                                              \
        "fd-plan", KEY_FD_PLAN, "PLAN", flags,                                                     \
            "Compute accelerations by articulated bodies over clusters ('cluster'), "              \
            "factors of GᵀHG ('reduced'), or the cheaper of both ('auto', default)",               \
            1                                                                                      \
    }
#define LOADING(flags)                                                                             \
    {"submechanisms",                                                                              \
     KEY_SUBMECHANISMS,                                                                            \
     "LIST",                                                                                       \
     flags,                                                                                        \
     "Read loops, independent and actuated joints that FILE lacks from a YAML file",               \
     1},                                                                                           \
        {"lock",                                                                                   \
         KEY_LOCK,                                                                                 \
         "JOINT=POSITION",                                                                         \
         flags,                                                                                    \
         "Fix a joint at a position (as with -q) when the robot is loaded; may be repeated",       \
         1},                                                                                       \
        {"start",                                                                                  \
         KEY_START,                                                                                \
         "JOINT=POSITION,...",                                                                     \
         flags,                                                                                    \
         "Start joints here, which selects the branch of loops (as with -q); other joints "        \
         "start at reference= of FILE, else at zero or the nearest limit",                         \
         1},                                                                                       \
        {"strict", KEY_STRICT, NULL, flags, "Refuse a file with warnings", 1},                     \
        {"open-loops",                                                                             \
         KEY_OPEN_LOOPS,                                                                           \
         NULL,                                                                                     \
         flags,                                                                                    \
         "Leave loops open: the robot is its spanning tree",                                       \
         1},                                                                                       \
        {"ignore-limits",                                                                          \
         KEY_IGNORE_LIMITS,                                                                        \
         NULL,                                                                                     \
         flags,                                                                                    \
         "Ignore all limits of joint positions in FILE",                                           \
         1},                                                                                       \
    {                                                                                              \
        "partial", KEY_PARTIAL, NULL, flags,                                                       \
            "Load a part of a robot whose parent link or leading joints are not in FILE", 1        \
    }

static const struct argp_option model_options[] = {
    BASE(OPTION_HIDDEN),
    LOADING(OPTION_HIDDEN),
    {"--base, --lock, ...", 0, NULL, OPTION_DOC | OPTION_NO_USAGE,
     "Control how FILE is loaded: 'tandem help robot'", 1},
    {"json", KEY_JSON, NULL, 0, "Print JSON", 2},
    {0},
};
static const struct argp_option gravity_options[] = {GRAVITY(OPTION_HIDDEN), {0}};
static const struct argp_option actuated_options[] = {ACTUATED(OPTION_HIDDEN), {0}};
static const struct argp_option plan_options[] = {FD_PLAN(OPTION_HIDDEN), {0}};
static const struct argp_option robot_options[] = {BASE(0),    GRAVITY(0), ACTUATED(0),
                                                   FD_PLAN(0), LOADING(0), {0}};

const struct argp gravity_argp = {gravity_options, parse_loading, NULL, NULL, NULL, NULL, NULL};
const struct argp actuated_argp = {actuated_options, parse_loading, NULL, NULL, NULL, NULL, NULL};
const struct argp plan_argp = {plan_options, parse_loading, NULL, NULL, NULL, NULL, NULL};

static const struct argp_child robot_children[] = {{&load_page_argp, 0, NULL, 0}, {0}};
const struct argp robot_argp = {robot_options,
                                NULL,
                                "FILE",
                                "These options control how commands load a robot from FILE. "
                                "Commands that compute forces also accept payloads and wrenches.",
                                robot_children,
                                NULL,
                                NULL};

static const struct argp_child model_children[] = {{&help_option_argp, 0, NULL, 0}, {0}};

const struct argp model_argp = {model_options, parse_model, NULL, NULL, model_children, NULL, NULL};

/* A table of states comes alone, and gives a table. */
static void check_states(const tool_options *options, struct argp_state *state)
{
    if (options->states == NULL) {
        if (options->takes_states && !options->tabular && options->plot != NULL) {
            option_error(state, "--plot draws a table: give STATES");
        }
        return;
    }
    if (names_robot(options->states)) {
        option_error(state, "'%s' is a second robot, not a table of states", options->states);
    } else if (!options->table_beside_state &&
               (options->assignment_count > 0 || options->state != NULL)) {
        option_error(state, "give a table of states or one state, not both");
    } else if (strcmp(options->states, "-") == 0 && options->file != NULL &&
               strcmp(options->file, "-") == 0) {
        option_error(state, "FILE and STATES cannot both be standard input");
    }
}

static error_t parse_state_file(int key, char *arg, struct argp_state *state)
{
    tool_options *options = parsed_options(state);
    if (key != KEY_STATE) {
        return ARGP_ERR_UNKNOWN;
    }
    if (options->state != NULL) {
        option_error(state, "--state is given twice");
    }
    options->state = arg;
    return 0;
}

static const struct argp_option state_file_options[] = {
    {"state", KEY_STATE, "FILE", 0, "Read the state from a file ('tandem help state')", 0},
    {0},
};
static const struct argp_option hidden_state_file_options[] = {
    {"state", KEY_STATE, "FILE", OPTION_HIDDEN, NULL, 0},
    {0},
};

const struct argp state_file_argp = {
    state_file_options, parse_state_file, NULL, NULL, NULL, NULL, NULL};
static const struct argp hidden_state_file_argp = {
    hidden_state_file_options, parse_state_file, NULL, NULL, NULL, NULL, NULL};

static error_t parse_state(int key, char *arg, struct argp_state *state)
{
    tool_options *options = parsed_options(state);
    switch (key) {
    case 'q':
        options_assign(options, QUANTITY_Q, arg);
        break;
    case ARGP_KEY_ARG:
        if (!options->takes_states || options->file == NULL || options->states != NULL) {
            return ARGP_ERR_UNKNOWN; /* the parser of FILE takes it, or refuses it */
        }
        options->states = arg;
        break;
    case ARGP_KEY_END:
        check_states(options, state);
        break;
    case KEY_TREE:
        options->tree = true;
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

/* Of many commands, which hide them; 'tandem help state' shows them. */
static const struct argp_option state_options[] = {
    {"q", 'q', "JOINT=VALUE", OPTION_HIDDEN, NULL, 0},
    {"tree", KEY_TREE, NULL, OPTION_HIDDEN, NULL, 0},
    {"-q, --state, --tree", 0, NULL, OPTION_DOC | OPTION_NO_USAGE,
     "Give the state: 'tandem help state'", 0},
    {0},
};
static const struct argp_option state_page_options[] = {
    {"q", 'q', "JOINT=VALUE", 0,
     Q_HELP "; separate several by commas, or give all values in the model's order. Other joints "
            "are in the reference configuration: where --start or FILE puts them and loops were "
            "assembled, else at zero or the nearest limit",
     0},
    {"qd", KEY_QD, "JOINT=VALUE", 0, QD_HELP ", as with -q", 0},
    {"state", KEY_STATE, "FILE", 0,
     "Read the state from a file: JSON as --json prints it (q, qd, ...: names and values), or a "
     "CSV table with one row. -q and similar options override it",
     0},
    {"tree", KEY_TREE, NULL, 0, TREE_HELP, 0},
    {0},
};
const struct argp state_page_argp = {state_page_options,
                                     NULL,
                                     "FILE",
                                     "These options give a state to commands that need one.",
                                     NULL,
                                     NULL,
                                     NULL};

static const struct argp_child state_children[] = {
    {&hidden_state_file_argp, 0, NULL, 0}, {&model_argp, 0, NULL, 0}, {0}};

const struct argp state_argp = {state_options, parse_state, NULL, NULL, state_children, NULL, NULL};

static error_t parse_motion(int key, char *arg, struct argp_state *state)
{
    switch (key) {
    case KEY_QD:
        options_assign(parsed_options(state), QUANTITY_QD, arg);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_option motion_options[] = {
    {"qd", KEY_QD, "JOINT=VALUE", 0, QD_HELP, 0},
    {0},
};

static const struct argp_child motion_children[] = {{&state_argp, 0, NULL, 0}, {0}};

const struct argp velocity_argp = {motion_options,  parse_motion, NULL, NULL,
                                   motion_children, NULL,         NULL};

static error_t parse_passive(int key, char *arg, struct argp_state *state)
{
    tool_options *options = parsed_options(state);
    (void)arg;
    if (key == ARGP_KEY_INIT) {
        options->tells_passive = true;
        return 0;
    }
    if (key != KEY_PASSIVE && key != KEY_NO_PASSIVE) {
        return ARGP_ERR_UNKNOWN;
    }
    options->passive = key == KEY_PASSIVE;
    return 0;
}

/* Of motions, in which they count. */
static error_t parse_no_passive(int key, char *arg, struct argp_state *state)
{
    tool_options *options = parsed_options(state);
    if (key == ARGP_KEY_INIT) {
        options->passive = options->passive_by_default = true;
    }
    return parse_passive(key, arg, state);
}

static const struct argp_option passive_options[] = {
    {"passive", KEY_PASSIVE, NULL, 0,
     "Include rotor inertias, damping, friction and springs of joints", 0},
    {"no-passive", KEY_NO_PASSIVE, NULL, OPTION_HIDDEN, NULL, 0},
    {0},
};
static const struct argp_option no_passive_options[] = {
    {"no-passive", KEY_NO_PASSIVE, NULL, 0, "Leave out damping, friction, springs and rotors", 0},
    {"passive", KEY_PASSIVE, NULL, OPTION_HIDDEN, NULL, 0},
    {0},
};

const struct argp passive_argp = {passive_options, parse_passive, NULL, NULL, NULL, NULL, NULL};
const struct argp no_passive_argp = {
    no_passive_options, parse_no_passive, NULL, NULL, NULL, NULL, NULL};

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

void option_error(const struct argp_state *state, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = text_format_list(format, arguments);
    va_end(arguments);
    fprintf(stderr, "%s: ", state->name);
    put_clean(stderr, text);
    putc('\n', stderr);
    free(text);
    exit(argp_err_exit_status);
}

void check_options(const struct argp *argp, const char *name, int count, char **words)
{
    char *fault = option_fault(argp, name, count, words);
    if (fault != NULL) {
        fprintf(stderr, "%s: ", name);
        put_clean(stderr, fault);
        putc('\n', stderr);
        exit(argp_err_exit_status);
    }
}

void parse_words(const struct argp *argp, int argc, char **argv, void *input)
{
    check_options(argp, argv[0], argc - 1, argv + 1);
    if (argp_parse(argp, argc, argv, ARGP_NO_HELP, NULL, input) != 0) {
        complain("out of memory"); /* of all else argp says what it is, and ends the program */
        exit(argp_err_exit_status);
    }
}

void parse_arguments(const struct argp *argp, int argc, char **argv, void *input,
                     tool_options *options)
{
    memset(options, 0, sizeof *options);
    parsed = options;
    options->load = td_load_options_default();
    parse_words(argp, argc, argv, input);
    file_use *files = &options->files;
    for (size_t i = 0; i < options->file_count; i++) {
        file_use_read(files, options->each[i]);
    }
    file_use_read(files, options->load.submechanisms);
    file_use_read(files, options->states);
    file_use_read(files, options->state);
    file_use_write(files, options->plot);
    if (!file_use_check(files)) {
        exit(argp_err_exit_status);
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
    free(options->mesh_root);
    file_use_free(&options->files);
    loads_free(&options->loads);
}

void options_assign(tool_options *options, enum quantity quantity, const char *text)
{
    options->assignments = reallocate(options->assignments, options->assignment_count + 1,
                                      sizeof *options->assignments);
    options->assignments[options->assignment_count++] = (assignment){quantity, text};
}

td_frame option_frame(const char *text, const struct argp_state *state)
{
    td_frame frame = TD_FRAME_ALIGNED;
    if (!frame_find(text, &frame)) {
        option_error(state, "--frame must be 'world', 'body' or 'aligned', not '%s'", text);
    }
    return frame;
}

const shared_page shared_pages[SHARED_PAGES] = {
    {"robot", "how commands of tandem load a robot", "The robot", &robot_argp},
    {"state", "how to give a state to commands of tandem", "The state", &state_page_argp},
    {"table", "tables that commands of tandem read and write", "Tables", &table_page_argp}};

const struct argp_option *shared_option(const struct argp_option *option, size_t *page)
{
    const struct argp_option *found = NULL;
    for (size_t p = 0; p < SHARED_PAGES && found == NULL && (option->flags & OPTION_HIDDEN); p++) {
        option_rows r = option_rows_of(shared_pages[p].argp, false);
        for (size_t i = 0; i < r.count && found == NULL && option->name != NULL; i++) {
            const struct argp_option *o = r.at[i].option;
            found = strcmp(o->name, option->name) == 0 ? o : NULL;
        }
        *page = p;
        option_rows_free(&r);
    }
    return found;
}
