/* SPDX-License-Identifier: MIT */
/*
 * The builder's checks where a file cannot show them: places of records made in C, and inputs so
 * large that a search for every name would not end (Check's time limit stands for that).
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "td_test.h"

enum { most_names = 32 };

static void add_link(td_builder *builder, const char *name)
{
    td_link link = td_link_default(name);
    ck_assert_int_eq(td_builder_add_link(builder, &link), TD_OK);
}

static td_diagnostics *finish(td_builder *builder)
{
    td_diagnostics *list = td_diagnostics_new(0);
    td_model *model;
    td_builder_finish(builder, NULL, list, &model);
    td_model_free(model);
    td_builder_free(builder);
    return list;
}

START_TEST(many_duplicates)
{
    const size_t count = 200000;
    td_builder *builder = td_builder_new("robot");
    for (size_t i = 0; i < count; i++)
        add_link(builder, "link");
    td_diagnostics *list = finish(builder);
    ck_assert_uint_eq(td_diagnostics_count(list, TD_SEVERITY_ERROR), count - 1);
    td_diagnostics_free(list);
}
END_TEST

START_TEST(many_wrong_names)
{
    const size_t count = 50000;
    char names[4][most_names];
    td_builder *builder = td_builder_new("robot");
    for (size_t i = 0; i < count; i++) {
        snprintf(names[0], most_names, "a_long_link_name_%06zu", i);
        snprintf(names[1], most_names, "a_lnog_link_name_%06zu", i);
        snprintf(names[2], most_names, "a_long_lnik_name_%06zu", i);
        snprintf(names[3], most_names, "joint_%zu", i);
        add_link(builder, names[0]);
        td_joint joint = td_joint_default(names[3], TD_JOINT_FIXED, names[1], names[2]);
        ck_assert_int_eq(td_builder_add_joint(builder, &joint), TD_OK);
    }
    td_diagnostics *list = finish(builder);
    ck_assert_uint_eq(td_diagnostics_count(list, TD_SEVERITY_ERROR), 2 * count);
    ck_assert_str_eq(td_diagnostics_at(list, 0)->message,
                     "the parent link 'a_lnog_link_name_000000' of joint 'joint_0' does not exist");
    ck_assert_str_eq(td_diagnostics_at(list, 0)->remedy, "did you mean 'a_long_link_name_000000'?");
    ck_assert_str_eq(td_diagnostics_at(list, 999)->remedy,
                     "declare it: <link name=\"a_long_lnik_name_000499\"/>");
    td_diagnostics_free(list);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("builder");
    TCase *tcase = tcase_create("builder");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, many_duplicates);
    tcase_add_test(tcase, many_wrong_names);
    suite_add_tcase(suite, tcase);
    return td_test_run(suite);
}
