//! A coherence protocol as a table: what an access does, by the state of the line in the own cache and in the
//! others.

use narrows_source::Span;

/// A set of states of a line, one bit each.
pub(crate) type States = u32;

/// What a processor does with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Access {
    /// Reads it.
    Load,
    /// Writes it.
    Store,
    /// Reads and writes it at once.
    TestAndSet,
}

impl Access {
    /// All of them.
    pub(crate) const ALL: [Access; 3] = [Access::Load, Access::Store, Access::TestAndSet];

    /// Returns its name in a table.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Access::Load => "load",
            Access::Store => "store",
            Access::TestAndSet => "test_and_set",
        }
    }

    /// Says what somebody does.
    pub(super) fn verb(self) -> &'static str {
        match self {
            Access::Load => "loads",
            Access::Store => "stores",
            Access::TestAndSet => "tests and sets",
        }
    }
}

/// What a cache has in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holds {
    /// No copy.
    Nothing,
    /// A copy, as others may have.
    Shared,
    /// The only copy.
    Exclusive,
}

/// A state of a line in a cache.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) name: String,
    pub(crate) holds: Holds,
}

/// Where the data comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// The own cache.
    Own,
    /// The memory where the line is at home.
    Memory,
    /// Another cache, which has the line in one of these states; the nearest of them.
    Cache(States),
}

/// What is asked of the other caches.
#[derive(Clone, Debug, Default)]
pub(crate) struct Others {
    /// Each of them is in one of these states.
    pub(crate) all: Option<States>,
    /// One of them at least is.
    pub(crate) some: Option<States>,
    /// None of them is.
    pub(crate) none: Option<States>,
}

impl Others {
    /// Returns whether the other caches are as asked.
    pub(crate) fn fit(&self, mut others: impl Iterator<Item = u8> + Clone) -> bool {
        let within = |states: States, state: u8| states >> state & 1 == 1;
        self.all.is_none_or(|states| others.clone().all(|state| within(states, state)))
            && self.none.is_none_or(|states| !others.clone().any(|state| within(states, state)))
            && self.some.is_none_or(|states| others.any(|state| within(states, state)))
    }
}

/// A row of the table.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) access: Access,
    /// The states of the own cache it is about.
    pub(crate) own: States,
    pub(crate) others: Others,
    /// The state of the own cache afterwards; `None` if it stays.
    pub(crate) becomes: Option<u8>,
    /// The state of another cache afterwards, by its state before.
    pub(crate) others_become: Vec<u8>,
    /// The number of the transfer.
    pub(crate) transfer: usize,
    pub(crate) source: Source,
    /// Whether memory gets the data that is transferred.
    pub(crate) write_back: bool,
    /// Whether what is stored also goes to memory and to the other copies.
    pub(crate) update: bool,
    /// Where it is written.
    pub(crate) span: Span,
}

/// A protocol.
#[derive(Clone, Debug)]
pub(crate) struct Protocol {
    pub(crate) states: Vec<State>,
    /// The state that lines begin with.
    pub(crate) initial: u8,
    /// The names of transfers; the first is the hit.
    pub(crate) transfers: Vec<String>,
    pub(crate) rows: Vec<Row>,
    /// Where its states are written.
    pub(crate) span: Span,
}

impl Protocol {
    /// Returns the rows about an access; a table without rows for test-and-set takes it as a store.
    pub(crate) fn rows_of(&self, access: Access) -> impl Iterator<Item = (usize, &Row)> {
        let has_own = self.rows.iter().any(|row| row.access == access);
        let access = if has_own { access } else { Access::Store };
        self.rows.iter().enumerate().filter(move |(_, row)| row.access == access)
    }

    /// Writes the states of all caches.
    pub(crate) fn show(&self, states: &[u8]) -> String {
        let names: Vec<&str> =
            states.iter().map(|state| self.states[usize::from(*state)].name.as_str()).collect();
        let between = if names.iter().all(|name| name.chars().count() == 1) { "" } else { "," };
        names.join(between)
    }
}
