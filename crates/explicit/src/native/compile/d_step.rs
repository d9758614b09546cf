//! A `d_step` as one function, which notes nothing: what it has changed is found afterwards. A short one
//! without loops can also stand inside an atomic sequence, and notes what it changes.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, types};
use cranelift_frontend::Variable;
use narrows_model::{DStep, Guard, Node, NodeId};

use super::Interpreted;
use super::emit::Emitter;

/// After this many jumps the reference evaluator finds out whether the `d_step` ends.
const PATIENCE: i32 = 1 << 24;

/// No `d_step` of more nodes is made part of an atomic sequence.
const MAX_NODES: usize = 64;

/// Returns whether a `d_step` can be made part of an atomic sequence: it is short, has no loops, and whether
/// it can be executed does not depend on other edges.
pub(super) fn is_straight(step: &DStep) -> bool {
    // A path that is longer than there are nodes goes round in a loop.
    let mut reached = vec![step.start];
    for _ in 0..=step.nodes.len().min(MAX_NODES) {
        let mut next: Vec<NodeId> = Vec::new();
        for node in &reached {
            match &step.nodes[node.0 as usize] {
                Node::Execute(_, target, _) | Node::Jump(target) => next.push(*target),
                Node::Choose(options, _) => next.extend(options),
                Node::Leave => {}
            }
        }
        next.sort_unstable();
        next.dedup();
        reached = next;
    }
    reached.is_empty() && step.nodes.len() <= MAX_NODES && !step.guards.contains(&Guard::Else)
}

impl Emitter<'_, '_> {
    pub(super) fn d_step(&mut self, step: &DStep) -> Result<(), Interpreted> {
        self.notes = false;
        let jumps = self.builder.declare_var(types::I32);
        let zero = self.constant(0);
        self.builder.def_var(jumps, zero);
        let leave = self.block();
        self.nodes(step, leave, Some(jumps))?;
        self.go_to(leave);
        self.done();
        Ok(())
    }

    /// Executes the nodes of a `d_step`, and goes on at `leave`; jumps are counted where there are loops.
    pub(super) fn nodes(
        &mut self,
        step: &DStep,
        leave: Block,
        jumps: Option<Variable>,
    ) -> Result<(), Interpreted> {
        let blocks: Vec<Block> = step.nodes.iter().map(|_| self.block()).collect();
        let at = |node: narrows_model::NodeId| blocks[node.0 as usize];
        self.jump(at(step.start));
        let outside = self.blocked;
        for (node, block) in step.nodes.iter().zip(&blocks) {
            self.go_to(*block);
            match node {
                Node::Leave => self.jump(leave),
                Node::Jump(next) => {
                    self.count(jumps);
                    self.jump(at(*next));
                }
                Node::Execute(statement, next, _) => {
                    // To block inside is a fault.
                    self.blocked = self.unusual;
                    self.count(jumps);
                    self.statement(statement, at(*next), false)?;
                }
                Node::Choose(options, _) => {
                    self.count(jumps);
                    for option in options {
                        let otherwise = self.block();
                        match &step.nodes[option.0 as usize] {
                            Node::Execute(statement, next, _) => {
                                self.blocked = otherwise;
                                self.statement(statement, at(*next), false)?;
                            }
                            _ => self.jump(at(*option)),
                        }
                        self.go_to(otherwise);
                    }
                    self.jump(self.unusual);
                }
            }
        }
        self.blocked = outside;
        Ok(())
    }

    fn count(&mut self, jumps: Option<Variable>) {
        let Some(jumps) = jumps else { return };
        let before = self.builder.use_var(jumps);
        let one = self.constant(1);
        let after = self.builder.ins().iadd(before, one);
        self.builder.def_var(jumps, after);
        let few = self.compare_to(IntCC::SignedLessThan, after, PATIENCE);
        self.demand(few, self.unusual);
    }
}
