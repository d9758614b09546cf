//! Labelled systems as components: parts of a state that take steps by themselves and together.

/// Components that may take steps together, and the gates at which they do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// The places of the components, in rising order.
    pub members: Vec<u16>,
    /// The gates, as the components know them.
    pub gates: Vec<u16>,
}

/// What a group does in a state.
#[derive(Clone, Debug, Default)]
pub struct GroupSteps {
    /// Where its steps lead: how the components are arranged then, and which they are.
    pub targets: Vec<(u32, Vec<u32>)>,
    /// The places of other components that decide which of its steps count: a step that another group takes
    /// as well counts once.
    pub others: Vec<u16>,
}

/// A labelled system taken apart. A state is an *arrangement*, by its number, and at each of its places a
/// component, by a number too. The steps of a state are those of its groups.
pub trait Components {
    /// Takes a state apart: returns the arrangement and appends the components.
    fn split(&mut self, state: &[u8], parts: &mut Vec<u32>) -> u32;

    /// Puts a state together again.
    fn join(&self, arrangement: u32, parts: &[u32], state: &mut Vec<u8>);

    /// Hears that a component occurs at a place. What was said of steps before may be wrong now: see
    /// [`Components::is_outdated`].
    fn note(&mut self, arrangement: u32, place: u16, component: u32);

    /// Returns whether something that was noted makes wrong what was said since the last call of
    /// [`Components::begin`].
    fn is_outdated(&self) -> bool;

    /// Forgets what was said.
    fn begin(&mut self);

    /// Returns the groups of an arrangement; `None` if there are too many.
    fn groups(&self, arrangement: u32) -> Option<&[Group]>;

    /// Returns the gates at which a component can take a step; `None` if its steps can't be evaluated.
    fn gates(&mut self, component: u32) -> Option<Vec<u16>>;

    /// Returns the steps that the components of a group take in a state, all of them together, unless a group
    /// before it takes them as well; `None` if something goes wrong.
    fn steps(&mut self, arrangement: u32, parts: &[u32], group: usize) -> Option<GroupSteps>;

    /// Returns how many bytes are in use.
    fn bytes(&self) -> u64;
}
