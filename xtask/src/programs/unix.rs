//! What these programs need of Unix. Elsewhere the tasks that start none of them still work.

use std::process::Command;

/// Runs the command by this account.
pub(super) fn run_by(command: &mut Command, user: u32, group: u32) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::uid(command, user);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::gid(command, group);
    #[cfg(not(unix))]
    let _ = (command, user, group);
}

/// Keeps the signals of a terminal, such as that of Ctrl-C, from the command.
pub(super) fn set_apart(command: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    #[cfg(not(unix))]
    let _ = command;
}
