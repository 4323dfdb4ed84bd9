#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes what operations.py says it does into the sources, by clang-format where it is at hand.

    python3 lib/dynamics/generate.py           writes
    python3 lib/dynamics/generate.py --check   says in TAP whether what is there is what would be written, spaces aside
"""
import itertools
import pathlib
import re
import shutil
import subprocess
import sys

import prototypes as headers
from operations import OPERATIONS, OPTIONAL, SHAPES, Function

here = pathlib.Path(__file__).resolve().parent
root = here.parent.parent
SOURCES = ["closure", "dynamics", "derivatives", "kinematics", "constraint", "actuation"]  # headers with operations
PROTOTYPES = headers.prototypes(root / "include" / "tandem")

LICENCE = "/* SPDX-License-Identifier: MIT */\n"
MADE = " Made by generate.py of the rows in operations.py;\n * change those.\n */\n"
SITES = {  # sizes, at a site
    "ny": "td_site_positions(site)", "nyd": "n", "n": "n", "nq": "td_site_tree_positions(site)",
    "nv": "td_site_tree_velocities(site)", "nu": "td_site_motors(site)", "links": "td_site_links(site)", "movable": "td_site_movable(site)",
    "joints": "td_site_joints(site)", "loops": "td_site_loops(site)", "constraints": "td_site_constraints(site)",
    "entries": "td_site_entries(site)",
}


def product(words, names):
    """A shape as C: "links 3 4" becomes 12 * links."""
    number, parts = 1, []
    for word in words.split():
        if word.isdigit():
            number *= int(word)
        else:
            parts.append(names.get(word, word))
    return " * ".join(([str(number)] if number > 1 or not parts else []) + parts)


class Row:
    """An operation with its prototypes."""

    def __init__(self, operation):
        self.o = operation
        self.prototype = PROTOTYPES.get(f"td_{operation.name}")
        if not self.prototype:
            sys.exit(f"no public header has td_{operation.name}, which is in operations.py")
        self.check_order()
        self.arguments = self.of_states(self.prototype)
        self.configuration = next((p.name for p in self.arguments if p.name in ("y", "q") and not self.is_output(p)), "none")
        self.is_free = self.configuration != "q" and not operation.independent  # in the coordinates of the workspace
        self.batches = self.is_free if operation.batch is None else operation.batch
        self.is_full = self.batches and self.is_free

    @staticmethod
    def of_states(prototype):
        return [p for p in prototype.parameters if p.name not in ("model", "workspace")]

    def check_order(self):
        """What is asked about, the state, what acts, the frame or scope, outputs: dynamics.h says so."""
        groups = [("link", "point", "loop", "spring"), ("y", "yd", "ydd", "q", "qd", "qdd"), ("forces",), ("frame", "scope")]
        found = [next((k for k, group in enumerate(groups) if p.name in group), None) for p in self.of_states(self.prototype)
                 if not self.is_output(p)]
        ranks = [k for k in found if k is not None]
        if ranks != sorted(ranks) or (3 in ranks and found[-1] != 3):
            sys.exit(f"td_{self.o.name} has its arguments in another order than the others")

    @staticmethod
    def is_output(p):
        return p.type == "double *"

    def shape(self, name):
        text = self.o.shapes.get(name, SHAPES.get(name))
        if text is None:
            sys.exit(f"operations.py has no shape for {name} of {self.o.name}")
        return text

    def output_names(self):
        return self.o.outputs or [p.name for p in self.arguments if self.is_output(p)]

    # ---- C

    @staticmethod
    def is_row(p):
        """Whether it is read or written per state; p is an input or an output."""
        return Row.is_output(p) or (p.type == "const double *" and p.name not in ("point", "weight"))

    def given(self, name):
        """The member that an output has on entry, where it holds something then."""
        return f"given_{name}"

    def struct_name(self):
        return f"td_{self.o.arguments or self.o.name}_arguments"

    def members(self):
        """Of its struct of arguments, types and names: those of the prototype, rows as reals."""
        for p in self.arguments:
            if p.name in self.o.inout:
                yield "const td_reals *", self.given(p.name)
            if self.is_row(p):
                yield "td_reals *" if self.is_output(p) else "const td_reals *", p.name
            else:
                yield p.type if p.type.endswith("*") else f"{p.type} ", p.name

    def declarations(self):
        """The members, a line for each run of one type."""
        for type, members in itertools.groupby(self.members(), lambda member: member[0]):
            star = "*" if type.endswith("*") else ""
            yield type.removesuffix("*") + ", ".join(star + name for _, name in members) + ";"

    def struct(self):
        if self.o.arguments:
            same = next(r for r in ROWS if r.o.name == self.o.arguments)
            if list(same.members()) != list(self.members()):
                sys.exit(f"{self.o.name} and {self.o.arguments} have other arguments")
            return ""
        return f"typedef struct {self.struct_name()} {{\n    " + "\n    ".join(self.declarations()) + f"\n}} {self.struct_name()};\n"

    def set_up(self):
        """The lines that check the arguments, and say which of them are rows."""
        lines = []
        for p in self.arguments:
            name = p.name
            required = str(name not in OPTIONAL - self.o.required).lower()
            if name in ("y", "q") and not self.is_output(p):
                needed = f"{self.o.needs}(site)" if self.o.needs else "true"
                lines.append(f"td_call_positions(&call, site, a, {name}, {needed});")
            elif self.is_output(p):
                if name in self.o.inout:
                    lines.append(f"td_call_input(&call, a, {self.given(name)}, {product(self.shape(name), SITES)}, true);")
                wanted = str(name not in self.o.missing).lower()
                if name in self.o.direct:
                    lines.append(f"td_call_direct_output(&call, a, {name}, {product(self.shape(name), SITES)}, {wanted});")
                elif name in self.o.masses:
                    lines.append(f"td_call_matrix_output(&call, site, a, {name}, TD_MATRIX_{self.o.form}, {wanted});")
                else:
                    lines.append(f"td_call_output(&call, a, {name}, {product(self.shape(name), SITES)}, {wanted});")
            elif self.is_row(p):
                lines.append(f"td_call_input(&call, a, {name}, {product(self.shape(name), SITES)}, {required});")
            elif name == "forces":
                lines.append(f"td_call_{'passive' if self.o.passive else 'forces'}(&call, site, &known, &a->forces);")
            elif name == "point":
                lines.append("td_call_point(&call, &a->point);")
            elif name != "axes":
                lines.append(f"td_call_{name}(&call, site, a->{name});")
        return lines

    def call(self):
        """How it is called at a site: static, in entries of its header; of one that has the arguments of another, as that."""
        runs = f"TD_RUNS({self.o.name})\n"
        if self.o.arguments:
            return runs
        body = self.set_up()
        given = ", td_operation run" * self.is_shared()
        text = runs + f"TD_INLINED td_status call_{self.o.name}(const td_site *site{given}, {self.struct_name()} *a)\n{{\n"
        text += "    if (!td_site_is_valid(site))\n        return td_check_pair(site->model, site->workspace);\n"
        if any(re.search(r"\bn\b", line) for line in body):
            text += "    const size_t n = td_site_velocities(site);\n"
        text += "    td_forces known;\n" * any("&known" in line for line in body) + "    td_call call;\n"
        text += f"    td_call_begin(&call, {'run' if given else f'run_{self.o.name}'}, a);\n"
        if self.o.solves:
            text += f"    td_call_solve(&call, {self.o.solves});\n"
        if self.o.matrices:
            text += f"    td_call_matrices(&call, {self.o.matrices});\n"
        text += "".join(f"    {line}\n" for line in body)
        return text + "    return td_call_run(site, &call);\n}\n\n"

    def is_shared(self):
        """Whether others have its arguments, and are called as it is."""
        return any(r.o.arguments == self.o.name for r in ROWS)

    def staged(self):
        """The reals of its rows in a batch: inputs and outputs that are always there, and those that may be missing,
        without what operations write to the caller's rows."""
        names = [p.name for p in self.arguments if self.is_row(p) and not self.is_output(p)]
        outputs = [name for name in self.output_names() if name not in (*self.o.masses, *self.o.direct)]
        missing = outputs if "terms" in self.o.missing else [name for name in outputs if name in self.o.missing]
        names += [*self.o.inout, *(name for name in outputs if name not in missing)]
        sizes = [self.shape(name) for name in names]
        if any(p.name == "forces" for p in self.arguments) and not self.o.passive:
            sizes.append("links 6")  # wrenches
        return staged_row(self.o, sizes, [self.shape(name) for name in missing])

    def coordinates(self):
        if self.is_free:
            return "td_coordinates_at(workspace)"
        return "TD_COORDINATES_TREE" if self.configuration == "q" else "TD_COORDINATES_INDEPENDENT"

    def entry(self, batch):
        site = f"TD_SINGLE(model, workspace, {self.coordinates()})"
        if batch:
            site = f"TD_BATCH(model, workspace, {self.coordinates()}, n, statuses)"
        if self.o.by_hand:
            call = f"td_run_{self.o.name}({', '.join([site] + [p.name for p in self.arguments])})"
        else:
            members = [p.name for p in self.arguments for _ in range(2 if p.name in self.o.inout else 1)]
            run = f", run_{self.o.name}" * (self.is_shared() or self.o.arguments is not None)
            call = f"call_{self.o.arguments or self.o.name}({site}{run}, &({self.struct_name()}){{{', '.join(members)}}})"
        return f"{declaration(self.prototype, batch)}\n{{\n    return {call};\n}}\n\n"

    def source(self):
        text = "" if self.o.by_hand else self.call()
        return text + self.entry(False) + (self.entry(True) if self.batches else "")

    def internal(self):
        if self.o.by_hand:
            return f"td_status td_run_{self.o.name}(const td_site *site, {', '.join(p.text for p in self.arguments)});\n"
        return f"{self.struct()}void td_op_{self.o.name}(const td_eval *eval, const {self.struct_name()} *a);\n\n"

    def batch_prototype(self):
        return f"TD_API {declaration(self.prototype, True)};\n" if self.batches else ""

    # ---- lists

    def takes(self):
        names = [p.name for p in self.arguments if not self.is_output(p) or p.name in self.o.inout]
        names += ["frame"] if self.o.name == "dynamics_terms" else []
        flags = [f"TAKES({name.upper()})" for name in names]
        flags += ["SOLVES"] if self.o.solves else []
        flags += ["MATRICES"] if self.o.matrices == "true" else []
        flags += ["MAY_LACK_OUTPUTS"] if self.o.missing else []
        return " | ".join(flags)

    def passed(self, batch=False):
        outputs, parts = 0, ["IN(n)"] * batch
        for p in self.arguments:
            parts.append(f"OUT({outputs})" if self.is_output(p) else f"IN({p.name})")
            outputs += self.is_output(p)
        return f"({', '.join(parts + ['IN(statuses)'] * batch)})"

    def row(self):
        sizes = ", ".join(product(self.shape(name), {"ny": "positions", "nyd": "n"}) for name in self.output_names())
        return f"X({self.o.name}, {self.takes()}, {self.passed()}, ({sizes}))"

    def other_rows(self):
        for tree in [False] + [True] * self.is_free:
            for batch in [False] + [True] * self.batches:
                name, passed = "batch_" * batch + self.o.name, self.passed(batch)
                configuration = self.configuration
                if tree:
                    passed = re.sub(r"\((y|yd|ydd)\)", lambda m: f"({m[1].replace('y', 'q')})", passed)
                    configuration = configuration.replace("y", "q")
                yield f"X({'tree_' * tree}{name}, {name}, {'TREE' if tree else 'INDEPENDENT'}, {configuration}, {passed})"


def staged_row(operation, sizes, missing):
    """A row of stage.c."""
    names = {"nyd": "n"}
    reals = " + ".join(product(size, names) for size in sizes)
    others = ", ".join(product(size, names) for size in missing)
    return (f"/* {operation.name} */ {{TD_SCOPE_{operation.scope or 'stage'}, {str(operation.matrices == 'true').lower()}, {reals}"
            f", {{{others or 0}}}}},")


def declaration(prototype, batch):
    parts = [p.text for p in prototype.parameters]
    name = prototype.name
    if batch:
        at = [p.name for p in prototype.parameters].index("workspace") + 1
        parts = parts[:at] + ["size_t n"] + parts[at:] + ["td_status *statuses"]
        name = "td_batch_" + name.removeprefix("td_")
    return f"{prototype.result} {name}({', '.join(parts)})"


def macro(name, rows):
    """A macro of many lines, which clang-format breaks where they are too long."""
    return f"#define {name}(X) \\\n" + " \\\n".join("    " + row for row in rows) + "\n"


ROWS = [Row(o) for o in OPERATIONS if not isinstance(o, Function)]


def of_header(name):
    """In the order of the header."""
    order = list(PROTOTYPES)
    return sorted((r for r in ROWS if r.prototype.header == name), key=lambda r: order.index(r.prototype.name))


def entries(name):
    text = LICENCE + f"/*\n * The functions of {name}.h: how each is called, and its forms." + MADE
    text += f'#include "tandem/{name}.h"\n\n#include "dynamics/arguments.h"\n#include "dynamics/operations.h"\n'
    text += '#include "tandem/batch.h"\n\n'
    return text + "\n".join(r.source().rstrip("\n") + "\n" for r in of_header(name))


def stage():
    text = LICENCE + "/*\n * How much the rows of a batch take at most." + MADE + '#include "dynamics/arguments.h"\n\n'
    sums = "".join(f"        {r.staged()}\n" for r in ROWS if r.batches)
    sums += "".join(f"        {staged_row(o, o.staged, [])}\n" for o in OPERATIONS
                    if isinstance(o, Function) and o.staged)
    text += """/* What the rows of an operation take that opens a scope: inputs, and outputs that are always there;
   and each output that may be missing. */
typedef struct staged_rows {
    td_scope_name scope;
    bool matrices; /* only in workspaces with matrices */
    size_t always, optional[TD_MOST_OUTPUTS];
} staged_rows;

static size_t stage_of(const staged_rows *rows, size_t most)
{
    size_t staged = rows->always, largest = 0, count = 0;
    for (size_t i = 0; i < TD_MOST_OUTPUTS; i++) {
        const size_t reals = rows->optional[i];
        staged += reals;
        count = reals > largest ? 1 : count + (reals == largest);
        largest = reals > largest ? reals : largest;
    }
    return td_stage_of(staged, largest, largest ? count : 0, most);
}

static size_t most_at(const td_site *site, bool matrices, td_scope_name scope)
{
"""
    text += "".join(f"    const size_t {name} = {at};\n" for name, at in {**SITES, "n": "td_site_velocities(site)"}.items()
                    if name != "nyd" and re.search(rf"\b{name}\b", sums))
    return text + f"    const staged_rows rows[] = {{\n{sums}    }};\n" + """    const size_t together = td_stage_most(site->model, site->model->batch);
    size_t most = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].scope != scope || (rows[i].matrices && !matrices))
            continue;
        const size_t reals = stage_of(&rows[i], together);
        most = reals > most ? reals : most;
    }
    return most;
}

size_t td_stage_reals(const td_model *model, bool matrices, td_scope_name scope)
{
    const size_t y = most_at(TD_SINGLE(model, NULL, TD_COORDINATES_INDEPENDENT), matrices, scope);
    const size_t q = most_at(TD_SINGLE(model, NULL, TD_COORDINATES_TREE), matrices, scope);
    return y > q ? y : q;
}
"""


def operations_header():
    text = LICENCE + ("/*\n * The arguments of each operation, and what the sources of this folder define for those in entries/: the\n"
                      " * operations over reals, td_op_; and where a call is set up by hand, td_run_. Members have the names that\n"
                      " * arguments have in the public headers. Inputs that are left out are NULL, and outputs that are not wanted;\n"
                      " * given_ is what an output holds on entry.") + MADE
    text += '#ifndef TD_OPERATIONS_H\n#define TD_OPERATIONS_H\n\n#include "dynamics/call.h"\n'
    text += '#include "tandem/actuation.h"\n#include "tandem/kinematics.h"\n\n'
    for name in SOURCES:
        text += f"/* {name}.h */\n" + "".join(r.internal() for r in of_header(name)) + "\n"
    return text + "#endif\n"


def list_header():
    text = LICENCE + """/*
 * The operations of the library as lists. The including file defines the macro X and these:
 *
 *   TAKES(NAME)        an input of the operation
 *   SOLVES             factors a mass matrix; can return TD_ERROR_SINGULAR
 *   MATRICES           always needs a workspace with matrices
 *   MAY_LACK_OUTPUTS   outputs may be NULL and are then not computed
 *   IN(name), OUT(k)   an input argument, and the k-th output
 *
 * Sizes are for one state, in terms of n (nyd, or nv in the tree's coordinates), entries, nv,
 * links, movable (joints), joints, loops.
 *
 *""" + MADE
    text += "#ifndef TD_OPERATION_LIST_H\n#define TD_OPERATION_LIST_H\n\n"
    text += ("/* X(name, its inputs, its arguments, the sizes of its outputs), for operations in the coordinates of the "
             "workspace: td_name and td_batch_name */\n")
    ordered = [r for name in SOURCES for r in of_header(name)]
    text += macro("TD_OPERATIONS", [r.row() for r in ordered if r.is_full]) + "\n"
    text += "/* X(row, name, coordinates of the workspace, its configuration (y, q or none), its arguments), for the other operations: td_name */\n"
    text += macro("TD_OTHER_OPERATIONS", [row for r in ordered if not r.is_full for row in r.other_rows()])
    return text + "\n#endif\n"


def batch_header():
    """The header as it is, with the prototypes below each comment that names a header in brackets, "(dynamics.h)"."""
    text = (root / "include" / "tandem" / "batch.h").read_text(encoding="utf-8")
    for name in SOURCES:
        pairs = "\n".join(filter(None, (r.batch_prototype() for r in of_header(name))))
        text, count = re.subn(rf"(/\*(?:(?!\*/).)*\({name}\.h\)(?:(?!\*/).)*\*/\n).*?(?=/\*|#ifdef)",
                              lambda m: f"{m[1]}\n{pairs}\n", text, count=1, flags=re.S)
        if bool(count) != bool(pairs):
            sys.exit(f"batch.h has {'a' if count else 'no'} comment with ({name}.h)")
    return text


def outputs():
    found = {here / "entries" / f"{name}.c": entries(name) for name in SOURCES}
    found[here / "entries" / "stage.c"] = stage()
    found[here / "operations.h"] = operations_header()
    found[root / "test" / "operation_list.h"] = list_header()
    found[root / "include" / "tandem" / "batch.h"] = batch_header()
    return found


def formatted(path, text):
    if not shutil.which("clang-format"):
        return text
    command = ["clang-format", f"--assume-filename={path}"]
    for _ in range(2):  # comments within lists of numbers take it two passes
        text = subprocess.run(command, input=text, text=True, check=True, stdout=subprocess.PIPE).stdout
    return text


def essence(text):
    """What the compiler and readers see, however it is broken into lines."""
    return re.sub(r"[\s\\*]+", "", text)


def main():
    found = outputs()
    if "--check" not in sys.argv:
        for path, text in found.items():
            path.parent.mkdir(exist_ok=True)
            path.write_text(formatted(path, text), encoding="utf-8")
        return 0
    print(f"1..{len(found)}")
    stale = 0
    for number, (path, text) in enumerate(found.items(), 1):
        good = path.is_file() and essence(path.read_text(encoding="utf-8")) == essence(text)
        stale += not good
        print(f"{'' if good else 'not '}ok {number} - {path.relative_to(root)} is what generate.py makes of operations.py")
    return stale > 0


if __name__ == "__main__":
    sys.exit(main())
