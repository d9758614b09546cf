//! Variables that may grow beyond a byte: what can't stay bounded in a long run must be one of these, since
//! channels, processes and bytes are bounded.

use narrows_graph::BitSet;
use narrows_source::Span;

use crate::{Area, Expr, Leaf, Place, ProctypeId, Scalar, System};

/// A variable of more than a byte that some step writes and something reads.
#[derive(Clone, Debug, PartialEq)]
pub struct WideVariable {
    /// Its name.
    pub name: String,
    /// Its value, as an expression about a state.
    pub value: Expr,
}

impl System {
    /// Returns the variables of more than a byte that some step writes, of the globals and of the processes
    /// that are there at the start; without globals that only count.
    pub fn wide_variables(&self) -> Vec<WideVariable> {
        let mut written = BitSet::default();
        let mut written_locals = vec![BitSet::default(); self.proctypes.len()];
        for (proctype, locals) in self.proctypes.iter().zip(&mut written_locals) {
            for transition in &proctype.transitions {
                transition.statement.each_store(&mut |place| match place.area {
                    Area::Global => written.extend(place.extent()),
                    Area::Local => locals.extend(place.extent()),
                    Area::Hidden => {}
                });
            }
        }
        let is_unread = |leaf: &Leaf| self.unread.iter().any(|range| range.contains(&leaf.offset));
        let globals = self.globals.iter().filter(|leaf| is_wide(leaf, &written) && !is_unread(leaf));
        let mut found: Vec<WideVariable> = globals
            .map(|leaf| {
                let value = Expr::Load(Box::new(place(leaf, Area::Global)));
                WideVariable { name: leaf.name.clone(), value }
            })
            .collect();
        for (pid, process) in self.initial_processes.iter().enumerate() {
            let proctype = self.proctype(process.proctype);
            let written = &written_locals[usize::from(process.proctype.0)];
            for leaf in proctype.locals.iter().filter(|leaf| is_wide(leaf, written)) {
                let name = format!("{}[{pid}]:{}", proctype.name, leaf.name);
                found.push(WideVariable { name, value: remote(process.proctype, pid, leaf) });
            }
        }
        found
    }
}

fn is_wide(leaf: &Leaf, written: &BitSet) -> bool {
    let is_large = match leaf.scalar {
        Scalar::Short | Scalar::Int => true,
        Scalar::Unsigned(bits) => bits > 8,
        _ => false,
    };
    is_large && written.contains(leaf.offset as usize)
}

fn place(leaf: &Leaf, area: Area) -> Place {
    Place { area, offset: leaf.offset, indices: Vec::new(), scalar: leaf.scalar, span: Span::default() }
}

fn remote(proctype: ProctypeId, pid: usize, leaf: &Leaf) -> Expr {
    let pid = Some(Box::new(Expr::Constant(pid as i32)));
    Expr::Remote { proctype, pid, place: Box::new(place(leaf, Area::Local)) }
}
