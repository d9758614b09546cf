//! Puts the editor into the program if it was bundled: `bundle/build` makes it of packages of npm, which
//! `cargo build` does not fetch.

use std::path::Path;

fn main() {
    // The folder is always there; a file that is not would make every build start anew.
    println!("cargo::rerun-if-changed=web");
    println!("cargo::rustc-check-cfg=cfg(bundled)");
    let folder = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    if Path::new(&folder).join("web/editor_bundle.js").is_file() {
        println!("cargo::rustc-cfg=bundled");
    }
}
