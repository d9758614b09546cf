//! Binary decision diagrams: sets of states and steps as functions of bits.
//!
//! Bit k of a state is variable 2k, and the same bit after a step is variable 2k + 1; both stay next to each
//! other when the order changes. A [`Bdd`] is a handle: what it reaches is not freed. Every operation that
//! makes nodes can end with a limit.

mod count;
mod kernel;
mod natural;
mod operations;
mod reorder;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::fmt::{self, Debug, Formatter};
use std::rc::Rc;

use narrows_model::{Budget, Limit};

use kernel::{BOTTOM, Edge, FALSE, Kernel, Stop, TRUE};
pub(crate) use natural::Natural;

/// All diagrams that can be put together.
#[derive(Clone)]
pub(crate) struct Manager(Rc<RefCell<Kernel>>);

/// A function of bits.
pub(crate) struct Bdd {
    kernel: Rc<RefCell<Kernel>>,
    edge: Edge,
}

type Result<T> = std::result::Result<T, Limit>;

impl Manager {
    /// Makes an empty one that may use so much.
    pub(crate) fn new(budget: &Budget) -> Manager {
        Manager(Rc::new(RefCell::new(Kernel::new(budget))))
    }

    /// Adds a bit, of states and after steps, at the end of the order; returns its number.
    pub(crate) fn add_bit(&self) -> u32 {
        self.0.borrow_mut().add_group(2) / 2
    }

    /// Switches the search for better orders on or off.
    #[cfg(test)]
    pub(crate) fn set_reordering(&self, may_reorder: bool) {
        self.0.borrow_mut().may_reorder = may_reorder;
    }

    /// Looks for a better order now.
    #[cfg(test)]
    pub(crate) fn reorder(&self) {
        let mut kernel = self.0.borrow_mut();
        kernel.collect();
        assert!(kernel.reorder().is_ok());
    }

    /// Returns how many steps operations have taken so far.
    pub(crate) fn effort(&self) -> u64 {
        self.0.borrow().worked
    }

    /// Returns a number that changes when the order of variables does.
    pub(crate) fn generation(&self) -> u64 {
        self.0.borrow().generation
    }

    /// Returns the first level of some variables.
    pub(crate) fn first_level(&self, variables: &[u32]) -> u32 {
        let kernel = self.0.borrow();
        variables.iter().map(|variable| kernel.level_of[*variable as usize]).min().unwrap_or(BOTTOM)
    }

    /// Forgets what [`Manager::keep_closure`] kept.
    pub(crate) fn forget_closures(&self) {
        self.0.borrow_mut().closures.clear();
    }

    /// Returns what was kept for a number and two functions.
    pub(crate) fn known_closure(&self, number: usize, set: &Bdd, within: &Bdd) -> Option<Bdd> {
        let found = self.0.borrow().closures.get(&(number as u32, set.edge, within.edge)).copied();
        found.map(|edge| self.wrap(edge))
    }

    /// Keeps a function for a number and two others while all of them are needed.
    pub(crate) fn keep_closure(&self, number: usize, set: &Bdd, within: &Bdd, result: &Bdd) {
        self.0.borrow_mut().closures.insert((number as u32, set.edge, within.edge), result.edge);
    }

    /// Returns how many bytes are in use.
    pub(crate) fn bytes(&self) -> u64 {
        self.0.borrow().bytes()
    }

    /// Returns the function that is always true, or always false.
    pub(crate) fn truth(&self, value: bool) -> Bdd {
        self.wrap(if value { TRUE } else { FALSE })
    }

    /// Returns the function that is true where a variable is.
    pub(crate) fn literal(&self, variable: u32) -> Result<Bdd> {
        self.run(|kernel| kernel.make(variable, TRUE, FALSE))
    }

    /// Returns the conjunction of variables.
    pub(crate) fn cube(&self, variables: &[u32]) -> Result<Bdd> {
        let mut sorted = variables.to_vec();
        let mut cube = self.truth(true);
        {
            let kernel = self.0.borrow();
            sorted.sort_unstable_by_key(|variable| std::cmp::Reverse(kernel.level_of[*variable as usize]));
        }
        for variable in sorted {
            cube = self.literal(variable)?.and(&cube)?;
        }
        Ok(cube)
    }

    fn wrap(&self, edge: Edge) -> Bdd {
        self.0.borrow_mut().held[(edge >> 1) as usize] += 1;
        Bdd { kernel: Rc::clone(&self.0), edge }
    }

    fn run(&self, operate: impl Fn(&mut Kernel) -> std::result::Result<Edge, Stop>) -> Result<Bdd> {
        run(&self.0, operate)
    }
}

/// Runs an operation, and once more after making room if it needs that.
fn run(
    shared: &Rc<RefCell<Kernel>>,
    operate: impl Fn(&mut Kernel) -> std::result::Result<Edge, Stop>,
) -> Result<Bdd> {
    let mut kernel = shared.borrow_mut();
    if kernel.is_untidy() {
        limited(kernel.clean_up())?;
    }
    loop {
        match operate(&mut kernel) {
            Ok(edge) => {
                kernel.held[(edge >> 1) as usize] += 1;
                return Ok(Bdd { kernel: Rc::clone(shared), edge });
            }
            Err(Stop::Limit(limit)) => return Err(limit),
            Err(Stop::Crowded) => {
                let room = kernel.room();
                limited(kernel.clean_up())?;
                limited(kernel.widen(room))?;
            }
        }
    }
}

fn limited(result: std::result::Result<(), Stop>) -> Result<()> {
    match result {
        Ok(()) => Ok(()),
        Err(Stop::Limit(limit)) => Err(limit),
        Err(Stop::Crowded) => Err(Limit::Memory),
    }
}

impl Bdd {
    fn with(&self, operate: impl Fn(&mut Kernel) -> std::result::Result<Edge, Stop>) -> Result<Bdd> {
        run(&self.kernel, operate)
    }

    /// Returns a handle on another function of the same kernel.
    fn other(&self, edge: Edge) -> Bdd {
        self.kernel.borrow_mut().held[(edge >> 1) as usize] += 1;
        Bdd { kernel: Rc::clone(&self.kernel), edge }
    }

    pub(crate) fn is_true(&self) -> bool {
        self.edge == TRUE
    }

    pub(crate) fn is_false(&self) -> bool {
        self.edge == FALSE
    }

    /// Negation, which costs nothing.
    pub(crate) fn not(&self) -> Bdd {
        self.other(self.edge ^ 1)
    }

    pub(crate) fn and(&self, right: &Bdd) -> Result<Bdd> {
        self.with(|kernel| kernel.and(self.edge, right.edge))
    }

    pub(crate) fn or(&self, right: &Bdd) -> Result<Bdd> {
        self.with(|kernel| kernel.or(self.edge, right.edge))
    }

    /// What is in this set and not in the other.
    pub(crate) fn minus(&self, right: &Bdd) -> Result<Bdd> {
        self.with(|kernel| kernel.and(self.edge, right.edge ^ 1))
    }

    pub(crate) fn xor(&self, right: &Bdd) -> Result<Bdd> {
        self.with(|kernel| kernel.xor(self.edge, right.edge))
    }

    /// Where both are true or both are false.
    pub(crate) fn same(&self, right: &Bdd) -> Result<Bdd> {
        self.with(|kernel| kernel.xor(self.edge, right.edge ^ 1))
    }

    /// The first where this is true, the second elsewhere.
    pub(crate) fn choose(&self, then: &Bdd, otherwise: &Bdd) -> Result<Bdd> {
        self.with(|kernel| kernel.choose(self.edge, then.edge, otherwise.edge))
    }

    /// Where it is true for some values of the variables of a cube.
    pub(crate) fn exists(&self, cube: &Bdd) -> Result<Bdd> {
        self.with(|kernel| kernel.exists(self.edge, cube.edge))
    }

    pub(crate) fn and_exists(&self, right: &Bdd, cube: &Bdd) -> Result<Bdd> {
        self.with(|kernel| kernel.and_exists(self.edge, right.edge, cube.edge))
    }

    /// As [`Bdd::and_exists`], with bits after the step read as bits of the state afterwards.
    pub(crate) fn image(&self, right: &Bdd, cube: &Bdd) -> Result<Bdd> {
        self.with(|kernel| kernel.image(self.edge, right.edge, cube.edge))
    }

    /// Reads the bits of a cube as those after the step.
    pub(crate) fn to_next(&self, cube: &Bdd) -> Result<Bdd> {
        self.with(|kernel| kernel.primed(self.edge, cube.edge))
    }

    /// Reads bits after the step as bits of the state.
    #[cfg(test)]
    pub(crate) fn to_current(&self) -> Result<Bdd> {
        self.with(|kernel| kernel.unprimed(self.edge))
    }

    /// Returns the level of its first variable.
    pub(crate) fn level(&self) -> u32 {
        self.kernel.borrow().level(self.edge)
    }

    /// Returns the first variable of this and another function, and what both are where it is true and where
    /// it is false.
    pub(crate) fn split_with(&self, other: &Bdd) -> (u32, (Bdd, Bdd), (Bdd, Bdd)) {
        let kernel = self.kernel.borrow();
        let level = kernel.level(self.edge).min(kernel.level(other.edge));
        let (mine, others) = (kernel.cofactors(self.edge, level), kernel.cofactors(other.edge, level));
        let variable = kernel.variable_at[level as usize];
        drop(kernel);
        let handles = |(high, low)| (self.other(high), self.other(low));
        (variable, handles(mine), handles(others))
    }

    /// Something that is the same where `care` is true, and maybe smaller.
    pub(crate) fn restrict(&self, care: &Bdd) -> Result<Bdd> {
        self.with(|kernel| kernel.restrict(self.edge, care.edge))
    }

    /// Whether both are true somewhere.
    pub(crate) fn meets(&self, right: &Bdd) -> Result<bool> {
        Ok(!self.and(right)?.is_false())
    }
}

impl Clone for Bdd {
    fn clone(&self) -> Bdd {
        self.other(self.edge)
    }
}

impl Drop for Bdd {
    fn drop(&mut self) {
        self.kernel.borrow_mut().held[(self.edge >> 1) as usize] -= 1;
    }
}

impl PartialEq for Bdd {
    fn eq(&self, other: &Bdd) -> bool {
        self.edge == other.edge
    }
}

impl Eq for Bdd {}

impl Debug for Bdd {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        write!(to, "Bdd({})", self.edge)
    }
}
