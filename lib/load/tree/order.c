/* SPDX-License-Identifier: MIT */
/*
 * Makes a tree of the list of joints: finds parents and the root, and orders the joints. The next
 * joint is always the first one in the file that has no number yet and whose parent link has one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/frame.h"
#include "load/build.h"

static void report_end(td_build *build, const td_joint *joint, const char *end, bool parent)
{
    const char *which = parent ? "parent" : "child";
    char remedy[192], text[TD_SUGGESTION];
    if (!end) {
        snprintf(remedy, sizeof remedy, "add <%s link=\"...\"/>", which);
        td_report(build->diagnostics, parent ? TD_CODE_PARENT_MISSING : TD_CODE_CHILD_MISSING,
                  joint->source, remedy, "joint '%s' has no %s link", joint->name, which);
        return;
    }
    snprintf(remedy, sizeof remedy, "declare it: <link name=\"%.120s\"/>", end);
    td_report(build->diagnostics, parent ? TD_CODE_PARENT_UNDEFINED : TD_CODE_CHILD_UNDEFINED,
              joint->source,
              td_suggest(build, &build->model->link_names, end,
                         parent ? joint->child : joint->parent, remedy, text),
              "the %s link '%s' of joint '%s' does not exist", which, end, joint->name);
}

/* Computes the frame of a link with all joints at zero, in the root of its tree, which it returns;
   −1 for links in a cycle. Treats `carrier` as the joint above `child`, −1 for none. */
static int frame_at_zero(const td_model *model, int link, int child, int carrier, td_frame3 *frame)
{
    *frame = (td_frame3)TD_FRAME3_IDENTITY;
    for (size_t steps = 0; steps <= model->records.joint.count; steps++) {
        const int above = link == child ? carrier : model->link_joint[link];
        if (above < 0)
            return link;
        const td_joint *joint = &model->records.joint.at[above];
        *frame = td_frame3_compose(td_frame3_from(&joint->origin), *frame);
        link = model->place[above].parent_link;
        if (link < 0)
            return -1;
    }
    return -1;
}

/* Computes the pose of a joint that should become a loop, in its child link, with all joints at
   zero and `carrier` above the child. Returns false if its links are in different trees. */
static bool place_on_child(const td_model *model, int joint, int carrier, td_pose *place)
{
    const td_place *ends = &model->place[joint];
    td_frame3 parent, child;
    if (ends->parent_link < 0 || ends->child_link < 0)
        return false;
    const int root = frame_at_zero(model, ends->parent_link, ends->child_link, carrier, &parent);
    if (root < 0 ||
        root != frame_at_zero(model, ends->child_link, ends->child_link, carrier, &child))
        return false;
    const td_pose *origin = &model->records.joint.at[joint].origin;
    const td_frame3 loop = td_frame3_compose(parent, td_frame3_from(origin));
    const td_mat3 back = td_mat3_transpose(child.rotation), R = td_mat3_mul(back, loop.rotation);
    const td_vec3 p = td_mat3_apply(back, loop.position), c = td_mat3_apply(back, child.position);
    const double position[3] = {p.x - c.x, p.y - c.y, p.z - c.z};
    const double rotation[9] = {R.xx, R.xy, R.xz, R.yx, R.yy, R.yz, R.zx, R.zy, R.zz};
    memcpy(place->position, position, sizeof position);
    memcpy(place->rotation, rotation, sizeof rotation);
    return true;
}

static const char *write_loop(const td_model *model, int joint, int carrier,
                              char text[TD_LOOP_TEXT])
{
    td_pose place;
    const bool known = place_on_child(model, joint, carrier, &place);
    return td_loop_instead(&model->records.joint.at[joint], known ? &place : NULL, text);
}

/* Reports two joints with the same child. Suggests turning the later one into a loop, unless it
   follows another joint and the first one does not, because loops cannot follow joints. */
static void report_two_parents(td_build *build, int first, int second)
{
    char loop[TD_LOOP_TEXT];
    const td_joint *one = &build->model->records.joint.at[first];
    const td_joint *two = &build->model->records.joint.at[second];
    const bool earlier = two->mimic && !one->mimic && one->parent;
    const char *remedy = earlier       ? write_loop(build->model, first, second, loop)
                         : two->parent ? write_loop(build->model, second, first, loop)
                                       : "keep one of the two joints";
    td_report(build->diagnostics, TD_CODE_TWO_PARENTS, two->source, remedy,
              "link '%s' is the child of joint '%s' and of joint '%s'", two->child, one->name,
              two->name);
}

/* Sets place[i].parent_link, place[i].child_link and link_joint, still in the file's order. */
static void connect_joint(td_build *build, int i)
{
    td_model *model = build->model;
    const td_joint *joint = &model->records.joint.at[i];
    td_place *place = &model->place[i];
    place->parent_link = td_names_find(&model->link_names, joint->parent);
    place->child_link = td_names_find(&model->link_names, joint->child);
    if (place->parent_link < 0)
        report_end(build, joint, joint->parent, true);
    if (place->child_link < 0) {
        report_end(build, joint, joint->child, false);
        return;
    }
    if (place->child_link == place->parent_link) {
        td_report(build->diagnostics, TD_CODE_SELF_LOOP, joint->source,
                  "name another link as its <parent> or <child>",
                  "joint '%s' connects link '%s' with itself", joint->name, joint->child);
        return;
    }
    int *above = &model->link_joint[place->child_link];
    if (*above < 0)
        *above = i;
}

/* If every link has a joint above it, returns the last joint of the file in one of the cycles. */
static int last_of_cycle(const td_model *model)
{
    int joint = model->link_joint[0];
    for (size_t k = 0; k < model->records.link.count; k++) /* after this many steps up, the joint is
                                                              in a cycle */
        joint = model->link_joint[model->place[joint].parent_link];
    int last = joint;
    for (int j = joint;;) {
        j = model->link_joint[model->place[j].parent_link];
        last = j > last ? j : last;
        if (j == joint)
            return last;
    }
}

static void find_root(td_build *build)
{
    td_model *model = build->model;
    char names[256] = "";
    size_t roots = 0;
    for (size_t k = 0; k < model->records.link.count; k++) {
        if (model->link_joint[k] >= 0)
            continue;
        if (roots++ == 0)
            model->root = (int)k;
        size_t used = strlen(names);
        if (used + 1 < sizeof names)
            snprintf(names + used, sizeof names - used, "%s'%s'", used ? ", " : "",
                     model->records.link.at[k].name);
    }
    if (roots == 0 && model->records.link.count) {
        char loop[TD_LOOP_TEXT];
        td_report(build->diagnostics, TD_CODE_CYCLE, model->records.source,
                  write_loop(model, last_of_cycle(model), -1, loop),
                  "every link is the child of a joint, so there is no root");
    }
    if (roots > 1)
        td_report(build->diagnostics, TD_CODE_SEVERAL_ROOTS,
                  model->records.link.at[model->root].source,
                  "connect them by joints, for example fixed ones",
                  "%zu links are not the child of any joint: %s", roots, names);
}

bool td_connect_links(td_build *build)
{
    td_model *model = build->model;
    td_records *records = &model->records;
    size_t before = td_diagnostics_count(build->diagnostics, TD_SEVERITY_ERROR);

    model->place = TD_ARENA_NEW(&records->arena, td_place, records->joint.count + 1);
    model->link_joint = TD_ARENA_NEW(&records->arena, int, records->link.count);
    if (!model->place || !model->link_joint)
        return false;
    for (size_t k = 0; k < records->link.count; k++)
        model->link_joint[k] = -1;
    for (size_t i = 0; i < records->joint.count; i++)
        connect_joint(build, (int)i);
    for (size_t i = 0; i < records->joint.count; i++) {
        const int child = model->place[i].child_link;
        const int above = child >= 0 ? model->link_joint[child] : (int)i;
        if (above != (int)i && child != model->place[i].parent_link)
            report_two_parents(build, above, (int)i);
    }
    if (!td_build_has_errors(build, before)) /* otherwise the roots would be meaningless */
        find_root(build);
    return true;
}

/* ---- the order ------------------------------------------------------------------------------- */

/* Joints that are ready to be numbered, as a heap with the file's first one on top. */
typedef struct heap {
    int *at;
    size_t count;
} heap;

static void push(heap *h, int joint)
{
    size_t i = h->count++;
    for (; i > 0 && h->at[(i - 1) / 2] > joint; i = (i - 1) / 2)
        h->at[i] = h->at[(i - 1) / 2];
    h->at[i] = joint;
}

static int pop(heap *h)
{
    int top = h->at[0], last = h->at[--h->count];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < h->count; i = child) {
        if (child + 1 < h->count && h->at[child + 1] < h->at[child])
            child++;
        if (h->at[child] >= last)
            break;
        h->at[i] = h->at[child];
    }
    h->at[i] = last;
    return top;
}

typedef struct order {
    int *first, *next; /* per link: its first child joint; per joint: the next one */
    int *sequence;     /* the joints in their new order */
    size_t count;
    heap ready;
} order;

static bool order_new(order *o, td_arena *arena, size_t links, size_t joints)
{
    o->first = TD_ARENA_NEW(arena, int, links);
    o->next = TD_ARENA_NEW(arena, int, joints);
    o->sequence = TD_ARENA_NEW(arena, int, joints);
    o->ready.at = TD_ARENA_NEW(arena, int, joints);
    return o->first && o->next && o->sequence && o->ready.at;
}

static void push_children(order *o, int link)
{
    for (int j = o->first[link]; j >= 0; j = o->next[j])
        push(&o->ready, j);
}

static void order_run(order *o, const td_model *model)
{
    for (size_t k = 0; k < model->records.link.count; k++)
        o->first[k] = -1;
    for (size_t i = model->records.joint.count; i-- > 0;) {
        int parent = model->place[i].parent_link;
        o->next[i] = o->first[parent];
        o->first[parent] = (int)i;
    }
    push_children(o, model->root);
    while (o->ready.count) {
        int joint = pop(&o->ready);
        o->sequence[o->count++] = joint;
        push_children(o, model->place[joint].child_link);
    }
}

static void report_unreached(td_build *build, const order *o)
{
    const td_model *model = build->model;
    if (o->count == model->records.joint.count)
        return;
    char names[256] = "";
    td_source source = TD_NOWHERE;
    td_place *place = model->place;
    for (size_t i = 0; i < o->count; i++)
        place[o->sequence[i]].body = 1; /* marks reached joints; overwritten later */
    for (size_t i = 0; i < model->records.joint.count; i++) {
        if (place[i].body)
            continue;
        if (!names[0])
            source = model->records.joint.at[i].source;
        size_t used = strlen(names);
        if (used + 1 < sizeof names)
            snprintf(names + used, sizeof names - used, "%s'%s'", used ? ", " : "",
                     model->records.joint.at[i].name);
    }
    td_report(build->diagnostics, TD_CODE_CYCLE, source,
              "close loops with a <loop> element instead of a joint",
              "these joints form a cycle that is not connected to the root: %s", names);
}

/* Returns the name of the floating base. This is "base", which needs no quoting in a shell. It is
   another name if a joint is called "base" or begins with "base.", like the base's coordinates. */
static const char *base_name(const td_records *records)
{
    const char *plain = TD_PLAIN_BASE_NAME;
    size_t length = strlen(plain);
    for (size_t i = 0; i < records->joint.count; i++) {
        const char *name = records->joint.at[i].name;
        if (strncmp(name, plain, length) == 0 && (!name[length] || name[length] == '.'))
            return TD_BASE_NAME;
    }
    return plain;
}

/* Reorders the arrays of joints and places, with a floating base first. */
static bool reorder(td_build *build, const order *o)
{
    td_model *model = build->model;
    td_records *records = &model->records;
    size_t shift = model->base == TD_BASE_FLOATING, n = o->count;
    td_joint *joint = td_arena_copy(&build->temporary, records->joint.at, n, sizeof *joint);
    td_place *place = td_arena_copy(&build->temporary, model->place, n, sizeof *place);
    if (!joint || !place)
        return false;
    if (shift) {
        td_joint base = td_joint_default(base_name(records), TD_JOINT_FLOATING, NULL,
                                         records->link.at[model->root].name);
        if (td_records_add_joint(records, &base) != TD_OK) /* extends the array */
            return false;
        records->joint.at[0] = records->joint.at[n];
        model->place[0] = (td_place){.parent_link = -1, .child_link = model->root};
    }
    for (size_t i = 0; i < n; i++) {
        records->joint.at[i + shift] = joint[o->sequence[i]];
        model->place[i + shift] = place[o->sequence[i]];
    }
    for (size_t i = 0; i < records->joint.count; i++)
        model->link_joint[model->place[i].child_link] = (int)i;
    return td_names_build(&model->joint_names, &records->arena, records->joint.at,
                          records->joint.count, sizeof(td_joint), offsetof(td_joint, name));
}

bool td_order_joints(td_build *build)
{
    td_model *model = build->model;
    td_records *records = &model->records;
    order o = {0};
    td_arena_scope(&build->temporary);
    if (!order_new(&o, &build->temporary, records->link.count, records->joint.count))
        return false;
    order_run(&o, model);
    size_t before = td_diagnostics_count(build->diagnostics, TD_SEVERITY_ERROR);
    report_unreached(build, &o);
    return td_build_has_errors(build, before) || reorder(build, &o);
}
