/* SPDX-License-Identifier: MIT */
/*
 * The lists of tandem info: what is wrong with inertias, what is missing, what closes loops, and
 * which joints are motors.
 */
#include "info.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "loops.h"
#include "table.h"
#include "text.h"

enum { LINE = 78, LABEL = 14 };

void put_label(const char *label)
{
    put_heading(label);
    printf("%*s", (int)(strlen(label) < LABEL ? LABEL - strlen(label) : 1), "");
}

/* ---- names ----------------------------------------------------------------------------------- */

typedef struct names {
    const char **name;
    size_t count;
} names;

static void names_add(names *list, const char *name)
{
    list->name = reallocate(list->name, list->count + 1, sizeof *list->name);
    list->name[list->count++] = name;
}

/* "label         2 loops: a, b", on one line and cut, or with all of them on as many as it takes;
   nothing for no names. Frees the list. */
static void names_print(names *list, const char *label, const char *what, bool all)
{
    if (list->count > 0) {
        put_label(label);
        size_t used =
            LABEL + (size_t)printf("%zu %s%s:", list->count, what, list->count == 1 ? "" : "s");
        size_t i = 0;
        for (; i < list->count; i++) {
            bool last = i + 1 == list->count;
            size_t width = text_width(list->name[i]) + 2;
            size_t reserve = last || all ? 0 : sizeof " and 999 more";
            if (i > 0 && used + width + reserve > LINE) {
                if (!all) {
                    break;
                }
                printf(",\n%*s", LABEL, "");
                used = LABEL;
            } else {
                fputs(i > 0 ? ", " : " ", stdout);
            }
            put_clean(stdout, list->name[i]);
            used += width;
        }
        if (i < list->count) {
            printf(" and %zu more", list->count - i);
        }
        fputc('\n', stdout);
    }
    free(list->name);
    *list = (names){NULL, 0};
}

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

/* Links with mass whose inertia no body has, the worst first, in a new array. */
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

/* Joints that move no inertia: they make the mass matrix singular. */
static void print_branches(const td_model *model, bool all)
{
    size_t joints = td_joint_count(model);
    bool *loaded = allocate(joints, sizeof *loaded);
    names idle = {NULL, 0};
    for (size_t i = joints; i-- > 0;) {
        td_joint_place place = td_joint_place_at(model, i);
        td_inertia_audit audit = td_link_audit(model, (size_t)place.child_link);
        loaded[i] = loaded[i] || !audit.massless || audit.moments[2] > 0;
        if (loaded[i] && place.parent_joint >= 0) {
            loaded[place.parent_joint] = true;
        }
    }
    for (size_t i = 0; i < td_movable_count(model); i++) {
        int joint = td_movable_joint(model, i);
        if (!loaded[joint]) {
            names_add(&idle, joint_name(model, joint));
        }
    }
    names_print(&idle, "carry no mass", "joint", all);
    free(loaded);
}

void print_inertia(const td_model *model, bool all)
{
    size_t count;
    size_t massive;
    offender *found = find_offenders(model, &count, &massive);
    put_label("inertia");
    if (massive == 0) {
        puts("no link has mass");
    } else if (count == 0) {
        printf("the %zu links with mass have moments that a body can have\n", massive);
    } else {
        printf("%zu of %zu links have moments that no solid body has\n", count,
               td_link_count(model));
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
    free(found);
    print_branches(model, all);
}

static void collect_joints(const td_model *model, names *limits, names *efforts, names *velocities)
{
    for (size_t i = 0; i < td_movable_count(model); i++) {
        const td_joint *joint = td_joint_at(model, (size_t)td_movable_joint(model, i));
        const td_limit *limit = &joint->limit;
        bool bounded = joint->type == TD_JOINT_REVOLUTE || joint->type == TD_JOINT_PRISMATIC;
        if (bounded && (isnan(limit->lower) || isnan(limit->upper))) {
            names_add(limits, joint->name);
        }
        if (joint->type != TD_JOINT_FLOATING && joint->type != TD_JOINT_PLANAR) {
            if (isnan(limit->effort)) {
                names_add(efforts, joint->name);
            }
            if (isnan(limit->velocity)) {
                names_add(velocities, joint->name);
            }
        }
    }
}

void print_missing(const td_model *model, bool all)
{
    names links = {NULL, 0};
    names limits = {NULL, 0};
    names efforts = {NULL, 0};
    names velocities = {NULL, 0};
    for (size_t i = 0; i < td_link_count(model); i++) {
        if (td_link_audit(model, i).massless) {
            names_add(&links, td_link_at(model, i)->name);
        }
    }
    collect_joints(model, &limits, &efforts, &velocities);
    names_print(&links, "no mass", "link", all);
    names_print(&limits, "no range", "joint", all);
    names_print(&efforts, "no effort", "joint", all);
    names_print(&velocities, "no velocity", "joint", all);
}

/* What becomes of the loops that need no iteration: one line each. */
static void print_settled(const td_model *model, bool all)
{
    static const char *const text[] = {
        [TD_LOOP_OPEN] = "open: the joints move as if it were not there",
        [TD_LOOP_IMPLIED] = "implied: other joints that follow close it already",
        [TD_LOOP_LINEAR] = "linear: its joints follow as mimic joints do"};
    size_t count = 0;
    size_t shown = 0;
    for (size_t i = 0; i < td_loop_count(model); i++) {
        td_loop_place place = td_loop_place_at(model, i);
        if (place.cluster >= 0) {
            continue;
        }
        count++;
        if (all || shown < FEW) {
            shown++;
            put_label("");
            fputs("loop '", stdout);
            put_clean(stdout, td_loop_at(model, i)->name);
            printf("': %s\n", text[place.form]);
        }
    }
    put_more(count, shown);
}

/* What the clusters of iterated loops come to: one line each. */
static void print_clusters(const td_model *model)
{
    for (size_t i = 0; i < td_loop_cluster_count(model); i++) {
        td_loop_cluster cluster = td_loop_cluster_at(model, i);
        char *loops = cluster_text(model, (int)i);
        char *joints = cluster_joints_text(model, (int)i, true);
        char *leaders = cluster_joints_text(model, (int)i, false);
        put_label("");
        put_clean(stdout, loops);
        td_loop_form form = td_loop_place_at(model, (size_t)cluster_first_loop(model, (int)i)).form;
        printf(": %s, %zu rows, rank %zu (%zu redundant), mobility %zu\n", loop_form_text(form),
               cluster.rows, cluster.rank, cluster.rows - cluster.rank, cluster.independent);
        put_label("");
        put_clean(stdout, joints);
        fputs(cluster.rank == 1 ? " follows " : " follow ", stdout);
        put_clean(stdout, leaders);
        printf("; singular values %s to %s\n", number_brief(cluster.smallest).text,
               number_brief(cluster.largest).text);
        free(loops);
        free(joints);
        free(leaders);
    }
}

void print_closures(const td_model *model, bool all)
{
    names loops = {NULL, 0};
    names couplings = {NULL, 0};
    for (size_t i = 0; i < td_loop_count(model); i++) {
        names_add(&loops, td_loop_at(model, i)->name);
    }
    for (size_t i = 0; i < td_coupling_count(model); i++) {
        names_add(&couplings, td_coupling_at(model, i)->name);
    }
    names_print(&loops, "loops", "loop", all);
    print_settled(model, all);
    print_clusters(model);
    names_print(&couplings, "couplings", "coupling", all);
}

void print_actuated(const td_model *model, bool all)
{
    names list = {NULL, 0};
    for (size_t i = 0; i < td_nu(model); i++) {
        td_actuator a = td_actuator_at(model, i);
        if (a.component == 0) { /* a planar one has three entries */
            names_add(&list, a.name);
        }
    }
    td_status status = td_actuation_status(model);
    names_print(&list, "actuation", "motor", all);
    if (status != TD_OK) {
        put_label("");
        printf("%s\n", td_status_text(status));
    }
}
