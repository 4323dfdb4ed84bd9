/* SPDX-License-Identifier: MIT */
/*
 * Tests loops that files state by conventions of other programs: plugins of Gazebo that weld links,
 * frames closing_X_1 and closing_X_2, and Drake's weld_constraint. A loop that is read equals the
 * <loop> written by hand. A loop that is not read is a warning with its links, and the <loop> in
 * the remedy loads in its place.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "td_test.h"

enum { CAPACITY = 8192 };

#define BODY(name)                                                                                 \
    "<link name='" name "'><inertial><origin xyz='.1 0 -.2'/><mass value='1'/>"                    \
    "<inertia ixx='.01' iyy='.02' izz='.01'/></inertial></link>"
#define JOINT(name, type, parent, child, x, z)                                                     \
    "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child        \
    "'/><axis xyz='0 1 0'/><origin xyz='" x " 0 " z "'/></joint>"

/* Two arms whose ends meet in a pin with all joints at zero: the hand of the right arm and a link
   that turns on the left one. The right arm ends at x, which closes the loop at -.3. */
#define ARMS(x)                                                                                    \
    "<robot name='arms' xmlns:drake='http://drake.mit.edu'><link name='base'/>" BODY("right")      \
        BODY("left") BODY("right_fore")                                                            \
            BODY("left_fore") "<link name='hand'/><link name='ring'/>" JOINT(                      \
                "r", "continuous", "base", "right", ".3", "0")                                     \
                JOINT("l", "continuous", "base", "left", "-.3", "0")                               \
                    JOINT("rr", "continuous", "right", "right_fore", "0", "-.4")                   \
                        JOINT("ll", "continuous", "left", "left_fore", "0", "-.4")                 \
                            JOINT("h", "fixed", "right_fore", "hand", x, "-.4")                    \
                                JOINT("turn", "continuous", "left_fore", "ring", ".3", "-.4")
#define BY_HAND                                                                                    \
    "<loop name='hand-ring' type='fixed'><predecessor link='hand'/><successor "                    \
    "link='ring'/></loop>"

#define PLUGIN(content)                                                                            \
    "<gazebo><plugin filename='gz-sim-detachable-joint-system' "                                   \
    "name='gz::sim::systems::DetachableJoint'>" content "</plugin></gazebo>"
#define WELD(more)                                                                                 \
    PLUGIN("<parent_link>hand</parent_link><child_model>arms</child_model>"                        \
           "<child_link>ring</child_link>" more)

/* Loads a robot of a head, elements and </robot>. type: the option closing_frames. */
static td_model *load(const char *head, const char *elements, const char *type,
                      td_diagnostics *list)
{
    static char text[4 * CAPACITY];
    td_load_options options = td_load_options_default();
    options.closing_frames = type;
    td_model *model = NULL;
    snprintf(text, sizeof text, "%s%s</robot>", head, elements);
    test_load_urdf_memory(text, strlen(text), "text", &options, list, &model);
    for (size_t i = 0; list && i < td_diagnostics_size(list); i++)
        printf("# %s: %s\n", td_diagnostics_at(list, i)->code, td_diagnostics_at(list, i)->message);
    return model;
}

/* Computes the torques of the independent joints in a state. Returns their number. */
static size_t compute_torques(const td_model *model, double tau[3])
{
    const double y[3] = {0.1, -0.2, 0.3}, yd[3] = {0.7, 0.3, -0.5}, ydd[3] = {-0.4, 1.1, 0.2};
    ck_assert_ptr_nonnull(model);
    ck_assert_uint_le(td_nyd(model), 3); /* a ring on a loop of other links turns freely */
    assert_ok(td_inverse_dynamics(model, test_workspace(model), y, yd, ydd, NULL, tau));
    return td_nyd(model);
}

/* Checks that the robot with elements moves as the one with a loop by hand. Returns the robot. */
static td_model *check_equal(const char *head, const char *elements, const char *type,
                             const char *loop)
{
    td_diagnostics *list = test_diagnostics(0);
    td_model *model = load(head, elements, type, list), *right = load(head, loop, NULL, NULL);
    double tau[3], expected[3];
    const size_t n = compute_torques(model, tau);
    ck_assert_uint_eq(compute_torques(right, expected), n);
    ck_assert_double_gt(td_largest(n, expected), 0.1);
    td_assert_close(n, tau, expected, 1e-13, 1);
    const td_diagnostic *note = td_find_diagnostic(list, "URDF-C043");
    ck_assert_ptr_nonnull(note);
    ck_assert_int_eq(note->severity, TD_SEVERITY_NOTE);
    ck_assert_uint_eq(td_loop_count(model), 1);
    ck_assert_int_eq(td_loop_at(model, 0)->type, td_loop_at(right, 0)->type);
    ck_assert_str_eq(td_loop_at(model, 0)->predecessor, td_loop_at(right, 0)->predecessor);
    ck_assert_str_eq(td_loop_at(model, 0)->successor, td_loop_at(right, 0)->successor);
    return model;
}

/* Returns the warning about the loop that elements state and that is not read, and writes the
   <loop> of its remedy. */
static const td_diagnostic *find_warning(const char *head, const char *elements,
                                         char loop[CAPACITY])
{
    td_diagnostics *list = test_diagnostics(0);
    const td_model *model = load(head, elements, NULL, list);
    ck_assert_ptr_nonnull(model);
    ck_assert_uint_eq(td_loop_count(model), 0);
    const td_diagnostic *d = td_find_diagnostic(list, "URDF-C042");
    ck_assert_ptr_nonnull(d);
    ck_assert(d->omission);
    const char *element = strstr(d->remedy, "<loop ");
    snprintf(loop, CAPACITY, "%s", element ? element : "");
    return d;
}

/* ---- plugins --------------------------------------------------------------------------------- */

TD_TEST(welds_where_frames_coincide)
{
    static const char *const plugins[] = {
        WELD(""), WELD("<attach_topic>close</attach_topic><initial_attach>true</initial_attach>"),
        PLUGIN("<parent_link>hand</parent_link><child_model>__model__</child_model>"
               "<child_link>ring</child_link>"),
        "<gazebo><plugin filename='libattach-links.so' name='gz::sim::systems::AttachLinks'>"
        "<parent>arms::hand</parent><child>ring</child></plugin></gazebo>",
        "<gazebo><plugin filename='libignition-gazebo-detachable-joint-system.so' name='x'>"
        "<parent_link>hand</parent_link><child_model>arms</child_model>"
        "<child_link>ring</child_link></plugin></gazebo>"};
    for (size_t i = 0; i < sizeof plugins / sizeof *plugins; i++) {
        td_model *model = check_equal(ARMS("-.3"), plugins[i], NULL, BY_HAND);
        ck_assert_str_eq(td_loop_at(model, 0)->name, "hand-ring");
    }
}

/* The weld keeps the links where they are with all joints at zero, within the rounding of files. */
TD_TEST(weld_keeps_its_pose)
{
    td_model *model = load(ARMS("-.3004"), WELD(""), NULL, test_diagnostics(0));
    ck_assert_ptr_nonnull(model);
    const double at[3] = {0.0004, 0, 0};
    td_assert_close(3, td_loop_at(model, 0)->predecessor_origin.position, at, 1e-13, 1);
}

TD_TEST(links_apart_need_the_option)
{
    char loop[CAPACITY];
    const td_diagnostic *d = find_warning(ARMS("-.1"), WELD(""), loop);
    ck_assert_ptr_nonnull(strstr(d->message, "gz::sim::systems::DetachableJoint"));
    const char *from_zero = strstr(d->message, "<loop ");
    ck_assert_ptr_nonnull(from_zero);
    const td_model *zero = load(ARMS("-.1"), from_zero, NULL, NULL);
    const double at[3] = {-0.2, 0, 0};
    td_assert_close(3, td_loop_at(zero, 0)->predecessor_origin.position, at, 1e-15, 1);
    check_equal(ARMS("-.1"), WELD(""), "fixed", loop);
    check_equal(ARMS("-.1"), WELD(""), "point", loop); /* a weld is fixed in any case */
}

static const struct {
    const char *elements, *message;
    bool loop; /* whether the remedy contains one */
} left_out[] = {
    {WELD("<initial_attach>false</initial_attach>"), "detached at the start", true},
    {PLUGIN("<parent_link>hand</parent_link><child_model>box</child_model>"
            "<child_link>ring</child_link>"),
     "'box' is not this robot", true},
    {PLUGIN("<parent_link>hand</parent_link><child_model>box</child_model>"
            "<child_link>side</child_link>"),
     "welds link 'side' to link 'hand', which is not read: the robot has no link 'side'", false},
    {PLUGIN("<parent_link>palm</parent_link><child_model>arms</child_model>"
            "<child_link>ring</child_link>"),
     "no link 'palm'", false},
    {PLUGIN("<parent_link>hand</parent_link><child_model>arms</child_model>"), "no <child_link>",
     false},
    {PLUGIN("<child_model>arms</child_model><child_link>ring</child_link>"), "no <parent_link>",
     false},
    {"<gazebo><plugin name='closed' filename='libclosed_loop_plugin.so'><joint>pin</joint>"
     "<child>ring</child><parent>hand</parent></plugin></gazebo>",
     "plugin 'closed' names parent link 'hand' and child link 'ring'", true},
};

TD_LOOP_TEST(plugins_that_are_not_read, 0, sizeof left_out / sizeof *left_out)
{
    char loop[CAPACITY];
    const td_diagnostic *d = find_warning(ARMS("-.3"), left_out[_i].elements, loop);
    ck_assert_ptr_nonnull(strstr(d->message, left_out[_i].message));
    ck_assert_int_eq(*loop != '\0', left_out[_i].loop);
    if (left_out[_i].loop) {
        char *rest = strstr(loop, "</loop>");
        ck_assert_ptr_nonnull(rest);
        ck_assert_ptr_nonnull(load(ARMS("-.3"), loop, NULL, NULL));
    }
}

TD_TEST(weld_that_a_topic_opens)
{
    td_diagnostics *list = test_diagnostics(0);
    const td_model *model =
        load(ARMS("-.3"), WELD("<detach_topic>/open</detach_topic>"), NULL, list);
    ck_assert_uint_eq(td_loop_count(model), 1);
    ck_assert_ptr_nonnull(td_find_diagnostic(list, "URDF-C043"));
    ck_assert_ptr_nonnull(strstr(td_find_diagnostic(list, "URDF-C042")->message, "'/open'"));
}

/* ---- frames ---------------------------------------------------------------------------------- */

#define ENDS                                                                                       \
    "<link name='closing_tool_1'/><link name='closing_tool_2'/>" JOINT(                            \
        "e1", "fixed", "hand", "closing_tool_1", ".01", "0")                                       \
        JOINT("e2", "fixed", "left_fore", "closing_tool_2", ".31", "-.4")
#define FRAME(name, link, xyz, rpy)                                                                \
    "<frame name='" name "' link='" link "' xyz='" xyz "' rpy='" rpy "'/>"
#define QUARTER "1.5707963267948966 0 0"

TD_TEST(frames_of_a_point)
{
    char loop[CAPACITY];
    const td_diagnostic *d = find_warning(ARMS("-.3"), ENDS, loop);
    ck_assert_ptr_nonnull(strstr(d->message, "'closing_tool_1' and 'closing_tool_2'"));
    ck_assert_ptr_nonnull(strstr(d->message, "its type is unknown"));
    char by_hand[2 * CAPACITY];
    snprintf(by_hand, sizeof by_hand, "%s%s", ENDS, loop);
    td_model *model = check_equal(ARMS("-.3"), ENDS, "point", by_hand);
    ck_assert_str_eq(td_loop_at(model, 0)->name, "closing_tool");
    ck_assert_int_eq(td_loop_at(model, 0)->type, TD_LOOP_SPHERICAL);
}

/* Frames whose z axes are the axis of the pin, as <frame>s. */
TD_TEST(frames_of_a_hinge)
{
    static const char frames[] = FRAME("closing_a_1", "hand", ".01 0 0", QUARTER)
        FRAME("closing_a_2", "left_fore", ".31 0 -.4", QUARTER);
    static const char ends[] = FRAME("closing_a_1_z", "hand", ".01 -.1 0", QUARTER)
        FRAME("closing_a_2_z", "left_fore", ".31 -.1 -.4", QUARTER);
    static const char hinge[] =
        "<loop name='closing_a' type='revolute'><predecessor link='hand'><origin xyz='.01 0 0'/>"
        "</predecessor><successor link='left_fore'><origin xyz='.31 0 -.4'/></successor>"
        "<axis xyz='0 1 0'/></loop>";
    char both[2 * CAPACITY], loop[CAPACITY];
    check_equal(ARMS("-.3"), frames, "revolute", hinge);
    snprintf(both, sizeof both, "%s%s", frames, ends);
    const td_diagnostic *d = find_warning(ARMS("-.3"), both, loop);
    ck_assert_ptr_null(strstr(d->message, "unknown"));
    check_equal(ARMS("-.3"), both, "fixed", loop); /* the suffix says the type */
    check_equal(ARMS("-.3"), both, "point", hinge);
}

TD_TEST(types_of_the_option)
{
    static const struct {
        const char *word;
        td_loop_type type;
    } types[] = {{"prismatic", TD_LOOP_PRISMATIC},
                 {"cylindrical", TD_LOOP_CYLINDRICAL},
                 {"planar", TD_LOOP_PLANAR},
                 {"fixed", TD_LOOP_FIXED},
                 {"ball", TD_LOOP_SPHERICAL}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        td_load_options options = td_load_options_default();
        td_model *model = NULL;
        options.closing_frames = types[i].word;
        options.open_loops = true; /* only the record is checked */
        static const char text[] = ARMS("-.3") ENDS "</robot>";
        assert_ok(test_load_urdf_memory(text, sizeof text - 1, "text", &options, NULL, &model));
        ck_assert_int_eq(td_loop_at(model, 0)->type, types[i].type);
        ck_assert(td_loop_at(model, 0)->axis[2] == 1);
    }
    static const char *const wrong[] = {"hinge", "distance", "mask", "universal", ""};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        td_diagnostics *list = test_diagnostics(0);
        ck_assert_ptr_null(load(ARMS("-.3"), ENDS, wrong[i], list));
        ck_assert_ptr_nonnull(strstr(td_find_diagnostic(list, "URDF-J001")->message, wrong[i]));
    }
}

static const char *const harmless[] = {
    "<link name='closing_tool_1'/>" JOINT("e1", "fixed", "hand", "closing_tool_1", "0", "0"),
    "<link name='closing_tool_1'/><link name='closing_tool_2'/>" /* one moves */
    JOINT("e1", "fixed", "hand", "closing_tool_1", "0", "0")
        JOINT("e2", "continuous", "left_fore", "closing_tool_2", "0", "0"),
    FRAME("closing_1", "hand", "0 0 0", "0 0 0") FRAME("closing_2", "left", "0 0 0", "0 0 0"),
    "<gazebo><plugin filename='libgazebo_ros_p3d.so'><bodyName>hand</bodyName>"
    "<frameName>ring</frameName></plugin></gazebo>",
    "<gazebo><plugin filename='libx.so'><parent>hand</parent><child>camera</child></plugin>"
    "</gazebo>",
};

TD_LOOP_TEST(other_elements_are_no_loops, 0, sizeof harmless / sizeof *harmless)
{
    td_diagnostics *list = test_diagnostics(0);
    const td_model *model = load(ARMS("-.3"), harmless[_i], _i % 2 ? "point" : NULL, list);
    ck_assert_ptr_nonnull(model);
    ck_assert_uint_eq(td_loop_count(model), 0);
    ck_assert_ptr_null(td_find_diagnostic(list, "URDF-C042"));
}

/* The loop written by hand, beside the elements, is the only one, and there is no warning. */
TD_TEST(loops_by_hand_come_first)
{
    static const struct {
        const char *elements, *loop;
    } pairs[] = {
        {WELD(""), "<loop name='x' type='fixed'><predecessor link='ring'/>"
                   "<successor link='hand'/></loop>"},
        {"<gazebo><plugin filename='libx.so'><parent>hand</parent><child>ring</child></plugin>"
         "</gazebo>",
         BY_HAND},
        {ENDS, "<loop name='x' type='ball'><predecessor link='left_fore'><origin "
               "xyz='.31 0 -.4'/></predecessor><successor link='closing_tool_1'/></loop>"},
        {"<drake:weld_constraint><parent>hand</parent><child>ring</child></drake:weld_constraint>",
         BY_HAND}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (int k = 0; k < 2; k++) {
            char both[CAPACITY];
            td_diagnostics *list = test_diagnostics(0);
            snprintf(both, sizeof both, "%s%s", pairs[i].elements, pairs[i].loop);
            const td_model *model = load(ARMS("-.3"), both, k ? "point" : NULL, list);
            ck_assert_ptr_nonnull(model);
            ck_assert_uint_eq(td_loop_count(model), 1);
            ck_assert_ptr_null(td_find_diagnostic(list, "URDF-C042"));
            ck_assert_ptr_nonnull(td_find_diagnostic(list, "URDF-C043"));
        }
}

/* ---- Drake ----------------------------------------------------------------------------------- */

TD_TEST(weld_constraint_needs_the_option)
{
    static const char weld[] = "<drake:weld_constraint><parent>hand</parent><child>eye</child>"
                               "</drake:weld_constraint>" FRAME("eye", "ring", "0 0 .1", "0 0 0");
    static const char right[] =
        "<loop name='w' type='fixed'><predecessor link='hand'/><successor link='ring'>"
        "<origin xyz='0 0 .1'/></successor></loop>";
    char loop[CAPACITY];
    const td_diagnostic *d = find_warning(ARMS("-.3"), weld, loop);
    ck_assert_ptr_nonnull(strstr(d->message, "welds link 'ring' to link 'hand'"));
    check_equal(ARMS("-.3"), weld, "fixed", loop);
    check_equal(ARMS("-.3"), weld, "point", right);
}
