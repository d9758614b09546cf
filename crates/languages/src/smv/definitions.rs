//! Values that are given from outside: to definitions and frozen variables of `main`, and to names that are
//! new.

use narrows_source::{Diagnostic, Diagnostics, Sources, Span, closest};

use super::ast::{Binary, ConstraintKind, Expr, ExprKind, Id, Ident, Item, Section, Tree};
use super::{Given, Options, parser};

/// Puts what is given into the tree.
pub(super) fn apply(
    options: &Options,
    tree: &mut Tree,
    sources: &mut Sources,
    diagnostics: &mut Diagnostics,
) {
    let Some(main) = tree.modules.iter().position(|module| &*module.name.name == "main") else { return };
    // These come first, as they may use what is given.
    for given in &options.definitions {
        if let Some(value) = value(given, tree, sources, diagnostics) {
            let name = Ident { name: given.name.as_str().into(), span: given.span };
            tree.modules[main].items.push(Item::Define(name, value));
        }
    }
    let given = options.constants.iter().map(|given| (&given.name, given.span));
    let varied = options.varied.iter().map(|(name, span)| (name, *span));
    for (name, span) in given.chain(varied) {
        if !is_known(name, tree, main) {
            diagnostics.push(unknown(name, span, tree, main));
        } else if !is_used(name, tree) {
            let title = format!("nothing uses `{name}` of `main`");
            let error = Diagnostic::error("V0219", span, title);
            diagnostics.push(error.label("its value makes no difference").help("leave it out"));
        }
    }
    for given in
        options.constants.iter().filter(|given| is_known(&given.name, tree, main)).collect::<Vec<_>>()
    {
        replace(given, main, tree, sources, diagnostics);
    }
}

fn is_used(name: &str, tree: &Tree) -> bool {
    // Where it is defined, the name is an expression too.
    let items = || tree.modules.iter().flat_map(|module| &module.items);
    let defines = |span| items().any(|item| matches!(item, Item::Define(defined, _) if defined.span == span));
    tree.expressions.iter().any(|expr| match &expr.kind {
        ExprKind::Name(used) => **used == *name && !defines(expr.span),
        ExprKind::Dot(_, part) => *part.name == *name,
        _ => false,
    })
}

fn value(given: &Given, tree: &mut Tree, sources: &mut Sources, diagnostics: &mut Diagnostics) -> Option<Id> {
    let file = sources.add(given.origin.clone(), given.text.clone());
    parser::parse_formula(&given.text, file, tree, diagnostics)
}

/// Gives a definition another value, or a frozen variable its only one.
fn replace(
    given: &Given,
    main: usize,
    tree: &mut Tree,
    sources: &mut Sources,
    diagnostics: &mut Diagnostics,
) {
    let Some(value) = value(given, tree, sources, diagnostics) else { return };
    for item in &mut tree.modules[main].items {
        if let Item::Define(name, known) = item
            && *name.name == *given.name
        {
            *known = value;
            return;
        }
    }
    let span = tree.span(value);
    let name = add(tree, ExprKind::Name(given.name.as_str().into()), span);
    let equal = add(tree, ExprKind::Binary(Binary::Equal, name, value), span);
    tree.modules[main].items.push(Item::Constraint(ConstraintKind::Initial, equal));
}

fn add(tree: &mut Tree, kind: ExprKind, span: Span) -> Id {
    let id = Id(tree.expressions.len() as u32);
    tree.expressions.push(Expr { kind, span, is_temporal: false });
    id
}

/// Returns the names that can be given values.
fn names(tree: &Tree, main: usize) -> impl Iterator<Item = &str> {
    tree.modules[main].items.iter().filter_map(|item| match item {
        Item::Define(name, _) | Item::Variable(Section::Frozen, name, _) => Some(&*name.name),
        _ => None,
    })
}

fn is_known(name: &str, tree: &Tree, main: usize) -> bool {
    names(tree, main).any(|known| known == name)
}

fn unknown(name: &str, span: Span, tree: &Tree, main: usize) -> Diagnostic {
    let title = format!("`main` has no definition `{name}`");
    let diagnostic = Diagnostic::error("V0219", span, title)
        .label("a value is given to definitions (DEFINE) and frozen variables (FROZENVAR) of `main`");
    let all: Vec<&str> = names(tree, main).collect();
    diagnostic.help(match closest(name, all.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if all.is_empty() => "it has none: write `DEFINE NAME := value;`".to_owned(),
        None => {
            let first: Vec<String> = all.iter().take(8).map(|name| format!("`{name}`")).collect();
            format!("it has {}{}", first.join(", "), if all.len() > 8 { ", …" } else { "" })
        }
    })
}
