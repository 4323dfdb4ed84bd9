/* SPDX-License-Identifier: MIT */
/*
 * tandem calibrate: finds lengths, origins and axes of joints, and places of points on links, from
 * recorded positions of the points.
 */
#include "commands/calibrate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "input/table_input.h"
#include "output/csv_output.h"
#include "output/output_file.h"
#include "run.h"
#include "text.h"

/* ---- options --------------------------------------------------------------------------------- */

/* Takes each word after FILE and POINTS as a table. */
static bool take_table(const char *word, command_line *line)
{
    calibrate_options *options = line->options;
    if (options->common.file == NULL || options->points == NULL) {
        return false;
    }
    word_list_add(&options->recorded, word);
    file_use_read(&options->common.files, word);
    return true;
}

static void check(command_line *line)
{
    const calibrate_options *options = line->options;
    if (options->recorded.count == 0) {
        option_error(line, "the table RECORDED is missing ('-' is standard input)");
    } else if (strcmp(options->common.file, "-") == 0) {
        option_error(line, "the numbers of FILE are changed in its text; save standard input as a "
                           "file");
    }
}

#define AT(member) .at = offsetof(calibrate_options, member)

static const command_option command_rows[] = {
    {"length", "JOINT",
     "Find the distance of the joint from its parent's origin, in the direction of FILE. Without "
     "any of these options, find the lengths of all joints that may move a point",
     option_list, AT(lengths)},
    {"origin", "JOINT[.NUMBER]",
     "Find x, y and z of the joint's origin, or one of x, y, z, roll, pitch and yaw", option_list,
     AT(origins)},
    {"axis", "JOINT", "Find the direction of the joint's axis", option_list, AT(axes)},
    {"offset", "JOINT",
     "Find the zero position of a joint, or the offset of a joint that follows another one",
     option_list, AT(offsets)},
    {"multiplier", "JOINT", "Find the multiplier of a joint that follows another one", option_list,
     AT(multipliers)},
    {"marker", "POINT", "Find the place of this point on its link", option_list, AT(markers)},
    {"prior", "VALUE",
     "Expect changes of this size: 5mm, 2deg (standard deviation; default a tenth of a length but "
     "at least 1 mm, 0.1 rad, 0.1 of a multiplier)",
     option_joint_amount, AT(prior)},
    {"bound", "FACTOR", "Change no parameter by more than this many of its priors (default 5)",
     option_positive, AT(bound)},
    {"noise", "LENGTH",
     "Standard deviation of a recorded coordinate, as 0.3mm; default: found from the residuals",
     option_length, AT(noise)},
    {"joint-noise", "VALUE",
     "Use columns q:JOINT of RECORDED as measured positions with this standard deviation (0.1deg, "
     "1mm); needed for --offset of a joint that follows none",
     option_joint_amount, AT(joint_noise)},
    {"output", "OUT", "Write FILE with the new numbers to OUT; all else stays as it is",
     option_output, AT(output), .letter = 'o'},
    {"output-points", "OUT", "Write POINTS with the new places to OUT", option_output, AT(marked)},
    {"residuals", "OUT", "Write the distance of each point in each row to OUT, a CSV table (m)",
     option_output, AT(residuals)},
    {0},
};
static const option_argument arguments[] = {
    {"POINTS", AT(points), "the table POINTS is missing: point, link, x, y, z", .takes = NULL},
    {0},
};
const option_set options_of_calibrate = {
    .rows = command_rows,
    .usage = "FILE POINTS RECORDED...",
    .arguments = arguments,
    .take = take_table,
    .check = check,
    .about =
        "Find numbers of FILE from recorded points: the change of each parameter and the joint "
        "positions of each row that minimize the squared residuals in units of the noise, plus the "
        "squared changes in units of their priors. POINTS and RECORDED are tables as for 'tandem "
        "ik "
        "--points'. Print each parameter with its standard error, the combinations of parameters "
        "that the points do not determine, and the residuals. Limits of joints are "
        "ignored.\vExamples:\n  tandem calibrate robot.urdf markers.csv marked.csv -o "
        "calibrated.urdf\n  tandem calibrate robot.urdf markers.csv marked.csv --origin elbow "
        "--marker b --noise 0.3mm",
    .parts = {&model_set, &hidden_columns_set}};

/* ---- output ---------------------------------------------------------------------------------- */

static bool write_file(const char *path, const char *text, size_t size)
{
    output_file file;
    if (!output_open(&file, path)) {
        return false;
    }
    fwrite(text, 1, size, file.stream);
    return output_close(&file);
}

/* Writes the table of points with changes, in m. */
static bool write_points(const char *path, const parameter_list *p, const double *change)
{
    text_stream to;
    text_open(&to);
    fputs("point,link,x,y,z\n", to.stream);
    for (size_t i = 0; i < p->points->count; i++) {
        const marker *m = &p->points->marker[i];
        double at[3];
        memcpy(at, m->point, sizeof at);
        for (size_t g = 0; g < p->groups; g++) {
            if (p->group[g].point == i) {
                parameters_group(p, g, change, at);
            }
        }
        csv_line line = {false, to.stream};
        csv_cell(&line, m->name);
        csv_cell(&line, td_link_at(p->s->model, m->link)->name);
        csv_numbers(&line, at, 3);
        csv_end(&line);
    }
    scoped char *text = text_close(&to);
    return write_file(path, text, to.size);
}

/* Writes the files of -o, --output-points and --residuals. Returns an exit code. */
static int write_files(const calibration_report *r)
{
    bool good = true;
    if (r->options->output != NULL) {
        size_t size;
        scoped char *text = parameters_text(r->parameters, r->result->change, &size);
        good = write_file(r->options->output, text, size);
    }
    if (r->options->marked != NULL && good) {
        good = write_points(r->options->marked, r->parameters, r->result->change);
    }
    if (r->options->residuals != NULL && good) {
        scoped char *text = report_residuals(r);
        good = write_file(r->options->residuals, text, strlen(text));
    }
    return good ? EXIT_GOOD : EXIT_FILE;
}

/* ---- the fit --------------------------------------------------------------------------------- */

/* Prints why a fit failed. Returns the exit code. */
static int complain_failure(const row_list *rows, const td_calibration_result *result,
                            td_status status)
{
    if (result->row != TD_NONE) {
        scoped char *row = row_text(rows, result->row);
        complain("%s: %s", row, td_status_text(status));
    } else if (status == TD_ERROR_ARGUMENT) {
        complain("a changed parameter changes which joints are independent; choose others");
    } else {
        complain("%s", td_status_text(status));
    }
    return EXIT_COMPUTE;
}

/* Makes the model of the file, whatever the changes. */
static td_status build_file(void *context, const double *change, td_model **model, double *point)
{
    const parameter_list *p = context;
    scoped double *none = allocate(p->count, sizeof *none);
    (void)change;
    return parameters_build(context, none, model, point);
}

/* Fits, writes and reports. result: with its arrays. */
static int fit(calibration_report *r, td_calibration *problem, td_calibration_result *result)
{
    const size_t residuals = 3 * problem->points * problem->rows;
    scoped double *before = allocate(residuals, sizeof *before);
    td_calibration as_filed = *problem;
    as_filed.parameters = 0; /* fits the configurations alone */
    as_filed.build = build_file;
    td_status status = td_calibrate(&as_filed, result);
    memcpy(before, result->residual, residuals * sizeof *before);
    if (status == TD_OK) {
        status = td_calibrate(problem, result);
    }
    if (status != TD_OK) {
        return complain_failure(r->rows, result, status);
    }
    if (isnan(r->options->noise) && isnan(result->found)) {
        complain("the points have no more coordinates than unknowns, so that their noise cannot be "
                 "found; give --noise, more points, or fewer parameters");
        return EXIT_COMPUTE;
    }
    r->before = before;
    const int code = write_files(r);
    if (code != EXIT_GOOD) {
        return code;
    }
    if (r->options->common.json) {
        report_print_json(r);
    } else {
        report_print(r);
    }
    return report_tell(r);
}

static int calibrate(const calibrate_options *options, parameter_list *parameters, row_list *rows)
{
    const size_t n = parameters->count, points = rows->points.count;
    scoped size_t *link = allocate(points, sizeof *link);
    scoped double *block = allocate(n * (n + 3) + 3 * points * rows->count, sizeof *block);
    for (size_t i = 0; i < points; i++) {
        link[i] = rows->points.marker[i].link;
    }
    td_calibration problem = {.parameters = n,
                              .prior = parameters->prior,
                              .bound = parameters->bound,
                              .points = points,
                              .link = link,
                              .rows = rows->count,
                              .recorded = rows->recorded,
                              .noise = options->noise,
                              .measured = rows->measured,
                              .position = rows->position,
                              .joint_noise = rows->joint_noise,
                              .build = parameters_build,
                              .context = parameters};
    td_calibration_result result = {.change = block,
                                    .y = rows->y,
                                    .deviation = block + n,
                                    .singular = block + 2 * n,
                                    .combination = block + 3 * n,
                                    .residual = block + n * (n + 3)};
    calibration_report report = {
        .options = options, .parameters = parameters, .rows = rows, .result = &result};
    return fit(&report, &problem, &result);
}

static int run(const session *s, void *context)
{
    const calibrate_options *options = context;
    row_list rows;
    parameter_list parameters = {.count = 0};
    int code = row_list_read(&rows, s, options);
    if (code == EXIT_GOOD) {
        code = parameters_select(&parameters, s, &rows.points, options);
    }
    if (code == EXIT_GOOD) {
        code = calibrate(options, &parameters, &rows);
    }
    parameters_free(&parameters);
    row_list_free(&rows);
    return code;
}

int command_calibrate(int argc, char **argv)
{
    calibrate_options options = {
        .prior = joint_amount_none(),
        .bound = 5,
        .noise = (double)NAN,
        .joint_noise = joint_amount_none(),
    };
    const int code =
        run_session_needing(NEEDS_WORKSPACE, &options_of_calibrate, argc, argv, &options, run);
    word_list *const lists[] = {&options.recorded, &options.lengths, &options.origins,
                                &options.axes,     &options.offsets, &options.multipliers,
                                &options.markers};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        free(lists[i]->word);
    }
    return code;
}
