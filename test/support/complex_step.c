/* SPDX-License-Identifier: MIT */
/*
 * Derivatives by the complex step. Kernels load rows with imaginary parts, and store imaginary
 * parts back.
 */
#include "complex_step.h"

#include <complex.h>
#include <string.h>

td_model over(const td_model *model, const td_kernels *kernels)
{
    td_model copy = *model;
    copy.batch = kernels;
    return copy;
}

static const double step = 1e-200;

/* Rows that are loaded from these addresses get these imaginary parts. A global is safe here: Check
   runs each test in its own process, or at least one after the other. */
static struct {
    const double *at[3];
    const double *rate[3];
    bool derive;                    /* store writes imaginary parts instead of real parts */
    const void *singular, *outcome; /* not differentiable: always the real parts */
} complex_rows;

static int load_complex(void *dst, const double *src, size_t columns, size_t rows)
{
    ck_assert_uint_eq(rows, 1);
    const double *rate = NULL;
    for (int k = 0; k < 3; k++)
        if (src == complex_rows.at[k])
            rate = complex_rows.rate[k];
    double complex *x = dst;
    for (size_t i = 0; i < columns; i++)
        x[i] = src[i] + I * step * (rate ? rate[i] : 0);
    return td_kernels_complex.lanes_finite(dst, columns, rows);
}

static double part_of(double complex x)
{
    return complex_rows.derive ? cimag(x) / step : creal(x);
}

static int store_complex(double *dst, const void *src, size_t columns, size_t rows)
{
    ck_assert_uint_eq(rows, 1);
    const double complex *x = src;
    bool exact = src == complex_rows.singular || src == complex_rows.outcome;
    for (size_t i = 0; i < columns; i++)
        dst[i] = exact ? creal(x[i]) : part_of(x[i]);
    return td_kernels_complex.lanes_finite(src, columns, rows);
}

static void store_symmetric_complex(double *dst, const void *src, const td_pattern *pattern,
                                    size_t rows, int *finite)
{
    ck_assert_uint_eq(rows, 1);
    if (finite)
        *finite = td_kernels_complex.lanes_finite(src, pattern->entries, rows);
    size_t n = pattern->size;
    memset(dst, 0, n * n * sizeof *dst);
    for (size_t i = 0; i < n; i++) {
        const double complex *entry =
            (const double complex *)src + pattern->row[i] + pattern->depth[i];
        for (int j = (int)i; j >= 0; j = pattern->parent[j], entry--)
            dst[i * n + (size_t)j] = dst[(size_t)j * n + i] = part_of(*entry);
    }
}

fixture *fixture_new(td_random *random, td_model *model, bool tree)
{
    fixture *f = test_calloc(1, sizeof *f);
    f->kernels = td_kernels_complex;
    f->kernels.load = load_complex;
    f->kernels.store = store_complex;
    f->kernels.store_symmetric = store_symmetric_complex;
    f->model = model;
    f->complex_model = over(model, &f->kernels);
    f->w = test_workspace(&f->complex_model);
    ck_assert_ptr_nonnull(f->w);
    f->tree = tree;
    f->tolerance = 2e-14;
    f->nq = tree ? td_nq(model) : td_ny(model);
    f->n = tree ? td_nv(model) : td_nyd(model);
    f->links = td_link_count(model);
    f->s = states_new(random, model, tree, 1);
    f->rate = doubles(f->nq);
    f->out = doubles(f->s->room);
    f->derivative = doubles(f->s->room);
    return f;
}

const function *named(const char *name)
{
    for (size_t i = 0; i < function_count; i++)
        if (strcmp(functions[i].name, name) == 0)
            return &functions[i];
    ck_abort_msg("no function %s", name);
    return NULL;
}

const double *value(fixture *f, const char *name)
{
    states_clear(f->s, named(name), f->tree, 0);
    assert_ok(function_call(named(name), &f->s->a, f->tree, false));
    memcpy(f->out, f->s->memory, f->s->room * sizeof(double));
    return f->out;
}

arguments moving(fixture *f, const double *qd, const double *qdd)
{
    arguments a = f->s->a;
    a.model = &f->complex_model;
    a.w = f->w;
    memset(f->rate, 0, f->nq * sizeof(double));
    if (qd)
        td_coordinate_rate(f->model, f->tree, a.y, qd, f->rate);
    complex_rows.at[0] = a.y, complex_rows.rate[0] = f->rate;
    complex_rows.at[1] = a.yd, complex_rows.rate[1] = qdd;
    complex_rows.derive = true;
    complex_rows.singular = f->w->share[0].scratch.singular;
    complex_rows.outcome = f->w->share[0].scratch.outcome;
    return a;
}

const double *derivative(fixture *f, const char *name, const double *qd, const double *qdd)
{
    states_clear(f->s, named(name), f->tree, 0);
    arguments a = moving(f, qd, qdd);
    assert_ok(function_call(named(name), &a, f->tree, true));
    memcpy(f->derivative, f->s->memory, f->s->room * sizeof(double));
    return f->derivative;
}
