//! Redirects at a steady rate, every one of which becomes a row of the access log.

use std::{path::Path, thread, time::Duration};

use anyhow::Result;

use crate::bench::{
    cpus::Cpus,
    instance::Instance,
    load::{Answers, Latency, Load, SETTLE, latency},
    scripts::{self, Headers, Pick},
};

/// Redirects a second.
pub(super) const RATE: u32 = 10_000;

/// The links that are followed in turn.
pub(super) const LINKS: u32 = 200;

/// What became of redirects.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outcome {
    pub(super) latency: Latency,
    /// Visits that became rows, that were sampled away, and that were lost.
    pub(super) visits: [f64; 3],
}

/// A sender of redirects.
#[derive(Debug)]
pub(super) struct Sender<'s> {
    instance: &'s Instance,
    scratch: &'s Path,
    script: String,
    connections: u32,
}

impl<'s> Sender<'s> {
    /// Tries out how many connections give the rate.
    pub(super) fn new(instance: &'s Instance, scratch: &'s Path) -> Result<Self> {
        /// The pause of a connection between two requests, in milliseconds.
        const PAUSE: u32 = 10;
        let (hot, links) = (LINKS, LINKS);
        let follow = scripts::follow(Pick::InTurn { hot, links }, Headers::Browser);
        let mut sender = Self {
            instance,
            scratch,
            script: format!("{follow}function delay() return {PAUSE} end\n"),
            connections: RATE * PAUSE / 1_000,
        };
        // The pause is not all of the time between two requests.
        let reached = sender.send(2)?.rate;
        sender.connections = more(sender.connections, reached);
        // So that their rows are in no round.
        thread::sleep(SETTLE);
        Ok(sender)
    }

    /// Sends for some seconds while something else happens.
    pub(super) fn beside<T>(
        &self,
        seconds: u32,
        act: impl FnOnce() -> Result<T>,
    ) -> Result<(T, Outcome)> {
        const VISITS: [&str; 3] = [
            "slugline_visits_recorded_total",
            "slugline_visits_sampled_total",
            "slugline_visits_dropped_total",
        ];
        let visits = || -> Result<Vec<f64>> {
            let metrics = VISITS.iter().map(|name| self.instance.metric(name));
            metrics.collect()
        };
        let before = visits()?;
        let (acted, latency) = thread::scope(|scope| {
            let sending = scope.spawn(|| self.send(seconds));
            let acted = act();
            (acted, sending.join().expect("sending does not panic"))
        });
        let latency = latency?;
        thread::sleep(SETTLE);
        let after = visits()?;
        let visits = std::array::from_fn(|which| after[which] - before[which]);
        Ok((acted?, Outcome { latency, visits }))
    }

    fn send(&self, seconds: u32) -> Result<Latency> {
        let load = Load {
            url: self.instance.origin(),
            script: &self.script,
            seconds,
            connections: self.connections,
            answers: Answers::Good,
            settle: Duration::ZERO,
            // Questions need processors too, and the benchmark measures how they share them.
            cpus: Cpus::Any,
        };
        latency(&load, self.scratch)
    }
}

/// The connections that reach the rate, if so many reached this rate. At most twice as many: a
/// machine that is too slow does not become faster.
fn more(connections: u32, reached: f64) -> u32 {
    let (few, rate) = (f64::from(connections), f64::from(RATE));
    (connections..connections * 2)
        .find(|&many| f64::from(many) / few * reached >= rate)
        .unwrap_or(connections * 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_make_up_for_what_is_missing() {
        assert_eq!(more(100, 10_100.0), 100);
        assert_eq!(more(100, 9_000.0), 112);
        assert_eq!(more(100, 100.0), 200);
    }
}
