//! Types: which ones there are, what they take from each other, and the sorts and operations that come out.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use narrows_model::behaviour::{Builtin, Data, Meaning, Operation, OperationId, Sort, SortId};
use narrows_source::{Diagnostic, Diagnostics, FileId, Sources, closest};

use super::super::ast::{
    self, Body, Change, Condition, Equation, Expr, Ident, Renaming, Specification, Type,
};
use super::super::library::{ALIASES, TEXT};
use super::super::parser::parse_types;
use super::terms::NUMBERS;

/// Sorts and operations by name.
#[derive(Debug, Default)]
pub(super) struct Scope {
    pub(super) data: Data,
    pub(super) sorts: BTreeMap<Rc<str>, SortId>,
    pub(super) operations: BTreeMap<Rc<str>, Vec<OperationId>>,
    /// The sort of truth values.
    pub(super) truth: Option<SortId>,
    /// Which operations are said to be constructors.
    pub(super) constructors: BTreeSet<OperationId>,
    /// The text of the library.
    pub(super) library: FileId,
    /// The type that each operation and each sort is from.
    pub(super) homes: (Vec<usize>, Vec<usize>),
}

impl Scope {
    /// Finds a sort.
    pub(super) fn sort(&self, name: &Ident, diagnostics: &mut Diagnostics) -> Option<SortId> {
        if let Some(sort) = self.sorts.get(&name.name) {
            return Some(*sort);
        }
        // The standard's formal sort of truth values, which types of the library take for the real one.
        if &*name.name == "FBOOL" && self.truth.is_some() {
            return self.truth;
        }
        let diagnostic = Diagnostic::error("L0201", name.span, format!("there is no sort `{}`", name.name));
        diagnostics.push(match closest(&name.name, self.sorts.keys().map(|name| &**name)) {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None if library_sorts().any(|(sort, _)| sort == &*name.name) => {
                let found = library_sorts().find(|(sort, _)| *sort == &*name.name);
                diagnostic.help(format!("add `library {} endlib`", found.map_or("", |found| found.1)))
            }
            None => diagnostic,
        });
        None
    }
}

/// Sorts of the library, and the types they are from.
fn library_sorts() -> impl Iterator<Item = (&'static str, &'static str)> {
    [
        ("BOOL", "Boolean"),
        ("NAT", "Natural"),
        ("BIT", "Bit"),
        ("BITSTRING", "BitString"),
        ("OCTET", "Octet"),
        ("OCTETSTRING", "OctetString"),
        ("DECDIGIT", "DecDigit"),
        ("DECSTRING", "DecString"),
        ("HEXDIGIT", "HexDigit"),
        ("HEXSTRING", "HexString"),
        ("OCTDIGIT", "OctDigit"),
        ("OCTSTRING", "OctString"),
    ]
    .into_iter()
}

/// Returns what all types say that can be used, those of the library first.
pub(super) fn collect(
    tree: &Specification,
    sources: &mut Sources,
    diagnostics: &mut Diagnostics,
) -> (Vec<Body>, FileId) {
    let file = sources.add("library", TEXT);
    let library = parse_types(TEXT, file, &mut Diagnostics::default());
    let mut types: BTreeMap<Rc<str>, &Type> = BTreeMap::new();
    for one in &tree.types {
        if let Some(other) = types.insert(one.name.name.clone(), one) {
            let title = format!("the type `{}` is defined twice", one.name.name);
            diagnostics
                .push(Diagnostic::error("L0202", one.name.span, title).also(other.name.span, "first here"));
        }
    }
    let mut wanted: Vec<Rc<str>> = Vec::new();
    for name in &tree.libraries {
        let real = alias(&name.name);
        match library.types.iter().find(|one| *one.name.name == *real) {
            Some(found) => wanted.push(found.name.name.clone()),
            None => {
                let title = format!("the library has no type `{}`", name.name);
                let names = library.types.iter().map(|one| &*one.name.name);
                let all: Vec<&str> = names.clone().collect();
                let diagnostic = Diagnostic::error("L0203", name.span, title);
                diagnostics.push(match closest(&name.name, names) {
                    Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                    None => diagnostic.help(format!("it has {}", all.join(", "))),
                });
            }
        }
    }
    // What a type of the library needs is there too.
    let mut next = 0;
    while let Some(name) = wanted.get(next).cloned() {
        next += 1;
        let found = library.types.iter().find(|one| one.name.name == name);
        let base = found.and_then(|found| match &found.change {
            Change::None => None,
            Change::Renamed(base, _) | Change::Actualized(base, _) => Some(base),
        });
        let imports = found.into_iter().flat_map(|found| &found.imports);
        for import in imports.chain(base) {
            if !wanted.contains(&import.name) {
                wanted.push(import.name.clone());
            }
        }
    }
    for one in library.types.iter().filter(|one| wanted.contains(&one.name.name)) {
        types.entry(one.name.name.clone()).or_insert(one);
    }
    let known = Types { types, is_library: library.types.iter().map(|one| one.name.name.clone()).collect() };
    for one in &tree.types {
        known.check(one, diagnostics);
    }
    let order = library.types.iter().chain(&tree.types);
    let used =
        order.filter(|one| known.types.get(&one.name.name).is_some_and(|found| std::ptr::eq(*found, *one)));
    let bodies = used.filter(|one| !known.is_generic(one, 0)).map(|one| known.expand(one, 0)).collect();
    (bodies, file)
}

fn alias(name: &str) -> &str {
    ALIASES.iter().find(|(other, _)| *other == name).map_or(name, |(_, real)| real)
}

struct Types<'t> {
    types: BTreeMap<Rc<str>, &'t Type>,
    is_library: BTreeSet<Rc<str>>,
}

/// Types take from each other at most over so many steps.
const MAX_DEPTH: usize = 100;

impl<'t> Types<'t> {
    fn find(&self, name: &Ident) -> Option<&'t Type> {
        let found = self.types.get(&name.name).or_else(|| self.types.get(alias(&name.name)));
        found.copied()
    }

    fn check(&self, one: &Type, diagnostics: &mut Diagnostics) {
        let base = match &one.change {
            Change::None => None,
            Change::Renamed(base, _) | Change::Actualized(base, _) => Some(base),
        };
        for name in one.imports.iter().chain(base) {
            if self.find(name).is_some() {
                continue;
            }
            let diagnostic =
                Diagnostic::error("L0204", name.span, format!("there is no type `{}`", name.name));
            diagnostics.push(if self.is_library.contains(alias(&name.name)) {
                diagnostic.help(format!("it is in the library: add `library {} endlib`", name.name))
            } else {
                diagnostic.did_you_mean(closest(&name.name, self.types.keys().map(|name| &**name)))
            });
        }
        let mut path = vec![&one.name.name];
        let mut next = base;
        while let Some(found) = next.and_then(|name| self.find(name)) {
            if path.contains(&&found.name.name) {
                let title = format!("the type `{}` is made of itself", one.name.name);
                diagnostics.push(Diagnostic::error("L0205", one.name.span, title));
                return;
            }
            path.push(&found.name.name);
            next = match &found.change {
                Change::None => None,
                Change::Renamed(base, _) | Change::Actualized(base, _) => Some(base),
            };
        }
    }

    /// Returns whether something of a type, or of what it takes, is only to be filled in.
    fn is_generic(&self, one: &Type, depth: usize) -> bool {
        if depth > MAX_DEPTH {
            return false;
        }
        let is_open =
            !one.body.formal_sorts.is_empty() || one.body.operations.iter().any(|found| found.is_formal);
        let mut inherited = one.imports.iter().filter_map(|name| self.find(name));
        let renamed = match &one.change {
            Change::Renamed(base, _) => self.find(base).is_some_and(|base| self.is_generic(base, depth + 1)),
            _ => false,
        };
        is_open || renamed || inherited.any(|found| self.is_generic(found, depth + 1))
    }

    /// Returns what a type says itself, and what it takes from others under other names.
    fn expand(&self, one: &Type, depth: usize) -> Body {
        let mut body = one.body.clone();
        let (base, renaming, fills) = match &one.change {
            Change::None => return body,
            Change::Renamed(base, renaming) => (base, renaming, false),
            Change::Actualized(base, renaming) => (base, renaming, true),
        };
        if depth > MAX_DEPTH {
            return body;
        }
        let mut sources = Vec::new();
        self.inherited(base, renaming, fills, &mut sources, depth);
        for mut source in sources {
            if fills {
                source.formal_sorts.clear();
                source.operations.retain(|operation| !operation.is_formal);
            }
            rename(&mut source, renaming);
            body.sorts.extend(source.sorts);
            body.formal_sorts.extend(source.formal_sorts);
            body.operations.extend(source.operations);
            body.equations.extend(source.equations);
        }
        body
    }

    /// Adds what has to be copied of a type: all of its own, and what it takes from types that are changed.
    fn inherited(
        &self,
        name: &Ident,
        renaming: &Renaming,
        fills: bool,
        bodies: &mut Vec<Body>,
        depth: usize,
    ) {
        let Some(found) = self.find(name).filter(|_| depth <= MAX_DEPTH) else { return };
        bodies.push(self.expand(found, depth + 1));
        for import in &found.imports {
            let Some(other) = self.find(import) else { continue };
            let names = |body: &Body| {
                let sorts =
                    body.sorts.iter().any(|sort| renaming.sorts.iter().any(|(_, old)| old.name == sort.name));
                let known = |operation: &ast::Operation| {
                    renaming.operations.iter().any(|(_, old)| old.name == operation.name.name)
                };
                sorts || body.operations.iter().any(known)
            };
            if fills && self.is_generic(other, 0) || !fills && names(&other.body) {
                self.inherited(import, renaming, fills, bodies, depth + 1);
            }
        }
    }
}

fn rename(body: &mut Body, renaming: &Renaming) {
    let change = |list: &[(Ident, Ident)], ident: &mut Ident| {
        if let Some((new, _)) = list.iter().find(|(_, old)| old.name == ident.name) {
            ident.name = new.name.clone();
        }
    };
    let sort = |ident: &mut Ident| change(&renaming.sorts, ident);
    body.sorts.iter_mut().chain(&mut body.formal_sorts).for_each(sort);
    for operation in &mut body.operations {
        change(&renaming.operations, &mut operation.name);
        operation.arguments.iter_mut().for_each(sort);
        sort(&mut operation.result);
    }
    let name = |ident: &mut Ident| change(&renaming.operations, ident);
    for Equation { variables, sort: of, premises, left, right } in &mut body.equations {
        of.iter_mut().for_each(sort);
        let mut renamed = variables.to_vec();
        for variable in &mut renamed {
            sort(&mut variable.sort);
        }
        *variables = Rc::new(renamed);
        expression(left, &sort, &name);
        expression(right, &sort, &name);
        for premise in premises {
            match premise {
                Condition::True(expr) => expression(expr, &sort, &name),
                Condition::Equal(left, right) => {
                    expression(left, &sort, &name);
                    expression(right, &sort, &name);
                }
            }
        }
    }
}

/// Changes the names in an expression.
fn expression(expr: &mut Expr, sort: &dyn Fn(&mut Ident), name: &dyn Fn(&mut Ident)) {
    name(&mut expr.name);
    expr.sort.iter_mut().for_each(sort);
    for argument in &mut expr.arguments {
        expression(argument, sort, name);
    }
}

/// Declares all sorts and operations.
pub(super) fn declare(bodies: &[Body], library: FileId, diagnostics: &mut Diagnostics) -> Scope {
    let mut scope = Scope { library, ..Scope::default() };
    let sorts =
        bodies.iter().enumerate().flat_map(|(home, body)| body.sorts.iter().map(move |sort| (home, sort)));
    for (home, sort) in sorts {
        let id = SortId(scope.data.sorts.len() as u16);
        if scope.sorts.contains_key(&sort.name) {
            let title = format!("the sort `{}` is declared twice", sort.name);
            let help = "rename one of them: `renamedby sortnames NEW for OLD`";
            diagnostics.push(Diagnostic::error("L0202", sort.span, title).help(help));
            continue;
        }
        scope.sorts.insert(sort.name.clone(), id);
        scope.homes.1.push(home);
        let name = sort.name.to_string();
        scope.data.sorts.push(Sort { name, constructors: Vec::new(), natural: false, listed: None });
    }
    scope.truth = scope.sorts.get("BOOL").copied();
    for (home, body) in bodies.iter().enumerate() {
        for operation in &body.operations {
            declare_operation(operation, &mut scope, diagnostics);
            scope.homes.0.resize(scope.data.operations.len(), home);
        }
    }
    let constant = |name: &str| {
        scope.operations.get(name)?.iter().copied().find(|id| {
            let found = scope.data.operation(*id);
            Some(found.result) == scope.truth && found.arguments.is_empty()
        })
    };
    if let (Some(no), Some(yes)) = (constant("FALSE"), constant("TRUE")) {
        scope.data.truth = Some([no, yes]);
    }
    scope
}

fn declare_operation(operation: &ast::Operation, scope: &mut Scope, diagnostics: &mut Diagnostics) {
    let arguments: Option<Vec<SortId>> =
        operation.arguments.iter().map(|sort| scope.sort(sort, diagnostics)).collect();
    let result = scope.sort(&operation.result, diagnostics);
    let (Some(arguments), Some(result)) = (arguments, result) else { return };
    let name = &operation.name;
    if operation.infix && arguments.len() != 2 {
        let title =
            format!("`_{}_` stands between two values, but is declared with {}", name.name, arguments.len());
        diagnostics.push(Diagnostic::error("L0206", name.span, title));
        return;
    }
    let id = OperationId(scope.data.operations.len() as u32);
    let same = scope.operations.entry(name.name.clone()).or_default();
    let twice = same.iter().find(|other| {
        let other = scope.data.operation(**other);
        other.arguments == arguments && other.result == result && other.infix == operation.infix
    });
    if let Some(other) = twice {
        let title = format!("the operation `{}` is declared twice with the same sorts", name.name);
        let other = scope.data.operation(*other).span;
        diagnostics.push(Diagnostic::error("L0202", name.span, title).also(other, "first here"));
        return;
    }
    same.push(id);
    let mut words = operation.remark.as_deref().unwrap_or("").split_whitespace();
    let meaning = match words.next() {
        Some("constructor") => {
            scope.constructors.insert(id);
            None
        }
        Some("builtin") => {
            let found = words.next().and_then(builtin);
            if found == Some(Builtin::Successor) && name.span.file == scope.library {
                scope.data.sorts[usize::from(result.0)].natural = true;
            }
            let found = found.filter(|found| is_possible(*found, &arguments, result, scope));
            if found.is_none() {
                let title = format!("`{}` can't be built in with these sorts", name.name);
                let help = "`builtin equal` and `builtin not_equal` are for two values of one sort, and give \
                            a `Bool`";
                diagnostics.push(Diagnostic::error("L0207", name.span, title).help(help));
            }
            found.map(Meaning::Builtin)
        }
        Some(_) if words.any(|word| word == "constructor") => {
            scope.constructors.insert(id);
            None
        }
        _ => None,
    };
    let meaning = meaning.or_else(|| {
        let number = name.name.parse::<u32>().ok().filter(|number| *number < NUMBERS)?;
        let is_number = arguments.is_empty() && scope.data.sort(result).natural;
        is_number.then_some(Meaning::Builtin(Builtin::Number(number)))
    });
    scope.data.operations.push(Operation {
        name: name.name.to_string(),
        infix: operation.infix,
        arguments,
        result,
        meaning: meaning.unwrap_or(Meaning::Rules(Vec::new())),
        span: name.span,
    });
}

/// Returns whether something built in goes with these sorts.
fn is_possible(builtin: Builtin, arguments: &[SortId], result: SortId, scope: &Scope) -> bool {
    let natural = |sort: &SortId| scope.data.sort(*sort).natural;
    match builtin {
        Builtin::Successor => arguments.len() == 1 && arguments[0] == result && natural(&result),
        Builtin::Equal | Builtin::NotEqual => {
            arguments.len() == 2 && arguments[0] == arguments[1] && Some(result) == scope.truth
        }
        Builtin::Less | Builtin::LessOrEqual | Builtin::Greater | Builtin::GreaterOrEqual => {
            arguments.len() == 2 && arguments.iter().all(natural) && Some(result) == scope.truth
        }
        _ => arguments.len() == 2 && arguments.iter().all(natural) && natural(&result),
    }
}

fn builtin(word: &str) -> Option<Builtin> {
    Some(match word {
        "successor" => Builtin::Successor,
        "add" => Builtin::Add,
        "subtract" => Builtin::Subtract,
        "multiply" => Builtin::Multiply,
        "power" => Builtin::Power,
        "divide" => Builtin::Divide,
        "modulo" => Builtin::Modulo,
        "minimum" => Builtin::Minimum,
        "maximum" => Builtin::Maximum,
        "equal" => Builtin::Equal,
        "not_equal" => Builtin::NotEqual,
        "less" => Builtin::Less,
        "less_or_equal" => Builtin::LessOrEqual,
        "greater" => Builtin::Greater,
        "greater_or_equal" => Builtin::GreaterOrEqual,
        _ => return None,
    })
}
