# SPDX-License-Identifier: MIT
"""Writes the references of C, from the public headers, and of Python, from the package, as reStructuredText."""
import enum
import inspect
import re

import headers
from text import escaped, linked, paragraphs

ROLES = {"function": ":c:func:", "inline": ":c:func:", "struct": ":c:struct:", "enum": ":c:enum:", "type": ":c:type:", "macro": ":c:macro:"}
TABLE_ROW = re.compile(r"X\((\w+),\s*\"([^\"]*)\"\)")


def heading(text, mark):
    return [text, mark * len(text), ""]


# ---- C

def c_roles(all_headers):
    roles = {}
    for header in all_headers:
        for _, declaration in header.declarations():
            roles[declaration.name] = ROLES[declaration.kind]
            if declaration.kind == "enum":
                roles.update({member.name: ":c:enumerator:" for member in declaration.members})
    return roles


def rows_of_tables(text):
    """Returns enumerators that a macro generates, as for td_status, by the name of the macro."""
    tables = {}
    for name, body in re.findall(r"#define (\w+)\(X\)((?:[^\n]*\\\n)*[^\n]*)", text):
        tables[name] = [headers.Member(code, code, words) for code, words in TABLE_ROW.findall(body)]
    return tables


def each_member(text):
    """Splits "double lower, *upper" into "double lower" and "double *upper"."""
    if "(" in text or "," not in text:
        return [text]
    kind, rest = re.match(r"((?:const )?(?:unsigned |struct )?\w+)\s+(.*)", text).groups()
    return [f"{kind} {part.strip()}" for part in rest.split(",")]


def c_declaration(declaration, comment, roles):
    lines = []
    kind = "function" if declaration.kind == "inline" else declaration.kind
    if kind in ("function", "macro", "type"):
        lines = [f".. c:{kind}:: {declaration.text}", ""]
    else:
        lines = [f".. c:{kind}:: {declaration.name}", ""]
    lines += comment and paragraphs(comment, roles, "   ")
    for member in declaration.members:
        if member.name == "size_of":
            continue
        what = "enumerator" if declaration.kind == "enum" else "member"
        texts = [member.name] if what == "enumerator" else each_member(member.text)
        lines += [f"   .. c:{what}:: {texts[0]}"] + [" " * (9 + len(what) - 3) + text for text in texts[1:]] + [""]
        lines += paragraphs(member.comment, roles, "      ") if member.comment else []
    return lines


def c_page(header, roles, source):
    lines = heading(header.name, "=") + [f"``#include <tandem/{header.name}>``", ""] + paragraphs(header.purpose, roles)
    tables, known = rows_of_tables(source), set()
    for section in header.sections:
        lines += heading(escaped(section.title), "-") if section.title else []
        for group in section.groups:
            first = True
            for declaration in group.declarations:
                if declaration.name in tables or declaration.name in known:  # known: in another branch of #if
                    continue
                known.add(declaration.name)
                if declaration.kind == "enum" and not [m for m in declaration.members if m.name.startswith("TD_")]:
                    declaration.members = next(iter(tables.values()), [])
                seen, members = set(), []
                for member in declaration.members:  # "double lower, upper": once
                    if member.text not in seen:
                        members.append(member)
                    seen.add(member.text)
                declaration.members = members
                lines += c_declaration(declaration, group.comment if first else "", roles)
                first = False
    return lines


def write_c(include, target):
    """Writes the pages. Returns their names, and the roles of all symbols."""
    all_headers = headers.read_all(include)
    roles = c_roles(all_headers)
    for header in all_headers:
        for rows in rows_of_tables((include / header.name).read_text(encoding="utf-8")).values():
            roles.update({row.name: ":c:enumerator:" for row in rows if row.name.startswith("TD_")})
    for header in all_headers:
        source = (include / header.name).read_text(encoding="utf-8")
        (target / (header.name[:-2] + ".rst")).write_text("\n".join(c_page(header, roles, source)) + "\n", encoding="utf-8")
    names = [header.name[:-2] for header in all_headers]
    first = ["tandem", "urdf", "model", "workspace", "closure", "dynamics", "kinematics", "derivatives"]
    return [name for name in first if name in names] + [name for name in names if name not in first], roles


# ---- Python

GROUPS = [
    ("Robots and how they are loaded", ["load", "read_model", "version", "Builder", "OwnClosure", "Robot", "Tree", "Names", "Changes", "Payload", "Forces",
                                         "Wrench"]),
    ("What calls return and raise", ["Error", "ModelError", "DynamicsError", "Diagnostic", "Severity", "Status", "Closure", "ClosureReport",
                                      "ActuationReport", "Terms", "Array", "Frame", "Scope"]),
    ("Inverse kinematics, completion", ["Goal", "GoalKind", "IkStatus", "Posture", "Postures", "Path", "InverseKinematicsRate", "Rate",
                                         "RateStatus", "Completion", "Completed"]),
    ("Linear models", ["Linear", "Compliance", "regulator"]),
    ("Motion over time", ["Simulation", "Motion", "Instant", "Action", "Event", "EventKind", "Counts", "Trajectory", "TimeScale", "LimitKind"]),
    ("Recordings", ["recording", "Recording", "filtered", "derivatives", "noise_level", "choose_cutoff", "outliers", "repaired", "unwrapped"]),
    ("Poses and rotations", ["pose_compose", "pose_exp", "pose_inverse", "pose_join", "pose_log", "pose_matrix", "pose_split",
                             "quaternion_from_rotation", "rotation_from_quaternion", "rotation_from_rpy"]),
    ("Ground reactions", ["center_of_pressure", "zero_moment_point", "split_wrench", "Pressure"]),
    ("Pages", ["Viewer", "Page"]),
]


def signature(thing):
    try:
        text = str(inspect.signature(thing))
    except (TypeError, ValueError):
        return "()"
    text = re.sub(r"(: |-> )'([^']*)'", r"\1\2", text).replace("npt.ArrayLike", "ArrayLike")
    text = re.sub(r"\b_\w+\.", "", text)
    text = re.sub(r"\(self(, )?", "(", text)
    text = re.sub(r"<(\w+\.\w+): [^>]*>", r"\1", text)  # enumerators
    return re.sub(r"= <[^>]*>", "= ...", text)


def py_doc(thing, roles, indent):
    return paragraphs(inspect.getdoc(thing) or "", roles, indent)


def py_class(name, thing, roles):
    is_enum = issubclass(thing, enum.Enum)
    head = name if is_enum or issubclass(thing, BaseException) else name + signature(thing)
    lines = [f".. py:class:: {head}", ""] + py_doc(thing, roles, "   ")
    if is_enum:
        return lines + ["   " + ", ".join(f"``{member.name}``" for member in thing), ""]
    fields = list(getattr(thing, "__dataclass_fields__", {})) or list(getattr(thing, "_fields", ()))
    if fields:
        notes = getattr(thing, "__annotations__", {})
        lines += [f"   :{field}: ``{re.sub('_[a-z]+[.]', '', str(notes.get(field, '')))}``" for field in fields if not field.startswith("_")] + [""]
    members = {}
    for base in reversed(thing.__mro__):
        if base.__module__.startswith("tandem"):
            members.update(vars(base))
    for member, inside in sorted(members.items()):
        if member.startswith("_") or member in fields:
            continue
        inside = getattr(inside, "__func__", inside)
        if isinstance(inside, property):
            lines += [f"   .. py:property:: {member}", ""] + py_doc(inside, roles, "      ")
        elif inspect.isroutine(inside):
            lines += [f"   .. py:method:: {member}{signature(inside)}", ""] + py_doc(inside, roles, "      ")
    return lines


def py_thing(name, thing, roles):
    if inspect.isclass(thing):
        return py_class(name, thing, roles)
    if inspect.isroutine(thing):
        return [f".. py:function:: {name}{signature(thing)}", ""] + py_doc(thing, roles, "   ")
    return [f".. py:data:: {name}", "", f"   {escaped(str(thing))}", ""]


def write_python(target, roles):
    """Writes the pages. Returns their names."""
    import tandem

    public = {name: getattr(tandem, name) for name in dir(tandem) if not name.startswith("_") and not inspect.ismodule(getattr(tandem, name))}
    groups = GROUPS + [("Records", sorted(set(public) - {name for _, names in GROUPS for name in names}))]
    pages = []
    for title, names in groups:
        page = re.sub(r"[^a-z]+", "-", title.lower()).strip("-")
        lines = heading(title, "=") + [".. py:currentmodule:: tandem", ""]
        for name in names:
            if name in public:
                lines += py_thing(name, public[name], roles)
        (target / f"{page}.rst").write_text("\n".join(lines) + "\n", encoding="utf-8")
        pages.append(page)
    return pages
