//! Operations on functions: recursions that keep their results.
//!
//! Variable 2k is a bit of a state, and variable 2k + 1, right below it, the same bit after a step.

use super::kernel::{BOTTOM, Edge, FALSE, Kernel, Operation, Stop, TRUE};

type Result<T> = std::result::Result<T, Stop>;

impl Kernel {
    pub(super) fn and(&mut self, f: Edge, g: Edge) -> Result<Edge> {
        if f == FALSE || g == FALSE || f == g ^ 1 {
            return Ok(FALSE);
        }
        if f == TRUE || f == g {
            return Ok(g);
        }
        if g == TRUE {
            return Ok(f);
        }
        let (f, g) = if f < g { (f, g) } else { (g, f) };
        if let Some(known) = self.known(Operation::And, [f, g, 0]) {
            return Ok(known);
        }
        self.tick()?;
        let level = self.level(f).min(self.level(g));
        let ((f1, f0), (g1, g0)) = (self.cofactors(f, level), self.cofactors(g, level));
        let high = self.and(f1, g1)?;
        let low = self.and(f0, g0)?;
        let result = self.make(self.variable_at[level as usize], high, low)?;
        self.keep(Operation::And, [f, g, 0], result);
        Ok(result)
    }

    pub(super) fn or(&mut self, f: Edge, g: Edge) -> Result<Edge> {
        Ok(self.and(f ^ 1, g ^ 1)? ^ 1)
    }

    pub(super) fn xor(&mut self, f: Edge, g: Edge) -> Result<Edge> {
        // Signs come out of an exclusive or.
        let sign = (f ^ g) & 1;
        let (f, g) = (f & !1, g & !1);
        if f == g {
            return Ok(FALSE ^ sign);
        }
        if f == TRUE {
            return Ok(g ^ 1 ^ sign);
        }
        if g == TRUE {
            return Ok(f ^ 1 ^ sign);
        }
        let (f, g) = if f < g { (f, g) } else { (g, f) };
        if let Some(known) = self.known(Operation::Xor, [f, g, 0]) {
            return Ok(known ^ sign);
        }
        self.tick()?;
        let level = self.level(f).min(self.level(g));
        let ((f1, f0), (g1, g0)) = (self.cofactors(f, level), self.cofactors(g, level));
        let high = self.xor(f1, g1)?;
        let low = self.xor(f0, g0)?;
        let result = self.make(self.variable_at[level as usize], high, low)?;
        self.keep(Operation::Xor, [f, g, 0], result);
        Ok(result ^ sign)
    }

    pub(super) fn choose(&mut self, f: Edge, g: Edge, h: Edge) -> Result<Edge> {
        match (f, g, h) {
            (TRUE, _, _) => return Ok(g),
            (FALSE, _, _) => return Ok(h),
            _ if g == h => return Ok(g),
            (_, TRUE, FALSE) => return Ok(f),
            (_, FALSE, TRUE) => return Ok(f ^ 1),
            (_, TRUE, _) => return self.or(f, h),
            (_, FALSE, _) => return self.and(f ^ 1, h),
            (_, _, TRUE) => return self.or(f ^ 1, g),
            (_, _, FALSE) => return self.and(f, g),
            _ if g == h ^ 1 => return self.xor(f, h),
            _ => {}
        }
        let (f, g, h) = if f & 1 == 1 { (f ^ 1, h, g) } else { (f, g, h) };
        let sign = g & 1;
        let (g, h) = (g ^ sign, h ^ sign);
        if let Some(known) = self.known(Operation::Choose, [f, g, h]) {
            return Ok(known ^ sign);
        }
        self.tick()?;
        let level = self.level(f).min(self.level(g)).min(self.level(h));
        let (f1, f0) = self.cofactors(f, level);
        let (g1, g0) = self.cofactors(g, level);
        let (h1, h0) = self.cofactors(h, level);
        let high = self.choose(f1, g1, h1)?;
        let low = self.choose(f0, g0, h0)?;
        let result = self.make(self.variable_at[level as usize], high, low)?;
        self.keep(Operation::Choose, [f, g, h], result);
        Ok(result ^ sign)
    }

    /// Drops the variables of a cube that stand above a level.
    fn cube_from(&self, mut cube: Edge, level: u32) -> Edge {
        while self.level(cube) < level {
            cube = self.node(cube).high;
        }
        cube
    }

    pub(super) fn exists(&mut self, f: Edge, cube: Edge) -> Result<Edge> {
        let level = self.level(f);
        let cube = self.cube_from(cube, level);
        if cube == TRUE || level == BOTTOM {
            return Ok(f);
        }
        if let Some(known) = self.known(Operation::Exists, [f, cube, 0]) {
            return Ok(known);
        }
        self.tick()?;
        let (f1, f0) = self.cofactors(f, level);
        let result = if self.level(cube) == level {
            let rest = self.node(cube).high;
            let high = self.exists(f1, rest)?;
            if high == TRUE {
                TRUE
            } else {
                let low = self.exists(f0, rest)?;
                self.or(high, low)?
            }
        } else {
            let high = self.exists(f1, cube)?;
            let low = self.exists(f0, cube)?;
            self.make(self.variable_at[level as usize], high, low)?
        };
        self.keep(Operation::Exists, [f, cube, 0], result);
        Ok(result)
    }

    pub(super) fn and_exists(&mut self, f: Edge, g: Edge, cube: Edge) -> Result<Edge> {
        if f == FALSE || g == FALSE || f == g ^ 1 {
            return Ok(FALSE);
        }
        if f == TRUE || f == g {
            return self.exists(g, cube);
        }
        if g == TRUE {
            return self.exists(f, cube);
        }
        let level = self.level(f).min(self.level(g));
        let cube = self.cube_from(cube, level);
        if cube == TRUE {
            return self.and(f, g);
        }
        let (f, g) = if f < g { (f, g) } else { (g, f) };
        if let Some(known) = self.known(Operation::AndExists, [f, g, cube]) {
            return Ok(known);
        }
        self.tick()?;
        let ((f1, f0), (g1, g0)) = (self.cofactors(f, level), self.cofactors(g, level));
        let result = if self.level(cube) == level {
            let rest = self.node(cube).high;
            let high = self.and_exists(f1, g1, rest)?;
            // If it is one of the others, these depend on nothing to forget, and what comes is part of it.
            if high == TRUE || high == f0 || high == g0 {
                high
            } else {
                let low = self.and_exists(f0, g0, rest)?;
                self.or(high, low)?
            }
        } else {
            let high = self.and_exists(f1, g1, cube)?;
            let low = self.and_exists(f0, g0, cube)?;
            self.make(self.variable_at[level as usize], high, low)?
        };
        self.keep(Operation::AndExists, [f, g, cube], result);
        Ok(result)
    }

    /// As [`Self::and_exists`], with bits after the step read as bits of the state in the result. All bits of
    /// the state whose bits after the step occur are in the cube, or in neither function.
    pub(super) fn image(&mut self, f: Edge, g: Edge, cube: Edge) -> Result<Edge> {
        if f == FALSE || g == FALSE || f == g ^ 1 {
            return Ok(FALSE);
        }
        if f == TRUE && g == TRUE {
            return Ok(TRUE);
        }
        let (f, g) = if f < g { (f, g) } else { (g, f) };
        if let Some(known) = self.known(Operation::Image, [f, g, cube]) {
            return Ok(known);
        }
        self.tick()?;
        let level = self.level(f).min(self.level(g));
        let rest = self.cube_from(cube, level);
        let ((f1, f0), (g1, g0)) = (self.cofactors(f, level), self.cofactors(g, level));
        let result = if self.level(rest) == level {
            let below = self.node(rest).high;
            let high = self.image(f1, g1, below)?;
            if high == TRUE {
                TRUE
            } else {
                let low = self.image(f0, g0, below)?;
                self.or(high, low)?
            }
        } else {
            let high = self.image(f1, g1, rest)?;
            let low = self.image(f0, g0, rest)?;
            self.make(self.variable_at[level as usize] & !1, high, low)?
        };
        self.keep(Operation::Image, [f, g, cube], result);
        Ok(result)
    }

    /// Reads bits after the step as bits of the state; the function has none of these.
    #[cfg(test)]
    pub(super) fn unprimed(&mut self, f: Edge) -> Result<Edge> {
        let sign = f & 1;
        if f ^ sign == TRUE {
            return Ok(f);
        }
        let node = *self.node(f);
        let high = self.unprimed(node.high)?;
        let low = self.unprimed(node.low)?;
        Ok(self.make(node.variable & !1, high, low)? ^ sign)
    }

    /// Reads the bits of a cube as those after the step; the function has none of these.
    pub(super) fn primed(&mut self, f: Edge, cube: Edge) -> Result<Edge> {
        let sign = f & 1;
        let f = f ^ sign;
        let level = self.level(f);
        let cube = self.cube_from(cube, level);
        if cube == TRUE || f == TRUE {
            return Ok(f ^ sign);
        }
        if let Some(known) = self.known(Operation::ToNext, [f, cube, 0]) {
            return Ok(known ^ sign);
        }
        self.tick()?;
        let node = *self.node(f);
        let high = self.primed(node.high, cube)?;
        let low = self.primed(node.low, cube)?;
        let moves = self.level(cube) == level;
        let result = self.make(node.variable | u32::from(moves), high, low)?;
        self.keep(Operation::ToNext, [f, cube, 0], result);
        Ok(result ^ sign)
    }

    /// Returns a function that is the same where another one is true, and maybe smaller (Coudert and Madre,
    /// 1990).
    pub(super) fn restrict(&mut self, f: Edge, care: Edge) -> Result<Edge> {
        if care == FALSE {
            return Ok(FALSE);
        }
        if care == TRUE || f <= 1 {
            return Ok(f);
        }
        if f == care {
            return Ok(TRUE);
        }
        if f == care ^ 1 {
            return Ok(FALSE);
        }
        let sign = f & 1;
        let f = f ^ sign;
        if let Some(known) = self.known(Operation::Restrict, [f, care, 0]) {
            return Ok(known ^ sign);
        }
        self.tick()?;
        let (level, care_level) = (self.level(f), self.level(care));
        let (c1, c0) = self.cofactors(care, level.min(care_level));
        let result = if care_level < level {
            let either = self.or(c1, c0)?;
            self.restrict(f, either)?
        } else {
            let (f1, f0) = self.cofactors(f, level);
            if c1 == FALSE {
                self.restrict(f0, c0)?
            } else if c0 == FALSE {
                self.restrict(f1, c1)?
            } else {
                let high = self.restrict(f1, c1)?;
                let low = self.restrict(f0, c0)?;
                self.make(self.variable_at[level as usize], high, low)?
            }
        };
        self.keep(Operation::Restrict, [f, care, 0], result);
        Ok(result ^ sign)
    }
}
