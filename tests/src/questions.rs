//! Compares answers to questions about whole runs: formulas, never claims, acceptance and non-progress
//! cycles, each without and with weak fairness.

use std::path::Path;
use std::time::Duration;
use std::{fmt, fs, io};

use crate::compare::{Verdict, is_beyond_spin};
use crate::generator::Questions;
use crate::narrows::{self, Answers};
use crate::shrink;
use crate::spin::{self, Cycles, Limits, Said, Verifier};
use crate::tree::Model;

/// What is asked of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// Whose runs.
    pub subject: Subject,
    /// Whether only fair runs count.
    pub fair: bool,
}

/// Whose runs are looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// Those of a claim or of a formula's negation, by name; empty if it has none.
    Claim(String),
    /// Those through accept labels.
    Acceptance,
    /// Those without progress.
    Progress,
}

impl fmt::Display for Asked {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.subject {
            Subject::Claim(name) => write!(to, "claim {name}")?,
            Subject::Acceptance => write!(to, "acceptance")?,
            Subject::Progress => write!(to, "progress")?,
        }
        write!(to, "{}", if self.fair { ", fair" } else { "" })
    }
}

/// A question and how the comparison of its answers ended.
#[derive(Debug, Clone)]
pub struct Compared {
    /// The question.
    pub asked: Asked,
    /// How it ended.
    pub verdict: Verdict,
    /// Whether the property holds, where both agree.
    pub holds: bool,
}

/// Compares the answers to everything that can be asked of a random model.
pub fn compare(questions: &Questions, limits: &Limits) -> io::Result<Vec<Compared>> {
    let mut all = Vec::new();
    if !questions.claims.is_empty() {
        let names = questions.claims.iter().map(|claim| Subject::Claim(claim.0.clone()));
        all.extend(compare_text(&claims_text(questions), &names.collect::<Vec<_>>(), limits)?);
    }
    let labels = questions.model.to_string();
    let subjects = [("accept", Subject::Acceptance), ("progress", Subject::Progress)];
    let subjects = subjects.into_iter().filter(|(word, _)| labels.contains(word));
    all.extend(compare_text(&labels, &subjects.map(|(_, subject)| subject).collect::<Vec<_>>(), limits)?);
    Ok(all)
}

/// Compares the answer to one question of a random model.
pub fn compare_one(questions: &Questions, asked: &Asked, limits: &Limits) -> io::Result<Vec<Compared>> {
    let all = compare_text(&text(questions, asked), std::slice::from_ref(&asked.subject), limits)?;
    Ok(all.into_iter().filter(|compared| compared.asked == *asked).collect())
}

/// Reduces a model and a claim for as long as the answers differ.
pub fn reduce(questions: &Questions, asked: &Asked, attempts: usize, limits: &Limits) -> Questions {
    let mut small = questions.clone();
    small.claims.retain(|claim| asked.subject == Subject::Claim(claim.0.clone()));
    let count = small.claims.len();
    let mut nodes = small.model.0.clone();
    nodes.extend(small.claims.iter().map(|claim| claim.1.clone()));
    let split = |model: &Model| {
        let (model, claims) = model.0.split_at(model.0.len().saturating_sub(count));
        let names = small.claims.iter().map(|claim| claim.0.clone());
        Questions { model: Model(model.to_vec()), claims: names.zip(claims.iter().cloned()).collect() }
    };
    let differs = |model: &Model| {
        let compared = compare_one(&split(model), asked, limits).unwrap_or_default();
        // A model that lost a declaration or its claim is no example.
        let differs = |why: &str| !why.contains("Narrows rejects") && !why.contains("no answer");
        compared.iter().any(|compared| matches!(&compared.verdict, Verdict::Differed(why) if differs(why)))
    };
    split(&shrink::shrink(&Model(nodes), attempts, differs))
}

/// The text that a question is about.
pub fn text(questions: &Questions, asked: &Asked) -> String {
    match &asked.subject {
        Subject::Claim(_) => claims_text(questions),
        _ => questions.model.to_string(),
    }
}

/// A model with its claims, and without accept labels of its own: SPIN counts them beside those of a claim.
pub fn claims_text(questions: &Questions) -> String {
    let claims = Model(questions.claims.iter().map(|claim| claim.1.clone()).collect());
    let claims = claims.to_string().replace("@accept", "@Laccept");
    format!("{}{claims}", questions.model.to_string().replace("accept", "Laccept"))
}

/// Compares the answers to questions about a text, without and with fairness.
pub fn compare_text(text: &str, subjects: &[Subject], limits: &Limits) -> io::Result<Vec<Compared>> {
    if subjects.is_empty() {
        return Ok(Vec::new());
    }
    if is_beyond_spin(text) {
        let why = "has bits beside priorities, which SPIN leaves out of its comparisons";
        return Ok(both(subjects).into_iter().map(|asked| skipped(asked, why)).collect());
    }
    let answers = |fair| narrows::check_text(text, fair, limits.time * 6);
    let ours = [answers(false)?, answers(true)?];
    let verifier = |cycles, limits: &Limits| Verifier::of_text(text, cycles, limits);
    settle(subjects, beyond_fairness(text), &verifier, &ours, limits)
}

/// Compares the answers to every question about runs that a file asks.
pub fn compare_file(file: &Path, limits: &Limits) -> io::Result<Vec<Compared>> {
    let answers = |fair| narrows::check_file(file, &[], fair, limits.time * 6);
    let unfair = answers(false)?;
    let Answers::Given(given) = &unfair else { return Ok(Vec::new()) };
    let subjects = given.iter().filter_map(|answer| match answer.kind.as_str() {
        "ltl" | "never" => Some(Subject::Claim(answer.name.clone())),
        "accept" => Some(Subject::Acceptance),
        "progress" => Some(Subject::Progress),
        _ => None,
    });
    let subjects: Vec<Subject> = subjects.collect();
    if subjects.is_empty() {
        return Ok(Vec::new());
    }
    let bytes = fs::read(file)?;
    let unfit = beyond_fairness(&String::from_utf8_lossy(&bytes));
    let ours = [unfair, answers(true)?];
    let verifier = |cycles, limits: &Limits| Verifier::of_file(file, &[], cycles, limits);
    settle(&subjects, unfit, &verifier, &ours, limits)
}

/// Every question twice, without and with fairness.
fn both(subjects: &[Subject]) -> Vec<Asked> {
    let with = |fair| subjects.iter().map(move |subject| Asked { subject: subject.clone(), fair });
    with(false).chain(with(true)).collect()
}

/// Why SPIN's fairness is no measure for a model, if it is none: a process whose partner is ready, or whose
/// `provided` is false, counts as what it is not.
fn beyond_fairness(text: &str) -> Option<&'static str> {
    if text.contains("[0] of") {
        Some("fairness beside rendezvous")
    } else if text.contains("provided (") {
        Some("fairness beside provided")
    } else {
        None
    }
}

type Made = Result<Verifier, spin::Outcome>;

/// Asks SPIN every question and judges; `unfit` tells why it is not asked about fair runs.
fn settle(
    subjects: &[Subject],
    unfit: Option<&'static str>,
    verifier: &dyn Fn(Cycles, &Limits) -> io::Result<Made>,
    ours: &[Answers; 2],
    limits: &Limits,
) -> io::Result<Vec<Compared>> {
    // Where the processes have accept labels of their own, SPIN counts them beside those of a claim.
    let mixed = subjects.contains(&Subject::Acceptance);
    let mut made: Vec<((Cycles, bool), Made)> = Vec::new();
    let mut ask = |asked: &Asked, careful: bool| -> io::Result<Result<Said, &'static str>> {
        let cycles = cycles(&asked.subject);
        if !made.iter().any(|(key, _)| *key == (cycles, careful)) {
            let time = if careful { limits.time.max(Duration::from_secs(5)) } else { limits.time };
            let limits = Limits { time, careful, ..limits.clone() };
            made.push(((cycles, careful), verifier(cycles, &limits)?));
        }
        match made.iter().find(|(key, _)| *key == (cycles, careful)) {
            Some((_, made)) => ask(made, asked),
            None => Ok(Err("crashes SPIN")),
        }
    };
    let mut all = Vec::new();
    for asked in both(subjects) {
        let tested = &ours[usize::from(asked.fair)];
        if let Some(why) = unfit.filter(|_| asked.fair) {
            // Narrows must answer all the same.
            all.push(judge(asked, &Said::Unfinished, tested, why));
            continue;
        }
        if mixed && cycles(&asked.subject) == Cycles::Claims {
            all.push(judge(asked, &Said::Unfinished, tested, "claims beside accept labels"));
            continue;
        }
        let mut compared = judge_answer(asked.clone(), &ask(&asked, limits.careful)?, tested);
        if matches!(compared.verdict, Verdict::Differed(_)) && !limits.careful {
            compared = judge_answer(asked.clone(), &ask(&asked, true)?, tested);
        }
        all.push(compared);
    }
    Ok(all)
}

fn cycles(subject: &Subject) -> Cycles {
    match subject {
        Subject::Claim(_) => Cycles::Claims,
        Subject::Acceptance => Cycles::Acceptance,
        Subject::Progress => Cycles::Progress,
    }
}

fn ask(verifier: &Made, asked: &Asked) -> io::Result<Result<Said, &'static str>> {
    let name = match &asked.subject {
        Subject::Claim(name) if !name.is_empty() => Some(name.as_str()),
        _ => None,
    };
    Ok(match verifier {
        Ok(verifier) => Ok(verifier.ask(name, asked.fair)?),
        Err(spin::Outcome::TimedOut) => Err("too large for SPIN"),
        Err(spin::Outcome::Rejected(_)) => Err("rejected by SPIN"),
        Err(_) => Err("crashes SPIN"),
    })
}

fn judge_answer(asked: Asked, said: &Result<Said, &'static str>, tested: &Answers) -> Compared {
    match said {
        Err(why) => judge(asked, &Said::Unfinished, tested, why),
        Ok(said @ Said::Wrong(text)) if text.contains("self-loop") => {
            judge(asked, said, tested, "has a self-loop that SPIN refuses")
        }
        Ok(said @ Said::Wrong(_)) => judge(asked, said, tested, "something else goes wrong in SPIN"),
        Ok(said) => judge(asked, said, tested, "too large for SPIN"),
    }
}

fn skipped(asked: Asked, why: &'static str) -> Compared {
    Compared { asked, verdict: Verdict::Skipped(why), holds: false }
}

/// Judges what both tools said; `why` is the reason if SPIN has no verdict.
fn judge(asked: Asked, said: &Said, tested: &Answers, why: &'static str) -> Compared {
    let differed = |asked: Asked, text: &str| {
        let verdict = Verdict::Differed(format!("{asked}: {text}\nSPIN: {said:?}"));
        Compared { asked, verdict, holds: false }
    };
    let answers = match tested {
        Answers::Given(answers) => answers,
        Answers::TimedOut => return skipped(asked, "too large for Narrows"),
        Answers::Rejected(_) if !matches!(said, Said::Holds | Said::Fails(_)) => return skipped(asked, why),
        Answers::Rejected(text) => return differed(asked, &format!("Narrows rejects the model\n{text}")),
        Answers::Crashed(text) => return differed(asked, &format!("Narrows does not end normally\n{text}")),
    };
    if answers.iter().any(|answer| answer.kind == "fault" && answer.verdict != "holds") {
        return skipped(asked, "has faults");
    }
    let found = answers.iter().find(|answer| match &asked.subject {
        Subject::Claim(name) => ["ltl", "never"].contains(&answer.kind.as_str()) && answer.name == *name,
        Subject::Acceptance => answer.kind == "accept",
        Subject::Progress => answer.kind == "progress",
    });
    let Some(found) = found else { return differed(asked, "Narrows has no answer") };
    match (said, found.verdict.as_str()) {
        (Said::Holds, "holds") => Compared { asked, verdict: Verdict::Agreed(0), holds: true },
        (Said::Fails(_), "fails") => Compared { asked, verdict: Verdict::Agreed(0), holds: false },
        // SPIN overlooks most of them if it is to be fair.
        (Said::Holds, "fails") if asked.fair && found.stays => skipped(asked, "fairness where runs end"),
        // And it takes ends for accepting that are not.
        (Said::Fails(text), "holds") if asked.fair && text.starts_with("accept stutter") => {
            skipped(asked, "fairness where runs end")
        }
        (Said::Holds | Said::Fails(_), "undecided") => skipped(asked, "too large for Narrows"),
        (Said::Holds | Said::Fails(_), verdict) => differed(asked, &format!("Narrows: {verdict}")),
        _ => skipped(asked, why),
    }
}
