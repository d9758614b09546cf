//! Expressions without side effects: numbers, conditions and places.

use super::bodies::Body;
use super::features::Feature;
use super::names::{Place, ScalarKind};

impl Body<'_> {
    /// The text of a place, with an index in range where it needs one.
    pub(super) fn text(&mut self, place: &Place) -> String {
        let Some(size) = place.size else { return format!("{}{}", place.name, place.suffix) };
        let index = if self.random.percent(35) { self.natural() } else { None };
        let index = match index {
            Some(variable) => format!("{variable} % {size}"),
            None => self.random.index(size).to_string(),
        };
        format!("{}[{index}]{}", place.name, place.suffix)
    }

    /// A plain variable that is never negative.
    fn natural(&mut self) -> Option<String> {
        let plain =
            |place: &Place| place.size.is_none() && place.kind.is_natural() && !place.kind.is_symbolic();
        self.place(plain).map(|place| place.name)
    }

    /// Draws one of the visible places that pass a test; the innermost of a name hides the others.
    pub(super) fn place(&mut self, test: impl Fn(&Place) -> bool) -> Option<Place> {
        let candidates: Vec<Place> =
            self.visible().into_iter().filter(|place| test(place)).cloned().collect();
        self.random.pick(&candidates).cloned()
    }

    /// A number of modest size.
    pub(super) fn number(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.percent(45) {
            return self.operand();
        }
        let wide = self.has(Feature::Arithmetic);
        let left = self.number(depth - 1);
        match self.random.weighted(&if wide {
            [4, 3, 1, 1, 1, 2, 1, 1, 1, 1, 1, 2]
        } else {
            [4, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        }) {
            0 => format!("({left} + {})", self.number(depth - 1)),
            1 => format!("({left} - {})", self.number(depth - 1)),
            2 => format!("({left} * {})", self.random.between(2, 3)),
            3 => format!("({left} / {})", self.random.between(1, 3)),
            4 => format!("({left} % {})", self.random.between(1, 4)),
            5 => format!("({left} & {})", self.number(depth - 1)),
            6 => format!("({left} | {})", self.number(depth - 1)),
            7 => format!("({left} ^ {})", self.number(depth - 1)),
            8 => format!("({left} {} {})", self.sign("<<", "<=<"), self.random.between(0, 2)),
            9 => format!("({left} {} {})", self.sign(">>", ">=>"), self.random.between(0, 2)),
            10 => {
                if self.random.percent(50) {
                    format!("(-{left})")
                } else {
                    format!("(~{left})")
                }
            }
            _ => {
                let condition = self.condition(1);
                format!("({condition} -> {left} : {})", self.number(depth - 1))
            }
        }
    }

    fn operand(&mut self) -> String {
        match self.random.index(20) {
            0 if self.has(Feature::ProcessNumbers) && !self.outside => "_pid".into(),
            // SPIN counts a claim as a process.
            1 if self.has(Feature::ProcessNumbers) && !self.world.watched => "_nr_pr".into(),
            2 if self.has(Feature::Last) => "_last".into(),
            3 | 4 if self.has(Feature::Fullness) && !self.channels.is_empty() => {
                let channel = self.any_channel();
                format!("len({channel})")
            }
            5 | 6 if self.remote && !self.step && !self.first && !self.world.remote.is_empty() => {
                self.random.pick(&self.world.remote).cloned().unwrap_or_default()
            }
            7..=10 => self.random.index(4).to_string(),
            _ => match self.place(|place| !place.kind.is_symbolic()) {
                Some(place) => self.text(&place),
                None => self.random.index(4).to_string(),
            },
        }
    }

    /// A sign, or sometimes another one that SPIN reads for it.
    fn sign(&mut self, usual: &'static str, odd: &'static str) -> &'static str {
        if self.has(Feature::OddSigns) && self.random.percent(50) { odd } else { usual }
    }

    /// A condition.
    pub(super) fn condition(&mut self, depth: usize) -> String {
        if depth > 0 && self.random.percent(35) {
            let left = self.condition(depth - 1);
            return match self.random.index(3) {
                0 => format!("({left} && {})", self.condition(depth - 1)),
                1 => format!("({left} || {})", self.condition(depth - 1)),
                _ => format!("(!{left})"),
            };
        }
        if self.has(Feature::Polls)
            && self.random.percent(20)
            && let Some(poll) = self.poll()
        {
            return poll;
        }
        if self.random.percent(25)
            && let Some(place) = self.place(|place| place.kind.is_symbolic())
        {
            let constant = self.world.draw_constant(self.random, place.kind);
            let text = self.text(&place);
            return format!("({text} {} {constant})", if self.random.percent(60) { "==" } else { "!=" });
        }
        if self.has(Feature::Enabled) && self.random.percent(15) && self.enabled_allowed() {
            return format!("enabled({})", self.random.index(2));
        }
        let operator = ["==", "!=", "<", "<=", ">", ">="][self.random.index(6)];
        let operator = if operator == "!=" { self.sign("!=", "!!=") } else { operator };
        let left = self.number(1);
        let right = if self.random.percent(75) { self.random.index(3).to_string() } else { self.number(1) };
        format!("({left} {operator} {right})")
    }

    /// The rest of an assignment to a place, such as ` = 3` or `++`.
    pub(super) fn assignment(&mut self, place: &Place) -> String {
        let constant = self.world.draw_constant(self.random, place.kind);
        match place.kind {
            ScalarKind::Mtype(_) => {
                let same = self.place(|other| other.kind == place.kind);
                match same {
                    Some(other) if self.random.percent(40) => format!(" = {}", self.text(&other)),
                    _ => format!(" = {constant}"),
                }
            }
            ScalarKind::Bool if self.random.percent(50) => format!(" = {}", self.condition(1)),
            kind => match self.random.weighted(&[
                4,
                3,
                1,
                if self.has(Feature::Truncation) && self.looping == 0 { 2 } else { 0 },
                if self.has(Feature::LargeLiterals) { 2 } else { 0 },
            ]) {
                0 => format!(" = {constant}"),
                1 => format!(" = ({} % {})", self.number(2), self.random.between(2, 3)),
                2 if matches!(kind, ScalarKind::Bit | ScalarKind::Bool | ScalarKind::Unsigned(1 | 2))
                    || self.looping == 0 =>
                {
                    if self.random.percent(60) { "++" } else { "--" }.into()
                }
                2 => format!(" = {constant}"),
                4 => format!(" = {}", self.large_literal()),
                _ => self.overflow(kind),
            },
        }
    }

    /// A number that SPIN reads as one of 32 bits.
    fn large_literal(&mut self) -> &'static str {
        const LITERALS: &[&str] =
            &["2147483647", "2147483648", "4294967295", "4294967297", "3000000000", "-2147483648"];
        self.random.pick(LITERALS).copied().unwrap_or_default()
    }

    /// The rest of an assignment whose value need not fit the type.
    fn overflow(&mut self, kind: ScalarKind) -> String {
        let constants: &[&str] = match kind {
            ScalarKind::Int => &["70000", "-70000", "-1", "65536"],
            _ => &["2", "3", "255", "256", "257", "-1", "32767", "32768", "65535", "40000", "-40000"],
        };
        let constant = self.random.pick(constants).copied().unwrap_or_default();
        match self.random.index(3) {
            0 if kind != ScalarKind::Int => format!(" = ({} + {constant})", self.number(1)),
            1 => format!(" = {}", self.number(2)),
            _ => format!(" = {constant}"),
        }
    }
}
