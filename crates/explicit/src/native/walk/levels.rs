//! Which state a walk works on: copies lie on top of each other.

use super::super::level::Level;
use super::{Memory, Walk};

impl Walk<'_, '_> {
    pub(super) fn level_mut(&mut self) -> &mut Level {
        &mut self.memory.level
    }

    pub(super) fn look_at_level(&mut self) {
        let Memory { undo_log, level, .. } = &mut *self.memory;
        undo_log.look_at(level);
    }

    /// Makes another state the one that is worked on.
    pub(super) fn push(&mut self) {
        let Memory { level, levels, .. } = &mut *self.memory;
        if levels.len() == self.below {
            levels.push(Level::default());
        }
        std::mem::swap(level, &mut levels[self.below]);
        self.below += 1;
    }

    /// Goes one level up, with a copy of the state.
    pub(super) fn push_copy(&mut self) {
        self.push();
        let Memory { undo_log, level, levels, .. } = &mut *self.memory;
        level.copy(&levels[self.below - 1]);
        undo_log.look_at(level);
    }

    /// Goes one level up, with the state that the reference evaluator made.
    pub(super) fn push_result(&mut self) {
        self.push();
        let Memory { undo_log, level, workspace, .. } = &mut *self.memory;
        let mut state = std::mem::take(&mut level.result);
        workspace.save(&mut state);
        level.load(&self.space.layout, &state);
        level.result = state;
        undo_log.look_at(level);
    }

    pub(super) fn pop_level(&mut self) {
        self.below -= 1;
        let Memory { undo_log, level, levels, .. } = &mut *self.memory;
        std::mem::swap(level, &mut levels[self.below]);
        undo_log.look_at(level);
    }
}
