/* SPDX-License-Identifier: MIT */
/*
 * Tests loops that close in a single configuration but permit first-order motion there, such as a
 * straight chain of bars fixed at both ends. The gradient is rank-deficient, and no joint can be
 * chosen as dependent. Such loops are refused with every instruction set. The same chains are
 * mechanisms if they may move along their direction or are drawn bent.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "td_test.h"

enum { MOST_BARS = 9 };

/* The configuration at zero. STRAIGHTENED closes only when it is straight. */
typedef enum drawing { STRAIGHT, STRAIGHTENED, BENT } drawing;

/* Bars with hinges about z in series, anywhere in space. The loop fixes the last bar's end to the
   base where it is drawn, or where it would be if all bars were straight. */
typedef struct chain {
    int bars;
    td_loop_type hold;
    drawing drawn;
} chain;

static void add_bar(td_builder *builder, td_random *random, const char *name, double length)
{
    td_link link = td_solid_link(name, 1.2 + 0.5 * td_random_number(random), 0.1);
    link.inertial.position[0] = length / 2;
    assert_ok(td_builder_add_link(builder, &link));
}

static td_builder *chain_builder(const chain *c, td_random *random)
{
    static const char *const bars[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
    static const char *const hinges[] = {"A", "B", "C", "D", "E", "F", "G", "H", "I"};
    td_builder *builder = test_builder("chain");
    td_link world = td_link_default("world");
    assert_ok(td_builder_add_link(builder, &world));
    add_bar(builder, random, "base", 0);
    td_joint mount = td_joint_default("mount", TD_JOINT_FIXED, "world", "base");
    td_random_fill(random, 3, mount.origin.position);
    td_random_rotation(random, mount.origin.rotation);
    assert_ok(td_builder_add_joint(builder, &mount));
    double angle = 0, end[2] = {0, 0}, length = 0;
    for (int i = 0; i < c->bars; i++) {
        td_joint hinge =
            td_joint_default(hinges[i], TD_JOINT_CONTINUOUS, i ? bars[i - 1] : "base", bars[i]);
        const double random_turn = 0.4 + 0.3 * td_random_number(random);
        const double turn = c->drawn == STRAIGHT ? 0
                            : c->drawn == BENT   ? random_turn
                                                 : random_turn / 8;
        const double rotation[9] = {cos(turn), -sin(turn), 0, sin(turn), cos(turn), 0, 0, 0, 1};
        hinge.origin.position[0] = length;
        memcpy(hinge.origin.rotation, rotation, sizeof rotation);
        hinge.axis[0] = 0, hinge.axis[2] = 1;
        assert_ok(td_builder_add_joint(builder, &hinge));
        length = 0.3 + 0.1 * td_random_number(random);
        add_bar(builder, random, bars[i], length);
        angle += c->drawn == BENT ? turn : 0;
        end[0] += length * cos(angle), end[1] += length * sin(angle);
    }
    td_loop loop = td_loop_default("hold", "base", bars[c->bars - 1]);
    loop.type = c->hold;
    loop.successor_origin.position[0] = length;
    if (c->hold == TD_LOOP_DISTANCE) {
        loop.distance = hypot(end[0], end[1]);
    } else {
        const double held[9] = {cos(angle), -sin(angle), 0, sin(angle), cos(angle), 0, 0, 0, 1};
        memcpy(loop.predecessor_origin.position, end, sizeof end);
        memcpy(loop.predecessor_origin.rotation, held, sizeof held);
        loop.axis[0] = c->hold == TD_LOOP_PRISMATIC;
        loop.axis[2] = c->hold == TD_LOOP_REVOLUTE;
    }
    assert_ok(td_builder_add_loop(builder, &loop));
    return builder;
}

/* Checks that loops close exactly while the independent joints move. */
static void check_mobile(const td_model *model, td_random *random)
{
    td_workspace *w = test_workspace(model);
    double y[MOST_BARS];
    for (int state = 0; state < 5; state++) {
        td_closure_report report = {.size_of = sizeof report};
        td_random_fill(random, td_ny(model), y);
        for (size_t k = 0; k < td_ny(model); k++)
            y[k] *= 0.01;
        assert_ok(td_closure_examine(model, w, y, &report));
        ck_assert(report.residual < 1e-12);
    }
}

/* freedom: degrees of freedom of the model, or −1 if it must be refused. */
static void check(const chain *c, int freedom)
{
    static const char *const isas[] = {"baseline", "avx2", "avx512"};
    td_random random = {700 + 100 * (uint64_t)c->hold + 10 * (uint64_t)c->bars +
                        (uint64_t)c->drawn};
    for (int trial = 0; trial < 4; trial++) {
        td_builder *builder = chain_builder(c, &random);
        for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
            td_diagnostics *list = test_diagnostics(20);
            td_model *model = NULL;
            setenv("TANDEM_ISA", isas[i], 1);
            const td_status status = test_builder_finish(builder, NULL, list, &model);
            unsetenv("TANDEM_ISA");
            ck_assert_msg(status == TD_ERROR_ISA ||
                              (td_find_diagnostic(list, "URDF-C028") != NULL) == (freedom < 0),
                          "%d bars, hold %d, drawn %d, %s: %s", c->bars, (int)c->hold,
                          (int)c->drawn, isas[i], td_status_text(status));
            if (status != TD_ERROR_ISA && freedom >= 0) {
                assert_ok(status);
                ck_assert_int_eq((int)td_nyd(model), freedom);
                check_mobile(model, &random);
            }
        }
    }
}

static void check_straight(int n, drawing drawn)
{
    check(&(chain){n, TD_LOOP_FIXED, drawn}, n < 3 ? 0 : -1);
    check(&(chain){n, TD_LOOP_REVOLUTE, drawn}, n < 2 ? 0 : -1);
    check(&(chain){n, TD_LOOP_PRISMATIC, drawn}, n < 2 ? 0 : n - 2);
    if (n > 1) /* a single bar always keeps its distance */
        check(&(chain){n, TD_LOOP_DISTANCE, drawn}, -1);
}

TD_LOOP_TEST(straight, 1, MOST_BARS + 1)
{
    check_straight(_i, STRAIGHT);
    check_straight(_i, STRAIGHTENED);
}

TD_LOOP_TEST(bent, 1, MOST_BARS + 1)
{
    const int n = _i;
    check(&(chain){n, TD_LOOP_FIXED, BENT}, n < 3 ? 0 : n - 3);
    check(&(chain){n, TD_LOOP_REVOLUTE, BENT}, n < 2 ? 0 : n - 2);
    check(&(chain){n, TD_LOOP_PRISMATIC, BENT}, n < 2 ? 0 : n - 2);
    if (n > 1)
        check(&(chain){n, TD_LOOP_DISTANCE, BENT}, n - 1);
}
