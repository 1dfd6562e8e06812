//! The local times of many rows.

use slugline_domain::{LocalSeconds, Stretch, UnixMillis, ZoneOffsets};

/// The clocks of a zone. Rows follow each other in time, so the stretch of the last row mostly
/// holds for the next one.
#[derive(Debug)]
pub(crate) struct WallClock<'z> {
    zone: &'z ZoneOffsets,
    stretch: Stretch,
}

impl<'z> WallClock<'z> {
    pub(crate) fn new(zone: &'z ZoneOffsets) -> Self {
        Self {
            zone,
            stretch: zone.stretch_at(UnixMillis::new(0)),
        }
    }

    /// The local time at a moment in milliseconds since 1970.
    pub(crate) fn read(&mut self, time: i64) -> LocalSeconds {
        let moment = UnixMillis::new(time);
        if !self.stretch.contains(moment) {
            self.stretch = self.zone.stretch_at(moment);
        }
        self.stretch.local(moment)
    }
}
