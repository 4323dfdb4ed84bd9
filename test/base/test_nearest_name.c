/* SPDX-License-Identifier: MIT */
/*
 * Tests which name is suggested for an unknown one: by words, by edit distance, or none.
 */
#include "base/nearest.h"

#include <check.h>
#include <string.h>

#include "td_test.h"

static const char *next_word(const void *context, size_t i)
{
    return ((const char *const *)context)[i];
}

static void expect(const char *written, const char *const *names, const char *except,
                   const char *meant)
{
    const char *found = td_nearest_name(written, next_word, names, except, NULL);
    ck_assert_msg(meant ? found && strcmp(found, meant) == 0 : !found, "'%s' gives '%s', not '%s'",
                  written, found ? found : "(none)", meant ? meant : "(none)");
}

static const char *const arm[] = {"panda_joint3",
                                  "panda_joint4",
                                  "panda_finger_joint1",
                                  "left_elbow",
                                  "left_wrist",
                                  "right_wrist_yaw",
                                  "torso",
                                  "base_link",
                                  "a",
                                  "LeftFrontHipFlexor",
                                  NULL};

/* Words may be missing or added, differ in case, or use other separators. */
TD_TEST(words)
{
    expect("joint4", arm, NULL, "panda_joint4");
    expect("JOINT-4", arm, NULL, "panda_joint4");
    expect("robot/panda_joint4", arm, NULL, "panda_joint4");
    expect("Panda.Joint3", arm, NULL, "panda_joint3");
    expect("finger_joint1", arm, NULL, "panda_finger_joint1");
    expect("elbow", arm, NULL, "left_elbow");
    expect("wrist", arm, NULL, "left_wrist"); /* the candidate with the fewest extra words */
    expect("wrist_yaw", arm, NULL, "right_wrist_yaw");
    expect("leftfronthipflexor", arm, NULL, "LeftFrontHipFlexor");
    expect("nt4", arm, NULL, NULL); /* not a whole word */
    expect("a_long_name_of_another_robot", arm, NULL, NULL);
    expect("___", arm, NULL, NULL);
    expect("", arm, NULL, NULL);
}

TD_TEST(edits)
{
    expect("panda_jiont4", arm, NULL, "panda_joint4");
    expect("Pnada_Joint4", arm, NULL, "panda_joint4");
    expect("torsso", arm, NULL, "torso");
    expect("panda_joint8", arm, NULL, NULL); /* another number means another joint */
    expect("panda_joint", arm, NULL, "panda_joint3");
    expect("tors", arm, NULL, "torso");
    expect("to", arm, NULL, NULL);
    expect("b", arm, NULL, NULL);
    expect("weirs", arm, NULL, NULL); /* torso and wrist are three edits away */
}

TD_TEST(not_excluded)
{
    static const char *const names[] = {"elbow", "elbow2", "panda_elbow", NULL};
    expect("Elbow", names, NULL, "elbow");
    expect("Elbow", names, "elbow", "panda_elbow");
    static const char *const one[] = {"elbow", NULL};
    expect("elbwo", one, NULL, "elbow");
    expect("elbwo", one, "elbow", NULL);
}

/* Keywords are compared by spelling alone. */
TD_TEST(keywords)
{
    static const char *const commands[] = {"dot", "check", "spring_stiffness", "xyz", NULL};
    ck_assert_ptr_null(td_nearest_spelling("plot", next_word, commands, NULL));
    ck_assert_ptr_null(td_nearest_spelling("stiffness", next_word, commands, NULL));
    ck_assert_str_eq(td_nearest_spelling("dto", next_word, commands, NULL), "dot");
    ck_assert_str_eq(td_nearest_spelling("XZY", next_word, commands, NULL), "xyz");
    ck_assert_str_eq(td_nearest_spelling("Chekc", next_word, commands, NULL), "check");
}

/* Either name may be longer than the comparison supports. */
TD_TEST(long_names)
{
    char longer[200], other[200];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    strcpy(other, longer);
    other[3] = 'y';
    const char *const names[] = {longer, NULL};
    expect(other, names, NULL, NULL);
    expect("x", names, NULL, NULL);
    expect(other, arm, NULL, NULL);
}

TD_TEST(budget_ends_the_search)
{
    size_t budget = 1000;
    ck_assert_str_eq(td_nearest_name("panda_jiont4", next_word, arm, NULL, &budget),
                     "panda_joint4");
    ck_assert_uint_lt(budget, 1000);
    budget = 20;
    ck_assert_ptr_null(td_nearest_name("panda_jiont4", next_word, arm, NULL, &budget));
    ck_assert_uint_eq(budget, 0);
}
