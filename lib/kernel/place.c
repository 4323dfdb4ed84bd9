/* SPDX-License-Identifier: MIT */
/*
 * Placement: the rotation E and the offset ρ of every body against its parent, from q, as the
 * placement [Eᵀ ρ]. What does not depend on q (the third column of Eᵀ and ρ of a turning body, all
 * of E of a sliding one) is written once by prepare and stays.
 */

static void prepare(const td_tree *tree, const td_scratch *s)
{
    placement *placed = s->placed;
    for (size_t i = 0; i < tree->bodies; i++)
        placed[i] = placement_splat(&tree->body_at_zero[i]);
    clear(s->zeros, tree->nv);
    s->path[TD_PATH_TIP] = -2;
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

TD_INLINE void find_sines(const td_tree *tree, const td_scratch *s, const real *q)
{
    real_sincos_array(tree->angles, q, tree->angle_q, s->sine, s->cosine);
}

/* with the sines and cosines at hand */
TD_INLINE void place_body(const td_tree *tree, const td_scratch *s, const real *q, size_t i)
{
    const td_body *body = &tree->body[i];
    const td_mat3 *K = &body->rotation;
    const real *qi = q + body->q;
    const real *sine = s->sine, *cosine = s->cosine;
    placement *placed = (placement *)s->placed + i;
    switch (body->motion) {
    case TD_MOTION_REVOLUTE:
        placement_turn(placed, &tree->body_at_zero[i], sine[body->angle], cosine[body->angle]);
        break;
    case TD_MOTION_PRISMATIC: /* ρ = r + Kᵀ z q */
        placement_move(placed,
                       add_k(scale_k(qi[0], (td_vec3){K->zx, K->zy, K->zz}), body->position));
        break;
    case TD_MOTION_PLANAR: /* ρ = r + Kᵀ (x, y, 0) */
        placement_turn(placed, &tree->body_at_zero[i], sine[body->angle], cosine[body->angle]);
        placement_move(placed,
                       add_k(turn_back_by_k(K, (vec3){qi[0], qi[1], splat(0)}), body->position));
        break;
    case TD_MOTION_FLOATING: { /* E = R(quaternion)ᵀ K, ρ = r + Kᵀ (x, y, z) */
        mat3 R = quaternion_transposed(qi + 3), E = mul_k(&R, K);
        *placed = placement_transposed(
            &E, add_k(turn_back_by_k(K, (vec3){qi[0], qi[1], qi[2]}), body->position));
        break;
    }
    }
}
