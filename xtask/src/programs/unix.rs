//! What these programs need of Unix. Elsewhere the tasks that start none of them still work.

use std::{io, path::Path, process::Command};

/// Gives a folder to an account and a group.
pub(super) fn hand_over(folder: &Path, user: u32, group: u32) -> io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::chown(folder, Some(user), Some(group));
    #[cfg(not(unix))]
    return Err(missing(folder, (user, group)));
}

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

/// Makes a symbolic link to a program.
pub(super) fn link(program: &Path, link: &Path) -> io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::symlink(program, link);
    #[cfg(not(unix))]
    return Err(missing(program, link));
}

/// Lets everybody run a file.
pub(super) fn make_executable(file: &Path) -> io::Result<()> {
    #[cfg(unix)]
    return std::fs::set_permissions(file, std::os::unix::fs::PermissionsExt::from_mode(0o755));
    #[cfg(not(unix))]
    return Err(missing(file, ()));
}

#[cfg(not(unix))]
fn missing<T>(path: &Path, _: T) -> io::Error {
    io::Error::other(format!("{}: only Unix can do this", path.display()))
}
