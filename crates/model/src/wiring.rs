//! What processes share: channels and global variables, with who writes and who reads them.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Area, Expr, Place, Statement, System};

/// Something that processes share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedObject {
    /// Its name; an array is one object.
    pub name: String,
    /// Whether it is a channel.
    pub is_channel: bool,
    /// The kinds of process that send to it, or store to it, by number.
    pub writers: Vec<usize>,
    /// The kinds of process that receive from it, or read it.
    pub readers: Vec<usize>,
}

/// Who writes and who reads something.
#[derive(Default)]
struct Users {
    is_channel: bool,
    writers: BTreeSet<usize>,
    readers: BTreeSet<usize>,
}

impl System {
    /// Returns the global channels, and the global variables that one kind of process writes and another one
    /// reads, in the order of their declarations. Channels that processes know by parameters alone are not
    /// among them.
    pub fn shared_objects(&self) -> Vec<SharedObject> {
        let is_shared = |object: &SharedObject| {
            let SharedObject { is_channel, writers, readers, .. } = object;
            *is_channel || writers.iter().any(|writer| readers.iter().any(|reader| reader != writer))
        };
        self.global_objects().into_iter().filter(is_shared).collect()
    }

    /// Returns all global channels and variables that some process uses, in the order of their declarations.
    pub fn global_objects(&self) -> Vec<SharedObject> {
        let mut users: BTreeMap<u32, Users> = BTreeMap::new();
        for (kind, proctype) in self.proctypes.iter().enumerate() {
            for transition in &proctype.transitions {
                note(&transition.statement, kind, &mut users);
            }
        }
        let mut found: Vec<SharedObject> = Vec::new();
        for (offset, Users { is_channel, writers, readers }) in users {
            let Some(name) = self.global_name(offset) else { continue };
            match found.iter_mut().find(|known| known.name == name) {
                // Another field or element of the same variable.
                Some(known) => {
                    known.writers.extend(
                        writers.iter().filter(|one| !known.writers.contains(one)).collect::<Vec<_>>(),
                    );
                    known.readers.extend(
                        readers.iter().filter(|one| !known.readers.contains(one)).collect::<Vec<_>>(),
                    );
                }
                None => found.push(SharedObject {
                    name,
                    is_channel,
                    writers: writers.into_iter().collect(),
                    readers: readers.into_iter().collect(),
                }),
            }
        }
        found
    }

    /// Returns the name of the variable at an offset, without indices and fields.
    fn global_name(&self, offset: u32) -> Option<String> {
        let leaf = self.globals.iter().find(|leaf| leaf.offset == offset)?;
        leaf.name.split(['[', '.']).next().map(str::to_owned)
    }
}

fn global(place: &Place) -> Option<u32> {
    (place.area == Area::Global).then_some(place.offset)
}

fn channel(expr: &Expr) -> Option<u32> {
    match expr {
        Expr::Load(place) => global(place),
        _ => None,
    }
}

/// Notes what a statement does to global variables and channels.
fn note(statement: &Statement, kind: usize, users: &mut BTreeMap<u32, Users>) {
    match statement {
        Statement::DStep(step) => {
            step.statements().for_each(|statement| note(statement, kind, users));
            return;
        }
        Statement::Send(send) => {
            if let Some(offset) = channel(&send.channel) {
                let user = users.entry(offset).or_default();
                user.is_channel = true;
                user.writers.insert(kind);
            }
        }
        Statement::Receive(receive) => {
            if let Some(offset) = channel(&receive.channel) {
                let user = users.entry(offset).or_default();
                user.is_channel = true;
                user.readers.insert(kind);
            }
        }
        _ => {}
    }
    statement.each_store(&mut |place| {
        if let Some(offset) = global(place) {
            users.entry(offset).or_default().writers.insert(kind);
        }
    });
    statement.each_read(&mut |read| {
        read.each(&mut |expr| {
            if let Expr::Load(place) = expr
                && let Some(offset) = global(place)
            {
                let user = users.entry(offset).or_default();
                // Whoever sends looks at the channel, and receives nothing by that.
                if !user.is_channel {
                    user.readers.insert(kind);
                }
            }
        });
    });
}
