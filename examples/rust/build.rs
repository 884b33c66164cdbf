// Make the bindings of the installed winnow.h by the program bindgen, and link
// the library that pkg-config finds. No crate is needed.
//
// SPDX-License-Identifier: Apache-2.0
use std::env;
use std::path::PathBuf;
use std::process::Command;

// What a program prints.
fn output(program: &str, arguments: &[&str]) -> String {
    let ran = Command::new(program)
        .args(arguments)
        .output()
        .unwrap_or_else(|error| panic!("{program}: {error}"));
    let errors = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{program} {arguments:?}: {errors}");
    String::from_utf8(ran.stdout).expect("text").trim().into()
}

fn main() {
    let variable = |name| output("pkg-config", &[&format!("--variable={name}"), "winnow"]);
    let header = format!("{}/winnow.h", variable("includedir"));
    let bindings = PathBuf::from(env::var_os("OUT_DIR").unwrap()).join("winnow.rs");
    output(
        "bindgen",
        &[
            &header,
            "--allowlist-function",
            "winnow_.*",
            "--allowlist-type",
            "winnow_.*",
            "--allowlist-var",
            "WINNOW_.*",
            "--output",
            bindings.to_str().expect("a path of text"),
        ],
    );
    let libdir = variable("libdir");
    println!("cargo:rustc-link-search=native={libdir}");
    println!("cargo:rustc-link-lib=dylib=winnow");
    println!("cargo:rustc-link-arg=-Wl,-rpath,{libdir}");
    println!("cargo:rerun-if-changed={header}");
    println!("cargo:rerun-if-env-changed=PKG_CONFIG_PATH");
}
