//! Warnings about values for which no equation says anything.
//!
//! Whether some arguments fit no left side is found as for patterns of functional languages (Maranget 2007):
//! look at the first argument, constructor by constructor, and go on with the others. Premises are taken to
//! be true.

use narrows_model::behaviour::{Meaning, OperationId, Pattern, SortId};
use narrows_source::{Diagnostic, Diagnostics};

use super::types::Scope;

/// So many cases are looked at for one operation.
const MAX_CASES: usize = 10_000;

/// Warns of every operation that has no equation for some values.
pub(super) fn warn(scope: &Scope, diagnostics: &mut Diagnostics) {
    for operation in &scope.data.operations {
        let Meaning::Rules(rules) = &operation.meaning else { continue };
        if operation.span.file == scope.library {
            continue;
        }
        let title = format!("some values have no equation for `{}`", operation.name);
        if rules.is_empty() {
            let help = "write its equations, or make it a constructor with `(*! constructor *)`";
            Diagnostic::warning("L0225", operation.span, title)
                .label("it has no equation")
                .help(help)
                .emit(diagnostics);
            continue;
        }
        let rows: Vec<Vec<&Pattern>> = rules.iter().map(|rule| rule.patterns.iter().collect()).collect();
        let mut search = Search { scope, steps: 0 };
        if let Some(example) = search.find(&rows, &operation.arguments) {
            let shown = if operation.infix {
                format!("{} {} {}", example[0], operation.name, example[1])
            } else {
                format!("{} ({})", operation.name, example.join(", "))
            };
            let label = format!("such as `{shown}`");
            diagnostics.push(Diagnostic::warning("L0225", operation.span, title).label(label));
        }
    }
}

struct Search<'s> {
    scope: &'s Scope,
    steps: usize,
}

impl Search<'_> {
    /// Finds arguments that fit no row.
    fn find(&mut self, rows: &[Vec<&Pattern>], sorts: &[SortId]) -> Option<Vec<String>> {
        self.steps += 1;
        if self.steps > MAX_CASES {
            return None;
        }
        let Some((first, others)) = sorts.split_first() else {
            return rows.is_empty().then(Vec::new);
        };
        let decides = rows.iter().any(|row| !matches!(row[0], Pattern::Bind(_) | Pattern::Same(_)));
        if !decides {
            let rest: Vec<Vec<&Pattern>> = rows.iter().map(|row| row[1..].to_vec()).collect();
            let mut found = self.find(&rest, others)?;
            found.insert(0, "_".to_owned());
            return Some(found);
        }
        if self.scope.data.sort(*first).natural {
            return self.find_number(rows, *first, others);
        }
        for constructor in &self.scope.data.sort(*first).constructors {
            if let Some(found) = self.find_constructor(rows, *constructor, others) {
                return Some(found);
            }
        }
        None
    }

    fn find_constructor(
        &mut self,
        rows: &[Vec<&Pattern>],
        constructor: OperationId,
        others: &[SortId],
    ) -> Option<Vec<String>> {
        const ANY: &Pattern = &Pattern::Bind(0);
        let operation = self.scope.data.operation(constructor);
        let count = operation.arguments.len();
        let mut inner: Vec<Vec<&Pattern>> = Vec::new();
        for row in rows {
            let first: Vec<&Pattern> = match row[0] {
                Pattern::Constructor(id, patterns) if *id == constructor => patterns.iter().collect(),
                Pattern::Bind(_) | Pattern::Same(_) => vec![ANY; count],
                _ => continue,
            };
            inner.push([first.as_slice(), &row[1..]].concat());
        }
        let sorts = [operation.arguments.as_slice(), others].concat();
        let found = self.find(&inner, &sorts)?;
        let (arguments, rest) = found.split_at(count);
        let shown = if count == 0 {
            operation.name.clone()
        } else if operation.infix {
            format!("({} {} {})", arguments[0], operation.name, arguments[1])
        } else {
            format!("{} ({})", operation.name, arguments.join(", "))
        };
        Some(std::iter::once(shown).chain(rest.iter().cloned()).collect())
    }

    /// The same for numbers: 0, and those above it.
    fn find_number(
        &mut self,
        rows: &[Vec<&Pattern>],
        sort: SortId,
        others: &[SortId],
    ) -> Option<Vec<String>> {
        let accepts = |pattern: &Pattern, number: u32| {
            let (mut pattern, mut number) = (pattern, number);
            loop {
                match pattern {
                    Pattern::Number(found) => return *found == number,
                    Pattern::Successor(before) if number > 0 => {
                        pattern = before;
                        number -= 1;
                    }
                    Pattern::Bind(_) | Pattern::Same(_) => return true,
                    _ => return false,
                }
            }
        };
        let _ = sort;
        let height = |pattern: &Pattern| {
            let (mut pattern, mut height) = (pattern, 0);
            while let Pattern::Successor(before) = pattern {
                pattern = before;
                height += 1;
            }
            if let Pattern::Number(number) = pattern { height + number } else { height }
        };
        // Above all numbers that are named, all numbers are alike.
        let last = rows.iter().map(|row| height(row[0]).saturating_add(1)).max().unwrap_or(0);
        for number in (0..=last.min(100)).chain(std::iter::once(last)) {
            let fitting: Vec<Vec<&Pattern>> =
                rows.iter().filter(|row| accepts(row[0], number)).map(|row| row[1..].to_vec()).collect();
            if let Some(mut found) = self.find(&fitting, others) {
                found.insert(0, number.to_string());
                return Some(found);
            }
        }
        None
    }
}
