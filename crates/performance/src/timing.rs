//! The timing of a model: delays of statements, weights of choices, and events to count.

use narrows_model::{Expr, Location, Move, ProctypeId, System, TransitionId};

use crate::{Delay, Time};

/// A statement with a label, or one of the choices that a label stands before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Site {
    /// The proctype.
    pub proctype: ProctypeId,
    /// What it does. A process may do so in several places: before a label at the start of a choice, it is
    /// where it chooses.
    pub transition: TransitionId,
}

/// The delays, events and weights that a study gives to the statements of a model.
#[derive(Clone, Debug, Default)]
pub struct Timing {
    delays: Vec<Delayed>,
    /// The names of events.
    events: Vec<String>,
    /// By kind of process and transition.
    sites_by_proctype: Vec<Vec<SiteTiming>>,
}

/// A delay, and how it got its name.
#[derive(Clone, Debug)]
pub struct Delayed {
    /// The name in the study.
    pub name: String,
    /// How long it takes.
    pub delay: Delay,
    /// How many times as fast it goes in a state: a number, and what it is divided by; 1 if there is none.
    pub speed: Option<(Expr, Option<Expr>)>,
}

/// What is said of a statement.
#[derive(Clone, Debug, Default)]
struct SiteTiming {
    delay: Option<u16>,
    /// The events, and of which process each is one if not of all.
    events: Vec<(u16, Option<u8>)>,
    weight: Option<u32>,
}

impl Timing {
    /// Makes an empty timing for a system.
    pub fn new(system: &System) -> Timing {
        let sites = |count: usize| vec![SiteTiming::default(); count];
        let sites_by_proctype =
            system.proctypes.iter().map(|proctype| sites(proctype.transitions.len())).collect();
        Timing { sites_by_proctype, ..Timing::default() }
    }

    /// Makes an empty timing for so many labels of steps. They are the transitions of one proctype, the
    /// first.
    pub fn labels(count: usize) -> Timing {
        Timing { sites_by_proctype: vec![vec![SiteTiming::default(); count]], ..Timing::default() }
    }

    /// Returns the site of a label.
    pub fn label(number: u32) -> Site {
        Site { proctype: ProctypeId(0), transition: TransitionId(number) }
    }

    /// Finds the statements that `proctype:label` names, in the order of the text.
    pub fn sites(system: &System, proctype: &str, label: &str) -> Vec<Site> {
        let mut found = Vec::new();
        for (number, kind) in system.proctypes.iter().enumerate().filter(|(_, kind)| kind.name == proctype) {
            let labelled = |place: &&Location| place.labels.iter().any(|name| name == label);
            for edge in kind.locations.iter().filter(labelled).flat_map(|place| &place.edges) {
                let site = Site { proctype: ProctypeId(number as u16), transition: edge.transition };
                if !found.contains(&site) {
                    found.push(site);
                }
            }
        }
        found
    }

    /// Gives a delay to some statements.
    pub fn delay(&mut self, sites: &[Site], delayed: Delayed) {
        let number = self.delays.len() as u16;
        self.delays.push(delayed);
        for site in sites {
            self.site_mut(*site).delay = Some(number);
        }
    }

    /// Counts what is executed there as an event; returns its number.
    pub fn event(&mut self, sites: &[Site], name: &str) -> u16 {
        let all: Vec<(Site, Option<u8>)> = sites.iter().map(|site| (*site, None)).collect();
        self.event_of(&all, name)
    }

    /// Counts what is executed there as an event, by a process or by all; returns its number.
    pub fn event_of(&mut self, sites: &[(Site, Option<u8>)], name: &str) -> u16 {
        let number = self.events.len() as u16;
        self.events.push(name.to_owned());
        for (site, process) in sites {
            self.site_mut(*site).events.push((number, *process));
        }
        number
    }

    /// Counts what is counted as an event under another number, too, which it returns.
    pub fn counted_again(&mut self, event: u16) -> u16 {
        let number = self.events.len() as u16;
        self.events.push(self.events.get(usize::from(event)).cloned().unwrap_or_default());
        for site in self.sites_by_proctype.iter_mut().flatten() {
            let same = site.events.iter().filter(|(known, _)| *known == event);
            let same: Vec<_> = same.map(|(_, process)| (number, *process)).collect();
            site.events.extend(same);
        }
        number
    }

    /// Returns the number of a statement's delay; a statement that takes 0 has none.
    pub fn delay_at(&self, site: Site) -> Option<u16> {
        self.delay_in(&self.sites_by_proctype[site.proctype.0 as usize][site.transition.0 as usize])
    }

    fn delay_in(&self, site: &SiteTiming) -> Option<u16> {
        site.delay.filter(|delay| self.delays[usize::from(*delay)].delay.takes_time())
    }

    /// Returns whether a statement takes time.
    pub fn has_delay(&self, site: Site) -> bool {
        self.delay_at(site).is_some()
    }

    /// Makes it fit a kind of process that was rewritten: each transition is now what another one was, or is
    /// new.
    pub fn rearrange(&mut self, proctype: ProctypeId, origins: &[Option<TransitionId>]) {
        let sites = &mut self.sites_by_proctype[proctype.0 as usize];
        let now = |origin: &Option<TransitionId>| {
            origin.and_then(|origin| sites.get(origin.0 as usize).cloned()).unwrap_or_default()
        };
        *sites = origins.iter().map(now).collect();
    }

    /// Gives weights to choices, in order; those that are not mentioned have 1.
    pub fn weights(&mut self, sites: &[Site], weights: &[u32]) {
        for (number, site) in sites.iter().enumerate() {
            self.site_mut(*site).weight = Some(weights.get(number).copied().unwrap_or(1));
        }
    }

    /// Returns the same timing in which one delay is another.
    #[must_use]
    pub fn with_delay(&self, number: usize, delay: Delay) -> Timing {
        let mut timing = self.clone();
        timing.delays[number].delay = delay;
        timing
    }

    /// Returns the same timing in which nothing is counted but some events.
    #[must_use]
    pub fn counting(&self, events: &[u16]) -> Timing {
        let mut timing = self.clone();
        for site in timing.sites_by_proctype.iter_mut().flatten() {
            site.events.retain(|(event, _)| events.contains(event));
        }
        timing
    }

    /// Returns whether the time of some delay is open.
    pub fn has_ranges(&self) -> bool {
        let windows = self.delays.iter().filter_map(|delayed| delayed.delay.window());
        windows.into_iter().any(|(least, most)| least < most)
    }

    /// Returns whether it makes no difference how long a delay has run: none has several stages.
    pub fn is_memoryless(&self) -> bool {
        self.delays.iter().all(|delayed| delayed.delay.stages() <= 1)
    }

    /// Returns all that is said of a statement, as a text: equal texts say the same.
    pub fn label_of(&self, proctype: ProctypeId, transition: TransitionId) -> String {
        let site = &self.sites_by_proctype[usize::from(proctype.0)][transition.0 as usize];
        let events: Vec<u16> = site.events.iter().map(|(event, _)| *event).collect();
        format!("{:?} {:?} {events:?}", site.delay, site.weight)
    }

    /// Returns the processes whose statements are counted apart from those of others.
    pub fn processes(&self) -> Vec<u8> {
        let events = self.sites_by_proctype.iter().flatten().flat_map(|site| &site.events);
        let mut processes: Vec<u8> = events.filter_map(|(_, process)| *process).collect();
        processes.sort_unstable();
        processes.dedup();
        processes
    }

    /// Returns a grid on which the longest delay has so many ticks; `None` if a delay is random.
    pub fn grid(&self, ticks: u32) -> Option<Time> {
        let windows: Option<Vec<_>> = self.delays.iter().map(|delayed| delayed.delay.window()).collect();
        let most = windows?.into_iter().map(|(_, most)| most).max()?;
        Some(most / Time::from_integer(i128::from(ticks)))
    }

    /// Returns the same timing with delays rounded outwards to multiples of a grid: it has all runs, and
    /// perhaps more. Delays that are random stay as they are.
    #[must_use]
    pub fn rounded_outwards(&self, grid: Time) -> Timing {
        let mut timing = self.clone();
        for delayed in &mut timing.delays {
            if let Some((least, most)) = delayed.delay.window() {
                delayed.delay = Delay::Between((least / grid).floor() * grid, (most / grid).ceil() * grid);
            }
        }
        timing
    }

    /// Returns the same timing with delays rounded inwards: it has some of the runs. `None` if a delay has no
    /// multiple of the grid.
    pub fn rounded_inwards(&self, grid: Time) -> Option<Timing> {
        let mut timing = self.clone();
        for delayed in &mut timing.delays {
            let (least, most) = delayed.delay.window()?;
            let (least, most) = ((least / grid).ceil() * grid, (most / grid).floor() * grid);
            if least > most {
                return None;
            }
            delayed.delay = Delay::Between(least, most);
        }
        Some(timing)
    }

    /// Returns all delays.
    pub fn delays(&self) -> &[Delayed] {
        &self.delays
    }

    /// Returns the names of events, by number.
    pub fn events(&self) -> &[String] {
        &self.events
    }

    fn site_mut(&mut self, site: Site) -> &mut SiteTiming {
        &mut self.sites_by_proctype[site.proctype.0 as usize][site.transition.0 as usize]
    }

    fn site_timing(&self, step: &Move) -> &SiteTiming {
        &self.sites_by_proctype[step.proctype.0 as usize][step.transition.0 as usize]
    }

    /// Returns the delay of a move, if it has one.
    pub(crate) fn delay_of(&self, step: &Move) -> Option<u16> {
        self.delay_in(self.site_timing(step))
    }

    /// Returns the events that a move is.
    pub(crate) fn events_of(&self, step: &Move) -> impl Iterator<Item = u16> {
        let process = step.pid;
        let events = self.site_timing(step).events.iter();
        events.filter(move |(_, own)| own.is_none_or(|own| own == process)).map(|(event, _)| *event)
    }

    /// Returns the weight of a move, if it has one.
    pub(crate) fn weight_of(&self, step: &Move) -> Option<u32> {
        self.site_timing(step).weight
    }
}
