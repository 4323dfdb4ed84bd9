/* SPDX-License-Identifier: MIT */
/*
 * The fast path of calls from Python. A call reads the arrays by the buffer protocol, checks layout
 * and shapes, releases the global interpreter lock, and calls the library. Arrays that need a copy
 * (another type, strides, broadcasting) are passed to a function in Python, which converts them and
 * calls again. The same function raises the exceptions for invalid arguments.
 *
 * Only the stable interface of CPython 3.9 is used, and two things that later versions added to it
 * (below). The module _call is in the same library as cffi's _tandem; tandem/_native.py loads both.
 */
#include <Python.h>
#include <string.h>
#include <structmember.h>

#include "call.h"

#if Py_LIMITED_API + 0 < 0x030b0000
/* Buffers are in the stable interface since 3.11, with the layout that they have had since 3.3. */
typedef struct bufferinfo {
    void *buf;
    PyObject *obj;
    Py_ssize_t len, itemsize;
    int readonly, ndim;
    char *format;
    Py_ssize_t *shape, *strides, *suboffsets;
    void *internal;
} Py_buffer;
#define PyBUF_WRITABLE 0x0001
#define PyBUF_FORMAT 0x0004
#define PyBUF_C_CONTIGUOUS 0x0038
int PyObject_GetBuffer(PyObject *object, Py_buffer *view, int flags);
void PyBuffer_Release(Py_buffer *view);
#endif
#ifndef METH_FASTCALL /* since 3.10; Python 3.7 has it */
#define METH_FASTCALL 0x0080
#endif

enum { MOST_ARGUMENTS = 16, MOST_CORE = 3, MOST_DIMENSIONS = 12, MOST_SIZES = 16 };
enum { LINKS = 5 };              /* index of the number of links in the sizes of a handle */
enum { ROWS_OF_A_PART = 16384 }; /* takes a few ms to a few 100 ms */

/* kinds of arguments; python/generate.py has the same numbers */
typedef enum kind {
    KIND_IN,      /* doubles, one row per state */
    KIND_OUT,     /* output: doubles, one row per state */
    KIND_SHARED,  /* doubles, the same for all states */
    KIND_BYTES,   /* bytes, the same for all states */
    KIND_POINTER, /* an object whose attribute _address is the address of a struct, or None */
    KIND_INDEX,
    KIND_NUMBER,
    KIND_REAL,
    KIND_NONE, /* an unused output: NULL in C, no argument in Python */
} kind;

static PyObject *make_array; /* numpy.empty */
static PyObject *convert;    /* the function in Python that converts arrays */
static PyObject *fail;       /* raises the exception of a status */
static PyObject *address_name, *links_name;

/* ---- Handle: a model and the workspace of one thread ------------------------------------------
 */

typedef struct handle {
    PyObject_HEAD PyObject *owner; /* keeps the model alive */
    PyObject *all_sizes;           /* a tuple: size, for Python */
    const td_model *model;
    td_workspace *workspace;
    Py_ssize_t size[MOST_SIZES];
    int sizes;
    int busy;
    int whole;       /* batches are not split: rows depend on earlier rows, or have payloads */
    Py_ssize_t rows; /* rows of payloads; 0: no payloads per state */
} handle;

static PyTypeObject *handle_type;

/* Returns 0, or −1 with an exception set. */
static int set_sizes(PyObject *object, PyObject *sizes, void *unused)
{
    (void)unused;
    handle *self = (handle *)object;
    if (!sizes || !PyTuple_Check(sizes)) {
        PyErr_SetString(PyExc_TypeError, "sizes must be a tuple");
        return -1;
    }
    self->sizes = (int)PyTuple_Size(sizes);
    for (int i = 0; i < self->sizes && i < MOST_SIZES; i++)
        self->size[i] = PyLong_AsSsize_t(PyTuple_GetItem(sizes, i));
    PyObject *before = self->all_sizes;
    Py_INCREF(sizes);
    self->all_sizes = sizes;
    Py_XDECREF(before);
    return PyErr_Occurred() ? -1 : 0;
}

static PyObject *handle_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *owner, *model, *workspace, *sizes;
    (void)keywords;
    if (!PyArg_ParseTuple(args, "OOOO!", &owner, &model, &workspace, &PyTuple_Type, &sizes))
        return NULL;
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    handle *self = (handle *)allocate(type, 0);
    if (!self)
        return NULL;
    Py_INCREF(owner);
    self->owner = owner;
    self->model = PyLong_AsVoidPtr(model);
    self->workspace = PyLong_AsVoidPtr(workspace);
    if (set_sizes((PyObject *)self, sizes, NULL) == 0 && !PyErr_Occurred())
        return (PyObject *)self;
    self->workspace = NULL;
    Py_DECREF(self);
    return NULL;
}

static void handle_free(PyObject *object)
{
    handle *self = (handle *)object;
    PyTypeObject *type = Py_TYPE(object);
    td_workspace_free(self->workspace);
    Py_XDECREF(self->owner);
    Py_XDECREF(self->all_sizes);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

static PyObject *handle_workspace(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromVoidPtr(((handle *)self)->workspace);
}

static PyObject *handle_sizes(PyObject *object, void *unused)
{
    (void)unused;
    PyObject *sizes = ((handle *)object)->all_sizes;
    Py_INCREF(sizes);
    return sizes;
}

static PyGetSetDef handle_properties[] = {
    {"sizes", handle_sizes, set_sizes, "sizes that dimensions below 0 refer to", NULL},
    {"workspace", handle_workspace, NULL, "address of the workspace", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyMemberDef handle_members[] = {
    {"owner", T_OBJECT_EX, offsetof(handle, owner), READONLY, NULL},
    {"busy", T_INT, offsetof(handle, busy), 0, "a call is in progress"},
    {"whole", T_INT, offsetof(handle, whole), 0, "batches are not split"},
    {"rows", T_PYSSIZET, offsetof(handle, rows), 0, "number of states with separate payloads"},
    {NULL, 0, 0, 0, NULL},
};
static PyType_Slot handle_slots[] = {
    {Py_tp_new, (void *)handle_new},           {Py_tp_dealloc, (void *)handle_free},
    {Py_tp_getset, handle_properties},         {Py_tp_members, handle_members},
    {Py_tp_doc, "A model and its workspace."}, {0, NULL},
};
static PyType_Spec handle_spec = {"tandem._call.Handle", sizeof(handle), 0, Py_TPFLAGS_DEFAULT,
                                  handle_slots};

/* ---- Op: a function of the library -------------------------------------------------------------
 */

typedef struct argument {
    kind kind;
    bool undefined;                  /* an output that can be NaN without an error */
    int core;                        /* number of dimensions for one state */
    Py_ssize_t dimension[MOST_CORE]; /* negative: −1 − index of a size of the handle */
} argument;

typedef struct op {
    PyObject_HEAD PyObject *spec; /* (name, thunk, thunk of batches, arguments, names of outputs
                                     that may be NaN without an error), as given */
    td_thunk single, batch;
    int count, outputs;
    argument argument[MOST_ARGUMENTS];
} op;

static int read_argument(PyObject *item, PyObject *undefined, argument *a)
{
    PyObject *dimensions, *name;
    int number;
    if (!PyArg_ParseTuple(item, "iUO!", &number, &name, &PyTuple_Type, &dimensions))
        return -1;
    const int found = PySequence_Contains(undefined, name);
    if (found < 0)
        return -1;
    a->kind = (kind)number;
    a->undefined = found;
    a->core = (int)PyTuple_Size(dimensions);
    for (int i = 0; i < a->core && i < MOST_CORE; i++)
        a->dimension[i] = PyLong_AsSsize_t(PyTuple_GetItem(dimensions, i));
    return PyErr_Occurred() || a->core > MOST_CORE ? -1 : 0;
}

static PyObject *op_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    const char *name;
    int single, batch;
    PyObject *arguments, *undefined;
    (void)keywords;
    if (!PyArg_ParseTuple(args, "siiO!O!", &name, &single, &batch, &PyTuple_Type, &arguments,
                          &PyTuple_Type, &undefined))
        return NULL;
    Py_ssize_t count = PyTuple_Size(arguments);
    if (count > MOST_ARGUMENTS || single < 0 || (size_t)single >= td_thunk_count ||
        batch >= (int)td_thunk_count) {
        PyErr_SetString(PyExc_SystemError, "the table has another version");
        return NULL;
    }
    op *self = (op *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (!self)
        return NULL;
    Py_INCREF(args);
    self->spec = args;
    self->single = td_thunks[single];
    self->batch = batch < 0 ? NULL : td_thunks[batch];
    self->count = (int)count;
    for (int i = 0; i < self->count; i++) {
        if (read_argument(PyTuple_GetItem(arguments, i), undefined, &self->argument[i]) < 0) {
            Py_DECREF(self);
            return NULL;
        }
        self->outputs += self->argument[i].kind == KIND_OUT;
    }
    return (PyObject *)self;
}

static void op_free(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    Py_XDECREF(((op *)object)->spec);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

/* ---- a call -------------------------------------------------------------------------------------
 */

typedef struct call {
    const op *op;
    handle *handle;
    td_slot slot[MOST_ARGUMENTS];
    size_t stride[MOST_ARGUMENTS]; /* doubles between states; 0: the same for all states */
    size_t bytes[MOST_ARGUMENTS];  /* sizes of arrays */
    Py_buffer view[MOST_ARGUMENTS + 1];
    int views;
    int leads; /* leading dimensions; −1: not known yet */
    Py_ssize_t lead[MOST_DIMENSIONS];
    size_t n;
    td_status *each;
    td_forces
        forces; /* forces with wrenches per state, and the number of doubles of the wrenches */
    size_t wrenches;
} call;

static Py_ssize_t core_size(const call *c, const argument *a, int i)
{
    Py_ssize_t d = a->dimension[i];
    return d >= 0 ? d : c->handle->size[-1 - d];
}

static bool is_format(const char *format, char wanted)
{
    return format && format[0] == wanted && !format[1];
}

/* Gets the buffer of an array. The last dimensions must match the argument. Leading dimensions, if
   allowed, must match the call. */
static bool take_array(call *c, int index, PyObject *object, bool writable)
{
    const argument *a = &c->op->argument[index];
    Py_buffer *v = &c->view[c->views];
    int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(object, v, flags) < 0) {
        PyErr_Clear();
        return false;
    }
    c->views++;
    if (a->kind == KIND_BYTES ? v->itemsize != 1
                              : !is_format(v->format, 'd') || ((uintptr_t)v->buf & 7))
        return false;
    int leads = v->ndim - a->core;
    if (leads < 0 || leads > MOST_DIMENSIONS)
        return false;
    size_t size = 1;
    for (int i = 0; i < a->core; i++) {
        Py_ssize_t d = core_size(c, a, i);
        if (v->shape[leads + i] != d)
            return false;
        size *= (size_t)d;
    }
    bool rows = a->kind == KIND_IN || a->kind == KIND_OUT;
    if (!rows && leads)
        return false;
    if (rows && c->leads < 0) {
        c->leads = leads;
        c->n = 1;
        for (int i = 0; i < leads; i++)
            c->n *= (size_t)(c->lead[i] = v->shape[i]);
    } else if (rows) {
        if (leads != c->leads)
            return false;
        for (int i = 0; i < leads; i++)
            if (c->lead[i] != v->shape[i])
                return false;
    }
    c->slot[index].p = v->buf;
    c->stride[index] = rows ? size : 0;
    c->bytes[index] = (size_t)v->len;
    return true;
}

/* Gets the address of a struct. A struct with the attribute links is a td_forces, whose wrenches
   must match the robot's links. Wrenches per state were already broadcast by convert. */
static bool take_pointer(call *c, int index, PyObject *object)
{
    c->slot[index].p = NULL;
    if (object == Py_None)
        return true;
    PyObject *address = PyObject_GetAttr(object, address_name);
    if (!address && PyErr_ExceptionMatches(PyExc_AttributeError)) {
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError,
                     "forces is %R, expected tandem.Forces (Robot.forces makes it) or None",
                     (PyObject *)Py_TYPE(object));
    }
    if (address == Py_None) { /* wrenches are given by link name: convert them */
        Py_DECREF(address);
        return false;
    }
    PyObject *links = address ? PyObject_GetAttr(object, links_name) : NULL;
    if (links && links != Py_None && PyLong_AsSsize_t(links) != c->handle->size[LINKS] &&
        !PyErr_Occurred())
        PyErr_Format(PyExc_ValueError, "forces has wrenches on %R links, but the robot has %zd",
                     links, c->handle->size[LINKS]);
    if (links)
        c->slot[index].p = PyLong_AsVoidPtr(address);
    if (links && links != Py_None && !PyErr_Occurred()) {
        c->forces = *(const td_forces *)c->slot[index].p;
        c->wrenches = c->forces.wrenches_per_state ? 6 * (size_t)c->handle->size[LINKS] : 0;
        c->slot[index].p = &c->forces;
    }
    Py_XDECREF(address);
    Py_XDECREF(links);
    return !PyErr_Occurred();
}

/* Returns false if the input must be converted, or with an exception set. */
static bool take_input(call *c, int index, PyObject *object)
{
    switch (c->op->argument[index].kind) {
    case KIND_IN:
    case KIND_SHARED:
    case KIND_BYTES:
        c->slot[index].p = NULL;
        return object == Py_None || take_array(c, index, object, false);
    case KIND_POINTER:
        return take_pointer(c, index, object);
    case KIND_INDEX:
        c->slot[index].size = PyLong_AsSize_t(object);
        return !PyErr_Occurred();
    case KIND_NUMBER:
        c->slot[index].number = (int)PyLong_AsLong(object);
        return !PyErr_Occurred();
    case KIND_REAL:
        c->slot[index].real = PyFloat_AsDouble(object);
        return !PyErr_Occurred();
    case KIND_OUT:
    case KIND_NONE:
        break;
    }
    return false;
}

static bool is_input(kind k)
{
    return k != KIND_OUT && k != KIND_NONE;
}

static PyObject *new_output(call *c, const argument *a)
{
    int leads = c->leads < 0 ? 0 : c->leads;
    PyObject *shape = PyTuple_New(leads + a->core);
    for (int i = 0; shape && i < leads + a->core; i++) {
        PyObject *d = PyLong_FromSsize_t(i < leads ? c->lead[i] : core_size(c, a, i - leads));
        if (!d || PyTuple_SetItem(shape, i, d) < 0) {
            Py_DECREF(shape);
            return NULL;
        }
    }
    PyObject *array = shape ? PyObject_CallFunctionObjArgs(make_array, shape, NULL) : NULL;
    Py_XDECREF(shape);
    return array;
}

static bool overlaps(const call *c, int output)
{
    const char *start = c->slot[output].p, *end = start + c->bytes[output];
    for (int i = 0; i < c->op->count; i++) {
        const argument *a = &c->op->argument[i];
        if (i == output || a->kind > KIND_BYTES || !c->slot[i].p ||
            (a->kind == KIND_OUT && i > output))
            continue;
        const char *other = c->slot[i].p;
        if (other < end && start < other + c->bytes[i])
            return true;
    }
    return false;
}

/* Allocates the outputs, or uses the arrays in out. Returns a new reference to the result. Returns
   NULL if an output must be converted, or with an exception set. */
static PyObject *take_outputs(call *c, PyObject *out)
{
    bool several = c->op->outputs > 1;
    bool given = out != Py_None;
    if (given && several && (!PyTuple_Check(out) || PyTuple_Size(out) != c->op->outputs))
        return NULL;
    PyObject *result = given ? out : several ? PyTuple_New(c->op->outputs) : NULL;
    if (given)
        Py_INCREF(result);
    for (int i = 0, k = 0; i < c->op->count; i++) {
        const argument *a = &c->op->argument[i];
        if (a->kind != KIND_OUT)
            continue;
        PyObject *array = !given ? new_output(c, a) : several ? PyTuple_GetItem(out, k) : out;
        if (!given && several && array)
            PyTuple_SetItem(result, k, array); /* steals the reference */
        else if (!given)
            result = array;
        k++;
        if (!array || !take_array(c, i, array, true) || (given && overlaps(c, i))) {
            Py_XDECREF(result);
            return NULL;
        }
    }
    return result;
}

static bool take_statuses(call *c, PyObject *statuses)
{
    c->each = NULL;
    if (statuses == Py_None)
        return true;
    Py_buffer *v = &c->view[c->views];
    if (PyObject_GetBuffer(statuses, v, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | PyBUF_WRITABLE) < 0) {
        PyErr_Clear();
        return false;
    }
    c->views++;
    if (!is_format(v->format, 'i') || c->leads < 1 || v->ndim != c->leads)
        return false;
    for (int i = 0; i < c->leads; i++)
        if (v->shape[i] != c->lead[i])
            return false;
    c->each = v->buf;
    return true;
}

/* Calls a function of one state for each of many states. */
static td_status call_rows(call *c, size_t count, td_slot *slot, td_status *each)
{
    td_status first = TD_OK;
    for (size_t row = 0; row < count; row++) {
        td_status status = c->op->single(c->handle->model, c->handle->workspace, 1, slot, NULL);
        if (status == TD_ERROR_ARGUMENT)
            return status;
        if (each)
            each[row] = status;
        if (first == TD_OK)
            first = status;
        for (int i = 0; i < c->op->count; i++)
            if (c->stride[i] && slot[i].p)
                slot[i].p = (double *)slot[i].p + c->stride[i];
        c->forces.wrenches += c->wrenches;
    }
    return first;
}

/* Calls a batch function in parts, and checks for signals between them. Returns false with an
   exception set. */
static bool call_batch(call *c, td_status *status)
{
    td_slot slot[MOST_ARGUMENTS];
    memcpy(slot, c->slot, sizeof slot);
    *status = TD_OK;
    const size_t part = c->handle->whole ? c->n : ROWS_OF_A_PART;
    for (size_t row = 0; row < c->n; row += part) {
        const size_t count = c->n - row < part ? c->n - row : part;
        td_status *each = c->each ? c->each + row : NULL, now;
        PyThreadState *state = PyEval_SaveThread();
        if (c->op->batch) {
            now = c->op->batch(c->handle->model, c->handle->workspace, count, slot, each);
            for (int i = 0; i < c->op->count; i++)
                if (c->stride[i] && slot[i].p)
                    slot[i].p = (double *)slot[i].p + count * c->stride[i];
            c->forces.wrenches += count * c->wrenches;
        } else {
            now = call_rows(c, count, slot, each);
        }
        PyEval_RestoreThread(state);
        if (*status == TD_OK || now == TD_ERROR_ARGUMENT)
            *status = now;
        if (now == TD_ERROR_ARGUMENT || PyErr_Occurred() ||
            (row + count < c->n && PyErr_CheckSignals() < 0))
            break;
    }
    return !PyErr_Occurred();
}

/* Returns true if an output is NaN, which is due to overflow if the status is TD_OK. */
static bool has_nan(const call *c)
{
    for (int i = 0; i < c->op->count; i++) {
        const double *p = c->slot[i].p;
        if (c->op->argument[i].kind == KIND_OUT && !c->op->argument[i].undefined)
            for (size_t k = 0; k < c->bytes[i] / sizeof *p; k++)
                if (p[k] != p[k])
                    return true;
    }
    return false;
}

/* Calls the library. Returns false with an exception set. */
static bool call_library(call *c, td_status *status)
{
    if (c->leads > 0)
        return call_batch(c, status);
    PyThreadState *state = PyEval_SaveThread();
    *status = c->op->single(c->handle->model, c->handle->workspace, 1, c->slot, NULL);
    PyEval_RestoreThread(state);
    if (*status == TD_OK && has_nan(c))
        *status = TD_ERROR_NOT_FINITE;
    return !PyErr_Occurred();
}

static void release(call *c)
{
    while (c->views)
        PyBuffer_Release(&c->view[--c->views]);
}

/* Checks that a robot with payloads per state is called for the same number of states. Returns
   false with an exception set. */
static bool has_its_rows(const call *c)
{
    const Py_ssize_t rows = c->handle->rows;
    if (!rows || (c->op->batch && c->leads > 0 && c->n == (size_t)rows))
        return true;
    if (c->op->batch)
        PyErr_Format(PyExc_ValueError,
                     "the robot has payloads for %zd states, but the call has %zd", rows,
                     (Py_ssize_t)c->n);
    else
        PyErr_Format(PyExc_ValueError,
                     "the robot has payloads for %zd states, which this function does not support",
                     rows);
    return false;
}

/* Returns the result. Returns NULL without an exception if arguments must be converted. args:
   handle, out, statuses, inputs. */
static PyObject *attempt(call *c, PyObject *const *args, Py_ssize_t count)
{
    Py_ssize_t next = 3;
    for (int i = 0; i < c->op->count; i++)
        if (is_input(c->op->argument[i].kind) && (next == count || !take_input(c, i, args[next++])))
            return NULL;
    PyObject *result = take_outputs(c, args[1]);
    if (!result || !take_statuses(c, args[2])) {
        Py_XDECREF(result);
        return NULL;
    }
    if (!has_its_rows(c)) {
        Py_DECREF(result);
        return NULL;
    }
    if (c->handle->busy) {
        Py_DECREF(result);
        PyErr_SetString(PyExc_RuntimeError,
                        "the robot is in use: a user-supplied closure or a signal handler called "
                        "it during another call");
        return NULL;
    }
    td_status status;
    c->handle->busy = 1;
    const bool done = call_library(c, &status);
    c->handle->busy = 0;
    if (done && (status == TD_OK || (c->leads > 0 && status != TD_ERROR_ARGUMENT)))
        return result;
    PyObject *raised =
        !done ? NULL
              : PyObject_CallFunction(fail, "OOiO", c->op->spec, args[0], (int)status, result);
    Py_XDECREF(raised);
    Py_DECREF(result);
    if (!PyErr_Occurred())
        PyErr_SetString(PyExc_SystemError, "no exception for a status");
    return NULL;
}

static PyObject *call_converted(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    PyObject *all = PyTuple_New(count + 1);
    if (!all)
        return NULL;
    for (Py_ssize_t i = -1; i < count; i++) {
        PyObject *item = i < 0 ? self : args[i];
        Py_INCREF(item);
        PyTuple_SetItem(all, i + 1, item);
    }
    PyObject *result = PyObject_CallObject(convert, all);
    Py_DECREF(all);
    return result;
}

static PyObject *run(PyObject *self, PyObject *const *args, Py_ssize_t count, bool again)
{
    if (count < 3 || Py_TYPE(args[0]) != handle_type) {
        PyErr_SetString(PyExc_TypeError, "arguments: handle, out, statuses, inputs");
        return NULL;
    }
    call c;
    c.op = (op *)self;
    c.handle = (handle *)args[0];
    c.views = 0;
    c.leads = -1;
    c.n = 1;
    c.forces.wrenches = NULL;
    c.wrenches = 0;
    memset(c.slot, 0, sizeof c.slot);
    memset(c.stride, 0, sizeof c.stride);
    PyObject *result = attempt(&c, args, count);
    release(&c);
    if (result || PyErr_Occurred())
        return result;
    if (!again)
        return call_converted(self, args, count);
    PyErr_SetString(PyExc_SystemError, "converted arrays do not fit");
    return NULL;
}

static PyObject *op_run(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    return run(self, args, count, false);
}

static PyObject *op_run_converted(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    return run(self, args, count, true);
}

static PyMethodDef op_methods[] = {
    {"run", (PyCFunction)(void (*)(void))op_run, METH_FASTCALL, NULL},
    {"run_converted", (PyCFunction)(void (*)(void))op_run_converted, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL},
};
static PyMemberDef op_members[] = {
    {"spec", T_OBJECT_EX, offsetof(op, spec), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};
static PyType_Slot op_slots[] = {
    {Py_tp_new, (void *)op_new},
    {Py_tp_dealloc, (void *)op_free},
    {Py_tp_methods, op_methods},
    {Py_tp_members, op_members},
    {Py_tp_doc, "A function of the library."},
    {0, NULL},
};
static PyType_Spec op_spec = {"tandem._call.Op", sizeof(op), 0, Py_TPFLAGS_DEFAULT, op_slots};

/* ---- module -------------------------------------------------------------------------------------
 */

static PyObject *set_up(PyObject *module, PyObject *args)
{
    PyObject *array, *converter, *failure;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOO", &array, &converter, &failure))
        return NULL;
    Py_INCREF(array);
    Py_INCREF(converter);
    Py_INCREF(failure);
    make_array = array;
    convert = converter;
    fail = failure;
    Py_INCREF(Py_None);
    return Py_None;
}

static PyMethodDef methods[] = {
    {"set_up", set_up, METH_VARARGS,
     "Sets numpy.empty, the converter, and the function that raises a status."},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_call", "Calls of the library.", -1, methods, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__call(void);

PyMODINIT_FUNC PyInit__call(void)
{
    PyObject *module = PyModule_Create(&definition);
    PyObject *handles = PyType_FromSpec(&handle_spec), *ops = PyType_FromSpec(&op_spec);
    address_name = PyUnicode_InternFromString("_address");
    links_name = PyUnicode_InternFromString("links");
    if (!module || !handles || !ops || !address_name || !links_name ||
        PyObject_SetAttrString(module, "Handle", handles) < 0 ||
        PyObject_SetAttrString(module, "Op", ops) < 0)
        return NULL;
    handle_type = (PyTypeObject *)handles;
    return module;
}
