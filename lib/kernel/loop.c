/* SPDX-License-Identifier: MIT */
/*
 * Loops: φ, K and K̇ of loop joints, and γ(y) by following them. Each row of φ compares a point or
 * direction on the successor with one on the predecessor; its derivative is a wrench F, at the
 * point of the successor, on the velocity of the successor against the predecessor, so that K has
 * the entry ± F · S for a joint with the motion S there, and K̇ the entry ± (Ḟ · S + F · Ṡ).
 *
 * In the group's coordinates w, dependent (x) and independent (y), J_x ẋ + J_y ẏ = 0. J_x has as
 * many columns as the rank and often more rows; its least-squares inverse is Q R. W = ∂x/∂y = −J_x⁺
 * J_y, Ẇ = −J_x⁺ (J̇_x W + J̇_y).
 *
 * γ keeps to the branch of its start by going there: along the straight line from the start's y, as
 * far at a time as Newton's method contracts from the tangent's end, so that no step can leave the
 * branch unseen; nor can one pass a singular configuration, where branches meet: it would turn the
 * columns of J_x over, which det Q_beforeᵀ Q tells. Lanes step on their own; nothing but the end of
 * the loop looks at numbers. Where there is a formula (slider.c) nothing is followed.
 */

/* squares of steps: too large to be trusted; so small that the next one is rounding; rounding */
#define LARGE_STEP (0.3 * 0.3)
#define SMALL_STEP (1e-7 * 1e-7)
#define ROUNDING_STEP ((64 * TD_EPSILON) * (64 * TD_EPSILON))
/* squares of pivots against those of their columns: singular, or near enough to be blamed */
#define SINGULAR_PIVOT 1e-12
#define NEAR_SINGULAR_PIVOT 1e-8
/* of a closed loop, dimensionless */
#define CLOSED_RESIDUAL 1e-9

enum { MOST_EVALUATIONS = 400, MOST_CORRECTIONS = 8, MOST_RELAXATIONS = 40, MOST_STARTS = 12 };

typedef struct loop_scratch {
    pose *pose;      /* bodies: against the body that carries the group */
    spatial *motion; /* bodies: ω, v of the origin */
    real *angle, *sine, *cosine;
    spatial *wrench, *wrench_rate;      /* rows */
    real *phi;                          /* rows */
    real *dependent, *independent;      /* columns of J, rows each; the first become Q */
    real *dependent_rate;               /* of J̇ */
    real *column;                       /* rows */
    real *R;                            /* dependents² */
    real *W, *W_rate;                   /* dependents × independents */
    real *step, *tangent, *from, *best; /* dependents */
    real *y0, *dy;                      /* independents */
    real *frame;                        /* like dependent: Q of the last point that was good */
    real *turn;                         /* dependents² */
    real *least;                        /* 1: smallest pivot, squared, against its column */
} loop_scratch;

enum { ANGLE_ROOM = 8 };

static size_t padded(size_t n)
{
    return (n + ANGLE_ROOM - 1) / ANGLE_ROOM * ANGLE_ROOM;
}

TD_INLINE loop_scratch loop_room(const td_loop_group *g, const td_scratch *s)
{
    size_t b = (size_t)g->bodies, m = (size_t)g->rows;
    size_t x = (size_t)g->dependents, y = (size_t)g->independents;
    real *at = (real *)s->loop + g->room;
    loop_scratch r;
    r.angle = at, at += padded(b);
    r.sine = at, at += padded(b);
    r.cosine = at, at += padded(b);
    r.pose = (pose *)at, at += 12 * b;
    r.motion = (spatial *)at, at += 6 * b;
    r.wrench = (spatial *)at, at += 6 * m;
    r.wrench_rate = (spatial *)at, at += 6 * m;
    r.phi = at, at += m;
    r.dependent = at, at += m * x;
    r.dependent_rate = at, at += m * x;
    r.independent = at, at += m * y;
    r.column = at, at += m;
    r.R = at, at += x * x;
    r.W = at, at += x * y;
    r.W_rate = at, at += x * y;
    r.step = at, at += x;
    r.tangent = at, at += x;
    r.from = at, at += x;
    r.best = at, at += x;
    r.y0 = at, at += y;
    r.dy = at, at += y;
    r.frame = at, at += m * x;
    r.turn = at, at += x * x;
    r.least = at;
    return r;
}

/* ---- the group's bodies ---------------------------------------------------------------------- */

TD_INLINE pose origin_pose(void)
{
    const td_mat3 one = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    return (pose){mat3_splat(&one), vec3_splat((td_vec3){0, 0, 0})};
}

TD_INLINE pose loop_pose(const loop_scratch *r, int body)
{
    return body < 0 ? origin_pose() : r->pose[body];
}

TD_INLINE spatial loop_motion(const loop_scratch *r, int body)
{
    return body < 0 ? spatial_zero() : r->motion[body];
}

/* from q: poses; sines and cosines also go where columns of joints look for them */
static void loop_poses(const td_tree *tree, const td_loop_group *g, const td_scratch *s,
                       const loop_scratch *r, const real *q)
{
    for (size_t i = 0; i < padded((size_t)g->bodies); i++)
        r->angle[i] = splat(0);
    for (int i = 0; i < g->bodies; i++) {
        const td_body *body = &tree->body[g->body[i]];
        if (body->angle >= 0)
            r->angle[i] = q[tree->angle_q[body->angle]];
    }
    real_sincos_array((size_t)g->bodies, r->angle, NULL, r->sine, r->cosine);
    for (int i = 0; i < g->bodies; i++) {
        const td_body *body = &tree->body[g->body[i]];
        const td_mat3 *K = &body->rotation;
        const real *qi = q + body->q;
        mat3 E = mat3_splat(K);
        vec3 offset = vec3_splat(body->position);
        if (body->angle >= 0) {
            turn_about_z(&E, K, r->sine[i], r->cosine[i]);
            ((real *)s->sine)[body->angle] = r->sine[i];
            ((real *)s->cosine)[body->angle] = r->cosine[i];
        }
        if (body->motion == TD_MOTION_PRISMATIC)
            offset = add_k(turn_back_by_k(K, (vec3){splat(0), splat(0), qi[0]}), body->position);
        else if (body->motion == TD_MOTION_PLANAR)
            offset = add_k(turn_back_by_k(K, (vec3){qi[0], qi[1], splat(0)}), body->position);
        pose parent = loop_pose(r, g->parent[i]);
        r->pose[i].R = mul_transposed(&parent.R, &E);
        r->pose[i].p = add(parent.p, turn(&parent.R, offset));
    }
}

static void loop_motions(const td_tree *tree, const td_loop_group *g, const td_scratch *s,
                         const loop_scratch *r, const real *qd)
{
    for (int i = 0; i < g->bodies; i++) {
        const td_body *body = &tree->body[g->body[i]];
        vec3 arm = sub(r->pose[i].p, loop_pose(r, g->parent[i]).p);
        r->motion[i] = spatial_add(motion_shift(loop_motion(r, g->parent[i]), arm),
                                   joint_rate(body, s, &r->pose[i], qd + body->qd));
    }
}

/* ---- φ, K and K̇ ------------------------------------------------------------------------------ */

/* a loop joint's two sides */
typedef struct loop_ends {
    pose predecessor, successor;
    vec3 point;      /* of the successor */
    vec3 difference; /* to it from that of the predecessor */
} loop_ends;

TD_INLINE loop_ends ends_of(const td_loop_joint *loop, const loop_scratch *r)
{
    loop_ends e = {.predecessor = loop_pose(r, loop->predecessor),
                   .successor = loop_pose(r, loop->successor)};
    e.point = add(e.successor.p, turn_k(&e.successor.R, loop->successor_point));
    vec3 base = add(e.predecessor.p, turn_k(&e.predecessor.R, loop->predecessor_point));
    e.difference = sub(e.point, base);
    return e;
}

/* φ and F of the rows */
static void loop_rows(const td_loop_group *g, const loop_scratch *r)
{
    for (int l = 0; l < g->loops; l++) {
        loop_ends e = ends_of(&g->loop[l], r);
        for (int i = g->loop[l].first; i < g->loop[l].first + g->loop[l].rows; i++) {
            const td_loop_row *row = &g->row[i];
            spatial F = spatial_zero();
            vec3 a = turn_k(&e.predecessor.R, row->a);
            switch (row->kind) {
            case TD_ROW_POINT:
                F.linear = a;
                r->phi[i] = dot(a, e.difference);
                break;
            case TD_ROW_DOT: {
                vec3 b = turn_k(&e.successor.R, row->b), c = turn_k(&e.predecessor.R, row->c);
                vec3 d = turn_k(&e.successor.R, row->d);
                F.angular = sub(cross(b, a), cross(d, c));
                r->phi[i] = dot(a, b) - dot(c, d);
                break;
            }
            case TD_ROW_DISTANCE:
                F.linear = scale(1 / row->length, e.difference);
                r->phi[i] = 0.5 * (dot(F.linear, e.difference) - row->length);
                break;
            }
            r->wrench[i] = F;
        }
    }
}

/* Ḟ of the rows */
static void loop_row_rates(const td_loop_group *g, const loop_scratch *r)
{
    for (int l = 0; l < g->loops; l++) {
        const td_loop_joint *loop = &g->loop[l];
        loop_ends e = ends_of(loop, r);
        spatial vp = loop_motion(r, loop->predecessor), vs = loop_motion(r, loop->successor);
        vec3 base = turn_k(&e.predecessor.R, loop->predecessor_point);
        vec3 rate = sub(motion_shift(vs, sub(e.point, e.successor.p)).linear,
                        motion_shift(vp, base).linear);
        for (int i = loop->first; i < loop->first + loop->rows; i++) {
            const td_loop_row *row = &g->row[i];
            spatial F = spatial_zero();
            vec3 a = turn_k(&e.predecessor.R, row->a), a_rate = cross(vp.angular, a);
            if (row->kind == TD_ROW_POINT) {
                F.linear = a_rate;
            } else if (row->kind == TD_ROW_DISTANCE) {
                F.linear = scale(1 / row->length, rate);
            } else {
                vec3 b = turn_k(&e.successor.R, row->b), b_rate = cross(vs.angular, b);
                vec3 c = turn_k(&e.predecessor.R, row->c), c_rate = cross(vp.angular, c);
                vec3 d = turn_k(&e.successor.R, row->d), d_rate = cross(vs.angular, d);
                F.angular = sub(add(cross(b_rate, a), cross(b, a_rate)),
                                add(cross(d_rate, c), cross(d, c_rate)));
            }
            r->wrench_rate[i] = F;
        }
    }
}

/* the joint's motion S at the loop's point */
TD_INLINE spatial loop_column(const td_tree *tree, const td_loop_group *g, const td_scratch *s,
                              const loop_scratch *r, const td_loop_column *c, vec3 point)
{
    const pose *p = &r->pose[c->body];
    spatial S = column_of(&tree->body[g->body[c->body]], s, p, c->k);
    return motion_shift(S, sub(point, p->p));
}

/* and Ṡ, v being the velocity of the loop's point on the successor */
TD_INLINE spatial loop_column_rate(const td_tree *tree, const td_loop_group *g, const td_scratch *s,
                                   const loop_scratch *r, const td_loop_column *c, vec3 point,
                                   vec3 v)
{
    const pose *p = &r->pose[c->body];
    const td_body *body = &tree->body[g->body[c->body]];
    spatial S = column_of(body, s, p, c->k), of = r->motion[c->body];
    /* what slides in a plane keeps to the parent's axes */
    bool parents = body->motion == TD_MOTION_PLANAR && c->k < 2;
    vec3 w = parents ? loop_motion(r, g->parent[c->body]).angular : of.angular;
    spatial rate = {cross(w, S.angular), cross(w, S.linear)};
    rate = motion_shift(rate, sub(point, p->p));
    rate.linear = add(rate.linear, cross(S.angular, sub(v, of.linear)));
    return rate;
}

/* velocity of the point of a loop's successor */
TD_INLINE vec3 loop_point_velocity(const td_loop_joint *loop, const loop_scratch *r,
                                   const loop_ends *e)
{
    return motion_shift(loop_motion(r, loop->successor), sub(e->point, e->successor.p)).linear;
}

/* adds J, weighted, to the columns of the slots; with rates J̇ instead */
static void loop_columns(const td_tree *tree, const td_loops *loops, const td_loop_group *g,
                         const td_csr *rate, const td_scratch *s, const loop_scratch *r, bool rates,
                         real *dependent, real *independent)
{
    size_t m = (size_t)g->rows;
    clear(dependent, m * (size_t)g->dependents);
    clear(independent, m * (size_t)g->independents);
    for (int n = 0; n < g->columns; n++) {
        const td_loop_column *c = &g->column[n];
        const td_loop_joint *loop = &g->loop[c->loop];
        loop_ends e = ends_of(loop, r);
        spatial S = loop_column(tree, g, s, r, c, e.point), S_rate = S;
        if (rates)
            S_rate = loop_column_rate(tree, g, s, r, c, e.point, loop_point_velocity(loop, r, &e));
        for (int i = loop->first; i < loop->first + loop->rows; i++) {
            real x = rates ? spatial_dot(r->wrench_rate[i], S) + spatial_dot(r->wrench[i], S_rate)
                           : spatial_dot(r->wrench[i], S);
            x *= c->sign * g->row[i].weight;
            for (int k = rate->row[c->velocity]; k < rate->row[c->velocity + 1]; k++) {
                int slot = loops->slot[rate->column[k]];
                real *to = slot < g->dependents ? dependent + (size_t)slot * m
                                                : independent + (size_t)(slot - g->dependents) * m;
                to[i] += rate->value[k] * x;
            }
        }
    }
}

/* ---- γ --------------------------------------------------------------------------------------- */

/* At the w of the scratch: φ, Q, R, W and the Newton step. */
static void loop_evaluate(const td_tree *tree, const td_loops *loops, const td_loop_group *g,
                          const td_csr *M, const double *offset, const td_csr *rate,
                          const td_scratch *s, const loop_scratch *r)
{
    size_t m = (size_t)g->rows, x = (size_t)g->dependents, y = (size_t)g->independents;
    const real *w = s->w;
    real *q = s->q;
    for (int i = 0; i < g->bodies; i++) {
        const td_body *body = &tree->body[g->body[i]];
        for (int k = body->q; k < body->q + body->nv; k++) {
            q[k] = splat(offset[k]);
            for (int e = M->row[k]; e < M->row[k + 1]; e++)
                q[k] += M->value[e] * w[M->column[e]];
        }
    }
    loop_poses(tree, g, s, r, q);
    loop_rows(g, r);
    loop_columns(tree, loops, g, rate, s, r, false, r->dependent, r->independent);
    factor_columns(m, x, NULL, NO_PIVOT, r->dependent, r->R, r->least);
    for (size_t i = 0; i < m; i++)
        r->column[i] = g->row[i].weight * r->phi[i];
    solve_columns(m, x, r->dependent, r->R, r->column, r->step, 1);
    for (size_t k = 0; k < y; k++)
        solve_columns(m, x, r->dependent, r->R, r->independent + k * m, r->W + k, y);
}

/* Σ φ², weighted */
static real loop_merit(const td_loop_group *g, const loop_scratch *r)
{
    real sum = splat(0);
    for (int i = 0; i < g->rows; i++) {
        real x = g->row[i].weight * r->phi[i];
        sum += x * x;
    }
    return sum;
}

/* square of the step, in its units */
static real loop_step_size(const td_loop_group *g, const loop_scratch *r)
{
    real sum = splat(0);
    for (int i = 0; i < g->dependents; i++) {
        real x = (1 / g->unit[i]) * r->step[i];
        sum += x * x;
    }
    return sum;
}

TD_INLINE bool any_lane_below(real x, double bound)
{
    for (size_t lane = 0; lane < TD_LANE_COUNT; lane++)
        if (!(real_get(x, lane) >= bound))
            return true;
    return false;
}

/* the independent coordinates at the part t of the way; exactly y at its end */
static void loop_advance(const td_loop_group *g, const td_scratch *s, const loop_scratch *r,
                         const real *y, real t)
{
    for (int k = 0; k < g->independents; k++)
        ((real *)s->w)[g->coordinate[g->dependents + k]] = y[g->y[k]] - (1.0 - t) * r->dy[k];
}

/* Whether the columns of J_x have kept their orientation since the last good point: 1 or 0. The two
   frames are near each other, so that elimination needs no pivoting. */
static real loop_keeps_side(size_t m, size_t n, const real *before, const real *now, real *A)
{
    real sign = splat(1);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            A[i * n + j] = dense_dot(m, before + i * m, now + j * m);
    for (size_t k = 0; k < n; k++) {
        real pivot = A[k * n + k], size = select_lt(pivot, splat(0), -pivot, pivot);
        sign = select_lt(pivot, splat(0), -sign, sign);
        real inverse = select_lt(splat(1e-12), size,
                                 1.0 / select_lt(splat(1e-12), size, pivot, splat(1)), splat(0));
        for (size_t i = k + 1; i < n; i++)
            for (size_t j = k + 1; j < n; j++)
                A[i * n + j] -= A[i * n + k] * inverse * A[k * n + j];
    }
    return select_lt(splat(0), sign, splat(1), splat(0));
}

/* 1 where a Newton step of that size after one of size last is small and no longer gets smaller */
static real loop_has_stalled(real size, real last)
{
    const real one = splat(1), none = splat(0);
    return select_lt(last, splat(SMALL_STEP), one, none) * select_lt(0.25 * last, size, one, none);
}

/* Follows γ from the start to y; 1 in the lanes that did not arrive. */
static real loop_follow(const td_tree *tree, const td_loops *loops, const td_loop_group *g,
                        const td_csr *M, const double *offset, const td_csr *rate,
                        const td_scratch *s, const loop_scratch *r, const real *y,
                        const double *start, int *evaluations)
{
    const real one = splat(1), none = splat(0), unknown = splat(1e300);
    int x = g->dependents;
    size_t y_count = (size_t)g->independents;
    real *w = s->w;
    real t = none, h = none, last = unknown, tries = none, done = none, failed = none;
    for (int i = 0; i < x; i++) {
        r->from[i] = w[g->coordinate[i]] = splat(start[g->coordinate[i]]);
        r->tangent[i] = none;
    }
    for (int k = 0; k < g->independents; k++)
        r->dy[k] = y[g->y[k]] - splat(start[g->coordinate[x + k]]);
    for (int n = 0; n < MOST_EVALUATIONS && any_lane_below(done, 0.5); n++) {
        loop_advance(g, s, r, y, t + h);
        loop_evaluate(tree, loops, g, M, offset, rate, s, r);
        ++*evaluations;
        real size = loop_step_size(g, r), active = one - done;
        /* converged: the step is rounding, or small and no longer getting smaller */
        real stalled = loop_has_stalled(size, last);
        real good = select_lt(size, splat(ROUNDING_STEP), one, stalled);
        size_t m = (size_t)g->rows, columns = (size_t)x;
        if (n > 0)
            good *= select_lt(h, splat(1e-12), one,
                              loop_keeps_side(m, columns, r->frame, r->dependent, r->turn));
        real contracts =
            select_lt(size, splat(SMALL_STEP), one, select_lt(16.0 * size, last, one, none));
        real trusted = select_lt(size, splat(LARGE_STEP), contracts, none) *
                       select_lt(tries, splat(MOST_CORRECTIONS), one, none);
        real flipped = select_lt(size, splat(SMALL_STEP), stalled, none) * (one - good);
        real distrusted = one - trusted * (one - flipped);
        real forward = active * good, back = active * (one - good) * distrusted;
        for (size_t i = 0; i < m * columns; i++)
            r->frame[i] = select_lt(splat(0.5), forward, r->dependent[i], r->frame[i]);

        /* arrived at t + h: go on along the tangent there */
        real there = t + h;
        real arrived = forward * select_lt(splat(1 - 1e-12), there, one, none);
        t = select_lt(splat(0.5), forward, there, t);
        real longer = select_lt(h, splat(1e-12), one, 2.0 * h), rest = one - t;
        longer = select_lt(longer, rest, longer, rest);
        real next = select_lt(splat(0.5), forward, longer, h);
        /* not to be trusted: half as far from where it was good */
        real stuck = back * select_lt(h, splat(0x1p-12), one, none);
        next = select_lt(splat(0.5), back, 0.5 * h, next);
        for (int i = 0; i < x; i++) {
            int c = g->coordinate[i];
            real tangent = none;
            for (int k = 0; k < g->independents; k++)
                tangent += r->W[(size_t)i * y_count + (size_t)k] * r->dy[k];
            r->from[i] = select_lt(splat(0.5), forward, w[c], r->from[i]);
            r->tangent[i] = select_lt(splat(0.5), forward, tangent, r->tangent[i]);
            real predicted = r->from[i] + next * r->tangent[i];
            real trial = select_lt(splat(0.5), forward + back, predicted, w[c] + r->step[i]);
            trial = select_lt(splat(0.5), arrived + done, w[c], trial);
            w[c] = trial;
        }
        last = select_lt(splat(0.5), forward + back, unknown, size);
        tries = select_lt(splat(0.5), forward + back, none, tries + one);
        failed += stuck;
        done += arrived + stuck;
        h = select_lt(splat(0.5), done, none, next);
    }
    return select_lt(done, splat(0.5), one, failed);
}

/* γ by its formula, of which Newton's method takes the rounding away; 1 in the lanes that have no
   solution. Where the formula does not reach γ is followed, as if there were none. */
static real loop_compute(const td_tree *tree, const td_loops *loops, const td_loop_group *g,
                         const td_csr *M, const double *offset, const td_csr *rate,
                         const td_scratch *s, const loop_scratch *r, const real *y,
                         const double *start, int *evaluations)
{
    enum { DEPENDENTS = 2, MOST_POLISHES = 3 };
    const real one = splat(1), none = splat(0);
    slider_branch branch = slider_branch_of(g, start);
    if (!branch.known)
        return loop_follow(tree, loops, g, M, offset, rate, s, r, y, start, evaluations);
    real *w = s->w, done = none, last = splat(1e300), kept[DEPENDENTS];
    w[g->coordinate[DEPENDENTS]] = y[g->y[0]];
    real open = slider_solve(g, &branch, w);
    for (int n = 0; n < MOST_POLISHES && any_lane_below(-open, -0.5); n++) {
        loop_evaluate(tree, loops, g, M, offset, rate, s, r);
        ++*evaluations;
        real size = loop_step_size(g, r);
        real arrived =
            open * select_lt(size, splat(ROUNDING_STEP), one, loop_has_stalled(size, last));
        done += arrived;
        open -= arrived;
        for (int i = 0; i < DEPENDENTS; i++)
            w[g->coordinate[i]] += select_lt(splat(0.5), open, r->step[i], none);
        last = size;
    }
    if (!any_lane_below(done, 0.5))
        return none;
    for (int i = 0; i < DEPENDENTS; i++)
        kept[i] = w[g->coordinate[i]];
    real failed = loop_follow(tree, loops, g, M, offset, rate, s, r, y, start, evaluations);
    for (int i = 0; i < DEPENDENTS; i++)
        w[g->coordinate[i]] = select_lt(splat(0.5), done, kept[i], w[g->coordinate[i]]);
    loop_advance(g, s, r, y, one);
    loop_evaluate(tree, loops, g, M, offset, rate, s, r);
    return select_lt(splat(0.5), done, none, failed);
}

/* The least residual that damped Gauss-Newton steps reach at y from where w is, and the w of that
   in from; lanes with failed = 0 stay. */
static real loop_descend(const td_tree *tree, const td_loops *loops, const td_loop_group *g,
                         const td_csr *M, const double *offset, const td_csr *rate,
                         const td_scratch *s, const loop_scratch *r, real failed)
{
    real *w = s->w, least = splat(1e300), part = splat(1);
    for (int n = 0; n < MOST_RELAXATIONS; n++) {
        loop_evaluate(tree, loops, g, M, offset, rate, s, r);
        real merit = loop_merit(g, r), size = loop_step_size(g, r);
        real damp =
            select_lt(size, splat(LARGE_STEP), splat(1),
                      real_sqrt(LARGE_STEP / select_lt(size, splat(LARGE_STEP), splat(1), size)));
        part = select_lt(merit, least, splat(1), 0.5 * part);
        for (int i = 0; i < g->dependents; i++) {
            int c = g->coordinate[i];
            real better = select_lt(merit, least, w[c], r->from[i]);
            r->tangent[i] = select_lt(merit, least, damp * r->step[i], r->tangent[i]);
            r->from[i] = better;
            w[c] = select_lt(splat(0.5), failed, better + part * r->tangent[i], w[c]);
        }
        least = select_lt(merit, least, merit, least);
    }
    return least;
}

/* in (−1, 1), spread evenly over i for each k and over k for each i */
static double scattered(int k, int i)
{
    double x = 0.5 + k * 0.6180339887498949 + i * 0.7548776662466927 * k;
    return 2 * (x - (double)(long)x) - 1;
}

/* Where loops did not follow (failed is 1): the least residual at y from the last good point and
   from others about the start, which says whether there is another branch. w and all that is
   evaluated are that state's then; for the others nothing changes. */
static void loop_relax(const td_tree *tree, const td_loops *loops, const td_loop_group *g,
                       const td_csr *M, const double *offset, const td_csr *rate,
                       const td_scratch *s, const loop_scratch *r, const real *y,
                       const double *start, real failed)
{
    real *w = s->w, least = splat(1e300), open = failed;
    for (int i = 0; i < g->dependents; i++)
        r->best[i] = w[g->coordinate[i]];
    loop_advance(g, s, r, y, splat(1));
    for (int k = 0; k < MOST_STARTS && any_lane_below(-open, -0.5); k++) {
        for (int i = 0; i < g->dependents; i++) {
            int c = g->coordinate[i];
            real other = splat(start[c] + 3 * g->unit[i] * scattered(k, i));
            w[c] = select_lt(splat(0.5), failed, k == 0 ? r->from[i] : other, w[c]);
            r->from[i] = w[c];
            r->tangent[i] = splat(0);
        }
        real merit = loop_descend(tree, loops, g, M, offset, rate, s, r, open);
        for (int i = 0; i < g->dependents; i++)
            r->best[i] = select_lt(merit, least, r->from[i], r->best[i]);
        least = select_lt(merit, least, merit, least);
        open = select_lt(least, splat(CLOSED_RESIDUAL * CLOSED_RESIDUAL), splat(0), open);
    }
    for (int i = 0; i < g->dependents; i++)
        w[g->coordinate[i]] = select_lt(splat(0.5), failed, r->best[i], w[g->coordinate[i]]);
    loop_evaluate(tree, loops, g, M, offset, rate, s, r);
}

/* what became of a group, into the outcome of all */
static void loop_judge(const td_loop_group *g, const loop_scratch *r, real failed, int evaluations,
                       real *outcome)
{
    const real none = splat(0);
    real merit = loop_merit(g, r), worst = splat(-1), blame = splat(-1), residual = none;
    for (int l = 0; l < g->loops; l++) {
        real sum = none;
        for (int i = g->loop[l].first; i < g->loop[l].first + g->loop[l].rows; i++) {
            sum += (g->row[i].weight * r->phi[i]) * (g->row[i].weight * r->phi[i]);
            real square = r->phi[i] * r->phi[i];
            residual = select_lt(residual, square, square, residual);
        }
        blame = select_lt(worst, sum, splat(g->loop[l].index), blame);
        worst = select_lt(worst, sum, sum, worst);
    }
    real code = select_lt(*r->least, splat(SINGULAR_PIVOT), splat(2), none);
    real reason = select_lt(*r->least, splat(NEAR_SINGULAR_PIVOT), splat(2), splat(3));
    reason = select_lt(splat(CLOSED_RESIDUAL * CLOSED_RESIDUAL), merit, splat(1), reason);
    code = select_lt(splat(0.5), failed, reason, code);
    real first = select_lt(outcome[TD_OUTCOME_CODE], splat(0.5), splat(1), none);
    blame = select_lt(code, splat(0.5), splat(-1), blame);
    outcome[TD_OUTCOME_LOOP] = select_lt(splat(0.5), first, blame, outcome[TD_OUTCOME_LOOP]);
    outcome[TD_OUTCOME_CODE] = select_lt(splat(0.5), first, code, outcome[TD_OUTCOME_CODE]);
    residual = real_sqrt(residual);
    outcome[TD_OUTCOME_RESIDUAL] =
        select_lt(outcome[TD_OUTCOME_RESIDUAL], residual, residual, outcome[TD_OUTCOME_RESIDUAL]);
    real count = splat(evaluations);
    outcome[TD_OUTCOME_EVALUATIONS] =
        select_lt(outcome[TD_OUTCOME_EVALUATIONS], count, count, outcome[TD_OUTCOME_EVALUATIONS]);
}

static void loop_fill(const td_loop_group *g, const real *W, real *G)
{
    for (size_t k = 0; k < g->fill.count; k++)
        G[g->fill.to[k]] += g->fill.factor[k] * W[g->fill.from[k]];
}

#include "kernel/loop_function.c"

/* outcomes of nothing yet, and what of G does not change */
static void loop_begin(const td_loops *loops, const td_csr *G, const td_scratch *s)
{
    real *outcome = s->outcome;
    for (int k = 0; k < TD_OUTCOMES; k++)
        outcome[k] = splat(k == TD_OUTCOME_LOOP ? -1 : 0);
    spread(s->G, loops->constant, (size_t)G->row[G->rows]);
}

static void tangent(const td_tree *tree, const td_loops *loops, const td_csr *M,
                    const double *offset, const td_csr *rate, const td_csr *G, const td_scratch *s)
{
    loop_begin(loops, G, s);
    for (size_t n = 0; n < loops->solved; n++) {
        const td_loop_group *g = &loops->group[n];
        if (g->function) {
            function_close(g, s, NULL);
            continue;
        }
        loop_scratch r = loop_room(g, s);
        loop_evaluate(tree, loops, g, M, offset, rate, s, &r);
        loop_judge(g, &r, splat(0), 1, s->outcome);
        loop_fill(g, r.W, s->G);
    }
}

static void close_loops(const td_tree *tree, const td_loops *loops, const td_csr *M,
                        const double *offset, const td_csr *rate, const td_csr *G,
                        const td_scratch *s, const void *y)
{
    const real *position = y;
    loop_begin(loops, G, s);
    for (size_t n = 0; n < loops->solved; n++) {
        const td_loop_group *g = &loops->group[n];
        if (g->function) {
            function_close(g, s, position);
            continue;
        }
        loop_scratch r = loop_room(g, s);
        int evaluations = 0;
        real failed = (g->slider.given ? loop_compute : loop_follow)(
            tree, loops, g, M, offset, rate, s, &r, position, s->start, &evaluations);
        for (int k = 0; k < TD_POLISH; k++) {
            for (int i = 0; i < g->dependents; i++)
                ((real *)s->w)[g->coordinate[i]] += r.step[i];
            loop_evaluate(tree, loops, g, M, offset, rate, s, &r);
        }
        if (any_lane_below(-failed, -0.5))
            loop_relax(tree, loops, g, M, offset, rate, s, &r, position, s->start, failed);
        loop_judge(g, &r, failed, evaluations, s->outcome);
        loop_fill(g, r.W, s->G);
    }
}

/* ---- rates ----------------------------------------------------------------------------------- */

static void close_rates(const td_tree *tree, const td_loops *loops, const td_csr *rate,
                        const td_csr *G, const td_scratch *s, const void *qd)
{
    clear(s->G_rate, (size_t)G->row[G->rows]);
    for (size_t n = 0; n < loops->solved; n++) {
        const td_loop_group *g = &loops->group[n];
        if (g->function) {
            function_rates(g, s, qd);
            continue;
        }
        loop_scratch r = loop_room(g, s);
        size_t m = (size_t)g->rows, x = (size_t)g->dependents, y = (size_t)g->independents;
        real *Q = r.dependent, *J_rate = r.independent;
        loop_motions(tree, g, s, &r, qd);
        loop_row_rates(g, &r);
        real *own = r.dependent_rate;
        loop_columns(tree, loops, g, rate, s, &r, true, own, J_rate);
        for (size_t k = 0; k < y; k++) {
            for (size_t i = 0; i < x; i++)
                for (size_t j = 0; j < m; j++)
                    J_rate[k * m + j] += own[i * m + j] * r.W[i * y + k];
            solve_columns(m, x, Q, r.R, J_rate + k * m, r.W_rate + k, y);
        }
        loop_fill(g, r.W_rate, s->G_rate);
    }
}

static void dependent_columns(const td_tree *tree, const td_loops *loops, size_t group,
                              const td_csr *rate, const td_scratch *s, void *columns)
{
    const td_loop_group *g = &loops->group[group];
    loop_scratch r = loop_room(g, s);
    real *column = columns;
    loop_columns(tree, loops, g, rate, s, &r, false, column, r.independent);
    for (size_t k = 0; k < (size_t)g->dependents; k++)
        for (size_t i = 0; i < (size_t)g->rows; i++)
            column[k * (size_t)g->rows + i] *= g->unit[k];
}

/* ---- constraints of the tree ----------------------------------------------------------------- */

static void constraints(const td_tree *tree, const td_loops *loops, const td_scratch *s,
                        const void *q, const void *qd, void *phi, void *K, void *drift)
{
    real *values = phi, *matrix = K, *rate = drift;
    for (size_t n = 0; n < loops->count; n++) {
        const td_loop_group *g = &loops->group[n];
        size_t first = (size_t)g->constraint;
        if (g->function) {
            function_constraints(g, s, tree->nv, q, qd, values + first, matrix + first * tree->nv,
                                 qd ? rate + first : NULL);
            continue;
        }
        loop_scratch r = loop_room(g, s);
        loop_poses(tree, g, s, &r, q);
        loop_rows(g, &r);
        copy(values + first, r.phi, (size_t)g->rows);
        clear(matrix + first * tree->nv, (size_t)g->rows * tree->nv);
        if (qd) {
            clear(rate + first, (size_t)g->rows);
            loop_motions(tree, g, s, &r, qd);
            loop_row_rates(g, &r);
        }
        for (int k = 0; k < g->columns; k++) {
            const td_loop_column *c = &g->column[k];
            const td_loop_joint *loop = &g->loop[c->loop];
            loop_ends e = ends_of(loop, &r);
            spatial S = loop_column(tree, g, s, &r, c, e.point), S_rate = S;
            if (qd)
                S_rate =
                    loop_column_rate(tree, g, s, &r, c, e.point, loop_point_velocity(loop, &r, &e));
            for (int i = loop->first; i < loop->first + loop->rows; i++) {
                size_t row = first + (size_t)i;
                matrix[row * tree->nv + (size_t)c->velocity] +=
                    c->sign * spatial_dot(r.wrench[i], S);
                if (qd)
                    rate[row] +=
                        (c->sign * ((const real *)qd)[c->velocity]) *
                        (spatial_dot(r.wrench_rate[i], S) + spatial_dot(r.wrench[i], S_rate));
            }
        }
    }
}
