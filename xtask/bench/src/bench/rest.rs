//! Waits until a service has done its own work, such as counting days.

use std::{
    thread,
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};

use super::processor::cpu_seconds;

/// Waits until a process has taken hardly any processor time for three seconds in a row, and
/// returns the seconds until then.
pub(crate) fn wait_for(pid: u32) -> Result<f64> {
    const LONGEST: Duration = Duration::from_hours(2);
    /// Seconds without work that count as rest.
    const QUIET: u32 = 3;
    /// Processor seconds of a second without work.
    const REST: f64 = 0.02;

    let began = Instant::now();
    let mut before = cpu_seconds(pid)?;
    let (mut busy, mut quiet) = (0.0, 0);
    while quiet < QUIET {
        ensure!(
            began.elapsed() < LONGEST,
            "the service does not come to rest"
        );
        thread::sleep(Duration::from_secs(1));
        let now = cpu_seconds(pid)?;
        if now - before > REST {
            quiet = 0;
            busy = began.elapsed().as_secs_f64();
        } else {
            quiet += 1;
        }
        before = now;
    }
    Ok(busy)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn process_that_sleeps_is_at_rest() {
        let mut sleeper = Command::new("sleep").arg("60").spawn().unwrap();
        let busy = wait_for(sleeper.id());
        sleeper.kill().unwrap();
        sleeper.wait().unwrap();
        assert_eq!(busy.unwrap().to_string(), "0");
    }
}
