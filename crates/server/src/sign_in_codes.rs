//! One-time codes for the site token of the data folder, as files beside it.
//!
//! A code is a file of its own, named by its digest, which holds the moment at which it is over.
//! Removing the file uses the code. Only one of several callers can remove the file. So the service
//! and the command that prints an address need no lock between them.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use anyhow::Context;
use async_trait::async_trait;
use slugline_application::SignInCode;
use slugline_domain::{
    UnixSeconds,
    ports::{Clock, Random, SignInCodes, StoreError},
};

use crate::{secret_file::read_secret, site_token};

/// The start of the name of each file.
const PREFIX: &str = "sign-in-code-";

/// Makes a code for the site token that this folder keeps.
///
/// # Errors
/// The folder cannot be written.
pub(crate) fn issue(
    folder: &Path,
    random: &dyn Random,
    clock: &dyn Clock,
) -> anyhow::Result<SignInCode> {
    let now = clock.now().second();
    remove_old(folder, now);
    let code = SignInCode::mint(random);
    let path = file_of(folder, &code.digest());
    let end = now.get().saturating_add(SignInCode::SECONDS);
    let failed = || format!("{} cannot be written", path.display());
    let token = site_token::file_in(folder);
    let mut file = site_token::create_private(&path, Some(&token)).with_context(failed)?;
    write!(file, "{end}").with_context(failed)?;
    Ok(code)
}

/// The codes of a data folder.
#[derive(Debug)]
pub(crate) struct FolderCodes {
    pub(crate) folder: PathBuf,
}

#[async_trait]
impl SignInCodes for FolderCodes {
    async fn redeem(
        &self,
        digest: &[u8; 32],
        now: UnixSeconds,
    ) -> Result<Option<String>, StoreError> {
        let (folder, digest) = (self.folder.clone(), *digest);
        let redeemed = tokio::task::spawn_blocking(move || redeem(&folder, &digest, now)).await;
        let failed = |source| StoreError::Failed {
            action: "redeem a sign-in code",
            source,
        };
        match redeemed {
            Ok(outcome) => outcome.map_err(|error| failed(error.into())),
            Err(error) => Err(failed(error.into())),
        }
    }
}

/// The code is used up before anything is answered: if the process dies in between, the person
/// prints another one.
fn redeem(folder: &Path, digest: &[u8; 32], now: UnixSeconds) -> io::Result<Option<String>> {
    let path = file_of(folder, digest);
    let is_valid = match fs::read_to_string(&path) {
        Ok(end) => is_before(now, &end),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    match fs::remove_file(&path) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    }
    if !is_valid {
        return Ok(None);
    }
    let token = read_secret(&site_token::file_in(folder))?;
    tracing::info!("a one-time code was exchanged for the site token");
    Ok(Some(token))
}

/// Files that cannot be removed now are removed later; their codes are over. An empty one may
/// be about to get its moment.
fn remove_old(folder: &Path, now: UnixSeconds) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let is_code = name.to_str().is_some_and(|name| name.starts_with(PREFIX));
        let is_over = || {
            let end = fs::read_to_string(entry.path());
            end.is_ok_and(|end| !end.is_empty() && !is_before(now, &end))
        };
        if is_code && is_over() {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// A file without a moment is one over which its process died.
fn is_before(now: UnixSeconds, end: &str) -> bool {
    end.parse().is_ok_and(|end: i64| now.get() < end)
}

fn file_of(folder: &Path, digest: &[u8; 32]) -> PathBuf {
    folder.join(format!("{PREFIX}{}", site_token::hexadecimal(digest)))
}

#[cfg(test)]
mod tests {
    use std::{sync::Barrier, thread};

    use slugline_testkit::{FixedClock, NOON, SeededRandom};

    use super::*;

    fn folder_with_token() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::write(site_token::file_in(folder.path()), "the-site-token\n").unwrap();
        folder
    }

    fn files(folder: &Path) -> usize {
        fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn a_code_stands_for_the_token_once() {
        let folder = folder_with_token();
        let clock = FixedClock::at(NOON);
        let code = issue(folder.path(), &SeededRandom::new(1), &clock).unwrap();
        let digest = code.digest();
        let taken = || redeem(folder.path(), &digest, clock.now().second()).unwrap();
        assert_eq!(taken().as_deref(), Some("the-site-token"));
        assert_eq!(taken(), None);
        assert_eq!(files(folder.path()), 1);
        let unknown = redeem(folder.path(), &[7; 32], clock.now().second());
        assert_eq!(unknown.unwrap(), None);
    }

    #[test]
    fn a_code_is_over_after_ten_minutes_and_its_file_goes_with_the_next_one() {
        let folder = folder_with_token();
        let clock = FixedClock::at(NOON);
        let random = SeededRandom::new(1);
        let codes = [(); 2].map(|()| issue(folder.path(), &random, &clock).unwrap());
        clock.advance_seconds(599);
        let last = redeem(folder.path(), &codes[0].digest(), clock.now().second());
        assert!(last.unwrap().is_some());
        clock.advance_seconds(1);
        let over = redeem(folder.path(), &codes[1].digest(), clock.now().second());
        assert_eq!(over.unwrap(), None);
        issue(folder.path(), &random, &clock).unwrap();
        clock.advance_seconds(600);
        issue(folder.path(), &random, &clock).unwrap();
        assert_eq!(files(folder.path()), 2, "the token and the last code");
    }

    #[test]
    fn of_many_who_send_a_code_at_once_one_gets_the_token() {
        let folder = folder_with_token();
        let clock = FixedClock::at(NOON);
        let code = issue(folder.path(), &SeededRandom::new(1), &clock).unwrap();
        let digest = code.digest();
        let start = Barrier::new(8);
        let winners = thread::scope(|scope| {
            let tries = [(); 8].map(|()| {
                scope.spawn(|| {
                    start.wait();
                    redeem(folder.path(), &digest, NOON).unwrap().is_some()
                })
            });
            tries
                .into_iter()
                .filter_map(|one| one.join().ok())
                .filter(|won| *won)
                .count()
        });
        assert_eq!(winners, 1);
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_can_read_a_code_and_the_code_itself_is_not_written() {
        use std::os::unix::fs::PermissionsExt;

        let folder = folder_with_token();
        let clock = FixedClock::at(NOON);
        let code = issue(folder.path(), &SeededRandom::new(1), &clock).unwrap();
        let path = file_of(folder.path(), &code.digest());
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(!name.contains(code.as_str()));
        assert!(!fs::read_to_string(&path).unwrap().contains(code.as_str()));
    }
}
