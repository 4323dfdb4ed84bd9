/* SPDX-License-Identifier: MIT */
/*
 * tandem.hpp: every operation returns what the function of C returns, to the bit; its sizes are the
 * ones that C reads and writes; missing arguments are NULL; wrong sizes are errors that name the
 * argument; successful calls allocate nothing. Then models, builders, errors, moves and views.
 *
 *   TANDEM_ROBOTS=urdf/robots test_wrapper operations.hpp        prints TAP
 */
#include <tandem/tandem.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <new>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <thread>

#include "operation_list.h"

#if __cplusplus >= 202002L
#include <span>
#endif

/* ---- allocations ----------------------------------------------------------------------------- */

static std::size_t allocations;

#ifdef COUNT_MALLOC /* with -Wl,--wrap, also those of the library */
extern "C" {
void *__real_malloc(std::size_t size);
void *__real_calloc(std::size_t count, std::size_t size);
void *__real_realloc(void *block, std::size_t size);
void *__real_aligned_alloc(std::size_t alignment, std::size_t size);
void *__wrap_malloc(std::size_t size);
void *__wrap_calloc(std::size_t count, std::size_t size);
void *__wrap_realloc(void *block, std::size_t size);
void *__wrap_aligned_alloc(std::size_t alignment, std::size_t size);

void *__wrap_malloc(std::size_t size)
{
    allocations++;
    return __real_malloc(size);
}
void *__wrap_calloc(std::size_t count, std::size_t size)
{
    allocations++;
    return __real_calloc(count, size);
}
void *__wrap_realloc(void *block, std::size_t size)
{
    allocations++;
    return __real_realloc(block, size);
}
void *__wrap_aligned_alloc(std::size_t alignment, std::size_t size)
{
    allocations++;
    return __real_aligned_alloc(alignment, size);
}
}
#endif

[[gnu::noinline]] void *operator new(std::size_t size)
{
    allocations++;
    if (void *block = std::malloc(size ? size : 1))
        return block;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void *block) noexcept
{
    std::free(block);
}
[[gnu::noinline]] void operator delete(void *block, std::size_t) noexcept
{
    std::free(block);
}

/* ---- TAP ------------------------------------------------------------------------------------- */

static int checks, failures;

static void check(const std::string &title, const std::string &fault)
{
    std::printf("%sok %d - %s\n", fault.empty() ? "" : "not ", ++checks, title.c_str());
    failures += !fault.empty();
    std::istringstream lines(fault);
    for (std::string line; std::getline(lines, line);)
        std::printf("# %s\n", line.c_str());
}

/* Runs statements; fault is empty if they end normally. */
template <class F> static void part(const char *title, F run)
{
    std::string fault;
    try {
        fault = run();
    } catch (const std::exception &e) {
        fault = std::string("unexpected exception: ") + e.what();
    }
    check(title, fault);
}

#define EXPECT(condition)                                                                          \
    if (!(condition))                                                                              \
    return std::string(#condition) + " is false, line " + std::to_string(__LINE__)

/* Returns the error that a call throws, as "STATUS text"; "" if it throws none. */
template <class F> static std::string thrown(F call)
{
    try {
        call();
    } catch (const tandem::error &e) {
        return std::to_string(e.status()) + " " + e.what();
    }
    return "";
}

static bool contains(const std::string &text, const std::string &part)
{
    return text.find(part) != std::string::npos;
}

/* ---- operations against C -------------------------------------------------------------------- */

/* Changes that a test makes to one argument. */
enum class change { none, missing, larger };
static change changed;
static std::string changed_name;
static std::set<std::string> *passed; /* receives the names of the arguments of a call */

/* An argument of operations: a pointer for C, and a span for C++. */
template <class T> struct value {
    std::string name = "";
    std::vector<T> memory = {};
    std::size_t size = 0;

    bool is(change what) const
    {
        if (passed)
            passed->insert(name);
        return changed == what && changed_name == name;
    }
    T *pointer() const { return is(change::missing) ? nullptr : const_cast<T *>(memory.data()); }
    template <class U> tandem::span<U> view() const
    {
        if (is(change::missing))
            return {};
        return {const_cast<T *>(memory.data()), size + is(change::larger)};
    }
    operator const T *() const { return pointer(); }
    operator T *() const { return pointer(); }
    operator tandem::span<const T>() const { return view<const T>(); }
    operator tandem::span<T>() const { return view<T>(); }
};
using reals = value<double>;
using flags = value<unsigned char>;
using statuses = value<td_status>;

enum { ROWS = 3, PARTS = 9, COLUMNS = 2 };
static const double unset = -9.87654321e77;

struct arguments {
    reals y{"y"}, yd{"yd"}, ydd{"ydd"}, tau_y{"tau_y"}, b{"b"}, dy{"dy"}, dyd{"dyd"}, dydd{"dydd"},
        dtau_y{"dtau_y"}, covector{"covector"}, q{"q"}, qd{"qd"}, qdd{"qdd"}, tau{"tau"}, u{"u"},
        f{"f"}, weight{"weight"}, point{"point"}, factors{"factors"}, B{"B"}, position{"position"},
        velocity{"velocity"}, acceleration{"acceleration"}, start{"start"}, end{"end"},
        rate{"rate"}, second{"second"}, reference{"reference"};
    flags given{"given"}, axes{"axes"};
    statuses each{"statuses"};
    std::size_t n = ROWS, columns = COLUMNS, link = 0, loop = 0, spring = 0;
    tandem::forces forces_of;
    const td_forces *forces = &forces_of;
    const td_constraint_options *options = nullptr;
    td_frame frame = TD_FRAME_BODY;
    td_scope scope = TD_SCOPE_ALL;
    tandem::terms terms_of;
    const td_terms *terms = &terms_of;
    double dt = 0.01;
    reals out[PARTS];

    std::vector<reals *> inputs()
    {
        return {&y,        &yd,       &ydd,          &tau_y,   &b,
                &dy,       &dyd,      &dydd,         &dtau_y,  &covector,
                &q,        &qd,       &qdd,          &tau,     &u,
                &f,        &weight,   &point,        &factors, &B,
                &position, &velocity, &acceleration, &start,   &end,
                &rate,     &second,   &reference};
    }
};

static double random_number()
{
    static unsigned long long state = 1;
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(state >> 11) / 9007199254740992.0 - 0.5;
}

static void resize(reals &r, std::size_t size)
{
    r.size = size;
    r.memory.resize(size + 1); /* one more than a call may read */
    for (double &x : r.memory)
        x = random_number();
}

/* Sets random arguments of these coordinates for a number of rows, and the size of outputs, which
   is more than any call writes. */
static void prepare(arguments &a, tandem::workspace &w, td_coordinates coordinates,
                    std::size_t rows, std::size_t outputs)
{
    const tandem::model &robot = w.robot();
    const td_model *m = robot.get();
    const bool tree = coordinates == TD_COORDINATES_TREE;
    const std::size_t positions = tree ? robot.nq() : robot.ny(),
                      n = tree ? robot.nv() : robot.nyd();
    for (reals *r : {&a.yd, &a.ydd, &a.tau_y, &a.b, &a.dy, &a.dyd, &a.dydd, &a.dtau_y, &a.covector})
        resize(*r, rows * n);
    for (reals *r : {&a.qd, &a.qdd, &a.tau})
        resize(*r, rows * robot.nv());
    for (reals *r : {&a.u, &a.position, &a.velocity, &a.acceleration})
        resize(*r, rows * robot.nu());
    resize(a.f, rows * robot.loop_count());
    resize(a.point, 3);
    resize(a.factors, td_packed_entries(m, coordinates));
    resize(a.B, n * COLUMNS);
    resize(a.weight, robot.nu());
    for (reals *r : {&a.factors, &a.weight})
        std::fill(r->memory.begin(), r->memory.end(), 1.0);

    /* configurations near the reference, with closed loops in q */
    for (reals *r : {&a.y, &a.start, &a.end, &a.rate, &a.second, &a.reference})
        resize(*r, rows * positions);
    resize(a.q, rows * robot.nq());
    w.use_coordinates(TD_COORDINATES_INDEPENDENT);
    std::vector<double> yd(robot.nyd()), y(robot.ny()), q(robot.nq());
    for (reals *r : {&a.y, &a.start, &a.end})
        for (std::size_t i = 0; i < rows; i++) {
            for (double &x : yd)
                x = 0.1 * random_number();
            td_integrate(m, TD_COORDINATES_INDEPENDENT, robot.reference().data(), yd.data(), 1,
                         y.data());
            td_closure(m, w.get(), y.data(), nullptr, nullptr, q.data(), nullptr, nullptr);
            const std::vector<double> &own = tree ? q : y;
            std::copy(own.begin(), own.end(), r->memory.data() + i * positions);
            std::copy(q.begin(), q.end(), a.q.memory.data() + i * robot.nq());
        }
    w.use_coordinates(coordinates);
    a.rate.memory = a.start.memory;
    a.second.memory = a.end.memory;
    a.reference.memory = a.start.memory;

    a.given.memory.assign(n + 1, 0);
    a.given.size = n;
    a.axes.memory = {0, 0, 0, 1, 1, 1, 0};
    a.axes.size = 6;
    a.each.memory.assign(rows + 1, TD_OK);
    a.each.size = rows;
    a.link = td_link_count(m) - 1;
    for (std::size_t i = 0; i < PARTS; i++) {
        a.out[i].name = "output " + std::to_string(i);
        a.out[i].memory.assign(outputs, unset);
    }
    a.terms_of = tandem::terms();
    double **fields[] = {&a.terms_of.H,          &a.terms_of.C,
                         &a.terms_of.gravity,    &a.terms_of.poses,
                         &a.terms_of.velocities, &a.terms_of.accelerations,
                         &a.terms_of.com,        &a.terms_of.centroidal_momentum_matrix,
                         &a.terms_of.energy};
    for (std::size_t i = 0; i < PARTS; i++)
        *fields[i] = a.out[i].memory.data();
}

/* Sets outputs to `unset`, except the ones that a call reads. */
static void clear(arguments &a, const std::string &name)
{
    for (reals &r : a.out)
        std::fill(r.memory.begin(), r.memory.end(), unset);
    const auto copy = [](const reals &from, reals &to) {
        std::copy_n(from.memory.begin(), from.size, to.memory.begin());
    };
    if (contains(name, "hybrid_dynamics")) {
        copy(a.ydd, a.out[0]);
        copy(a.tau_y, a.out[1]);
    } else if (name == "motion_from_actuators") {
        copy(a.y, a.out[0]);
        copy(a.yd, a.out[1]);
        copy(a.ydd, a.out[2]);
    } else if (name == "normalize" || name == "align_quaternions") {
        copy(a.y, a.out[0]);
    }
}

using call_c = td_status (*)(const td_model *, td_workspace *, td_coordinates, arguments &);
using call_cpp = td_status (*)(tandem::workspace &, arguments &);

/* Coordinates in which an operation is tested. */
enum { IN_Y = 1, IN_Q = 2, IN_BOTH = 3 };

struct operation {
    const char *name; /* with batch_ */
    int coordinates;
    call_c c;
    call_cpp throws, returns;
};

#define ARGUMENTS(...) __VA_ARGS__
#define IN(name) IN_##name
#define IN_y a.y
#define IN_yd a.yd
#define IN_ydd a.ydd
#define IN_tau_y a.tau_y
#define IN_b a.b
#define IN_dy a.dy
#define IN_dyd a.dyd
#define IN_dydd a.dydd
#define IN_dtau_y a.dtau_y
#define IN_covector a.covector
#define IN_q a.q
#define IN_qd a.qd
#define IN_qdd a.qdd
#define IN_tau a.tau
#define IN_u a.u
#define IN_f a.f
#define IN_weight a.weight
#define IN_point a.point
#define IN_factors a.factors
#define IN_B a.B
#define IN_given a.given
#define IN_axes a.axes
#define IN_statuses a.each
#define IN_n a.n
#define IN_columns a.columns
#define IN_link a.link
#define IN_loop a.loop
#define IN_spring a.spring
#define IN_forces a.forces
#define IN_options a.options
#define IN_frame a.frame
#define IN_scope a.scope
#define IN_terms a.terms
#define IN_position a.position
#define IN_velocity a.velocity
#define IN_acceleration a.acceleration
#define IN_start a.start
#define IN_end a.end
#define IN_rate a.rate
#define IN_second a.second
#define IN_reference a.reference
#define IN_dt a.dt
#define OUT(k) a.out[k]

/* Calls of an operation: td_NAME, and the method with exceptions and without. */
#define CALLS(name, coordinates, first, passed)                                                    \
    {#name, coordinates,                                                                           \
     [](const td_model *m, td_workspace *w, td_coordinates c, arguments &a) -> td_status {         \
         (void)w, (void)c;                                                                         \
         return status_of([&] { return td_##name(m, first, ARGUMENTS passed); });                  \
     },                                                                                            \
     [](tandem::workspace &w, arguments &a) -> td_status {                                         \
         return status_of([&] { return w.name(ARGUMENTS passed); });                               \
     },                                                                                            \
     [](tandem::workspace &w, arguments &a) -> td_status {                                         \
         return status_of([&] { return w.nothrow().name(ARGUMENTS passed); });                     \
     }},

/* Calls a function. Returns its status: TD_OK if it returns none, and for a number. */
template <class F> static td_status status_of(F call)
{
    if constexpr (std::is_same_v<decltype(call()), td_status>)
        return call();
    else if constexpr (std::is_same_v<decltype(call()), double>)
        return std::isnan(call()) ? TD_ERROR_ARGUMENT : TD_OK;
    else
        (void)call();
    return TD_OK;
}

/* the functions of operations.py that are not in operation_list.h */
#define FUNCTIONS(X)                                                                               \
    X(independent_coordinates, IN_Y, w, (IN(q), OUT(0), OUT(1)))                                   \
    X(constrained_forward_dynamics, IN_Y, w,                                                       \
      (IN(q), IN(qd), IN(tau), IN(forces), IN(options), OUT(0), OUT(1)))                           \
    X(batch_constrained_forward_dynamics, IN_Y, w,                                                 \
      (IN(n), IN(q), IN(qd), IN(tau), IN(forces), IN(options), OUT(0), OUT(1), IN(statuses)))      \
    X(constrained_forward_dynamics_derivatives, IN_Y, w,                                           \
      (IN(q), IN(qd), IN(tau), IN(forces), IN(options), OUT(0), OUT(1), OUT(2), OUT(3), OUT(4),    \
       OUT(5), OUT(6), OUT(7)))                                                                    \
    X(constrained_inverse_dynamics, IN_Y, w,                                                       \
      (IN(q), IN(qd), IN(qdd), IN(forces), IN(weight), OUT(0), OUT(1), OUT(2)))                    \
    X(project_position, IN_Y, w, (IN(q), OUT(0), OUT(1)))                                          \
    X(motion_from_actuators, IN_Y, w,                                                              \
      (IN(position), IN(velocity), IN(acceleration), OUT(0), OUT(1), OUT(2), OUT(3)))              \
    X(power, IN_BOTH, c, (IN(tau_y), IN(yd)))                                                      \
    X(integrate, IN_BOTH, c, (IN(y), IN(yd), IN(dt), OUT(0)))                                      \
    X(difference, IN_BOTH, c, (IN(start), IN(end), OUT(0)))                                        \
    X(normalize, IN_BOTH, c, (OUT(0)))                                                             \
    X(rates_to_velocities, IN_BOTH, c, (IN(y), IN(rate), IN(second), OUT(0), OUT(1)))              \
    X(velocities_to_rates, IN_BOTH, c, (IN(y), IN(yd), IN(ydd), OUT(0), OUT(1)))                   \
    X(align_quaternions, IN_BOTH, c, (IN(reference), OUT(0)))                                      \
    X(integrate_derivatives, IN_BOTH, c, (IN(yd), IN(dt), OUT(0), OUT(1)))                         \
    X(difference_derivatives, IN_BOTH, c, (IN(start), IN(end), OUT(0), OUT(1)))

#define OPERATION(name, takes, passed, sizes)                                                      \
    CALLS(name, IN_BOTH, w, passed)                                                                \
    CALLS(batch_##name, IN_BOTH, w, (IN(n), ARGUMENTS passed, IN(statuses)))
#define OTHER(row, name, coordinates, configuration, passed)                                       \
    CALLS(name, OTHER_##coordinates, w, passed)

static const operation operations[] = {
    // clang-format off
    TD_OPERATIONS(OPERATION)
#define OTHER_INDEPENDENT IN_Y
#define OTHER_TREE IN_Q
    TD_OTHER_OPERATIONS(OTHER)
    FUNCTIONS(CALLS)
    // clang-format on
};

/* Returns how many numbers a call wrote. */
static std::size_t written(const reals &r)
{
    std::size_t size = r.memory.size();
    while (size > 0 && r.memory[size - 1] == unset)
        size--;
    return size;
}

static std::size_t allocated; /* by the last call */

/* Calls an operation in the same state of the workspace. Returns its status. */
template <class F>
static td_status fresh(tandem::workspace &w, arguments &a, const operation &o, F call)
{
    clear(a, o.name);
    td_closure_recall(w.robot().get(), w.get(), nullptr);
    const std::size_t before = allocations;
    const td_status status = call();
    allocated = allocations - before;
    return status;
}

static std::string differing_output(const arguments &a, const std::vector<double> *wanted)
{
    for (std::size_t i = 0; i < PARTS; i++)
        if (std::memcmp(a.out[i].memory.data(), wanted[i].data(),
                        wanted[i].size() * sizeof(double)) != 0)
            return a.out[i].name + " differs";
    return "";
}

static void keep(const arguments &a, std::vector<double> *outputs)
{
    for (std::size_t i = 0; i < PARTS; i++)
        outputs[i] = a.out[i].memory;
}

/* Compares an operation with the function of C. Returns faults, and whether C succeeded. */
static std::string compare(tandem::workspace &w, arguments &a, const operation &o, bool &succeeded)
{
    const td_model *m = w.robot().get();
    const td_coordinates coordinates = w.used_coordinates();
    const bool is_plain = contains("power integrate difference normalize integrate_derivatives "
                                   "difference_derivatives rates_to_velocities "
                                   "velocities_to_rates align_quaternions",
                                   o.name);
    std::vector<double> wanted[PARTS];
    changed = change::none;
    const auto by_c = [&] { return o.c(m, w.get(), coordinates, a); };
    const auto by_cpp = [&] { return o.returns(w, a); };

    /* the same numbers, in outputs of exactly the size that C writes */
    std::set<std::string> names;
    passed = &names;
    succeeded = fresh(w, a, o, by_c) == TD_OK;
    passed = nullptr;
    if (!succeeded)
        return "";
    for (reals &r : a.out) {
        r.size = written(r);
        r.memory.resize(r.size + 1); /* without moving it */
    }
    keep(a, wanted);
    for (const call_cpp call : {o.returns, o.throws}) {
        const char *which = call == o.throws ? "with exceptions: " : "without exceptions: ";
        const td_status status = fresh(w, a, o, [&] { return call(w, a); });
        if (status != TD_OK)
            return which + std::to_string(status) + " where C returns TD_OK";
        if (allocated > 0)
            return std::string(which) + "allocates";
        if (const std::string fault = differing_output(a, wanted); !fault.empty())
            return which + fault;
    }

    for (const std::string &name : names) {
        changed_name = name;
        const bool is_output = contains(name, "output");
        std::vector<double> untouched[PARTS];

        /* another size: nothing is called */
        changed = change::larger;
        clear(a, o.name);
        keep(a, untouched);
        if (o.returns(w, a) != TD_ERROR_ARGUMENT)
            return "takes a larger " + name;
        const std::string text = thrown([&] { o.throws(w, a); });
        if (!contains(text, std::string("1 ") + o.name + ": ") ||
            !contains(text, " elements and needs "))
            return "a larger " + name + " is: " + text;
        if (!is_output && name[0] != 'q' && !contains(text, ": " + name + " has ")) /* q may be y */
            return "a larger " + name + " is not named: " + text;
        if (!differing_output(a, untouched).empty())
            return "computes with a larger " + name;

        /* NULL, which void functions of C do not check */
        changed = change::missing;
        if (is_plain) {
            fresh(w, a, o, by_cpp);
        } else {
            const td_status status = fresh(w, a, o, by_c);
            keep(a, untouched);
            if (const td_status other = fresh(w, a, o, by_cpp); other != status)
                return "returns " + std::to_string(other) + ", not " + std::to_string(status) +
                       ", without " + name;
            if (const std::string fault = differing_output(a, untouched); !fault.empty())
                return "without " + name + ": " + fault;
        }
        changed = change::none;
    }
    return "";
}

/* Tests all operations on one robot. */
static void test_robot(const char *path, td_base base, std::set<std::string> &succeeded)
{
    tandem::load_options options;
    options.base = base;
    tandem::workspace w(tandem::load_urdf(path, &options));
    w.robot();
    arguments a;
    const td_model *m = w.robot().get();
    std::string faults;
    for (const operation &o : operations)
        for (const td_coordinates coordinates : {TD_COORDINATES_INDEPENDENT, TD_COORDINATES_TREE}) {
            if (!(o.coordinates & (coordinates == TD_COORDINATES_TREE ? IN_Q : IN_Y)))
                continue;
            prepare(a, w, coordinates, contains(o.name, "batch_") ? ROWS : 1,
                    contains(o.name, "mass_matrix_derivatives") ? 60000 : 8000);
            a.loop = td_loop_count(m) - 1;
            bool good;
            const std::string fault = compare(w, a, o, good);
            if (good)
                succeeded.insert(o.name);
            if (!fault.empty())
                faults += std::string(o.name) +
                          (coordinates == TD_COORDINATES_TREE ? " (tree): " : ": ") + fault + "\n";
        }
    check(std::string("operations of ") + path, faults);
}

/* Finds the methods of operations.hpp that no robot has called with success. */
static std::string untested(const char *path, const std::set<std::string> &succeeded)
{
    std::ifstream file(path);
    const std::regex method("^    (returned|td_status|double) (\\w+)\\(.*");
    std::string names;
    std::size_t count = 0;
    for (std::string line; std::getline(file, line);) {
        std::smatch found;
        if (std::regex_match(line, found, method)) {
            count++;
            if (!succeeded.count(found[2]))
                names += found[2].str() + "\n";
        }
    }
    return count > 100 ? names : "found only " + std::to_string(count) + " methods";
}

/* ---- everything else ------------------------------------------------------------------------- */

static tandem::model robot(const char *name)
{
    return tandem::load_urdf(std::string("tandem:") + name);
}

/* Adds a link with mass 1 and unit inertia. */
static void add_body(tandem::builder &records, const char *name)
{
    td_link link = td_link_default(name);
    link.has_inertial = true;
    link.mass = 1;
    link.inertia[0] = link.inertia[3] = link.inertia[5] = 1;
    records.add_link(link);
}

static std::string test_types()
{
    using namespace tandem;
    static_assert(!std::is_copy_constructible_v<workspace> &&
                  std::is_nothrow_move_constructible_v<workspace> &&
                  std::is_nothrow_move_assignable_v<workspace>);
    static_assert(std::is_copy_constructible_v<model> && !std::is_copy_constructible_v<builder>);
    static_assert(std::is_nothrow_copy_constructible_v<error>);
    static_assert(noexcept(std::declval<workspace &>().nothrow().energy({}, {}, {}, {})) &&
                  !noexcept(std::declval<workspace &>().energy({}, {}, {}, {})));
    static_assert(std::is_convertible_v<std::vector<double> &, output> &&
                  std::is_convertible_v<const std::vector<double> &, input> &&
                  std::is_convertible_v<std::array<double, 3>, input> &&
                  std::is_convertible_v<output, input> &&
                  std::is_convertible_v<double(&)[3], input>);
    static_assert(!std::is_convertible_v<const std::vector<double> &, output> &&
                  !std::is_convertible_v<std::vector<float> &, input> &&
                  !std::is_convertible_v<input, output> && !std::is_convertible_v<double, input>);
    return "";
}

static std::string test_views()
{
    tandem::workspace w(robot("arm7"));
    const std::size_t tool = w.robot().link_index("tool");
    std::vector<double> y(7, 0.3), wanted(42), J(42), nothing;
    const double point[3] = {0, 0, 0.1};
    td_link_jacobian(w.robot().get(), w.get(), tool, point, y.data(), TD_FRAME_BODY, wanted.data());
    w.link_jacobian(tool, point, y, TD_FRAME_BODY, J);
    EXPECT(J == wanted);
    J.assign(42, 0);
    w.link_jacobian(tool, {0, 0, 0.1}, {y.data(), 7}, TD_FRAME_BODY, {J.data(), 42});
    EXPECT(J == wanted);
    std::array<double, 42> fixed;
    const std::array<double, 7> other = {0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3};
    w.link_jacobian(tool, {0, 0, 0.1}, other, TD_FRAME_BODY, fixed);
    EXPECT(std::equal(fixed.begin(), fixed.end(), wanted.begin()));
#if __cplusplus >= 202002L
    J.assign(42, 0);
    w.link_jacobian(tool, std::span(point), std::span<const double>(y), TD_FRAME_BODY,
                    std::span(J));
    EXPECT(J == wanted);
#endif
    /* an empty container is not {}, and an integer is no number of elements */
    std::vector<double> tau(7);
    EXPECT(contains(thrown([&] { w.inverse_dynamics(y, nothing, {}, {}, tau); }),
                    "inverse_dynamics: yd has 0 elements and needs 7"));
    EXPECT(contains(thrown([&] { w.inverse_dynamics({0}, {}, {}, {}, tau); }), "y has 1 elements"));
    w.inverse_dynamics(y, {}, nullptr, nullptr, tau);

    tandem::workspace free(tandem::load_urdf_memory("<robot name='r'><link name='a'/></robot>"));
    double energy[2];
    free.energy(nothing, nothing, TD_SCOPE_ALL, energy); /* a robot without joints */
    EXPECT(energy[0] == 0);
    return "";
}

static std::string test_values()
{
    tandem::workspace w(robot("arm7"));
    const td_model *m = w.robot().get();
    std::vector<double> y(7, 0.3), yd(7, 0.5), tau(7, 2), moved(7), wanted(7);
    EXPECT(w.power(tau, yd) == 7.0 && w.nothrow().power(tau, yd) == 7.0);
    w.integrate(y, yd, 0.1, moved);
    td_integrate(m, TD_COORDINATES_INDEPENDENT, y.data(), yd.data(), 0.1, wanted.data());
    EXPECT(moved == wanted);
    w.set_gravity({0, 0, 0});
    w.gravity_force(y, tau);
    EXPECT(tau == std::vector<double>(7));
    w.set_gravity({});
    w.gravity_force(y, wanted);
    w.set_payload(w.robot().link_index("tool"), 2, {0, 0, 0.1});
    w.gravity_force(y, tau);
    EXPECT(std::fabs(tau[1] - wanted[1]) > 1e-3);
    w.clear_payloads();
    w.gravity_force(y, tau);
    EXPECT(tau == wanted);
    EXPECT(contains(thrown([&] { w.set_gravity({0, 0}); }), "set_gravity: gravity has 2 elements"));
    EXPECT(contains(thrown([&] { w.set_payload(99, 1); }), "1 set_payload: an argument"));
    return "";
}

static std::string test_loading()
{
    using tandem::load_urdf_memory;
    const char *const wrong = "<robot name='r'><link name='a'/>"
                              "<joint name='j' type='hinge'/></robot>";
    std::string text = thrown([&] { load_urdf_memory(wrong, "wrong.urdf"); });
    EXPECT(
        contains(text, std::to_string(TD_ERROR_MODEL) + " load_urdf_memory: the model has errors"));
    EXPECT(contains(text, "\nwrong.urdf:1:33: error[URDF-J"));
    tandem::diagnostics list;
    try {
        load_urdf_memory(wrong, "wrong.urdf", nullptr, &list);
        return "no exception";
    } catch (const tandem::error &e) {
        EXPECT(e.status() == TD_ERROR_MODEL && contains(e.what(), e.diagnostics()));
        EXPECT(e.diagnostics() == list.text() && list.count(TD_SEVERITY_ERROR) > 0);
        EXPECT(list.size() > 0 && contains(list.text(), list[0].message));
    }
    text = thrown([] { tandem::load_urdf("no/such.urdf"); });
    EXPECT(contains(text, std::to_string(TD_ERROR_IO) + " load_urdf: ") &&
           contains(text, "no/such.urdf"));
    EXPECT(contains(thrown([] { robot("griper"); }), "gripper")); /* a suggestion */

    tandem::load_options options;
    options.base = TD_BASE_FLOATING;
    const tandem::model floating = tandem::load_urdf("tandem:arm7", &options);
    EXPECT(floating.ny() == 14 && floating.nyd() == 13 && floating.neutral()[6] == 1);

    const tandem::model gripper = robot("gripper"),
                        again = tandem::load_model_memory(gripper.write());
    EXPECT(std::string(again.name()) == gripper.name() && again.nq() == gripper.nq());
    EXPECT(contains(thrown([] { tandem::load_model_memory("no model"); }), "load_model_memory: "));

    EXPECT(gripper.position_index("driver_joint") == 0 &&
           gripper.velocity_index("driver_joint") == 0);
    EXPECT(gripper.position_index("left_tip_joint", TD_COORDINATES_TREE) > 0);
    EXPECT(contains(thrown([&] { gripper.position_index("left_tip_joint"); }),
                    std::to_string(TD_ERROR_DEPENDENT) + " left_tip_joint: "));
    EXPECT(contains(thrown([&] { gripper.link_index("wrist"); }), "has no link 'wrist'"));
    EXPECT(contains(thrown([&] { gripper.joint_index("wrist"); }), "has no joint 'wrist'"));
    EXPECT(gripper.reference().size() == 1 && gripper.reference(TD_COORDINATES_TREE).size() == 6);
    return "";
}

static std::string test_builder()
{
    tandem::builder records("pendulum");
    add_body(records, "base");
    add_body(records, "bob");
    td_joint joint = td_joint_default("hinge", TD_JOINT_CONTINUOUS, "base", "bob");
    records.add_joint(joint);
    tandem::workspace w(records.finish());
    double H[1];
    w.mass_matrix({0.2}, {}, H);
    EXPECT(std::fabs(H[0] - 1) < 1e-15);

    joint.child = "nothing";
    joint.name = "other";
    records.add_joint(joint);
    EXPECT(contains(thrown([&] { records.finish(); }), "\nerror[URDF-"));
    joint.size_of = 3; /* no version has that size */
    EXPECT(contains(thrown([&] { records.add_joint(joint); }), "1 add_joint: an argument"));
    EXPECT(contains(thrown([&] { records.set_independent("none", true); }),
                    std::to_string(TD_ERROR_NAME) + " set_independent: "));
    tandem::builder parsed = tandem::parse_urdf_memory("<robot name='r'><link name='a'/></robot>");
    add_body(parsed, "b");
    parsed.add_joint(td_joint_default("j", TD_JOINT_PRISMATIC, "a", "b"));
    EXPECT(parsed.finish().nq() == 1);
    const tandem::builder moved = std::move(parsed);
    EXPECT(moved.finish().nq() == 1 &&
           contains(thrown([&] { parsed.finish(); }), "1 builder_finish"));
    return "";
}

static std::string test_errors()
{
    std::vector<double> y(7), ydd(7), H(49);
    tandem::workspace arm(robot("arm7"));
    EXPECT(contains(thrown([&] { arm.link_pose(99, y, H); }),
                    "link_pose: pose has 49 elements and needs 12"));
    std::array<double, 12> pose;
    EXPECT(
        contains(thrown([&] { arm.link_pose(99, y, pose); }), "1 link_pose: the argument link is"));
    EXPECT(contains(thrown([&] { arm.inverse_dynamics({}, {}, {}, {}, ydd); }),
                    ": the argument y is"));
    EXPECT(contains(thrown([&] { arm.integrate(y, {}, 1, y); }), "integrate: yd has 0 elements"));
    y[2] = std::nan("");
    EXPECT(
        contains(thrown([&] { arm.mass_matrix(y, {}, H); }), td_status_text(TD_ERROR_NOT_FINITE)));

    /* a batch returns the status of its first failure, and throws if it is not computed */
    std::vector<double> rows(21), tau(21);
    rows[8] = std::nan("");
    td_status each[3];
    EXPECT(arm.batch_inverse_dynamics(3, rows, {}, {}, {}, tau, each) == TD_ERROR_NOT_FINITE);
    EXPECT(each[0] == TD_OK && each[1] == TD_ERROR_NOT_FINITE && each[2] == TD_OK);
    EXPECT(std::isnan(tau[7]) && !std::isnan(tau[14]));
    EXPECT(contains(thrown([&] { arm.batch_inverse_dynamics(4, rows, {}, {}, {}, tau, {}); }),
                    "batch_inverse_dynamics: y has 21 elements and needs 28"));

    tandem::workspace_options options;
    options.matrices = false;
    tandem::workspace small(arm.robot(), &options);
    y[2] = 0;
    EXPECT(
        contains(thrown([&] { small.mass_matrix(y, {}, H); }), td_status_text(TD_ERROR_MATRICES)));
    EXPECT(contains(thrown([&] { small.batch_mass_matrix(1, y, {}, H, {}); }),
                    td_status_text(TD_ERROR_MATRICES)));

    tandem::builder records("massless");
    records.add_link(td_link_default("a")).add_link(td_link_default("b"));
    records.add_joint(td_joint_default("hinge", TD_JOINT_CONTINUOUS, "a", "b"));
    tandem::workspace massless(records.finish());
    EXPECT(contains(thrown([&] {
                        massless.forward_dynamics({0}, {}, {}, {}, {ydd.data(), 1});
                    }),
                    std::to_string(TD_ERROR_SINGULAR) +
                        " forward_dynamics: the mass matrix is singular: "
                        "a joint moves no inertia (joint 'hinge')"));

    tandem::workspace bars(robot("five_bar"));
    EXPECT(contains(thrown([&] {
                        bars.closure({2.5, 2.5}, {}, {}, {}, {}, {});
                    }),
                    " (loop 'D', residual "));
    EXPECT(bars.nothrow().closure({2.5, 2.5}, {}, {}, {}, {}, {}) == TD_ERROR_ASSEMBLY);
    std::vector<double> open(bars.robot().nq(), 1);
    EXPECT(contains(thrown([&] { bars.closure_start(open); }), "closure_start: a loop"));
    EXPECT(contains(thrown([&] { bars.closure_start({0}); }), "closure_start: q has 1 elements"));
    return "";
}

static std::string test_ownership()
{
    std::vector<double> y(7, 0.3), wanted(7), tau(7);
    auto first = std::make_unique<tandem::model>(robot("arm7"));
    tandem::workspace w(*first);
    w.inverse_dynamics(y, {}, {}, {}, wanted);
    first.reset(); /* the workspace keeps the model */
    tandem::workspace moved = std::move(w);
    moved.inverse_dynamics(y, {}, {}, {}, tau);
    EXPECT(tau == wanted);
    EXPECT(
        contains(thrown([&] { w.inverse_dynamics(y, {}, {}, {}, tau); }), "1 inverse_dynamics: "));
    EXPECT(contains(thrown([&] { w.inverse_dynamics({}, {}, {}, {}, {}); }),
                    "the argument workspace is"));
    EXPECT(contains(thrown([&] { w.integrate({}, {}, 1, {}); }), "the argument workspace is"));
    EXPECT(w.nothrow().integrate({}, {}, 1, {}) == TD_ERROR_ARGUMENT);
    w = std::move(moved);
    w.inverse_dynamics(y, {}, {}, {}, tau);
    EXPECT(tau == wanted);
    tandem::workspace other(robot("gripper"));
    other = std::move(w); /* frees the gripper's workspace, at the latest with w */
    other.inverse_dynamics(y, {}, {}, {}, tau);
    EXPECT(tau == wanted);

    /* threads share a model, each with its workspace */
    std::vector<double> sums(4);
    std::vector<std::thread> threads;
    for (double &sum : sums)
        threads.emplace_back([&sum, shared = other.robot(), y] {
            tandem::workspace own(shared);
            std::vector<double> forces(7);
            for (int i = 0; i < 100; i++)
                own.inverse_dynamics(y, {}, {}, {}, forces);
            sum = forces[1];
        });
    for (std::thread &thread : threads)
        thread.join();
    EXPECT(sums == std::vector<double>(4, wanted[1]));
    return "";
}

/* Sizes follow the coordinates and charts that a workspace uses. */
static std::string test_coordinates()
{
    tandem::workspace w(robot("gripper"));
    std::vector<double> q(6), tau(6);
    EXPECT(w.use_coordinates(TD_COORDINATES_TREE) == TD_COORDINATES_INDEPENDENT);
    w.inverse_dynamics(q, {}, {}, {}, tau);
    EXPECT(contains(thrown([&] { w.inverse_dynamics({0}, {}, {}, {}, tau); }),
                    "y has 1 elements and needs 6"));
    EXPECT(w.use_coordinates(TD_COORDINATES_INDEPENDENT) == TD_COORDINATES_TREE);
    w.inverse_dynamics({0}, {}, {}, {}, {tau.data(), 1});
    td_use_coordinates(w.get(), TD_COORDINATES_TREE);
    w.update_sizes();
    EXPECT(w.used_coordinates() == TD_COORDINATES_TREE);
    w.inverse_dynamics(q, {}, {}, {}, tau);

    /* a closed chain with a ball: u has the positions of the other joints in addition */
    tandem::builder records("chain");
    add_body(records, "base");
    const char *parent = "base";
    for (const char *name : {"a", "b", "c", "d"}) {
        add_body(records, name);
        td_joint joint =
            td_joint_default(*name == 'b'   ? "ball"
                             : *name == 'a' ? "first"
                             : *name == 'c' ? "third"
                                            : "last",
                             *name == 'b' ? TD_JOINT_BALL : TD_JOINT_CONTINUOUS, parent, name);
        joint.origin.position[0] = 0.5;
        joint.origin.position[1] = *name == 'd' ? 0.4 : 0.1;
        joint.axis[0] = joint.axis[1] = 0.2;
        joint.axis[2] = 1;
        records.add_joint(joint);
        parent = name;
    }
    td_loop loop = td_loop_default("loop", "base", parent);
    loop.type = TD_LOOP_SPHERICAL;
    loop.predecessor_origin.position[0] = 1;
    loop.successor_origin.position[1] = 0.7;
    records.add_loop(loop);
    tandem::workspace chain(records.finish());
    const td_model *m = chain.robot().get();
    const std::size_t n = chain.robot().nyd();
    std::vector<double> y(chain.robot().reference().begin(), chain.robot().reference().end()),
        yd(n);
    std::vector<double> all(chain.robot().nq()), tree(chain.robot().nv());
    bool is_changed = false;
    for (int i = 0; i < 300 && !is_changed; i++) {
        for (std::size_t k = 0; k < n; k++)
            yd[k] = random_number();
        chain.integrate(y, yd, 0.3, y);
        if (chain.nothrow().closure(y, {}, {}, all, {}, {}) != TD_OK) {
            std::copy(chain.robot().reference().begin(), chain.robot().reference().end(),
                      y.begin());
            continue;
        }
        is_changed = chain.chart_choose(all);
    }
    EXPECT(is_changed && td_chart_positions(m) > chain.robot().ny());
    std::vector<double> u(td_chart_positions(m));
    chain.independent_coordinates(all, u, {});
    chain.inverse_dynamics(u, {}, {}, {}, yd);
    std::vector<std::size_t> pattern(n + 1);
    EXPECT(td_packed_pattern(m, chain.get(), pattern.data(), nullptr) == TD_OK);
    std::vector<double> factors(pattern[n]);
    chain.mass_matrix_factors(u, {}, factors);
    std::vector<double> moved(y.size());
    chain.integrate(y, yd, 0.01, moved); /* of y */
    EXPECT(contains(thrown([&] { chain.inverse_dynamics(y, {}, {}, {}, yd); }), ": y has "));
    chain.use_coordinates(TD_COORDINATES_TREE);
    chain.inverse_dynamics(all, {}, {}, {}, tree);
    chain.use_coordinates(TD_COORDINATES_INDEPENDENT);
    EXPECT(chain.chart_use(false));
    chain.inverse_dynamics(y, {}, {}, {}, yd);
    return "";
}

#ifdef TANDEM_EIGEN
static std::string test_eigen()
{
    tandem::workspace w(robot("arm7"));
    const std::size_t tool = w.robot().link_index("tool");
    Eigen::VectorXd y = Eigen::VectorXd::Constant(7, 0.3), tau(7);
    Eigen::Vector3d point(0, 0, 0.1);
    tandem::matrix J(6, 7), rows(2, 7), H(7, 7);
    std::vector<double> wanted(42), forces(7);
    const std::vector<double> plain(7, 0.3);
    w.link_jacobian(tool, {0, 0, 0.1}, plain, TD_FRAME_BODY, wanted);
    w.link_jacobian(tool, point, y, TD_FRAME_BODY, J);
    EXPECT(J == tandem::map(wanted, 7));
    Eigen::MatrixXd transposed(7, 6);
    w.link_jacobian(tool, point, y, TD_FRAME_BODY, transposed.transpose());
    EXPECT(J.transpose() == transposed);
    Eigen::Matrix<double, 6, 7, Eigen::RowMajor> fixed;
    w.link_jacobian(tool, point, y, TD_FRAME_BODY, fixed);
    EXPECT(J == fixed);

    w.inverse_dynamics(plain, {}, {}, {}, forces);
    w.inverse_dynamics(y, {}, {}, {}, tau);
    EXPECT(tau == tandem::map(forces));
    Eigen::MatrixXd columns = y.replicate(1, 2), many(7, 2); /* a state in each column */
    EXPECT(w.batch_inverse_dynamics(2, columns.transpose(), {}, {}, {}, many.transpose(), {}) ==
           TD_OK);
    EXPECT(many.col(0) == tau && many.col(1) == tau);
    w.inverse_dynamics(columns.col(1), {}, {}, {}, rows.row(1));
    EXPECT(rows.row(1).transpose() == tau);
    w.inverse_dynamics(Eigen::Map<const Eigen::VectorXd>(plain.data(), 7), {}, {}, {}, tau);
    EXPECT(tau == tandem::map(forces));

    EXPECT(
        contains(thrown([&] { w.inverse_dynamics(y, {}, {}, {}, H.col(0)); }), "not contiguous"));
    EXPECT(contains(thrown([&] { w.inverse_dynamics(y, {}, {}, {}, H.block(0, 0, 7, 1)); }),
                    "not contiguous"));
    EXPECT(contains(
        thrown([&] { w.link_jacobian(tool, point, y, TD_FRAME_BODY, H.block(0, 0, 3, 3)); }),
        "not contiguous"));
    EXPECT(contains(thrown([&] { w.link_jacobian(tool, point, y, TD_FRAME_BODY, H); }),
                    "J has 49 elements"));
    return "";
}
#endif

int main(int argc, char **argv)
{
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    std::set<std::string> succeeded;
    test_robot("tandem:gripper", TD_BASE_FIXED, succeeded);
    test_robot("tandem:arm7", TD_BASE_FLOATING, succeeded);
    test_robot("tandem:stewart", TD_BASE_FIXED, succeeded);
    test_robot("tandem:four_bar", TD_BASE_FIXED, succeeded);
    test_robot("tandem:lamp", TD_BASE_FIXED, succeeded);
    check("every operation succeeds on some robot", untested(argc > 1 ? argv[1] : "", succeeded));
    part("types", test_types);
    part("views", test_views);
    part("values, gravity and payloads", test_values);
    part("loading", test_loading);
    part("builder", test_builder);
    part("errors of operations", test_errors);
    part("ownership and threads", test_ownership);
    part("coordinates and charts", test_coordinates);
#ifdef TANDEM_EIGEN
    part("Eigen", test_eigen);
#else
    std::printf("ok %d - Eigen # SKIP there is no Eigen\n", ++checks);
#endif
    std::printf("1..%d\n", checks);
    return failures != 0;
}
