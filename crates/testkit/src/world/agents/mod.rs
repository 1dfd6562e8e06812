//! The programs of people.

mod apps;
mod browsers;
mod device;
mod phones;

use super::dice::{Dice, index, length};
use apps::{App, apps};
use browsers::{Browsers, browsers};
pub(super) use device::{DEVICES, Device};

/// The places that apps' new versions gain in a week in the list of the most frequent.
const GAINED_IN_A_WEEK: u32 = 400;

/// A program, and whether it is an app with a browser inside.
#[derive(Debug)]
pub(super) struct Agent<'a> {
    pub(super) header: &'a str,
    /// The site that such an app names as the referring page, or nothing.
    pub(super) site: Option<&'static str>,
}

/// The headers of all programs that people use.
#[derive(Debug)]
pub(super) struct Agents {
    browsers: Browsers,
    iphone_apps: Vec<App>,
    android_apps: Vec<App>,
}

impl Agents {
    pub(super) fn new(dice: &mut Dice) -> Self {
        let (iphone_apps, android_apps) = apps(dice);
        Self {
            browsers: browsers(dice),
            iphone_apps,
            android_apps,
        }
    }

    /// The program that a person uses on a day. `taste` are dice that each visit of the person
    /// throws alike.
    pub(super) fn of_person(
        &self,
        device: Device,
        in_app: bool,
        day: u32,
        mut taste: Dice,
    ) -> Agent<'_> {
        if !in_app || !device.is_phone() {
            let header = self.browsers.of_person(device, day, &mut taste);
            return Agent { header, site: None };
        }
        let apps = if device == Device::Iphone {
            &self.iphone_apps
        } else {
            &self.android_apps
        };
        let rank = taste.skewed(length(apps), 0.85);
        let place = (rank + day / 7 * GAINED_IN_A_WEEK) % length(apps);
        let (header, site) = &apps[index(place)];
        Agent {
            header,
            site: Some(site),
        }
    }
}
