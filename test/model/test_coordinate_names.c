/* SPDX-License-Identifier: MIT */
/*
 * Tests names of coordinates. Every coordinate of a robot is found by its name, in y and in q.
 * Unknown names leave the outputs unchanged.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "td_test.h"

enum { UNSET = 4711 };

/* Checks that a name returns a status and leaves the outputs unchanged. */
static void refused(const td_model *model, bool tree, const char *name, td_status expected)
{
    size_t y = UNSET, yd = UNSET;
    td_status status = td_coordinate_of(model, coordinates_for(tree), name, &y, &yd);
    ck_assert_msg(status == expected, "%s: %s", name ? name : "NULL", td_status_text(status));
    ck_assert_uint_eq(y, UNSET);
    ck_assert_uint_eq(yd, UNSET);
}

/* Checks that a name has this entry in positions or velocities; it may have one in the other, too.
 */
static void found(const td_model *model, bool tree, const char *name, bool velocities, size_t entry)
{
    size_t y = UNSET, yd = UNSET;
    td_status status = velocities ? td_coordinate_of(model, coordinates_for(tree), name, NULL, &yd)
                                  : td_coordinate_of(model, coordinates_for(tree), name, &y, NULL);
    ck_assert_msg(status == TD_OK, "%s: %s", name, td_status_text(status));
    ck_assert_uint_eq(velocities ? yd : y, entry);
}

static void check_joint(const td_model *model, bool tree, size_t joint)
{
    td_joint_place place = td_joint_place_at(model, joint);
    size_t q = tree ? place.q : place.y, qd = tree ? place.qd : place.yd;
    const char *joint_name = td_joint_at(model, joint)->name;
    char name[80];
    for (td_quantity quantity = TD_QUANTITY_POSITION; quantity <= TD_QUANTITY_FORCE; quantity++) {
        bool velocities = quantity != TD_QUANTITY_POSITION;
        size_t count = velocities ? place.nv : place.nq;
        ck_assert_ptr_null(td_component_text(model, joint, quantity, count));
        for (size_t k = 0; k < count; k++) {
            snprintf(name, sizeof name, "%s%s", joint_name,
                     td_component_text(model, joint, quantity, k));
            if (q == TD_NONE)
                refused(model, tree, name, TD_ERROR_DEPENDENT);
            else
                found(model, tree, name, velocities, (velocities ? qd : q) + k);
        }
    }
    if (place.nv == 1 && q != TD_NONE) { /* found in both */
        size_t y = UNSET, yd = UNSET;
        assert_ok(td_coordinate_of(model, coordinates_for(tree), joint_name, &y, &yd));
        ck_assert_uint_eq(y, q);
        ck_assert_uint_eq(yd, qd);
    } else if (place.nv != 1) {
        refused(model, tree, joint_name, TD_ERROR_NAME);
    }
}

TD_LOOP_TEST(all_coordinates, 0, 4)
{
    td_random random = {(uint64_t)(90 + _i)};
    td_builder *builder = td_random_robot(&random, 14, 5, false);
    td_load_options options = td_load_options_default();
    options.base = TD_BASE_FLOATING;
    td_model *model = model_of_builder(builder, &options);
    ck_assert_uint_lt(td_nyd(model), td_nv(model));
    for (int tree = 0; tree < 2; tree++)
        for (size_t j = 0; j < td_joint_count(model); j++)
            check_joint(model, tree, j);
}

static void add(td_builder *builder, const char *name, td_joint_type type, const char *leader)
{
    char link_name[80];
    snprintf(link_name, sizeof link_name, "%s link", name);
    td_link link = td_link_default(link_name);
    assert_ok(td_builder_add_link(builder, &link));
    td_joint joint = td_joint_default(name, type, "base", link_name);
    joint.mimic = leader;
    joint.pitch = type == TD_JOINT_SCREW ? 0.01 : 0;
    assert_ok(td_builder_add_joint(builder, &joint));
}

/* Tests names with dots, typing errors, and components that a joint lacks. */
TD_TEST(names_that_are_none)
{
    static const char *const none[] = {"",        ".",      ".x",        "elbo",   "elbow.",
                                       "elbow.x", "elbow ", "weld",      "weld.x", "slide",
                                       "slide.z", "slide.", "slide.x.x", "free",   "free.theta",
                                       "arm",     "base"};
    td_builder *builder = test_builder("robot");
    td_link base = td_link_default("base");
    assert_ok(td_builder_add_link(builder, &base));
    add(builder, "elbow", TD_JOINT_CONTINUOUS, NULL);
    add(builder, "follower", TD_JOINT_CONTINUOUS, "elbow");
    add(builder, "weld", TD_JOINT_FIXED, NULL);
    add(builder, "slide", TD_JOINT_PLANAR, NULL);
    add(builder, "arm.elbow", TD_JOINT_CONTINUOUS, NULL);
    add(builder, "slide.y", TD_JOINT_CONTINUOUS, NULL); /* a separate joint */
    add(builder, "free", TD_JOINT_FLOATING, NULL);
    td_model *model = model_of_builder(builder, NULL);
    for (int tree = 0; tree < 2; tree++) {
        size_t follower = (size_t)tree;
        for (size_t i = 0; i < sizeof none / sizeof *none; i++)
            refused(model, tree, none[i], TD_ERROR_NAME);
        refused(model, tree, "free.qw", TD_ERROR_NAME); /* no velocity has that name */
        refused(model, tree, "free.wx", TD_ERROR_NAME); /* no position has that name */
        refused(model, tree, NULL, TD_ERROR_ARGUMENT);
        size_t y;
        ck_assert_int_eq(td_coordinate_of(NULL, coordinates_for(tree), "elbow", &y, NULL),
                         TD_ERROR_ARGUMENT);
        found(model, tree, "elbow", false, 0);
        found(model, tree, "slide.x", false, 1 + follower);
        found(model, tree, "slide.theta", true, 3 + follower);
        found(model, tree, "arm.elbow", false, 4 + follower);
        found(model, tree, "slide.y", true, 5 + follower);
        found(model, tree, "free.qw", false, 12 + follower);
        found(model, tree, "free.vz", true, 11 + follower);
        assert_ok(td_coordinate_of(model, coordinates_for(tree), "elbow", NULL, NULL));
    }
    refused(model, false, "follower", TD_ERROR_DEPENDENT);
    found(model, true, "follower", false, 1);
}

/* Tests the table of joint types: the word of each, and names and units of its coordinates. */
TD_TEST(kinds_of_joints)
{
    static const struct {
        const char *word, *positions, *velocities; /* one letter each: angle, length, number */
        size_t quaternion;
        bool axis, bounded;
    } expected[] = {
        [TD_JOINT_REVOLUTE] = {"revolute", "a", "a", TD_NONE, true, true},
        [TD_JOINT_CONTINUOUS] = {"continuous", "a", "a", TD_NONE, true, false},
        [TD_JOINT_PRISMATIC] = {"prismatic", "l", "l", TD_NONE, true, true},
        [TD_JOINT_FIXED] = {"fixed", "", "", TD_NONE, false, false},
        [TD_JOINT_FLOATING] = {"floating", "lllnnnn", "aaalll", 3, false, false},
        [TD_JOINT_PLANAR] = {"planar", "lla", "lla", TD_NONE, true, false},
        [TD_JOINT_SCREW] = {"screw", "a", "a", TD_NONE, true, true},
        [TD_JOINT_BALL] = {"ball", "nnnn", "aaa", 0, false, false},
        [TD_JOINT_UNIVERSAL] = {"universal", "aa", "aa", TD_NONE, false, true},
    };
    static const char letters[] = {
        [TD_UNIT_NONE] = 'n', [TD_UNIT_ANGLE] = 'a', [TD_UNIT_LENGTH] = 'l'};
    const int types = sizeof expected / sizeof *expected;
    td_builder *builder = test_builder("robot");
    td_link base = td_link_default("base");
    assert_ok(td_builder_add_link(builder, &base));
    for (int i = 0; i < types; i++)
        add(builder, expected[i].word, (td_joint_type)i, NULL);
    td_model *model = model_of_builder(builder, NULL);
    for (int i = 0; i < types; i++) {
        const td_joint_kind *kind = td_joint_kind_of((td_joint_type)i);
        ck_assert_str_eq(kind->word, expected[i].word);
        ck_assert_int_eq(kind->nq, (int)strlen(expected[i].positions));
        ck_assert_int_eq(kind->nv, (int)strlen(expected[i].velocities));
        ck_assert_uint_eq(kind->quaternion, expected[i].quaternion);
        ck_assert_int_eq(kind->axis, expected[i].axis);
        ck_assert_int_eq(kind->bounded, expected[i].bounded);
        const size_t joint = td_joint_index(model, kind->word);
        for (td_quantity quantity = TD_QUANTITY_POSITION; quantity <= TD_QUANTITY_FORCE;
             quantity++) {
            const char *units =
                quantity == TD_QUANTITY_POSITION ? expected[i].positions : expected[i].velocities;
            for (size_t k = 0; units[k]; k++)
                ck_assert_int_eq(letters[td_component_unit(model, joint, quantity, k)], units[k]);
            ck_assert_int_eq(td_component_unit(model, joint, quantity, strlen(units)),
                             TD_UNIT_NONE);
        }
    }
    ck_assert_ptr_null(td_joint_kind_of((td_joint_type)types));
}

/* A loop determines x and y of a planar joint: a crank's pin carries the plate, which rotates. */
TD_TEST(part_of_a_planar_joint)
{
    td_builder *builder = test_builder("robot");
    static const char *const links[] = {"base", "plate", "crank"};
    for (int i = 0; i < 3; i++) {
        td_link link = td_link_default(links[i]);
        assert_ok(td_builder_add_link(builder, &link));
    }
    td_joint table = td_joint_default("table", TD_JOINT_PLANAR, "base", "plate");
    td_joint turn = td_joint_default("turn", TD_JOINT_CONTINUOUS, "base", "crank");
    table.axis[0] = turn.axis[0] = 0, table.axis[2] = turn.axis[2] = 1;
    turn.independent = 1;
    assert_ok(td_builder_add_joint(builder, &table));
    assert_ok(td_builder_add_joint(builder, &turn));
    td_loop pin = td_loop_default("pin", "crank", "plate");
    pin.axis[0] = 0, pin.axis[2] = 1;
    pin.predecessor_origin.position[0] = 0.3;
    assert_ok(td_builder_add_loop(builder, &pin));
    td_model *model = model_of_builder(builder, NULL);
    ck_assert_uint_eq(td_nyd(model), 2);
    ck_assert_uint_eq(td_joint_place_at(model, 0).dependents, 3);
    refused(model, false, "table.x", TD_ERROR_DEPENDENT);
    refused(model, false, "table.y", TD_ERROR_DEPENDENT);
    found(model, false, "table.theta", false, 0);
    found(model, false, "table.theta", true, 0);
    found(model, false, "turn", false, 1);
    found(model, true, "table.y", true, 1);
    found(model, true, "table.theta", false, 2);
}
