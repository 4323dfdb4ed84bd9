/* SPDX-License-Identifier: MIT */
/*
 * Finds the robot in a quoted text of YAML or JSON; see quoted.h. YAML allows only one document
 * here, so that two robots are an error.
 */
#include "quoted.h"

#include <string.h>

#include "prologue.h"
#include "tandem/config.h"
#include "vocabulary.h"

typedef struct search {
    const td_yaml_node *found;
    size_t count;
    bool named; /* by the key robot_description */
} search;

static void find_texts(const td_yaml_node *node, search *s)
{
    for (const td_yaml_node *child = node->first; child; child = child->next)
        find_texts(child, s);
    if (node->kind != TD_YAML_SCALAR || node->text[strspn(node->text, " \t\r\n")] != '<')
        return;
    bool named = node->key && strcmp(node->key, "robot_description") == 0;
    if (named > s->named)
        s->count = 0;
    if (named < s->named)
        return;
    s->named = named;
    s->found = node;
    s->count++;
}

static td_source source_of(const char *file, const td_yaml_node *node)
{
    return (td_source){file, node->position.line, node->position.column, NULL};
}

/* Returns whether the text of a node is complete: "ros2 topic echo" shortens texts. */
static bool is_complete(const td_yaml_node *node, const char *file, td_diagnostics *diagnostics)
{
    size_t size = strlen(node->text);
    bool complete = strcmp(node->text + size - (size < 3 ? size : 3), "...") != 0;
    if (!complete)
        td_report(diagnostics, TD_CODE_XML_SYNTAX, source_of(file, node),
                  "print all of it: ros2 topic echo --once --full-length /robot_description",
                  "the robot's text is cut off after %zu characters", size - 3);
    return complete;
}

static td_status find_robot(const char *file, td_diagnostics *diagnostics, td_yaml *yaml,
                            const td_yaml_node **robot)
{
    search s = {NULL, 0, false};
    find_texts(yaml->root, &s);
    if (s.count != 1) {
        td_report(diagnostics, TD_CODE_XML_NO_ROBOT,
                  source_of(file, s.found ? s.found : yaml->root),
                  s.count ? "keep one robot in the file" : NULL,
                  s.count ? "the YAML contains %zu texts that begin with '<'"
                          : "no text of the YAML begins with '<'",
                  s.count);
        return TD_ERROR_MODEL;
    }
    *robot = s.found;
    return is_complete(s.found, file, diagnostics) ? TD_OK : TD_ERROR_MODEL;
}

td_status td_quoted_find(const char **text, size_t *size, const char *file,
                         const td_load_options *options, td_diagnostics *diagnostics, td_yaml *yaml)
{
    *yaml = (td_yaml){{NULL}, NULL};
    if (!TANDEM_HAS_YAML) {
        td_report(diagnostics, TD_CODE_YAML_ABSENT, (td_source){file, 0, 0, NULL},
                  "print plain text: ros2 topic echo --once --field data /robot_description",
                  "the robot is a quoted text of YAML, which this build cannot read");
        return TD_ERROR_IO;
    }
    td_status status = td_yaml_parse(*text, td_prologue_document_end(*text, *size), file, options,
                                     diagnostics, yaml);
    const td_yaml_node *robot = NULL;
    if (status == TD_OK)
        status = find_robot(file, diagnostics, yaml, &robot);
    if (status != TD_OK)
        return status;
    td_report(diagnostics, TD_CODE_XML_SURROUNDED, source_of(file, robot),
              "for positions in the file, print plain text: ros2 topic echo --field data",
              "the robot is the quoted text '%.*s'; lines and columns below count in that text",
              robot->key ? td_shown(robot->key) : 0, robot->key ? robot->key : "");
    *text = robot->text;
    *size = strlen(robot->text);
    return TD_OK;
}
