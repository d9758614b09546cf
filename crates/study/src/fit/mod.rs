//! Delays from measurements: durations in a log, the delay that fits them, and how well.
//!
//! Each form is fitted by maximum likelihood (those of several phases by EM, see `phases.rs`), and the one
//! with the least AIC (Akaike 1974: twice the number of parameters, less twice the log-likelihood) is
//! recommended: it is the one that says most about further measurements, and forms with more parameters have
//! to earn them. How far it is from the data is the greatest difference between both distribution functions
//! (Kolmogorov and Smirnov), which needs no classes; its p-value takes the parameters as given, and is
//! somewhat too large as they were fitted.

mod beside;
mod distributions;
mod log;
mod phases;
mod timestamp;

pub use beside::Beside;
pub(crate) use beside::converted;
pub use distributions::{Fit, FitForm, Sample, Summary};
pub use log::{Column, Log, LogError, read_log};
