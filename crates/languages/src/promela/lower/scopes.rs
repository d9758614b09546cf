//! Which variable a name means.

use std::rc::Rc;

use narrows_model::Area;
use narrows_source::Span;
use rustc_hash::FxHashMap;

use super::types::Type;

/// A declared variable.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) kind: Type,
    /// The number of elements, for an array.
    pub(super) length: Option<u32>,
    pub(super) area: Area,
    pub(super) offset: u32,
    pub(super) span: Span,
    /// The constant it starts with, which SPIN takes for array bounds.
    pub(super) constant: Option<i32>,
    /// The fields and the capacity of the channel it was declared with.
    pub(super) channel: Option<u16>,
}

/// The variables that can be named, and how much room they take.
#[derive(Debug, Default)]
pub(super) struct Scopes {
    globals: FxHashMap<Rc<str>, Variable>,
    blocks: Vec<Block>,
    next_block: u32,
    pub(super) hidden_bytes: u32,
    /// Room for the local variables of the process that is being lowered.
    pub(super) local_bytes: u32,
}

#[derive(Debug)]
struct Block {
    number: u32,
    variables: FxHashMap<Rc<str>, Variable>,
}

impl Scopes {
    pub(super) fn enter(&mut self) {
        self.next_block += 1;
        self.blocks.push(Block { number: self.next_block, variables: FxHashMap::default() });
    }

    pub(super) fn leave(&mut self) {
        self.blocks.pop();
    }

    /// Returns the numbers of the blocks that are open, from the outside in.
    pub(super) fn path(&self) -> Vec<u32> {
        self.blocks.iter().map(|block| block.number).collect()
    }

    pub(super) fn is_global(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Declares a variable; returns where it was declared before in the same block.
    pub(super) fn declare(&mut self, name: Rc<str>, variable: Variable) -> Option<Span> {
        let names = self.blocks.last_mut().map_or(&mut self.globals, |block| &mut block.variables);
        if let Some(earlier) = names.get(&name) {
            return Some(earlier.span);
        }
        names.insert(name, variable);
        None
    }

    pub(super) fn find(&self, name: &str) -> Option<&Variable> {
        self.blocks
            .iter()
            .rev()
            .find_map(|block| block.variables.get(name))
            .or_else(|| self.globals.get(name))
    }

    /// Returns the variables of the innermost block, by name.
    pub(super) fn innermost(&self) -> Vec<(Rc<str>, Variable)> {
        let Some(block) = self.blocks.last() else { return Vec::new() };
        let mut list: Vec<_> = block.variables.iter().map(|(name, v)| (name.clone(), v.clone())).collect();
        list.sort_by(|left, right| left.0.cmp(&right.0));
        list
    }

    /// Returns every name that can be used here, sorted.
    pub(super) fn names(&self) -> Vec<&str> {
        let locals = self.blocks.iter().flat_map(|block| block.variables.keys());
        let mut names: Vec<&str> = locals.chain(self.globals.keys()).map(|name| &**name).collect();
        names.sort_unstable();
        names
    }
}
