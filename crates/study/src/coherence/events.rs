//! Accesses as events: `miss(packet)`, `hit(lock, ping)`, `access(memory)`.

use narrows_performance::{Site, Timing, as_f64};

use super::rewrite::Wait;
use super::{Attached, Layer, latency};

/// A name in parentheses that stands for nothing.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct UnknownName(pub(crate) String);

/// Returns whether a text speaks of accesses.
pub(crate) fn is_access(text: &str) -> bool {
    let head = text.split('(').next().unwrap_or("").trim();
    matches!(head, "miss" | "hit" | "access") && (head == text.trim() || text.trim().ends_with(')'))
}

impl Attached {
    /// Returns what to count for a text such as `miss(packet, ping)`: waits, and of which process; all if
    /// there is none.
    ///
    /// # Errors
    ///
    /// A name may be unknown.
    pub(crate) fn sites(&self, text: &str) -> Result<Vec<(Site, Option<u8>)>, UnknownName> {
        let (head, arguments) = text.split_once('(').unwrap_or((text, ""));
        let head = head.trim();
        let arguments = arguments.trim().trim_end_matches(')');
        let memory = &self.hierarchy.memory;
        let (mut variables, mut transfer, mut processes) = (None, None, None);
        for name in arguments.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            let of_kind = || self.kinds.iter().find(|(kind, _)| kind == name).map(|(_, list)| list.clone());
            let variable = memory.variables.iter().position(|known| known == name);
            let pids: Vec<u8> = memory
                .caches
                .iter()
                .filter(|cache| cache.name == name || cache.name.split('[').next() == Some(name))
                .map(|cache| cache.pid as u8)
                .collect();
            if let Some(list) = of_kind() {
                variables = Some(list);
            } else if let Some(variable) = variable {
                variables = Some(vec![variable]);
            } else if let Some(number) = self.hierarchy.protocol.transfers.iter().position(|one| one == name)
            {
                transfer = Some(number);
            } else if !pids.is_empty() {
                processes = Some(pids);
            } else {
                return Err(UnknownName(name.to_owned()));
            }
        }
        let fits = |wait: &&Wait| {
            wait.is_last
                && (head == "access" || (head == "hit") == (wait.transfer.kind == 0))
                && variables.as_ref().is_none_or(|list| list.contains(&wait.variable))
                && transfer.is_none_or(|number| number == wait.transfer.kind)
        };
        let mut sites = Vec::new();
        for wait in self.waits.iter().filter(fits) {
            match &processes {
                None => sites.push((wait.site, None)),
                Some(pids) => sites.extend(pids.iter().map(|pid| (wait.site, Some(*pid)))),
            }
        }
        Ok(sites)
    }

    /// Counts misses by variable and transfer; returns for each variable the events, and how long each takes.
    pub(crate) fn costs(&self, layer: &Layer, timing: &mut Timing) -> Vec<(String, Vec<(u16, f64)>)> {
        let of = |(number, name): (usize, &String)| {
            let mut events = Vec::new();
            for transfer in self.hierarchy.transfers().into_iter().filter(|transfer| transfer.kind != 0) {
                let is_it =
                    |wait: &&Wait| wait.is_last && wait.variable == number && wait.transfer == transfer;
                let sites: Vec<Site> = self.waits.iter().filter(is_it).map(|wait| wait.site).collect();
                if let Some(delay) = latency(layer, &self.hierarchy, transfer).filter(|_| !sites.is_empty()) {
                    let name = format!("miss({name}, {})", self.hierarchy.transfer_name(transfer));
                    events.push((timing.event(&sites, &name), as_f64(delay.mean())));
                }
            }
            (name.clone(), events)
        };
        self.hierarchy.memory.variables.iter().enumerate().map(of).collect()
    }

    /// Returns everything that can stand in parentheses.
    pub(crate) fn names(&self) -> Vec<String> {
        let kinds = self.kinds.iter().map(|(name, _)| name.clone());
        let memory = &self.hierarchy.memory;
        let caches = memory.caches.iter().map(|cache| cache.name.clone());
        let transfers = self.hierarchy.protocol.transfers.iter().cloned();
        kinds.chain(memory.variables.iter().cloned()).chain(caches).chain(transfers).collect()
    }
}
