/* SPDX-License-Identifier: MIT */
/*
 * Tests the search for files that a URDF names: each source of folders, their order, names that
 * lead out of the folders, and the list of folders in the message.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "td_test.h"

static char folder[PATH_MAX];

/* Files below the folder; the text of the test is nowhere else. */
static const char *const files[] = {
    "ws/src/arm/urdf/r.urdf",  "ws/src/arm/urdf/a.stl",
    "ws/src/arm/meshes/b.stl", "ws/src/arm/meshes/all.stl",
    "ws/src/other/c.stl",      "ros/p/d.stl",
    "ros/p/all.stl",           "ros/arm/all.stl",
    "ament/share/q/e.stl",     "ament/share/p/d2.stl",
    "root/p/all.stl",          "root/f/g.stl",
    "named/all.stl",           "secret/s.stl",
};

static bool make_file(const char *name)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    for (char *slash = path + strlen(folder) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    FILE *file = fopen(path, "wb");
    return file && fclose(file) == 0;
}

/* Searches in the given places. Checks the status and, on success, the file and folder, or else a
   part of the message; both without the folder of the test. */
static void check(const td_file_search *search, const char *name, td_status status,
                  const char *expected, const char *in)
{
    char text[PATH_MAX];
    size_t length;
    ck_assert_msg(td_find_file(search, name, text, sizeof text, &length) == status, "%s: %s", name,
                  text);
    if (status != TD_OK) {
        ck_assert_msg(strstr(text, expected) != NULL, "%s: %s", name, text);
        ck_assert_uint_eq(length, 0);
        return;
    }
    const size_t before = strlen(folder);
    ck_assert_msg(strncmp(text, folder, before) == 0 && strcmp(text + before + 1, expected) == 0,
                  "%s: %s", name, text);
    const size_t expected_length = before + (*in ? 1 + strlen(in) : 0);
    ck_assert_msg(length == expected_length &&
                      (*in == '\0' || strncmp(text + before + 1, in, strlen(in)) == 0),
                  "%s: %.*s", name, (int)length, text);
    ck_assert_int_eq(text[length], '/');
}

static const char *below(char path[2 * PATH_MAX], const char *name)
{
    snprintf(path, 2 * PATH_MAX, "%s/%s", folder, name);
    return path;
}

/* Sets a variable to a folder and two that are not searched, or removes it. */
static void set_variable(const char *variable, const char *name)
{
    char value[2 * PATH_MAX];
    if (!name) {
        unsetenv(variable);
        return;
    }
    snprintf(value, sizeof value, "relative::/nowhere:%s/%s", folder, name);
    setenv(variable, value, 1);
}

static void set_variables(const char *ros, const char *ament)
{
    set_variable("ROS_PACKAGE_PATH", ros);
    set_variable("AMENT_PREFIX_PATH", ament);
}

TD_TEST(packages_are_searched_in_the_documented_order)
{
    char robot[2 * PATH_MAX], named[2 * PATH_MAX], root[2 * PATH_MAX];
    const td_package package = {"arm", below(named, "named")};
    const char *const roots[] = {below(root, "root")};
    td_file_search search = td_file_search_default();
    search.robot = below(robot, "ws/src/arm/urdf/r.urdf");
    set_variables("ros", "ament");

    /* the robot's folder and its parents, also without the name of the package */
    check(&search, "package://arm/meshes/b.stl", TD_OK, "ws/src/arm/meshes/b.stl", "ws/src/arm");
    check(&search, "package://moved/meshes/b.stl", TD_OK, "ws/src/arm/meshes/b.stl", "ws/src/arm");
    check(&search, "PACKAGE:///meshes/b.stl", TD_OK, "ws/src/arm/meshes/b.stl", "ws/src/arm");
    check(&search, "model://other/c.stl", TD_OK, "ws/src/other/c.stl", "ws/src/other");
    /* the variables */
    check(&search, "package://p/d.stl", TD_OK, "ros/p/d.stl", "ros/p");
    check(&search, "package://q/e.stl", TD_OK, "ament/share/q/e.stl", "ament/share/q");
    check(&search, "package://p/d2.stl", TD_OK, "ament/share/p/d2.stl", "ament/share/p");
    set_variables("ros/p", NULL);
    check(&search, "package://p/d.stl", TD_OK, "ros/p/d.stl", "ros/p");
    check(&search, "package://x/d.stl", TD_ERROR_IO, "ros/p (ROS_PACKAGE_PATH)", NULL);

    /* each source hides the later ones */
    set_variables("ros", "ament");
    search.roots = roots;
    search.root_count = 1;
    check(&search, "package://p/all.stl", TD_OK, "ros/p/all.stl", "ros/p");
    check(&search, "package://arm/all.stl", TD_OK, "ros/arm/all.stl", "ros/arm");
    check(&search, "package://arm/meshes/all.stl", TD_OK, "ws/src/arm/meshes/all.stl",
          "ws/src/arm");
    search.packages = &package;
    search.package_count = 1;
    check(&search, "package://arm/all.stl", TD_OK, "named/all.stl", "named");
    check(&search, "package://arm/meshes/b.stl", TD_ERROR_IO, "folders searched: /", NULL);
    set_variables(NULL, NULL);
    check(&search, "package://p/all.stl", TD_OK, "root/p/all.stl", "root/p");
    check(NULL, "package://p/all.stl", TD_ERROR_IO, "ROS_PACKAGE_PATH (not set), AMENT", NULL);
}

TD_TEST(paths_are_relative_to_the_robot)
{
    char robot[2 * PATH_MAX], root[2 * PATH_MAX], path[2 * PATH_MAX], url[2 * PATH_MAX + 8];
    const char *const roots[] = {below(root, "root")};
    td_file_search search = td_file_search_default();
    search.robot = below(robot, "ws/src/arm/urdf/r.urdf");
    check(&search, "a.stl", TD_OK, "ws/src/arm/urdf/a.stl", "ws/src/arm/urdf");
    check(&search, "../meshes/./x/../b.stl", TD_OK, "ws/src/arm/meshes/b.stl", "ws/src/arm");
    check(&search, "f/g.stl", TD_ERROR_IO, "/ws/src/arm/urdf, ", NULL);
    search.roots = roots;
    search.root_count = 1;
    check(&search, "f/g.stl", TD_OK, "root/f/g.stl", "root");
    check(&search, below(path, "root/f/g.stl"), TD_OK, "root/f/g.stl", "root");
    snprintf(url, sizeof url, "file://%s", path);
    check(&search, url, TD_OK, "root/f/g.stl", "root");
    snprintf(url, sizeof url, "file:%s", path);
    check(&search, url, TD_OK, "root/f/g.stl", "root");
    check(&search, below(path, "secret/s.stl"), TD_ERROR_NAME, "outside", NULL);
    check(&search, below(path, "none.stl"), TD_ERROR_NAME, "does not exist", NULL);
    check(&search, "http://a/b.stl", TD_ERROR_NAME, "only package://", NULL);
    check(NULL, "a.stl", TD_ERROR_IO, "searched: none", NULL);
    ck_assert_int_eq(chdir(folder), 0);
    search.robot = "r.urdf";
    check(&search, "secret/s.stl", TD_OK, "secret/s.stl", "");
}

TD_TEST(nothing_leads_out_of_the_folders)
{
    char robot[2 * PATH_MAX], link[2 * PATH_MAX], target[2 * PATH_MAX], long_name[PATH_MAX + 1];
    td_file_search search = td_file_search_default();
    search.robot = below(robot, "ws/src/arm/urdf/r.urdf");
    below(target, "secret");
    ck_assert_int_eq(symlink(target, below(link, "ws/src/arm/urdf/link")), 0);
    ck_assert_int_eq(symlink(target, below(link, "ros/linked")), 0);
    set_variables("ros", NULL);
    check(&search, "link/s.stl", TD_ERROR_NAME, "a link leads out", NULL);
    check(&search, "package://linked/s.stl", TD_ERROR_NAME, "a link leads out", NULL);
    check(&search, "package://p/../../secret/s.stl", TD_ERROR_NAME, "leads out of", NULL);
    check(&search, "package://../secret/s.stl", TD_ERROR_NAME, "leads out of", NULL);
    check(&search, "../../../../../../secret/s.stl", TD_ERROR_IO, "searched", NULL);
    memset(long_name, 'x', PATH_MAX);
    long_name[PATH_MAX] = '\0';
    check(&search, long_name, TD_ERROR_NAME, "longer than a path", NULL);
    check(&search, "", TD_ERROR_IO, "searched", NULL);
}

TD_TEST(invalid_arguments_are_refused)
{
    char text[20];
    td_file_search search = td_file_search_default();
    ck_assert_int_eq(td_find_file(NULL, NULL, text, sizeof text, NULL), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_find_file(NULL, "a", NULL, 10, NULL), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_find_file(NULL, "a", text, 0, NULL), TD_ERROR_ARGUMENT);
    search.root_count = 1;
    ck_assert_int_eq(td_find_file(&search, "a", text, sizeof text, NULL), TD_ERROR_ARGUMENT);
    search.root_count = 0;
    search.size_of = 1;
    ck_assert_int_eq(td_find_file(&search, "a", text, sizeof text, NULL), TD_ERROR_ARGUMENT);
    search = td_file_search_default();
    char robot[2 * PATH_MAX];
    search.robot = below(robot, "ws/src/arm/urdf/r.urdf");
    for (size_t capacity = 1; capacity <= sizeof text; capacity++) { /* ends with NUL in any case */
        memset(text, 'x', sizeof text);
        ck_assert_int_eq(td_find_file(&search, "none", text, capacity, NULL), TD_ERROR_IO);
        ck_assert_uint_lt(strlen(text), capacity);
    }
    ck_assert_int_eq(td_find_file(&search, "a.stl", text, sizeof text, NULL), TD_ERROR_ARGUMENT);
}

int main(void)
{
    char name[] = "/tmp/tandem-find-XXXXXX", command[PATH_MAX + 16];
    if (!mkdtemp(name) || !realpath(name, folder))
        return EXIT_FAILURE;
    setenv("HOME", folder, 1);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (!make_file(files[i]))
            return EXIT_FAILURE;
    const int code = td_run_tests(60);
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command) == 0 ? code : EXIT_FAILURE;
}
