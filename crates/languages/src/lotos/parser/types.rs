//! Type definitions.

use std::rc::Rc;

use super::super::ast::{Body, Change, Equation, Ident, Operation, Renaming, Type, Variable};
use super::super::lexer::TokenKind;
use super::{Parsed, Parser, Reported};

impl Parser<'_> {
    pub(super) fn type_definition(&mut self) -> Parsed<()> {
        self.expect("type")?;
        let name = self.name("the name of a type")?;
        self.expect("is")?;
        let mut imports = Vec::new();
        if self.kind() == TokenKind::Name {
            imports = self.names("the name of a type")?;
        }
        let mut change = Change::None;
        if self.eat("renamedby") {
            let renaming = self.renaming()?;
            change = match imports.pop() {
                Some(base) => Change::Renamed(base, renaming),
                None => return Err(self.unexpected("the name of a type before `renamedby`")),
            };
        } else if self.eat("actualizedby") {
            let others = self.names("the name of a type")?;
            self.expect("using")?;
            let renaming = self.renaming()?;
            change = match imports.pop() {
                Some(base) => Change::Actualized(base, renaming),
                None => return Err(self.unexpected("the name of a type before `actualizedby`")),
            };
            imports.extend(others);
        }
        let mut body = Body::default();
        loop {
            if self.at("sorts") || self.at("formalsorts") {
                let formal = self.at("formalsorts");
                self.bump();
                let names = self.names("the name of a sort")?;
                if formal { &mut body.formal_sorts } else { &mut body.sorts }.extend(names);
            } else if self.at("opns") || self.at("formalopns") {
                let formal = self.at("formalopns");
                self.bump();
                while self.at("_")
                    || matches!(self.kind(), TokenKind::Name | TokenKind::Digits | TokenKind::Special)
                {
                    self.operations(formal, &mut body)?;
                }
            } else if self.at("eqns") || self.at("formaleqns") {
                let formal = self.at("formaleqns");
                self.bump();
                let mut own = Body::default();
                self.equations(&mut own)?;
                if !formal {
                    // What is said of something that is not there yet is said of what takes its place.
                    body.equations.extend(own.equations);
                }
            } else {
                break;
            }
        }
        if !self.eat("endtype") {
            return Err(self.unexpected("`sorts`, `opns`, `eqns` or `endtype`"));
        }
        self.tree.types.push(Type { name, imports, body, change });
        Ok(())
    }

    fn renaming(&mut self) -> Parsed<Renaming> {
        let mut renaming = Renaming::default();
        loop {
            let is_sorts = self.at("sortnames");
            if !is_sorts && !self.at("opnnames") {
                return Ok(renaming);
            }
            self.bump();
            while matches!(self.kind(), TokenKind::Name | TokenKind::Digits | TokenKind::Special)
                || self.at("_")
            {
                let new = self.operation_name()?.0;
                self.expect("for")?;
                let old = self.operation_name()?.0;
                if is_sorts {
                    renaming.sorts.push((new, old));
                } else {
                    renaming.operations.push((new, old));
                }
            }
        }
    }

    /// Parses `f` or `_f_`; the result says which.
    fn operation_name(&mut self) -> Parsed<(Ident, bool, Option<Rc<str>>)> {
        let infix = self.eat("_");
        if !matches!(self.kind(), TokenKind::Name | TokenKind::Digits | TokenKind::Special) {
            return Err(self.unexpected("the name of an operation"));
        }
        let name = Ident { name: self.token().text.clone(), span: self.span() };
        let mut remark = self.token().remark.clone();
        self.bump();
        if infix {
            if self.at("_") {
                remark = remark.or_else(|| self.token().remark.clone());
            }
            self.expect("_")?;
        }
        Ok((name, infix, remark))
    }

    /// Parses `f, g : s, t -> u`.
    fn operations(&mut self, is_formal: bool, body: &mut Body) -> Parsed<()> {
        let mut names = vec![self.operation_name()?];
        while self.eat(",") {
            names.push(self.operation_name()?);
        }
        self.expect(":")?;
        let mut arguments = Vec::new();
        if !self.at("->") {
            arguments = self.names("the name of a sort")?;
        }
        self.expect("->")?;
        let last = self.token().remark.clone();
        let result = self.name("the name of a sort")?;
        for (name, infix, remark) in names {
            let remark = remark.or_else(|| last.clone());
            let (arguments, result) = (arguments.clone(), result.clone());
            body.operations.push(Operation { name, infix, arguments, result, remark, is_formal });
        }
        Ok(())
    }

    fn equations(&mut self, body: &mut Body) -> Parsed<()> {
        let mut outer: Vec<Variable> = Vec::new();
        let mut inner: Rc<Vec<Variable>> = Rc::new(Vec::new());
        let mut sort = None;
        loop {
            if self.eat("forall") {
                let found = self.variables()?;
                if sort.is_none() {
                    outer.extend(found);
                    inner = Rc::new(outer.clone());
                } else {
                    let mut all = outer.clone();
                    all.extend(found);
                    inner = Rc::new(all);
                }
            } else if self.eat("ofsort") {
                sort = Some(self.name("the name of a sort")?);
                inner = Rc::new(outer.clone());
            } else if matches!(self.kind(), TokenKind::Name | TokenKind::Digits | TokenKind::Special)
                || self.at("(")
            {
                match self.equation(&inner, sort.as_ref()) {
                    Ok(equation) => body.equations.push(equation),
                    Err(Reported) => {
                        while !self.at_end() && !self.at(";") && !self.at("endtype") && !self.at("ofsort") {
                            self.bump();
                        }
                    }
                }
                if !self.eat(";") && !self.at("endtype") && !self.at("ofsort") && !self.at("forall") {
                    return Err(self.unexpected("`;`"));
                }
            } else {
                return Ok(());
            }
        }
    }

    /// Parses `p, q => l = r`.
    fn equation(&mut self, variables: &Rc<Vec<Variable>>, sort: Option<&Ident>) -> Parsed<Equation> {
        let mut conditions = vec![self.condition()?];
        while self.eat(",") {
            conditions.push(self.condition()?);
        }
        let has_premises = self.at("=>");
        if has_premises {
            self.bump();
            conditions.push(self.condition()?);
        } else if conditions.len() > 1 {
            return Err(self.unexpected("`,` or `=>`"));
        }
        match conditions.pop() {
            Some(super::super::ast::Condition::Equal(left, right)) => Ok(Equation {
                variables: Rc::clone(variables),
                sort: sort.cloned(),
                premises: conditions,
                left,
                right,
            }),
            _ => Err(self.unexpected("`=`")),
        }
    }
}
