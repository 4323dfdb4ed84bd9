/* SPDX-License-Identifier: MIT */
/*
 * Placement: the rotation E and the offset ρ of every body against its parent, from q. What does
 * not depend on q (the third row of E and ρ of a turning body, all of E of a sliding one) is
 * written once by prepare and stays.
 */

static void prepare(const td_tree *tree, const td_scratch *s)
{
    mat3 *rotation = s->rotation;
    vec3 *offset = s->offset;
    for (size_t i = 0; i < tree->bodies; i++) {
        rotation[i] = mat3_splat(&tree->body[i].rotation);
        offset[i] = vec3_splat(tree->body[i].position);
    }
    size_t room = (tree->angles + TD_WIDE - 1) / TD_WIDE * TD_WIDE;
    clear(s->angle, room);
    clear(s->zeros, tree->nv);
}

/* E = Rz(angle)ᵀ K: the first two rows of K turn, the third stays */
TD_INLINE void turn_about_z(mat3 *E, const td_mat3 *K, real sine, real cosine)
{
    E->xx = cosine * K->xx + sine * K->yx;
    E->xy = cosine * K->xy + sine * K->yy;
    E->xz = cosine * K->xz + sine * K->yz;
    E->yx = cosine * K->yx - sine * K->xx;
    E->yy = cosine * K->yy - sine * K->xy;
    E->yz = cosine * K->yz - sine * K->xz;
}

/* the rotation matrix of a unit quaternion (x, y, z, w), transposed */
TD_INLINE mat3 quaternion_transposed(const real *p)
{
    real x2 = p[0] + p[0], y2 = p[1] + p[1], z2 = p[2] + p[2];
    real xx = x2 * p[0], xy = x2 * p[1], xz = x2 * p[2], xw = x2 * p[3];
    real yy = y2 * p[1], yz = y2 * p[2], yw = y2 * p[3];
    real zz = z2 * p[2], zw = z2 * p[3];
    return (mat3){1.0 - (yy + zz), xy + zw, xz - yw, xy - zw,        1.0 - (xx + zz),
                  yz + xw,         xz + yw, yz - xw, 1.0 - (xx + yy)};
}

static void place(const td_tree *tree, const td_scratch *s, const void *coordinates)
{
    const real *q = coordinates;
    real *angle = s->angle;
    const real *sine = s->sine, *cosine = s->cosine;
    mat3 *rotation = s->rotation;
    vec3 *offset = s->offset;

    for (size_t i = 0; i < tree->angles; i++)
        angle[i] = q[tree->angle_q[i]];
    real_sincos_array(tree->angles, angle, s->sine, s->cosine);

    for (size_t i = 0; i < tree->bodies; i++) {
        const td_body *body = &tree->body[i];
        const td_mat3 *K = &body->rotation;
        const real *qi = q + body->q;
        switch (body->motion) {
        case TD_MOTION_REVOLUTE:
            turn_about_z(&rotation[i], K, sine[body->angle], cosine[body->angle]);
            break;
        case TD_MOTION_PRISMATIC: /* ρ = r + Kᵀ z q */
            offset[i] = (vec3){body->position.x + K->zx * qi[0], body->position.y + K->zy * qi[0],
                               body->position.z + K->zz * qi[0]};
            break;
        case TD_MOTION_PLANAR: /* ρ = r + Kᵀ (x, y, 0) */
            turn_about_z(&rotation[i], K, sine[body->angle], cosine[body->angle]);
            offset[i] = add_k(turn_back_by_k(K, (vec3){qi[0], qi[1], splat(0)}), body->position);
            break;
        case TD_MOTION_FLOATING: { /* E = R(quaternion)ᵀ K, ρ = r + Kᵀ (x, y, z) */
            mat3 R = quaternion_transposed(qi + 3);
            rotation[i] = mul_k(&R, K);
            offset[i] = add_k(turn_back_by_k(K, (vec3){qi[0], qi[1], qi[2]}), body->position);
            break;
        }
        }
    }
}
