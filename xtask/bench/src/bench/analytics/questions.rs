//! The same questions to all contenders.

use std::{
    thread,
    time::{Duration, Instant},
};

use anyhow::{Result, bail};
use serde_json::Value;

use super::list::{QUESTIONS, Question};
use crate::bench::{instance::Instance, processor::cpu_seconds};

const ROUNDS: usize = 5;

/// The largest allowed difference of two sketch estimates: six standard deviations of the
/// largest ones.
const SKETCHED_WITHIN: f64 = 0.1;

/// A contender that answers questions.
pub(super) trait Contender {
    /// The name in tables.
    fn name(&self) -> &'static str;

    /// Returns the answer. `rows` is the number of rows that the embedded log gave.
    fn ask(&mut self, question: &Question, rows: usize) -> Result<Value>;

    /// The processor time of all its processes so far.
    fn cpu_seconds(&self) -> Result<f64>;

    /// Says if an answer is right, as far as it can be compared: `false` if one of the two is an
    /// estimate.
    fn agrees(&self, question: &Question, own: &Value, other: &Value) -> Result<bool>;
}

/// A service and its processes.
#[derive(Debug)]
pub(super) struct Service<'i> {
    pub(super) name: &'static str,
    pub(super) instance: &'i Instance,
    pub(super) processes: Vec<u32>,
}

impl Contender for Service<'_> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn ask(&mut self, question: &Question, _: usize) -> Result<Value> {
        self.instance.get(&question.path())
    }

    fn cpu_seconds(&self) -> Result<f64> {
        self.processes.iter().map(|&pid| cpu_seconds(pid)).sum()
    }

    fn agrees(&self, question: &Question, own: &Value, other: &Value) -> Result<bool> {
        agree(question.name, own, other)
    }
}

/// The times of one contender.
#[derive(Debug, Default)]
struct Times {
    clock: Vec<f64>,
    cpu: Vec<f64>,
}

impl Times {
    /// Adds a measurement, in milliseconds.
    fn measure<T>(
        &mut self,
        contender: &mut dyn Contender,
        work: impl FnOnce(&mut dyn Contender) -> Result<T>,
    ) -> Result<T> {
        let (began, cpu) = (Instant::now(), contender.cpu_seconds()?);
        let result = work(contender)?;
        self.clock.push(began.elapsed().as_secs_f64() * 1e3);
        self.cpu.push((contender.cpu_seconds()? - cpu) * 1e3);
        Ok(result)
    }

    /// The median by the clock and the mean of processor time, whose steps are 10 ms.
    fn middle(self) -> (f64, f64) {
        let rounds = f64::from(u32::try_from(self.cpu.len()).unwrap_or(u32::MAX));
        (median(self.clock), self.cpu.iter().sum::<f64>() / rounds)
    }
}

/// Asks all in turn and prints the median times, and the processor time of their processes.
/// Different answers are an error.
pub(super) fn compare(ours: &mut dyn Contender, others: &mut [&mut dyn Contender]) -> Result<()> {
    wait_for(ours)?;
    for other in others.iter() {
        wait_for(*other)?;
    }
    print!(
        "\n{:<38} {:>5} {:>10} {:>10}",
        "milliseconds",
        "days",
        ours.name(),
        "processor"
    );
    for other in others.iter() {
        print!(
            " {:>12} {:>7} {:>10} {:>7}",
            other.name(),
            "ratio",
            "processor",
            "ratio"
        );
    }
    println!();
    for question in QUESTIONS {
        let mut own_times = Times::default();
        let mut others_times: Vec<Times> = others.iter().map(|_| Times::default()).collect();
        let mut sketched = "";
        for _ in 0..ROUNDS {
            let own = own_times.measure(ours, |ours| ours.ask(&question, 0))?;
            let rows = own["data"].as_array().map_or(0, Vec::len);
            for (other, times) in others.iter_mut().zip(&mut others_times) {
                let answer = times.measure(*other, |other| other.ask(&question, rows))?;
                if !other.agrees(&question, &own, &answer)? {
                    sketched = " (estimated)";
                }
            }
        }
        let (own, own_cpu) = own_times.middle();
        let name = format!("{}{sketched}", question.name);
        print!(
            "{name:<38} {:>5} {own:>10.1} {own_cpu:>10.0}",
            question.days
        );
        for times in others_times {
            let (other, other_cpu) = times.middle();
            print!(
                " {other:>12.1} {:>7.2} {other_cpu:>10.0} {:>7.2}",
                own / other,
                own_cpu / other_cpu
            );
        }
        println!();
    }
    Ok(())
}

/// Waits until a contender has no more to do for itself, such as merges or totals of days.
fn wait_for(contender: &dyn Contender) -> Result<()> {
    const LONGEST: Duration = Duration::from_mins(10);
    /// The part of a processor that counts as rest.
    const REST: f64 = 0.05;
    let begun = Instant::now();
    let mut before = contender.cpu_seconds()?;
    while begun.elapsed() < LONGEST {
        thread::sleep(Duration::from_secs(1));
        let now = contender.cpu_seconds()?;
        if now - before < REST {
            break;
        }
        before = now;
    }
    Ok(())
}

/// True if both answers are equal; an error if they differ more than allowed.
fn agree(what: &str, own: &Value, other: &Value) -> Result<bool> {
    if own == other {
        return Ok(true);
    }
    // Each log has its own salts, so the hashes of visitors differ.
    let of_visitors = what == "visitors";
    if of_visitors || close(own, other) {
        return Ok(of_visitors);
    }
    let beginning = |answer: &Value| answer.to_string().chars().take(600).collect::<String>();
    bail!(
        "{what}: the answers differ\nembedded:   {}\nClickHouse: {}",
        beginning(own),
        beginning(other)
    )
}

/// True if two answers have the same shape and numbers of similar size.
fn close(own: &Value, other: &Value) -> bool {
    match (own, other) {
        (Value::Array(own), Value::Array(other)) => {
            own.len() == other.len() && own.iter().zip(other).all(|(own, other)| close(own, other))
        }
        (Value::Object(own), Value::Object(other)) => {
            let same = |(name, own)| other.get(name).is_some_and(|other| close(own, other));
            own.len() == other.len() && own.iter().all(same)
        }
        (Value::Number(own), Value::Number(other)) => {
            let size = |number: &serde_json::Number| number.as_f64().unwrap_or(f64::NAN);
            let (own, other) = (size(own), size(other));
            (own - other).abs() <= SKETCHED_WITHIN * own.max(other)
        }
        // The flag for exactness may differ.
        (Value::Bool(_), Value::Bool(_)) => true,
        _ => own == other,
    }
}

pub(super) fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
