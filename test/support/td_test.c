/* SPDX-License-Identifier: MIT */
/*
 * Helpers shared by the tests.
 */
#include "td_test.h"

#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *const td_robots[] = {
    "arm7.urdf",
    "cam_finger.urdf",
    "capaman.urdf",
    "crane.urdf",
    "five_bar.urdf",
    "flexible_arm.urdf",
    "four_bar.urdf",
    "goldberg_5r.urdf",
    "goldberg_6r.urdf",
    "gripper.urdf",
    "hand_a.urdf",
    "hand_b.urdf",
    "humanoid.urdf",
    "lamp.urdf",
    "larm_leg.urdf",
    "lead_screw.urdf",
    "linear_leg.urdf",
    "parallelogram.urdf",
    "parallelogram_loop.urdf",
    "pasibot_leg.urdf",
    "recupera_shoulder.urdf",
    "spherical_3rpr.urdf",
    "stephenson.urdf",
    "stephenson_dead.urdf",
    "stewart.urdf",
    "swing.urdf",
    "yoke.urdf",
    NULL,
};

static uint64_t next(td_random *random)
{
    uint64_t z = random->state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

double td_random_number(td_random *random)
{
    return (double)(next(random) >> 11) * 0x1p-52 - 1;
}

size_t td_random_below(td_random *random, size_t n)
{
    return (size_t)(next(random) % n);
}

void td_random_fill(td_random *random, size_t n, double *x)
{
    for (size_t i = 0; i < n; i++)
        x[i] = td_random_number(random);
}

void td_random_rotation(td_random *random, double rotation[9])
{
    double angles[3]; /* drawn one by one, because compilers differ in the order in which they
                         evaluate arguments */
    td_random_fill(random, 3, angles);
    td_rotation_from_rpy(3 * angles[0], 3 * angles[1], 3 * angles[2], rotation);
}

double td_largest_rate(const td_model *model, td_workspace *workspace, const double *y)
{
    OWNED_HERE;
    const size_t entries = td_nv(model) * td_nyd(model);
    double *G = doubles(entries);
    const td_status status = td_closure_jacobian(model, workspace, y, G);
    const double largest = status == TD_OK ? td_largest(entries, G) : INFINITY;
    return largest;
}

/* Moves a configuration to within 0.2 of the assembled one, and halves the distance until it is as
   far from singular configurations, where digits are lost. Closes poses that loops decide in part.
   */
static void keep_closed(const td_model *model, double *y)
{
    OWNED_HERE;
    double *reference = doubles(td_ny(model));
    double *way = doubles(td_nyd(model));
    td_workspace *workspace = test_workspace(model);
    td_independent_coordinates(model, workspace, td_reference(model, TD_COORDINATES_TREE),
                               reference, NULL);
    td_difference(model, TD_COORDINATES_INDEPENDENT, reference, y, way);
    td_closure_report first = {.size_of = sizeof first};
    td_closure_examine(model, workspace, reference, &first);
    const double rate = td_largest_rate(model, workspace, reference);
    double longest = fmax(1, 5 * td_largest(td_nyd(model), way));
    td_integrate(model, TD_COORDINATES_INDEPENDENT, reference, way, 1 / longest, y);
    for (int n = 1; n < 20; n++) {
        td_closure_report report = {.size_of = sizeof report};
        td_closure_start(model, workspace, NULL);
        if (td_closure_examine(model, workspace, y, &report) == TD_OK &&
            report.largest * first.smallest < 2 * report.smallest * first.largest &&
            td_largest_rate(model, workspace, y) < 4 * rate)
            break;
        td_integrate(model, TD_COORDINATES_INDEPENDENT, reference, way, ldexp(1 / longest, -n), y);
    }
    double *q = doubles(td_nq(model));
    td_closure_start(model, workspace, NULL);
    if (td_closure(model, workspace, y, NULL, NULL, q, NULL, NULL) == TD_OK)
        td_independent_coordinates(model, workspace, q, y, NULL);
}

void td_draw_configuration(td_random *random, const td_model *model, bool tree, double scale,
                           double *q)
{
    size_t joints = td_joint_count(model);
    for (size_t i = 0; i < joints; i++) {
        td_joint_place place = td_joint_place_at(model, i);
        size_t first = tree ? place.q : place.y;
        if (first == TD_NONE)
            continue;
        for (size_t k = 0; k < (tree ? place.nq : place.ny); k++)
            q[first + k] = scale * td_random_number(random);
        const size_t quaternion = td_joint_kind_of(td_joint_at(model, i)->type)->quaternion;
        if (quaternion != TD_NONE) {
            double *p = q + first + quaternion;
            double norm = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
            for (int k = 0; k < 4; k++)
                p[k] /= norm;
        }
    }
    if (!tree && td_loop_cluster_count(model))
        keep_closed(model, q);
}

double td_joint_power(const td_model *model, size_t joint, const double *qd,
                      double friction_velocity)
{
    const td_joint *record = td_joint_at(model, joint);
    const td_joint_kind *kind = td_joint_kind_of(record->type);
    const td_joint_place place = td_joint_place_at(model, joint);
    double power = 0;
    for (size_t k = 0; k < place.nv; k++) {
        const double v = qd[place.qd + k];
        if (kind->damped)
            power += record->damping * v * v;
        if (kind->sprung && record->friction != 0)
            power += record->friction * v * v / hypot(v, friction_velocity);
    }
    return power;
}

double td_joint_spring_energy(const td_model *model, size_t joint, const double *q)
{
    const td_joint *record = td_joint_at(model, joint);
    const td_joint_place place = td_joint_place_at(model, joint);
    double energy = 0;
    for (size_t k = 0; td_joint_kind_of(record->type)->sprung && k < place.nq; k++) {
        const double way = q[place.q + k] - record->spring_reference;
        energy += 0.5 * record->spring_stiffness * way * way;
    }
    return energy;
}

void td_coordinate_rate(const td_model *model, bool tree, const double *q, const double *qd,
                        double *rate)
{
    for (size_t j = 0; j < td_movable_count(model); j++) {
        const size_t joint = td_movable_joint(model, j);
        td_joint_place p = td_joint_place_at(model, joint);
        const size_t quaternion = td_joint_kind_of(td_joint_at(model, joint)->type)->quaternion;
        size_t first = tree ? p.q : p.y;
        if (first == TD_NONE)
            continue;
        const double *v = qd + (tree ? p.qd : p.yd);
        double *r = rate + first;
        if (quaternion == TD_NONE) {
            memcpy(r, v, (tree ? p.nq : p.ny) * sizeof *r);
            continue;
        }
        const double *x = q + first + quaternion;
        double w[6] = {0}; /* 0 where loops decide the pose and y lacks the velocity */
        for (size_t k = 0; k < p.nv; k++)
            w[k] = !tree && p.dependents >> k & 1 ? 0 : *v++;
        double R[9];
        td_rotation_from_quaternion(x, R);
        for (size_t i = 0; i < quaternion; i++)
            r[i] = R[3 * i] * w[3] + R[3 * i + 1] * w[4] + R[3 * i + 2] * w[5];
        r += quaternion;
        r[0] = 0.5 * (x[3] * w[0] + x[1] * w[2] - x[2] * w[1]);
        r[1] = 0.5 * (x[3] * w[1] + x[2] * w[0] - x[0] * w[2]);
        r[2] = 0.5 * (x[3] * w[2] + x[0] * w[1] - x[1] * w[0]);
        r[3] = -0.5 * (x[0] * w[0] + x[1] * w[1] + x[2] * w[2]);
    }
}

double td_largest(size_t n, const double *x)
{
    double largest = 0;
    for (size_t i = 0; i < n && !isnan(largest); i++)
        if (!(fabs(x[i]) <= largest))
            largest = fabs(x[i]);
    return largest;
}

double td_largest_difference(size_t n, const double *x, const double *y)
{
    double largest = 0;
    for (size_t i = 0; i < n && !isnan(largest); i++)
        if (!(fabs(x[i] - y[i]) <= largest))
            largest = fabs(x[i] - y[i]);
    return largest;
}

double td_relative_difference(size_t n, const double *x, const double *y, double scale)
{
    double size = fmax(scale, fmax(td_largest(n, x), td_largest(n, y)));
    double difference = td_largest_difference(n, x, y);
    return difference == 0 ? 0 : difference / size;
}

char *td_read_text(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    char *text = NULL;
    size_t room = 0, used = 0;
    do {
        room += 1 << 16;
        char *larger = realloc(text, room);
        if (!larger)
            abort();
        text = larger;
        used += fread(text + used, 1, room - used - 1, file);
    } while (used == room - 1);
    fclose(file);
    text[used] = 0;
    if (size)
        *size = used;
    return text;
}

char *td_read_file(const char *path, size_t *size)
{
    char *text = td_read_text(path, size);
    ck_assert_msg(text != NULL, "cannot read %s", path);
    return own(text, free);
}

/* draws a positive mass with a physical inertia in a rotated frame; every fifth link has none */
static void random_inertial(td_random *random, td_link *link)
{
    if (td_random_below(random, 5) == 0)
        return;
    link->has_inertial = true;
    link->mass = 1.5 + td_random_number(random);
    td_random_fill(random, 3, link->inertial.position);
    td_random_rotation(random, link->inertial.rotation);
    double a = 1.1 + td_random_number(random), b = 1.1 + td_random_number(random),
           c = 1.1 + td_random_number(random); /* second moments: triangle inequality */
    link->inertia[0] = b + c;
    link->inertia[3] = a + c;
    link->inertia[5] = a + b;
}

/* Makes every other joint like the joints of most robots: its frame is rotated by quarter turns,
   and its axis is ±x, ±y or ±z. Like random_passive it draws from a copy of the generator. */
static void align_joint(td_random random, td_joint *joint)
{
    if (td_random_below(&random, 2) == 0)
        return;
    double rpy[3];
    for (int i = 0; i < 3; i++) {
        rpy[i] = acos(0) * (double)td_random_below(&random, 4);
        joint->axis[i] = 0;
    }
    td_rotation_from_rpy(rpy[0], rpy[1], rpy[2], joint->origin.rotation);
    joint->axis[td_random_below(&random, 3)] = td_random_below(&random, 2) ? 1 : -1;
}

static void random_joint(td_random *random, td_joint *joint)
{
    size_t along;
    td_random_fill(random, 3, joint->origin.position);
    td_random_rotation(random, joint->origin.rotation);
    switch (td_random_below(random, 4)) {
    case 0: /* along ±x, ±y or ±z: special cases of the rotation of the axis */
        along = td_random_below(random, 3);
        joint->axis[0] = 0;
        joint->axis[along] = td_random_below(random, 2) ? 1 : -1;
        break;
    default:
        td_random_fill(random, 3, joint->axis);
    }
    align_joint(*random, joint);
    const td_joint_kind *kind = td_joint_kind_of(joint->type);
    if (kind->nq == 1 || kind->bounded) {
        joint->limit.lower = -4;
        joint->limit.upper = 4;
    }
    if (kind->pitched) {
        td_random own = *random;
        joint->pitch = 2 * td_random_number(&own);
    }
}

/* Adds damping, friction, a spring and a rotor behind a gear to two joints of three. Draws from a
   copy of the generator, so nothing else of the robot changes. */
static void random_passive(td_random random, td_builder *builder, td_joint *joint,
                           const td_joint_kind *kind)
{
    if (td_random_below(&random, 3) == 0)
        return;
    joint->damping = 1 + td_random_number(&random);
    if (!kind->sprung)
        return;
    joint->friction = 1 + td_random_number(&random);
    joint->spring_stiffness = 3 * (1 + td_random_number(&random));
    joint->spring_reference = td_random_number(&random);
    if (kind->nq > 1)
        return;
    td_transmission transmission = td_transmission_default(joint->name, joint->name);
    transmission.actuator = "motor";
    transmission.mechanical_reduction = 20 * td_random_number(&random);
    transmission.rotor_inertia = 1e-3 * (1 + td_random_number(&random));
    transmission.ratio = 1 + 0.5 * td_random_number(&random);
    assert_ok(td_builder_add_transmission(builder, &transmission));
}

td_builder *td_random_robot(td_random *random, size_t joints, size_t followers, bool scalar)
{
    return td_random_limbs(random, joints, followers, scalar, 1);
}

td_builder *td_random_limbs(td_random *random, size_t joints, size_t followers, bool scalar,
                            size_t length)
{
    static const td_joint_type types[] = {
        TD_JOINT_REVOLUTE, TD_JOINT_CONTINUOUS, TD_JOINT_PRISMATIC, TD_JOINT_SCREW,
        TD_JOINT_PLANAR,   TD_JOINT_FLOATING,   TD_JOINT_BALL,      TD_JOINT_UNIVERSAL};
    enum { TYPES = sizeof types / sizeof *types, SCALARS = 4 }; /* those come first */
    ck_assert_msg(!td_joint_kind_of(TYPES + 1), "random robots have no joints of a type");
    for (int k = 0; k < TYPES; k++)
        ck_assert_int_eq(td_joint_kind_of(types[k])->nq == 1, k < SCALARS);
    td_builder *builder = test_builder("random");
    ck_assert_ptr_nonnull(builder);
    char name[32], parent[32], child[32], leader[32];
    td_link root = td_link_default("link0");
    random_inertial(random, &root);
    assert_ok(td_builder_add_link(builder, &root));
    size_t links = 1, movable = 0, scalars = 0;
    while (movable < joints) {
        bool fixed = td_random_below(random, 5) == 0;
        td_joint_type type =
            fixed ? TD_JOINT_FIXED : types[td_random_below(random, scalar ? SCALARS : TYPES)];
        const bool goes_on = length > 1 && td_random_below(random, length) > 0;
        snprintf(parent, sizeof parent, "link%zu",
                 goes_on ? links - 1 : td_random_below(random, links));
        snprintf(child, sizeof child, "link%zu", links++);
        const td_joint_kind *kind = td_joint_kind_of(type);
        bool single = kind->nq == 1;
        if (single)
            snprintf(name, sizeof name, "scalar%zu", scalars);
        else
            snprintf(name, sizeof name, "joint%zu", links);
        td_link link = td_link_default(child);
        random_inertial(random, &link);
        td_joint joint = td_joint_default(name, type, parent, child);
        random_joint(random, &joint);
        if (kind->damped)
            random_passive(*random, builder, &joint, kind);
        if (single && followers && scalars && td_random_below(random, 2)) {
            /* any earlier scalar joint, so chains occur but no cycles */
            snprintf(leader, sizeof leader, "scalar%zu", td_random_below(random, scalars));
            joint.mimic = leader;
            joint.multiplier = 2 * td_random_number(random);
            joint.offset = td_random_number(random);
            followers--;
        }
        assert_ok(td_builder_add_link(builder, &link));
        assert_ok(td_builder_add_joint(builder, &joint));
        movable += !fixed;
        scalars += single;
    }
    return builder;
}

const char *td_robot_directory(void)
{
    const char *directory = getenv("TANDEM_ROBOTS");
    ck_assert_msg(directory != NULL, "TANDEM_ROBOTS is not set; run the tests by meson");
    return directory;
}

const char *td_data_directory(void)
{
    const char *directory = getenv("TANDEM_DATA");
    struct stat status;
    return directory && stat(directory, &status) == 0 ? directory : NULL;
}

td_model *model_of_builder(const td_builder *builder, const td_load_options *options)
{
    td_model *model;
    const td_status status = test_builder_finish(builder, options, NULL, &model);
    if (status == TD_OK)
        return model;
    td_diagnostics *list = test_diagnostics(0);
    td_builder_finish(builder, options, list, &model);
    const td_diagnostic *first = td_diagnostics_at(list, 0);
    ck_abort_msg("%s: %s", td_status_text(status), first ? first->message : "no diagnostic");
    return NULL;
}

#if TANDEM_HAS_URDF
td_model *td_load_robot(const char *name, const td_load_options *options)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", td_robot_directory(), name);
    td_diagnostics *list = test_diagnostics(0);
    td_model *model;
    td_status status = test_load_urdf(path, options, list, &model);
    const td_diagnostic *first = td_diagnostics_at(list, 0);
    ck_assert_msg(status == TD_OK, "%s: %s (%s)", path, td_status_text(status),
                  first ? first->message : "no diagnostic");
    return model;
}
#endif

const td_diagnostic *td_find_diagnostic(const td_diagnostics *list, const char *code)
{
    for (size_t i = 0; i < td_diagnostics_size(list); i++)
        if (strcmp(td_diagnostics_at(list, i)->code, code) == 0)
            return td_diagnostics_at(list, i);
    return NULL;
}

td_link td_solid_link(const char *name, double mass, double inertia)
{
    td_link link = td_link_default(name);
    link.has_inertial = mass > 0;
    link.mass = mass;
    link.inertia[0] = link.inertia[3] = link.inertia[5] = inertia;
    return link;
}

td_forces with_passive_forces(void)
{
    td_forces forces = td_forces_default();
    forces.passive = true;
    return forces;
}

void *struct_of_version(size_t size, const void *ours, size_t known)
{
    unsigned char *theirs = test_calloc(1, size);
    memcpy(theirs, ours, size < known ? size : known);
    memcpy(theirs, &size, sizeof size);
    return theirs;
}

int doubled_closure(const void *context, const double *y, const double *yd, double *x, double *G,
                    double *G_rate)
{
    (void)context;
    x[0] = 2 * y[0];
    G[0] = 2;
    if (yd)
        G_rate[0] = 0;
    return 0;
}

size_t td_joint_entry(const td_model *model, const char *joint)
{
    return td_joint_place_at(model, td_joint_index(model, joint)).q;
}

uint64_t td_digest(uint64_t before, const void *at, size_t size)
{
    const unsigned char *byte = at;
    for (size_t i = 0; i < size; i++)
        before = (before ^ byte[i]) * 0x100000001b3;
    return before;
}

int td_robot_count(void)
{
    int count = 0;
    while (td_robots[count])
        count++;
    return count;
}

int td_test_skip(const char *why)
{
    printf("1..0 # SKIP %s\n", why);
    return EXIT_SUCCESS;
}

void td_trap(void)
{
#ifdef __GLIBC__
    feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
#endif
}

void td_trap_no_more(void)
{
#ifdef __GLIBC__
    fedisableexcept(FE_ALL_EXCEPT);
#endif
}

td_status td_solve_mass_matrix(const td_model *model, td_workspace *workspace, const double *y,
                               const double *b, const td_forces *forces, double *x)
{
    OWNED_HERE;
    const size_t n = td_nv(model);
    double *factors = doubles(n * (n + 1) / 2);
    td_status status = td_mass_matrix_factors(model, workspace, y, forces, factors);
    const td_status solved = td_factors_solve(model, workspace, factors, 1, b, x);
    return status != TD_OK ? status : solved;
}
