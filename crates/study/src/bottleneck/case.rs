//! What goes on along the best and the worst run: who is busy, what each round waits for, and what it could
//! be.

use narrows_model::{Bar, Case, Evaluator, Gantt, Link, Number, ProcessView, Work};
use narrows_performance::timed::activity::{Activity, chain};
use narrows_performance::timed::{Timed, Walk};
use narrows_performance::{Time, as_f64};

use super::rate::Rate;
use crate::resources::{Owner, owners};

/// So many bars of each resource are drawn.
pub(super) const BARS: usize = 10;

/// A run is unrolled to at most so many steps.
const STEPS: usize = 200_000;

/// A part of a run: the time that is looked at, in ticks.
type Window = (u64, u64);

/// A run to be described.
pub(crate) struct Described<'d, 'a> {
    pub(crate) timed: &'d Timed<'a>,
    /// Who knows the processes, if there are any.
    pub(crate) evaluator: Option<Evaluator<'d>>,
    /// For each state, which resources are busy.
    pub(crate) busy: &'d [u64],
    /// How many resources there are.
    pub(crate) resources: usize,
    /// The delays of each resource, as far as they are known.
    pub(crate) delays: &'d [Option<Vec<u16>>],
    pub(crate) unit: &'d str,
}

impl Described<'_, '_> {
    /// Describes a run.
    pub(crate) fn case(&self, name: &'static str, rate: &Rate) -> Case {
        let timed = self.timed;
        let tick = timed.tick().unwrap_or_else(|| Time::from_integer(1));
        let (walk, window) = self.unrolled(&rate.walk);
        let owners = self.owners();
        let activities = walk.activities(timed);
        let time = |ticks: u64| tick * Time::from_integer(i128::from(ticks));
        let span = Time::from_integer(i128::from((window.1 - window.0).max(1)));
        let part = |ticks: u64| number(Time::from_integer(i128::from(ticks)) / span);
        let parts: Vec<Vec<Window>> =
            (0..self.resources).map(|resource| self.parts(&walk, resource)).collect();
        let inside = |(from, to): &Window| to.min(&window.1).saturating_sub(*from.max(&window.0));
        let busy = parts.iter().map(|parts| part(parts.iter().map(inside).sum()));
        let last = walk.steps.last().map_or(0, |(node, _)| timed.state(*node));
        let work = self.work(&activities, window, rate.count, time);
        let most = work.iter().map(|(.., time)| *time).max().unwrap_or_default();
        let all: Time = work.iter().map(|(.., time)| *time).sum();
        let per = |time: Time| if time == Time::default() { Number::Infinity } else { number(time.recip()) };
        let bar = |(from, to): &Window| Bar { from: as_f64(time(*from)), to: as_f64(time(*to)) };
        Case {
            name,
            is_endless: rate.walk.cycle.is_some(),
            throughput: number(rate.per_time(tick)),
            period: number(time(window.1 - window.0)),
            count: rate.count,
            busy: busy.collect(),
            works: (0..self.resources)
                .map(|resource| self.works(resource, &activities, window, &parts[resource], &owners))
                .collect(),
            all_overlapped: per(most),
            none_overlapped: per(all),
            work: work
                .into_iter()
                .map(|(pid, delays, time)| Work {
                    process: self.process(pid, last),
                    delays,
                    time: number(time),
                })
                .collect(),
            critical: self.critical(&activities, window, &parts, &owners, last, part),
            gantt: Gantt {
                unit: self.unit.to_owned(),
                lanes: drawn(&parts, window).iter().map(|parts| parts.iter().map(bar).collect()).collect(),
                round: rate.walk.cycle.map(|_| (as_f64(time(window.0)), as_f64(time(window.1)))),
                requests: Vec::new(),
            },
        }
    }

    /// Returns when a resource is busy on a run.
    fn parts(&self, walk: &Walk, resource: usize) -> Vec<Window> {
        walk.parts(self.timed, |state| self.busy[state as usize] >> resource & 1 == 1)
    }

    /// Repeats the cycle of a run until there are enough bars; returns the part of it that stands for all
    /// rounds: the second, so that what began in the first is known, and many follow from which to look back.
    fn unrolled(&self, walk: &Walk) -> (Walk, Window) {
        let timed = self.timed;
        let total = |walk: &Walk| walk.edges(timed).map(|edge| u64::from(edge.ticks)).sum::<u64>();
        let Some(cycle) = walk.cycle else { return (walk.clone(), (0, total(walk))) };
        let length = (walk.steps.len() - cycle).max(1);
        let has_enough = |walk: &Walk| {
            let counts = (0..self.resources).map(|resource| self.parts(walk, resource).len());
            counts.into_iter().all(|count| count == 0 || count >= BARS)
        };
        let mut rounds = 8;
        let mut long = walk.unrolled(rounds);
        while !has_enough(&long) && rounds < 64 && rounds * 2 * length < STEPS {
            rounds *= 2;
            long = walk.unrolled(rounds);
        }
        let period = walk.period(timed);
        let before = total(walk) - period;
        (long, (before + period, before + 2 * period))
    }

    /// Returns how much each process does for an event: its number, the names of its delays, and how long
    /// they take.
    fn work(
        &self,
        activities: &[Activity],
        window: Window,
        count: u64,
        time: impl Fn(u64) -> Time,
    ) -> Vec<(u8, String, Time)> {
        let mut list: Vec<(u8, Vec<u16>, u64)> = Vec::new();
        let is_inside = |activity: &&Activity| activity.end > window.0 && activity.end <= window.1;
        for activity in activities.iter().filter(is_inside) {
            let took = activity.end - activity.start;
            match list.iter_mut().find(|(pid, ..)| *pid == activity.pid) {
                Some((_, delays, ticks)) => {
                    *ticks += took;
                    if !delays.contains(&activity.delay) {
                        delays.push(activity.delay);
                    }
                }
                None => list.push((activity.pid, vec![activity.delay], took)),
            }
        }
        list.sort_by_key(|(pid, ..)| *pid);
        let each = |(pid, mut delays, ticks): (u8, Vec<u16>, u64)| {
            delays.sort_unstable();
            let delays: Vec<String> = delays.into_iter().map(|delay| self.delay(delay)).collect();
            let per_event = time(ticks) / Time::from_integer(i128::from(count.max(1)));
            (pid, delays.join(" + "), per_event)
        };
        list.into_iter().map(each).collect()
    }

    fn delay(&self, delay: u16) -> String {
        self.timed.state_graph().timing().delays()[usize::from(delay)].name.clone()
    }

    /// Returns the name of a process in a state, with its number if there are several of its kind.
    fn process(&self, pid: u8, state: u32) -> String {
        let Some(evaluator) = self.evaluator else { return format!("process {pid}") };
        let view = evaluator.describe(&self.timed.state_graph().state(state));
        let named = |process: &&ProcessView| process.pid == usize::from(pid);
        let Some(process) = view.processes.iter().find(named) else { return format!("process {pid}") };
        let is_alone = view.processes.iter().filter(|other| other.name == process.name).count() == 1;
        if is_alone { process.name.clone() } else { process.label() }
    }

    /// Returns which resources belong to each delay.
    fn owners(&self) -> Vec<Owner> {
        let timed = self.timed;
        let passes = |node: &u32| timed.edges(*node).iter().any(|edge| edge.ticks > 0);
        let states: Vec<u32> = (0..timed.nodes()).filter(passes).map(|node| timed.state(node)).collect();
        owners(timed.state_graph(), &states, &|state| self.busy[state as usize], self.delays, self.resources)
    }

    /// Returns whether a resource is at work all the while that it is busy, as far as its delays are known.
    fn works(
        &self,
        resource: usize,
        activities: &[Activity],
        window: Window,
        busy: &[Window],
        owners: &[Owner],
    ) -> bool {
        let own: Vec<&Owner> = owners.iter().filter(|owner| owner.resources >> resource & 1 == 1).collect();
        if own.is_empty() {
            return self
                .delays
                .get(resource)
                .and_then(Option::as_ref)
                .is_none_or(|delays| !delays.is_empty());
        }
        let is_own = |activity: &&Activity| {
            own.iter().any(|owner| (owner.pid, owner.delay) == (activity.pid, activity.delay))
        };
        let mut work: Vec<Window> =
            activities.iter().filter(is_own).map(|activity| (activity.start, activity.end)).collect();
        work.sort_unstable();
        let is_worked = |(from, to): &Window| {
            let (mut reached, to) = ((*from).max(window.0), (*to).min(window.1));
            for (start, end) in work.iter().filter(|(_, end)| *end > *from) {
                if *start <= reached {
                    reached = reached.max(*end);
                }
            }
            reached >= to
        };
        busy.iter().all(is_worked)
    }

    /// Returns what a round waits for: delays in order, and how much of it each takes.
    fn critical(
        &self,
        activities: &[Activity],
        window: Window,
        parts: &[Vec<Window>],
        owners: &[Owner],
        state: u32,
        part: impl Fn(u64) -> Number,
    ) -> Vec<Link> {
        let mut list: Vec<(u16, u8, Vec<usize>, u64)> = Vec::new();
        for (number, ticks) in chain(activities, window) {
            let Activity { delay, pid, start, end, .. } = activities[number];
            let own = owners.iter().find(|owner| (owner.pid, owner.delay) == (pid, delay));
            let covers = |resource: &usize| {
                own.is_some_and(|own| own.resources >> resource & 1 == 1)
                    && parts[*resource].iter().any(|(from, to)| *from <= start && end <= *to)
            };
            let resources: Vec<usize> = (0..parts.len()).filter(covers).collect();
            let is_same = |(known, other, busy, _): &&mut (u16, u8, Vec<usize>, u64)| {
                (*known, *other) == (delay, pid) && *busy == resources
            };
            match list.iter_mut().find(is_same) {
                Some((.., sum)) => *sum += ticks,
                None => list.push((delay, pid, resources, ticks)),
            }
        }
        let link = |(delay, pid, resources, ticks): (u16, u8, Vec<usize>, u64)| Link {
            delay: self.delay(delay),
            process: self.process(pid, state),
            resources,
            part: part(ticks),
        };
        list.into_iter().map(link).collect()
    }
}

/// Returns the parts that are drawn: so many of each lane. If some lanes have more of them in a round than
/// others, all lanes end at the same time, so that none seems to rest when its bars are used up. What is busy
/// all the time ends with the others, or after so many rounds.
fn drawn(parts: &[Vec<Window>], round: Window) -> Vec<Vec<Window>> {
    let in_round =
        |lane: &Vec<Window>| lane.iter().filter(|(from, _)| (round.0..round.1).contains(from)).count();
    let mut counts = parts.iter().map(in_round).filter(|count| *count > 0);
    let first = counts.next();
    let is_even = counts.all(|count| Some(count) == first);
    let ends = parts.iter().filter_map(|lane| lane.get(BARS - 1)).map(|(_, to)| *to);
    let end = if is_even { ends.max() } else { ends.min() };
    let rounds = || round.0.saturating_add((round.1 - round.0).saturating_mul(BARS as u64));
    let end = end.unwrap_or_else(rounds);
    let cut = |lane: &Vec<Window>| {
        let before = lane.iter().take(BARS).filter(|(from, _)| *from < end);
        before.map(|(from, to)| (*from, (*to).min(end))).collect::<Vec<_>>()
    };
    parts.iter().map(cut).collect()
}

fn number(time: Time) -> Number {
    Number::Ratio(*time.numer(), *time.denom())
}

#[cfg(test)]
mod tests {
    use super::{BARS, drawn};

    #[test]
    fn what_is_always_busy_ends_with_the_others() {
        let often: Vec<(u64, u64)> = (0..64).map(|number| (10 * number, 10 * number + 4)).collect();
        let always = vec![(3, 640)];
        let lanes = drawn(&[often, always.clone()], (10, 20));
        assert_eq!(lanes[0].len(), BARS);
        assert_eq!((lanes[0][BARS - 1].1, lanes[1].as_slice()), (94, [(3, 94)].as_slice()));
        // Alone, it is drawn for so many rounds.
        assert_eq!(drawn(&[always], (10, 20)), [[(3, 110)]]);
    }
}
