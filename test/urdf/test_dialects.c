/* SPDX-License-Identifier: MIT */
/*
 * Tests URDF files of other programs. Constraints of Drake and joints of Gazebo close loops.
 * Elements that add forces or links but are not read must cause a diagnostic. Also tests parts of
 * robots whose parents and leaders are in other files.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "failing.h"
#include "td_test.h"

static td_model *load(const char *text, const td_load_options *options, td_diagnostics *list)
{
    td_model *model = NULL;
    test_load_urdf_memory(text, strlen(text), "text", options, list, &model);
    for (size_t i = 0; i < td_diagnostics_size(list); i++)
        printf("# %s\n", td_diagnostics_at(list, i)->message);
    return model;
}

/* ---- one mechanism in three dialects --------------------------------------------------------- */

#define BODY(name)                                                                                 \
    "<link name='" name "'><inertial><origin xyz='.4 0 0'/><mass value='1'/>"                      \
    "<inertia ixx='.01' iyy='.02' izz='.03'/></inertial></link>"
#define HINGE(name, parent, child, origin)                                                         \
    "<joint name='" name "' type='continuous'><parent link='" parent "'/><child link='" child      \
    "'/><axis xyz='0 1 0'/><origin " origin "/></joint>"

/* A four-bar linkage: crank, coupler and rocker, with a pin between the ends of the last two. The
   frame of the rocker is rotated. */
#define LINKAGE                                                                                    \
    "<robot name='r' xmlns:drake='http://drake.mit.edu'><link name='base'/>" BODY("crank")         \
        BODY("coupler") BODY("rocker") HINGE("a", "base", "crank", "rpy='0 -1 0'")                 \
            HINGE("b", "crank", "coupler", "xyz='1 0 0' rpy='0 1 0'")                              \
                HINGE("c", "base", "rocker", "xyz='2 0 0' rpy='0 -1 0'")

static const char *const pins[] = {
    "<loop name='pin' type='revolute'><predecessor link='coupler'><origin xyz='2 0 0'/>"
    "</predecessor><successor link='rocker'><origin xyz='1 0 0' rpy='0 1 0'/></successor>"
    "<axis xyz='0 1 0'/></loop></robot>",
    "<drake:ball_constraint><drake:ball_constraint_body_A name='coupler'/>"
    "<drake:ball_constraint_p_AP value='2 0 0'/><drake:ball_constraint_body_B name='rocker'/>"
    "<drake:ball_constraint_p_BQ value='1 0 0'/></drake:ball_constraint></robot>",
    "<gazebo><joint name='pin' type='revolute'><parent>coupler</parent><child>rocker</child>"
    "<pose>1 0 0 0 0 0</pose><axis><xyz>0 1 0</xyz></axis></joint></gazebo></robot>",
    "<gazebo><joint name='pin' type='ball'><parent>rocker</parent><child>coupler</child>"
    "<pose relative_to='rocker'>1 0 0 0 0 0</pose></joint></gazebo></robot>",
};

TD_TEST(languages_agree)
{
    char text[4096];
    double tau[4];
    for (int k = 0; k < 4; k++) {
        snprintf(text, sizeof text, LINKAGE "%s", pins[k]);
        td_diagnostics *list = test_diagnostics(0);
        td_model *model = load(text, NULL, list);
        ck_assert_ptr_nonnull(model);
        ck_assert_uint_eq(td_diagnostics_count(list, TD_SEVERITY_WARNING), 0);
        ck_assert_uint_eq(td_nyd(model), 1);
        ck_assert_str_eq(td_joint_at(model, td_independent_joint(model, 0))->name, "a");
        td_workspace *workspace = test_workspace(model);
        const double y = 0.2, yd = 0.7, ydd = -0.4;
        assert_ok(td_inverse_dynamics(model, workspace, &y, &yd, &ydd, NULL, &tau[k]));
        ck_assert_double_eq_tol(tau[k], tau[0], 1e-13 * fabs(tau[0]));
    }
    ck_assert_double_gt(fabs(tau[0]), 1);
}

/* ---- Drake ----------------------------------------------------------------------------------- */

#define ROD(more)                                                                                  \
    "<drake:distance_constraint><drake:distance_constraint_body_A name='coupler'/>"                \
    "<drake:distance_constraint_p_AP value='2 0 0'/>"                                              \
    "<drake:distance_constraint_body_B name='base'/>"                                              \
    "<drake:distance_constraint_p_BQ value='1 2 3'/>"                                              \
    "<drake:distance_constraint_distance value='3'/>" more "</drake:distance_constraint></robot>"

TD_LOOP_TEST(rods_are_read, 0, 2)
{
    static const char *const rods[] = {ROD(""),
                                       ROD("<drake:distance_constraint_stiffness value='inf'/>"
                                           "<drake:distance_constraint_damping value='0'/>")};
    char text[4096];
    snprintf(text, sizeof text, LINKAGE "%s", rods[_i]);
    td_load_options options = td_load_options_default();
    options.open_loops = true; /* only the record is checked */
    td_model *model = load(text, &options, NULL);
    ck_assert_ptr_nonnull(model);
    ck_assert_uint_eq(td_loop_count(model), 1);
    const td_loop *loop = td_loop_at(model, 0);
    ck_assert_int_eq(loop->type, TD_LOOP_DISTANCE);
    ck_assert(loop->distance == 3);
    ck_assert_str_eq(loop->predecessor, "coupler");
    ck_assert_str_eq(loop->successor, "base");
    ck_assert(loop->predecessor_origin.position[0] == 2);
    ck_assert(loop->successor_origin.position[2] == 3);
}

/* ---- Gazebo ---------------------------------------------------------------------------------- */

/* The frame of link one is at 1 0 0, rotated a quarter turn about z. The frame of link two is at 0
   2 0. */
#define FRAMES                                                                                     \
    "<robot name='r'><link name='base'/><link name='one'/><link name='two'/>"                      \
    "<joint name='j1' type='continuous'><parent link='base'/><child link='one'/>"                  \
    "<origin xyz='1 0 0' rpy='0 0 1.5707963267948966'/></joint>"                                   \
    "<joint name='j2' type='continuous'><parent link='base'/><child link='two'/>"                  \
    "<origin xyz='0 2 0'/></joint>"
#define JOINT(type, content)                                                                       \
    "<gazebo><joint name='pin' type='" type "'><parent>one</parent><child>two</child>" content     \
    "</joint></gazebo></robot>"

enum { AS_BASE, AS_ONE, TILTED };

static const struct {
    const char *joint;
    td_loop_type type;
    double parent[3], child[3]; /* position of the joint in the frames of the links */
    int turn;                   /* which rotation its axes have in the root */
    double axis[3], second[3];
} gazebo[] = {
    {JOINT("revolute", "<pose>.1 .2 .3 0 0 0</pose>"),
     TD_LOOP_REVOLUTE,
     {2.2, 0.9, 0.3},
     {0.1, 0.2, 0.3},
     AS_BASE,
     {0, 0, 1},
     {0, 0, 1}},
    {JOINT("continuous", "<pose/>"), /* an empty pose is the child link's frame */
     TD_LOOP_REVOLUTE,
     {2, 1, 0},
     {0, 0, 0},
     AS_BASE,
     {0, 0, 1},
     {0, 0, 1}},
    {JOINT("continuous", ""),
     TD_LOOP_REVOLUTE,
     {2, 1, 0},
     {0, 0, 0},
     AS_BASE,
     {0, 0, 1},
     {0, 0, 1}},
    {JOINT("prismatic", "<pose relative_to='one'>.1 .2 .3 0 0 0</pose><axis><xyz>1 0 0</xyz>"
                        "</axis>"),
     TD_LOOP_PRISMATIC,
     {0.1, 0.2, 0.3},
     {0.8, -1.9, 0.3},
     AS_ONE,
     {1, 0, 0},
     {0, 0, 1}},
    {JOINT("prismatic", "<pose relative_to='j1'>.1 .2 .3 0 0 0</pose><axis>"
                        "<xyz expressed_in='__model__'>1 0 0</xyz></axis>"),
     TD_LOOP_PRISMATIC,
     {0.1, 0.2, 0.3},
     {0.8, -1.9, 0.3},
     AS_ONE,
     {0, -1, 0},
     {0, 0, 1}},
    {JOINT("fixed", "<pose relative_to='base'>.1 .2 .3 0 0 0</pose>"), /* the first link */
     TD_LOOP_FIXED,
     {0.2, 0.9, 0.3},
     {0.1, -1.8, 0.3},
     AS_BASE,
     {0, 0, 1},
     {0, 0, 1}},
    {JOINT("fixed", "<pose relative_to='__model__'>.1 .2 .3 0 0 0</pose>"),
     TD_LOOP_FIXED,
     {0.2, 0.9, 0.3},
     {0.1, -1.8, 0.3},
     AS_BASE,
     {0, 0, 1},
     {0, 0, 1}},
    {JOINT("fixed", "<pose relative_to='__model__' degrees='true'>.1 .2 .3 90 0 0</pose>"),
     TD_LOOP_FIXED,
     {0.2, 0.9, 0.3},
     {0.1, -1.8, 0.3},
     TILTED, /* about x, which does not commute with the rotation of link one about z */
     {0, 0, 1},
     {0, 0, 1}},
    {JOINT("ball", "<pose frame='one' degrees='true'>.1 .2 .3 0 0 -90</pose>"),
     TD_LOOP_SPHERICAL,
     {0.1, 0.2, 0.3},
     {0.8, -1.9, 0.3},
     AS_BASE,
     {0, 0, 1},
     {0, 0, 1}},
    {JOINT("universal",
           "<pose rotation_format='quat_xyzw'>0 0 0 0 0 0.70710678118654752 0.70710678118654752"
           "</pose><axis><xyz expressed_in='two'>1 0 0</xyz></axis>"
           "<axis2><xyz expressed_in='pin'>0 1 0</xyz></axis2>"),
     TD_LOOP_UNIVERSAL,
     {2, 1, 0},
     {0, 0, 0},
     AS_ONE,
     {0, -1, 0},
     {0, 1, 0}},
    {JOINT("revolute", "<axis><xyz>1 0 0</xyz><use_parent_model_frame>1</use_parent_model_frame>"
                       "</axis><pose relative_to='one'>0 0 0 0 0 0</pose>"),
     TD_LOOP_REVOLUTE,
     {0, 0, 0},
     {1, -2, 0},
     AS_ONE,
     {0, -1, 0},
     {0, 0, 1}},
};

TD_LOOP_TEST(frames_of_joints, 0, sizeof gazebo / sizeof *gazebo)
{
    /* rotation of the joint in the parent's and in the child's axes */
    static const double turns[3][2][9] = {
        {{0, 1, 0, -1, 0, 0, 0, 0, 1}, {1, 0, 0, 0, 1, 0, 0, 0, 1}},
        {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, -1, 0, 1, 0, 0, 0, 0, 1}},
        {{0, 0, -1, -1, 0, 0, 0, 1, 0}, {1, 0, 0, 0, 0, -1, 0, 1, 0}}};
    char text[2048];
    snprintf(text, sizeof text, FRAMES "%s", gazebo[_i].joint);
    td_load_options options = td_load_options_default();
    options.open_loops = true; /* only the record is checked */
    td_model *model = load(text, &options, NULL);
    ck_assert_ptr_nonnull(model);
    ck_assert_uint_eq(td_loop_count(model), 1);
    const td_loop *loop = td_loop_at(model, 0);
    ck_assert_str_eq(loop->name, "pin");
    ck_assert_int_eq(loop->type, gazebo[_i].type);
    ck_assert_str_eq(loop->predecessor, "one");
    ck_assert_str_eq(loop->successor, "two");
    td_assert_close(3, loop->predecessor_origin.position, gazebo[_i].parent, 1e-15, 1);
    td_assert_close(3, loop->successor_origin.position, gazebo[_i].child, 1e-15, 1);
    td_assert_close(9, loop->predecessor_origin.rotation, turns[gazebo[_i].turn][0], 1e-15, 1);
    td_assert_close(9, loop->successor_origin.rotation, turns[gazebo[_i].turn][1], 1e-15, 1);
    td_assert_close(3, loop->axis, gazebo[_i].axis, 1e-15, 1);
    td_assert_close(3, loop->second_axis, gazebo[_i].second, 1e-15, 1);
}

TD_TEST(dynamics_of_joints)
{
    td_load_options options = td_load_options_default();
    options.open_loops = true;
    td_model *model =
        load(FRAMES JOINT("revolute", "<axis><xyz>1 0 0</xyz><limit><lower>-1</lower></limit>"
                                      "<dynamics><damping>1</damping><friction>2</friction>"
                                      "<spring_stiffness>3</spring_stiffness>"
                                      "<spring_reference>4</spring_reference></dynamics></axis>"),
             &options, NULL);
    const td_loop *loop = td_loop_at(model, 0);
    ck_assert(loop->damping == 1 && loop->friction == 2);
    ck_assert(loop->spring_stiffness == 3 && loop->spring_reference == 4);
}

/* A joint to the world is one to a fixed root. A floating base has no such pose. */
TD_TEST(joint_to_the_world)
{
    static const char text[] =
        FRAMES "<gazebo><joint name='pin' type='ball'><parent>world</parent><child>one</child>"
               "</joint></gazebo></robot>";
    for (int base = TD_BASE_FIXED; base <= TD_BASE_FLOATING; base++) {
        td_load_options options = td_load_options_default();
        td_diagnostics *list = test_diagnostics(0);
        options.base = (td_base)base;
        options.open_loops = true;
        td_model *model = load(text, &options, list);
        ck_assert_ptr_nonnull(model);
        ck_assert_uint_eq(td_loop_count(model), base == TD_BASE_FIXED);
        ck_assert((td_find_diagnostic(list, "URDF-C004") != NULL) == (base == TD_BASE_FLOATING));
        if (base == TD_BASE_FIXED) {
            ck_assert_str_eq(td_loop_at(model, 0)->predecessor, "base");
            ck_assert(td_loop_at(model, 0)->predecessor_origin.position[0] == 1);
        }
    }
}

/* ---- elements that are not read -------------------------------------------------------------- */

static const struct {
    const char *text, *code, *message;
} omitted[] = {
    {"<force_element/>", "URDF-C042", "<force_element> is not read: its"},
    {"<drake:weld_constraint/><drake:weld_constraint/>", "URDF-C042", "(2 times, first"},
    {"<drake:tendon_constraint/>", "URDF-C042", "moves more freely"},
    {"<drake:coupler_constraint/>", "URDF-C042", "moves more freely"},
    {"<drake:weld_constraint/>", "URDF-C042", "moves more freely"},
    {"<force_element/>", "URDF-C042", "forces are missing"},
    {"<drake:ball_constraint/>", "URDF-C004", "has no <drake:ball_constraint_body_A>"},
    {"<gazebo><link name='x'/></gazebo>", "URDF-C042", "links are missing"},
    {"<gazebo><model name='x'/></gazebo>", "URDF-C042", "links are missing"},
    {"<gazebo><include/></gazebo>", "URDF-C042", "links are missing"},
    {"<gazebo reference='one'><turnGravityOff>true</turnGravityOff></gazebo>", "URDF-C042",
     "turns it off"},
    {"<gazebo reference='one'><gravity>0</gravity></gazebo>", "URDF-C042", "turns it off"},
    {"<gazebo reference='j1'><springStiffness>3</springStiffness></gazebo>", "URDF-C042",
     "forces are missing"},
    {"<gazebo reference='one'><dampingFactor>.1</dampingFactor></gazebo>", "URDF-C042",
     "forces are missing"},
    {"<gazebo><plugin filename='libx.so'><joint>j1</joint><mimicJoint>j2</mimicJoint></plugin>"
     "</gazebo>",
     "URDF-C042", "joints that it moves are independent"},
    {"<gazebo><plugin filename='libbuoyancy_plugin.so'/></gazebo>", "URDF-C042", "forces are"},
    {"<gazebo><joint name='s' type='screw'><parent>one</parent><child>two</child></joint></gazebo>",
     "URDF-C004", "'screw', which is not supported"},
    {"<gazebo><joint name='s'><parent>one</parent><child>two</child></joint></gazebo>", "URDF-C004",
     "has no type"},
    {"<gazebo><joint name='s' type='ball'><parent>one</parent></joint></gazebo>", "URDF-C004",
     "has no child link"},
    {"<gazebo><joint name='s' type='ball'><parent>no</parent><child>two</child></joint></gazebo>",
     "URDF-C004", "parent link 'no', which does not exist"},
    {"<gazebo><joint name='s' type='ball'><parent>one</parent><child>two</child>"
     "<pose relative_to='camera'>0 0 0 0 0 0</pose></joint></gazebo>",
     "URDF-C004", "pose in an unknown frame"},
    {"<gazebo><joint name='s' type='revolute'><parent>one</parent><child>two</child><axis>"
     "<xyz expressed_in='camera'>0 0 1</xyz></axis></joint></gazebo>",
     "URDF-C004", "axis in an unknown frame"},
};

/* Loads a robot with the text of an entry at its end. A text that ends with '!' follows LINKAGE and
   closes the robot itself. */
static td_model *load_with(const char *text, td_diagnostics *list)
{
    char whole[4096];
    size_t length = strlen(text);
    if (text[length - 1] == '!')
        snprintf(whole, sizeof whole, LINKAGE "%.*s", (int)length - 1, text);
    else
        snprintf(whole, sizeof whole, FRAMES "%s</robot>", text);
    return load(whole, NULL, list);
}

TD_LOOP_TEST(omissions_are_reported, 0, sizeof omitted / sizeof *omitted)
{
    td_diagnostics *list = test_diagnostics(0);
    td_model *model = load_with(omitted[_i].text, list);
    ck_assert_ptr_nonnull(model);
    ck_assert_uint_eq(td_loop_count(model), 0);
    const td_diagnostic *d = td_find_diagnostic(list, omitted[_i].code);
    ck_assert_ptr_nonnull(d);
    ck_assert(d->omission && d->severity == TD_SEVERITY_WARNING);
    ck_assert_str_ne(d->remedy, "");
    ck_assert_ptr_nonnull(strstr(d->message, omitted[_i].message));
}

static const char *const harmless[] = {
    "<gazebo reference='one'><material>Gazebo/Red</material><mu1>1</mu1></gazebo>",
    "<gazebo reference='one'><turnGravityOff>false</turnGravityOff><gravity>1</gravity></gazebo>",
    "<gazebo reference='j1'><springStiffness>0</springStiffness><dampingFactor>0</dampingFactor>"
    "</gazebo>",
    "<gazebo><plugin filename='libgazebo_ros_control.so'/></gazebo>",
    "<link name='three'/><joint name='j3' type='continuous'><parent link='base'/>"
    "<child link='three'/><mimic joint='j1'/></joint>"
    "<gazebo><plugin filename='libx.so'><joint>j1</joint><mimicJoint>j3</mimicJoint></plugin>"
    "</gazebo>",
    "<drake:collision_filter_group name='x'/>",
};

TD_LOOP_TEST(other_things_are_notes, 0, sizeof harmless / sizeof *harmless)
{
    td_diagnostics *list = test_diagnostics(0);
    td_model *model = load_with(harmless[_i], list);
    ck_assert_ptr_nonnull(model);
    for (size_t i = 0; i < td_diagnostics_size(list); i++)
        ck_assert(!td_diagnostics_at(list, i)->omission);
    ck_assert_ptr_nonnull(td_find_diagnostic(list, "URDF-X010"));
}

/* ---- parts of robots ------------------------------------------------------------------------- */

#define PART                                                                                       \
    "<robot name='part'><link name='palm'/><link name='tip'/><link name='nail'/>"                  \
    "<joint name='mount' type='fixed'><parent link='hand'/><child link='palm'/></joint>"           \
    "<joint name='finger' type='continuous'><parent link='palm'/><child link='tip'/>"              \
    "<mimic joint='wrist'/></joint>"

TD_TEST(parts_are_loaded)
{
    td_load_options options = td_load_options_default();
    const char *const texts[] = {
        PART "<joint name='thumb' type='continuous'><parent link='other'/><child link='nail'/>"
             "</joint></robot>",
        PART "<joint name='thumb' type='continuous'><parent link='tip'/><child link='nail'/>"
             "</joint></robot>",
        PART "<link name='own'/><joint name='thumb' type='continuous'><parent link='own'/>"
             "<child link='nail'/></joint></robot>"};
    static const char *const roots[] = {"hand", "hand", "own"};
    for (int k = 0; k < 3; k++) {
        td_diagnostics *list = test_diagnostics(0);
        options.partial = false;
        ck_assert_ptr_null(load(texts[k], &options, list));
        ck_assert_ptr_nonnull(td_find_diagnostic(list, "URDF-S006"));

        list = test_diagnostics(0);
        options.partial = true;
        td_model *model = load(texts[k], &options, list);
        ck_assert_ptr_nonnull(model);
        ck_assert(td_find_diagnostic(list, "URDF-S041")->omission &&
                  td_find_diagnostic(list, "URDF-M040")->omission);
        ck_assert_str_eq(td_link_at(model, td_root_link(model))->name, roots[k]);
        ck_assert_uint_eq(td_nyd(model), 2);
        size_t finger = td_joint_index(model, "finger");
        ck_assert(!td_joint_place_at(model, finger).dependent);
        ck_assert_ptr_null(td_joint_at(model, finger)->mimic);
    }
}

/* ---- damaged text and lack of memory --------------------------------------------------------- */

static const char everything[] =
    FRAMES "<link name='three'/><joint name='j3' type='prismatic' independent='False'>"
           "<parent link='two'/><child link='three'/></joint>"
           "<joint name='mount' type='fixed'><parent link='world'/><child link='base'/></joint>"
           "<coupling name='gear'><predecessor link='one'/><successor link='three'/>"
           "<ratio value='2'/></coupling>"
           "<drake:ball_constraint><drake:ball_constraint_body_A name='one'/>"
           "<drake:ball_constraint_p_AP value='0 0 1'/><drake:ball_constraint_body_B name='base'/>"
           "<drake:ball_constraint_p_BQ value='1 0 1'/></drake:ball_constraint>"
           "<drake:linear_bushing_rpy/>"
           "<drake:distance_constraint><drake:distance_constraint_body_A name='two'/>"
           "<drake:distance_constraint_p_AP value='0 0 1'/>"
           "<drake:distance_constraint_body_B name='base'/>"
           "<drake:distance_constraint_p_BQ value='0 2 0'/>"
           "<drake:distance_constraint_distance value='1'/>"
           "<drake:distance_constraint_stiffness value='inf'/></drake:distance_constraint>"
           "<gazebo><joint name='pin' type='revolute'><parent>world</parent><child>one</child>"
           "<pose relative_to='j1' degrees='1'>0 0 0 0 90 0</pose><axis>"
           "<xyz expressed_in='__model__'>0 0 1</xyz><dynamics><damping>0.1</damping></dynamics>"
           "</axis></joint><plugin><mimicJoint>j2</mimicJoint></plugin>"
           "<plugin name='DetachableJoint'><parent_link>base</parent_link><child_model>r"
           "</child_model><child_link>two</child_link><topic>t</topic></plugin>"
           "<plugin name='x'><parent>base</parent><child>one</child></plugin></gazebo>"
           "<frame name='closing_a_1' link='two'/><frame name='closing_a_2' link='base'/>"
           "<drake:weld_constraint><parent>two</parent><child>closing_a_2</child>"
           "</drake:weld_constraint>"
           "<gazebo reference='two'><gravity>0</gravity><springStiffness>1</springStiffness>"
           "</gazebo></robot>";

TD_TEST(damaged_text_does_no_harm)
{
    td_random random = {.state = 7};
    for (int round = 0; round < 1500; round++) {
        char text[sizeof everything];
        memcpy(text, everything, sizeof everything);
        for (size_t k = 0; k <= td_random_below(&random, 3); k++) {
            size_t at = td_random_below(&random, sizeof everything - 20);
            if (td_random_below(&random, 3) == 0)
                text[at] = (char)td_random_below(&random, 256);
            else /* overwrites a part of the text with another one, so that more text stays
                    well-formed */
                memmove(text + at, everything + td_random_below(&random, sizeof everything - 20),
                        td_random_below(&random, 12));
        }
        td_load_options options = td_load_options_default();
        options.partial = round % 2;
        td_model *model = NULL;
        test_load_urdf_memory(text, sizeof everything - 1, "text", &options, NULL, &model);
    }
}

static td_status load_with_allocations(const char *text, long allocations, long *leaked)
{
    td_load_options options = td_load_options_default();
    td_diagnostics *list = new_diagnostics(0);
    td_model *model = NULL;
    options.partial = true;
    options.open_loops = true;
    long before = failing_pieces;
    failing_left = allocations;
    td_status status = td_load_urdf_memory(text, strlen(text), "r", &options, list, &model);
    failing_left = -1;
    td_model_free(model);
    td_diagnostics_free(list);
    *leaked = failing_pieces - before + 1; /* the list was created before */
    return status;
}

TD_TEST(every_allocation_may_fail)
{
    failing_each(load_with_allocations, everything, TD_OK);
    failing_each(load_with_allocations,
                 PART "<joint name='thumb' type='continuous'><parent link='other'/>"
                      "<child link='nail'/></joint></robot>",
                 TD_OK);
    failing_each(load_with_allocations, "<robot name='${a}'><xacro:b/></robot>", TD_ERROR_MODEL);
}

/* ---- files of a local data set --------------------------------------------------------------- */

TD_TEST(found_files)
{
    static const struct {
        const char *name;
        size_t nyd;
    } files[] = {
        {"drake_ball_constraint.urdf", 1}, {"gazebo_loop.urdf", 1}, {"grbda_True.urdf", 9}};
    const char *data = td_data_directory();
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/found/%s", data ? data : "", files[k].name);
        FILE *file = data ? fopen(path, "rb") : NULL;
        if (!file) {
            printf("# %s is not here (meson option 'data'): skipped\n", files[k].name);
            continue;
        }
        fclose(file);
        td_model *model;
        assert_ok(test_load_urdf(path, NULL, NULL, &model));
        ck_assert_uint_eq(td_nyd(model), files[k].nyd);
    }
}
