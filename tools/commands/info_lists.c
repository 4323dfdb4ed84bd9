/* SPDX-License-Identifier: MIT */
/*
 * Prints the lists of tandem info: inertia errors, missing fields, loops, motors, flexible links.
 */
#include "commands/info.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "input/coordinates.h"
#include "input/follower.h"
#include "input/loops.h"
#include "input/motors.h"
#include "output/paragraph.h"
#include "output/table.h"
#include "text.h"

void put_more(size_t count, size_t shown)
{
    if (count > shown) {
        printf("  and %zu more (--all)\n", count - shown);
    }
}

/* ---- inertia and missing data ---------------------------------------------------------------- */

typedef struct offender {
    size_t link;
    double badness;
} offender;

static int compare_offenders(const void *a, const void *b)
{
    const offender *x = a;
    const offender *y = b;
    if (x->badness != y->badness) {
        return x->badness > y->badness ? -1 : 1;
    }
    return x->link < y->link ? -1 : 1;
}

/* Returns links with physically impossible inertias, the worst first, in a new array. */
static offender *find_offenders(const td_model *model, size_t *count, size_t *massive)
{
    offender *found = allocate(td_link_count(model), sizeof *found);
    *count = 0;
    *massive = 0;
    for (size_t i = 0; i < td_link_count(model); i++) {
        const td_link *link = td_link_at(model, i);
        td_inertia_audit audit = td_link_audit(model, i);
        bool ghost = audit.massless && link->has_inertial && audit.moments[2] != 0;
        *massive += !audit.massless;
        if (ghost || (!audit.massless && audit_finding(link, audit) != NULL)) {
            double margin = isfinite(audit.triangle_margin) ? audit.triangle_margin : 0;
            found[(*count)++] = (offender){i, (audit.indefinite ? 10 : 0) - margin};
        }
    }
    qsort(found, *count, sizeof *found, compare_offenders);
    return found;
}

/* Prints joints that move no inertia, since they make the mass matrix singular. */
static void print_branches(const td_model *model, bool all)
{
    size_t joints = td_joint_count(model);
    scoped bool *loaded = allocate(joints, sizeof *loaded);
    name_list idle = {NULL, 0};
    for (size_t i = joints; i-- > 0;) {
        td_joint_place place = td_joint_place_at(model, i);
        td_inertia_audit audit = td_link_audit(model, place.child_link);
        loaded[i] = loaded[i] || !audit.massless || audit.moments[2] > 0;
        if (loaded[i] && place.parent_joint != TD_NONE) {
            loaded[place.parent_joint] = true;
        }
    }
    for (size_t i = 0; i < td_movable_count(model); i++) {
        size_t joint = td_movable_joint(model, i);
        if (!loaded[joint] && td_joint_at(model, joint)->motor == NULL) {
            names_add(&idle, joint_name(model, joint));
        }
    }
    names_count(&idle, "have no mass", "joint", all);
}

/* Counts warnings that masses, inertias or lengths are possible but inconsistent with each other.
 */
static size_t count_misfits(const td_diagnostics *list)
{
    static const char *const codes[] = {"URDF-S042", "URDF-I012", "URDF-I013",
                                        "URDF-I014", "URDF-I015", "URDF-I016"};
    size_t count = 0;
    for (size_t i = 0; i < td_diagnostics_size(list); i++) {
        for (size_t c = 0; c < sizeof codes / sizeof *codes; c++) {
            count += strcmp(td_diagnostics_at(list, i)->code, codes[c]) == 0;
        }
    }
    return count;
}

void print_inertia(const session *s, bool all)
{
    const td_model *model = s->model;
    const size_t misfits = count_misfits(s->diagnostics);
    size_t count;
    size_t massive;
    scoped offender *found = find_offenders(model, &count, &massive);
    if (massive == 0) {
        put_paragraph("inertia", "no link has mass");
    } else if (count == 0 && massive == 1) {
        put_paragraph("inertia", "the inertia of the one link with mass is physically consistent");
    } else if (count == 0) {
        put_fact("inertia", "the inertias of the %zu links with mass are physically consistent",
                 massive);
    } else {
        put_fact("inertia", "%zu of %s %s an inertia that no rigid body can have", count,
                 counted(td_link_count(model), "link").text, count == 1 ? "has" : "have");
        table t = table_new("lrrl");
        table_add(&t, "link");
        table_add(&t, "mass");
        table_add(&t, "margin");
        table_add(&t, "finding");
        for (size_t i = 0; i < count && (all || i < FEW); i++) {
            const td_link *link = td_link_at(model, found[i].link);
            td_inertia_audit audit = td_link_audit(model, found[i].link);
            table_add(&t, "%s", link->name);
            table_add(&t, "%s", number_brief(link->mass).text);
            table_add(&t, "%s", number_brief(audit.triangle_margin).text);
            table_add(&t, "%s", audit_finding(link, audit));
        }
        table_print(&t, 2);
        put_more(count, all ? count : FEW);
    }
    if (misfits > 0) {
        put_fact(
            "",
            "%s%s of size: masses, inertias and lengths are inconsistent ('tandem check' lists %s)",
            count == 0 ? "but " : "", counted(misfits, "warning").text,
            misfits == 1 ? "it" : "them");
    }
    print_branches(model, all);
}

static void collect_joints(const td_model *model, name_list *limits, name_list *efforts,
                           name_list *velocities)
{
    for (size_t i = 0; i < td_movable_count(model); i++) {
        const td_joint *joint = td_joint_at(model, td_movable_joint(model, i));
        const td_limit *limit = &joint->limit;
        const td_joint_kind *kind = td_joint_kind_of(joint->type);
        if (kind->ranged && joint->motor == NULL && (isnan(limit->lower) || isnan(limit->upper))) {
            names_add(limits, joint->name);
        }
        bool inner = joint->flexible != NULL || joint->motor != NULL; /* needs no limits */
        if (kind->nv == 1 && !inner) {
            if (isnan(limit->effort)) {
                names_add(efforts, joint->name);
            }
            if (isnan(limit->velocity)) {
                names_add(velocities, joint->name);
            }
        }
    }
}

/* whether a link is the shaft of a motor */
static bool is_shaft(const td_model *model, size_t link)
{
    const size_t joint = td_link_parent_joint(model, link);
    return joint != TD_NONE && td_joint_at(model, joint)->motor != NULL;
}

void print_missing(const td_model *model, bool all)
{
    name_list links = {NULL, 0};
    name_list limits = {NULL, 0};
    name_list efforts = {NULL, 0};
    name_list velocities = {NULL, 0};
    for (size_t i = 0; i < td_link_count(model); i++) {
        if (td_link_audit(model, i).massless && td_link_at(model, i)->flexible == NULL &&
            !is_shaft(model, i)) {
            names_add(&links, td_link_at(model, i)->name);
        }
    }
    collect_joints(model, &limits, &efforts, &velocities);
    names_count(&links, "no mass", "link", all);
    names_count(&limits, "no range", "joint", all);
    names_count(&efforts, "no effort", "joint", all);
    names_count(&velocities, "no velocity", "joint", all);
}

/* Prints one line for each loop that needs no iteration. */
static void print_settled(const td_model *model, bool all)
{
    static const char *const text[] = {
        [TD_LOOP_FORM_OPEN] = "open: the joints move as if the loop did not exist",
        [TD_LOOP_FORM_IMPLIED] = "implied: other mimic joints already close it",
        [TD_LOOP_FORM_LINEAR] = "linear: its joints follow like mimic joints"};
    size_t count = 0;
    size_t shown = 0;
    for (size_t i = 0; i < td_loop_count(model); i++) {
        td_loop_place place = td_loop_place_at(model, i);
        if (place.cluster != TD_NONE) {
            continue;
        }
        count++;
        if (all || shown < FEW) {
            scoped char *line =
                text_format("loop '%s': %s", td_loop_at(model, i)->name, text[place.form]);
            put_paragraph("", line);
            shown++;
        }
    }
    put_more(count, shown);
}

/* Prints the formulas of a cluster of curves. label precedes the first formula of all clusters. */
static void print_curves(const td_model *model, size_t cluster, const char **label)
{
    for (size_t i = 0; i < td_joint_count(model); i++) {
        if (follows_curves(model, i) && td_joint_place_at(model, i).cluster == cluster) {
            scoped char *formula = follower_text(model, i);
            scoped char *line = text_format("%s = %s", td_joint_at(model, i)->name, formula);
            put_paragraph(*label, line);
            *label = "";
        }
    }
}

/* Prints the rank and the motion of each cluster of iterated loops. */
static void print_clusters(const td_model *model)
{
    const char *label = "curves";
    for (size_t i = 0; i < td_loop_cluster_count(model); i++) {
        td_loop_cluster cluster = td_loop_cluster_at(model, i);
        if (is_curve_cluster(model, i)) {
            print_curves(model, i, &label);
            continue;
        }
        scoped char *loops = cluster_text(model, i);
        scoped char *joints = cluster_joints_text(model, i, true);
        scoped char *leaders = cluster_joints_text(model, i, false);
        td_loop_form form = td_loop_place_at(model, cluster_first_loop(model, i)).form;
        scoped char *rank =
            text_format("%s: %s, %s, rank %zu (%zu redundant), mobility %zu", loops,
                        loop_form_text(form), counted(cluster.rows, "row").text, cluster.rank,
                        cluster.rows - cluster.rank, cluster.independent);
        scoped char *motion = text_format(
            "%s %s %s; singular values %s to %s", joints, cluster.rank == 1 ? "follows" : "follow",
            leaders, number_brief(cluster.smallest).text, number_brief(cluster.largest).text);
        put_paragraph("", rank);
        put_paragraph("", motion);
    }
}

/* The rods that turn without effect, and the coordinates of these motions. */
static void print_idle(const td_model *model, bool all)
{
    coordinates c = coordinates_new(model, false);
    name_list rods = {NULL, 0};
    for (size_t i = 0; i < td_idle_count(model); i++) {
        const td_idle_direction idle = td_idle_direction_at(model, i);
        char *name = text_format("%s (%s%s)", td_link_at(model, idle.link)->name,
                                 c.name[QUANTITY_QD][idle.yd], idle.massless ? ", no inertia" : "");
        names_add(&rods, name);
        free(name);
    }
    if (rods.count) {
        names_count(&rods, "idle", "rod", all);
    }
    coordinates_free(&c);
}

void print_closures(const td_model *model, bool all)
{
    name_list loops = {NULL, 0};
    name_list couplings = {NULL, 0};
    for (size_t i = 0; i < td_loop_count(model); i++) {
        names_add(&loops, td_loop_at(model, i)->name);
    }
    for (size_t i = 0; i < td_coupling_count(model); i++) {
        names_add(&couplings, td_coupling_at(model, i)->name);
    }
    names_count(&loops, "loops", "loop", all);
    print_settled(model, all);
    print_clusters(model);
    print_idle(model, all);
    names_count(&couplings, "couplings", "coupling", all);
    name_list springs = {NULL, 0};
    for (size_t i = 0; i < td_spring_count(model); i++) {
        names_add(&springs, td_spring_at(model, i)->name);
    }
    if (springs.count) {
        names_count(&springs, "springs", "spring", all);
    }
}

/* Prints the limits of motors that transmissions have. */
static void print_motor_limits(const td_model *model, bool all)
{
    size_t count = 0;
    table t = table_new("lrrr");
    table_add(&t, "motor");
    table_add(&t, "effort");
    table_add(&t, "velocity");
    table_add(&t, "power");
    for (size_t i = 0; i < td_nu(model); i++) {
        const td_actuator a = td_actuator_at(model, i);
        const double limit[] = {a.effort_limit, a.velocity_limit, a.power_limit};
        const char *unit[] = {a.turns ? "N m" : "N", a.turns ? "rad/s" : "m/s", "W"};
        if (isinf(limit[0]) && isinf(limit[1]) && isinf(limit[2])) {
            continue;
        }
        if (count++ >= FEW && !all) {
            continue;
        }
        table_add(&t, "%s", a.name);
        for (size_t k = 0; k < 3; k++) {
            scoped char *text = isinf(limit[k])
                                    ? text_format("-")
                                    : text_format("%s %s", number_brief(limit[k]).text, unit[k]);
            table_add(&t, "%s", text);
        }
    }
    if (count > 0) {
        put_fact("motor limits", "of transmissions, at the joints");
        table_print(&t, 2);
        put_more(count, all ? count : FEW);
    } else {
        table_free(&t);
    }
}

void print_actuated(const session *s, bool all)
{
    static const char *const codes[] = {"URDF-T005", "URDF-T006", "URDF-T007"};
    const td_model *model = s->model;
    name_list list = {NULL, 0};
    for (size_t i = 0; i < td_nu(model); i++) {
        td_actuator a = td_actuator_at(model, i);
        bool again = i > 0 && a.joint != TD_NONE && td_actuator_at(model, i - 1).joint == a.joint;
        if (!again) { /* a planar joint has an entry for each coordinate */
            names_add(&list, a.name);
        }
    }
    td_status status = td_actuation_status(model);
    names_count(&list, "actuation", "motor", all);
    if (status != TD_OK) {
        put_paragraph("", td_status_text(status));
    }
    char *left_out[] = {motors_missing(s), motors_unused(model)};
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++) {
        if (*left_out[i] != '\0') {
            put_paragraph("", left_out[i]);
        }
        free(left_out[i]);
    }
    print_motor_limits(model, all);
    for (size_t i = 0; i < td_diagnostics_size(s->diagnostics); i++) {
        const td_diagnostic *d = td_diagnostics_at(s->diagnostics, i);
        for (size_t k = 0; k < sizeof codes / sizeof *codes; k++) {
            if (strcmp(d->code, codes[k]) == 0) {
                put_paragraph("", d->message);
            }
        }
    }
}

/* Adds the stiffness and the frequency (Hz) of a clamped-free beam: the first root of its
   characteristic equation times √(stiffness / inertia) / lengthᵖ. */
static void add_stiffness(table *t, const td_flexible *f, double stiffness, bool twists)
{
    const double root = twists ? 1.5707963267948966 : 3.5160152685;
    const double inertia = twists ? f->rotary_inertia : f->mass_per_length;
    const double reach = twists ? f->length : f->length * f->length;
    if (isnan(stiffness)) {
        table_add(t, "rigid");
        table_add(t, "%s", "");
        return;
    }
    table_add(t, "%s", number_brief(stiffness).text);
    table_add(t, "%s",
              number_brief(root * sqrt(stiffness / inertia) / reach / 6.283185307179586).text);
}

void print_flexible(const td_model *model, bool all)
{
    static const char *const heading[] = {"link", "segments", "length", "EI", "Hz",
                                          "EI2",  "Hz",       "GJ",     "Hz", "ζ"};
    size_t count = td_flexible_count(model);
    if (count == 0) {
        return;
    }
    put_fact("flexible", "%s, SI units ('Hz': its first frequency as a cantilever)",
             counted(count, "link").text);
    table t = table_new("lrrrrrrrrr");
    for (size_t i = 0; i < t.columns; i++) {
        table_add(&t, "%s", heading[i]);
    }
    for (size_t i = 0; i < count && (all || i < FEW); i++) {
        const td_flexible *f = td_flexible_at(model, i);
        table_add(&t, "%s", f->link);
        table_add(&t, "%d", f->segments);
        table_add(&t, "%s", number_brief(f->length).text);
        add_stiffness(&t, f, f->bending_stiffness[0], false);
        add_stiffness(&t, f, f->bending_stiffness[1], false);
        add_stiffness(&t, f, f->torsional_stiffness, true);
        table_add(&t, "%s", number_brief(f->damping_ratio).text);
    }
    table_print(&t, 2);
    put_more(count, all ? count : FEW);
}
