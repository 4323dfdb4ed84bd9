/* SPDX-License-Identifier: MIT */
/*
 * Real robots with mimic joints and loops from a corpus (models/ in TANDEM_DATA) fall for 10 s.
 * Followers stay exact, loops stay closed to rounding, and energy minus work stays constant. Robots
 * with a singular mass matrix are refused at the start, with the joint's name. The corpus is not
 * part of the project; without it the program is skipped.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "falling.h"

enum { MOST_FILES = 256 };

/* Files of the corpus in which a joint moves no inertia, and that joint. docs/simulation.md has the
   same list. All other files that load can be simulated. */
static const struct singular {
    const char *file, *joint;
} singular[] = {
    {"drake/ball_joint/joint_parsing_test_tag_mismatch_2.urdf", "ball_joint"},
    {"example-robot-data/romeo/romeo.urdf", "RHand"},
    {"joint_state_publisher/mimic_chain/mimic_chain.urdf", "j12"},
    {"joint_state_publisher/slash_fiction/slash_fiction.urdf", "kirk/spock"},
    {"urdf-usd-converter/fixed_floating_joints/fixed_floating_joints.urdf", "joint_arm_1"},
    {"urdf-usd-converter/mimic_joint/mimic_joint.urdf", "jointC"},
    {"urdf_files_dataset/abb_irb6640/irb6640_185_280.urdf", "joint_6"},
    {"urdf_files_dataset/abb_irb6700/irb6700_200_260.urdf", "joint_6"},
    {"urdf_files_dataset/frankie/frankie.urdf", "frankie_finger_joint1"},
    {"urdf_files_dataset/puma560/puma560_robot.urdf", "j6"},
    {"urdf_files_dataset/robotiq_2f_85/robotiq_arg2f_85_model.urdf", "finger_joint"},
    {"urdf_files_dataset/robotiq_c2/robotiq_c2_model.urdf", "robotiq_85_left_knuckle_joint"},
    {"urdf_files_dataset/spot/spot.urdf", "rear_right_knee"},
};
enum { SINGULAR = sizeof singular / sizeof *singular };

static char files[MOST_FILES][256];
static int file_count;

static const char *singular_joint(const char *file)
{
    for (size_t i = 0; i < SINGULAR; i++)
        if (strcmp(singular[i].file, file) == 0)
            return singular[i].joint;
    return NULL;
}

TD_LOOP_TEST(corpus, 0, file_count)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/models/%s", td_data_directory(), files[_i]);
    td_load_options options = fall_load_options();
    td_model *model;
    if (test_load_urdf(path, &options, NULL, &model) != TD_OK || td_nyd(model) == 0) {
        ck_assert_ptr_null(singular_joint(files[_i])); /* test_models tests which files load */
        return;
    }
    const char *massless = singular_joint(files[_i]);
    td_simulation *s = fall_simulation(model);
    double y[FALL_MOST], yd[FALL_MOST];
    ck_assert(td_nq(model) <= FALL_MOST);
    fall_start(model, 1, y, yd);
    ck_assert_int_eq(td_simulation_start(s, 0, y, yd, NULL), massless ? TD_ERROR_SINGULAR : TD_OK);
    if (massless) {
        const size_t joint = td_singular_joint(td_simulation_workspace(s));
        ck_assert_uint_ne(joint, TD_NONE);
        ck_assert_str_eq(td_joint_at(model, joint)->name, massless);
    } else if (td_nyd(model) < td_nv(model))
        fall_check(model, 1, FALL_TIME, NULL);
}

/* Every file of the list is in the corpus. */
TD_TEST(listed)
{
    int found = 0;
    for (int i = 0; i < file_count; i++)
        found += singular_joint(files[i]) != NULL;
    ck_assert_int_eq(found, SINGULAR);
}

/* Reads the first cells of the manifest, without its header. */
static void read_files(const char *data)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/models/manifest.csv", data);
    char *text = td_read_text(path, NULL), *rest = NULL;
    if (!text)
        return;
    char *line = strtok_r(text, "\n", &rest);
    while ((line = strtok_r(NULL, "\n", &rest)) && file_count < MOST_FILES)
        snprintf(files[file_count++], sizeof *files, "%.*s", (int)strcspn(line, ","), line);
    free(text);
}

int main(void)
{
    if (td_data_directory())
        read_files(td_data_directory());
    if (!file_count)
        return td_test_skip("no corpus of robots (meson option 'data')");
    return td_run_tests(120);
}
