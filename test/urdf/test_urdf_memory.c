/* SPDX-License-Identifier: MIT */
/*
 * Lets allocation n fail while loading, for every n until loading succeeds. The importer and the
 * builder must return TD_ERROR_MEMORY and leak nothing. If allocations cannot be made to fail, the
 * test passes vacuously.
 */
#include <stdio.h>
#include <string.h>

#include "failing.h"
#include "td_test.h"

static const char robot[] =
    "<robot name='r'><material name='red'><color rgba='1 0 0 1'/></material>"
    "<link name='a'><visual><geometry><box size='1 1 1'/></geometry><material name='red'/></visual>"
    "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>"
    "<link name='b' colour='x'/><link name='c'><flexible axis='1 0 0' length='1' EI='1 1' "
    "mass_per_length='1' segments='2'/></link>"
    "<joint name='j' type='revolute'><parent link='a'/><child link='b'/><limit lowr='1'/></joint>"
    "<joint name='k' type='continuous'><parent link='b'/><child link='c'/><mimic "
    "joint='j'/></joint>"
    "<transmission name='t'><joint name='j'/><mechanicalReduction>5</mechanicalReduction>"
    "</transmission><gazebo/></robot>";

/* Loads a text, or the robot of this name, with a limited number of allocations. The list exists
   before. */
static td_status load(const char *text, long allocations, long *leaked)
{
    td_diagnostics *list = new_diagnostics(0);
    td_model *model = NULL;
    long before = failing_pieces;
    failing_left = allocations;
    td_status status = *text == '<'
                           ? td_load_urdf_memory(text, strlen(text), "r", NULL, list, &model)
                           : td_load_urdf(text, NULL, list, &model);
    failing_left = -1;
    ck_assert((model != NULL) == (status == TD_OK));
    td_model_free(model);
    td_diagnostics_free(list);
    *leaked = failing_pieces - before + 1; /* the list existed before, but not its contents */
    return status;
}

TD_TEST(every_allocation_may_fail)
{
    failing_each(load, robot, TD_OK);
}

/* Reporting allocates too. */
TD_TEST(every_allocation_may_fail_on_a_bad_file)
{
    char text[sizeof robot];
    memcpy(text, robot, sizeof robot);
    memcpy(strstr(text, "value='1'"), "value='x'", 9);
    failing_each(load, text, TD_ERROR_MODEL);
}

TD_TEST(every_allocation_may_fail_on_bad_xml)
{
    failing_each(load, "<robot name='r'><link></robot>", TD_ERROR_MODEL);
}

TD_TEST(every_allocation_may_fail_where_a_name_is_looked_up)
{
    failing_each(load, "tandem:parallelogram", TD_OK);
    failing_each(load, "tandem:griper", TD_ERROR_IO);
}

/* Loops are assembled at load. Texts of more than 4096 bytes make libxml2 2.9 leak its buffer;
   test_memory.c has larger mechanisms. */
TD_LOOP_TEST(every_allocation_may_fail_with_loops, 0, 2)
{
    static const char *const files[] = {"four_bar.urdf", "parallelogram_loop.urdf"};
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", td_robot_directory(), files[_i]);
    size_t size;
    char *text = td_read_file(path, &size);
    failing_each(load, text, TD_OK);
}
