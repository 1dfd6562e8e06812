//! Other servers, which stop when their owner drops them.

use std::{
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};

use xtask::process;

/// A process that is told to stop when its owner drops this.
#[derive(Debug)]
pub(crate) struct Guard(Child);

impl Guard {
    /// Starts a server and discards its output.
    pub(crate) fn start(command: &mut Command) -> Result<Self> {
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        Ok(Self(child.with_context(|| process::cannot_start(command))?))
    }

    pub(crate) fn pid(&self) -> u32 {
        self.0.id()
    }

    /// Waits until it accepts connections. It is an error if the server exits instead, or needs
    /// more than ten seconds.
    pub(crate) fn wait_for(&mut self, address: SocketAddr) -> Result<()> {
        let began = Instant::now();
        while TcpStream::connect(address).is_err() {
            if let Some(status) = self.0.try_wait()? {
                bail!("the server ended with {status} before it listened on {address}");
            }
            if began.elapsed() > Duration::from_secs(10) {
                bail!("nobody listens on {address} after ten seconds");
            }
            thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let pid = self.pid().to_string();
        // Killing nginx's master would leave its worker running.
        let _ = process::run_quietly(process::program("kill").args(["-TERM", &pid]));
        for _ in 0..100 {
            if !matches!(self.0.try_wait(), Ok(None)) {
                return;
            }
            thread::sleep(Duration::from_millis(50));
        }
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A server at an address of its own.
#[derive(Debug)]
pub(crate) struct Server {
    process: Guard,
    origin: String,
}

impl Server {
    /// Starts a server and waits until it listens on this address.
    pub(crate) fn start(command: &mut Command, address: SocketAddr) -> Result<Self> {
        let mut process = Guard::start(command)?;
        process.wait_for(address)?;
        let origin = format!("http://{address}");
        Ok(Self { process, origin })
    }

    pub(crate) fn origin(&self) -> &str {
        &self.origin
    }

    pub(crate) fn pid(&self) -> u32 {
        self.process.pid()
    }
}

/// An unused address of this machine.
pub(crate) fn free_address() -> Result<SocketAddr> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn server_that_ends_at_once_is_an_error() {
        let mut guard = Guard::start(&mut Command::new("false")).unwrap();
        let error = guard.wait_for(free_address().unwrap()).unwrap_err();
        assert!(error.to_string().contains("ended with"), "{error}");
    }

    #[test]
    fn process_ends_with_its_owner() {
        let guard = Guard::start(Command::new("sleep").arg("600")).unwrap();
        let process = std::path::PathBuf::from(format!("/proc/{}", guard.pid()));
        assert!(process.exists());
        drop(guard);
        assert!(!process.exists());
    }
}
