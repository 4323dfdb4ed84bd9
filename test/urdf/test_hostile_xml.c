/* SPDX-License-Identifier: MIT */
/*
 * Tests the importer with hostile and malformed text: reported locations, limits, refusals,
 * truncated and damaged files.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "td_test.h"

static const char robot[] =
    "<?xml version=\"1.0\"?>\n"
    "<robot name=\"r\">\n"
    "  <!-- a comment with <link name='x'> in it -->\n"
    "  <link name=\"a\"><inertial><mass value=\"1\"/><origin xyz=\"0 0 1\"/>\n"
    "    <inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/></inertial>\n"
    "    <visual><geometry><box size=\"1 1 1\"/></geometry></visual></link>\n"
    "  <link name=\"b\"/><link name='c'/>\n"
    "  <gazebo><![CDATA[ <joint> ]]> text &amp; &#65;</gazebo>\n"
    "  <joint name=\"j\" type=\"revolute\"><parent link=\"a\"/><child link=\"b\"/>\n"
    "    <limit lower=\"-1\" upper=\"1\" effort=\"1\" velocity=\"1\"/></joint>\n"
    "  <joint name=\"k\" type=\"continuous\"><parent link=\"b\"/><child link=\"c\"/>\n"
    "    <mimic joint=\"j\" multiplier=\"2\"/></joint>\n"
    "  <transmission name=\"t\"><joint name=\"j\"/><actuator name=\"m\">\n"
    "    <mechanicalReduction>50</mechanicalReduction></actuator></transmission>\n"
    "</robot>\n";

/* Loads exactly these bytes, from a block of their size, so that sanitizers detect reads beyond it.
   Checks invariants of status, model and diagnostics. */
static td_status load(const char *text, size_t size, const td_load_options *options,
                      td_diagnostics *list)
{
    char *exact = test_malloc(size ? size : 1);
    memcpy(exact, text, size);
    td_model *model = NULL;
    td_status status = test_load_urdf_memory(exact, size, "text", options, list, &model);
    ck_assert((status == TD_OK) == (model != NULL));
    if (list)
        ck_assert((status == TD_OK) == (td_diagnostics_count(list, TD_SEVERITY_ERROR) == 0));
    return status;
}

/* Checks that the text is refused with this code at this location. */
static void refuse_at(const char *text, size_t size, const td_load_options *options,
                      const char *code, int line, int column)
{
    td_diagnostics *list = test_diagnostics(0);
    ck_assert_int_ne(load(text, size, options, list), TD_OK);
    const td_diagnostic *d = NULL;
    for (size_t i = 0; !d && i < td_diagnostics_size(list); i++)
        if (td_diagnostics_at(list, i)->severity == TD_SEVERITY_ERROR)
            d = td_diagnostics_at(list, i);
    ck_assert_ptr_nonnull(d);
    ck_assert_msg(strcmp(d->code, code) == 0 && d->source.line == line &&
                      d->source.column == column,
                  "%s at %d:%d instead of %s at %d:%d", d->code, d->source.line, d->source.column,
                  code, line, column);
}

/* Loads `before`, a <mass> with a bad value, and the end of the robot. */
static void bad_mass_at(const char *before, int line, int column)
{
    char text[4096];
    int size = snprintf(text, sizeof text,
                        "%s<mass value='x'/><inertia ixx='1' iyy='1' izz='1'/>"
                        "</inertial></link></robot>",
                        before);
    refuse_at(text, (size_t)size, NULL, "URDF-N001", line, column);
}

/* ---- locations ------------------------------------------------------------------------------- */

static const struct {
    const char *before;
    int line, column;
} places[] = {
    {"<robot name='r'><link name='a'><inertial>", 1, 42},
    {"<robot name='r'>\n<link name='a'><inertial>\n\t ", 3, 3},
    {"<robot name='r'>\r\n<link name='a'>\r\n<inertial>\r\n  ", 4, 3},
    {"<robot name='r'>\r<link name='a'>\r<inertial>\r  ", 4, 3},
    {"\xEF\xBB\xBF<robot name='r'><link name='a'><inertial>", 1, 42},
    {"\xEF\xBB\xBF\n \n<?xml version='1.0'?>\n<robot name='r'><link name='a'><inertial>", 4, 42},
    {"\n\n<?xml version='1.0'?><robot name='r'><link name='a'><inertial>", 3, 63},
    {"<?xml verison='1.0'?>\n<robot name='r'><link name='a'><inertial> ", 2, 43},
    {"<robot name='\xC3\xA4'><link name='a'><inertial>", 1, 43}, /* columns count bytes */
    {"<!-- <mass> --><?a <mass> ?><robot name='>r'><link name='a'><inertial>", 1, 71},
    {"<robot name='r'><g><![CDATA[<mass>]]></g><link name='a'><inertial>", 1, 67},
    {"<robot name='r'><g/><g x='/>'></g><link name=\"'\"\n><inertial>", 2, 12},
    {"<?xml version='1.0' encoding='ISO-8859-1'?>\n<robot name='\xE4\xE4'><link "
     "name='a'><inertial>",
     2, 43},
};

TD_LOOP_TEST(place_is_that_of_the_bracket, 0, sizeof places / sizeof *places)
{
    bad_mass_at(places[_i].before, places[_i].line, places[_i].column);
}

TD_TEST(place_past_line_65535)
{
    enum { lines = 70000 };
    static char text[lines + 200] = "<robot name='r'><link name='a'>";
    size_t used = strlen(text);
    memset(text + used, '\n', lines);
    used += lines;
    strcpy(text + used, " <inertial><mass/></inertial></link></robot>");
    refuse_at(text, strlen(text), NULL, "URDF-N004", lines + 1, 12);
}

TD_TEST(place_in_utf16)
{
    static const char plain[] = "<robot name='r'>\n<link name='a'><inertial/></link></robot>";
    for (int big = 0; big < 2; big++) {
        char text[2 * sizeof plain];
        size_t size = 0;
        text[size++] = (char)(big ? 0xFE : 0xFF);
        text[size++] = (char)(big ? 0xFF : 0xFE);
        for (const char *p = plain; *p; p++) {
            text[size++] = big ? 0 : *p;
            text[size++] = big ? *p : 0;
        }
        refuse_at(text, size, NULL, "URDF-N004", 2, 16);
    }
}

/* The byte order mark does not count as a column. */
TD_TEST(place_in_the_first_line_of_utf16)
{
    static const char plain[] = "<robot name='r'><link name='a'><inertial/></link></robot>";
    for (int big = 0; big < 2; big++) {
        char text[2 * sizeof plain];
        size_t size = 0;
        text[size++] = (char)(big ? 0xFE : 0xFF);
        text[size++] = (char)(big ? 0xFF : 0xFE);
        for (const char *p = plain; *p; p++) {
            text[size++] = big ? 0 : *p;
            text[size++] = big ? *p : 0;
        }
        refuse_at(text, size, NULL, "URDF-N004", 1, 32);
    }
}

/* Every report about malformed text contains a remedy. */
TD_LOOP_TEST(errors_have_remedies, 0, 32)
{
    static const char *const texts[] = {
        "",
        "text",
        "<robot name='r'",
        "<robot name='r'>",
        "<robot name='r'></robt>",
        "<robot><a></robot></a>",
        "<robot name=r/>",
        "<robot name/>",
        "<robot name='r/>",
        "<robot name='r'x='y'/>",
        "<robot name='<'/>",
        "<robot name='a' name='b'/>",
        "<robot>&x;</robot>",
        "<robot>a & b</robot>",
        "<robot>&amp</robot>",
        "<robot>&#xQ;</robot>",
        "<robot>&#Q;</robot>",
        "<robot>&#1;</robot>",
        "<robot>\x01</robot>",
        "<robot>< a/></robot>",
        "<robot><!-- </robot>",
        "<robot><!-- a -- b --></robot>",
        "<robot><![CDATA[ </robot>",
        "<robot><?a </robot>",
        "<robot/><robot/>",
        "<robot/>text",
        "<robot><?xml version='1.0'?></robot>",
        "<robot name='\xFF'/>",
        "<robot>]]></robot>",
        "<?xml version='1.0' encoding='no-such'?><robot/>",
        "<?xml version='1.0' encoding='EUC-JP'?><robot name='\xFF\xFF\x80'/>",
        "\xFF\xFE<\xD8",
    };
    const char *text = texts[_i];
    td_diagnostics *list = test_diagnostics(0);
    load(text, strlen(text), NULL, list);
    for (size_t i = 0; i < td_diagnostics_size(list); i++) {
        const td_diagnostic *d = td_diagnostics_at(list, i);
        ck_assert_msg(strcmp(d->code, "URDF-X001") != 0 || *d->remedy, "%s: %s", text, d->message);
    }
}

/* ---- limits and refusals --------------------------------------------------------------------- */

TD_TEST(caps_hold)
{
    td_load_options options = td_load_options_default();
    options.max_bytes = sizeof robot - 2;
    refuse_at(robot, sizeof robot - 1, &options, "URDF-X003", 0, 0);
    options = td_load_options_default();
    options.max_depth = 2;
    refuse_at(robot, sizeof robot - 1, &options, "URDF-X003", 4, 18);
    options.max_depth = 5;
    assert_ok(load(robot, sizeof robot - 1, &options, NULL));
    options = td_load_options_default();
    options.max_elements = 3;
    refuse_at(robot, sizeof robot - 1, &options, "URDF-X003", 4, 28);
}

/* Returns a robot with a piece repeated count times. */
static char *many(const char *head, const char *piece, size_t count, const char *tail)
{
    size_t size = strlen(head) + count * strlen(piece) + strlen(tail) + 1;
    char *text = test_malloc(size), *end = text;
    end = stpcpy(end, head);
    for (size_t i = 0; i < count; i++)
        end = stpcpy(end, piece);
    strcpy(end, tail);
    return text;
}

TD_TEST(depth_is_bounded_whatever_the_options_say)
{
    td_load_options options = td_load_options_default();
    options.max_depth = (size_t)-1;
    char *text = many("<robot name='r'>", "<a>", 100000, "");
    refuse_at(text, strlen(text), &options, "URDF-X003", 1, 16 + 3 * 255 + 1);
}

TD_TEST(attributes_are_bounded)
{
    char *text = many("<robot name='r'>\n <a ", "b='' ", 1000000, "/></robot>");
    refuse_at(text, strlen(text), NULL, "URDF-X003", 2, 2);
}

TD_TEST(many_elements_are_read_in_linear_time)
{
    char *text = many("<robot name='r'><link name='a'/>", "<x y=''>-</x>\n", 200000, "</robot>");
    assert_ok(load(text, strlen(text), NULL, NULL));
}

TD_TEST(doctype_is_refused)
{
    static const char *const texts[] = {
        "<!DOCTYPE robot><robot name='r'/>",
        "<!DOCTYPE robot SYSTEM 'http://localhost/x.dtd'><robot name='r'/>",
        "<!DOCTYPE robot [<!ENTITY a 'b'><!ENTITY c '&a;&a;'>]><robot name='&c;'/>",
        "<!DOCTYPE robot [<!ENTITY % a SYSTEM 'file:///etc/passwd'>%a;]><robot name='r'/>",
        "<!DOCTYPE robot [",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        refuse_at(texts[i], strlen(texts[i]), NULL, "URDF-X002", 1, 1);
}

/* Nothing is printed for any text: diagnostics are the only output. */
TD_TEST(nothing_is_printed)
{
    static const char *const texts[] = {
        "",
        "\xFF\xFE<\xD8",
        "<?xml version='1.0' encoding='no-such'?><robot/>",
        "<?xml version='1.0' encoding='UTF-16'?><robot/>",
        "<?xml version='1.0' encoding='EUC-JP'?><robot name='\xFF\xFF\x80'/>",
        "<robot name='\xFF'/>",
        "<robot name='&x;'/>",
        "<robot><a b='1' b='2'/></robot>",
        "<!DOCTYPE a SYSTEM 'x' [%p;]><robot/>",
        "<robot xmlns:a='::' a:b='c'><d:e/></robot>",
    };
    FILE *file = tmpfile();
    ck_assert_ptr_nonnull(file);
    fflush(stderr);
    dup2(fileno(file), STDERR_FILENO);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        load(texts[i], strlen(texts[i]), NULL, NULL);
    fflush(stderr);
    ck_assert_int_eq(lseek(fileno(file), 0, SEEK_END), 0);
    fclose(file);
}

static const struct {
    const char *text;
    bool good;
} declarations[] = {
    {"<?xml version=\"1.0\"?>", true},
    {"<?xml version='1.0' ?>", true},
    {"<?xml\n\tversion = '1.0' encoding = \"UTF-8\"?>", true},
    {"<?xml version='1.0' encoding='UTF-8' standalone='yes'?>", true},
    {"<?xml version='1.0' standalone='no'?>", true},
    {"<?xml version='1.1'?>", true},
    {"<?xml ?>", false},
    {"<?xml encoding='UTF-8'?>", false},
    {"<?xml version?>", false},
    {"<?xml version=?>", false},
    {"<?xml version=1.0?>", false},
    {"<?xml version='1.0?>", false},
    {"<?xml version='1.0\"?>", false},
    {"<?xml version='2.0'?>", false},
    {"<?xml version='1.0'encoding='UTF-8'?>", false},
    {"<?xml version='1.0' standalone='yes' encoding='UTF-8'?>", false},
    {"<?xml version='1.0' 'UTF-8'?>", false},
    {"<?xml version='1.0' encoding?>", false},
    {"<?xml version='1.0' encoding='?>", false},
    {"<?xml version='1.0' more='x'?>", false},
    {"<?xml version='1.0' version='1.0'?>", false},
    {"<?xml Version='1.0'?>", false},
};

/* A malformed declaration is reported and skipped, whatever the XML parser reports about it. */
TD_LOOP_TEST(declarations_are_checked, 0, sizeof declarations / sizeof *declarations)
{
    char text[200];
    int size = snprintf(text, sizeof text, "%s<robot name='r'><link name='a'/></robot>",
                        declarations[_i].text);
    td_diagnostics *list = test_diagnostics(0);
    ck_assert_msg(load(text, (size_t)size, NULL, list) == TD_OK, "%s", text);
    const td_diagnostic *first = td_diagnostics_at(list, 0);
    bool reported = first && strcmp(first->code, "URDF-X007") == 0;
    ck_assert_msg(reported == !declarations[_i].good, "%s", text);
    ck_assert(!reported || (first->source.line == 1 && first->source.column == 1));
}

/* ---- damaged text ---------------------------------------------------------------------------- */

TD_TEST(cut_off_text_is_refused)
{
    size_t whole = sizeof robot - 2; /* the last newline is not required */
    for (size_t size = 0; size < whole; size++) {
        td_diagnostics *list = test_diagnostics(0);
        ck_assert_int_eq(load(robot, size, NULL, list), TD_ERROR_MODEL);
    }
    assert_ok(load(robot, whole, NULL, NULL));
}

TD_TEST(damaged_text_does_no_harm)
{
    td_random random = {.state = 20170901};
    for (int round = 0; round < 4000; round++) {
        char text[sizeof robot];
        memcpy(text, robot, sizeof robot);
        for (size_t k = 0; k <= td_random_below(&random, 4); k++) {
            size_t at = td_random_below(&random, sizeof robot - 1);
            if (td_random_below(&random, 2))
                text[at] = (char)td_random_below(&random, 256);
            else /* overwrites a part of the text with another one, so that more text stays
                    well-formed */
                memmove(text + at, robot + td_random_below(&random, sizeof robot - 20),
                        at + 16 < sizeof robot ? 16 : 0);
        }
        td_diagnostics *list = test_diagnostics(0);
        load(text, sizeof robot - 1, NULL, list);
    }
}
