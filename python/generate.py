# SPDX-License-Identifier: MIT
"""Generates, from the public headers and lib/dynamics/operations.py,

    _tandem.c      cffi's module with all declarations
    thunks.c       wrappers with a common signature for functions of states (call.h)
    _functions.py  a method for each function, with its shapes and types

    python3 generate.py OUTPUT_DIRECTORY HEADERS_DIRECTORY INCLUDE... -- COMPILER...
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib" / "dynamics"))

import headers_c
import prototypes as headers
from methods import functions_module
from operations import OPERATIONS, OPTIONAL, SHAPES, SHARED, Function

KINDS = {name: number for number, name in
         enumerate(["in", "out", "shared", "bytes", "pointer", "index", "number", "real", "none"])}
SIZES = ["ny", "nyd", "nq", "nv", "nu", "links", "joints", "constraints", "loops", "entries", "movable"]


class Argument:
    """A function's argument, in the order of the library without model and workspace."""

    def __init__(self, kind, name, shape=None, c_type=""):
        self.kind, self.name, self.shape, self.c_type = kind, name, shape, c_type


class Call:
    """A function with its prototypes, as Python calls it."""

    def __init__(self, function, prototypes):
        self.f = function
        self.c_name = "td_" + function.name
        self.batch_name = "td_batch_" + function.name
        self.prototype = prototypes[self.c_name]
        self.has_batch = self.batch_name in prototypes
        self.arguments = []
        for p in self.prototype.parameters:
            if p.name not in ("model", "workspace", "coordinates"):
                self.arguments.append(self.argument(function, p))
        if self.prototype.result == "double":
            self.arguments.append(Argument("out", "result", []))
        outputs = tuple(a.name for a in self.arguments if a.kind == "out")
        self.undefined = outputs if function.undefined == "all" else tuple(function.undefined)

    @property
    def is_free(self):
        """Returns true if it computes in the coordinates of the workspace, so that robot.tree has it too."""
        if isinstance(self.f, Function):
            return any(p.name == "coordinates" for p in self.prototype.parameters)
        return not self.f.independent and all(p.name != "q" for p in self.prototype.parameters)

    def argument(self, function, p):
        if p.type in ("const double *", "double *"):
            shape = function.shapes.get(p.name, SHAPES.get(p.name))
            if shape is None:
                sys.exit(f"operations.py has no shape for {p.name} of {self.c_name}")
            kind = "out" if p.type == "double *" else "shared" if p.name in SHARED else "in"
            return Argument(kind, p.name, self.shape(shape))
        kinds = {"const unsigned char *": "bytes", "const td_forces *": "pointer", "size_t": "index",
                 "const td_constraint_options *": "pointer", "td_frame": "number", "td_scope": "number", "double": "real"}
        if p.type not in kinds:
            sys.exit(f"{self.c_name} takes {p.type} {p.name}, which generate.py does not know")
        return Argument(kinds[p.type], p.name, self.shape(SHAPES.get(p.name, "")), p.type)

    @staticmethod
    def shape(text):
        """Returns a shape in sizes of the handle. The tree has different ny, nyd and entries."""
        own = {"n": "nyd", "config": "ny"}
        return [own.get(word, word) for word in text.split()]


def thunk(name, called, batch):
    """Returns the wrapper of a C function with the signature td_thunk."""
    fields = {"index": "size", "number": "number", "real": "real"}
    prototype = called.prototype
    passed = []
    for p in prototype.parameters:
        if p.name == "model":
            passed.append("model")
        elif p.name == "coordinates":
            passed.append("td_used_coordinates(workspace)")
        elif p.name == "workspace":
            passed += ["workspace", "n"] if batch else ["workspace"]
    for i, a in enumerate(called.arguments):
        if prototype.result == "double" and i == len(called.arguments) - 1:
            continue
        value = f"a[{i}].{fields.get(a.kind, 'p')}"
        passed.append(f"({a.c_type}){value}" if a.kind == "number" else value)
    if batch:
        passed.append("each")
    call = f"{name}({', '.join(passed)})"
    body = {"td_status": f"return {call};",
            "void": f"{call};\n    return TD_OK;",
            "double": f"*(double *)a[{len(called.arguments) - 1}].p = {call};\n    return TD_OK;"}[prototype.result]
    return (f"static td_status thunk_{name}(const td_model *model, td_workspace *workspace, size_t n,\n"
            f"    const td_slot *a, td_status *each)\n{{\n    (void)model, (void)workspace, (void)n, (void)a, (void)each;\n"
            f"    {body}\n}}\n")


TERMS = ["H", "C", "gravity", "poses", "velocities", "accelerations", "com", "centroidal_momentum_matrix", "energy"]


def terms_thunk(name, batch):
    """Returns the wrapper of td_dynamics_terms, whose outputs are in a struct. Arguments: y, yd, forces, frame, then the
    outputs, each NULL or an array."""
    filled = "".join(f"    terms.{field} = a[{i}].p;\n" for i, field in enumerate(TERMS, 4))
    count, each = (", n", ", each") if batch else ("", "")
    return (f"static td_status thunk_{name}(const td_model *model, td_workspace *workspace, size_t n,\n"
            f"    const td_slot *a, td_status *each)\n{{\n    (void)n, (void)each;\n"
            f"    td_terms terms = td_terms_default();\n    terms.frame = (td_frame)a[3].number;\n{filled}"
            f"    return {name}(model, workspace{count}, a[0].p, a[1].p, a[2].p, &terms{each});\n}}\n")


def thunks(calls):
    """Returns the C source, and the index of each function."""
    index, text = {}, ['/* generated by python/generate.py */\n#include "call.h"\n']
    for c in calls:
        index[c.c_name] = len(index)
        text.append(thunk(c.c_name, c, False))
        if c.has_batch:
            index[c.batch_name] = len(index)
            text.append(thunk(c.batch_name, c, True))
    for name in ("td_dynamics_terms", "td_batch_dynamics_terms"):
        index[name] = len(index)
        text.append(terms_thunk(name, name.startswith("td_batch_")))
    text.append("const td_thunk td_thunks[] = {\n" + "".join(f"    thunk_{name},\n" for name in index) + "};\n")
    text.append("const size_t td_thunk_count = sizeof td_thunks / sizeof *td_thunks;\n")
    return "\n".join(text), index


def op_spec(called, index):
    """Returns the arguments of tandem._call.Op."""
    def dimension(word):
        return -1 - SIZES.index(word) if word in SIZES else int(word)

    arguments = tuple((KINDS[a.kind], a.name, tuple(map(dimension, a.shape or ()))) for a in called.arguments)
    return (called.f.name, index[called.c_name], index.get(called.batch_name, -1), arguments, called.undefined)


def terms_spec(index):
    """Returns for dynamics_terms the arguments of Op (name, functions for one state and for batches), and the terms that can
    be NaN."""
    undefined = next(f.undefined for f in OPERATIONS if f.name == "dynamics_terms")
    spec = ("dynamics_terms", index["td_dynamics_terms"], index["td_batch_dynamics_terms"])
    return f"\n\nDYNAMICS_TERMS = {spec!r}\nUNDEFINED_TERMS: Tuple[str, ...] = {tuple(undefined)!r}\n"


def cffi_source(declarations):
    import cffi

    ffi = cffi.FFI()
    ffi.cdef("#define TD_NONE ...\n" + declarations)
    ffi.cdef('extern "Python" int tandem_python_closure(const void *, const double *, const double *, '
             'double *, double *, double *);'
             'extern "Python" int tandem_python_derivatives(const void *, const double *, const double *, '
             'const double *, const double *, double *, double *, double *);')
    ffi.cdef('extern "Python" td_status tandem_python_act(void *, const td_action *);'
             'extern "Python" td_status tandem_python_motion(void *, double, double *, double *, double *);')
    ffi.set_source("tandem._tandem", "#include <string.h>\n" + headers_c.INCLUDES)
    return ffi


def main():
    output, directory = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    split = sys.argv.index("--")
    declarations = headers_c.preprocess(sys.argv[split + 1:], pathlib.Path(__file__).parent, sys.argv[3:split])
    prototypes = headers.prototypes(directory)
    calls = [Call(f, prototypes) for f in OPERATIONS if f.text]
    source, index = thunks(calls)
    output.mkdir(parents=True, exist_ok=True)
    (output / "thunks.c").write_text(source, encoding="utf-8")
    cffi_source(declarations).emit_c_code(str(output / "_tandem.c"))
    specs = {c.c_name: op_spec(c, index) for c in calls}
    (output / "_functions.py").write_text(
        functions_module(calls, specs, headers_c.comments(directory), OPTIONAL) + terms_spec(index), encoding="utf-8")


main()
