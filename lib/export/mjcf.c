/* SPDX-License-Identifier: MIT */
/*
 * MJCF: the whole model.
 */
#include "export/mjcf.h"

static bool find_children(td_mjcf *m)
{
    const size_t joints = m->model->records.joint.count, links = m->model->records.link.count;
    m->first = TD_ARENA_NEW(&m->w->arena, int, links);
    m->next = TD_ARENA_NEW(&m->w->arena, int, joints);
    if (!m->first || !m->next)
        return false;
    for (size_t i = 0; i < links; i++)
        m->first[i] = -1;
    for (size_t i = joints; i-- > 0;) {
        const int parent = m->model->place[i].parent_link;
        if (parent < 0 || m->model->records.joint.at[i].motor)
            continue; /* shafts have no bodies */
        m->next[i] = m->first[parent];
        m->first[parent] = (int)i;
    }
    return true;
}

static void put_bodies(td_mjcf *m)
{
    const int root = m->model->root, base = m->model->link_joint[root];
    const td_frame3 identity = TD_FRAME3_IDENTITY;
    const td_frame3 frame = base < 0 ? identity : td_mjcf_frame(m, base);
    td_put_text(&m->w->sink, "  <worldbody>\n");
    td_mjcf_body(m, root, &frame, NULL, 2);
    td_put_text(&m->w->sink, "  </worldbody>\n");
}

/* Writes a section with its tags, or nothing if it is empty. */
static void put_part(td_mjcf *m, const char *word, void (*const *write)(td_mjcf *m), int count)
{
    td_sink before = m->w->sink;
    td_put_format(&m->w->sink, "  <%s>\n", word);
    const size_t size = m->w->sink.size;
    for (int i = 0; i < count; i++)
        write[i](m);
    if (m->w->sink.size == size) {
        m->w->sink = before;
        return;
    }
    td_put_format(&m->w->sink, "  </%s>\n", word);
}

void td_write_mjcf(td_writer *w)
{
    static void (*const tendons[])(td_mjcf *) = {td_mjcf_tendons};
    static void (*const equalities[])(td_mjcf *) = {td_mjcf_followers, td_mjcf_couplings,
                                                    td_mjcf_loops};
    static void (*const actuators[])(td_mjcf *) = {td_mjcf_actuators};
    td_mjcf m = {.w = w, .model = w->model};
    const td_tree *tree = w->workspace ? w->workspace->eval.tree : &w->model->tree;
    const double gravity[3] = {tree->gravity.x, tree->gravity.y, tree->gravity.z};
    if (!td_apply_locks(w, &m.applied) || !find_children(&m)) {
        w->failed = true;
        return;
    }
    td_put_text(&w->sink, "<mujoco");
    td_put_attribute(w, "model", w->model->records.name, "the robot", TD_NOWHERE);
    td_put_text(&w->sink, ">\n  <compiler angle=\"radian\" inertiafromgeom=\"false\" "
                          "fusestatic=\"false\"/>\n  <option");
    td_put_numbers(w, "gravity", gravity, 3);
    td_put_text(&w->sink, "/>\n");
    put_bodies(&m);
    put_part(&m, "tendon", tendons, 1);
    put_part(&m, "equality", equalities, 3);
    put_part(&m, "actuator", actuators, 1);
    if (m.meshes)
        td_report(w->diagnostics, TD_CODE_EXPORT_OMITTED, m.with_mesh->source,
                  "add mesh assets and geoms by hand",
                  "%zu meshes are left out; the first one belongs to link '%s'", m.meshes,
                  m.with_mesh->name);
    td_put_text(&w->sink, "</mujoco>\n");
}
