/* SPDX-License-Identifier: MIT */
/*
 * Trajectory optimization with derivatives of forward dynamics: an iterative linear-quadratic
 * regulator (Li and Todorov 2004; Tassa, Erez and Todorov 2012) finds forces that move a robot
 * between two configurations at rest.
 *
 *   swing_up                   a two-link arm without a motor at the elbow, from hanging down to
 *                              upright
 *   swing_up robot.urdf GOAL   a robot whose joints have one coordinate and one motor each, from
 *                              zero to GOAL at all independent joints
 *
 * Prints the distance from the goal at the end and the number of iterations. Repeats this with
 * derivatives by central differences, which need 6 calls per coordinate and time step.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tandem/tandem.h>
#include <time.h>

enum { MOST = 8, STATES = 2 * MOST, STEPS = 250, ITERATIONS = 400 };

static const double h = 0.01; /* s a step */

/* cost: Σ ½ r h |u|² + ½ Σ w (x − goal)², where the second sum is over the last state;
   last_weight: w of positions and of velocities */
static const double force_weight = 0.01, last_weight[2] = {2000, 200};

typedef struct problem {
    const td_model *robot;
    td_workspace *workspace;
    size_t n, m;        /* coordinates, motors */
    size_t motor[MOST]; /* coordinate of each motor */
    double goal[STATES];
    bool exact; /* derivatives of the library, otherwise central differences */
    double x[STEPS + 1][STATES], u[STEPS][MOST];
    double next_x[STEPS + 1][STATES], next_u[STEPS][MOST];
    double K[STEPS][MOST][STATES], k[STEPS][MOST]; /* δu = k + K δx */
} problem;

static td_status accelerate(problem *p, const double *x, const double *u, double *ydd)
{
    double tau[MOST] = {0};
    for (size_t j = 0; j < p->m; j++)
        tau[p->motor[j]] = u[j];
    return td_forward_dynamics(p->robot, p->workspace, x, x + p->n, tau, NULL, ydd);
}

/* ẏ⁺ = ẏ + h ÿ,  y⁺ = y + h ẏ⁺ */
static td_status step(problem *p, const double *x, const double *u, double *next)
{
    double ydd[MOST];
    td_status status = accelerate(p, x, u, ydd);
    for (size_t i = 0; i < p->n; i++) {
        next[p->n + i] = x[p->n + i] + h * ydd[i];
        next[i] = x[i] + h * next[p->n + i];
    }
    return status;
}

/* ∂ÿ/∂y, ∂ÿ/∂ẏ, ∂ÿ/∂τ, n × n */
static td_status derivatives(problem *p, const double *x, const double *u, double *of[3])
{
    const size_t n = p->n;
    double tau[MOST] = {0}, at[3][MOST], after[MOST], before[MOST];
    for (size_t j = 0; j < p->m; j++)
        tau[p->motor[j]] = u[j];
    if (p->exact)
        return td_forward_dynamics_derivatives(p->robot, p->workspace, x, x + n, tau, NULL, NULL,
                                               of[0], of[1], of[2]);
    memcpy(at[0], x, n * sizeof *x);
    memcpy(at[1], x + n, n * sizeof *x);
    memcpy(at[2], tau, n * sizeof *x);
    const double eps = 1e-6;
    for (int a = 0; a < 3; a++)
        for (size_t k = 0; k < n; k++) {
            const double here = at[a][k];
            td_status status;
            at[a][k] = here + eps;
            status = td_forward_dynamics(p->robot, p->workspace, at[0], at[1], at[2], NULL, after);
            at[a][k] = here - eps;
            if (status == TD_OK)
                status =
                    td_forward_dynamics(p->robot, p->workspace, at[0], at[1], at[2], NULL, before);
            at[a][k] = here;
            if (status != TD_OK)
                return status;
            for (size_t i = 0; i < n; i++)
                of[a][i * n + k] = (after[i] - before[i]) / (2 * eps);
        }
    return TD_OK;
}

/* A = ∂x⁺/∂x and B = ∂x⁺/∂u */
static td_status linear_step(problem *p, const double *x, const double *u, double A[][STATES],
                             double B[][MOST])
{
    const size_t n = p->n;
    double by_y[MOST * MOST], by_yd[MOST * MOST], by_tau[MOST * MOST];
    td_status status = derivatives(p, x, u, (double *[]){by_y, by_yd, by_tau});
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++) {
            A[n + i][k] = h * by_y[i * n + k];
            A[n + i][n + k] = h * by_yd[i * n + k] + (i == k);
            A[i][k] = h * A[n + i][k] + (i == k);
            A[i][n + k] = h * A[n + i][n + k];
        }
        for (size_t j = 0; j < p->m; j++) {
            B[n + i][j] = h * by_tau[i * n + p->motor[j]];
            B[i][j] = h * B[n + i][j];
        }
    }
    return status;
}

static double cost(const problem *p, double x[][STATES], double u[][MOST])
{
    double sum = 0;
    for (size_t t = 0; t < STEPS; t++)
        for (size_t j = 0; j < p->m; j++)
            sum += 0.5 * force_weight * h * u[t][j] * u[t][j];
    for (size_t i = 0; i < 2 * p->n; i++) {
        const double away = x[STEPS][i] - p->goal[i];
        sum += 0.5 * last_weight[i >= p->n] * away * away;
    }
    return sum;
}

/* Overwrites x with Q⁻¹ x. Returns false if Q is not symmetric positive definite. */
static bool solve(size_t m, double Q[][MOST], size_t columns, double x[][STATES + 1])
{
    for (size_t k = 0; k < m; k++) { /* Gaussian elimination without pivoting */
        if (!(Q[k][k] > 0))
            return false;
        for (size_t i = 0; i < m; i++) {
            const double f = Q[i][k] / Q[k][k];
            for (size_t j = k; i != k && j < m; j++)
                Q[i][j] -= f * Q[k][j];
            for (size_t j = 0; i != k && j < columns; j++)
                x[i][j] -= f * x[k][j];
        }
    }
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < columns; j++)
            x[i][j] /= Q[i][i];
    return true;
}

/* Backward pass: the value function is V + vᵀ δx + ½ δxᵀ S δx. */
static bool backward(problem *p, double damping)
{
    const size_t s = 2 * p->n, m = p->m;
    double S[STATES][STATES] = {{0}}, v[STATES];
    for (size_t i = 0; i < s; i++) {
        S[i][i] = last_weight[i >= p->n];
        v[i] = S[i][i] * (p->x[STEPS][i] - p->goal[i]);
    }
    for (size_t t = STEPS; t-- > 0;) {
        double A[STATES][STATES], B[STATES][MOST], SA[STATES][STATES], SB[STATES][MOST];
        double Q[MOST][MOST], gain[MOST][STATES + 1], Qux[MOST][STATES], Qu[MOST];
        if (linear_step(p, p->x[t], p->u[t], A, B) != TD_OK)
            return false;
        for (size_t i = 0; i < s; i++) {
            for (size_t k = 0; k < s; k++) {
                SA[i][k] = 0;
                for (size_t l = 0; l < s; l++)
                    SA[i][k] += S[i][l] * A[l][k];
            }
            for (size_t j = 0; j < m; j++) {
                SB[i][j] = 0;
                for (size_t l = 0; l < s; l++)
                    SB[i][j] += S[i][l] * B[l][j];
            }
        }
        for (size_t a = 0; a < m; a++) {
            Qu[a] = force_weight * h * p->u[t][a];
            for (size_t l = 0; l < s; l++)
                Qu[a] += B[l][a] * v[l];
            for (size_t b = 0; b < m; b++) {
                Q[a][b] = a == b ? force_weight * h + damping : 0;
                for (size_t l = 0; l < s; l++)
                    Q[a][b] += B[l][a] * SB[l][b];
            }
            for (size_t k = 0; k < s; k++) {
                Qux[a][k] = 0;
                for (size_t l = 0; l < s; l++)
                    Qux[a][k] += B[l][a] * SA[l][k];
                gain[a][k] = Qux[a][k];
            }
            gain[a][s] = Qu[a];
        }
        double Quu[MOST][MOST];
        memcpy(Quu, Q, sizeof Q);
        if (!solve(m, Q, s + 1, gain))
            return false;
        for (size_t a = 0; a < m; a++) {
            p->k[t][a] = -gain[a][s];
            for (size_t k = 0; k < s; k++)
                p->K[t][a][k] = -gain[a][k];
        }
        double w[STATES], W[STATES][STATES]; /* with K the gain: Aᵀ S A + Kᵀ Q K + 2 Kᵀ Qux */
        for (size_t i = 0; i < s; i++) {
            w[i] = 0;
            for (size_t l = 0; l < s; l++)
                w[i] += A[l][i] * v[l];
            for (size_t a = 0; a < m; a++) {
                double Qk = Qu[a];
                for (size_t b = 0; b < m; b++)
                    Qk += Quu[a][b] * p->k[t][b];
                w[i] += p->K[t][a][i] * Qk + Qux[a][i] * p->k[t][a];
            }
            for (size_t k = 0; k < s; k++) {
                W[i][k] = 0;
                for (size_t l = 0; l < s; l++)
                    W[i][k] += A[l][i] * SA[l][k];
                for (size_t a = 0; a < m; a++) {
                    double QK = Qux[a][k];
                    for (size_t b = 0; b < m; b++)
                        QK += Quu[a][b] * p->K[t][b][k];
                    W[i][k] += p->K[t][a][i] * QK + Qux[a][i] * p->K[t][a][k];
                }
            }
        }
        for (size_t i = 0; i < s; i++) {
            v[i] = w[i];
            for (size_t k = 0; k < s; k++)
                S[i][k] = 0.5 * (W[i][k] + W[k][i]);
        }
    }
    return true;
}

/* Forward pass: applies u + α k + K δx. Returns false if forward dynamics fails. */
static bool forward(problem *p, double alpha)
{
    const size_t s = 2 * p->n;
    memcpy(p->next_x[0], p->x[0], sizeof p->x[0]);
    for (size_t t = 0; t < STEPS; t++) {
        for (size_t j = 0; j < p->m; j++) {
            p->next_u[t][j] = p->u[t][j] + alpha * p->k[t][j];
            for (size_t i = 0; i < s; i++)
                p->next_u[t][j] += p->K[t][j][i] * (p->next_x[t][i] - p->x[t][i]);
        }
        if (step(p, p->next_x[t], p->next_u[t], p->next_x[t + 1]) != TD_OK)
            return false;
    }
    return true;
}

static double away(const problem *p)
{
    double most = 0;
    for (size_t i = 0; i < 2 * p->n; i++)
        most = fmax(most, fabs(p->x[STEPS][i] - p->goal[i]));
    return most;
}

/* Returns the number of iterations until the cost stops decreasing, 0 without convergence. */
static int optimise(problem *p)
{
    double damping = 1e-3;
    memset(p->u, 0, sizeof p->u);
    for (size_t t = 0; t < STEPS; t++)
        if (step(p, p->x[t], p->u[t], p->x[t + 1]) != TD_OK)
            return 0;
    double now = cost(p, p->x, p->u);
    for (int iteration = 1; iteration <= ITERATIONS; iteration++) {
        double found = INFINITY;
        if (backward(p, damping))
            for (double alpha = 1; alpha > 1e-3 && !(found < now); alpha /= 2)
                found = forward(p, alpha) ? cost(p, p->next_x, p->next_u) : INFINITY;
        if (!(found < now)) {
            damping *= 10;
            if (damping > 1e8)
                return iteration;
            continue;
        }
        const double gained = now - found;
        memcpy(p->x, p->next_x, sizeof p->x);
        memcpy(p->u, p->next_u, sizeof p->u);
        now = found;
        damping = fmax(damping / 5, 1e-9);
        if (gained < 1e-5 * now)
            return iteration;
    }
    return 0;
}

/* Builds an arm with joints about y and links of 0.5 m, which hang down along −z at zero. */
static td_model *two_links(void)
{
    static const char *const links[] = {"ground", "upper", "lower"}, *const joints[] = {"shoulder",
                                                                                        "elbow"};
    td_builder *builder;
    td_builder_new("two_links", &builder);
    for (int i = 0; builder && i < 3; i++) {
        td_link link = td_link_default(links[i]);
        link.has_inertial = i > 0;
        link.mass = i > 0;
        link.inertial.position[2] = -0.25;
        link.inertia[0] = link.inertia[3] = 0.25 / 12;
        link.inertia[5] = 1e-3;
        td_builder_add_link(builder, &link);
    }
    for (int i = 0; builder && i < 2; i++) {
        td_joint joint = td_joint_default(joints[i], TD_JOINT_CONTINUOUS, links[i], links[i + 1]);
        joint.axis[0] = joint.axis[2] = 0;
        joint.axis[1] = 1;
        joint.origin.position[2] = i ? -0.5 : 0;
        td_builder_add_joint(builder, &joint);
    }
    td_model *robot = NULL;
    if (td_builder_finish(builder, NULL, NULL, &robot) != TD_OK)
        robot = NULL;
    td_builder_free(builder);
    return robot;
}

int main(int argc, char **argv)
{
    td_model *robot = NULL;
    td_status status = TD_OK;
    if (argc == 3)
        status = td_load_urdf(argv[1], NULL, NULL, &robot);
    else if (argc == 1)
        robot = two_links();
    if (!robot || td_nyd(robot) > MOST || td_nyd(robot) != td_ny(robot)) {
        fprintf(stderr, "%s\n",
                status != TD_OK ? td_status_text(status)
                                : "usage: swing_up [robot.urdf GOAL], of 8 coordinates at most");
        td_model_free(robot);
        return 1;
    }
    problem *p = calloc(1, sizeof *p);
    td_workspace *workspace;
    td_workspace_new(robot, NULL, &workspace);
    bool good = p && workspace;
    for (int exact = 1; good && exact >= 0; exact--) {
        *p = (problem){.robot = robot, .workspace = workspace, .n = td_nyd(robot), .exact = exact};
        p->m = argc == 1 ? 1 : p->n; /* the elbow has no motor */
        for (size_t i = 0; i < p->n; i++) {
            p->motor[i] = i;
            p->goal[i] = argc == 3 ? strtod(argv[2], NULL) : i == 0 ? acos(-1) : 0;
        }
        const clock_t begin = clock();
        const int iterations = optimise(p);
        const double ms = 1e3 * (double)(clock() - begin) / CLOCKS_PER_SEC;
        good = iterations > 0 && away(p) < 0.05;
        printf("%s derivatives: %d iterations, %.1f ms, ends %.1e from the goal\n",
               exact ? "exact" : "differences as", iterations, ms, away(p));
    }
    td_workspace_free(workspace);
    td_model_free(robot);
    free(p);
    return good ? 0 : 1;
}
