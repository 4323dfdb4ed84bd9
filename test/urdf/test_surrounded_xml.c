/* SPDX-License-Identifier: MIT */
/*
 * Tests robots with text around the XML or in quotes, as programs of ROS print robot_description:
 * each form loads as the XML alone; positions, two robots, and text that is cut off.
 */
#include <string.h>

#include "failing.h"
#include "td_test.h"

#define BEGIN "<?xml version=\"1.0\"?>\n<!-- it's a \"robot\" -->\n"
#define REST                                                                                       \
    "<robot name='r'>\n  <link name='a'/>\n  <link name='b'><inertial><mass value='2'/>\n"         \
    "    <inertia ixx='1' iyy='1' izz='1'/></inertial></link>\n"                                   \
    "  <joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>\n</robot>\n"

/* the same XML in double quotes of YAML and JSON, and in single quotes of YAML */
#define DOUBLE                                                                                     \
    "\"<?xml version=\\\"1.0\\\"?>\\n<robot name='r'>\\n  <link name='a'/><link name='b'>"         \
    "<inertial><mass value='2'/> <inertia ixx='1' iyy='1' izz='1'/></inertial></link>\\n"          \
    "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint></robot>\\n\""
#define SINGLE                                                                                     \
    "'<robot name=\"r\"><link name=\"a\"/><link name=\"b\"><inertial><mass value=''2''/>"          \
    "<inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/></inertial></link><joint name=\"j\" "                 \
    "type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/></joint></robot>'"
#define LOG "[INFO] [1700000000.0] [node]: got segment <base> \"x\n"
#define MARK "\xEF\xBB\xBF"

static td_status load(const char *text, td_diagnostics *list, td_model **model)
{
    return test_load_urdf_memory(text, strlen(text), "text", NULL, list, model);
}

/* Returns the first diagnostic with a code, or NULL. */
static const td_diagnostic *find(const td_diagnostics *list, const char *code)
{
    for (size_t i = 0; i < td_diagnostics_size(list); i++)
        if (strcmp(td_diagnostics_at(list, i)->code, code) == 0)
            return td_diagnostics_at(list, i);
    return NULL;
}

static uint64_t digest_of(const td_model *model)
{
    uint64_t digest;
    assert_ok(td_model_digest(model, NULL, &digest));
    return digest;
}

/* ---- accepted forms -------------------------------------------------------------------------- */

static const struct {
    const char *text;
    bool quoted;
    int line, column; /* of the note */
} forms[] = {
    {"String value is: " BEGIN REST, false, 1, 18},
    {"String value is: " REST, false, 1, 18},
    {MARK "String value is: " BEGIN REST, false, 1, 18},
    {LOG LOG BEGIN REST, false, 3, 1},
    {LOG BEGIN REST "[INFO] done\n", false, 2, 1},
    {LOG "\r\n" BEGIN REST "\r\n---\r\n", false, 3, 1},
    {"<?xml verison='1.0'?>" REST "---\n", false, 7, 1},
    {BEGIN REST "---\n", false, 9, 1},
    {REST "---\r\n\n--- \n", false, 7, 1},
    {"data: " REST "---\n", false, 1, 7},
    {"/node:\n  robot_description: |\n    " REST "  use_sim_time: false\n", false, 3, 5},
    {"data: " DOUBLE "\n---\n", true, 1, 7},
    {MARK "data: " DOUBLE "\r\n---\r\n", true, 1, 7},
    {"{\"data\": " DOUBLE "}", true, 1, 10},
    {DOUBLE, true, 1, 1},
    {"data: " SINGLE "\n", true, 1, 7},
    {"/node:\n  ros__parameters:\n    robot_description: " DOUBLE
     "\n    robot_description_semantic: \"<robot name='srdf'/>\"\n",
     true, 3, 24},
};

TD_LOOP_TEST(text_around_the_robot_is_ignored, 0, sizeof forms / sizeof *forms)
{
    if (forms[_i].quoted && !TANDEM_HAS_YAML)
        return;
    td_model *plain = NULL, *model = NULL;
    assert_ok(load(REST, NULL, &plain));
    td_diagnostics *list = test_diagnostics(0);
    assert_ok(load(forms[_i].text, list, &model));
    ck_assert_uint_eq(digest_of(model), digest_of(plain));
    ck_assert_str_eq(td_link_at(model, 1)->name, "b");
    const td_diagnostic *note = find(list, "URDF-X047");
    ck_assert_ptr_nonnull(note);
    ck_assert_msg(note->source.line == forms[_i].line && note->source.column == forms[_i].column,
                  "%d:%d", note->source.line, note->source.column);
    ck_assert_int_eq((int)note->severity, TD_SEVERITY_NOTE);
    /* such a text is not a reason for other warnings */
    ck_assert_uint_eq(td_diagnostics_count(list, TD_SEVERITY_WARNING), _i == 6);
}

TD_TEST(robot_alone_has_no_note)
{
    td_diagnostics *list = test_diagnostics(0);
    td_model *model = NULL;
    assert_ok(load(BEGIN REST, list, &model));
    ck_assert_ptr_null(find(list, "URDF-X047"));
}

/* ---- refused texts --------------------------------------------------------------------------- */

static const struct {
    const char *text, *code;
    bool quoted;
    int line, column;
} faults[] = {
    /* positions: of the file, or of the text in quotes */
    {"String value is: <robot name='r'>\n<link name='a'><inertial><mass value='x'/>"
     "<inertia ixx='1' iyy='1' izz='1'/></inertial></link></robot>\n---\n",
     "URDF-N001", false, 2, 26},
    {LOG "<robot name='r'><link name='a'><inertial/></link></robot>", "URDF-N004", false, 2, 32},
    {LOG "<robot name='r'>\n<link name='a'></robot>", "URDF-X001", false, 3, 24},
    {"a:\n  data: \"<robot name='r'>\\n\\n <link name='a'><inertial/></link></robot>\"",
     "URDF-N004", true, 3, 17},
    /* two robots */
    {BEGIN REST "---\n" BEGIN REST "---\n", "URDF-X001", false, 9, 1},
    {LOG REST LOG REST, "URDF-X001", false, 8, 1},
    {"data: " DOUBLE "\n---\ndata: " DOUBLE "\n---\n", "URDF-Y001", true, 2, 1},
    {"a: " DOUBLE "\nb: " SINGLE "\n", "URDF-X004", true, 2, 4},
    {"a:\n  robot_description: " SINGLE "\nb:\n  robot_description: " SINGLE "\n", "URDF-X004",
     true, 4, 22},
    /* cut off, or not closed */
    {"data: \"<?xml version=\\\"1.0\\\"?>\\n<robot name='r'>...\"\n---\n", "URDF-X001", true, 1, 7},
    {"data: \"<robot name='r'>\\n", "URDF-Y001", true, 1, 26},
    {"String value is: <robot name='r'>", "URDF-X001", false, 1, 34},
    {"data: <robot name='r'><link name='a'/>...\n---\n", "URDF-X001", false, 2, 1},
    /* neither XML nor quoted */
    {"data: \"\"\n# '<robot'", "URDF-X004", true, 1, 1},
    {"String value is: robot\n", "URDF-X001", false, 1, 1},
    {"---\n", "URDF-X001", false, 1, 1},
    {"---", "URDF-X001", false, 1, 1},
    {"data: \"<robot name='r'/>\\0\"\n", "URDF-Y003", true, 1, 7},
};

TD_LOOP_TEST(faults_are_refused, 0, sizeof faults / sizeof *faults)
{
    if (faults[_i].quoted && !TANDEM_HAS_YAML)
        return;
    td_diagnostics *list = test_diagnostics(0);
    td_model *model = NULL;
    ck_assert_int_eq(load(faults[_i].text, list, &model), TD_ERROR_MODEL);
    ck_assert_ptr_null(model);
    const td_diagnostic *error = find(list, faults[_i].code);
    ck_assert_msg(error != NULL, "%s", td_diagnostics_at(list, 0)->message);
    ck_assert_msg(error->source.line == faults[_i].line &&
                      error->source.column == faults[_i].column,
                  "%d:%d: %s", error->source.line, error->source.column, error->message);
}

/* Every beginning of a text in quotes is refused or, without its last characters, the same robot.
 */
TD_TEST(no_beginning_is_another_robot)
{
    static const char *const texts[] = {"data: " DOUBLE "\n---\n", "String value is: " BEGIN REST};
    for (size_t k = 0; k < 2; k++) {
        const size_t size = strlen(texts[k]);
        for (size_t length = 0; length < size; length++) {
            char *text = test_malloc(length + 1);
            memcpy(text, texts[k], length);
            text[length] = '\0';
            td_model *model = NULL;
            td_status status = load(text, NULL, &model);
            ck_assert(status != TD_OK || length + 8 > size);
        }
    }
}

TD_TEST(build_without_yaml_names_the_command)
{
    td_diagnostics *list = test_diagnostics(0);
    td_model *model = NULL;
    td_status status = load("data: " DOUBLE "\n---\n", list, &model);
    const td_diagnostic *error = find(list, "TD-E003");
    ck_assert_int_eq(status, TANDEM_HAS_YAML ? TD_OK : TD_ERROR_IO);
    ck_assert((error != NULL) == !TANDEM_HAS_YAML);
    ck_assert(!error || strstr(error->remedy, "ros2 topic echo"));
}

/* ---- memory ---------------------------------------------------------------------------------- */

static td_status load_with(const char *text, long allocations, long *leaked)
{
    td_diagnostics *list = new_diagnostics(0);
    td_model *model = NULL;
    long before = failing_pieces;
    failing_left = allocations;
    td_status status = td_load_urdf_memory(text, strlen(text), "r", NULL, list, &model);
    failing_left = -1;
    td_model_free(model);
    td_diagnostics_free(list);
    *leaked = failing_pieces - before + 1;
    return status;
}

TD_LOOP_TEST(every_allocation_may_fail, 0, 2)
{
    static const char *const texts[] = {LOG REST "---\n", "data: " DOUBLE "\n---\n"};
    if (_i == 0 || TANDEM_HAS_YAML)
        failing_each(load_with, texts[_i], TD_OK);
}
