/* SPDX-License-Identifier: MIT */
/*
 * tandem for C++17: models, workspaces and builders that free themselves, views of numbers instead
 * of pointers, and exceptions instead of statuses. It needs only libtandem, and nothing in
 * libtandem depends on it. docs/guides/cpp.md shows its use.
 *
 * Names and arguments are as in the C headers, without the prefix td_: workspace.inverse_dynamics()
 * is td_inverse_dynamics(). The comments in the C headers apply. Records, options and enumerators
 * are the same as in C. To call functions without a C++ counterpart, pass the pointers that get()
 * returns.
 *
 * Vectors and matrices are spans: std::vector, std::array, arrays, std::span, a pointer with a
 * size, or contiguous vectors and row-major matrices of Eigen. Their sizes are checked before each
 * call. {} corresponds to NULL in C: zero, none, or an output that is not wanted. Pointers in C
 * structs, such as td_forces and td_terms, are not checked.
 *
 * Errors are exceptions of class error. Calls through workspace.nothrow() return a td_status
 * instead. Operations allocate only if they throw.
 */
#ifndef TANDEM_TANDEM_HPP
#define TANDEM_TANDEM_HPP

#include <cstddef>
#include <cstdio>
#include <initializer_list>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tandem/tandem.h"

#ifdef TANDEM_EIGEN
#include <Eigen/Core>
#endif

namespace tandem
{

template <class T> class span;

/* An error: what() is its text, which includes the diagnostics of a model. */
class error : public std::runtime_error
{
  public:
    error(td_status status, const std::string &text, const std::string &diagnostics = {})
        : std::runtime_error(diagnostics.empty() ? text : text + "\n" + diagnostics),
          status_(status), diagnostics_(std::make_shared<const std::string>(diagnostics))
    {
    }

    /* Returns the status of the call that failed; also TD_ERROR_ARGUMENT for a wrong size. */
    td_status status() const noexcept { return status_; }

    /* Returns the errors and warnings of a model that cannot be made, one per line, or "". */
    const std::string &diagnostics() const noexcept { return *diagnostics_; }

  private:
    td_status status_;
    std::shared_ptr<const std::string> diagnostics_; /* copies of exceptions must not throw */
};

/* ---- views ----------------------------------------------------------------------------------- */

namespace detail
{

/* The address of a span over an empty container. NULL would mean {}, a missing argument. */
template <class T> inline std::remove_const_t<T> nothing{};

template <class C> using element = std::remove_pointer_t<decltype(std::declval<C &>().data())>;

/* True if a container has contiguous elements of type T, or const T. */
template <class C, class T, class = void> struct holds : std::false_type {
};
template <class C, class T>
struct holds<C, T, std::void_t<element<C>, decltype(std::declval<C &>().size())>>
    : std::is_convertible<element<C> (*)[], T (*)[]> {
};
template <class U, class T> struct holds<span<U>, T, void> : std::false_type {
};
template <class U, class T> struct holds<const span<U>, T, void> : std::false_type {
};

/* True if a type is an Eigen vector or matrix, or has the same members. */
template <class C, class = void> struct is_eigen : std::false_type {
};
template <class C>
struct is_eigen<C, std::void_t<decltype(C::IsRowMajor), decltype(C::IsVectorAtCompileTime),
                               decltype(std::declval<C &>().outerStride())>> : std::true_type {
};

} // namespace detail

/* A view of contiguous elements, which it does not own. Matrices are row-major. Column-major
   matrices of Eigen do not compile: pass their .transpose(), whose rows are their columns. */
template <class T> class span
{
  public:
    constexpr span() noexcept = default;
    constexpr span(std::nullptr_t) noexcept {}
    constexpr span(T *data, std::size_t size) noexcept : data_(data), size_(size) {}

    template <std::size_t N> constexpr span(T (&array)[N]) noexcept : data_(array), size_(N) {}

    template <class U, class = std::enable_if_t<std::is_convertible_v<U (*)[], T (*)[]>>>
    constexpr span(const span<U> &other) noexcept : data_(other.data()), size_(other.size())
    {
    }

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winit-list-lifetime" /* the list lives as long as the call */
#endif
    /* numbers in braces, for the arguments of a call: {0, 0, 0.1} */
    template <class U = T, class = std::enable_if_t<std::is_const_v<U>>>
    constexpr span(std::initializer_list<std::remove_const_t<U>> list) noexcept
        : data_(list.begin()), size_(list.size())
    {
    }
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

    template <class C,
              class = std::enable_if_t<detail::holds<std::remove_reference_t<C>, T>::value>>
    constexpr span(C &&c) : data_(c.data()), size_(static_cast<std::size_t>(c.size()))
    {
        using plain = std::remove_cv_t<std::remove_reference_t<C>>;
        if constexpr (detail::is_eigen<plain>::value) {
            static_assert(plain::IsVectorAtCompileTime || plain::IsRowMajor,
                          "matrices are row-major: use Eigen::RowMajor, or .transpose()");
            const bool follows =
                plain::IsVectorAtCompileTime || c.rows() <= 1 || c.outerStride() == c.cols();
            if (size_ > 1 && (c.innerStride() != 1 || !follows))
                throw error(TD_ERROR_ARGUMENT, "the elements of a block are not contiguous");
        }
        if (data_ == nullptr)
            data_ = &detail::nothing<T>;
    }

    constexpr T *data() const noexcept
    {
        return data_;
    }
    constexpr std::size_t size() const noexcept
    {
        return size_;
    }
    constexpr T &operator[](std::size_t i) const noexcept
    {
        return data_[i];
    }
    constexpr T *begin() const noexcept
    {
        return data_;
    }
    constexpr T *end() const noexcept
    {
        return data_ + size_;
    }

  private:
    T *data_ = nullptr; /* NULL: missing */
    std::size_t size_ = 0;
};

using input = span<const double>;
using output = span<double>;
using bytes = span<const unsigned char>;

#ifdef TANDEM_EIGEN
using matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/* Return a view as a vector of Eigen, and as a matrix with this number of columns. */
inline Eigen::Map<const Eigen::VectorXd> map(input view)
{
    return {view.data(), static_cast<Eigen::Index>(view.size())};
}
inline Eigen::Map<const matrix> map(input view, std::size_t columns)
{
    return {view.data(), static_cast<Eigen::Index>(columns ? view.size() / columns : 0),
            static_cast<Eigen::Index>(columns)};
}
#endif

/* ---- options --------------------------------------------------------------------------------- */

/* The C options, initialized to their defaults. */
struct load_options : td_load_options {
    load_options() : td_load_options(td_load_options_default()) {}
};
struct workspace_options : td_workspace_options {
    workspace_options() : td_workspace_options(td_workspace_options_default()) {}
};
struct constraint_options : td_constraint_options {
    constraint_options() : td_constraint_options(td_constraint_options_default()) {}
};
struct forces : td_forces {
    forces() : td_forces(td_forces_default()) {}
};
struct terms : td_terms {
    terms() : td_terms(td_terms_default()) {}
};

/* ---- models ---------------------------------------------------------------------------------- */

/* A list of the notes, warnings and errors of a file. */
class diagnostics
{
  public:
    explicit diagnostics(std::size_t cap = 0)
    {
        td_diagnostics *list;
        const td_status status = td_diagnostics_new(cap, &list);
        list_.reset(list);
        if (status != TD_OK)
            throw error(status, td_status_text(status));
    }

    std::size_t size() const noexcept { return td_diagnostics_size(get()); }
    const td_diagnostic &operator[](std::size_t i) const noexcept
    {
        return *td_diagnostics_at(get(), i);
    }
    std::size_t count(td_severity severity) const noexcept
    {
        return td_diagnostics_count(get(), severity);
    }
    td_diagnostics *get() const noexcept { return list_.get(); }

    /* Returns a line for each diagnostic of this severity or a higher one: "arm.urdf:3:5:
       error[URDF-J001]: message (remedy)". */
    std::string text(td_severity lowest = TD_SEVERITY_WARNING) const
    {
        std::string text;
        for (std::size_t i = 0; i < size(); i++) {
            const td_diagnostic &d = (*this)[i];
            if (d.severity < lowest)
                continue;
            std::string place = d.source.file ? d.source.file : "";
            for (const int number : {d.source.line, d.source.column})
                if (number > 0)
                    place += ":" + std::to_string(number);
            text += (text.empty() ? "" : "\n") + place + (place.empty() ? "" : ": ") +
                    td_severity_text(d.severity) + "[" + d.code + "]: " + d.message;
            if (*d.remedy)
                text += std::string(" (") + d.remedy + ")";
        }
        return text;
    }

  private:
    std::unique_ptr<td_diagnostics, void (*)(td_diagnostics *)> list_{nullptr, td_diagnostics_free};
};

namespace detail
{

/* Throws if a function that is not an operation of a workspace failed. */
inline void check(const char *function, td_status status, const diagnostics *list = nullptr)
{
    if (status != TD_OK)
        throw error(status, std::string(function) + ": " + td_status_text(status),
                    list ? list->text() : std::string());
}

/* Calls load(arguments, list, &object). Returns the object, or throws an error that contains the
   diagnostics. */
template <class T, class F, class... A>
T *made(const char *function, F *load, diagnostics *list, A... arguments)
{
    diagnostics own;
    diagnostics &used = list ? *list : own;
    T *object = nullptr;
    check(function, load(arguments..., used.get(), &object), &used);
    return object;
}

} // namespace detail

/* A robot. It never changes. Copies share it, and so may threads. */
class model
{
  public:
    /* Takes ownership of a C model. */
    explicit model(td_model *owned) : model_(owned, td_model_free) {}

    const td_model *get() const noexcept { return model_.get(); }
    const char *name() const noexcept { return td_model_name(get()); }
    std::size_t nq() const noexcept { return td_nq(get()); }
    std::size_t nv() const noexcept { return td_nv(get()); }
    std::size_t ny() const noexcept { return td_ny(get()); }
    std::size_t nyd() const noexcept { return td_nyd(get()); }
    std::size_t nu() const noexcept { return td_nu(get()); }
    std::size_t link_count() const noexcept { return td_link_count(get()); }
    std::size_t joint_count() const noexcept { return td_joint_count(get()); }
    std::size_t loop_count() const noexcept { return td_loop_count(get()); }

    /* Return the index of a link and of a joint. Throw TD_ERROR_NAME if there is none. */
    std::size_t link_index(const std::string &name) const
    {
        return found("link", name, td_link_index(get(), name.c_str()));
    }
    std::size_t joint_index(const std::string &name) const
    {
        return found("joint", name, td_joint_index(get(), name.c_str()));
    }

    /* Return the index of a coordinate in y, and in ẏ, ÿ and tau_y; with TD_COORDINATES_TREE in q,
       and in q̇, q̈ and tau. Throw the errors of td_coordinate_of. */
    std::size_t position_index(const std::string &name,
                               td_coordinates coordinates = TD_COORDINATES_INDEPENDENT) const
    {
        std::size_t i;
        detail::check(name.c_str(),
                      td_coordinate_of(get(), coordinates, name.c_str(), &i, nullptr));
        return i;
    }
    std::size_t velocity_index(const std::string &name,
                               td_coordinates coordinates = TD_COORDINATES_INDEPENDENT) const
    {
        std::size_t i;
        detail::check(name.c_str(),
                      td_coordinate_of(get(), coordinates, name.c_str(), nullptr, &i));
        return i;
    }

    /* Return the configuration in which the robot starts, and the configuration with all positions
       zero. */
    input reference(td_coordinates coordinates = TD_COORDINATES_INDEPENDENT) const noexcept
    {
        return {td_reference(get(), coordinates), positions(coordinates)};
    }
    std::vector<double> neutral(td_coordinates coordinates = TD_COORDINATES_INDEPENDENT) const
    {
        std::vector<double> y(positions(coordinates));
        td_neutral(get(), coordinates, y.data());
        return y;
    }

    /* Returns the model as text, which load_model_memory reads. */
    std::string write() const
    {
        std::size_t size = 0;
        td_status status = td_model_write(get(), nullptr, 0, &size);
        std::string text(size, ' ');
        if (size > 0) /* the first call computed the size only */
            status = td_model_write(get(), text.data(), size, &size);
        detail::check("model_write", status);
        return text;
    }

  private:
    std::size_t positions(td_coordinates coordinates) const noexcept
    {
        return coordinates == TD_COORDINATES_TREE ? nq() : ny();
    }
    std::size_t found(const char *kind, const std::string &name, std::size_t index) const
    {
        if (index == TD_NONE)
            throw error(TD_ERROR_NAME, std::string("robot '") + this->name() + "' has no " + kind +
                                           " '" + name + "'");
        return index;
    }

    std::shared_ptr<const td_model> model_;
};

/* Makes a model from a text that model::write returned. options may be NULL: the options in the
   text. */
inline model load_model_memory(std::string_view text, const std::string &name = "model",
                               const td_load_options *options = nullptr,
                               diagnostics *list = nullptr)
{
    return model(detail::made<td_model>(__func__, td_load_model_memory, list, text.data(),
                                        text.size(), name.c_str(), options));
}

/* The records of a robot under construction. */
class builder
{
  public:
    explicit builder(const std::string &robot_name)
    {
        td_builder *made;
        const td_status status = td_builder_new(robot_name.c_str(), &made);
        builder_.reset(made);
        detail::check("builder_new", status);
    }
    /* Takes ownership of a C builder. */
    explicit builder(td_builder *owned) noexcept : builder_(owned, td_builder_free) {}

    td_builder *get() const noexcept { return builder_.get(); }

    builder &add_link(const td_link &r) { return did(__func__, td_builder_add_link(get(), &r)); }
    builder &add_joint(const td_joint &r) { return did(__func__, td_builder_add_joint(get(), &r)); }
    builder &add_loop(const td_loop &r) { return did(__func__, td_builder_add_loop(get(), &r)); }
    builder &add_coupling(const td_coupling &r)
    {
        return did(__func__, td_builder_add_coupling(get(), &r));
    }
    builder &add_follower(const td_follower &r)
    {
        return did(__func__, td_builder_add_follower(get(), &r));
    }
    builder &add_spring(const td_spring &r)
    {
        return did(__func__, td_builder_add_spring(get(), &r));
    }
    builder &add_transmission(const td_transmission &r)
    {
        return did(__func__, td_builder_add_transmission(get(), &r));
    }
    builder &add_flexible(const td_flexible &r)
    {
        return did(__func__, td_builder_add_flexible(get(), &r));
    }
    builder &set_independent(const std::string &joint, bool independent)
    {
        return did(__func__, td_builder_set_independent(get(), joint.c_str(), independent));
    }

    /* Makes a model. options may be NULL: the defaults. Throws an error that contains the
       diagnostics. */
    model finish(const td_load_options *options = nullptr, diagnostics *list = nullptr) const
    {
        return model(detail::made<td_model>("builder_finish", td_builder_finish, list,
                                            static_cast<const td_builder *>(get()), options));
    }

  private:
    builder &did(const char *function, td_status status)
    {
        detail::check(function, status);
        return *this;
    }

    std::unique_ptr<td_builder, void (*)(td_builder *)> builder_{nullptr, td_builder_free};
};

#if TANDEM_HAS_URDF
/* Load a robot from a file or "tandem:gripper", from text, and from text into a builder. options
   may be NULL: the defaults. Throw an error with the diagnostics; list receives them too. */
inline model load_urdf(const std::string &path, const td_load_options *options = nullptr,
                       diagnostics *list = nullptr)
{
    return model(detail::made<td_model>(__func__, td_load_urdf, list, path.c_str(), options));
}
inline model load_urdf_memory(std::string_view text, const std::string &name = "robot",
                              const td_load_options *options = nullptr, diagnostics *list = nullptr)
{
    return model(detail::made<td_model>(__func__, td_load_urdf_memory, list, text.data(),
                                        text.size(), name.c_str(), options));
}
inline builder parse_urdf_memory(std::string_view text, const std::string &name = "robot",
                                 const td_load_options *options = nullptr,
                                 diagnostics *list = nullptr)
{
    return builder(detail::made<td_builder>(__func__, td_parse_urdf_memory, list, text.data(),
                                            text.size(), name.c_str(), options));
}
#endif

/* ---- workspaces ------------------------------------------------------------------------------ */

namespace detail
{

/* A model, its workspace, and the sizes of arguments. */
struct binding {
    const td_model *model = nullptr;
    td_workspace *workspace = nullptr;
    td_coordinates coordinates = TD_COORDINATES_INDEPENDENT;
    /* sizes in the coordinates in use: of y, of ẏ, of packed factors, and of a configuration that
       td_integrate accepts */
    std::size_t positions = 0, velocities = 0, entries = 0, configuration = 0;
    std::size_t ny = 0; /* of y, or of u in a chart */
    std::size_t nyd = 0, nq = 0, nv = 0, nu = 0;
    std::size_t links = 0, joints = 0, movable = 0, loops = 0, constraints = 0;
};

/* An argument with its name and the size that it needs. */
template <class T> struct sized {
    const char *name;
    span<T> view;
    std::size_t needed;
    bool may_miss;
};
template <class T>
sized<T> arg(const char *name, span<T> view, std::size_t needed, bool may_miss = true) noexcept
{
    return {name, view, needed, may_miss};
}

template <class T> bool fits(const T &) noexcept
{
    return true;
}
template <class T> bool fits(const sized<T> &a) noexcept
{
    return a.view.size() == a.needed || (a.may_miss && a.view.data() == nullptr);
}
template <class T> T pass(const T &value) noexcept
{
    return value;
}
template <class T> T *pass(const sized<T> &a) noexcept
{
    return a.view.data();
}

template <class T> void refuse(const char *, const T &) {}
template <class T> void refuse(const char *function, const sized<T> &a)
{
    if (!fits(a))
        throw error(TD_ERROR_ARGUMENT, std::string(function) + ": " + a.name + " has " +
                                           std::to_string(a.view.size()) + " elements and needs " +
                                           std::to_string(a.needed));
}

/* Throws the error of an operation, with the argument, joint or loop that caused it. */
[[noreturn]] inline void fail(const char *function, td_status status, const binding &at)
{
    std::string cause;
    if (status == TD_ERROR_ARGUMENT)
        throw error(status,
                    std::string(function) + ": the argument " +
                        (td_argument_fault(at.workspace) ? td_argument_fault(at.workspace) : "") +
                        " is out of its range or missing");
    if (status == TD_ERROR_SINGULAR) {
        const std::size_t joint = td_singular_joint(at.workspace);
        if (joint != TD_NONE)
            cause = std::string(" (joint '") + td_joint_at(at.model, joint)->name + "')";
    } else if (td_failed_loop(at.workspace, nullptr) != TD_NONE) {
        double residual;
        const std::size_t loop = td_failed_loop(at.workspace, &residual);
        const char *name = td_loop_at(at.model, loop)->name;
        char size[32];
        std::snprintf(size, sizeof size, "%.3g", residual);
        cause = std::string(" (loop '") + (name ? name : std::to_string(loop)) + "', residual " +
                size + ")";
    }
    throw error(status, std::string(function) + ": " + td_status_text(status) + cause);
}

/* Calls C functions with checked sizes. Self has the binding. */
template <class Self, bool Throws> class caller
{
  protected:
    using returned = std::conditional_t<Throws, void, td_status>;

    const binding &at() const noexcept { return static_cast<const Self *>(this)->bound(); }

    /* Calls an operation for one state. */
    template <class F, class... A>
    returned call(const char *name, F *function, const A &...a) noexcept(!Throws)
    {
        const td_status status = checked(name, function, a...);
        if constexpr (!Throws)
            return status;
        else if (status != TD_OK)
            fail(name, status, at());
    }

    /* Calls an operation for a batch. Returns the status of the first state that fails. */
    template <class F, class... A>
    td_status batch(const char *name, F *function, const A &...a) noexcept(!Throws)
    {
        const td_status status = checked(name, function, a...);
        if constexpr (Throws)
            if (status == TD_ERROR_ARGUMENT || status == TD_ERROR_MATRICES)
                fail(name, status, at());
        return status;
    }

    /* Calls a function of the model and the coordinates, which cannot fail. */
    template <class R, class... P, class... A>
    auto plain(const char *name, R (*function)(P...), const A &...a) noexcept(!Throws)
    {
        constexpr bool is_void = std::is_void_v<R>;
        const bool good = at().model && (fits(a) && ...);
        if constexpr (Throws) {
            if (!good) {
                (refuse(name, a), ...);
                fail(name, TD_ERROR_ARGUMENT, at());
            }
            return function(at().model, at().coordinates, pass(a)...);
        } else if constexpr (is_void) {
            if (good)
                function(at().model, at().coordinates, pass(a)...);
            return good ? TD_OK : TD_ERROR_ARGUMENT;
        } else {
            return good ? function(at().model, at().coordinates, pass(a)...)
                        : std::numeric_limits<R>::quiet_NaN();
        }
    }

  private:
    template <class F, class... A>
    td_status checked(const char *name, F *function, const A &...a) noexcept(!Throws)
    {
        if ((fits(a) && ...))
            return function(at().model, at().workspace, pass(a)...);
        if constexpr (Throws)
            (refuse(name, a), ...);
        return TD_ERROR_ARGUMENT;
    }
};

} // namespace detail
} // namespace tandem

#include "tandem/operations.hpp"

namespace tandem
{

/* The operations of a workspace without exceptions: they return statuses, and TD_ERROR_ARGUMENT
   for wrong sizes. Valid until the workspace is moved or destroyed. */
class nothrow_operations : public detail::operations<nothrow_operations, false>
{
  public:
    explicit nothrow_operations(const detail::binding &at) noexcept : bound_(&at) {}

  private:
    friend class detail::caller<nothrow_operations, false>;
    const detail::binding &bound() const noexcept { return *bound_; }
    const detail::binding *bound_;
};

/* The memory that calls in one thread need, and all operations (tandem/operations.hpp). It shares
   ownership of the model. */
class workspace : public detail::operations<workspace, true>
{
  public:
    explicit workspace(model robot, const td_workspace_options *options = nullptr)
        : robot_(std::move(robot)), rows_(robot_.get() ? robot_.nyd() + 1 : 0)
    {
        bound_.model = robot_.get();
        did("workspace_new", td_workspace_new(robot_.get(), options, &bound_.workspace));
        bound_.nyd = td_nyd(bound_.model);
        bound_.nq = td_nq(bound_.model);
        bound_.nv = td_nv(bound_.model);
        bound_.nu = td_nu(bound_.model);
        bound_.links = td_link_count(bound_.model);
        bound_.joints = td_joint_count(bound_.model);
        bound_.movable = td_movable_count(bound_.model);
        bound_.loops = td_loop_count(bound_.model);
        bound_.constraints = td_constraint_count(bound_.model);
        update_sizes();
    }
    workspace(workspace &&other) noexcept
        : robot_(std::move(other.robot_)), bound_(std::exchange(other.bound_, {})),
          rows_(std::move(other.rows_))
    {
    }
    workspace &operator=(workspace &&other) noexcept
    {
        std::swap(robot_, other.robot_);
        std::swap(bound_, other.bound_);
        std::swap(rows_, other.rows_);
        return *this;
    }
    ~workspace() { td_workspace_free(bound_.workspace); }

    const model &robot() const noexcept { return robot_; }

    /* Returns the C workspace. After a C function that selects coordinates or a chart, call
       update_sizes(). */
    td_workspace *get() noexcept { return bound_.workspace; }

    /* Returns the same operations with statuses in place of exceptions. */
    nothrow_operations nothrow() noexcept { return nothrow_operations(bound_); }

    td_coordinates used_coordinates() const noexcept { return bound_.coordinates; }
    td_coordinates use_coordinates(td_coordinates coordinates) noexcept
    {
        const td_coordinates before = td_use_coordinates(get(), coordinates);
        update_sizes();
        return before;
    }

    void set_gravity(input gravity)
    {
        detail::refuse("set_gravity", detail::arg("gravity", gravity, 3));
        did("set_gravity", td_set_gravity(get(), gravity.data()));
    }
    void set_payload(std::size_t link, double mass, input com = {}, input inertia = {})
    {
        detail::refuse("set_payload", detail::arg("com", com, 3));
        detail::refuse("set_payload", detail::arg("inertia", inertia, 6));
        did("set_payload", td_set_payload(get(), link, mass, com.data(), inertia.data()));
    }
    void clear_payloads() { did("clear_payloads", td_clear_payloads(get())); }

    /* Sets the configuration (nq) where the closure starts; {}: the reference of the model. */
    void closure_start(input q)
    {
        detail::refuse("closure_start", detail::arg("q", q, bound_.nq));
        did("closure_start", td_closure_start(bound_.model, get(), q.data()));
    }

    /* Charts (tandem/chart.h). keep has nyd entries. chart_choose returns whether a coordinate was
       swapped. */
    bool chart_choose(input q, bytes keep = {})
    {
        detail::refuse("chart_choose", detail::arg("q", q, bound_.nq));
        detail::refuse("chart_choose", detail::arg("keep", keep, bound_.nyd));
        bool changed = false;
        did("chart_choose", td_chart_choose(bound_.model, get(), q.data(), keep.data(), &changed));
        update_sizes();
        return changed;
    }
    void chart_leave(input q)
    {
        detail::refuse("chart_leave", detail::arg("q", q, bound_.nq));
        did("chart_leave", td_chart_leave(bound_.model, get(), q.data()));
        update_sizes();
    }
    bool chart_use(bool used) noexcept
    {
        const bool before = td_chart_use(get(), used);
        update_sizes();
        return before;
    }

    /* Reads which coordinates and chart are in use, and their sizes. */
    void update_sizes() noexcept
    {
        detail::binding &b = bound_;
        b.coordinates = td_used_coordinates(b.workspace);
        const bool tree = b.coordinates == TD_COORDINATES_TREE;
        const bool chart = td_chart_is_used(b.workspace);
        b.ny = chart ? td_chart_positions(b.model) : td_ny(b.model);
        b.positions = tree ? b.nq : b.ny;
        b.configuration = tree ? b.nq : td_ny(b.model);
        b.velocities = tree ? b.nv : b.nyd;
        b.entries = td_packed_entries(b.model, b.coordinates);
        if (chart && !tree &&
            td_packed_pattern(b.model, b.workspace, rows_.data(), nullptr) == TD_OK)
            b.entries = rows_[b.nyd];
    }

  private:
    friend class detail::caller<workspace, true>;
    const detail::binding &bound() const noexcept { return bound_; }
    void did(const char *function, td_status status) const
    {
        if (status != TD_OK && status != TD_ERROR_ARGUMENT)
            detail::fail(function, status, bound_);
        detail::check(function, status);
    }

    model robot_;
    detail::binding bound_;
    std::vector<std::size_t> rows_; /* of packed factors, to learn their size in a chart */
};

} // namespace tandem
#endif
