//! The same questions to all contenders.

use std::{
    fs, thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::{
    contenders::{Contender, numbers},
    list::Question,
};
use crate::bench::memory::peak_mib;
use xtask::process;

/// The largest allowed difference of two estimates: six standard deviations of the largest ones.
const ESTIMATED_WITHIN: f64 = 0.1;

/// How often and in which state questions are asked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rounds {
    pub(super) count: u32,
    /// Each answer comes from the disk.
    pub(super) cold: bool,
}

/// The measurements of one contender and one question.
#[derive(Clone, Debug, Default)]
struct Times {
    clock: Vec<f64>,
    cpu: Vec<f64>,
    peak: f64,
    agreement: Agreement,
    failure: Option<String>,
}

impl Times {
    /// The middle of the times by the clock; `None` if there was no answer.
    fn clock(&self) -> Option<f64> {
        self.failure.is_none().then(|| median(self.clock.clone()))
    }

    /// The mean of processor time, whose steps are 10 ms.
    fn cpu(&self) -> Option<f64> {
        let rounds = u32::try_from(self.cpu.len()).unwrap_or(u32::MAX);
        let mean = self.cpu.iter().sum::<f64>() / f64::from(rounds);
        self.failure.is_none().then_some(mean)
    }

    /// The distance of the rounds, as a part of their middle.
    fn spread(&self) -> Option<f64> {
        let most = self.clock.iter().copied().fold(0.0, f64::max);
        let least = self.clock.iter().copied().fold(f64::INFINITY, f64::min);
        Some((most - least) / self.clock()?)
    }
}

/// Asks all in turn and prints the times by the clock, of processors, and the noise. All answers
/// must be those of the first contender; others are errors.
pub(super) fn compare(
    contenders: &mut [Box<dyn Contender + '_>],
    questions: &[Question],
    rounds: Rounds,
) -> Result<()> {
    for contender in contenders.iter() {
        wait_for(contender.as_ref())?;
    }
    let mut table = Vec::new();
    for question in questions {
        table.push(ask(contenders, question, rounds)?);
    }
    let names: Vec<&str> = contenders
        .iter()
        .map(|contender| contender.name())
        .collect();
    print_table(
        "milliseconds by the clock",
        &names,
        questions,
        &table,
        Times::clock,
    );
    if !rounds.cold {
        print_table("of processors", &names, questions, &table, Times::cpu);
    }
    for (place, name) in names.iter().enumerate() {
        let of_name = || table.iter().map(|row| &row[place]);
        let spreads: Vec<f64> = of_name().filter_map(Times::spread).collect();
        let peak = of_name().map(|times| times.peak).fold(0.0, f64::max);
        let noise = if spreads.is_empty() {
            f64::NAN
        } else {
            median(spreads) * 100.0
        };
        println!("{name:<20} noise: rounds lie {noise:.0} % apart; peak memory {peak:.0} MiB");
    }
    let mut different = 0;
    for (question, row) in questions.iter().zip(&table) {
        for (times, name) in row.iter().zip(&names) {
            if let Some(failure) = &times.failure {
                let failure: String = failure.chars().take(300).collect();
                println!("{name}, {}: {failure}", question.name);
            }
            if let Agreement::Different(answer) = &times.agreement {
                println!("{name}, {}: {answer}", question.name);
                different += 1;
            }
        }
    }
    ensure!(different == 0, "{different} answers differ");
    Ok(())
}

fn ask(
    contenders: &mut [Box<dyn Contender + '_>],
    question: &Question,
    rounds: Rounds,
) -> Result<Vec<Times>> {
    let mut row = vec![Times::default(); contenders.len()];
    for _ in 0..rounds.count {
        let mut first: Option<Value> = None;
        for (contender, times) in contenders.iter_mut().zip(&mut row) {
            if times.failure.is_some() {
                continue;
            }
            if rounds.cold {
                contender.forget()?;
                drop_page_cache()?;
            } else if times.clock.is_empty() {
                // The files get into the system's memory. A failure shows below, too.
                let _ = contender.ask(question, 0);
            }
            forget_peaks(contender.as_ref());
            let rows = first
                .as_ref()
                .map_or(0, |own| own["data"].as_array().map_or(0, Vec::len));
            let (began, cpu) = (Instant::now(), contender.cpu_seconds()?);
            let answer = contender.ask(question, rows);
            times.clock.push(began.elapsed().as_secs_f64() * 1e3);
            times.cpu.push((contender.cpu_seconds()? - cpu) * 1e3);
            let peaks: Result<Vec<f64>> = contender.processes().into_iter().map(peak_mib).collect();
            times.peak = times.peak.max(peaks?.into_iter().sum());
            match (answer, &first) {
                (Err(failure), None) => return Err(failure.context(question.name)),
                (Err(failure), Some(_)) => {
                    times.failure = Some(format!("{failure:#}"));
                    // A question that ran out of time may still run, beside the next contender.
                    wait_for(contender.as_ref())?;
                }
                (Ok(answer), None) => first = Some(answer),
                (Ok(answer), Some(own)) => {
                    times.agreement = agree(question, own, &answer);
                }
            }
        }
    }
    Ok(row)
}

fn print_table(
    what: &str,
    names: &[&str],
    questions: &[Question],
    table: &[Vec<Times>],
    figure: impl Fn(&Times) -> Option<f64>,
) {
    print!("\n{what:<40} {:>4}", "days");
    for name in names {
        print!(" {name:>18}");
    }
    println!();
    for (question, row) in questions.iter().zip(table) {
        print!("{:<40} {:>4}", question.name, question.days);
        for times in row {
            let cell = match figure(times) {
                None => "failed".to_owned(),
                Some(figure) => match times.agreement {
                    Agreement::Same => format!("{figure:.1}"),
                    Agreement::Estimated => format!("{figure:.1} ≈"),
                    Agreement::Different(_) => format!("{figure:.1} ≠"),
                },
            };
            print!(" {cell:>18}");
        }
        println!();
    }
    println!(
        "≈: visitors are estimated; ≠: the answer differs from that of {}",
        names[0]
    );
}

/// Waits until a contender has no more to do for itself, such as merges or totals of days.
fn wait_for(contender: &dyn Contender) -> Result<()> {
    const LONGEST: Duration = Duration::from_mins(30);
    /// The part of a processor that counts as rest.
    const REST: f64 = 0.05;
    /// Quiet seconds that prove rest: a pause between two days is shorter.
    const QUIET: u32 = 3;
    let begun = Instant::now();
    let (mut before, mut quiet) = (contender.cpu_seconds()?, 0);
    while begun.elapsed() < LONGEST && quiet < QUIET {
        thread::sleep(Duration::from_secs(1));
        let now = contender.cpu_seconds()?;
        quiet = if now - before < REST { quiet + 1 } else { 0 };
        before = now;
    }
    Ok(())
}

const DROP_CACHES: &str = "/proc/sys/vm/drop_caches";

/// Returns whether [`Rounds::cold`] is possible.
pub(super) fn can_drop_page_cache() -> bool {
    fs::write(DROP_CACHES, "3").is_ok()
}

/// Makes the system forget all files that it has in memory. It drops no changed pages, so they are
/// written first.
fn drop_page_cache() -> Result<()> {
    process::run(&mut process::program("sync"))?;
    fs::write(DROP_CACHES, "3").context("the system's cache of files cannot be dropped")
}

/// Starts the count of peaks again; where the system does not let us, peaks are of the whole run.
fn forget_peaks(contender: &dyn Contender) {
    for pid in contender.processes() {
        let _ = fs::write(format!("/proc/{pid}/clear_refs"), "5");
    }
}

/// How an answer compares with that of the first contender.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Agreement {
    #[default]
    Same,
    /// Visits are the same, and visitors similar.
    Estimated,
    Different(String),
}

fn agree(question: &Question, own: &Value, other: &Value) -> Agreement {
    let (visits, visitors) = numbers(question, own);
    let (other_visits, other_visitors) = numbers(question, other);
    if visits != other_visits || !close(&visitors, &other_visitors) {
        let (own, other) = (beginning(own), beginning(other));
        return Agreement::Different(format!("{other}\n  instead of {own}"));
    }
    if visitors == other_visitors {
        Agreement::Same
    } else {
        Agreement::Estimated
    }
}

fn beginning(answer: &Value) -> String {
    answer.to_string().chars().take(300).collect()
}

/// Returns whether estimates are of similar size.
fn close(own: &[u64], other: &[u64]) -> bool {
    let size = |number: u64| u32::try_from(number).map_or(f64::MAX, f64::from);
    let is_close = |(&own, &other): (&u64, &u64)| {
        let (own, other) = (size(own), size(other));
        // A few visitors are no statistics.
        (own - other).abs() <= ESTIMATED_WITHIN * own.max(other) + 3.0
    };
    own.len() == other.len() && own.iter().zip(other).all(is_close)
}

pub(super) fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    let upper = times[times.len() / 2];
    let lower = times[(times.len() - 1) / 2];
    f64::midpoint(lower, upper)
}
