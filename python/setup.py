# SPDX-License-Identifier: Apache-2.0
"""Build the extension with an installed library: the one in WINNOW_PREFIX, or else the
one that pkg-config finds. If WINNOW_BUNDLE names a libwinnow.so, this library is put
into the package, beside the extension."""

import importlib.util
import os
import pathlib
import re
import shutil
import subprocess

from setuptools import Extension, setup

here = pathlib.Path(__file__).resolve().parent
bundle = os.environ.get("WINNOW_BUNDLE")
prefix = os.environ.get("WINNOW_PREFIX")


def pkg_config(option: str) -> list[str]:
    try:
        found = subprocess.run(
            [os.environ.get("PKG_CONFIG", "pkg-config"), option, "winnow"],
            check=True,
            capture_output=True,
            text=True,
        )
    except (OSError, subprocess.CalledProcessError) as error:
        raise SystemExit(
            "winnow's library is not found: set WINNOW_PREFIX to where it is "
            f"installed, or PKG_CONFIG_PATH to where winnow.pc is ({error})"
        ) from None
    return found.stdout.split()


if bundle:
    include = os.environ["WINNOW_INCLUDE_DIR"]
    shutil.copy(bundle, here / "winnow" / "libwinnow.so.0")
    compile_arguments = [f"-I{include}"]
    link_arguments = [
        str(here / "winnow" / "libwinnow.so.0"),
        "-Wl,-rpath,$ORIGIN",
        "-Wl,--strip-all",
    ]
elif prefix:
    include = f"{prefix}/include"
    compile_arguments = [f"-I{include}"]
    link_arguments = [f"-L{prefix}/lib", "-lwinnow", f"-Wl,-rpath,{prefix}/lib"]
else:
    include = subprocess.run(
        ["pkg-config", "--variable=includedir", "winnow"],
        capture_output=True,
        text=True,
    ).stdout.strip()
    compile_arguments = pkg_config("--cflags")
    folder = pkg_config("--variable=libdir")[0]
    link_arguments = [*pkg_config("--libs"), f"-Wl,-rpath,{folder}"]

header = (pathlib.Path(include) / "winnow.h").read_text()
version = ".".join(
    re.findall(r"#define WINNOW_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header)
)



def extension(
    name: str, sources: list[str], more: list[str], optional: bool = False
) -> Extension:
    return Extension(
        name,
        sources,
        optional=optional,
        depends=sorted(str(p.relative_to(here)) for p in here.glob("src/*.h")),
        extra_compile_args=[
            "-std=c11",
            "-fvisibility=hidden",
            *compile_arguments,
            *more,
        ],
        extra_link_args=link_arguments,
        py_limited_api=True,
    )


extensions = [
    extension(
        "winnow._winnow",
        sorted(
            str(p.relative_to(here))
            for p in here.glob("src/*.c")
            if p.name != "ffi.c"
        ),
        [],
    )
]
# winnow.jax, if jaxlib's header is installed.
jaxlib = importlib.util.find_spec("jaxlib")
if jaxlib is not None and jaxlib.origin is not None:
    headers = pathlib.Path(jaxlib.origin).parent / "include"
    api = headers / "xla/ffi/api/c_api.h"
    if api.exists():
        more = ["-isystem", str(headers)]
        if "XLA_FFI_DeviceOrdinal_Get_Args" in api.read_text():
            more.append("-DWINNOW_FFI_HAS_ORDINAL")
        # If it does not compile with the header, only winnow.jax is left out.
        extensions.append(extension("winnow._ffi", ["src/ffi.c"], more, True))

setup(
    version=version,
    ext_modules=extensions,
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
