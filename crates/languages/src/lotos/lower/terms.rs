//! Expressions: which operations are meant where several have the same name.

use std::rc::Rc;

use narrows_model::behaviour::{Condition, OperationId, SortId, Term};
use narrows_source::{Diagnostic, Diagnostics, Span, closest};

use super::super::ast::{self, Expr};
use super::types::Scope;

/// A variable that can be used.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) name: Rc<str>,
    /// Its number, which terms hold.
    pub(super) number: u16,
    pub(super) sort: SortId,
}

/// Numbers are below this.
pub(super) const NUMBERS: u32 = 1 << 31;

/// What an expression may be.
struct Options<'e> {
    expr: &'e Expr,
    arguments: Vec<Options<'e>>,
    choices: Vec<(SortId, Choice)>,
}

#[derive(Clone, Copy)]
enum Choice {
    Variable(u16),
    Number(u32),
    Operation(OperationId),
}

/// Expressions in a place where some variables are known.
pub(super) struct Terms<'s, 'd> {
    pub(super) scope: &'s Scope,
    pub(super) variables: &'s [Known],
    /// The type whose own sorts and operations are meant where others have the same names.
    pub(super) home: Option<usize>,
    pub(super) diagnostics: &'d mut Diagnostics,
}

impl Terms<'_, '_> {
    /// Finds out what an expression means, and its sort if only one is possible, or is expected.
    pub(super) fn term(&mut self, expr: &Expr, expected: Option<SortId>) -> Option<(Term, SortId)> {
        let options = self.options(expr)?;
        let sort = self.decide(&options, expected)?;
        Some((self.choose(&options, sort)?, sort))
    }

    /// Finds out what two expressions of the same sort mean.
    pub(super) fn pair(
        &mut self,
        left: &Expr,
        right: &Expr,
        expected: Option<SortId>,
    ) -> Option<(Term, Term, SortId)> {
        let (one, two) = (self.options(left), self.options(right));
        let (one, two) = (one?, two?);
        let common: Vec<SortId> = sorts(&one)
            .into_iter()
            .filter(|sort| sorts(&two).contains(sort) && expected.is_none_or(|expected| expected == *sort))
            .collect();
        let own = common.iter().filter(|sort| Some(self.scope.homes.1[usize::from(sort.0)]) == self.home);
        let own: Vec<SortId> = own.copied().collect();
        let common = if common.len() > 1 && own.len() == 1 { own } else { common };
        match common.as_slice() {
            [sort] => Some((self.choose(&one, *sort)?, self.choose(&two, *sort)?, *sort)),
            [] => {
                let title = "the two sides of this equation have different sorts";
                let diagnostic = Diagnostic::error("L0212", left.span.to(right.span), title)
                    .also(left.span, self.names(&sorts(&one)))
                    .also(right.span, self.names(&sorts(&two)));
                self.diagnostics.push(match expected {
                    Some(expected) => {
                        diagnostic.note(format!("`ofsort` asks for {}", self.scope.data.sort(expected).name))
                    }
                    None => diagnostic,
                });
                None
            }
            _ => {
                self.ambiguous(left.span.to(right.span), &common);
                None
            }
        }
    }

    /// Finds out what a condition means.
    pub(super) fn condition(&mut self, condition: &ast::Condition) -> Option<Condition> {
        match condition {
            ast::Condition::Equal(left, right) => {
                self.pair(left, right, None).map(|(left, right, _)| Condition::Equal(left, right))
            }
            ast::Condition::True(expr) => {
                match self.scope.truth.filter(|_| self.scope.data.truth.is_some()) {
                    Some(truth) => Some(Condition::True(self.term(expr, Some(truth))?.0)),
                    None => {
                        let title = "there are no truth values";
                        Diagnostic::error("L0208", expr.span, title)
                            .help("add `library Boolean endlib`")
                            .emit(self.diagnostics);
                        None
                    }
                }
            }
        }
    }

    fn options<'e>(&mut self, expr: &'e Expr) -> Option<Options<'e>> {
        let mut arguments = Vec::new();
        for argument in &expr.arguments {
            arguments.push(self.options(argument));
        }
        let arguments: Vec<Options<'e>> = arguments.into_iter().collect::<Option<_>>()?;
        let name = &expr.name.name;
        let mut choices: Vec<(SortId, Choice)> = Vec::new();
        let variable = self.variables.iter().rev().find(|known| known.name == *name && !expr.applied);
        if let Some(known) = variable {
            choices.push((known.sort, Choice::Variable(known.number)));
        } else {
            let fits = |id: &&OperationId| {
                let operation = self.scope.data.operation(**id);
                let mut pairs = operation.arguments.iter().zip(&arguments);
                operation.infix == expr.infix
                    && operation.arguments.len() == arguments.len()
                    && pairs.all(|(sort, argument)| sorts(argument).contains(sort))
            };
            let named = self.scope.operations.get(name).into_iter().flatten();
            choices.extend(
                named.filter(fits).map(|id| (self.scope.data.operation(*id).result, Choice::Operation(*id))),
            );
            if let (Ok(number), false) = (name.parse::<u32>(), expr.applied)
                && number < NUMBERS
            {
                // A digit that a type declares for a sort of numbers is that number.
                let declared: Vec<SortId> = choices.iter().map(|choice| choice.0).collect();
                let all = (0..).zip(&self.scope.data.sorts).filter(|(_, sort)| sort.natural);
                let all = all.map(|(index, _)| SortId(index)).filter(|sort| !declared.contains(sort));
                choices.extend(all.map(|sort| (sort, Choice::Number(number))));
            }
        }
        if let Some(sort) = &expr.sort {
            let sort = self.scope.sort(sort, self.diagnostics)?;
            let others: Vec<SortId> = choices.iter().map(|choice| choice.0).collect();
            choices.retain(|choice| choice.0 == sort);
            if choices.is_empty() && !others.is_empty() {
                let wanted = &self.scope.data.sort(sort).name;
                let title = format!("`{name}` is not of sort {wanted}");
                self.diagnostics
                    .push(Diagnostic::error("L0213", expr.span, title).label(self.names(&others)));
                return None;
            }
        }
        if choices.is_empty() {
            self.unknown(expr, &arguments);
            return None;
        }
        Some(Options { expr, arguments, choices })
    }

    fn unknown(&mut self, expr: &Expr, arguments: &[Options<'_>]) {
        let name = &expr.name;
        let same = self.scope.operations.get(&name.name);
        if let Some(same) = same {
            let given: Vec<String> = arguments.iter().map(|one| self.names(&sorts(one))).collect();
            let title = if given.is_empty() {
                format!("`{}` needs arguments", name.name)
            } else {
                format!("no operation `{}` takes {}", name.name, given.join(" and "))
            };
            let mut diagnostic = Diagnostic::error("L0211", name.span, title);
            for id in same.iter().take(4) {
                diagnostic = diagnostic.note(format!("there is {}", self.signature(*id)));
            }
            self.diagnostics.push(diagnostic);
            return;
        }
        let title = format!("there is no variable or operation `{}`", name.name);
        let diagnostic = Diagnostic::error("L0210", name.span, title);
        let variables = self.variables.iter().map(|known| &*known.name);
        let names = variables.chain(self.scope.operations.keys().map(|name| &**name));
        let is_number = name.name.bytes().all(|byte| byte.is_ascii_digit());
        self.diagnostics.push(match closest(&name.name, names) {
            _ if is_number => {
                diagnostic.help("numbers need `library Natural endlib`, and are below 2147483648")
            }
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic,
        });
    }

    /// Writes the declaration of an operation.
    fn signature(&self, id: OperationId) -> String {
        let data = &self.scope.data;
        let operation = data.operation(id);
        let arguments: Vec<&str> =
            operation.arguments.iter().map(|sort| data.sort(*sort).name.as_str()).collect();
        let name = if operation.infix { format!("_{}_", operation.name) } else { operation.name.clone() };
        let arrow = if arguments.is_empty() { "->" } else { " ->" };
        format!("`{name} : {}{arrow} {}`", arguments.join(", "), data.sort(operation.result).name)
    }

    fn names(&self, sorts: &[SortId]) -> String {
        let mut names: Vec<&str> =
            sorts.iter().map(|sort| self.scope.data.sort(*sort).name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names.join(" or ")
    }

    fn decide(&mut self, options: &Options<'_>, expected: Option<SortId>) -> Option<SortId> {
        let all = sorts(options);
        match (expected, all.as_slice()) {
            (Some(expected), all) if all.contains(&expected) => Some(expected),
            (Some(expected), all) => {
                let wanted = &self.scope.data.sort(expected).name;
                let title = format!("a value of sort {wanted} should stand here");
                let found = self.names(all);
                Diagnostic::error("L0213", options.expr.span, title)
                    .label(format!("this is {found}"))
                    .emit(self.diagnostics);
                None
            }
            (None, [only]) => Some(*only),
            (None, all) => {
                self.ambiguous(options.expr.span, all);
                None
            }
        }
    }

    fn ambiguous(&mut self, span: Span, all: &[SortId]) {
        let title = "several sorts are possible here";
        let diagnostic = Diagnostic::error("L0214", span, title).label(self.names(all));
        self.diagnostics.push(diagnostic.help("say which one is meant: `(…) of SORT`"));
    }

    fn choose(&mut self, options: &Options<'_>, sort: SortId) -> Option<Term> {
        let possible: Vec<Choice> =
            options.choices.iter().filter(|choice| choice.0 == sort).map(|choice| choice.1).collect();
        let is_own = |choice: &Choice| match choice {
            Choice::Operation(id) => Some(self.scope.homes.0[id.0 as usize]) == self.home,
            _ => false,
        };
        let own: Vec<Choice> = possible.iter().copied().filter(is_own).collect();
        let possible = if possible.len() > 1 && own.len() == 1 { own } else { possible };
        let choice = possible.first()?;
        if possible.len() > 1 {
            let title = format!("several operations `{}` are possible here", options.expr.name.name);
            let help = "say of the arguments which sorts are meant: `x of SORT`";
            self.diagnostics.push(Diagnostic::error("L0214", options.expr.span, title).help(help));
            return None;
        }
        match *choice {
            Choice::Variable(number) => Some(Term::Variable(number)),
            Choice::Number(number) => Some(Term::Number(number)),
            Choice::Operation(id) => {
                let sorts = self.scope.data.operation(id).arguments.clone();
                let arguments: Option<Vec<Term>> = options
                    .arguments
                    .iter()
                    .zip(sorts)
                    .map(|(argument, sort)| self.choose(argument, sort))
                    .collect();
                Some(Term::Apply(id, arguments?))
            }
        }
    }
}

/// The sorts that an expression may have, each once.
fn sorts(options: &Options<'_>) -> Vec<SortId> {
    let mut all: Vec<SortId> = options.choices.iter().map(|choice| choice.0).collect();
    all.sort_unstable();
    all.dedup();
    all
}
