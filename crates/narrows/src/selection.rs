//! Which questions are asked: those of some names and kinds.

use narrows_model::Question;
use narrows_source::closest;

/// The kinds that questions have in some model.
const KINDS: [&str; 12] = [
    "assertion",
    "deadlock",
    "fault",
    "accept",
    "progress",
    "ltl",
    "ctl",
    "never",
    "trace",
    "invariant",
    "min_delay",
    "max_delay",
];

/// Says that no question has a name that was asked for, and which ones there are.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnknownQuestion(String);

/// Returns the questions that have one of the names or kinds; all of them if no names are given.
///
/// # Errors
///
/// A name may be one that no question has.
pub fn selected(questions: Vec<Question>, only: &[String]) -> Result<Vec<Question>, UnknownQuestion> {
    let only: Vec<String> = only.iter().map(|name| tidy(name)).collect();
    if let Some(name) = only.iter().find(|name| !questions.iter().any(|question| is_meant(question, name))) {
        return Err(UnknownQuestion(unknown(&questions, name)));
    }
    let is_asked = |question: &Question| only.is_empty() || only.iter().any(|name| is_meant(question, name));
    Ok(questions.into_iter().filter(is_asked).collect())
}

/// Formulas are named by their texts, in which spaces mean little.
fn tidy(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_meant(question: &Question, name: &str) -> bool {
    question.kind() == name || (!question.name().is_empty() && question.name() == name)
}

fn unknown(questions: &[Question], name: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    for question in questions {
        for name in [question.kind(), question.name()] {
            if !name.is_empty() && !names.contains(&name) {
                names.push(name);
            }
        }
    }
    if KINDS.contains(&name) {
        return format!("it has no question of the kind `{name}`; there is {}", listed(&names));
    }
    let hint = closest(name, names.iter().copied()).map(|name| format!("did you mean `{name}`? "));
    format!("there is no question `{name}`; {}there is {}", hint.unwrap_or_default(), listed(&names))
}

fn listed(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn questions() -> Vec<Question> {
        let named = |index, kind, name: &str| Question::Property { index, kind, name: name.to_owned() };
        let list = [named(0, "ltl", "safe"), named(1, "ltl", "[] p"), named(2, "never", "")];
        Question::SAFETY.into_iter().chain(list).collect()
    }

    fn picked(only: &[&str]) -> Result<Vec<usize>, String> {
        let only: Vec<String> = only.iter().map(|name| (*name).to_owned()).collect();
        let chosen = selected(questions(), &only).map_err(|error| error.to_string())?;
        Ok(chosen.iter().filter_map(|one| questions().iter().position(|other| other == one)).collect())
    }

    #[test]
    fn names_and_kinds_pick() {
        assert_eq!(picked(&[]), Ok(vec![0, 1, 2, 3, 4, 5]));
        assert_eq!(picked(&["ltl", "deadlock"]), Ok(vec![1, 3, 4]));
        assert_eq!(picked(&["safe"]), Ok(vec![3]));
        assert_eq!(picked(&["[]  p ", "never"]), Ok(vec![4, 5]));
    }

    #[test]
    fn what_is_unknown_is_said() {
        let all = "`assertion`, `deadlock`, `fault`, `ltl`, `safe`, `[] p`, `never`";
        let expected = format!("there is no question `saef`; did you mean `safe`? there is {all}");
        assert_eq!(picked(&["saef"]), Err(expected));
        let expected = format!("it has no question of the kind `ctl`; there is {all}");
        assert_eq!(picked(&["ctl"]), Err(expected));
    }
}
