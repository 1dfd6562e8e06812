//! Asks the destinations of links in the background.

use slugline_application::DestinationWatch;

/// Asks destinations, if a setting says so. Dropping the future stops the requests.
pub(crate) async fn run(watch: Option<DestinationWatch>) {
    let Some(watch) = watch else { return };
    watch
        .run(|answer| match answer {
            Ok(()) => tracing::info!("destinations are watched again"),
            Err(error) => {
                tracing::warn!(%error, "no destination is asked while the links database fails");
            }
        })
        .await;
}
