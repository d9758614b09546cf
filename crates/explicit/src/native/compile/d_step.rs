//! A `d_step` as one function, which notes nothing: what it has changed is found afterwards.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, types};
use cranelift_frontend::Variable;
use narrows_model::{DStep, Node};

use super::Interpreted;
use super::emit::Emitter;

/// After this many jumps the reference evaluator finds out whether the `d_step` ends.
const PATIENCE: i32 = 1_000_000;

impl Emitter<'_, '_> {
    pub(super) fn d_step(&mut self, step: &DStep) -> Result<(), Interpreted> {
        self.notes = false;
        let jumps = self.builder.declare_var(types::I32);
        let zero = self.constant(0);
        self.builder.def_var(jumps, zero);
        let blocks: Vec<Block> = step.nodes.iter().map(|_| self.block()).collect();
        let at = |node: narrows_model::NodeId| blocks[node.0 as usize];
        self.jump(at(step.start));
        let outside = self.blocked;
        for (node, block) in step.nodes.iter().zip(&blocks) {
            self.go_to(*block);
            match node {
                Node::Leave => self.done(),
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

    fn count(&mut self, jumps: Variable) {
        let before = self.builder.use_var(jumps);
        let one = self.constant(1);
        let after = self.builder.ins().iadd(before, one);
        self.builder.def_var(jumps, after);
        let few = self.compare_to(IntCC::SignedLessThan, after, PATIENCE);
        self.demand(few, self.unusual);
    }
}
