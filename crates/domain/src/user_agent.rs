//! The facts that links need from a `User-Agent` header.

/// Families of devices that a link can send elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Platform {
    /// Android.
    Android,
    /// iPhone, iPad or iPod, or Chrome on one of them.
    Apple,
    /// Any other device.
    #[default]
    Other,
}

impl Platform {
    /// Recognises the family from a `User-Agent` header, by the words that Sink
    /// looks for.
    pub fn from_user_agent(user_agent: &str) -> Self {
        let mentions = |word: &str| contains_ignoring_case(user_agent, word);
        if mentions("android") {
            Self::Android
        } else if ["iphone", "ipad", "ipod", "crios"]
            .iter()
            .any(|word| mentions(word))
        {
            Self::Apple
        } else {
            Self::Other
        }
    }
}

/// Returns whether the visitor is a bot that fetches pages to preview them, by
/// the words that Sink looks for.
pub(crate) fn is_social_bot(user_agent: &str) -> bool {
    const WORDS: [&str; 14] = [
        "applebot",
        "discordbot",
        "facebot",
        "facebookexternalhit",
        "linkedinbot",
        "linkexpanding",
        "mastodon",
        "skypeuripreview",
        "slackbot",
        "snapchat",
        "telegrambot",
        "tiktok",
        "twitterbot",
        "whatsapp",
    ];
    WORDS
        .iter()
        .any(|word| contains_ignoring_case(user_agent, word))
}

fn contains_ignoring_case(text: &str, word: &str) -> bool {
    text.as_bytes()
        .windows(word.len())
        .any(|part| part.eq_ignore_ascii_case(word.as_bytes()))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("Mozilla/5.0 (Linux; Android 14; Pixel 8)", Platform::Android)]
    #[case(
        "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X)",
        Platform::Apple
    )]
    #[case("Mozilla/5.0 (Macintosh) CriOS/120", Platform::Apple)]
    #[case("Mozilla/5.0 (Windows NT 10.0)", Platform::Other)]
    #[case("", Platform::Other)]
    fn recognises_platforms(#[case] user_agent: &str, #[case] platform: Platform) {
        assert_eq!(Platform::from_user_agent(user_agent), platform);
    }

    #[rstest]
    #[case(
        "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)",
        true
    )]
    #[case("facebookexternalhit/1.1", true)]
    #[case("WhatsApp/2.23", true)]
    #[case("LinkedInBot/1.0 (compatible; Mozilla/5.0)", true)]
    #[case("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0", false)]
    #[case("Googlebot/2.1", false)]
    #[case("", false)]
    fn recognises_bots_of_social_networks(#[case] user_agent: &str, #[case] is_bot: bool) {
        assert_eq!(is_social_bot(user_agent), is_bot);
    }
}
