//! What is asked of a model as such: whoever chooses between engines answers it.

use std::sync::Arc;

use narrows_explicit::Watch;
use narrows_model::{Answer, Checked, Figure, FigureResult, Limit, Question, Refusal, Reply, Verdict};

use crate::measure::{blank, span};
use crate::{Ask, Question as StudyQuestion, Study, View};

/// Answers questions about the model of a study, by whatever engine takes them.
pub trait Verdicts {
    /// Answers some questions in their order, over fair runs alone if that is wanted, within so many seconds
    /// if they are limited. Without questions, states are counted where that is no more work than a verdict.
    ///
    /// # Errors
    ///
    /// No engine may take the model or the questions.
    fn answer(&self, questions: &[Question], fair: bool, seconds: Option<f64>) -> Result<Checked, Refusal>;

    /// Visits all states, within so many seconds if they are limited.
    ///
    /// # Errors
    ///
    /// No engine may visit the states of such a model.
    fn cover(&self, seconds: Option<f64>) -> Result<Checked, Refusal>;
}

/// Asks questions, each once, and keeps what came out.
pub(crate) struct Asker<'a> {
    verdicts: &'a dyn Verdicts,
    watch: Arc<dyn Watch>,
    known: Vec<(Question, Result<Reply, Refusal>)>,
}

impl<'a> Asker<'a> {
    pub(crate) fn new(verdicts: &'a dyn Verdicts, watch: &Arc<dyn Watch>) -> Asker<'a> {
        Asker { verdicts, watch: Arc::clone(watch), known: Vec::new() }
    }

    /// Asks together what is not known yet. If nothing is open, states are counted.
    pub(crate) fn ask(&mut self, questions: &[Question], fair: bool) -> Checked {
        let is_open = |question: &&Question| !self.known.iter().any(|(known, _)| known == *question);
        let open: Vec<Question> = questions.iter().filter(is_open).cloned().collect();
        match self.verdicts.answer(&open, fair, self.watch.seconds_left()) {
            Ok(found) => {
                self.known.extend(open.into_iter().zip(found.replies.iter().cloned().map(Ok)));
                found
            }
            // What is refused is not to stand in the way of the others.
            Err(_) if open.len() > 1 => {
                let last = open.iter().map(|question| self.ask(std::slice::from_ref(question), fair)).last();
                last.unwrap_or_default()
            }
            Err(refusal) => {
                self.known.extend(open.into_iter().map(|question| (question, Err(refusal.clone()))));
                Checked::default()
            }
        }
    }

    /// Visits all states.
    pub(crate) fn cover(&self) -> Result<Checked, Refusal> {
        self.verdicts.cover(self.watch.seconds_left())
    }

    /// Asks together what is not known yet, if there is anything.
    pub(crate) fn ask_all(&mut self, questions: impl Iterator<Item = Question>) {
        let is_open = |question: &Question| !self.known.iter().any(|(known, _)| known == question);
        let open: Vec<Question> = questions.filter(is_open).collect();
        if !open.is_empty() {
            self.ask(&open, false);
        }
    }

    /// Returns what is known of a question, after asking it if nothing is.
    pub(crate) fn reply(&mut self, question: &Question, fair: bool) -> Result<Reply, Refusal> {
        let find = |asker: &Self| asker.known.iter().find(|(known, _)| known == question).cloned();
        let found = find(self).or_else(|| {
            self.ask(std::slice::from_ref(question), fair);
            find(self)
        });
        found.map_or_else(|| Err(Refusal::new("There is no answer.")), |(_, reply)| reply)
    }

    /// Returns what is said of a property.
    pub(crate) fn verdict(&mut self, question: &Question, fair: bool) -> Verdict {
        match self.reply(question, fair) {
            Ok(Reply::Answer(answer)) => answer.verdict,
            Ok(Reply::Figure(_)) => Verdict::Refused(Refusal::new("There is no answer.")),
            Err(refusal) => Verdict::Refused(refusal),
        }
    }

    /// Forgets what was cut short, so that it is tried again.
    pub(crate) fn forget_cut(&mut self) {
        let is_cut = |reply: &Reply| match reply {
            Reply::Answer(answer) => matches!(answer.verdict, Verdict::Undecided(Limit::Time)),
            Reply::Figure(figure) => matches!(figure.result, FigureResult::Undecided(Limit::Time)),
        };
        self.known.retain(|(_, reply)| !reply.as_ref().is_ok_and(is_cut));
    }

    /// Puts together what is asked of the model for a question of the study.
    pub(crate) fn figure(&mut self, study: &Study, ask: &Ask, asked: &[Question], view: View) -> Figure {
        let mut figure = blank(ask, view);
        let mut found = Vec::new();
        for question in asked {
            match self.reply(question, false) {
                Ok(Reply::Answer(answer)) => {
                    fill(*answer, &mut figure);
                    return figure;
                }
                Ok(Reply::Figure(part)) => {
                    found.push(part.result);
                    let which = if part.kind.starts_with("min") { "least" } else { "most" };
                    let runs = part.witnesses.into_iter();
                    figure.witnesses.extend(runs.map(|(what, run)| (format!("{which}: {what}"), run)));
                    figure.notes.extend(part.notes);
                }
                Err(refusal) => {
                    figure.result = FigureResult::None(refusal.reason);
                    return figure;
                }
            }
        }
        let is_count = |question: &StudyQuestion| {
            use StudyQuestion::{Count, MaxCount, MinCount};
            matches!(question, MinCount(..) | MaxCount(..) | Count(..))
        };
        if !is_count(&ask.question) {
            study.unit.clone_into(&mut figure.unit);
        }
        figure.result = span(&found);
        figure
    }

    /// Says whether two resources that may be busy at the same time must be, and shows runs.
    pub(crate) fn overlap(
        &mut self,
        asked: &[Question; 2],
        fair: bool,
        is_possible: bool,
        figure: &mut Figure,
    ) {
        match self.verdict(&asked[0], fair) {
            Verdict::Holds => {
                figure.result = FigureResult::Word("never".to_owned());
                return;
            }
            Verdict::Fails { trace, .. } => {
                figure.witnesses.push(("a shortest run to where both are busy".to_owned(), *trace));
            }
            verdict if !is_possible => {
                figure.result = open(verdict);
                return;
            }
            _ => {}
        }
        figure.result = FigureResult::Word("possible".to_owned());
        match self.verdict(&asked[1], fair) {
            Verdict::Holds => {
                figure.result = FigureResult::Word("inevitable".to_owned());
                figure.notes.push("Every fair run comes to where both are busy.".to_owned());
            }
            Verdict::Fails { trace, .. } => {
                let what = "a fair run that never comes to where both are busy";
                figure.witnesses.push((what.to_owned(), *trace));
            }
            verdict => {
                let reason = match open(verdict) {
                    FigureResult::Undecided(limit) => format!("{}.", limit.reason()),
                    FigureResult::None(reason) => reason,
                    _ => String::new(),
                };
                figure.notes.push(format!("Whether it is inevitable is undecided: {reason}"));
            }
        }
    }
}

/// Says why there is no answer.
fn open(verdict: Verdict) -> FigureResult {
    match verdict {
        Verdict::Undecided(limit) => FigureResult::Undecided(limit),
        Verdict::Refused(refusal) => FigureResult::None(refusal.reason),
        _ => FigureResult::None("There is no answer.".to_owned()),
    }
}

/// Says what came out of a question.
fn fill(answer: Answer, figure: &mut Figure) {
    figure.notes.extend(answer.notes);
    match answer.verdict {
        Verdict::Holds => figure.result = FigureResult::Word("holds".to_owned()),
        Verdict::Fails { trace, .. } => {
            figure.result = FigureResult::Word("fails".to_owned());
            // Of a system without a first state there is no run.
            if !trace.initial.is_empty() {
                figure.witnesses.push(("a run against it".to_owned(), *trace));
            }
        }
        verdict => figure.result = open(verdict),
    }
    if let Some(trace) = answer.witness {
        figure.witnesses.push(("a run that shows it".to_owned(), *trace));
    }
}
