# SPDX-License-Identifier: MIT
"""The C++ operations (include/tandem/operations.hpp), from the table in operations.py and the C prototypes."""
import re

from operations import OPTIONAL, SHAPES, SHARED, Function

SIZES = ("nu", "nq", "nv", "links", "joints", "movable", "loops", "constraints")  # the same in all coordinates
FREE = {"ny": "positions", "nyd": "velocities", "n": "velocities", "entries": "entries", "config": "configuration"}
INDEPENDENT = {"ny": "ny", "nyd": "nyd", "n": "nyd"}
PLAIN = {**FREE, "ny": "configuration"}  # of functions without a workspace, which accept y and not the u of all charts
TYPES = {"double *": "output", "const double *": "input", "const unsigned char *": "bytes"}
ARGUMENTS = {"size_t": "std::size_t"}


class Method:
    """An operation as members of a class template, for one state and for batches."""

    def __init__(self, operation, prototype, has_batch):
        self.o, self.prototype, self.has_batch = operation, prototype, has_batch
        self.is_plain = any(p.name == "coordinates" for p in prototype.parameters)
        names = {p.name for p in prototype.parameters}
        in_tree = "q" in names or operation.independent
        own = PLAIN if self.is_plain else INDEPENDENT if in_tree or isinstance(operation, Function) else FREE
        self.sizes = {**{size: size for size in SIZES}, **own}
        self.arguments = [p for p in prototype.parameters if p.name not in ("model", "workspace", "coordinates")]

    def size(self, p, batch):
        """Returns the number of elements of an argument as a C++ expression."""
        shape = (self.o.shapes[p.name] if p.name in self.o.shapes else SHAPES[p.name]).split()
        factors = ["n"] if batch and p.name not in SHARED else []
        for word in shape:
            factors.append(word if word.isdigit() or word == "columns" else f"s.{self.sizes[word]}")
        return " * ".join(factors) or "1"

    def passed(self, p, batch):
        """Returns an argument as it is passed to the C function."""
        if p.type not in TYPES:
            return p.name
        missing = self.o.missing if p.type == "double *" else OPTIONAL - self.o.required
        last = ", false" if self.is_plain and p.name not in missing else ""
        return f'arg("{p.name}", {p.name}, {self.size(p, batch)}{last})'

    @staticmethod
    def declared(p):
        if p.type in TYPES:
            return f"{TYPES[p.type]} {p.name}"
        return f"{ARGUMENTS.get(p.type, p.type)} {p.name}".replace("* ", "*")

    def member(self, batch):
        name = "batch_" * batch + self.o.name
        parameters = ["std::size_t n"] * batch + [self.declared(p) for p in self.arguments]
        parameters += ["span<td_status> statuses"] * batch
        passed = ["n"] * batch + [self.passed(p, batch) for p in self.arguments]
        passed += ['arg("statuses", statuses, n)'] * batch
        result = {"td_status": "td_status" if batch else "returned", "void": "returned"}.get(self.prototype.result, self.prototype.result)
        how = "plain" if self.is_plain else "batch" if batch else "call"
        return (f"    {result} {name}({', '.join(parameters)}) noexcept(!Throws)\n    {{\n"
                f"        const binding &s = this->at();\n"
                f"        return this->{how}(__func__, td_{name}, {', '.join(passed)});\n    }}\n")

    def text(self):
        says = self.o.text or f"See td_{self.o.name}."
        return f"    /* {says} */\n" + self.member(False) + (self.member(True) if self.has_batch else "")


def header(methods, licence, made):
    """Returns operations.hpp."""
    text = licence + ("/*\n * The operations of a workspace in C++, which tandem/tandem.hpp includes: td_x is x, and td_batch_x is\n"
                      " * batch_x. Comments in the C headers describe arguments and failures. The body of each function\n"
                      " * states the size of each argument. batch_x throws only if the whole call fails, as for a wrong size. It\n"
                      " * returns the status of the first state that fails. Results of failed states are NaN.\n *\n *") + made
    text += "#ifndef TANDEM_OPERATIONS_HPP\n#define TANDEM_OPERATIONS_HPP\n\n#ifndef TANDEM_TANDEM_HPP\n"
    text += '#error "include tandem/tandem.hpp"\n#endif\n\nnamespace tandem::detail\n{\n\n'
    text += "/* If Throws, operations for one state return nothing and throw; otherwise they return a status. */\n"
    text += "template <class Self, bool Throws> class operations : public caller<Self, Throws>\n{\n"
    text += "    using returned = typename caller<Self, Throws>::returned;\n\n  public:\n"
    text += "\n".join(m.text() for m in methods)
    return re.sub(r"\n\n\n", "\n\n", text) + "};\n\n} // namespace tandem::detail\n#endif\n"
