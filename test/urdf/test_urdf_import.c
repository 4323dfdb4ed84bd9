/* SPDX-License-Identifier: MIT */
/*
 * Tests the URDF importer: numbers, contents of each element, files and standard input.
 * test_traps.c tests diagnostics of bad files, test_hostile_xml.c hostile ones.
 */
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "td_test.h"

/* ---- numbers --------------------------------------------------------------------------------- */

/* Loads a robot with the number as x of a joint's origin. Returns NAN if it is refused. */
static double number_as_read(const char *number)
{
    char text[1024];
    int size = snprintf(text, sizeof text,
                        "<robot name='n'><link name='a'/><link name='b'/>"
                        "<joint name='j' type='fixed'><parent link='a'/><child link='b'/>"
                        "<origin xyz='%s 0 0'/></joint></robot>",
                        number);
    td_model *model = NULL;
    td_status status = test_load_urdf_memory(text, (size_t)size, "n", NULL, NULL, &model);
    ck_assert(status == TD_OK || status == TD_ERROR_MODEL);
    double value = model ? td_joint_at(model, 0)->origin.position[0] : NAN;
    return value;
}

static const struct {
    const char *text;
    double value;
} good[] = {
    {"1", 1},
    {"+1", 1},
    {"-2.5", -2.5},
    {".5", 0.5},
    {"1.", 1},
    {"-.5e+1", -5},
    {"1E-3", 1e-3},
    {"  \t2\n", 2},
    {"0.1", 0.1},
    {"0.1000000000000000055511151231257827021181583404541015625", 0.1},
    {"9007199254740993", 9007199254740992.0}, /* halfway: rounds to even */
    {"9007199254740993.0000000000000000001", 9007199254740994.0},
    {"2.2250738585072011e-308", 0x0.fffffffffffffp-1022},
    {"4.9e-324", 0x1p-1074},
    {"1e-999", 0},
    {"1.7976931348623157e308", 0x1.fffffffffffffp1023},
    {"000000000000000000000000000000012", 12},
};

TD_LOOP_TEST(number_is_correctly_rounded, 0, sizeof good / sizeof *good)
{
    ck_assert_msg(number_as_read(good[_i].text) == good[_i].value, "'%s' is read as %.17g",
                  good[_i].text, number_as_read(good[_i].text));
}

static const char *const bad[] = {
    "1,5",   "1.5kg", "nan",    "-nan",      "inf",      "-Infinity", "0x10", "1e",    "1e+",
    "e5",    ".",     "+",      "",          "+-1",      "- 1",       "1.2.", "1e999", "-1e999",
    "1_000", "1d3",   "nan(0)", "1\xC2\xA0", "\xD9\xA1", "1;",        "1e5e", "0b1",   "1f",
};

TD_LOOP_TEST(number_is_refused, 0, sizeof bad / sizeof *bad)
{
    ck_assert_msg(isnan(number_as_read(bad[_i])), "'%s' is read", bad[_i]);
}

TD_TEST(number_does_not_depend_on_locale)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8",  "de_DE",      "fr_FR.UTF-8",
                                        "es_ES.UTF-8", "pt_BR.UTF-8", "ru_RU.UTF-8"};
    locale_t comma = (locale_t)0;
    for (size_t i = 0; i < sizeof names / sizeof *names && comma == (locale_t)0; i++)
        comma = newlocale(LC_ALL_MASK, names[i], (locale_t)0);
    if (comma == (locale_t)0) {
        printf("# no locale with a decimal comma here: number_does_not_depend_on_locale skipped\n");
        return;
    }
    locale_t before = uselocale(comma);
    ck_assert_str_eq(localeconv()->decimal_point, ",");
    ck_assert_double_eq(number_as_read("1.5"), 1.5);
    ck_assert_double_eq(number_as_read("-.25e1"), -2.5);
    ck_assert(isnan(number_as_read("1,5")));
    uselocale(before);
    freelocale(comma);
}

/* ---- contents -------------------------------------------------------------------------------- */

static const char full[] =
    "<?xml version='1.0' encoding='UTF-8'?>\n"
    "<robot name='full' version='1.1'>\n"
    "  <link name='base'>\n"
    "    <inertial><origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/><mass value='2'/>\n"
    "      <inertia ixx='0.3' ixy='0.01' ixz='0.02' iyy='0.4' iyz='0.03' izz='0.5'/></inertial>\n"
    "    <visual name='v'><origin xyz='0 0 1'/><geometry><cylinder radius='0.1' length='2'/>\n"
    "      </geometry><material name='steel'/></visual>\n"
    "    <collision><geometry><mesh filename='m.stl' scale='1 2 3'/></geometry></collision>\n"
    "  </link>\n"
    "  <material name='steel'><color rgba='0.1 0.2 0.3 1'/></material>\n"
    "  <link name='arm'/><link name='tip'/>\n"
    "  <joint name='lift' type='prismatic' independent='true'>\n"
    "    <parent link='base'/><child link='arm'/><axis xyz='0 0 2'/>\n"
    "    <origin xyz='0.1 0.2 0.3' quat_xyzw='0 0 0.70710678118654752 0.70710678118654752'/>\n"
    "    <limit lower='-1' upper='2' effort='3' velocity='4' acceleration='5' deceleration='6'\n"
    "      jerk='7'/>\n"
    "    <dynamics damping='0.5' friction='0.6' spring_stiffness='8' spring_reference='0.9'/>\n"
    "    <calibration rising='0.1' falling='0.2'/>\n"
    "    <safety_controller soft_lower_limit='-0.5' soft_upper_limit='1.5' k_position='10'\n"
    "      k_velocity='11'/>\n"
    "  </joint>\n"
    "  <joint name='turn' type='continuous' independent='false'>\n"
    "    <parent link='arm'/><child link='tip'/><mimic joint='lift' multiplier='-2' offset='.5'/>\n"
    "  </joint>\n"
    "  <transmission name='t'><type>Simple</type><joint name='lift'/><actuator name='m'>\n"
    "    <mechanicalReduction> 50 </mechanicalReduction><motorInertia>1e-5</motorInertia>\n"
    "    </actuator></transmission>\n"
    "  <loop name='l' type='revolute'><predecessor link='base'><origin xyz='1 0 "
    "0'/></predecessor>\n"
    "    <successor link='tip'><origin rpy='0 0 -1.5707963267948966'/></successor>\n"
    "    <axis xyz='0 1 0'/></loop>\n"
    "  <link name='rotor'/>\n"
    "  <joint name='spin' type='continuous' independent='false'>\n"
    "    <parent link='base'/><child link='rotor'/></joint>\n"
    "  <coupling name='c'><predecessor link='arm'/><successor link='rotor'/><ratio value='6'/>\n"
    "  </coupling>\n"
    "</robot>\n";

static td_model *load_full(void)
{
    td_model *model = NULL;
    td_status status = test_load_urdf_memory(full, strlen(full), "full", NULL, NULL, &model);
    assert_ok(status);
    return model;
}

TD_TEST(links_are_read)
{
    td_model *model = load_full();
    const td_link *link = td_link_at(model, 0);
    ck_assert_str_eq(link->name, "base");
    ck_assert_int_eq(link->source.line, 3);
    ck_assert_int_eq(link->source.column, 3);
    ck_assert_str_eq(link->source.element, "/robot/link[@name='base']");
    ck_assert_str_eq(link->source.file, "full");
    ck_assert_int_eq(link->inertial_source.line, 4);
    ck_assert(link->has_inertial && link->mass == 2);
    const double inertia[6] = {0.3, 0.01, 0.02, 0.4, 0.03, 0.5};
    ck_assert_mem_eq(link->inertia, inertia, sizeof inertia);
    const double position[3] = {1, 2, 3}, rotation[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1};
    ck_assert_mem_eq(link->inertial.position, position, sizeof position);
    td_assert_close(9, link->inertial.rotation, rotation, 1e-15, 1);
    ck_assert(!td_link_at(model, 1)->has_inertial);
}

TD_TEST(geometry_is_read)
{
    td_model *model = load_full();
    const td_link *link = td_link_at(model, 0);
    ck_assert_uint_eq(link->geometry_count, 2);
    const td_geometry *visual = &link->geometry[0], *collision = &link->geometry[1];
    ck_assert_str_eq(visual->name, "v");
    ck_assert(!visual->collision && visual->shape == TD_SHAPE_CYLINDER);
    ck_assert(visual->size[0] == 0.1 && visual->size[1] == 2);
    ck_assert(visual->origin.position[2] == 1);
    ck_assert_str_eq(visual->material, "steel");
    const double rgba[4] = {0.1, 0.2, 0.3, 1}; /* the robot's material, found by name */
    ck_assert_mem_eq(visual->rgba, rgba, sizeof rgba);
    ck_assert(collision->collision && collision->shape == TD_SHAPE_MESH && !collision->name);
    ck_assert_str_eq(collision->file, "m.stl");
    ck_assert(collision->size[2] == 3 && isnan(collision->rgba[0]));
}

TD_TEST(joints_are_read)
{
    td_model *model = load_full();
    const td_joint *lift = td_joint_at(model, 0), *turn = td_joint_at(model, 1);
    ck_assert_int_eq(lift->type, TD_JOINT_PRISMATIC);
    ck_assert_int_eq(turn->type, TD_JOINT_CONTINUOUS);
    const double axis[3] = {0, 0, 1}, rotation[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1};
    ck_assert_mem_eq(lift->axis, axis, sizeof axis);
    td_assert_close(9, lift->origin.rotation, rotation, 1e-15, 1);
    const td_limit *l = &lift->limit;
    ck_assert(l->lower == -1 && l->upper == 2 && l->effort == 3 && l->velocity == 4);
    ck_assert(l->acceleration == 5 && l->deceleration == 6 && l->jerk == 7);
    ck_assert_int_eq(lift->limit_source.line, 15);
    ck_assert(lift->damping == 0.5 && lift->friction == 0.6);
    ck_assert(lift->spring_stiffness == 8 && lift->spring_reference == 0.9);
    ck_assert(lift->calibration_rising == 0.1 && lift->calibration_falling == 0.2);
    ck_assert(lift->soft_lower == -0.5 && lift->soft_upper == 1.5);
    ck_assert(lift->k_position == 10 && lift->k_velocity == 11);
    ck_assert(lift->independent == 1 && turn->independent == 0);
    ck_assert_str_eq(turn->mimic, "lift");
    ck_assert(turn->multiplier == -2 && turn->offset == 0.5);
    ck_assert_int_eq(turn->mimic_source.line, 23);
    ck_assert_int_eq(turn->mimic_source.column, 44);
    ck_assert(turn->axis[0] == 1 && isnan(turn->limit.lower) && isnan(turn->k_velocity));
}

TD_TEST(other_records_are_read)
{
    td_model *model = load_full();
    ck_assert_uint_eq(td_transmission_count(model), 1);
    const td_transmission *t = td_transmission_at(model, 0);
    ck_assert_str_eq(t->name, "t");
    ck_assert_str_eq(t->type, "Simple");
    ck_assert_str_eq(t->joint, "lift");
    ck_assert_str_eq(t->actuator, "m");
    ck_assert(t->mechanical_reduction == 50 && t->rotor_inertia == 1e-5);
    const td_loop *loop = td_loop_at(model, 0);
    ck_assert_str_eq(loop->predecessor, "base");
    ck_assert_str_eq(loop->successor, "tip");
    ck_assert(loop->predecessor_origin.position[0] == 1 && loop->axis[1] == 1);
    const td_coupling *coupling = td_coupling_at(model, 0);
    ck_assert_str_eq(coupling->successor, "rotor");
    ck_assert(coupling->ratio == 6);
}

/* Values of a file with missing values, and wrong ones that cause warnings only. */
static const char warned[] =
    "<robot name='warned'>"
    "<link name='a'><inertial><mass value='1'/>"
    "    <inertia ixx='1' iyy='1' izz='1' iyx='0.1'/></inertial>"
    "  <visual><geometry><sphere radius='0.3'/></geometry>"
    "    <origin xyz='1 2 x'/></visual>"
    "  <visual><geometry><sphere radius='x'/></geometry></visual>"
    "  <visual><geometry><capsule radius='0.1' length='0.2'/></geometry>"
    "    <origin xyz='1 2 3' quat_xyzw='0 0 2 0'/><material name=''/></visual>"
    "  <visual><geometry><mesh filename='m'/></geometry><material name='blue'/></visual>"
    "  <visual><geometry><box size='1 2 3'/></geometry>"
    "    <material name='blue'><color rgba='0 0 1 1'/></material></visual>"
    "  <collision><geometry><cylinder radius='x' length='1'/></geometry></collision></link>"
    "<link name='b'/><link name='c'/><link name='d'/><link name='e'/><link name='f'/>"
    "<joint name='up' type='revolute'><parent link='a'/><child link='b'/>"
    "  <limit upper='2' effort='x' velocity='4'/></joint>"
    "<joint name='down' type='prismatic'><parent link='b'/><child link='c'/>"
    "  <limit lower='-2' effort='1' velocity='4'/><dynamics friction='1'/></joint>"
    "<joint name='none' type='continuous'><parent link='c'/><child link='d'/>"
    "  <limit upper='2'/></joint>"
    "<joint name='weld' type='fixed'><parent link='d'/><child link='e'/><axis xyz='0 0 3'/></joint>"
    "<joint name='free' type='floating' independent='1'><parent link='a'/><child link='f'/></joint>"
    "<transmission name='t' mechanicalReduction='3'><joint name='up'/><joint name='down'>"
    "  <mechanicalReduction>0</mechanicalReduction><rotor_inertia>-1</rotor_inertia></joint>"
    "  <actuator name='m'/><actuator name='n'><rotorInertia value='2'/></actuator></transmission>"
    "</robot>";

TD_TEST(values_beside_warnings)
{
    td_model *model = NULL;
    assert_ok(test_load_urdf_memory(warned, strlen(warned), "w", NULL, NULL, &model));
    const td_link *a = td_link_at(model, 0);
    const double inertia[6] = {1, 0, 0, 1, 0, 1}, blue[4] = {0, 0, 1, 1};
    ck_assert_mem_eq(a->inertia, inertia, sizeof inertia);
    ck_assert_uint_eq(a->geometry_count, 3); /* geometry without a size or pose is omitted */
    const td_geometry *capsule = &a->geometry[0], *mesh = &a->geometry[1], *box = &a->geometry[2];
    ck_assert(capsule->shape == TD_SHAPE_CAPSULE && !capsule->material);
    ck_assert(capsule->size[0] == 0.1 && capsule->size[1] == 0.2 && isnan(capsule->rgba[3]));
    const double turned[9] = {-1, 0, 0, 0, -1, 0, 0, 0, 1};
    td_assert_close(9, capsule->origin.rotation, turned, 1e-15, 1);
    ck_assert(capsule->origin.position[1] == 2);
    ck_assert(mesh->shape == TD_SHAPE_MESH && mesh->size[0] == 1 && mesh->size[2] == 1);
    ck_assert_mem_eq(mesh->rgba, blue, sizeof blue); /* from the visual that defines it */
    ck_assert(box->shape == TD_SHAPE_BOX && box->size[0] == 1 && box->size[2] == 3);
    ck_assert_mem_eq(box->rgba, blue, sizeof blue);

    const td_joint *up = td_joint_at(model, td_joint_index(model, "up"));
    const td_joint *down = td_joint_at(model, td_joint_index(model, "down"));
    const td_joint *none = td_joint_at(model, td_joint_index(model, "none"));
    const td_joint *weld = td_joint_at(model, td_joint_index(model, "weld"));
    ck_assert(up->limit.lower == 0 && up->limit.upper == 2 && isnan(up->limit.effort));
    ck_assert(up->limit.velocity == 4 && up->independent < 0);
    ck_assert(down->limit.lower == -2 && down->limit.upper == 0 && down->limit.effort == 1);
    ck_assert(down->friction == 1 && down->damping == 0 && down->spring_stiffness == 0);
    ck_assert(isnan(none->limit.lower) && isnan(none->limit.velocity));
    ck_assert(weld->axis[0] == 1 && weld->axis[2] == 0);
    ck_assert(td_joint_at(model, td_joint_index(model, "free"))->independent == 1);

    ck_assert_uint_eq(td_transmission_count(model), 2);
    const td_transmission *first = td_transmission_at(model, 0), *second = first + 1;
    ck_assert(first->mechanical_reduction == 3 && first->rotor_inertia == 0);
    ck_assert_str_eq(first->actuator, "m");
    ck_assert(second->mechanical_reduction == 3 && second->rotor_inertia == 2);
    ck_assert_str_eq(second->actuator, "n");
}

/* A mesh is never omitted because of its scale. A warning reports which scale is used. */
TD_TEST(scales_of_meshes)
{
    static const struct {
        const char *scale;
        double size[3];
        const char *said; /* NULL: no warning */
    } cases[] = {
        {"1 2 3", {1, 2, 3}, NULL},
        {"1 2 3 4", {1, 2, 3}, "scale has 4 numbers where 3 are expected; the first 3 apply"},
        {"0.001", {0.001, 0.001, 0.001}, "scale has one number where 3 are expected"},
        {"1 2", {1, 1, 1}, "scale has 2 numbers where 3 are expected; ignored"},
        {"1 2 3 4 5", {1, 1, 1}, "scale has 5 numbers where 3 are expected; ignored"},
        {"1 2 x", {1, 1, 1}, "is not a number; ignored"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "<robot name='r'><link name='a'><visual><geometry><mesh filename='m.stl' "
                 "scale='%s'/></geometry></visual></link></robot>",
                 cases[i].scale);
        td_diagnostics *list = test_diagnostics(0);
        td_model *model = NULL;
        assert_ok(test_load_urdf_memory(text, strlen(text), "t", NULL, list, &model));
        ck_assert_uint_eq(td_link_at(model, 0)->geometry_count, 1);
        ck_assert_mem_eq(td_link_at(model, 0)->geometry[0].size, cases[i].size,
                         sizeof cases[i].size);
        ck_assert_uint_eq(td_diagnostics_size(list), cases[i].said != NULL);
        if (cases[i].said) {
            ck_assert_str_eq(td_diagnostics_at(list, 0)->code, "URDF-N003");
            ck_assert_ptr_nonnull(strstr(td_diagnostics_at(list, 0)->message, cases[i].said));
        }
    }
}

/* Since URDF 1.2 limits may be infinite, which means no limit, as does a missing limit. */
TD_TEST(infinite_limits)
{
    static const char *const versions[] = {"1.1", "1.2"};
    for (int v = 0; v < 2; v++) {
        char text[600];
        snprintf(text, sizeof text,
                 "<robot name='r' version='%s'><link name='a'/><link name='b'/><link name='c'/>"
                 "<joint name='j' type='revolute'><parent link='a'/><child link='b'/>"
                 "<limit lower='-inf' upper='1' effort='inf' velocity='-inf'/></joint>"
                 "<joint name='k' type='revolute'><parent link='b'/><child link='c'/>"
                 "<limit lower='inf' upper='-1'/></joint></robot>",
                 versions[v]);
        td_diagnostics *list = test_diagnostics(0);
        td_model *model = NULL;
        assert_ok(test_load_urdf_memory(text, strlen(text), "t", NULL, list, &model));
        const td_limit *j = &td_joint_at(model, 0)->limit, *k = &td_joint_at(model, 1)->limit;
        ck_assert(isnan(j->lower) && j->upper == 1 && isnan(j->effort) && isnan(j->velocity));
        ck_assert(isnan(k->lower) && k->upper == -1);
        int count = 0;
        for (size_t i = 0; i < td_diagnostics_size(list); i++)
            count += strcmp(td_diagnostics_at(list, i)->code, "URDF-N003") == 0;
        /* an infinity with the wrong sign is an error in each version */
        ck_assert_int_eq(count, v ? 2 : 4);
    }
}

/* Every type and every part of a <loop>, and <loop_joint>. */
static const char loops[] =
    "<robot name='loops'><link name='a'/><link name='b'/>"
    "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>"
    "<loop name='0' type='continuous'><predecessor link='a'/><successor link='b'/>"
    "  <axis xyz='0 0 2'/>"
    "  <dynamics damping='1' friction='2' spring_stiffness='3' spring_reference='4'/></loop>"
    "<loop name='1' type='universal'><predecessor link='a'/><successor link='b'>"
    "  <origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/></successor><axis2 xyz='0 3 4'/></loop>"
    "<loop name='2' type='distance'><predecessor link='a'/><successor link='b'/>"
    "  <distance value='0.25'/></loop>"
    "<loop name='3' type='mask'><predecessor link='a'/><successor link='b'/>"
    "  <mask rotation='x z' translation='yz'/></loop>"
    "<loop name='4' type='point'><predecessor link='a'/><successor link='b'/></loop>"
    "<loop_joint name='5' type='ball'><link1 link='b' xyz='1 2 3'/>"
    "  <link2 link='a' rpy='0 0 1.5707963267948966'/></loop_joint>"
    "<loop_joint name='6' type='prismatic'><axis xyz='0 1 0'/><link1 link='a'/>"
    "  <link2 link='b'/></loop_joint>"
    "</robot>";

static const td_loop *loop_named(const td_model *model, const char *name)
{
    for (size_t i = 0; i < td_loop_count(model); i++)
        if (strcmp(td_loop_at(model, i)->name, name) == 0)
            return td_loop_at(model, i);
    ck_abort_msg("no loop '%s'", name);
    return NULL;
}

TD_TEST(loops_are_read)
{
    static const td_loop_type types[] = {TD_LOOP_REVOLUTE, TD_LOOP_UNIVERSAL, TD_LOOP_DISTANCE,
                                         TD_LOOP_MASK,     TD_LOOP_SPHERICAL, TD_LOOP_SPHERICAL,
                                         TD_LOOP_PRISMATIC};
    td_builder *builder = NULL;
    assert_ok(test_parse_urdf_memory(loops, strlen(loops), "loops", NULL, NULL, &builder));
    td_model *model = NULL;
    td_diagnostics *list = test_diagnostics(0);
    td_load_options options = td_load_options_default();
    options.open_loops = true; /* these records do not close */
    assert_ok(test_builder_finish(builder, &options, list, &model));
    ck_assert_uint_eq(td_loop_count(model), 7);
    for (size_t i = 0; i < 7; i++)
        ck_assert_int_eq(loop_named(model, (char[]){(char)('0' + i), 0})->type, types[i]);
    const td_loop *turn = loop_named(model, "0"), *cross = loop_named(model, "1");
    ck_assert(turn->damping == 1 && turn->friction == 2 && turn->spring_stiffness == 3);
    ck_assert(turn->spring_reference == 4 && turn->axis[2] == 1);
    const double second[3] = {0, 0.6, 0.8}, quarter[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1};
    td_assert_close(3, cross->second_axis, second, 1e-15, 1);
    td_assert_close(9, cross->successor_origin.rotation, quarter, 1e-15, 1);
    ck_assert(loop_named(model, "2")->distance == 0.25);
    ck_assert_uint_eq(loop_named(model, "3")->mask, 1 | 4 | 16 | 32);
    const td_loop *ball = loop_named(model, "5");
    ck_assert_str_eq(ball->predecessor, "b");
    ck_assert_str_eq(ball->successor, "a");
    ck_assert(ball->predecessor_origin.position[2] == 3);
    td_assert_close(9, ball->successor_origin.rotation, quarter, 1e-15, 1);
    ck_assert(loop_named(model, "6")->axis[1] == 1);
}

/* ---- files and entry points ------------------------------------------------------------------ */

/* Writes a file with this text. The path is static. */
static const char *write_file(const char *text)
{
    static char path[] = "/tmp/tandem-test-XXXXXX";
    strcpy(path + strlen(path) - 6, "XXXXXX");
    int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
    return path;
}

TD_TEST(file_is_read)
{
    const char *path = write_file(full);
    td_model *model = NULL;
    assert_ok(test_load_urdf(path, NULL, NULL, &model));
    ck_assert_str_eq(td_link_at(model, 0)->source.file, path);
    unlink(path);
}

TD_TEST(standard_input_is_read)
{
    const char *path = write_file(full);
    ck_assert_ptr_nonnull(freopen(path, "rb", stdin));
    td_model *model = NULL;
    assert_ok(test_load_urdf("-", NULL, NULL, &model));
    ck_assert_str_eq(td_link_at(model, 0)->source.file, "<stdin>");
    unlink(path);
}

TD_TEST(unreadable_file_is_reported)
{
    static const char *const paths[] = {"/", "/nonexistent/robot.urdf"};
    for (size_t i = 0; i < 2; i++) {
        td_diagnostics *list = test_diagnostics(0);
        td_model *model = (td_model *)&list;
        ck_assert_int_eq(test_load_urdf(paths[i], NULL, list, &model), TD_ERROR_IO);
        ck_assert_ptr_null(model);
        ck_assert_uint_eq(td_diagnostics_size(list), 1);
        ck_assert_str_eq(td_diagnostics_at(list, 0)->code, "TD-E002");
        ck_assert_str_eq(td_diagnostics_at(list, 0)->source.file, paths[i]);
    }
}

TD_TEST(file_above_the_cap_is_refused)
{
    const char *path = write_file(full);
    td_load_options options = td_load_options_default();
    td_model *model = NULL;
    options.max_bytes = strlen(full) - 1;
    ck_assert_int_eq(test_load_urdf(path, &options, NULL, &model), TD_ERROR_IO);
    options.max_bytes = strlen(full);
    assert_ok(test_load_urdf(path, &options, NULL, &model));
    unlink(path);
}

/* ---- bundled robots -------------------------------------------------------------------------- */

static char *text_of(const td_model *model)
{
    size_t size;
    assert_ok(td_model_write(model, NULL, 0, &size));
    char *text = test_calloc(size + 1, 1);
    assert_ok(td_model_write(model, text, size, &size));
    return text;
}

TD_TEST(bundled_robot_is_found_by_name)
{
    static const char *const words[] = {"tandem:gripper", "tandem:gripper.urdf"};
    td_model *file = td_load_robot("gripper.urdf", NULL);
    char *expected = text_of(file);
    for (size_t i = 0; i < 2; i++) {
        td_model *model;
        assert_ok(test_load_urdf(words[i], NULL, NULL, &model));
        char *text = text_of(model);
        ck_assert_str_eq(text, expected);
    }
}

static const struct {
    const char *word, *message, *remedy;
} absent[] = {
    {"tandem:griper", "includes no robot with this name", "did you mean tandem:gripper?"},
    {"tandem:../robots/gripper", "includes no robot with this name",
     "did you mean tandem:gripper?"},
    {"tandem:nothing_like_it", "includes no robot with this name",
     "the robots are arm7, cam_finger, "},
    {"tandem:", "includes no robot with this name", "the robots are arm7, "},
    {"tandem:gripper", "there are no robots in '/nowhere'", "set TANDEM_ROBOTS"},
};

TD_LOOP_TEST(bundled_robot_that_is_none_is_reported, 0, sizeof absent / sizeof *absent)
{
    if (strstr(absent[_i].message, "/nowhere"))
        setenv("TANDEM_ROBOTS", "/nowhere", 1);
    td_diagnostics *list = test_diagnostics(0);
    td_model *model;
    ck_assert_int_eq(test_load_urdf(absent[_i].word, NULL, list, &model), TD_ERROR_IO);
    ck_assert_ptr_null(model);
    const td_diagnostic *d = td_diagnostics_at(list, 0);
    ck_assert_str_eq(d->code, "TD-E002");
    ck_assert_str_eq(d->source.file, absent[_i].word);
    ck_assert_msg(strstr(d->message, absent[_i].message) != NULL, "%s", d->message);
    ck_assert_msg(strstr(d->remedy, absent[_i].remedy) != NULL, "%s", d->remedy);
}

TD_TEST(builder_can_be_added_to)
{
    td_builder *builder = NULL;
    assert_ok(test_parse_urdf_memory(full, strlen(full), "f", NULL, NULL, &builder));
    td_link link = td_link_default("more");
    td_joint joint = td_joint_default("weld", TD_JOINT_FIXED, "tip", "more");
    assert_ok(td_builder_add_link(builder, &link));
    assert_ok(td_builder_add_joint(builder, &joint));
    td_model *model = model_of_builder(builder, NULL);
    ck_assert_uint_eq(td_link_count(model), 5);
    ck_assert_str_eq(td_model_name(model), "full");
}

TD_TEST(error_gives_no_builder)
{
    static const char text[] = "<robot name='r'><link name='a'/><link/></robot>";
    td_builder *builder = (td_builder *)text;
    ck_assert_int_eq(test_parse_urdf_memory(text, strlen(text), "f", NULL, NULL, &builder),
                     TD_ERROR_MODEL);
    ck_assert_ptr_null(builder);
}

/* A NULL or empty text is an empty file. */
TD_TEST(no_text_is_an_empty_file)
{
    static const char *const texts[] = {NULL, ""};
    for (int i = 0; i < 2; i++) {
        td_diagnostics *list = test_diagnostics(0);
        td_model *model;
        ck_assert_int_eq(test_load_urdf_memory(texts[i], 0, "none", NULL, list, &model),
                         TD_ERROR_MODEL);
        ck_assert_ptr_null(model);
        ck_assert_uint_eq(td_diagnostics_size(list), 1);
        ck_assert_ptr_nonnull(strstr(td_diagnostics_at(list, 0)->message, "the file is empty"));
        td_builder *builder;
        ck_assert_int_eq(test_parse_urdf_memory(texts[i], 0, NULL, NULL, NULL, &builder),
                         TD_ERROR_MODEL);
        ck_assert_ptr_null(builder);
    }
}

TD_TEST(arguments_are_checked)
{
    td_model *model = NULL;
    td_builder *builder = NULL;
    td_load_options options = td_load_options_default();
    options.size_of++;
    ck_assert_int_eq(test_load_urdf(NULL, NULL, NULL, &model), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(test_load_urdf("/", NULL, NULL, NULL), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(test_load_urdf_memory(NULL, 1, "f", NULL, NULL, &model), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(test_load_urdf_memory(full, 1, "f", &options, NULL, &model),
                     TD_ERROR_ARGUMENT);
    ck_assert_int_eq(test_load_urdf_memory(full, 1, "f", NULL, NULL, NULL), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(test_parse_urdf_memory(full, 1, "f", NULL, NULL, NULL), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(test_parse_urdf_memory(NULL, 1, "f", NULL, NULL, &builder), TD_ERROR_ARGUMENT);
    assert_ok(test_load_urdf_memory(full, strlen(full), NULL, NULL, NULL, &model));
    ck_assert_ptr_null(td_link_at(model, 0)->source.file);
}
