//! Orders of variables as text, as `NuSMV` reads and writes them: one variable, or one bit of it, a line.

use narrows_model::synchronous::{SynchronousSystem, VariableId};
use narrows_source::closest;

use crate::encode::Encoding;
use crate::static_order::order;

/// In which order bits stand, the highest first: the variable of each, and which of its bits it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    pub(crate) bits: Vec<(VariableId, usize)>,
}

impl Order {
    /// Returns the order that a system begins with if none is given.
    pub(crate) fn first(system: &SynchronousSystem) -> Order {
        let bits = |id: VariableId| (0..Encoding::width(system, id)).map(move |bit| (id, bit));
        Order { bits: order(system).into_iter().flat_map(bits).collect() }
    }

    /// Reads an order. What it does not name comes last; lines that are empty or begin with `--` mean
    /// nothing. Returns what is wrong with lines, all of it.
    pub fn read(system: &SynchronousSystem, text: &str) -> Result<Order, Vec<String>> {
        let mut wrong = Vec::new();
        let mut bits: Vec<(VariableId, usize)> = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let name = line.trim();
            if name.is_empty() || name.starts_with("--") {
                continue;
            }
            let Some(named) = find(system, name) else {
                let names = system.variables.iter().map(|variable| variable.name.as_str());
                let hint = closest(name, names).map(|near| format!("; did you mean `{near}`?"));
                let hint = hint.unwrap_or_default();
                wrong.push(format!("line {}: there is no variable `{name}`{hint}", number + 1));
                continue;
            };
            if named.iter().any(|bit| bits.contains(bit)) {
                wrong.push(format!("line {}: `{name}` stands there twice", number + 1));
            } else {
                bits.extend(named);
            }
        }
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let missing: Vec<_> =
            Order::first(system).bits.into_iter().filter(|bit| !bits.contains(bit)).collect();
        bits.extend(missing);
        Ok(Order { bits })
    }

    /// Writes an order: a variable's name where its bits stand together, and the names of single bits
    /// elsewhere.
    pub fn write(&self, system: &SynchronousSystem) -> String {
        let mut lines = Vec::new();
        let mut rest = self.bits.as_slice();
        while let Some((id, bit)) = rest.first().copied() {
            let name = &system.variable(id).name;
            let width = Encoding::width(system, id);
            let is_whole = rest.len() >= width && (0..width).all(|other| rest[other] == (id, other));
            lines.push(if is_whole { format!("{name}\n") } else { format!("{name}.{bit}\n") });
            rest = &rest[if is_whole { width } else { 1 }..];
        }
        // Those that can have one value alone take no bits.
        for (id, variable) in system.each_variable() {
            if Encoding::width(system, id) == 0 {
                lines.push(format!("{}\n", variable.name));
            }
        }
        lines.concat()
    }
}

/// Returns the bits that a name stands for: all of a variable, or one.
fn find(system: &SynchronousSystem, name: &str) -> Option<Vec<(VariableId, usize)>> {
    let variable =
        |name: &str| system.each_variable().find(|(_, variable)| variable.name == name).map(|(id, _)| id);
    if let Some(id) = variable(name) {
        return Some((0..Encoding::width(system, id)).map(|bit| (id, bit)).collect());
    }
    let (name, bit) = name.rsplit_once('.')?;
    let (id, bit) = (variable(name)?, bit.parse().ok()?);
    (bit < Encoding::width(system, id)).then(|| vec![(id, bit)])
}
