/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: bytes as a robot (robot_of_bytes.c), a state, forces and options of a simulation. A
 * simulation must reach its end or report why not. Its numbers are finite, and it gains no energy.
 */
#include <math.h>
#include <string.h>

#include "tandem/simulation.h"

#include "fuzz.h"

enum { MOST = 100, MOST_STEPS = 300, MOST_CALLS = 10000 };

typedef struct pushing {
    double force[MOST];
    size_t count, calls;
} pushing;

/* Stops simulations whose equations are so stiff that steps remain tiny. */
static td_status push(void *context, const td_action *action)
{
    pushing *p = context;
    memcpy(action->tau_y, p->force, p->count * sizeof *p->force);
    return ++p->calls > MOST_CALLS ? TD_ERROR_LIMIT : TD_OK;
}

/* Energy balance of a simulation, J. */
typedef struct balance {
    double first, moved;
    double grown, since; /* growth, and when it began; NAN if not yet */
} balance;

/* Checks that energy − work stays constant, apart from losses in impacts. Without forces, energy
   itself must not grow. If it does grow, the simulation must end within AT_ONCE. This happens near
   a singular configuration into which a joint without inertia runs: velocities lose digits there,
   and steps soon become too short. */
static void check_energy(td_simulation *simulation, balance *b, bool unforced, bool exact,
                         bool begin)
{
    static const double AT_ONCE = 1e-6;
    td_simulation_sample sample = td_simulation_sample_default();
    const double t = td_simulation_time(simulation);
    if (td_simulation_evaluate(simulation, t, &sample) != TD_OK)
        return;
    const double all = sample.kinetic + sample.potential - (unforced ? 0 : sample.work);
    if (!isfinite(all) && exact)
        fuzz_fail("energy %g %g, work %g at t = %g", sample.kinetic, sample.potential, sample.work,
                  t);
    b->moved = fmax(b->moved, fabs(sample.kinetic) + fabs(sample.potential) + fabs(sample.work));
    if (begin)
        *b = (balance){.first = all, .moved = b->moved, .since = NAN};
    else if (exact && isnan(b->since) && all - b->first > 1e-4 * (1 + b->moved))
        b->grown = all, b->since = t;
    if (t > b->since + AT_ONCE)
        fuzz_fail("energy grows from %.9g to %.9g J by t = %.9g", b->first, b->grown, b->since);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const td_method methods[] = {
        TD_METHOD_AUTO,  TD_METHOD_AUTO,  TD_METHOD_DORMAND_PRINCE, TD_METHOD_DORMAND_PRINCE_8,
        TD_METHOD_RADAU, TD_METHOD_RADAU, TD_METHOD_EXPONENTIAL,    TD_METHOD_EXPONENTIAL_LINEAR,
        TD_METHOD_RK4};
    fuzz_bytes in = {data, data + size};
    td_simulation_options options = td_simulation_options_default();
    td_integrator_options integrator = td_integrator_options_default();
    /* any change of the input changes the choices too */
    const uint64_t choice = fuzz_hash(data, size);
    options.stops = (td_stops)(choice % 3);
    options.stiction = choice & 16;
    const bool unforced = choice & 32;
    options.restitution = (double)(choice >> 8 & 7) / 7;
    integrator.method = methods[(choice >> 40) % (sizeof methods / sizeof *methods)];
    integrator.rtol = 1e-6;
    /* fixed steps do not control the error of the energy */
    const bool exact = !td_method_is_fixed(integrator.method);
    pushing p = {.count = 0};
    options.act = push;
    options.context = &p;
    options.integrator = &integrator;
    double yd[MOST] = {0};
    for (size_t i = 0; i < 8; i++) {
        yd[i] = 3 * fuzz_number(&in);
        const double force = 4 * fuzz_number(&in);
        p.force[i] = unforced ? 0 : force;
    }
    td_builder *builder = fuzz_robot(&in);
    td_load_options load = fuzz_options(choice >> 16);
    td_model *model;
    td_simulation *simulation;
    if (td_builder_finish(builder, &load, NULL, &model) == TD_OK && td_nyd(model) < MOST &&
        td_simulation_new(model, &options, &simulation) == TD_OK) {
        p.count = td_nyd(model);
        balance b = {0, 0, 0, NAN};
        td_status status = td_simulation_start(simulation, 0, NULL, yd, NULL);
        fuzz_count(status == TD_OK);
        if (status == TD_OK)
            check_energy(simulation, &b, unforced, exact, true);
        for (int k = 0; k < MOST_STEPS && status == TD_OK; k++) {
            status = td_simulation_step(simulation, 2);
            if (status == TD_OK)
                check_energy(simulation, &b, unforced, exact, false);
        }
        td_simulation_free(simulation);
    }
    td_model_free(model);
    td_builder_free(builder);
    return 0;
}
