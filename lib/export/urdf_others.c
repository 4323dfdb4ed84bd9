/* SPDX-License-Identifier: MIT */
/*
 * URDF: loops and couplings of URDF+, springs of Drake, transmissions.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "export/writer.h"
#include "model/motors.h"

enum { LONGEST_TITLE = 160 };

/* `<word name="a b c"/>` */
static void put_element(td_writer *w, const char *word, const char *name, const double *x,
                        size_t count)
{
    td_put_text(&w->sink, "    <");
    td_put_text(&w->sink, word);
    td_put_numbers(w, name, x, count);
    td_put_text(&w->sink, "/>\n");
}

/* Writes a mandatory name; the index replaces a missing one. */
static void put_name(td_writer *w, const char *name, const char *kind, size_t i, td_source source)
{
    char text[64];
    snprintf(text, sizeof text, "%s %zu", kind, i + 1);
    td_put_attribute(w, "name", name && *name ? name : text, kind, source);
}

/* ---- loops ----------------------------------------------------------------------------------- */

static void put_side(td_writer *w, const char *word, const char *link, const td_pose *origin,
                     const char *title, td_source source)
{
    td_put_format(&w->sink, "    <%s", word);
    td_put_attribute(w, "link", link, "a link", source);
    td_put_text(&w->sink, ">\n");
    if (origin)
        td_put_origin(w, "      ", origin, title, source);
    td_put_format(&w->sink, "    </%s>\n", word);
}

static void put_letters(td_writer *w, const char *name, unsigned bits)
{
    char text[6];
    int length = 0;
    for (int k = 0; k < 3; k++)
        if (bits >> k & 1)
            length += snprintf(text + length, sizeof text - (size_t)length, "%s%c",
                               length ? " " : "", "xyz"[k]);
    if (length)
        td_put_attribute(w, name, text, "", TD_NOWHERE);
}

static void put_loop(td_writer *w, const td_loop *loop, size_t i)
{
    char title[LONGEST_TITLE];
    snprintf(title, sizeof title, "loop '%.100s'", loop->name ? loop->name : "");
    td_put_text(&w->sink, "  <loop");
    put_name(w, loop->name, "loop", i, loop->source);
    td_put_attribute(w, "type", td_loop_type_text(loop->type), "", loop->source);
    td_put_text(&w->sink, ">\n");
    put_side(w, "predecessor", loop->predecessor, &loop->predecessor_origin, title, loop->source);
    put_side(w, "successor", loop->successor, &loop->successor_origin, title, loop->source);
    put_element(w, "axis", "xyz", loop->axis, 3);
    if (loop->type == TD_LOOP_UNIVERSAL)
        put_element(w, "axis2", "xyz", loop->second_axis, 3);
    if (loop->type == TD_LOOP_DISTANCE)
        put_element(w, "distance", "value", &loop->distance, 1);
    if (loop->type == TD_LOOP_MASK) {
        td_put_text(&w->sink, "    <mask");
        put_letters(w, "rotation", loop->mask & 7);
        put_letters(w, "translation", loop->mask >> 3 & 7);
        td_put_text(&w->sink, "/>\n");
    }
    if (loop->damping != 0 || loop->friction != 0 || loop->spring_stiffness != 0 ||
        loop->spring_reference != 0) {
        td_put_text(&w->sink, "    <dynamics");
        td_put_unless(w, "damping", loop->damping, 0);
        td_put_unless(w, "friction", loop->friction, 0);
        td_put_unless(w, "spring_stiffness", loop->spring_stiffness, 0);
        td_put_unless(w, "spring_reference", loop->spring_reference, 0);
        td_put_text(&w->sink, "/>\n");
    }
    td_put_text(&w->sink, "  </loop>\n");
}

static void put_coupling(td_writer *w, const td_coupling *coupling, size_t i)
{
    td_put_text(&w->sink, "  <coupling");
    put_name(w, coupling->name, "coupling", i, coupling->source);
    td_put_text(&w->sink, ">\n");
    put_side(w, "predecessor", coupling->predecessor, NULL, "", coupling->source);
    put_side(w, "successor", coupling->successor, NULL, "", coupling->source);
    put_element(w, "ratio", "value", &coupling->ratio, 1);
    td_put_text(&w->sink, "  </coupling>\n");
}

/* ---- springs --------------------------------------------------------------------------------- */

static void put_named(td_writer *w, const char *word, const char *name, td_source source)
{
    td_put_text(&w->sink, "    <drake:");
    td_put_text(&w->sink, word);
    td_put_attribute(w, "name", name, "a link", source);
    td_put_text(&w->sink, "/>\n");
}

static void put_line(td_writer *w, const td_spring *spring)
{
    td_put_text(&w->sink, "  <drake:linear_spring_damper>\n");
    put_named(w, "linear_spring_damper_body_A", spring->predecessor, spring->source);
    put_named(w, "linear_spring_damper_body_B", spring->successor, spring->source);
    put_element(w, "drake:linear_spring_damper_p_AP", "value", spring->predecessor_origin.position,
                3);
    put_element(w, "drake:linear_spring_damper_p_BQ", "value", spring->successor_origin.position,
                3);
    put_element(w, "drake:linear_spring_damper_free_length", "value", &spring->length, 1);
    put_element(w, "drake:linear_spring_damper_stiffness", "value", &spring->stiffness, 1);
    put_element(w, "drake:linear_spring_damper_damping", "value", &spring->damping, 1);
    td_put_text(&w->sink, "  </drake:linear_spring_damper>\n");
}

static void put_frame(td_writer *w, const char *name, const char *link, const td_pose *pose,
                      td_source source)
{
    td_put_text(&w->sink, "  <frame");
    td_put_attribute(w, "name", name, "", source);
    td_put_attribute(w, "link", link, "a link", source);
    td_put_pose(w, pose, "a bushing", source);
    td_put_text(&w->sink, "/>\n");
}

/* Composes a frame's name: bushing_N_A or bushing_N_C, with a suffix if a link has this name. */
static void frame_name(const td_model *model, size_t i, char side, char name[64])
{
    snprintf(name, 64, "bushing_%zu_%c", i + 1, side);
    for (int n = 1; td_link_index(model, name) != TD_NONE && n < 1000; n++)
        snprintf(name, 64, "bushing_%zu_%c_%d", i + 1, side, n);
}

static void put_bushing(td_writer *w, const td_spring *spring, size_t i)
{
    char A[64], C[64];
    frame_name(w->model, i, 'A', A);
    frame_name(w->model, i, 'C', C);
    put_frame(w, A, spring->predecessor, &spring->predecessor_origin, spring->source);
    put_frame(w, C, spring->successor, &spring->successor_origin, spring->source);
    td_put_text(&w->sink, "  <drake:linear_bushing_rpy>\n");
    put_named(w, "bushing_frameA", A, spring->source);
    put_named(w, "bushing_frameC", C, spring->source);
    put_element(w, "drake:bushing_torque_stiffness", "value", spring->angular_stiffness, 3);
    put_element(w, "drake:bushing_torque_damping", "value", spring->angular_damping, 3);
    put_element(w, "drake:bushing_force_stiffness", "value", spring->linear_stiffness, 3);
    put_element(w, "drake:bushing_force_damping", "value", spring->linear_damping, 3);
    td_put_text(&w->sink, "  </drake:linear_bushing_rpy>\n");
}

/* ---- transmissions --------------------------------------------------------------------------- */

/* Writes <word>value</word>. */
static void put_quantity(td_writer *w, const char *indent, const char *word, double value)
{
    td_put_format(&w->sink, "%s<%s>", indent, word);
    td_put_double(&w->sink, value);
    td_put_format(&w->sink, "</%s>\n", word);
}

static void put_unless_zero(td_writer *w, const char *indent, const char *word, double value)
{
    if (value != 0)
        put_quantity(w, indent, word, value);
}

/* Returns whether a motor is written with ratios, so that its type does not matter. Others are
   simple drives of one joint. */
static bool has_ratios(const td_writer *w, const td_motor *motor)
{
    static const char simple[] = "SimpleTransmission";
    const td_transmission *record = motor->record;
    const size_t length = record->type ? strlen(record->type) : 0, end = sizeof simple - 1;
    if (motor->end > motor->first + 1 || record->ratio != 1)
        return true;
    if (w->dynamic)
        return false;
    return length > 0 && (length < end || strcmp(record->type + length - end, simple) != 0);
}

/* Writes the limits of a motor's shaft, which have no effect on torques. */
static void put_limits(td_writer *w, const char *indent, const td_transmission *record)
{
    const double limits[] = {record->effort_limit, record->velocity_limit, record->power_limit};
    static const char *const words[] = {"effort", "velocity", "power"};
    if (w->dynamic || (isnan(limits[0]) && isnan(limits[1]) && isnan(limits[2])))
        return;
    td_put_format(&w->sink, "%s<limit", indent);
    for (int k = 0; k < 3; k++)
        if (!isnan(limits[k]))
            td_put_numbers(w, words[k], &limits[k], 1);
    td_put_text(&w->sink, "/>\n");
}

static void put_drive(td_writer *w, const char *indent, const td_motor *motor)
{
    const td_transmission *record = motor->record;
    put_quantity(w, indent, "mechanicalReduction", record->mechanical_reduction);
    put_unless_zero(w, indent, "rotorInertia", record->rotor_inertia);
    put_unless_zero(w, indent, "damping", record->damping);
    put_unless_zero(w, indent, "friction", record->friction);
    put_limits(w, indent, record);
    if (!w->dynamic && has_ratios(w, motor))
        put_unless_zero(w, indent, "offset", record->offset);
}

static void put_type(td_writer *w, const td_transmission *record)
{
    if (!record->type || w->dynamic)
        return;
    td_put_text(&w->sink, "    <type>");
    td_put_escaped(w, record->type, "the type of a transmission", record->source);
    td_put_text(&w->sink, "</type>\n");
}

static void put_joint(td_writer *w, const td_motor *motor, const td_transmission *record)
{
    const bool ratios = has_ratios(w, motor),
               offset = !w->dynamic && !ratios && record->offset != 0;
    td_put_text(&w->sink, "    <joint");
    td_put_attribute(w, "name", record->joint, "a joint", record->source);
    if (!ratios && !offset) {
        td_put_text(&w->sink, "/>\n");
        return;
    }
    td_put_text(&w->sink, ">\n");
    if (ratios)
        put_quantity(w, "      ", "ratio", record->ratio);
    if (offset)
        put_quantity(w, "      ", "offset", 0 - record->offset);
    td_put_text(&w->sink, "    </joint>\n");
}

static void put_motor(td_writer *w, const td_motor *motor)
{
    const td_transmission *record = motor->record;
    const bool several = motor->end > motor->first + 1;
    const char *actuator = several || !w->dynamic ? record->actuator : NULL;
    td_put_text(&w->sink, "  <transmission");
    if (!w->dynamic)
        put_name(w, record->name, "transmission", motor->first, record->source);
    td_put_text(&w->sink, ">\n");
    put_type(w, record);
    for (size_t k = motor->first; k < motor->end; k++)
        put_joint(w, motor, &w->model->records.transmission.at[k]);
    if (actuator) {
        td_put_text(&w->sink, "    <actuator");
        td_put_attribute(w, "name", actuator, "an actuator", record->source);
        td_put_text(&w->sink, ">\n");
        put_drive(w, "      ", motor);
        td_put_text(&w->sink, "    </actuator>\n");
    } else {
        put_drive(w, "    ", motor);
    }
    td_put_text(&w->sink, "  </transmission>\n");
}

static void put_command(td_writer *w, const char *word, size_t length, td_source source)
{
    char *name = length > 0 ? td_arena_copy(&w->arena, word, length + 1, 1) : NULL;
    w->failed = w->failed || (length > 0 && !name);
    if (!name)
        return;
    name[length] = '\0';
    td_put_text(&w->sink, "      <command_interface");
    td_put_attribute(w, "name", name, "a command", source);
    td_put_text(&w->sink, "/>\n");
}

/* Writes what controllers command as <ros2_control>. */
static void put_commands(td_writer *w)
{
    const td_records *given = &w->model->given;
    bool any = false;
    for (size_t i = 0; i < given->joint.count; i++) {
        const td_joint *joint = &given->joint.at[i];
        if (!joint->command || w->dynamic)
            continue;
        if (!any)
            td_put_text(&w->sink, "  <ros2_control name=\"controllers\" type=\"system\">\n");
        any = true;
        td_put_text(&w->sink, "    <joint");
        td_put_attribute(w, "name", joint->name, "a joint", joint->source);
        td_put_text(&w->sink, ">\n");
        for (const char *word = joint->command; *word; word += strcspn(word, " ")) {
            word += strspn(word, " ");
            put_command(w, word, strcspn(word, " "), joint->source);
        }
        td_put_text(&w->sink, "    </joint>\n");
    }
    if (any)
        td_put_text(&w->sink, "  </ros2_control>\n");
}

void td_write_urdf_others(td_writer *w)
{
    const td_records *given = &w->model->given;
    for (size_t i = 0; i < given->loop.count; i++)
        put_loop(w, &given->loop.at[i], i);
    for (size_t i = 0; i < given->coupling.count; i++)
        put_coupling(w, &given->coupling.at[i], i);
    for (size_t i = 0; i < given->spring.count; i++)
        if (given->spring.at[i].type == TD_SPRING_LINE)
            put_line(w, &given->spring.at[i]);
        else
            put_bushing(w, &given->spring.at[i], i);
    const td_records *used = &w->model->records; /* with defaults for invalid numbers */
    for (td_motor motor = {0}; td_next_motor(used, &motor);)
        put_motor(w, &motor);
    put_commands(w);
}
