/* SPDX-License-Identifier: MIT */
/*
 * The URDF importer: loads robots from files, memory buffers and standard input, and finds the
 * files that they name. If the library was built without it, TANDEM_HAS_URDF in tandem/config.h is
 * 0.
 *
 * In all functions, NULL options mean the defaults, and diagnostics may be NULL. On failure *model
 * or *builder is NULL and the status is one of:
 *
 *   TD_ERROR_IO     the file cannot be read, or is larger than options->max_bytes
 *   TD_ERROR_MODEL  the robot has errors, which the diagnostics describe
 *
 * or an error of td_builder_finish.
 */
#ifndef TANDEM_URDF_H
#define TANDEM_URDF_H

#include "tandem/builder.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Loads a robot from a URDF file.

     path         file name; "-" is standard input; "tandem:gripper" or "tandem:gripper.urdf" is a
                  robot that comes with tandem
     options      NULL: the defaults
     diagnostics  receives errors and warnings; may be NULL
     model        output: the model; NULL on failure

   Robots that come with tandem are in the folder that the environment variable TANDEM_ROBOTS names.
   If it is not set, they are in share/tandem/robots under the prefix of the library. An unknown
   robot is TD_ERROR_IO; the diagnostic suggests a similar name.

   A file that uses xacro is an error (URDF-X040) unless options->xacro names the program xacro. For
   such a file, and for every file whose name ends with .xacro, the function then runs this program
   once, without a shell:

     XACRO PATH options->xacro_arguments...

   and loads what it prints, at most options->max_bytes. xacro executes expressions that the file
   contains, so name it only for files that you trust. xacro has the environment and the working
   directory of the calling process, and no standard input. After options->xacro_timeout it is
   killed. If it cannot be run, fails or prints no robot, the status is TD_ERROR_MODEL and a
   diagnostic contains its messages. Positions in diagnostics and records refer to the file if the
   element is there, outside of macros and conditions, and otherwise to the result: their file is
   then "PATH (expanded)". It is an error if there are arguments and the file is not xacro. */
TD_API td_status td_load_urdf(const char *path, const td_load_options *options,
                              td_diagnostics *diagnostics, td_model **model);

/* Loads a robot from URDF text in memory.

     text         the text; need not end with NUL; may be NULL if size is 0
     size         number of bytes
     name         name of the text in diagnostics, in place of a file name
     options      NULL: the defaults
     diagnostics  receives errors and warnings; may be NULL
     model        output: the model; NULL on failure */
TD_API td_status td_load_urdf_memory(const char *text, size_t size, const char *name,
                                     const td_load_options *options, td_diagnostics *diagnostics,
                                     td_model **model);

/* Parses URDF text into a builder, so that the caller can add records before td_builder_finish.

     text         the text; need not end with NUL; may be NULL if size is 0
     size         number of bytes
     name         name of the text in diagnostics, in place of a file name
     options      NULL: the defaults
     diagnostics  receives errors and warnings; may be NULL
     builder      output: the builder; NULL on failure */
TD_API td_status td_parse_urdf_memory(const char *text, size_t size, const char *name,
                                      const td_load_options *options, td_diagnostics *diagnostics,
                                      td_builder **builder);

/* Parses a submechanism list into a builder. Such a list is a YAML file in the format of HyRoDyn
   and Phobos, or robot.yaml of Extended URDF. It adds data that a URDF lacks: the loops, the
   independent joints, and the driven joints (docs/formats/submechanisms.md). The functions above
   read the file that options->submechanisms names; this function is for text in memory.

     builder      a builder to which all joints have been added
     text         the text; size bytes
     size         number of bytes
     name         name of the text in diagnostics, in place of a file name
     options      NULL: the defaults
     diagnostics  receives errors and warnings; may be NULL

   The function adds the loops, including the loops of HyRoDyn's built-in mechanisms. Extended URDF
   also changes types of joints, and may split a joint into two. A list of submechanisms
   overrides td_joint.independent of the joints that it names. It is then an error if a joint listed
   as dependent does not depend on others. Each driven joint gets a transmission unless it has one.
   With TD_ACTUATION_TRANSMISSION these joints are the motors.

   TD_ERROR_MODEL: the diagnostics describe the errors, and the builder can no longer make a model.
   TD_ERROR_IO: the text is larger than options->max_bytes, or TANDEM_HAS_YAML in tandem/config.h is
   0. TD_ERROR_MEMORY. TD_ERROR_ARGUMENT. */
TD_API td_status td_parse_submechanisms_memory(td_builder *builder, const char *text, size_t size,
                                               const char *name, const td_load_options *options,
                                               td_diagnostics *diagnostics);

/* ---- files that a URDF names ----------------------------------------------------------------- */

/* A package of ROS, and the folder that contains its files. */
typedef struct td_package {
    const char *name; /* "" for package:///REST */
    const char *folder;
} td_package;

/* Where td_find_file searches. */
typedef struct td_file_search {
    size_t size_of;
    const char *robot; /* path of the URDF; its folder and up to four parent folders are searched;
                          default NULL: none */
    const td_package *packages; /* a package named here is searched only in these folders; default
                                   NULL */
    size_t package_count;
    const char *const *roots; /* folders that are searched last; default NULL */
    size_t root_count;
} td_file_search;

static inline td_file_search td_file_search_default(void)
{
    TD_SIZED(td_file_search, search);
    return search;
}

/* Finds a file by its name in a URDF, such as a mesh. The command and the Python package use this
   function.

     search    where to search; NULL: the defaults
     name      package://NAME/REST, model://NAME/REST, file:///PATH, or a path
     text      output: the real path of the file, or the reason for a failure, which lists the
               folders that were searched; truncated to the capacity, and ends with NUL
     capacity  bytes of text; PATH_MAX is enough for every path
     folder    output: the length of the part of the path that is the folder of the search, without
               a slash at its end; may be NULL

   package://NAME/REST and model://NAME/REST are searched in this order:

     1. the folders of search->packages with this name. If there are any, no others are searched
     2. the folder of the robot, then its parents: NAME/REST in each, then REST
     3. the folders in the environment variable ROS_PACKAGE_PATH, then the folders share/ in the
        prefixes of AMENT_PREFIX_PATH: NAME/REST in each, and REST in a folder that is called NAME
     4. search->roots: NAME/REST in each, then REST

   A relative path is searched in the folder of the robot and its parents, and then in
   search->roots, without ".." at its front. An absolute path must lie within the folder of the
   robot, of a package, or one of the roots.

   A URDF that is not trusted must not give access to other files. So the file must be within the
   folder of the search after symbolic links are resolved. The search in parent folders stops before
   the root, the home folder and its parents, and folders that everybody may write to.

   TD_ERROR_IO: the file is in none of the folders. TD_ERROR_NAME: the name is not supported, leads
   out of the folders, or is an absolute path to no file there. TD_ERROR_ARGUMENT: name or text is
   NULL, capacity is 0 or too small for the path, or search is invalid. Allocates no memory, except
   that the C library may. */
TD_API td_status td_find_file(const td_file_search *search, const char *name, char *text,
                              size_t capacity, size_t *folder);

#ifdef __cplusplus
}
#endif
#endif
