# SPDX-License-Identifier: MIT
"""Completion in bash and zsh, and manual pages; prints TAP.

    python3 test/shells.py COMMAND ROBOTS SOURCE_ROOT

Uses zsh, groff and mandoc if available.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

command, robots, root = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:])
environment = {**os.environ, "TANDEM_ROBOTS": robots, "COLUMNS": "1000", "SOURCE_DATE_EPOCH": "0", "LC_ALL": "C.UTF-8"}
number, failed = 0, False


def check(title, fault):
    global number, failed
    number += 1
    print(f"{'not ok' if fault else 'ok'} {number} - {title}")
    for line in str(fault or "").splitlines():
        print("#", line)
    failed = failed or bool(fault)


def skip(title, reason):
    global number
    number += 1
    print(f"ok {number} - {title} # SKIP {reason}")


def run(*words, **options):
    return subprocess.run(words, capture_output=True, text=True, env=environment, stdin=subprocess.DEVNULL, **options)


def difference(found, expected):
    return "" if found == expected else f"found    {found}\nexpected {expected}"


# ---- lines, the last word of which is completed; what bash has in place of the part behind = or : ----------------

scratch = tempfile.TemporaryDirectory()
os.chdir(scratch.name)
pathlib.Path("robot.urdf").write_text("""<robot name="r"><link name="base"/><link name="lower arm"/><link name="`touch bad`"/>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="lower arm"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" velocity="1" effort="1"/></joint>
  <joint name="slide=x" type="prismatic"><parent link="lower arm"/><child link="`touch bad`"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" velocity="1" effort="1"/></joint></robot>""", encoding="utf-8")
pathlib.Path("broken.urdf").write_text("<robot", encoding="utf-8")
pathlib.Path("points.csv").write_text("", encoding="utf-8")
FILES = {"broken.urdf", "points.csv", "robot.urdf"}
JOINTS = {"shoulder=", "slide=x="}
# the line, whole words that may complete it, and whether files may
LINES = [
    ("tandem i", {"info", "id", "ik"}, False),
    ("tandem --v", {"--version"}, False),
    ("tandem help st", {"state"}, False),
    ("tandem id --qd", {"--qd", "--qdd"}, False),
    ("tandem id --pay", {"--payload"}, False),
    ("tandem fk --pay", set(), False),
    ("tandem fd --ba", {"--base"}, False),
    ("tandem id --base=f", {"--base=fixed", "--base=floating"}, False),
    ("tandem --base floating id robot.urdf -qsh", {"-qshoulder="}, False),
    ("tandem --json sim", {"simulate"}, False),
    ("tandem plot points.csv --robot tandem:gr", {"tandem:gripper"}, False),
    ("tandem id --base f", {"fixed", "floating"}, False),
    ("tandem id --frame ", {"aligned", "world", "body"}, False),
    ("tandem recording --frame ", {"aligned", "world", "body"}, False),
    ("tandem jacobian --frame ", {"aligned", "world", "body"}, False),
    ("tandem id robot.urdf -q ", JOINTS, False),
    ("tandem id robot.urdf -qsh", {"-qshoulder="}, False),
    ("tandem id robot.urdf --qdd=sh", {"--qdd=shoulder="}, False),
    ("tandem id robot.urdf -q shoulder=1,sl", {"shoulder=1,slide=x="}, False),
    ("tandem id robot.urdf -q shoulder=", set(), False),
    ("tandem id broken.urdf -q ", set(), False),
    ("tandem id none.urdf -q ", set(), False),
    ("tandem info robot.urdf --actuated s", {"shoulder", "slide=x"}, False),
    ("tandem recording robot.urdf points.csv --map elbow=s", {"elbow=shoulder", "elbow=slide=x"}, False),
    ("tandem fk robot.urdf --link l", {"lower arm"}, False),
    ("tandem fk robot.urdf --link `", {"`touch bad`"}, False),
    ("tandem id robot.urdf --wrench b", {"base="}, False),
    ("tandem recording robot.urdf points.csv --cable b", {"base:"}, False),
    ("tandem contributions robot.urdf sh", {"shoulder"}, False),
    ("tandem contributions -- robot.urdf sh", {"shoulder"}, False),
    ("tandem id tand", {"tandem:"}, True),
    ("tandem id tandem:grip", {"tandem:gripper"}, False),
    ("tandem id tandem:gripper -q driver", {"driver_joint="}, False),
    ("tandem plot points.csv --robot ", set(), True),
    ("tandem id ", set(), True),
    ("tandem id robot.urdf p", set(), True),
    ("tandem id robot.urdf --state ", set(), True),
    ("tandem nothing x", set(), False),
    ("tandem robots ", set(), False),
]


def candidates(line):
    words = line.split(" ")[1:]
    answer = run(command, "help", "--complete", str(len(words) - 1), *words)
    lines = answer.stdout.splitlines()
    names = {text.split("\t")[0] for text in lines if text != ":files"}
    return names, ":files" in lines, str(answer.returncode) + answer.stderr


for line, names, files in LINES:
    check(f"completes: {line}", difference(candidates(line), (names, files, "0")))
words = ["id", "-q", "", "robot.urdf"]
answer = run(command, "help", "--complete", "2", *words).stdout
check("completes before FILE", difference({text.split("\t")[0] for text in answer.splitlines()}, JOINTS))

# every option of every page is offered
names = re.findall(r"^  ([a-z]+) +\S", run(command, "help").stdout.split("Commands:")[1], re.M)
missing = []
for name in names:
    offered = candidates(f"tandem {name} -")[0]
    for option in re.findall(r"^ +(?:-[a-z], )?(--[a-z-]{2,})", run(command, "help", name).stdout, re.M):
        if option not in offered:
            missing.append(f"{name} {option}")
check("every option of every page is offered", "\n".join(missing))

# ---- bash --------------------------------------------------------------------------------------------------------

# COMP_WORDS as readline splits them: = and : are separate words
BASH = r"""
. "$1/tools/completion/tandem.bash"
shift
while IFS= read -r COMP_LINE; do
    COMP_POINT=${#COMP_LINE} COMP_WORDS=() COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
    rest=$COMP_LINE
    while [[ $rest =~ ^(\ +|[=:]+|[^\ =:]+) ]]; do
        part=${BASH_REMATCH[1]}
        rest=${rest#"$part"}
        [[ $part == \ * ]] || COMP_WORDS+=("$part")
    done
    [[ $COMP_LINE == *\  ]] && COMP_WORDS+=("")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    COMPREPLY=()
    _tandem "$2" "${COMP_WORDS[COMP_CWORD]}" ""
    printf '%s\n' "${COMPREPLY[@]}" ---
done
"""


def in_bash(lines):
    path = pathlib.Path("bin")
    path.mkdir(exist_ok=True)
    if not (path / "tandem").exists():
        (path / "tandem").symlink_to(command)
    done = subprocess.run(["bash", "-c", BASH, "bash", root, "x", str(path / "tandem")], capture_output=True, text=True,
                          env=environment, input="\n".join(lines) + "\n")
    return [set(filter(None, part.split("\n"))) for part in done.stdout.split("---\n")[:-1]], done.stderr


def tail(word, line):
    """Returns what bash inserts for the last part of the word."""
    typed = line.split(" ")[-1]
    kept = max(typed.rfind("="), typed.rfind(":")) + 1
    return re.sub(r"([ `])", r"\\\1", word[kept:])


if shutil.which("bash"):
    found, errors = in_bash([line for line, *_ in LINES])
    check("bash says nothing", errors)
    for (line, names, files), got in zip(LINES, found):
        expected = {tail(name, line) for name in names}
        if files:
            expected |= {name for name in FILES | {"bin"} if name.startswith(line.split(" ")[-1])}
        check(f"bash: {line}", difference(got, expected))
else:
    skip("completion in bash", "there is no bash")

# ---- zsh ---------------------------------------------------------------------------------------------------------

ZSH = r"""
compadd() { local -a all; all=(${(P)@[-1]}); print -rl -- $all }
_files() { print -r -- :files }
compset() { }
functions[_tandem]=$(<$1/tools/completion/_tandem)
while IFS= read -r line; do
    words=("${(@s: :)line}")
    words[1]=$2
    CURRENT=$#words
    PREFIX=$words[-1]
    _tandem
    print -r -- ---
done
"""
if shutil.which("zsh"):
    done = subprocess.run(["zsh", "-f", "-c", ZSH, "zsh", root, command], capture_output=True, text=True, env=environment,
                          input="\n".join(line for line, *_ in LINES) + "\n")
    check("zsh says nothing", done.stderr)
    for (line, names, files), got in zip(LINES, done.stdout.split("---\n")):
        check(f"zsh: {line}", difference(set(got.split("\n")) - {""}, names | ({":files"} if files else set())))
else:
    skip("completion in zsh", "there is no zsh")
check("names of a file are nothing that shells run", "it has run" if pathlib.Path("bad").exists() else "")

# ---- manual pages ------------------------------------------------------------------------------------------------

def section_of(name):
    return "7" if name in ("robot", "state", "table") else "1"


pages = {name: run(command, "help", "--man", *filter(None, [name])).stdout for name in ["", "help", *names, "robot", "state", "table"]}
faults = []
for name, text in pages.items():
    path = pathlib.Path(f"tandem{'-' if name else ''}{name}.{section_of(name)}")
    path.write_text(text, encoding="utf-8")
    plain = text.replace("\\-", "-").replace("\\(aq", "'").replace("\\fB", "").replace("\\fR", "").replace("\\fI", "")
    for option in re.findall(r"^ +(?:-[a-z], )?(--[a-z-]+)", run(command, "help", *filter(None, [name])).stdout, re.M):
        option = option if len(option) > 3 else option[1:]  # -q is never written as --q
        if not re.search(rf"^(-[a-zA-Z], )?{option}\b", plain, re.M):
            faults.append(f"{path}: no {option}")
    if ".TH TANDEM" not in text or "1970-01-01" not in text:
        faults.append(f"{path}: no title")
    headings = re.findall(r"^\.SH (.*)$", plain, re.M)
    optional = ["OPTIONS", "COMMANDS", "NOTES", "EXAMPLES"]
    order = [h for h in ["NAME", "SYNOPSIS", "DESCRIPTION", *optional, '"SEE ALSO"'] if h in headings or h not in optional]
    if headings != order:
        faults.append(f"{path}: sections {headings}")
    if (".TP\n" in plain) != ("OPTIONS" in headings):
        faults.append(f"{path}: options under no heading")
    others = plain.partition('.SH "SEE ALSO"\n')[2].splitlines()
    named = [re.fullmatch(r"\.BR tandem(?:-(\S+))? \((\d)\),?", line) for line in others]
    if not named or any(not n or (n[1] or "") not in pages or section_of(n[1]) != n[2] or n[1] == name for n in named):
        faults.append(f"{path}: see also {others}")
check("manual pages have the options of --help, and all sections", "\n".join(faults))
for tool, words in {"groff": ["-K", "utf8", "-T", "utf8", "-man", "-ww", "-z"], "mandoc": ["-T", "lint", "-W", "warning"]}.items():
    if shutil.which(tool):
        done = run(tool, *words, *sorted(str(path) for path in pathlib.Path(".").glob("tandem*.[17]")))
        check(f"{tool} reads manual pages without warnings", done.stdout + done.stderr)
    else:
        skip(f"{tool} reads manual pages without warnings", f"there is no {tool}")
check("a page of nothing is refused", difference(run(command, "help", "--man", "nothing").returncode, 2))

os.chdir("/")
print(f"1..{number}")
sys.exit(failed)
