//! Browsers. New versions replace old ones while the visits go on.

use super::{
    apps::chrome,
    device::Device,
    phones::{SYSTEMS, androids},
};
use crate::world::dice::{Dice, index, length};

/// The versions that each browser has before the newest.
const OLDER: u32 = 40;

/// The days between two versions.
const DAYS_OF_A_VERSION: u32 = 28;

/// The number of versions that come out while the visits go on.
const NEW: u32 = 4;

/// Parts of a device's people, and the headers of a browser's versions, the oldest first.
type Versions = (f64, Vec<Box<str>>);

/// The browsers of each device.
#[derive(Debug)]
pub(super) struct Browsers {
    windows: Vec<Versions>,
    mac: Vec<Versions>,
    linux: Vec<Versions>,
    iphone: Vec<Versions>,
    ipad: Vec<Versions>,
    android: Vec<Versions>,
    /// Chrome and others on iPhones, with whole versions.
    rare_on_iphone: Vec<Box<str>>,
    /// Browsers on Android that name the device.
    rare_on_android: Vec<Box<str>>,
}

impl Browsers {
    /// The header of a person's browser on a day.
    pub(super) fn of_person(&self, device: Device, day: u32, taste: &mut Dice) -> &str {
        let is_rare = taste.unit() < 0.12;
        let browsers = match device {
            Device::Iphone if is_rare => return taste.text(&self.rare_on_iphone, 0.8),
            Device::Android if is_rare => return taste.text(&self.rare_on_android, 0.8),
            Device::Windows => &self.windows,
            Device::Mac => &self.mac,
            Device::Linux => &self.linux,
            Device::Iphone => &self.iphone,
            Device::Ipad => &self.ipad,
            Device::Android => &self.android,
        };
        let versions = taste.weighed(browsers);
        // Most people are a few days behind; some never follow.
        let behind = taste.skewed(OLDER * DAYS_OF_A_VERSION, 0.97) + taste.below(20);
        let newest = length(versions) - NEW;
        let days = newest * DAYS_OF_A_VERSION + day;
        let version = days.saturating_sub(behind) / DAYS_OF_A_VERSION;
        &versions[index(version.min(length(versions) - 1))]
    }
}

pub(super) fn browsers(dice: &mut Dice) -> Browsers {
    let windows = "Windows NT 10.0; Win64; x64";
    let mac = "Macintosh; Intel Mac OS X 10_15_7";
    let linux = "X11; Linux x86_64";
    let android = "Linux; Android 10; K";
    Browsers {
        windows: vec![
            (66.0, chromium(windows, "", "")),
            (18.0, chromium(windows, "", " Edg/{}.0.0.0")),
            (9.0, firefox(windows)),
            (4.0, chromium(windows, "", " OPR/{}.0.0.0")),
            (1.5, chromium(windows, "", " YaBrowser/25.{}.0.0")),
        ],
        mac: vec![
            (45.0, chromium(mac, "", "")),
            (45.0, safari(&format!("{mac})"), "Safari/605.1.15")),
            (7.0, firefox("Macintosh; Intel Mac OS X 10.15")),
            (3.0, chromium(mac, "", " Edg/{}.0.0.0")),
        ],
        linux: vec![
            (55.0, chromium(linux, "", "")),
            (40.0, firefox(linux)),
            (12.0, firefox("X11; Ubuntu; Linux x86_64")),
            (8.0, chromium("X11; CrOS x86_64 14541.0.0", "", "")),
        ],
        iphone: SYSTEMS
            .iter()
            .zip(1..)
            .map(|((system, _), rank)| {
                let begin = format!("iPhone; CPU iPhone OS {system} like Mac OS X)");
                (
                    1.0 / f64::from(rank),
                    safari(&begin, "Mobile/15E148 Safari/604.1"),
                )
            })
            .collect(),
        ipad: vec![(
            1.0,
            safari(
                "iPad; CPU OS 18_6 like Mac OS X)",
                "Mobile/15E148 Safari/604.1",
            ),
        )],
        android: vec![
            (75.0, chromium(android, " Mobile", "")),
            (
                16.0,
                chromium(android, " Mobile", "")
                    .iter()
                    .map(|header| {
                        header
                            .replace("Chrome/", "SamsungBrowser/28.0 Chrome/")
                            .into()
                    })
                    .collect(),
            ),
            (3.0, firefox("Android 14; Mobile")),
            (3.0, chromium(android, " Mobile", " OPR/{}.0.0.0")),
            (3.0, chromium(android, " Mobile", " EdgA/{}.0.0.0")),
            (3.0, chromium(android, "", "")),
        ],
        rare_on_iphone: (0..6_000).map(|_| on_iphone(dice).into()).collect(),
        rare_on_android: {
            let phones = androids(dice);
            let header = |_| {
                let phone = dice.pick(&phones, 0.8).clone();
                on_android(&phone.model, phone.android, &phone.build, dice).into()
            };
            (0..25_000).map(header).collect()
        },
    }
}

/// Versions whose numbers end at 142, that of November 2025.
fn numbers() -> impl Iterator<Item = u32> {
    142 - NEW - OLDER..142
}

fn chromium(system: &str, mobile: &str, addition: &str) -> Vec<Box<str>> {
    numbers()
        .map(|version| {
            let addition = addition.replace("{}", &version.to_string());
            format!(
                "Mozilla/5.0 ({system}) AppleWebKit/537.36 (KHTML, like Gecko) \
                 Chrome/{version}.0.0.0{mobile} Safari/537.36{addition}"
            )
            .into()
        })
        .collect()
}

fn firefox(system: &str) -> Vec<Box<str>> {
    numbers()
        .map(|version| {
            // Firefox stands at 144 by then.
            let version = version + 2;
            format!("Mozilla/5.0 ({system}; rv:{version}.0) Gecko/20100101 Firefox/{version}.0")
                .into()
        })
        .collect()
}

fn safari(system: &str, end: &str) -> Vec<Box<str>> {
    let versions = [
        "15.6", "16.1", "16.3", "16.5", "16.6", "17.0", "17.1", "17.2", "17.3", "17.4", "17.5",
        "17.6", "18.0", "18.1", "18.2", "18.3", "18.4", "18.5", "18.6", "26.0", "26.0.1", "26.1",
    ];
    versions
        .iter()
        .map(|version| {
            format!(
                "Mozilla/5.0 ({system} AppleWebKit/605.1.15 (KHTML, like Gecko) Version/{version} {end}"
            )
            .into()
        })
        .collect()
}

fn on_iphone(dice: &mut Dice) -> String {
    let (system, _) = *dice.pick(&SYSTEMS, 0.5);
    let program = match dice.below(10) {
        0..7 => format!("CriOS/{}", chrome(dice)),
        7..9 => format!("FxiOS/{}.{}", 144 - dice.skewed(30, 0.6), dice.below(4)),
        _ => format!("EdgiOS/{}", chrome(dice)),
    };
    format!(
        "Mozilla/5.0 (iPhone; CPU iPhone OS {system} like Mac OS X) AppleWebKit/605.1.15 (KHTML, \
         like Gecko) {program} Mobile/15E148 Safari/604.1"
    )
}

fn on_android(model: &str, android: u32, build: &str, dice: &mut Dice) -> String {
    let chrome = chrome(dice);
    let begin = format!(
        "Mozilla/5.0 (Linux; Android {android}; {model}) AppleWebKit/537.36 (KHTML, like Gecko)"
    );
    match dice.below(10) {
        0..4 => format!("{begin} Chrome/{chrome} Mobile Safari/537.36"),
        4..6 => format!(
            "{begin} Chrome/{chrome} Mobile Safari/537.36 OPR/9{}.0.0.0",
            dice.below(4)
        ),
        6..8 => format!(
            "Mozilla/5.0 (Linux; U; Android {android}; en-us; {model} Build/{build}) \
             AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/{chrome} Mobile \
             Safari/537.36 XiaoMi/MiuiBrowser/14.{}.0-gn",
            dice.below(40)
        ),
        8 => format!(
            "Mozilla/5.0 (Linux; U; Android {android}; en-US; {model} Build/{build}) \
             AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/100.0.4896.58 \
             UCBrowser/13.{}.0.1306 Mobile Safari/537.36",
            dice.below(9)
        ),
        _ => format!(
            "{begin} SamsungBrowser/{}.0 Chrome/{chrome} Mobile Safari/537.36",
            14 + dice.below(14)
        ),
    }
}
