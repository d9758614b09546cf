//! Narrows for Python: what the package `narrows` in `python/narrows` stands on.
//!
//! Classes here hold what the library knows, and return documents: the same JSON as the program prints. What
//! users see is written in Python, with types. Work is done on a thread of its own while Python waits without
//! its lock, so that a signal, such as Ctrl-C, ends it with what was found.
//!
//! | module | contents |
//! |---|---|
//! | `work.rs` | threads, limits, progress and signals |
//! | `failure.rs` | exceptions |
//! | `files.rs` | included files |
//! | `model.rs`, `study.rs`, `graph.rs` | models, studies, graphs and chains |
//! | `session.rs` | a simulation, on its own thread |

mod failure;
mod files;
mod graph;
mod model;
mod session;
mod study;
mod work;

use pyo3::prelude::*;

#[pymodule]
fn _narrows(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<model::Model>()?;
    module.add_class::<model::Checked>()?;
    module.add_class::<study::Study>()?;
    module.add_class::<study::Measured>()?;
    module.add_class::<graph::Graph>()?;
    module.add_class::<session::Session>()?;
    module.add_function(wrap_pyfunction!(model::explanation, module)?)
}
