/* SPDX-License-Identifier: MIT */
/*
 * Objects of a test that are released when the test ends, newest first. The constructors of the
 * library and of memory are wrapped here, so tests free nothing. run.c releases the objects;
 * programs that are not tests release them explicitly. Not thread-safe.
 */
#ifndef TD_TEST_OWNED_H
#define TD_TEST_OWNED_H

#include <stddef.h>

#include "objects.h"
#include "tandem/simulation.h"
#include "tandem/tandem.h"

/* Registers release(object) to be called when the test ends. Ignores NULL. Returns the object. */
void *own(void *object, void (*release)(void *object));

/* Releases all registered objects. */
void release_owned(void);

/* A declaration: objects registered after it are released at the end of the block. Use it in code
   that runs often. */
#define OWNED_HERE OWNED_AT(__LINE__)
#define OWNED_AT(line) OWNED_BELOW(line)
#define OWNED_BELOW(line)                                                                          \
    __attribute__((cleanup(release_since), unused)) const size_t owned_below_##line = owned_count()
size_t owned_count(void);
void release_since(const size_t *kept); /* releases all but the first *kept objects */

/* Allocate memory, or fail the test. doubles() returns zeros. */
void *test_calloc(size_t count, size_t size);
void *test_malloc(size_t size);
double *doubles(size_t count);

/* test_NAME calls td_NAME and registers the object that it makes. */
#define TEST_MAKES(type, name, parameters, arguments)                                              \
    static inline td_status test_##name parameters                                                 \
    {                                                                                              \
        const td_status status = td_##name arguments;                                              \
        if (status == TD_OK)                                                                       \
            own(*made, release_##type);                                                            \
        return status;                                                                             \
    }
#define TEST_RELEASES(type)                                                                        \
    static inline void release_##type(void *object)                                                \
    {                                                                                              \
        td_##type##_free(object);                                                                  \
    }

TEST_RELEASES(builder)
TEST_RELEASES(completion)
TEST_RELEASES(diagnostics)
TEST_RELEASES(ik)
TEST_RELEASES(ik_rate)
TEST_RELEASES(linearization)
TEST_RELEASES(model)
TEST_RELEASES(simulation)
TEST_RELEASES(workspace)

TEST_MAKES(model, builder_finish,
           (const td_builder *builder, const td_load_options *options, td_diagnostics *list,
            td_model **made),
           (builder, options, list, made))
TEST_MAKES(model, load_model_memory,
           (const char *text, size_t size, const char *name, const td_load_options *options,
            td_diagnostics *list, td_model **made),
           (text, size, name, options, list, made))
TEST_MAKES(completion, completion_new,
           (const td_model *model, const char *const *names, size_t count, double tolerance,
            td_completion **made),
           (model, names, count, tolerance, made))
TEST_MAKES(ik, ik_new,
           (const td_model *model, const td_ik_goal *goals, size_t count,
            const td_ik_options *options, td_ik **made),
           (model, goals, count, options, made))
TEST_MAKES(ik, ik_clone, (const td_ik *ik, td_ik **made), (ik, made))
TEST_MAKES(ik_rate, ik_rate_new,
           (const td_model *model, const td_ik_goal *goals, size_t count,
            const td_ik_rate_options *options, td_ik_rate **made),
           (model, goals, count, options, made))
TEST_MAKES(linearization, linearization_new,
           (const td_model *model, td_inputs inputs, td_linearization **made),
           (model, inputs, made))
TEST_MAKES(simulation, simulation_new,
           (const td_model *model, const td_simulation_options *options, td_simulation **made),
           (model, options, made))
#if TANDEM_HAS_URDF
TEST_MAKES(builder, parse_urdf_memory,
           (const char *text, size_t size, const char *name, const td_load_options *options,
            td_diagnostics *list, td_builder **made),
           (text, size, name, options, list, made))
TEST_MAKES(model, load_urdf,
           (const char *path, const td_load_options *options, td_diagnostics *list,
            td_model **made),
           (path, options, list, made))
TEST_MAKES(model, load_urdf_memory,
           (const char *text, size_t size, const char *name, const td_load_options *options,
            td_diagnostics *list, td_model **made),
           (text, size, name, options, list, made))
#endif

/* These return the object, or NULL if the library returns an error. */
static inline td_workspace *test_workspace_with(const td_model *model,
                                                const td_workspace_options *options)
{
    return own(new_workspace_with(model, options), release_workspace);
}

static inline td_workspace *test_workspace(const td_model *model)
{
    return test_workspace_with(model, NULL);
}

static inline td_workspace *test_workspace_threads(const td_model *model, size_t threads)
{
    return own(new_workspace_threads(model, threads), release_workspace);
}

static inline td_builder *test_builder(const char *robot_name)
{
    return own(new_builder(robot_name), release_builder);
}

static inline td_diagnostics *test_diagnostics(size_t cap)
{
    return own(new_diagnostics(cap), release_diagnostics);
}

#endif
