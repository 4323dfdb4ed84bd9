# SPDX-License-Identifier: MIT
"""The build backend of pip (pyproject.toml). An sdist is what "meson dist" packs, and a wheel what "meson install" installs
with the tag python-runtime. Needs only meson, ninja, and what the package itself is built with.

config_settings: "setup-args", a word or words for "meson setup"; "build-dir", the folder of a wheel's build, which is kept; for
package/build-wheel.sh also "platform", the platform tag, and "licenses", a folder of licenses of libraries that are linked statically.
"""
import base64
import hashlib
import io
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
OPTIONS = ["-Dpython=enabled", f"-Dpython_interpreter={sys.executable}", "-Dtests=disabled", "-Dpeers=disabled", "-Dmpi=disabled",
           "-Dopenblas=disabled", "-Ddefault_library=static"]
PREFIX = "/wheel"  # a folder in the stage, which gets the files of the wheel


def run(*command, **environment):
    subprocess.run([str(word) for word in command], check=True, cwd=ROOT, env={**os.environ, **environment})


def setup(build, settings, *options):
    """Sets up a build, and returns the text of METADATA."""
    given = (settings or {}).get("setup-args", [])
    run("meson", "setup", build, ROOT, *OPTIONS, *options, *([given] if isinstance(given, str) else given))
    return (pathlib.Path(build) / "python" / "METADATA").read_text(encoding="utf-8")


def name_of(metadata):
    """Returns name and version, as file names have them."""
    return "-".join(re.search(f"^{field}: (.*)$", metadata, re.M)[1].replace("-", "_") for field in ("Name", "Version"))


def tag(settings):
    """Returns the tag of a wheel: the stable interface of the Python that python/call.h names, and the platform."""
    version = re.search(r"Py_LIMITED_API=0x03(..)", (ROOT / "python" / "meson.build").read_text(encoding="utf-8"))[1]
    platform = (settings or {}).get("platform", sysconfig.get_platform())
    return f"cp3{int(version, 16)}-abi3-{re.sub('[-.]', '_', platform)}"


def pack(directory, metadata, files, wheel_tag):
    """Writes a wheel with the files (name: bytes), its metadata and its record, and returns its name."""
    name = name_of(metadata)
    info = f"{name}.dist-info"
    files = {**files, f"{info}/METADATA": metadata.encode(),
             f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: tandem\nRoot-Is-Purelib: false\nTag: {wheel_tag}\n".encode()}
    record = "".join(f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}\n"
                     for path, data in sorted(files.items()))
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    date = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", 0)), 315532800))[:6]  # zip begins in 1980
    with zipfile.ZipFile(pathlib.Path(directory) / f"{name}-{wheel_tag}.whl", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path, data in sorted(files.items()):
            entry = zipfile.ZipInfo(path, date)
            entry.external_attr = (0o100755 if ".data/scripts/" in path or path.endswith(".so") else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return f"{name}-{wheel_tag}.whl"


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """Spares pip a second build."""
    with tempfile.TemporaryDirectory() as build:
        metadata = setup(build, config_settings, "-Dpython_wheel=true")
    info = pathlib.Path(metadata_directory) / f"{name_of(metadata)}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(metadata, encoding="utf-8")
    return info.name


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    with tempfile.TemporaryDirectory() as scratch:
        build, stage = pathlib.Path((config_settings or {}).get("build-dir", f"{scratch}/build")), pathlib.Path(scratch) / "stage"
        metadata = setup(build, config_settings, "-Dpython_wheel=true", f"--prefix={PREFIX}", "--bindir=scripts",
                         f"-Dpython.platlibdir={PREFIX}/package")
        run("ninja", "-C", build)
        run("meson", "install", "-C", build, "--no-rebuild", "--quiet", "--strip", "--tags=python-runtime", DESTDIR=str(stage))
        places = {"package": "", "scripts": f"{name_of(metadata)}.data/scripts/"}
        files = {}
        for path in stage.rglob("*"):
            if path.is_file():
                place, below = str(path.relative_to(stage / PREFIX[1:])).split("/", 1)
                files[places[place] + below] = path.read_bytes()
        licenses = (config_settings or {}).get("licenses")
        for path in [ROOT / "LICENSE"] + (sorted(pathlib.Path(licenses).iterdir()) if licenses else []):
            files[f"{name_of(metadata)}.dist-info/{path.name}"] = path.read_bytes()
        return pack(wheel_directory, metadata, files, tag(config_settings))


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """Builds in build/editable, and makes a wheel that leads there."""
    build = ROOT / "build" / "editable"
    metadata = setup(build, config_settings, *(["--reconfigure"] if (build / "build.ninja").exists() else []))
    run("ninja", "-C", build)
    return pack(wheel_directory, metadata, {"tandem.pth": f"{build}/python\n".encode()}, tag(config_settings))


def build_sdist(sdist_directory, config_settings=None):
    with tempfile.TemporaryDirectory() as scratch:
        build = pathlib.Path(scratch)
        metadata = setup(build, config_settings)
        run("meson", "dist", "-C", build, "--no-tests", "--allow-dirty", "--formats=gztar")
        name = name_of(metadata)
        (packed,) = (build / "meson-dist").glob("*.tar.gz")
        with tarfile.open(packed) as old, tarfile.open(pathlib.Path(sdist_directory) / f"{name}.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as new:
            for entry in old:
                data = old.extractfile(entry) if entry.isfile() else None
                entry.name = "/".join([name, *entry.name.split("/")[1:]])
                new.addfile(entry, data)
            entry = tarfile.TarInfo(f"{name}/PKG-INFO")
            entry.size = len(metadata.encode())
            new.addfile(entry, io.BytesIO(metadata.encode()))
        return f"{name}.tar.gz"
