//! What goes to other programs, and comes from them: orders of variables, circuits, SPIN's trails.

use narrows_model::synchronous::SynchronousSystem;
use narrows_model::{Model, Refusal, Trace};
use narrows_sat::{Aiger, AigerForm};
use narrows_symbolic::Order;
use thiserror::Error;

use crate::Feature;

/// Why an order of variables can't be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OrderError {
    /// The model has no variables that decision diagrams order.
    #[error("{}", .0.reason)]
    Refused(Refusal),
    /// Lines are wrong: what is wrong with each.
    #[error("{}", .0.join("\n"))]
    Lines(Vec<String>),
}

/// Reads an order of the variables of a model, one name a line.
///
/// # Errors
///
/// The model may have no variables to order, and lines may be wrong; all of them are told.
pub fn read_order(model: &Model, text: &str) -> Result<Order, OrderError> {
    let system = model.synchronous().ok_or_else(no_order).map_err(OrderError::Refused)?;
    Order::read(system, text).map_err(OrderError::Lines)
}

/// Returns why variables of a model have no order, if they have none.
///
/// # Errors
///
/// Only variables of synchronous systems are ordered by the user.
pub fn accepts_order(model: &Model) -> Result<(), Refusal> {
    model.synchronous().map(|_| ()).ok_or_else(no_order)
}

fn no_order() -> Refusal {
    Refusal::new(Feature::VariableOrder.refusal())
}

/// Writes an order of variables; `None` if the model has none to order.
pub fn write_order(model: &Model, order: &Order) -> Option<String> {
    model.synchronous().map(|system| order.write(system))
}

/// Writes a model as a circuit, for hardware model checkers.
///
/// # Errors
///
/// It is refused where the model is no synchronous system.
pub fn circuit(model: &Model, form: AigerForm) -> Result<Aiger, Refusal> {
    Ok(narrows_sat::aiger(accepts_circuit(model)?, form))
}

/// Returns what a circuit is made of.
pub(crate) fn accepts_circuit(model: &Model) -> Result<&SynchronousSystem, Refusal> {
    let refused = || Refusal::new("circuits (AIGER) are for SMV models");
    model.synchronous().ok_or_else(refused)
}

/// Returns why there are no trails of a model that SPIN could read, if there are none.
///
/// # Errors
///
/// SPIN knows Promela alone.
pub fn accepts_spin_trail(model: &Model) -> Result<(), Refusal> {
    match model.processes() {
        Some(_) => Ok(()),
        None => Err(Refusal::new("trails are of Promela models: SPIN reads and writes no others")),
    }
}

/// Writes a run as a trail that SPIN replays.
///
/// # Errors
///
/// See [`accepts_spin_trail`].
pub fn spin_trail(model: &Model, trace: &Trace) -> Result<String, Refusal> {
    accepts_spin_trail(model)?;
    Ok(model.processes().map(|system| narrows_report::write_trail(system, trace)).unwrap_or_default())
}
