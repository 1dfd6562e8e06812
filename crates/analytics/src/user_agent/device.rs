//! Kinds and models of devices.

use super::data::Found;

/// A device.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Device {
    pub(super) model: String,
    pub(super) kind: &'static str,
}

/// Words that identify a kind, in the order in which they are tried: a
/// television may run Android, and a console may claim to be Windows.
const KINDS: [(&str, &[&str]); 6] = [
    ("console", &["playstation", "xbox", "nintendo", "steamdeck"]),
    (
        "smarttv",
        &[
            "smart-tv",
            "smarttv",
            "smart tv",
            "hbbtv",
            "netcast",
            "web0s",
            "webos.tv",
            "appletv",
            "apple tv",
            "googletv",
            "android tv",
            "crkey",
            "roku",
            "bravia",
            "viera",
            "; aft",
            "tizen tv",
            "mitv",
        ],
    ),
    (
        "wearable",
        &[
            "watch os",
            "watchos",
            "apple watch",
            "wear os",
            "sm-r8",
            "sm-r9",
            "sm-l",
        ],
    ),
    ("xr", &["oculusbrowser", "; quest", "visionos"]),
    (
        "tablet",
        &["ipad", "tablet", "kindle", "silk/", "playbook", "xoom"],
    ),
    (
        "mobile",
        &[
            "iphone",
            "ipod",
            "mobile",
            "opera mini",
            "windows phone",
            "blackberry",
            "bb10",
            "symbian",
            "kaios",
        ],
    ),
];

/// Recognises the device. Desktops, bots and programs without a device have
/// neither model nor kind.
pub(super) fn recognise(lower: &str, found: &Found<'_>) -> Device {
    if found.brand == "Spider" {
        return Device::default();
    }
    let named = KINDS
        .iter()
        .find(|(_, words)| words.iter().any(|word| lower.contains(word)));
    let kind = match named {
        Some((kind, _)) => kind,
        // Phones say "Mobile", so any other Android device is a tablet.
        None if lower.contains("android") => "tablet",
        None => return Device::default(),
    };
    let model = match found.brand.as_ref() {
        // Apps say "iPhone14,5", browsers "iPhone".
        "Apple" => found.device.as_ref(),
        "Generic" => "",
        _ => match found.model.as_ref() {
            // Chrome says this for every phone since version 110.
            "K" => "",
            model => model,
        },
    };
    Device {
        model: model.to_owned(),
        kind,
    }
}
