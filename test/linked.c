/* SPDX-License-Identifier: MIT */
/*
 * Shows what linking the library does to a process: builds a model, computes, and prints the number
 * of threads of the process. Then prints whether an OpenBLAS that starts threads is linked.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>

#include <tandem/tandem.h>

/* -1 if the system does not report it */
static int count_threads(void)
{
    DIR *tasks = opendir("/proc/self/task");
    int count = 0;
    if (!tasks)
        return -1;
    for (struct dirent *entry; (entry = readdir(tasks)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(tasks);
    return count;
}

/* OpenBLAS reports its threading: 0 none, 1 its own threads, 2 OpenMP, which starts threads during
   a call */
static int has_blas_threads(void)
{
    void *found = dlsym(RTLD_DEFAULT, "openblas_get_parallel");
    union {
        void *object;
        int (*function)(void);
    } symbol = {found};
    return found && symbol.function() == 1;
}

static td_model *pendulum(void)
{
    td_builder *builder;
    td_builder_new("pendulum", &builder);
    td_link base = td_link_default("base"), bob = td_link_default("bob");
    bob.has_inertial = true;
    bob.mass = 1;
    for (int i = 0; i < 6; i++)
        bob.inertia[i] = i == 0 || i == 3 || i == 5 ? 0.01 : 0;
    td_joint joint = td_joint_default("joint", TD_JOINT_CONTINUOUS, "base", "bob");
    td_builder_add_link(builder, &base);
    td_builder_add_link(builder, &bob);
    td_builder_add_joint(builder, &joint);
    td_model *model = NULL;
    td_builder_finish(builder, NULL, NULL, &model);
    td_builder_free(builder);
    return model;
}

int main(void)
{
    td_model *model = pendulum();
    td_workspace *workspace;
    td_workspace_new(model, NULL, &workspace);
    td_actuation_report report = {.size_of = sizeof report};
    double y = 0.5, tau;
    if (!workspace || td_inverse_dynamics(model, workspace, &y, NULL, NULL, NULL, &tau) != TD_OK ||
        td_actuation_examine(model, workspace, &y, &report, NULL) != TD_OK)
        return 1;
    printf("%d %d\n", count_threads(), has_blas_threads());
    td_workspace_free(workspace);
    td_model_free(model);
    return 0;
}
