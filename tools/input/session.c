/* SPDX-License-Identifier: MIT */
/*
 * Loads a robot; see session.h.
 */
#include "input/session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../urdf/xacro_file.h"
#include "command.h"
#include "input/bundled.h"
#include "input/position_units.h"
#include "input/random_state.h"
#include "meshes/mesh_check.h"
#include "output/json.h"
#include "text.h"

/* Returns whether a diagnostic is a mistake of the command line and not of the file: an unknown
   name in --actuated or --start, a joint that --lock cannot lock, or NAME:=VALUE
   for a file that is not xacro. */
static bool blames_options(const td_diagnostics *list)
{
    size_t errors = 0;
    size_t of_options = 0;
    for (size_t i = 0; i < td_diagnostics_size(list); i++) {
        const td_diagnostic *d = td_diagnostics_at(list, i);
        errors += d->severity == TD_SEVERITY_ERROR;
        of_options += strcmp(d->code, "URDF-T003") == 0 || strcmp(d->code, "URDF-L001") == 0 ||
                      strcmp(d->code, "URDF-L002") == 0 || strcmp(d->code, "URDF-C052") == 0 ||
                      strcmp(d->code, "URDF-X044") == 0;
    }
    return errors > 0 && errors == of_options;
}

static int exit_code_of(const session *s)
{
    if (s->status == TD_OK) {
        return EXIT_GOOD;
    }
    const bool options = s->status == TD_ERROR_ARGUMENT || blames_options(s->diagnostics);
    return s->status == TD_ERROR_MEMORY ? EXIT_COMPUTE : options ? EXIT_USAGE : EXIT_FILE;
}

/* Adds diagnostics about mesh files. If warnings are errors, they prevent loading. */
static void check_meshes(session *s, const tool_options *options, const char *file)
{
    const td_file_search places = options_mesh_places(options, file);
    if (!mesh_check(s->model, &places, s->diagnostics)) {
        s->status = TD_ERROR_MEMORY;
    } else if (options->load.strict &&
               td_diagnostics_count(s->diagnostics, TD_SEVERITY_WARNING) > 0) {
        s->status = TD_ERROR_MODEL;
    }
    if (s->status != TD_OK) {
        td_model_free(s->model);
        s->model = NULL;
    }
}

int session_load(session *s, const tool_options *options, const char *file)
{
    bool standard = strcmp(file, "-") == 0;
    td_load_options load = options->load;
    if (options->some_xacro && !td_is_xacro_file(file)) {
        load.xacro_argument_count = 0;
    }
    *s = (session){.file = standard ? "<stdin>" : file};
    s->status = td_diagnostics_new(0, &s->diagnostics);
    if (s->status == TD_OK) {
        s->status = td_load_urdf(file, &load, s->diagnostics, &s->model);
    }
    if (s->status == TD_OK && !position_units_check(options, s->model)) {
        td_model_free(s->model);
        s->model = NULL;
        s->status = TD_ERROR_ARGUMENT;
        s->refused = true;
    }
    if (s->model != NULL && options->checks_meshes) {
        check_meshes(s, options, file);
    }
    return exit_code_of(s);
}

static void put_colour(const char *colour)
{
    fputs(wants_colour(stderr) ? colour : "", stderr);
}

/* Prints a diagnostic. more: text about similar ones that are not listed, or "". */
static void put_diagnostic(const td_diagnostic *d, const char *file, const char *more)
{
    static const char *const colour[] = {"\033[36m", "\033[33m", "\033[31m"};
    const td_source *source = &d->source;
    if (d->severity != TD_SEVERITY_ERROR && !notes_shown()) {
        return;
    }
    put_clean(stderr, source->file != NULL && *source->file != '\0' ? source->file : file);
    if (source->line > 0) {
        fprintf(stderr, ":%d:%d", source->line, source->column);
    }
    fputs(": ", stderr);
    put_colour(colour[d->severity]);
    fprintf(stderr, "%s[%s]", td_severity_text(d->severity), d->code);
    put_colour("\033[0m");
    fputs(": ", stderr);
    put_clean(stderr, d->message);
    fputs(more, stderr);
    if (*d->remedy != '\0') {
        fputs(" (", stderr);
        put_clean(stderr, d->remedy);
        fputc(')', stderr);
    }
    fputc('\n', stderr);
}

/* Returns the end of the quoted name or number that starts at text, or text if neither does. */
static const char *skip_value(const char *text)
{
    static const char digits[] = "0123456789";
    const char *end = *text == '\'' ? strchr(text + 1, '\'') : NULL;
    if (end != NULL) {
        return end + 1;
    }
    size_t sign = *text == '-';
    return strspn(text + sign, digits) > 0 ? text + sign + strspn(text + sign, "0123456789.e+-")
                                           : text;
}

/* Returns whether the messages of two diagnostics differ only in names and numbers. */
static bool same_kind(const td_diagnostic *a, const td_diagnostic *b)
{
    const char *x = a->message;
    const char *y = b->message;
    if (strcmp(a->code, b->code) != 0) {
        return false;
    }
    while (*x != '\0' && *y != '\0') {
        const char *x_end = skip_value(x);
        const char *y_end = skip_value(y);
        bool values = x_end > x && y_end > y;
        if (!values && *x != *y) {
            return false;
        }
        x = values ? x_end : x + 1;
        y = values ? y_end : y + 1;
    }
    return *x == *y;
}

/* Prints a warning or error in one line. If there are many of one kind, prints the first warning,
   or the first few errors, with the count. */
static void put_of_kind(const session *s, size_t i)
{
    enum { FEW = 3 };
    const td_diagnostics *list = s->diagnostics;
    const td_diagnostic *d = td_diagnostics_at(list, i);
    const size_t listed = d->severity == TD_SEVERITY_ERROR ? FEW : 1;
    size_t count = 0, before = 0;
    for (size_t k = 0; k < td_diagnostics_size(list); k++) {
        bool same = same_kind(d, td_diagnostics_at(list, k));
        before += same && k < i;
        count += same;
    }
    const bool many = count > FEW;
    if (many && before >= listed) {
        return;
    }
    scoped char *more = !many || before + 1 < listed ? text_format("%s", "")
                        : listed == 1
                            ? text_format(" (%zu times, first here; -v lists all)", count)
                            : text_format(" (%zu more like this; -v lists all)", count - listed);
    put_diagnostic(d, s->file, more);
}

void session_report(const session *s, bool notes)
{
    size_t size = td_diagnostics_size(s->diagnostics);
    size_t reported = 0;
    for (size_t i = 0; i < size; i++) {
        const td_diagnostic *d = td_diagnostics_at(s->diagnostics, i);
        if (notes) {
            put_diagnostic(d, s->file, "");
        } else if (d->severity != TD_SEVERITY_NOTE) {
            put_of_kind(s, i);
        }
    }
    for (td_severity v = TD_SEVERITY_NOTE; v <= TD_SEVERITY_ERROR; v++) {
        reported += td_diagnostics_count(s->diagnostics, v);
    }
    if (reported > size) {
        complain("%s: %zu more diagnostics are not listed", s->file, reported - size);
    }
    if (s->status == TD_ERROR_IO) {
        bundled_hint(s->file);
    }
    /* explain failures without a diagnostic, and failures due to --strict alone */
    if (s->status != TD_OK && !s->refused &&
        (s->status == TD_ERROR_MEMORY ||
         td_diagnostics_count(s->diagnostics, TD_SEVERITY_ERROR) == 0)) {
        bool strict = td_diagnostics_count(s->diagnostics, TD_SEVERITY_WARNING) > 0 &&
                      s->status == TD_ERROR_MODEL;
        complain("%s: %s", s->file,
                 strict ? "refused for its warnings (--strict)" : td_status_text(s->status));
    }
}

static char *plural(size_t count, const char *what)
{
    return text_format("%zu %s%s", count, what, count == 1 ? "" : "s");
}

char *severity_counts(size_t errors, size_t warnings, size_t notes)
{
    char *parts[] = {plural(errors, "error"), plural(warnings, "warning"), plural(notes, "note")};
    char *text = text_format("%s, %s, %s", parts[0], parts[1], parts[2]);
    for (size_t i = 0; i < 3; i++) {
        free(parts[i]);
    }
    return text;
}

void session_add_json(cJSON *item, const session *s)
{
    const td_diagnostics *list = s->diagnostics;
    cJSON_AddItemToObject(item, "file", json_text(s->file));
    cJSON_AddItemToObject(item, "loads", cJSON_CreateBool(s->status == TD_OK));
    cJSON_AddItemToObject(item, "status", json_text(td_status_text(s->status)));
    cJSON_AddItemToObject(item, "errors",
                          json_count(td_diagnostics_count(list, TD_SEVERITY_ERROR)));
    cJSON_AddItemToObject(item, "warnings",
                          json_count(td_diagnostics_count(list, TD_SEVERITY_WARNING)));
    cJSON_AddItemToObject(item, "notes", json_count(td_diagnostics_count(list, TD_SEVERITY_NOTE)));
    cJSON_AddItemToObject(item, "diagnostics", json_diagnostics(list, s->file));
}

/* Prints diagnostics about parts of the file that the model lacks or changes, because they affect
   results. Returns the number of other warnings. */
static size_t report_omissions(const session *s)
{
    size_t others = td_diagnostics_count(s->diagnostics, TD_SEVERITY_WARNING);
    for (size_t i = 0; i < td_diagnostics_size(s->diagnostics); i++) {
        if (td_diagnostics_at(s->diagnostics, i)->omission) {
            put_of_kind(s, i);
            others--;
        }
    }
    return others;
}

static void report_warnings(const session *s, bool quiet)
{
    if (is_verbose() && !quiet) {
        session_report(s, true);
        return;
    }
    size_t others = report_omissions(s);
    if (others > 0 && !quiet) {
        tell_note("%s: %zu warning%s ('tandem check' lists %s)", s->file, others,
                  others == 1 ? "" : "s", others == 1 ? "it" : "them");
    }
}

/* Reports why there is no workspace: its size, and what would reduce it. */
static void complain_of_size(const session *s, const td_workspace_options *options)
{
    const double gigabytes = (double)td_workspace_bytes(s->model, options) / 1e9;
    const char *flexible =
        td_flexible_count(s->model) > 0 ? "fewer segments of flexible links, " : "";
    if (options->matrices) {
        complain("%s: out of memory: this computation needs matrices of %zu × %zu numbers, in a "
                 "workspace of %.1f GB; %slocked joints (--lock) reduce it",
                 s->file, td_nv(s->model), td_nv(s->model), gigabytes, flexible);
    } else {
        complain("%s: out of memory: a workspace of %.1f GB", s->file, gigabytes);
    }
}

/* Returns whether forward dynamics needs a workspace with matrices. Computes nothing: the call
   passes an invalid position, which the library checks after it checks for matrices. */
static bool forward_needs_matrices(const session *s, td_workspace *workspace)
{
    const size_t size = s->tree ? td_nq(s->model) : td_ny(s->model);
    scoped double *position = allocate(size, sizeof *position);
    scoped double *out = allocate(s->tree ? td_nv(s->model) : td_nyd(s->model), sizeof *out);
    td_status each;
    for (size_t i = 0; i < size; i++) {
        position[i] = (double)NAN;
    }
    const td_status one = td_forward_dynamics(s->model, workspace, position, NULL, NULL, NULL, out);
    const td_status many =
        td_batch_forward_dynamics(s->model, workspace, 1, position, NULL, NULL, NULL, out, &each);
    return one == TD_ERROR_MATRICES || many == TD_ERROR_MATRICES;
}

td_workspace *session_workspace(const session *s, workspace_needs needs, size_t threads)
{
    td_workspace_options options = td_workspace_options_default();
    options.threads = threads;
    options.following = s->following;
    options.coordinates = coordinates_for(s->tree);
    options.matrices =
        needs == NEEDS_MATRICES || (needs == NEEDS_CONSTRAINTS && td_loop_count(s->model) > 0);
    for (;;) {
        td_workspace *workspace;
        if (td_workspace_new(s->model, &options, &workspace) != TD_OK) {
            complain_of_size(s, &options);
            return NULL;
        }
        if (!loads_carry(s->loads, s->model, workspace)) {
            td_workspace_free(workspace);
            return NULL;
        }
        if (needs != NEEDS_FORWARD || options.matrices || !forward_needs_matrices(s, workspace)) {
            return workspace;
        }
        td_workspace_free(workspace);
        options.matrices = true;
    }
}

int session_open(session *s, tool_options *options, bool quiet)
{
    int code = session_load(s, options, options->file);
    s->loads = &options->loads;
    s->needs = options->needs;
    s->following = options->following;
    s->tree = options->tree;
    if (code == EXIT_GOOD) {
        const bool found = loads_find(&options->loads, &s->model);
        const bool wanted = s->needs != NEEDS_NOTHING;
        s->workspace = found && wanted ? session_workspace(s, s->needs, 1) : NULL;
        if (!found || (wanted && s->workspace == NULL)) {
            code = found ? EXIT_COMPUTE : EXIT_USAGE;
        } else {
            report_warnings(s, quiet);
            loads_tell(&options->loads);
        }
    } else if (options->json && !options->json_file) {
        cJSON *root = json_root(NULL);
        session_add_json(root, s);
        json_print(root, false);
    } else {
        session_report(s, is_verbose());
    }
    if (code != EXIT_GOOD) {
        session_close(s);
    }
    return code;
}

/* Returns the loop of the last failure and its residual, or TD_NONE if no loop failed. */
static size_t loop_of(const session *s, td_status status, double *residual)
{
    bool closing = status == TD_ERROR_ASSEMBLY || status == TD_ERROR_CLOSURE_SINGULAR ||
                   status == TD_ERROR_BRANCH;
    return closing ? td_failed_loop(s->workspace, residual) : TD_NONE;
}

int session_complain(const session *s, const char *what, td_status status)
{
    const char *before = what != NULL ? what : "";
    const char *colon = what != NULL ? ": " : "";
    double residual = 0;
    size_t joint = status == TD_ERROR_SINGULAR ? td_singular_joint(s->workspace) : TD_NONE;
    size_t loop = loop_of(s, status, &residual);
    if (joint != TD_NONE) {
        complain("%s%sthe mass matrix is singular: joint '%s' moves no inertia", before, colon,
                 td_joint_at(s->model, joint)->name);
        return EXIT_COMPUTE;
    }
    if (loop != TD_NONE) {
        bool open = status != TD_ERROR_BRANCH; /* otherwise it is closed within the tolerance */
        double part = td_failed_path(s->workspace);
        scoped char *path = part < 1
                                ? text_format("; from the start it closes up to %.0f %% of the way",
                                              floor(100 * part))
                                : text_format("%s", "");
        complain("%s%s%s: loop '%s'%s%s%s", before, colon, td_status_text(status),
                 td_loop_at(s->model, loop)->name, open ? ", residual " : "",
                 open ? number_brief(residual).text : "", path);
    } else {
        complain("%s%s%s", before, colon, td_status_text(status));
    }
    const bool arguments = status == TD_ERROR_ARGUMENT || status == TD_ERROR_NAME ||
                           status == TD_ERROR_QUATERNION || status == TD_ERROR_DEPENDENT;
    return arguments ? EXIT_USAGE : EXIT_COMPUTE;
}

void session_close(session *s)
{
    td_workspace_free(s->workspace);
    td_model_free(s->model);
    td_diagnostics_free(s->diagnostics);
}
