//! Kinds of devices.

/// What a person holds in the hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::world) enum Device {
    Windows,
    Mac,
    Linux,
    Iphone,
    Ipad,
    Android,
}

impl Device {
    pub(in crate::world) fn is_phone(self) -> bool {
        matches!(self, Self::Iphone | Self::Android)
    }
}

/// Parts of all people, by device.
pub(in crate::world) const DEVICES: [(f64, Device); 6] = [
    (24.0, Device::Windows),
    (8.0, Device::Mac),
    (2.5, Device::Linux),
    (24.0, Device::Iphone),
    (2.5, Device::Ipad),
    (39.0, Device::Android),
];
