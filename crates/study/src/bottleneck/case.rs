//! What goes on along the best and the worst run: who is busy, what each round waits for, and what it could be.

use narrows_model::{Bar, Case, Gantt, Link, Number};
use narrows_performance::timed::activity::{Activity, chain};
use narrows_performance::timed::{Timed, Walk};
use narrows_performance::{Time, as_f64};

use super::rate::Rate;

/// So many bars of each resource are drawn.
const BARS: usize = 10;

/// A run is unrolled to at most so many steps.
const STEPS: usize = 200_000;

/// A part of a run: the time that is looked at, in ticks.
type Window = (u64, u64);

/// Describes a run. `busy` says for each state which resources are.
pub(super) fn case(
    timed: &Timed<'_>,
    name: &'static str,
    rate: &Rate,
    busy: &[u64],
    resources: usize,
    unit: &str,
) -> Case {
    let tick = timed.tick().unwrap_or_else(|| Time::from_integer(1));
    let (walk, window) = unrolled(timed, &rate.walk, resources, busy);
    let activities = walk.activities(timed);
    let time = |ticks: u64| tick * Time::from_integer(i128::from(ticks));
    let span = Time::from_integer(i128::from((window.1 - window.0).max(1)));
    let part = |ticks: u64| Time::from_integer(i128::from(ticks)) / span;
    let parts: Vec<Vec<Window>> = (0..resources)
        .map(|resource| walk.parts(timed, |state| busy[state as usize] >> resource & 1 == 1))
        .collect();
    let busy = parts.iter().map(|parts| {
        let inside = parts.iter().map(|(from, to)| to.min(&window.1).saturating_sub(*from.max(&window.0)));
        number(part(inside.sum()))
    });
    let work = work(timed, &activities, window, rate.count, time);
    let most = work.iter().map(|(_, time)| *time).max().unwrap_or_default();
    let all: Time = work.iter().map(|(_, time)| *time).sum();
    let per = |time: Time| if time == Time::default() { Number::Infinity } else { number(time.recip()) };
    Case {
        name,
        throughput: number(rate.per_time(tick)),
        period: number(time(window.1 - window.0)),
        count: rate.count,
        busy: busy.collect(),
        all_overlapped: per(most),
        none_overlapped: per(all),
        work: work.into_iter().map(|(name, time)| (name, number(time))).collect(),
        critical: critical(timed, &activities, window, &parts, |ticks| number(part(ticks))),
        gantt: Gantt {
            unit: unit.to_owned(),
            lanes: parts
                .iter()
                .map(|parts| {
                    let bar = |(from, to): &Window| Bar { from: as_f64(time(*from)), to: as_f64(time(*to)) };
                    parts.iter().take(BARS).map(bar).collect()
                })
                .collect(),
            round: rate.walk.cycle.map(|_| (as_f64(time(window.0)), as_f64(time(window.1)))),
        },
    }
}

fn number(time: Time) -> Number {
    Number::Ratio(*time.numer(), *time.denom())
}

/// Repeats the cycle of a run until there are enough bars; returns the part of it that stands for all rounds: the second, so
/// that what began in the first is known, and many follow from which to look back.
fn unrolled(timed: &Timed<'_>, walk: &Walk, resources: usize, busy: &[u64]) -> (Walk, Window) {
    let total = |walk: &Walk| walk.edges(timed).map(|edge| u64::from(edge.ticks)).sum::<u64>();
    let Some(cycle) = walk.cycle else { return (walk.clone(), (0, total(walk))) };
    let length = (walk.steps.len() - cycle).max(1);
    let has_enough = |walk: &Walk| {
        (0..resources).all(|resource| {
            let parts = walk.parts(timed, |state| busy[state as usize] >> resource & 1 == 1);
            parts.is_empty() || parts.len() >= BARS
        })
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

/// Returns how much work each process does for an event: the names of its delays, and how long they take.
fn work(
    timed: &Timed<'_>,
    activities: &[Activity],
    window: Window,
    count: u64,
    time: impl Fn(u64) -> Time,
) -> Vec<(String, Time)> {
    let mut list: Vec<(u8, Vec<u16>, u64)> = Vec::new();
    for activity in activities.iter().filter(|activity| activity.end > window.0 && activity.end <= window.1) {
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
    let names: Vec<String> = list.iter().map(|(_, delays, _)| names_of(timed, delays)).collect();
    let each = |(number, (pid, _, ticks)): (usize, &(u8, Vec<u16>, u64))| {
        let is_alone = names.iter().filter(|name| **name == names[number]).count() == 1;
        let name = if is_alone { names[number].clone() } else { format!("{} ({pid})", names[number]) };
        (name, time(*ticks) / Time::from_integer(i128::from(count.max(1))))
    };
    list.iter().enumerate().map(each).collect()
}

fn names_of(timed: &Timed<'_>, delays: &[u16]) -> String {
    let mut delays = delays.to_vec();
    delays.sort_unstable();
    let name = |delay: &u16| timed.rows().timing().delays()[usize::from(*delay)].name.clone();
    delays.iter().map(name).collect::<Vec<_>>().join(" + ")
}

/// Returns what a round waits for: delays in order, and how much of it each takes.
fn critical(
    timed: &Timed<'_>,
    activities: &[Activity],
    window: Window,
    parts: &[Vec<Window>],
    part: impl Fn(u64) -> Number,
) -> Vec<Link> {
    let mut list: Vec<(u16, Vec<usize>, u64)> = Vec::new();
    for (number, ticks) in chain(activities, window) {
        let Activity { delay, start, end, .. } = activities[number];
        let covers = |parts: &Vec<Window>| parts.iter().any(|(from, to)| *from <= start && end <= *to);
        let resources: Vec<usize> = parts
            .iter()
            .enumerate()
            .filter(|(_, parts)| covers(parts))
            .map(|(resource, _)| resource)
            .collect();
        match list.iter_mut().find(|(known, busy, _)| *known == delay && *busy == resources) {
            Some((.., sum)) => *sum += ticks,
            None => list.push((delay, resources, ticks)),
        }
    }
    let link = |(delay, resources, ticks): (u16, Vec<usize>, u64)| Link {
        delay: names_of(timed, &[delay]),
        resources,
        part: part(ticks),
    };
    list.into_iter().map(link).collect()
}
