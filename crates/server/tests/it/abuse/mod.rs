//! Clients that no honest person runs.

mod client_identity; // who a client is, behind proxies
#[cfg(target_os = "linux")] // which tells the memory of a process
mod floods; // requests in numbers that no honest client sends
mod guessing; // passwords and tokens are guessed
mod slow_clients; // clients that send or take bytes slowly, endlessly or over many connections
