/* SPDX-License-Identifier: MIT */
/*
 * Stiff equations by backward differentiation of orders 1 to 5 in SUNDIALS' CVODE (Hindmarsh et
 * al. 2005), with Newton's method and a dense Jacobian. In builds without CVODE the method is
 * not available.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrator_inside.h"
#include "tandem/config.h"

bool td_method_available(td_method method)
{
    return (unsigned)method <= TD_METHOD_EXPONENTIAL_LINEAR &&
           (method != TD_METHOD_CVODE || TANDEM_HAS_CVODE);
}

#if TANDEM_HAS_CVODE

#include <cvode/cvode.h>
#include <cvode/cvode_proj.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

struct td_cvode {
    SUNContext context;
    void *cvode;
    N_Vector x;
    SUNMatrix J;
    double *rows; /* the Jacobian by rows */
    SUNLinearSolver solver;
    bool begun;       /* CVODE's state equals the integrator's */
    bool straight;    /* the last step was too short for CVODE, so the solution is constant in it */
    td_status status; /* the last failure of the rate */
};

static int rate_of(realtype t, N_Vector x, N_Vector rate, void *data)
{
    td_integrator *i = data;
    const td_status status =
        td_integrator_rate(i, t, N_VGetArrayPointer(x), N_VGetArrayPointer(rate));
    if (status == TD_OK)
        return 0;
    i->cvode->status = status;
    return 1; /* recoverable: CVODE tries a shorter step */
}

/* Computes the Jacobian and transposes it, since CVODE's matrices are column-major. */
static int jacobian_of(realtype t, N_Vector x, N_Vector rate, SUNMatrix J, void *data, N_Vector a,
                       N_Vector b, N_Vector c)
{
    td_integrator *i = data;
    const size_t n = i->ode.size;
    double *rows = i->cvode->rows;
    (void)a, (void)b, (void)c;
    const td_status status =
        td_integrator_jacobian(i, t, N_VGetArrayPointer(x), N_VGetArrayPointer(rate), rows);
    if (status != TD_OK) {
        i->cvode->status = status;
        return 1;
    }
    for (size_t k = 0; k < n; k++) {
        realtype *column = SUNDenseMatrix_Column(J, (sunindextype)k);
        for (size_t m = 0; m < n; m++)
            column[m] = rows[m * n + k];
    }
    return 0;
}

/* Computes the correction that projects x. */
static int correction_of(realtype t, N_Vector x, N_Vector correction, realtype tolerance,
                         N_Vector error, void *data)
{
    td_integrator *i = data;
    const double *from = N_VGetArrayPointer(x);
    double *to = N_VGetArrayPointer(correction);
    (void)tolerance, (void)error;
    memcpy(to, from, i->ode.size * sizeof *to);
    i->ode.project(i->ode.context, t, to);
    for (size_t k = 0; k < i->ode.size; k++)
        to[k] -= from[k];
    return 0;
}

static void be_silent(int code, const char *module, const char *function, char *message, void *data)
{
    (void)code, (void)module, (void)function, (void)message, (void)data;
}

static bool prepare(td_integrator *i)
{
    td_cvode *s = i->cvode;
    const td_integrator_options *o = &i->options;
    return CVodeSetErrHandlerFn(s->cvode, be_silent, NULL) == CV_SUCCESS &&
           CVodeInit(s->cvode, rate_of, 0, s->x) == CV_SUCCESS &&
           CVodeSetUserData(s->cvode, i) == CV_SUCCESS &&
           CVodeSStolerances(s->cvode, o->rtol, o->atol) == CV_SUCCESS &&
           CVodeSetLinearSolver(s->cvode, s->solver, s->J) == CV_SUCCESS &&
           CVodeSetJacFn(s->cvode, jacobian_of) == CV_SUCCESS &&
           CVodeSetMaxStep(s->cvode, o->longest) == CV_SUCCESS &&
           (!i->ode.project || (CVodeSetProjFn(s->cvode, correction_of) == CV_SUCCESS &&
                                CVodeSetProjErrEst(s->cvode, SUNFALSE) == CV_SUCCESS));
}

/* Returns whether enough memory is available, by allocating and freeing it. SUNDIALS (6.4) does
   not check every malloc: N_VClone and SUNContext_Create write through NULL. So this allocates
   more than SUNDIALS does, and nearly always detects a lack of memory here. */
static bool memory_is_there(size_t n)
{
    enum { VECTORS = 32, MATRICES = 3, REST = 1 << 18 };
    volatile char *block = malloc((VECTORS * n + MATRICES * n * n) * sizeof(double) + REST);
    if (!block)
        return false;
    *block = 0; /* compilers may remove unused allocations */
    free((void *)block);
    return true;
}

bool td_cvode_open(td_integrator *i)
{
    td_cvode *s = i->cvode = calloc(1, sizeof *s);
    if (!s || !memory_is_there(i->ode.size) || SUNContext_Create(NULL, &s->context) != 0)
        return false;
    const sunindextype n = (sunindextype)i->ode.size;
    s->rows = malloc(i->ode.size * i->ode.size * sizeof *s->rows);
    s->x = s->rows ? N_VNew_Serial(n, s->context) : NULL;
    s->J = s->x ? SUNDenseMatrix(n, n, s->context) : NULL;
    s->solver = s->J ? SUNLinSol_Dense(s->x, s->J, s->context) : NULL;
    s->cvode = s->solver ? CVodeCreate(CV_BDF, s->context) : NULL;
    if (!s->cvode)
        return false;
    N_VConst(0, s->x);
    return prepare(i);
}

void td_cvode_close(td_integrator *i)
{
    td_cvode *s = i->cvode;
    if (!s)
        return;
    if (s->cvode)
        CVodeFree(&s->cvode);
    if (s->solver)
        SUNLinSolFree(s->solver);
    if (s->J)
        SUNMatDestroy(s->J);
    if (s->x)
        N_VDestroy(s->x);
    if (s->context)
        SUNContext_Free(&s->context);
    free(s->rows);
    free(s);
}

void td_cvode_restart(td_integrator *i)
{
    if (i->cvode)
        i->cvode->begun = false;
}

/* Takes a step that is so short that CVODE cannot choose its first one. */
static td_status straight_step(td_integrator *i, double until)
{
    td_status status = td_integrator_current_rate(i);
    if (status != TD_OK)
        return status;
    for (size_t k = 0; k < i->ode.size; k++)
        i->trial[k] = i->x[k] + (until - i->t) * i->rate[k];
    i->cvode->straight = true;
    i->cvode->begun = false;
    td_integrator_accept(i, until);
    i->rate_known = false;
    return TD_OK;
}

static td_status failure(td_integrator *i, int flag)
{
    td_cvode *s = i->cvode;
    s->begun = false;
    if (flag == CV_MEM_FAIL || flag == CV_MEM_NULL)
        return TD_ERROR_MEMORY;
    return s->status != TD_OK ? s->status : TD_ERROR_STEP;
}

td_status td_step_cvode(td_integrator *i, double until)
{
    td_cvode *s = i->cvode;
    const size_t bytes = i->ode.size * sizeof(double);
    long before = 0, after = 0;
    realtype t = i->t;
    if (!s->begun) {
        td_status status = td_integrator_current_rate(i); /* a failure here has its own status */
        if (status != TD_OK)
            return status;
        memcpy(N_VGetArrayPointer(s->x), i->x, bytes);
        if (CVodeReInit(s->cvode, i->t, s->x) != CV_SUCCESS ||
            CVodeSetInitStep(s->cvode, fmin(i->options.step, until - i->t)) != CV_SUCCESS)
            return TD_ERROR_STEP;
    }
    s->status = TD_OK;
    CVodeGetNumErrTestFails(s->cvode, &before);
    if (!s->begun)
        before = 0;
    /* a failure at this step length is final */
    CVodeSetMinStep(s->cvode, 64 * DBL_EPSILON * fmax(fabs(i->t), 1e-3));
    int flag = CVodeSetStopTime(s->cvode, until);
    if (flag == CV_SUCCESS)
        flag = CVode(s->cvode, until, s->x, &t, CV_ONE_STEP);
    if (flag == CV_TOO_CLOSE)
        return straight_step(i, until);
    if (flag < 0)
        return failure(i, flag);
    CVodeGetNumErrTestFails(s->cvode, &after);
    i->counts.rejected += (size_t)(after - before);
    s->begun = true;
    s->straight = false;
    memcpy(i->trial, N_VGetArrayPointer(s->x), bytes);
    td_integrator_accept(i, t);
    i->rate_known = false;
    return TD_OK;
}

td_status td_cvode_at(td_integrator *i, double t, double *x)
{
    td_cvode *s = i->cvode;
    if (s->straight) { /* the whole step is within rounding of the time */
        memcpy(x, i->x_begin, i->ode.size * sizeof *x);
        return TD_OK;
    }
    if (CVodeGetDky(s->cvode, t, 0, s->x) != CV_SUCCESS)
        return TD_ERROR_ARGUMENT;
    memcpy(x, N_VGetArrayPointer(s->x), i->ode.size * sizeof *x);
    return TD_OK;
}

#else

bool td_cvode_open(td_integrator *i)
{
    (void)i;
    return false;
}

void td_cvode_close(td_integrator *i)
{
    (void)i;
}

void td_cvode_restart(td_integrator *i)
{
    (void)i;
}

td_status td_step_cvode(td_integrator *i, double until)
{
    (void)i, (void)until;
    return TD_ERROR_ARGUMENT;
}

td_status td_cvode_at(td_integrator *i, double t, double *x)
{
    (void)i, (void)t, (void)x;
    return TD_ERROR_ARGUMENT;
}

#endif
