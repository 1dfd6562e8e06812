//! Reads the file of the site token again and again, so that a new token is in force without a
//! restart.

use std::{fs, path::PathBuf, sync::Arc, time::Duration};

use slugline_application::{Authenticator, SiteToken};
use tokio::{task::JoinHandle, time::sleep};

/// The interval between two looks at the file. Reading it takes some microseconds, and unlike
/// its time of change its content cannot mislead.
const EVERY: Duration = Duration::from_secs(1);

/// A watched file. Dropping this ends the watch.
#[derive(Debug)]
pub(crate) struct SiteTokenWatch(JoinHandle<()>);

impl Drop for SiteTokenWatch {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl SiteTokenWatch {
    /// Watches the file that the site token was read from.
    pub(crate) fn start(
        file: PathBuf,
        token: SiteToken,
        authenticator: Arc<Authenticator>,
    ) -> Self {
        Self(tokio::spawn(watch(file, token, authenticator)))
    }
}

async fn watch(file: PathBuf, mut token: SiteToken, authenticator: Arc<Authenticator>) {
    let mut is_reported = false;
    loop {
        sleep(EVERY).await;
        let path = file.clone();
        // A file on a network may take its time.
        let reading = tokio::task::spawn_blocking(move || read(&path));
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

fn read(file: &PathBuf) -> Result<SiteToken, String> {
    let text = fs::read_to_string(file).map_err(|error| error.to_string())?;
    SiteToken::new(text.trim()).map_err(|error| error.to_string())
}
