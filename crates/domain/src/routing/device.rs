//! Kinds of devices and systems.

use super::{AgentFacts, value::Value};

named_values! {
    /// A kind of device, or a system. A phone with iOS is both `ios` and `mobile`.
    pub enum Device {
        /// iPhone, iPod and iPad.
        Ios = "ios",
        /// Android.
        Android = "android",
        /// Phones.
        Mobile = "mobile",
        /// Tablets.
        Tablet = "tablet",
        /// Computers.
        Desktop = "desktop",
        /// Windows, but not on phones.
        Windows = "windows",
        /// Apple's computers.
        Macos = "macos",
        /// Distributions of Linux, but not Android and not Chrome OS.
        Linux = "linux",
        /// Chrome OS.
        Chromeos = "chromeos",
    }
}

/// The systems that count as Linux, by the names of `uap-core`.
const LINUX: [&str; 14] = [
    "Linux",
    "Ubuntu",
    "Debian",
    "Fedora",
    "Red Hat",
    "CentOS",
    "SUSE",
    "Arch Linux",
    "Gentoo",
    "Linux Mint",
    "Kubuntu",
    "Mandriva",
    "Slackware",
    "VectorLinux",
];

impl Device {
    /// Everything that the visitor's device is.
    pub(super) fn all_of(agent: &AgentFacts) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|device| device.is(agent))
    }

    pub(super) fn is(self, agent: &AgentFacts) -> bool {
        let os = &*agent.os;
        match self {
            Self::Ios => matches!(os, "iOS" | "iPadOS"),
            Self::Android => os == "Android",
            Self::Mobile => &*agent.device_type == "mobile",
            Self::Tablet => &*agent.device_type == "tablet",
            Self::Desktop => agent.device_type.is_empty() && !agent.is_bot && !os.is_empty(),
            Self::Windows => os.starts_with("Windows") && !os.starts_with("Windows Phone"),
            Self::Macos => os == "macOS",
            Self::Linux => LINUX.contains(&os),
            Self::Chromeos => os == "Chrome OS",
        }
    }
}

impl Value for Device {
    const EXPECTED: &'static str =
        "ios, android, mobile, tablet, desktop, windows, macos, linux or chromeos";

    fn parse(text: &str) -> Option<Self> {
        Self::named(text)
    }

    fn show(&self) -> String {
        self.as_str().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("iOS", "mobile", &["ios", "mobile"])]
    #[case("Android", "tablet", &["android", "tablet"])]
    #[case("Windows", "", &["desktop", "windows"])]
    #[case("Windows Phone", "mobile", &["mobile"])]
    #[case("macOS", "", &["desktop", "macos"])]
    #[case("Ubuntu", "", &["desktop", "linux"])]
    #[case("Chrome OS", "", &["desktop", "chromeos"])]
    #[case("", "", &[])]
    fn an_agent_is_all_that_it_is(#[case] os: &str, #[case] kind: &str, #[case] is: &[&str]) {
        let agent = AgentFacts {
            os: os.into(),
            device_type: kind.into(),
            ..AgentFacts::default()
        };
        let found = Device::all_of(&agent).map(Device::as_str);
        assert_eq!(found.collect::<Vec<_>>(), is);
        let bot = AgentFacts {
            os: "Windows".into(),
            is_bot: true,
            ..AgentFacts::default()
        };
        assert!(!Device::Desktop.is(&bot) && Device::Windows.is(&bot));
    }
}
