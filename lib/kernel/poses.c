/* SPDX-License-Identifier: MIT */
/*
 * Forward kinematics: the pose of every body and link in the world, the centre of mass, and
 * external wrenches turned from the frame they are given in to that of the bodies.
 */

typedef struct pose {
    mat3 R; /* x_world = R x_body + p */
    vec3 p;
} pose;

static void poses(const td_tree *tree, const td_scratch *s)
{
    const mat3 *E = s->rotation;
    const vec3 *offset = s->offset;
    pose *body = s->pose;
    vec3 *arm = s->arm;

    for (size_t i = 0; i < tree->bodies; i++) {
        int parent = tree->body[i].parent;
        if (parent < 0) {
            mat3 R = E[i];
            body[i].R = (mat3){R.xx, R.yx, R.zx, R.xy, R.yy, R.zy, R.xz, R.yz, R.zz};
            body[i].p = arm[i] = offset[i];
        } else { /* R = R_parent Eᵀ, p = p_parent + R_parent ρ */
            body[i].R = mul_transposed(&body[parent].R, &E[i]);
            arm[i] = turn(&body[parent].R, offset[i]);
            body[i].p = add(body[parent].p, arm[i]);
        }
    }
}

static void link_poses(const td_tree *tree, const td_scratch *s, void *out)
{
    const pose *body = s->pose;
    real *row = out;

    for (size_t k = 0; k < tree->links; k++, row += 12) {
        const td_link_frame *link = &tree->link[k];
        pose world = {mat3_splat(&link->rotation), vec3_splat(link->position)};
        if (link->body >= 0) {
            const pose *b = &body[link->body];
            world.R = mul_k(&b->R, &link->rotation);
            world.p = add(b->p, turn_k(&b->R, link->position));
        }
        row[0] = world.R.xx, row[1] = world.R.xy, row[2] = world.R.xz, row[3] = world.p.x;
        row[4] = world.R.yx, row[5] = world.R.yy, row[6] = world.R.yz, row[7] = world.p.y;
        row[8] = world.R.zx, row[9] = world.R.zy, row[10] = world.R.zz, row[11] = world.p.z;
    }
}

/* a wrench on a link, in the coordinates of the body that carries it */
TD_INLINE spatial wrench_on_body(const td_link_frame *link, const pose *body, const double *w,
                                 int frame)
{
    vec3 moment = vec3_splat((td_vec3){w[0], w[1], w[2]});
    vec3 force = vec3_splat((td_vec3){w[3], w[4], w[5]});
    if (frame == TD_AT_BODY) {
        moment = turn_by_k(&link->rotation, moment);
        force = turn_by_k(&link->rotation, force);
    } else {
        if (frame == TD_AT_WORLD) /* to the body's origin first: moment − p × force */
            moment = sub(moment, cross(body->p, force));
        moment = turn_back(&body->R, moment);
        force = turn_back(&body->R, force);
    }
    if (frame != TD_AT_WORLD) /* from the link's origin to the body's */
        moment = add(moment, cross_k(link->position, force));
    return (spatial){moment, force};
}

static void wrenches(const td_tree *tree, const td_scratch *s, const double *given, int frame)
{
    const pose *body = s->pose;
    spatial *total = s->wrench;

    for (size_t i = 0; i < tree->bodies; i++)
        total[i] = spatial_zero();
    for (size_t k = 0; k < tree->links; k++, given += 6) {
        int b = tree->link[k].body;
        if (b < 0)
            continue;
        total[b] = spatial_add(total[b], wrench_on_body(&tree->link[k], &body[b], given, frame));
    }
}
