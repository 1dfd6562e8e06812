//! Other logs of the same visits: sampled, or with salts that serve longer.

use anyhow::Result;

use super::{
    contenders::{Contender, Service},
    folders, list,
    questions::{self, Rounds},
    scanned,
};
use crate::bench::{instance::Instance, plan::Plan};

/// The names of the logs, and the recorder's arguments.
const LOGS: [(&str, &[&str]); 3] = [
    ("sampled", &["--sampled"]),
    ("week", &["--salts", "week"]),
    ("month", &["--salts", "month"]),
];

/// Asks a few questions about each, with totals of days and without. The answers are the same.
pub(super) fn measure(plan: &Plan) -> Result<()> {
    for (name, arguments) in LOGS {
        let (log, report) = folders::log(plan, name, arguments)?;
        let copy = folders::prepared(
            &folders::kept(plan).join(format!("{name}-scan")),
            |folder| {
                scanned::copy(&log, folder)?;
                Ok(String::new())
            },
        )?;
        println!("\nlog {name}: {report}");
        let with_totals = Instance::start(&plan.binary, &log)?;
        let without = Instance::start(&plan.binary, &copy.0)?;
        let mut contenders: [Box<dyn Contender + '_>; 2] = [
            Box::new(Service {
                name: "embedded",
                instance: &with_totals,
                beside: None,
            }),
            Box::new(Service {
                name: "embedded scan",
                instance: &without,
                beside: None,
            }),
        ];
        questions::compare(
            &mut contenders,
            &list::short(),
            Rounds {
                count: 3,
                cold: false,
            },
        )?;
        drop(contenders);
        with_totals.stop()?;
        without.stop()?;
    }
    Ok(())
}
