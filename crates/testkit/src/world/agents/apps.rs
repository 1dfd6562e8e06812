//! Browsers inside apps, whose headers name the device, its system and the app's build: the long
//! tail of real logs.

use std::collections::BTreeSet;

use super::phones::{IPHONES, Phone, SYSTEMS, androids};
use crate::world::dice::{Dice, index};

/// Headers from iPhones.
const IPHONE: usize = 30_000;

/// Headers from Android.
const ANDROID: usize = 70_000;

const LANGUAGES: [&str; 12] = [
    "en_US", "en_GB", "pt_BR", "es_MX", "de_DE", "fr_FR", "id_ID", "hi_IN", "es_ES", "it_IT",
    "tr_TR", "pl_PL",
];

/// An app's header, and its site.
pub(super) type App = (Box<str>, &'static str);

/// The headers of both systems. Each occurs once, with its app's site.
pub(super) fn apps(dice: &mut Dice) -> (Vec<App>, Vec<App>) {
    let androids = androids(dice);
    let mut seen = BTreeSet::new();
    let mut distinct = |count: usize, next: &mut dyn FnMut() -> App| {
        let mut apps = Vec::with_capacity(count);
        while apps.len() < count {
            let app = next();
            if seen.insert(app.0.clone()) {
                apps.push(app);
            }
        }
        apps
    };
    let iphone = distinct(IPHONE, &mut || on_iphone(dice));
    let android = distinct(ANDROID, &mut || {
        on_android(dice.pick(&androids, 0.8).clone(), dice)
    });
    (iphone, android)
}

/// An app's version and build. New ones come each week.
fn release(dice: &mut Dice, newest: u32, weeks: u32) -> (u32, String, u32) {
    let age = dice.skewed(weeks, 0.7);
    let patch = dice.skewed(4, 0.6);
    let main = newest - age;
    let rest = format!("0.0.{}.{}", 20 + main % 30 + patch, 70 + main % 40);
    (main, rest, 780_000_000 - age * 2_100_000 - patch * 40_000)
}

fn on_iphone(dice: &mut Dice) -> App {
    let device = *dice.pick(&IPHONES, 0.6);
    let (system, build) = *dice.pick(&SYSTEMS, 0.7);
    let language = *dice.pick(&LANGUAGES, 0.7);
    let webkit = format!(
        "Mozilla/5.0 (iPhone; CPU iPhone OS {system} like Mac OS X) AppleWebKit/605.1.15 \
         (KHTML, like Gecko) Mobile/{build}"
    );
    let dotted = system.replace('_', ".");
    let (header, site) = match dice.below(100) {
        0..40 => {
            let (main, rest, number) = release(dice, 405, 40);
            let main_language = &language[..2];
            (
                format!(
                    "{webkit} Instagram {main}.{rest} ({device}; iOS {system}; {language}; \
                     {main_language}; scale=3.00; 1170x2532; {number})"
                ),
                "l.instagram.com",
            )
        }
        40..70 => {
            let (main, rest, number) = release(dice, 535, 40);
            (
                format!(
                    "{webkit} [FBAN/FBIOS;FBAV/{main}.{rest};FBBV/{number};FBDV/{device};\
                     FBMD/iPhone;FBSN/iOS;FBSV/{dotted};FBSS/3;FBID/phone;FBLC/{language};FBOP/5;\
                     FBRV/0]"
                ),
                "m.facebook.com",
            )
        }
        70..82 => {
            let (main, patch) = (41 - dice.skewed(10, 0.6), dice.below(10));
            let region = &language[3..];
            (
                format!(
                    "{webkit} musical_ly_{main}.{patch}.0 JsSdk/2.0 NetType/WIFI Channel/App Store \
                     ByteLocale/{} Region/{region} BytedanceWebview/d8a21c6",
                    &language[..2]
                ),
                "www.tiktok.com",
            )
        }
        82..88 => (
            format!(
                "{webkit} [LinkedInApp]/9.{}.{}",
                31 - dice.below(8),
                3_000 + dice.below(400)
            ),
            "www.linkedin.com",
        ),
        88..93 => (
            format!(
                "{webkit} Twitter for iPhone/11.{}",
                30 - dice.skewed(20, 0.6)
            ),
            "t.co",
        ),
        93..97 => (
            format!(
                "{webkit} Snapchat/13.{}.0.{} (like Safari/8622.1.22.10.9, panda)",
                62 - dice.skewed(30, 0.6),
                30 + dice.below(20)
            ),
            "www.snapchat.com",
        ),
        _ => {
            let build = format!(
                "{}.0.{}",
                392 - dice.skewed(40, 0.6),
                800_000_000 + dice.below(3_000)
            );
            (
                format!("{webkit} GSA/{build} Safari/604.1"),
                "www.google.com",
            )
        }
    };
    (header.into(), site)
}

fn on_android(phone: Phone, dice: &mut Dice) -> App {
    let Phone {
        maker,
        model,
        android,
        build,
    } = phone;
    let chrome = chrome(dice);
    let webview = format!(
        "Mozilla/5.0 (Linux; Android {android}; {model} Build/{build}; wv) AppleWebKit/537.36 \
         (KHTML, like Gecko) Version/4.0 Chrome/{chrome} Mobile Safari/537.36"
    );
    let language = *dice.pick(&LANGUAGES, 0.7);
    let (header, site) = match dice.below(100) {
        0..30 => {
            let (main, rest, number) = release(dice, 405, 60);
            let dpi = dice.any(&["320dpi; 720x1448", "450dpi; 1080x2177", "480dpi; 1080x2186"]);
            (
                format!(
                    "{webview} Instagram {main}.{rest} Android ({}/{android}; {dpi}; {maker}; \
                     {model}; {}; qcom; {language}; {number})",
                    android + 20,
                    model.to_ascii_lowercase().replace(' ', "")
                ),
                "l.instagram.com",
            )
        }
        30..65 => {
            let (main, rest, _) = release(dice, 535, 60);
            (
                format!("{webview} [FB_IAB/FB4A;FBAV/{main}.{rest};IABMV/1;]"),
                "m.facebook.com",
            )
        }
        65..80 => {
            let main = 410_000 - dice.skewed(200, 0.6) * 100 + dice.below(10);
            (
                format!(
                    "{webview} musical_ly_2024{main} JsSdk/1.0 NetType/WIFI Channel/googleplay \
                     AppName/musical_ly ByteLocale/{} BytedanceWebview/d8a21c6",
                    &language[..2]
                ),
                "www.tiktok.com",
            )
        }
        80..86 => (
            format!(
                "{webview} MicroMessenger/8.0.{}.2600 WeChat/arm64 Weixin",
                63 - dice.below(14)
            ),
            "wechat.com",
        ),
        86..92 => (
            format!(
                "{webview} Line/15.{}.{}",
                16 - dice.below(12),
                dice.below(4)
            ),
            "line.me",
        ),
        // Other apps name nothing but the device.
        _ => (webview, "android-app"),
    };
    (header.into(), site)
}

/// A whole version of Chrome's engine on Android.
pub(super) fn chrome(dice: &mut Dice) -> String {
    /// The third numbers of version 100 and later.
    const BUILDS: [u32; 43] = [
        4896, 4951, 5005, 5060, 5112, 5195, 5249, 5304, 5359, 5414, 5481, 5563, 5615, 5672, 5735,
        5790, 5845, 5938, 5993, 6045, 6099, 6167, 6261, 6312, 6367, 6422, 6478, 6533, 6613, 6668,
        6723, 6778, 6834, 6943, 6998, 7049, 7103, 7151, 7204, 7258, 7339, 7390, 7444,
    ];
    let back = dice.skewed(43, 0.8);
    let build = BUILDS[index(42 - back)];
    let patch = 40 + build % 60 + dice.skewed(4, 0.5) * 15;
    format!("{}.0.{build}.{patch}", 142 - back)
}
