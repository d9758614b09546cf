//! Behaviours. From loose to tight: `let`, `choice`, `par`, `hide`; `>>`; `[>`; `|[…]|`; `[]`; guards;
//! actions. Operators associate to the right.

use super::super::ast::{Behaviour, BehaviourKind, GateRange, Meeting, Offer, Result as Value};
use super::super::lexer::TokenKind;
use super::{Parsed, Parser};

impl Parser<'_> {
    pub(super) fn behaviour(&mut self) -> Parsed<Behaviour> {
        self.nested(Self::enabling)
    }

    fn finish(&self, start: usize, kind: BehaviourKind) -> Behaviour {
        Behaviour { kind, span: self.span_from(start) }
    }

    fn enabling(&mut self) -> Parsed<Behaviour> {
        let start = self.position;
        let left = self.disabling()?;
        if !self.eat(">>") {
            return Ok(left);
        }
        let mut accepted = Vec::new();
        if self.eat("accept") {
            accepted = self.variables()?;
            self.expect("in")?;
        }
        let right = Box::new(self.behaviour()?);
        Ok(self.finish(start, BehaviourKind::Enable { left: Box::new(left), accepted, right }))
    }

    fn disabling(&mut self) -> Parsed<Behaviour> {
        let start = self.position;
        let left = self.parallel()?;
        if !self.eat("[>") {
            return Ok(left);
        }
        let right = self.nested(Self::disabling)?;
        Ok(self.finish(start, BehaviourKind::Disable(Box::new(left), Box::new(right))))
    }

    fn parallel(&mut self) -> Parsed<Behaviour> {
        let start = self.position;
        let left = self.choosing()?;
        let Some(meeting) = self.meeting()? else { return Ok(left) };
        let right = self.nested(Self::parallel)?;
        Ok(self.finish(start, BehaviourKind::Parallel(meeting, Box::new(left), Box::new(right))))
    }

    fn meeting(&mut self) -> Parsed<Option<Meeting>> {
        if self.eat("|||") {
            return Ok(Some(Meeting::Nowhere));
        }
        if self.eat("||") {
            return Ok(Some(Meeting::Everywhere));
        }
        if !self.eat("|[") {
            return Ok(None);
        }
        let gates = if self.at("]|") { Vec::new() } else { self.names("the name of a gate")? };
        self.expect("]|")?;
        Ok(Some(Meeting::Gates(gates)))
    }

    fn choosing(&mut self) -> Parsed<Behaviour> {
        let start = self.position;
        let left = self.guarded()?;
        if !self.eat("[]") {
            return Ok(left);
        }
        let right = self.nested(Self::choosing)?;
        Ok(self.finish(start, BehaviourKind::Choice(Box::new(left), Box::new(right))))
    }

    fn guarded(&mut self) -> Parsed<Behaviour> {
        let start = self.position;
        if !self.eat("[") {
            return self.single();
        }
        let condition = self.condition()?;
        self.expect("]")?;
        self.expect("->")?;
        let inner = self.nested(Self::guarded)?;
        Ok(self.finish(start, BehaviourKind::Guard(condition, Box::new(inner))))
    }

    fn single(&mut self) -> Parsed<Behaviour> {
        let start = self.position;
        if self.eat("(") {
            let inner = self.behaviour()?;
            self.expect(")")?;
            return Ok(inner);
        }
        if self.eat("stop") {
            return Ok(self.finish(start, BehaviourKind::Stop));
        }
        if self.eat("exit") {
            let values = self.results()?;
            return Ok(self.finish(start, BehaviourKind::Exit(values)));
        }
        if self.eat("i") {
            self.expect(";")?;
            let next = Box::new(self.nested(Self::guarded)?);
            return Ok(self.finish(start, BehaviourKind::Internal(next)));
        }
        if self.eat("hide") {
            let gates = self.names("the name of a gate")?;
            self.expect("in")?;
            let body = Box::new(self.behaviour()?);
            return Ok(self.finish(start, BehaviourKind::Hide(gates, body)));
        }
        if self.eat("let") {
            return self.binding(start);
        }
        if self.eat("choice") {
            return self.choice_over(start);
        }
        if self.eat("par") {
            let ranges = self.gate_ranges()?;
            let Some(meeting) = self.meeting()? else {
                return Err(self.unexpected("`,`, `|||`, `||` or `|[`"));
            };
            let body = Box::new(self.behaviour()?);
            return Ok(self.finish(start, BehaviourKind::ParallelOverGates(ranges, meeting, body)));
        }
        self.action_or_call(start)
    }

    fn results(&mut self) -> Parsed<Vec<Value>> {
        let mut values = Vec::new();
        if !self.eat("(") {
            return Ok(values);
        }
        loop {
            values.push(if self.eat("any") {
                Value::Any(self.name("the name of a sort")?)
            } else {
                Value::Value(self.expression()?)
            });
            if !self.eat(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok(values)
    }

    fn binding(&mut self, start: usize) -> Parsed<Behaviour> {
        let mut bound = Vec::new();
        loop {
            let names = self.names("the name of a variable")?;
            self.expect(":")?;
            let sort = self.name("the name of a sort")?;
            self.expect("=")?;
            let value = self.expression()?;
            for name in names {
                bound.push((super::Variable { name, sort: sort.clone() }, value.clone()));
            }
            if !self.eat(",") {
                break;
            }
        }
        self.expect("in")?;
        let body = Box::new(self.behaviour()?);
        Ok(self.finish(start, BehaviourKind::Let(bound, body)))
    }

    fn choice_over(&mut self, start: usize) -> Parsed<Behaviour> {
        let is_values = self.tokens[self.position..]
            .iter()
            .find(|token| matches!(&*token.text, ":" | "in" | "[]" | ";"))
            .is_some_and(|token| &*token.text == ":");
        if is_values {
            let variables = self.variables()?;
            self.expect("[]")?;
            let body = Box::new(self.behaviour()?);
            return Ok(self.finish(start, BehaviourKind::ChoiceOverValues(variables, body)));
        }
        let ranges = self.gate_ranges()?;
        self.expect("[]")?;
        let body = Box::new(self.behaviour()?);
        Ok(self.finish(start, BehaviourKind::ChoiceOverGates(ranges, body)))
    }

    /// Parses `g, h in [a, b], k in [c]`.
    fn gate_ranges(&mut self) -> Parsed<Vec<GateRange>> {
        let mut ranges = Vec::new();
        loop {
            let names = self.names("the name of a gate or of a variable")?;
            self.expect("in")?;
            self.expect("[")?;
            let gates = self.names("the name of a gate")?;
            self.expect("]")?;
            ranges.push(GateRange { names, gates });
            if !self.eat(",") {
                return Ok(ranges);
            }
        }
    }

    /// Parses `g !e ?x:s [p]; B` or `P [g] (e)`.
    fn action_or_call(&mut self, start: usize) -> Parsed<Behaviour> {
        if self.kind() != TokenKind::Name {
            return Err(self.unexpected("a behaviour"));
        }
        let name = self.name("a behaviour")?;
        let is_predicate = self.at("[") && self.closes_before_semicolon();
        if self.at(";") || self.at("!") || self.at("?") || is_predicate {
            let mut offers = Vec::new();
            loop {
                if self.eat("!") {
                    offers.push(Offer::Value(self.expression()?));
                } else if self.eat("?") {
                    let names = self.names("the name of a variable")?;
                    self.expect(":")?;
                    let sort = self.name("the name of a sort")?;
                    let variable = |name| Offer::Variable(super::Variable { name, sort: sort.clone() });
                    offers.extend(names.into_iter().map(variable));
                } else {
                    break;
                }
            }
            let mut predicate = None;
            if self.eat("[") {
                predicate = Some(self.condition()?);
                self.expect("]")?;
            }
            if !self.eat(";") {
                return Err(self.unexpected("`!`, `?`, `[` or `;`"));
            }
            let next = Box::new(self.nested(Self::guarded)?);
            return Ok(self.finish(start, BehaviourKind::Action { gate: name, offers, predicate, next }));
        }
        let (mut gates, mut arguments) = (Vec::new(), Vec::new());
        if self.eat("[") {
            gates = self.names("the name of a gate")?;
            self.expect("]")?;
        }
        if self.eat("(") {
            arguments.push(self.expression()?);
            while self.eat(",") {
                arguments.push(self.expression()?);
            }
            self.expect(")")?;
        }
        Ok(self.finish(start, BehaviourKind::Call { name, gates, arguments }))
    }

    /// Tells `g [x = 1]; B`, an action with a predicate, from `P [g]`.
    fn closes_before_semicolon(&self) -> bool {
        let mut tokens = self.tokens[self.position..].iter().skip_while(|token| &*token.text != "]");
        tokens.nth(1).is_some_and(|token| &*token.text == ";")
    }
}
