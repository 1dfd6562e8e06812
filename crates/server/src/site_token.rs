//! The site token: its file, and a new one without a restart.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use anyhow::Context;
use slugline_application::{Authenticator, SignInCode, SiteToken};
use slugline_domain::ports::Random;
use tokio::time::sleep;

use crate::secret_file::read_secret;

/// The file that keeps the token of an instance with this data folder.
pub(crate) fn file_in(folder: &Path) -> PathBuf {
    folder.join("site-token")
}

/// The source of a running instance's token.
#[derive(Debug)]
pub(crate) enum Source {
    /// The settings.
    Settings,
    /// The data folder.
    Kept,
    /// Minted at this start: the only time that the service may show its text.
    Minted(String),
}

/// The token kept in the data folder, or a new one for [`keep_in`] to store.
pub(crate) fn kept_in(folder: &Path, random: &dyn Random) -> anyhow::Result<(SiteToken, Source)> {
    let path = file_in(folder);
    let fix = || format!("the site token in {} cannot be used", path.display());
    match read_secret(&path) {
        Ok(text) => {
            let token = SiteToken::new(&text)
                .with_context(fix)
                .context("delete the file to get a new token, or set SLUGLINE_SITE_TOKEN")?;
            Ok((token, Source::Kept))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let text = mint(random);
            let token = SiteToken::new(&text).with_context(fix)?;
            Ok((token, Source::Minted(text)))
        }
        Err(error) => Err(error).with_context(fix),
    }
}

/// Stores a new token in the data folder. The caller does this when nothing else can fail, so
/// that a failed start does not use up the one time that the token is shown.
pub(crate) fn keep_in(folder: &Path, token: &str) -> anyhow::Result<()> {
    let path = file_in(folder);
    let mut file = create_private(&path, None)
        .with_context(|| format!("{} cannot be written", path.display()))?;
    let written = writeln!(file, "{token}").and_then(|()| file.sync_all());
    written.with_context(|| format!("{} cannot be written", path.display()))
}

/// Replaces the token that is kept in the data folder by a new one, and returns that. A running
/// service notices it; a process that dies here leaves the old token or the new one, never
/// half of one.
///
/// # Errors
/// There is no token to replace, or the folder cannot be written.
pub(crate) fn rotate_in(folder: &Path, random: &dyn Random) -> anyhow::Result<String> {
    read_kept(folder)?;
    let text = mint(random);
    let path = file_in(folder);
    let staged = folder.join("site-token.new");
    let failed = || format!("{} cannot be replaced", path.display());
    // What a process that died left behind.
    match fs::remove_file(&staged) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(error).with_context(failed);
        }
        Ok(()) | Err(_) => {}
    }
    let mut file = create_private(&staged, Some(&path)).with_context(failed)?;
    let written = writeln!(file, "{text}").and_then(|()| file.sync_all());
    let replaced = written.and_then(|()| fs::rename(&staged, &path));
    replaced
        .and_then(|()| File::open(folder)?.sync_all())
        .with_context(failed)?;
    Ok(text)
}

/// The token kept in the data folder, if there is a valid one.
pub(crate) fn read_in(folder: &Path) -> Option<SiteToken> {
    SiteToken::new(&read_secret(&file_in(folder)).ok()?).ok()
}

/// The address that signs a person in to the dashboard, once. Browsers do not send the part after
/// the `#`, so no server on the way writes the code down.
pub(crate) fn sign_in_address(origin: &str, code: &SignInCode) -> String {
    format!("{origin}/_dashboard/#code={}", code.as_str())
}

/// The minted token of this data folder, as stored.
pub(crate) fn read_kept(folder: &Path) -> anyhow::Result<String> {
    let path = file_in(folder);
    read_secret(&path).with_context(|| {
        format!(
            "the token cannot be read from {}; an instance writes it there at its first start, \
             unless SLUGLINE_SITE_TOKEN is set",
            path.display()
        )
    })
}

/// 256 random bits in hexadecimal: no character needs quoting in a shell, a
/// header or JSON.
fn mint(random: &dyn Random) -> String {
    let mut bits = [0; 32];
    random.fill(&mut bits);
    hexadecimal(&bits)
}

pub(crate) fn hexadecimal(bytes: &[u8; 32]) -> String {
    let (high, low) = bytes.split_at(16);
    let number = |half: &[u8]| u128::from_be_bytes(half.try_into().expect("16 bytes"));
    format!("{:032x}{:032x}", number(high), number(low))
}

/// Creates a file for its owner only. A command that root runs gives it to the account that owns
/// the file of the token, because the service could not read it otherwise.
#[cfg(unix)]
pub(crate) fn create_private(path: &Path, of_owner: Option<&Path>) -> io::Result<File> {
    use std::os::unix::fs::{MetadataExt, OpenOptionsExt, fchown};

    let file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?;
    if let Some(model) = of_owner
        && rustix::process::geteuid().is_root()
    {
        let model = fs::metadata(model)?;
        fchown(&file, Some(model.uid()), Some(model.gid()))?;
    }
    Ok(file)
}

#[cfg(not(unix))]
pub(crate) fn create_private(path: &Path, _: Option<&Path>) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

/// The interval between two looks at the file. Reading it takes some microseconds, and unlike
/// its time of change its content cannot mislead.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Watches the file that the site token was read from. Never returns.
pub(crate) async fn watch(file: PathBuf, mut token: SiteToken, authenticator: Arc<Authenticator>) {
    let mut is_reported = false;
    loop {
        sleep(LOOK_EVERY).await;
        let path = file.clone();
        // A file on a network may take its time.
        let reading = tokio::task::spawn_blocking(move || read_again(&path));
        let Ok(read) = reading.await else {
            continue;
        };
        match read {
            Ok(new) => {
                is_reported = false;
                if new != token {
                    authenticator.rotate(new.clone());
                    token = new;
                    tracing::info!(
                        file = %file.display(),
                        "the site token was replaced; the former one is refused"
                    );
                }
            }
            Err(reason) if !is_reported => {
                is_reported = true;
                tracing::warn!(
                    file = %file.display(),
                    reason,
                    "the site token cannot be read again; the one from before stays in force"
                );
            }
            Err(_) => {}
        }
    }
}

fn read_again(file: &Path) -> Result<SiteToken, String> {
    let text = read_secret(file).map_err(|error| error.to_string())?;
    SiteToken::new(&text).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use slugline_testkit::SeededRandom;

    use super::*;

    #[test]
    fn a_token_is_minted_until_it_is_kept_and_only_its_owner_can_read_it() {
        let folder = tempfile::tempdir().unwrap();
        let random = SeededRandom::new(1);
        let (_, Source::Minted(text)) = kept_in(folder.path(), &random).unwrap() else {
            panic!("the first start mints");
        };
        let path = file_in(folder.path());
        assert!(!path.exists());
        keep_in(folder.path(), &text).unwrap();
        assert_eq!(text.len(), 64);
        let (_, second) = kept_in(folder.path(), &random).unwrap();
        assert!(matches!(second, Source::Kept), "{second:?}");
        assert_eq!(fs::read_to_string(&path).unwrap().trim(), text);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(
                fs::metadata(&path).unwrap().permissions().mode() & 0o777,
                0o600
            );
        }
    }

    #[test]
    fn a_rotated_token_replaces_the_kept_one() {
        let folder = tempfile::tempdir().unwrap();
        let random = SeededRandom::new(1);
        rotate_in(folder.path(), &random).unwrap_err();
        keep_in(folder.path(), "the-former-token").unwrap();
        fs::write(folder.path().join("site-token.new"), "half").unwrap();
        let text = rotate_in(folder.path(), &random).unwrap();
        assert_eq!(read_kept(folder.path()).unwrap(), text);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(file_in(folder.path())).unwrap();
            assert_eq!(mode.permissions().mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn a_spoilt_token_file_says_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(file_in(folder.path()), "short\n").unwrap();
        let error = kept_in(folder.path(), &SeededRandom::new(1)).unwrap_err();
        assert!(
            format!("{error:#}").starts_with("delete the file"),
            "{error:#}"
        );
    }
}
