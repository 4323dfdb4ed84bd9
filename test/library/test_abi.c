/* SPDX-License-Identifier: MIT */
/*
 * Simulates callers that were built with other versions of the headers (docs/abi.md). An older
 * caller has shorter structs. The library neither writes nor reads beyond them, and uses defaults
 * for the missing fields. A newer caller has longer structs, which are accepted if all unknown
 * bytes are 0. Older structs end before some field, in blocks of exactly that size, which
 * sanitizers watch, or followed by guard bytes.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/sized.h"
#include "td_test.h"

enum { GUARD = 64, FILL = 0xa5, LONGER = 3 * sizeof(size_t) };

/* Returns a block with an initialized struct of the given size, followed by guard bytes. */
static unsigned char *guarded(size_t size)
{
    unsigned char *block = test_malloc(size + GUARD);
    memset(block, FILL, size + GUARD);
    return block;
}

static bool guard_holds(const unsigned char *block, size_t size)
{
    for (size_t i = size; i < size + GUARD; i++)
        if (block[i] != FILL)
            return false;
    return true;
}

#define VERSION(size, ours) struct_of_version(size, &(ours), sizeof(ours))
#define BEFORE(type, field, ours) VERSION(offsetof(type, field), ours)
#define AFTER(ours) VERSION(sizeof(ours) + LONGER, ours)

/* ---- the mechanism --------------------------------------------------------------------------- */

typedef struct numbers {
    size_t size_of;
    size_t value[4];
} numbers;

TD_TEST(reading)
{
    const numbers defaults = {sizeof defaults, {10, 20, 30, 40}}, given = {0, {1, 2, 3, 4}};
    for (size_t size = 0; size <= sizeof given + LONGER; size++) {
        bool good = size >= sizeof(size_t) && size % sizeof(size_t) == 0;
        size_t room = size > sizeof size ? size : sizeof size;
        numbers ours = defaults, *theirs = struct_of_version(room, &given, sizeof given);
        memcpy(theirs, &size, sizeof size);
        ck_assert_int_eq(td_sized_read(&ours, sizeof ours, theirs), good);
        ck_assert_uint_eq(ours.size_of, sizeof ours);
        for (size_t i = 0; i < 4; i++) {
            bool there = good && size >= (i + 2) * sizeof(size_t);
            ck_assert_uint_eq(ours.value[i], there ? given.value[i] : defaults.value[i]);
        }
        if (good && size > sizeof ours) {
            ((unsigned char *)theirs)[size - 1] = 1;
            ck_assert(!td_sized_read(&ours, sizeof ours, theirs));
        }
    }
    size_t unset = TD_LARGEST_SIZE + sizeof(size_t);
    numbers ours = defaults;
    ck_assert(!td_sized_read(&ours, sizeof ours, &unset));
    ck_assert(!td_sized_read(&ours, sizeof ours, NULL));
}

TD_TEST(writing)
{
    const numbers ours = {7, {1, 2, 3, 4}};
    for (size_t size = 0; size <= sizeof ours + LONGER; size++) {
        bool good = size >= sizeof(size_t) && size % sizeof(size_t) == 0;
        unsigned char *block = guarded(size);
        td_sized_write(block, size, &ours, sizeof ours);
        ck_assert_msg(guard_holds(block, size), "size %zu", size);
        if (!good)
            ck_assert(size == 0 || block[0] == FILL);
        for (size_t i = 0; good && i < size / sizeof(size_t); i++) {
            size_t value = ((const size_t *)(const void *)block)[i];
            ck_assert_uint_eq(value, i == 0 ? size : i <= 4 ? ours.value[i - 1] : 0);
        }
    }
}

/* ---- records --------------------------------------------------------------------------------- */

/* Adds a longer struct, and checks that it is refused if the last unknown byte is set. */
#define ADD_LONGER(builder, record, ours)                                                          \
    do {                                                                                           \
        void *newer = AFTER(ours);                                                                 \
        assert_ok(td_builder_add_##record(builder, newer));                                        \
        ((unsigned char *)newer)[sizeof(ours) + LONGER - 1] = 1;                                   \
        ck_assert_int_eq(td_builder_add_##record(builder, newer), TD_ERROR_ARGUMENT);              \
    } while (0)

static void add_links(td_builder *builder, int count)
{
    static const char *const names[] = {"base", "a", "b", "c"};
    for (int i = 0; i < count; i++) {
        td_link link = td_solid_link(names[i], 1, 0.1);
        assert_ok(td_builder_add_link(builder, &link));
    }
}

/* One caller does not know mimic, another one knows more than the library. */
TD_TEST(joints)
{
    td_builder *builder = test_builder("robot");
    add_links(builder, 3);
    td_joint joint = td_joint_default("first", TD_JOINT_REVOLUTE, "base", "a");
    joint.damping = 3;
    joint.mimic = "nobody";
    joint.multiplier = 17;
    td_joint *older = BEFORE(td_joint, mimic, joint);
    assert_ok(td_builder_add_joint(builder, older));
    joint = td_joint_default("second", TD_JOINT_PRISMATIC, "a", "b");
    joint.mimic = "first";
    joint.multiplier = 2;
    ADD_LONGER(builder, joint, joint);
    td_model *model = model_of_builder(builder, NULL);
    const td_joint *first = td_joint_at(model, 0), *second = td_joint_at(model, 1);
    ck_assert_uint_eq(first->size_of, sizeof(td_joint));
    ck_assert(first->damping == 3 && !first->mimic && first->multiplier == 1);
    ck_assert_int_eq(first->independent, -1);
    ck_assert_str_eq(second->mimic, "first");
    ck_assert_uint_eq(td_ny(model), 1);
}

/* Adds three visuals in an array whose elements have another size. */
TD_LOOP_TEST(geometry, 0, 3)
{
    static const size_t sizes[] = {offsetof(td_geometry, rgba), sizeof(td_geometry),
                                   sizeof(td_geometry) + LONGER};
    const size_t size = sizes[_i];
    unsigned char *array = test_calloc(3, size);
    for (size_t i = 0; i < 3; i++) {
        td_geometry element = td_geometry_default(TD_SHAPE_SPHERE);
        element.name = i == 1 ? "middle" : NULL;
        element.size[0] = (double)(i + 1);
        element.rgba[3] = 0.5;
        void *theirs = VERSION(size, element);
        memcpy(array + i * size, theirs, size);
    }
    td_link link = td_link_default("base");
    link.geometry = (const td_geometry *)(void *)array;
    link.geometry_count = 3;
    ck_assert_ptr_eq(td_geometry_at(&link, 2), array + 2 * size);
    ck_assert_ptr_null(td_geometry_at(&link, 3));
    td_builder *builder = test_builder("robot");
    ADD_LONGER(builder, link, link);
    td_model *model = model_of_builder(builder, NULL);
    const td_link *kept = td_link_at(model, 0);
    for (size_t i = 0; i < 3; i++) {
        const td_geometry *element = td_geometry_at(kept, i);
        ck_assert_uint_eq(element->size_of, sizeof *element);
        ck_assert(element->size[0] == (double)(i + 1));
        ck_assert_int_eq(element->name != NULL, i == 1);
        ck_assert_int_eq(element->rgba[3] == 0.5, _i > 0); /* otherwise the default, NaN */
    }
    /* elements with different sizes */
    size_t other = size + sizeof(size_t);
    memcpy(array + size, &other, sizeof other);
    builder = test_builder("robot");
    ck_assert_int_eq(td_builder_add_link(builder, &link), TD_ERROR_ARGUMENT);
}

TD_TEST(other_records)
{
    td_builder *builder = test_builder("robot");
    add_links(builder, 4);
    td_joint joint = td_joint_default("ja", TD_JOINT_REVOLUTE, "base", "a");
    assert_ok(td_builder_add_joint(builder, &joint));
    joint = td_joint_default("jb", TD_JOINT_REVOLUTE, "base", "b");
    joint.independent = 0; /* the coupling is solved for this joint */
    assert_ok(td_builder_add_joint(builder, &joint));
    joint = td_joint_default("jc", TD_JOINT_REVOLUTE, "base", "c");
    assert_ok(td_builder_add_joint(builder, &joint));

    td_coupling coupling = td_coupling_default("coupling", "a", "b", 5);
    void *older = BEFORE(td_coupling, ratio, coupling);
    assert_ok(td_builder_add_coupling(builder, older));
    td_transmission transmission = td_transmission_default("t", "ja");
    transmission.rotor_inertia = 9;
    older = BEFORE(td_transmission, rotor_inertia, transmission);
    assert_ok(td_builder_add_transmission(builder, older));
    transmission.name = "u";
    ADD_LONGER(builder, transmission, transmission);
    td_loop loop = td_loop_default("loop", "b", "c");
    loop.spring_stiffness = 4;
    older = BEFORE(td_loop, spring_stiffness, loop);
    assert_ok(td_builder_add_loop(builder, older));
    loop.name = "another loop";
    ADD_LONGER(builder, loop, loop);
    td_spring spring = td_spring_default("spring", "a", "c");
    spring.stiffness = 7;
    spring.damping = 3;
    older = BEFORE(td_spring, damping, spring);
    assert_ok(td_builder_add_spring(builder, older));
    spring.name = "another spring";
    ADD_LONGER(builder, spring, spring);

    td_load_options options = td_load_options_default();
    options.open_loops = true;
    td_model *model = model_of_builder(builder, &options);
    ck_assert(td_coupling_at(model, 0)->ratio == 1);
    ck_assert(td_transmission_at(model, 0)->rotor_inertia == 0);
    ck_assert(td_transmission_at(model, 1)->rotor_inertia == 9);
    ck_assert(td_loop_at(model, 0)->spring_stiffness == 0);
    ck_assert(td_loop_at(model, 1)->spring_stiffness == 4);
    ck_assert(td_spring_at(model, 0)->stiffness == 7 && td_spring_at(model, 0)->damping == 0);
    ck_assert(td_spring_at(model, 1)->damping == 3);
}

/* ---- options --------------------------------------------------------------------------------- */

static int twice(const void *context, const double *y, const double *yd, double *x, double *G,
                 double *G_rate)
{
    double factor = context ? *(const double *)context : 2;
    (void)yd;
    *x = factor * *y;
    *G = factor;
    if (G_rate)
        *G_rate = 0;
    return 0;
}

/* Builds a chain of three joints; a closure determines the second one. */
static td_builder *chain(void)
{
    static const char *const links[] = {"base", "a", "b", "c"}, *const names[] = {"j0", "j1", "j2"};
    td_builder *builder = test_builder("robot");
    add_links(builder, 4);
    for (int i = 0; i < 3; i++) {
        td_joint joint = td_joint_default(names[i], TD_JOINT_REVOLUTE, links[i], links[i + 1]);
        joint.origin.position[0] = 0.3;
        assert_ok(td_builder_add_joint(builder, &joint));
    }
    return builder;
}

TD_TEST(load_options)
{
    td_builder *builder = chain();
    td_load_options options = td_load_options_default();
    options.base = TD_BASE_FLOATING;
    options.gravity[2] = -1.6;
    td_load_options *older = BEFORE(td_load_options, actuated, options), *newer = AFTER(options);
    const td_load_options *both[] = {older, newer};
    for (int i = 0; i < 2; i++) {
        td_model *model = model_of_builder(builder, both[i]);
        ck_assert_uint_eq(td_nv(model), 9);
        ck_assert(td_gravity(model, NULL)[2] == -1.6);
#if TANDEM_HAS_URDF
        static const char text[] = "<robot name='r'><link name='l'/></robot>";
        assert_ok(test_load_urdf_memory(text, sizeof text - 1, "text", both[i], NULL, &model));
        ck_assert_uint_eq(td_nv(model), 6);
#endif
    }
    td_model *model;
    ((unsigned char *)newer)[sizeof options] = 1;
    ck_assert_int_eq(test_builder_finish(builder, newer, NULL, &model), TD_ERROR_ARGUMENT);
#if TANDEM_HAS_URDF
    ck_assert_int_eq(test_load_urdf("none", newer, NULL, &model), TD_ERROR_ARGUMENT);
#endif
}

/* Tests fields appended in later versions: older callers get the previous behavior. */
TD_TEST(fields_at_the_end)
{
    td_builder *builder = test_builder("robot");
    add_links(builder, 2);
    td_joint joint = td_joint_default("first", TD_JOINT_REVOLUTE, "base", "a");
    joint.independent = 0;
    joint.must_depend = true; /* refused if the library sees it */
    td_joint *older = BEFORE(td_joint, independent_source, joint);
    assert_ok(td_builder_add_joint(builder, older));
    td_model *model = model_of_builder(builder, NULL);
    ck_assert(td_joint_at(model, 0)->independent == 0 && !td_joint_at(model, 0)->must_depend);

    builder = test_builder("robot");
    add_links(builder, 2);
    joint = td_joint_default("first", TD_JOINT_REVOLUTE, "elsewhere", "a");
    td_builder_add_joint(builder, &joint);
    td_load_options options = td_load_options_default();
    options.partial = true;
    td_load_options *shorter = BEFORE(td_load_options, partial, options);
    ck_assert_int_eq(test_builder_finish(builder, shorter, NULL, &model), TD_ERROR_MODEL);
    assert_ok(test_builder_finish(builder, &options, NULL, &model));
    options.ignore_limits = true;
    shorter = BEFORE(td_load_options, ignore_limits, options);
    td_link link = td_link_default("b");
    td_builder_add_link(builder, &link);
    joint = td_joint_default("second", TD_JOINT_REVOLUTE, "base", "b");
    joint.limit.upper = 1;
    td_builder_add_joint(builder, &joint);
    const td_load_options *const given[] = {shorter, &options};
    for (int i = 0; i < 2; i++) {
        assert_ok(test_builder_finish(builder, given[i], NULL, &model));
        const size_t second = td_joint_index(model, "second");
        ck_assert_int_eq(isnan(td_joint_at(model, second)->limit.upper), i);
    }
}

/* Passes user-supplied closures in an array whose elements have another size. */
TD_LOOP_TEST(closures, 0, 3)
{
    static const size_t sizes[] = {offsetof(td_closure_function, context),
                                   sizeof(td_closure_function),
                                   sizeof(td_closure_function) + LONGER};
    static const char *const first = "j0", *const dependent[] = {"j1", "j2"};
    static const double three = 3;
    const size_t size = sizes[_i];
    unsigned char *array = test_calloc(2, size);
    for (size_t i = 0; i < 2; i++) {
        td_closure_function f = {sizeof f, "own", 1, 1, &dependent[i], &first, twice, &three, NULL};
        void *theirs = VERSION(size, f);
        memcpy(array + i * size, theirs, size);
    }
    td_load_options options = td_load_options_default();
    options.closures = (const td_closure_function *)(void *)array;
    options.closure_count = 2;
    td_builder *builder = chain();
    td_model *model = model_of_builder(builder, &options);
    td_workspace *w = test_workspace(model);
    double y = 0.1, q[3];
    ck_assert_uint_eq(td_ny(model), 1);
    assert_ok(td_closure(model, w, &y, NULL, NULL, q, NULL, NULL));
    double factor = _i > 0 ? 3 : 2;
    td_assert_close(3, q, ((const double[]){0.1, factor * 0.1, factor * 0.1}), 1e-15, 0);
    size_t other = size + sizeof(size_t);
    memcpy(array + size, &other, sizeof other);
    ck_assert_int_eq(test_builder_finish(builder, &options, NULL, &model), TD_ERROR_ARGUMENT);
}

/* ---- calls ----------------------------------------------------------------------------------- */

typedef struct bench {
    td_model *model;
    td_workspace *w;
    double q[3], qd[3], qdd[3];
} bench;

static bench open_bench(void)
{
    bench b = {
        model_of_builder(chain(), NULL), NULL, {0.3, -0.2, 0.5}, {1, 2, -1}, {0.5, 0.1, 0.2}};
    b.w = test_workspace(b.model);
    return b;
}

/* One caller knows only wrenches, another one knows more than the library. */
TD_TEST(forces_of_callers)
{
    bench b = open_bench();
    double wrenches[4 * 6], wanted[3], found[3];
    td_random random = {3};
    td_random_fill(&random, 4 * 6, wrenches);
    td_forces forces = td_forces_default();
    forces.wrenches = wrenches;
    assert_ok(td_inverse_dynamics(b.model, b.w, b.q, b.qd, b.qdd, &forces, wanted));
    td_forces *older = BEFORE(td_forces, wrench_frame, forces), *newer = AFTER(forces);
    const td_forces *both[] = {older, newer};
    for (int i = 0; i < 2; i++) {
        assert_ok(td_inverse_dynamics(b.model, b.w, b.q, b.qd, b.qdd, both[i], found));
        ck_assert_mem_eq(found, wanted, sizeof found);
        assert_ok(td_forward_dynamics(b.model, b.w, b.q, b.qd, wanted, both[i], found));
        td_assert_close(3, found, b.qdd, 1e-12, 1);
    }
    ((unsigned char *)newer)[sizeof forces] = 1;
    ck_assert_int_eq(td_inverse_dynamics(b.model, b.w, b.q, b.qd, b.qdd, newer, found),
                     TD_ERROR_ARGUMENT);
}

TD_TEST(terms_of_callers)
{
    bench b = open_bench();
    double wanted[9], found[9], gravity[3] = {FILL, FILL, FILL}, more[3];
    assert_ok(td_mass_matrix(b.model, b.w, b.q, NULL, wanted));
    td_terms terms = td_terms_default();
    terms.H = found;
    terms.gravity = gravity;
    td_terms *older = BEFORE(td_terms, gravity, terms);
    assert_ok(td_dynamics_terms(b.model, b.w, b.q, b.qd, NULL, older));
    td_assert_close(9, found, wanted, 1e-15, 0);
    ck_assert(gravity[0] == FILL && gravity[2] == FILL);
    td_terms *newer = AFTER(terms);
    assert_ok(td_dynamics_terms(b.model, b.w, b.q, b.qd, NULL, newer));
    assert_ok(td_gravity_force(b.model, b.w, b.q, more));
    td_assert_close(3, gravity, more, 1e-15, 0);
    ((unsigned char *)newer)[sizeof terms + LONGER - 1] = 1;
    ck_assert_int_eq(td_dynamics_terms(b.model, b.w, b.q, b.qd, NULL, newer), TD_ERROR_ARGUMENT);
}

TD_TEST(stabilisation)
{
    td_builder *builder = chain();
    td_joint joint = td_joint_default("extra", TD_JOINT_REVOLUTE, "c", "d");
    td_link link = td_link_default("d");
    link.has_inertial = true;
    link.mass = link.inertia[0] = link.inertia[3] = link.inertia[5] = 1;
    joint.mimic = "j0";
    td_builder_add_link(builder, &link);
    td_builder_add_joint(builder, &joint);
    td_model *model = model_of_builder(builder, NULL);
    td_workspace *w = test_workspace(model);
    const double q[4] = {0.3, -0.2, 0.5, 0.4}, qd[4] = {1, 2, -1, 3}; /* violates the constraint */
    double wanted[4], plain[4], found[4];
    td_constraint_options options = td_constraint_options_default();
    options.alpha = 5;
    assert_ok(td_constrained_forward_dynamics(model, w, q, qd, NULL, NULL, &options, wanted, NULL));
    options.beta = 7; /* the older caller lacks this field */
    td_constraint_options *older = BEFORE(td_constraint_options, beta, options);
    assert_ok(td_constrained_forward_dynamics(model, w, q, qd, NULL, NULL, older, found, NULL));
    ck_assert_mem_eq(found, wanted, sizeof found);
    td_constraint_options *newer = AFTER(options);
    assert_ok(td_constrained_forward_dynamics(model, w, q, qd, NULL, NULL, &options, plain, NULL));
    assert_ok(td_constrained_forward_dynamics(model, w, q, qd, NULL, NULL, newer, found, NULL));
    ck_assert_mem_eq(found, plain, sizeof found);
    ck_assert_msg(memcmp(plain, wanted, sizeof plain) != 0, "beta makes no difference");
    newer->size_of = sizeof options + 1;
    ck_assert_int_eq(
        td_constrained_forward_dynamics(model, w, q, qd, NULL, NULL, newer, found, NULL),
        TD_ERROR_ARGUMENT);
}

TD_TEST(coordinates_of_workspaces)
{
    td_model *model = model_of_builder(chain(), NULL);
    td_workspace_options options = td_workspace_options_default();
    options.coordinates = TD_COORDINATES_TREE; /* the older caller lacks this field */
    td_workspace_options *older = BEFORE(td_workspace_options, coordinates, options);
    td_workspace *w = test_workspace_with(model, older);
    ck_assert(w && td_used_coordinates(w) == TD_COORDINATES_INDEPENDENT);
    td_workspace_options *newer = AFTER(options);
    w = test_workspace_with(model, newer);
    ck_assert(w && td_used_coordinates(w) == TD_COORDINATES_TREE);
    ((unsigned char *)newer)[sizeof options + LONGER - 1] = 1;
    ck_assert_ptr_null(test_workspace_with(model, newer));
}

/* ---- output structs -------------------------------------------------------------------------- */

TD_TEST(reports)
{
    bench b = open_bench();
    td_closure_report closure = {.size_of = sizeof closure};
    td_actuation_report actuation = {.size_of = sizeof actuation};
    td_plan_info plan = td_plan_of(b.model);
    assert_ok(td_closure_examine(b.model, b.w, b.q, &closure));
    assert_ok(td_actuation_examine(b.model, b.w, b.q, &actuation, NULL));
    ck_assert(actuation.rank == 3 && closure.loop == TD_NONE && plan.clusters == 3);
    size_t most = sizeof(td_actuation_report) + sizeof(td_plan_info);
    for (size_t size = sizeof(size_t); size <= most; size += sizeof(size_t)) {
        unsigned char *block[3];
        for (int k = 0; k < 3; k++) {
            block[k] = guarded(size);
            memcpy(block[k], &size, sizeof size);
        }
        assert_ok(td_closure_examine(b.model, b.w, b.q, (void *)block[0]));
        assert_ok(td_actuation_examine(b.model, b.w, b.q, (void *)block[1], NULL));
        td_plan_read(b.model, (void *)block[2], size);
        const void *ours[3] = {&closure, &actuation, &plan};
        const size_t known[3] = {sizeof closure, sizeof actuation, sizeof plan};
        for (int k = 0; k < 3; k++) {
            size_t said;
            memcpy(&said, block[k], sizeof said);
            ck_assert_uint_eq(said, size);
            ck_assert_msg(guard_holds(block[k], size), "report %d of %zu bytes", k, size);
            for (size_t i = sizeof size; i < size; i++)
                ck_assert_uint_eq(block[k][i],
                                  i < known[k] ? ((const unsigned char *)ours[k])[i] : 0);
        }
    }
    closure.size_of--;
    ck_assert_int_eq(td_closure_examine(b.model, b.w, b.q, &closure), TD_ERROR_ARGUMENT);
    actuation.size_of = 0;
    ck_assert_int_eq(td_actuation_examine(b.model, b.w, b.q, &actuation, NULL), TD_ERROR_ARGUMENT);
}

/* Writes structs that functions return by value, for the first object and for an invalid index. */
static void fill_place(const bench *b, size_t i, void *to, size_t size)
{
    td_joint_place_read(b->model, i, to, size);
}
static void fill_audit(const bench *b, size_t i, void *to, size_t size)
{
    td_link_audit_read(b->model, i, to, size);
}
static void fill_loop(const bench *b, size_t i, void *to, size_t size)
{
    td_loop_place_read(b->model, i, to, size);
}
static void fill_cluster(const bench *b, size_t i, void *to, size_t size)
{
    td_loop_cluster_read(b->model, i, to, size);
}
static void fill_limit(const bench *b, size_t i, void *to, size_t size)
{
    td_effective_limit_read(b->model, i, to, size);
}
static void fill_actuator(const bench *b, size_t i, void *to, size_t size)
{
    td_actuator_read(b->model, i, to, size);
}
static void fill_idle(const bench *b, size_t i, void *to, size_t size)
{
    td_idle_direction_read(b->model, i, to, size);
}

static const struct {
    void (*fill)(const bench *b, size_t i, void *to, size_t size);
    size_t size;
} returned[] = {
    {fill_place, sizeof(td_joint_place)},     {fill_audit, sizeof(td_inertia_audit)},
    {fill_loop, sizeof(td_loop_place)},       {fill_cluster, sizeof(td_loop_cluster)},
    {fill_limit, sizeof(td_effective_limit)}, {fill_actuator, sizeof(td_actuator)},
    {fill_idle, sizeof(td_idle_direction)},
};
enum { RETURNED = sizeof returned / sizeof *returned };

TD_LOOP_TEST(structs_by_value, 0, RETURNED)
{
    bench b = open_bench();
    const size_t whole = returned[_i].size;
    for (size_t i = 0; i < 100; i += 99) {
        unsigned char *ours = guarded(whole);
        returned[_i].fill(&b, i, ours, whole);
        for (size_t size = sizeof(size_t); size <= whole + 24; size += sizeof(size_t)) {
            unsigned char *theirs = guarded(size);
            size_t said;
            returned[_i].fill(&b, i, theirs, size);
            memcpy(&said, theirs, sizeof said);
            ck_assert_uint_eq(said, size);
            ck_assert(guard_holds(theirs, size));
            for (size_t k = sizeof size; k < size; k++)
                ck_assert_uint_eq(theirs[k], k < whole ? ours[k] : 0);
        }
    }
}

/* The inline functions return what the library writes. */
TD_TEST(values_of_callers)
{
    bench b = open_bench();
    const td_joint_place place = td_joint_place_at(b.model, 0),
                         none = td_joint_place_at(b.model, 99);
    ck_assert_uint_eq(place.size_of, sizeof place);
    ck_assert(place.nq == 1 && place.q == 0 && place.parent_joint == TD_NONE);
    ck_assert(none.size_of == sizeof none && none.q == TD_NONE && none.nq == 0);
    const td_actuator motor = td_actuator_at(b.model, 0), no_motor = td_actuator_at(b.model, 99);
    ck_assert(motor.name && motor.joint == 0 && motor.turns && !no_motor.name);
    const td_effective_limit free_one = td_effective_limit_at(b.model, 99);
    ck_assert(isinf(free_one.lower) && free_one.effort_joint == TD_NONE);
    ck_assert(td_link_audit(b.model, 99).massless);
    ck_assert_uint_eq(td_loop_place_at(b.model, 99).cluster, TD_NONE);
    ck_assert_uint_eq(td_loop_cluster_at(b.model, 99).rank, 0);
}

/* Every function that returns an index has the same type and the same value for "no index", and so
   has every index in a struct. Indices of other objects are covered by their tests. */
TD_TEST(one_none)
{
#define IS_INDEX(x) _Generic((x), size_t : true, default : false)
    bench b = open_bench();
    const td_model *model = b.model;
    const size_t beyond = 99;
    const struct {
        bool type;
        size_t none;
    } functions[] = {
#define NONE_OF(call) {IS_INDEX(call), call}
        NONE_OF(td_link_index(model, "nothing")),
        NONE_OF(td_link_index(model, NULL)),
        NONE_OF(td_joint_index(model, "nothing")),
        NONE_OF(td_joint_index(model, NULL)),
        NONE_OF(td_movable_joint(model, td_movable_count(model))),
        NONE_OF(td_independent_joint(model, td_independent_count(model))),
        NONE_OF(td_link_body(model, td_root_link(model))),
        NONE_OF(td_link_body(model, beyond)),
        NONE_OF(td_link_parent_joint(model, td_root_link(model))),
        NONE_OF(td_link_parent_joint(model, beyond)),
        NONE_OF(td_follower_of(model, 0)),
        NONE_OF(td_follower_of(model, beyond)),
        NONE_OF(td_singular_joint(b.w)),
        NONE_OF(td_failed_loop(b.w, NULL)),
        NONE_OF(td_completion_missing(NULL, 0)),
#undef NONE_OF
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        ck_assert_msg(functions[i].type && functions[i].none == TD_NONE, "call %zu", i);
    const td_joint_place place = td_joint_place_at(model, beyond);
    const td_actuator motor = td_actuator_at(model, beyond);
    const td_loop_place loop = td_loop_place_at(model, beyond);
    const td_effective_limit limit = td_effective_limit_at(model, beyond);
    const size_t fields[] = {
        place.parent_link,
        place.child_link,
        place.parent_joint,
        place.body,
        place.q,
        place.qd,
        place.y,
        place.yd,
        place.leader,
        place.cluster,
        motor.joint,
        motor.loop,
        motor.q,
        motor.qd,
        loop.cluster,
        loop.constraint,
        limit.lower_joint,
        limit.upper_joint,
        limit.velocity_joint,
        limit.effort_joint,
        td_joint_kind_of(TD_JOINT_REVOLUTE)->quaternion,
        td_ik_goal_default(TD_IK_DISTANCE, 0).other_link,
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        ck_assert_msg(fields[i] == TD_NONE, "field %zu", i);
    ck_assert(IS_INDEX(place.q) && IS_INDEX(place.leader) && IS_INDEX(motor.joint) &&
              IS_INDEX(loop.cluster) && IS_INDEX(limit.lower_joint));
    /* if there is an index, it is the index of the name */
    for (size_t i = 0; i < td_movable_count(model); i++) {
        const size_t joint = td_movable_joint(model, i);
        ck_assert_uint_eq(td_joint_index(model, td_joint_at(model, joint)->name), joint);
        const size_t child = td_link_index(model, td_joint_at(model, joint)->child);
        ck_assert_uint_eq(td_joint_place_at(model, joint).child_link, child);
        ck_assert_uint_eq(td_link_parent_joint(model, child), joint);
        ck_assert_uint_eq(td_link_body(model, child), td_joint_place_at(model, joint).body);
    }
#undef IS_INDEX
}
