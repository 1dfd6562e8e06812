//! The dimensions that follow from others, and their rules.

use super::{
    derivation::{Derivation, DerivationRules, Rule, Test},
    dimension::Dimension,
};

const DERIVED: &[(Dimension, Derivation)] = &[
    (Dimension::Channel, Derivation::Rules(CHANNEL)),
    (Dimension::Domain, Derivation::HostOfKey),
];

impl Dimension {
    /// The rules by which it follows from other dimensions; `None` if logs store it.
    #[expect(clippy::as_conversions, reason = "no constant function compares by ==")]
    pub const fn derivation(self) -> Option<&'static Derivation> {
        let mut line = 0;
        while line < DERIVED.len() {
            let (dimension, derivation) = &DERIVED[line];
            if *dimension as usize == self as usize {
                return Some(derivation);
            }
            line += 1;
        }
        None
    }
}

const CAMPAIGN: &str = "campaign";
const MAIL: &str = "mail";
const SOCIAL: &str = "social";
const SEARCH: &str = "search";
const REFERRAL: &str = "referral";
const AI_ASSISTANT: &str = "ai-assistant";
const DIRECT: &str = "direct";

/// The kind of way that led a visitor to the link.
///
/// The campaign decides first, because its author named it; then the referring page does. The lists
/// name the sites that send most visitors. A new site is one more word here.
const CHANNEL: DerivationRules = DerivationRules {
    sources: &[
        Dimension::Referer,
        Dimension::UtmSource,
        Dimension::UtmMedium,
        Dimension::UtmCampaign,
    ],
    rules: &[
        medium(PAID_MEDIA, CAMPAIGN),
        medium(MAIL_MEDIA, MAIL),
        medium(SOCIAL_MEDIA, SOCIAL),
        medium(&["organic"], SEARCH),
        medium(&["referral"], REFERRAL),
        source(Test::IsOneOf(MAIL_MEDIA), MAIL),
        source(Test::IsSite(AI_SITES), AI_ASSISTANT),
        source(Test::IsOneOf(AI_NAMES), AI_ASSISTANT),
        source(Test::IsSite(MAIL_SITES), MAIL),
        source(Test::IsSite(SEARCH_SITES), SEARCH),
        source(Test::IsOneOf(SEARCH_NAMES), SEARCH),
        source(Test::IsSite(SOCIAL_SITES), SOCIAL),
        source(Test::IsOneOf(SOCIAL_NAMES), SOCIAL),
        source(Test::IsKnown, CAMPAIGN),
        rule(Dimension::UtmMedium, Test::IsKnown, CAMPAIGN),
        rule(Dimension::UtmCampaign, Test::IsKnown, CAMPAIGN),
        referer(Test::IsSite(AI_SITES), AI_ASSISTANT),
        referer(Test::IsSite(MAIL_SITES), MAIL),
        referer(Test::IsSite(SEARCH_SITES), SEARCH),
        referer(Test::IsSite(SOCIAL_SITES), SOCIAL),
        referer(Test::IsKnown, REFERRAL),
    ],
    otherwise: DIRECT,
};

const fn rule(of: Dimension, test: Test, then: &'static str) -> Rule {
    Rule { of, test, then }
}

const fn medium(media: &'static [&'static str], then: &'static str) -> Rule {
    rule(Dimension::UtmMedium, Test::IsOneOf(media), then)
}

const fn source(test: Test, then: &'static str) -> Rule {
    rule(Dimension::UtmSource, test, then)
}

const fn referer(test: Test, then: &'static str) -> Rule {
    rule(Dimension::Referer, test, then)
}

/// Paid visits belong to a campaign, also if their source is a search engine or a social network.
const PAID_MEDIA: &[&str] = &[
    "affiliate",
    "affiliates",
    "banner",
    "cpa",
    "cpc",
    "cpm",
    "cpv",
    "display",
    "paid",
    "paid-search",
    "paid-social",
    "paid_search",
    "paid_social",
    "paidsearch",
    "paidsocial",
    "ppc",
    "retargeting",
];

const MAIL_MEDIA: &[&str] = &["e mail", "e-mail", "e_mail", "email", "mail", "newsletter"];

const SOCIAL_MEDIA: &[&str] = &[
    "sm",
    "social",
    "social media",
    "social network",
    "social-media",
    "social-network",
    "social_media",
    "social_network",
];

const AI_SITES: &[&str] = &[
    "chat.mistral.ai",
    "chat.qwen.ai",
    "chatgpt.com",
    "claude.ai",
    "copilot.microsoft.com",
    "deepseek.com",
    "doubao.com",
    "gemini.google.com",
    "grok.com",
    "kimi.com",
    "meta.ai",
    "notebooklm.google.com",
    "openai.com",
    "perplexity.ai",
    "phind.com",
    "poe.com",
    "you.com",
];

const AI_NAMES: &[&str] = &[
    "chatgpt",
    "claude",
    "copilot",
    "deepseek",
    "gemini",
    "grok",
    "openai",
    "perplexity",
];

const MAIL_SITES: &[&str] = &[
    "com.google.android.gm",
    "mail.aol.com",
    "mail.google.com",
    "mail.proton.me",
    "mail.qq.com",
    "mail.ru",
    "mail.yahoo.com",
    "mail.zoho.com",
    "outlook.live.com",
    "outlook.office.com",
    "outlook.office365.com",
    "mail.163.com",
    "e.mail.ru",
    "navigator.gmx.net",
    "navigator.web.de",
];

const SEARCH_SITES: &[&str] = &[
    "baidu.com",
    "bing.com",
    "brave.com",
    "com.google.android.googlequicksearchbox",
    "daum.net",
    "duckduckgo.com",
    "ecosia.org",
    "google.*",
    "kagi.com",
    "mojeek.com",
    "naver.com",
    "qwant.com",
    "search.yahoo.co.jp",
    "seznam.cz",
    "so.com",
    "sogou.com",
    "startpage.com",
    "swisscows.com",
    "yahoo.*",
    "yandex.*",
    "ya.ru",
];

const SEARCH_NAMES: &[&str] = &[
    "baidu",
    "bing",
    "duckduckgo",
    "ecosia",
    "google",
    "naver",
    "qwant",
    "yahoo",
    "yandex",
];

const SOCIAL_SITES: &[&str] = &[
    "bsky.app",
    "discord.com",
    "douyin.com",
    "facebook.com",
    "fb.com",
    "fb.me",
    "instagram.com",
    "linkedin.com",
    "lnkd.in",
    "mastodon.social",
    "messenger.com",
    "news.ycombinator.com",
    "ok.ru",
    "org.telegram.messenger",
    "pinterest.*",
    "quora.com",
    "reddit.com",
    "slack.com",
    "snapchat.com",
    "t.co",
    "t.me",
    "telegram.org",
    "threads.com",
    "threads.net",
    "tiktok.com",
    "tumblr.com",
    "twitter.com",
    "vk.com",
    "wechat.com",
    "weibo.com",
    "whatsapp.com",
    "x.com",
    "xing.com",
    "youtu.be",
    "youtube.com",
    "zhihu.com",
];

const SOCIAL_NAMES: &[&str] = &[
    "bluesky",
    "discord",
    "facebook",
    "fb",
    "ig",
    "instagram",
    "linkedin",
    "mastodon",
    "pinterest",
    "reddit",
    "slack",
    "snapchat",
    "telegram",
    "threads",
    "tiktok",
    "twitter",
    "whatsapp",
    "x",
    "youtube",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_campaign_decides_and_then_the_referring_page() {
        for (referer, source, medium, name, expected) in [
            ("", "", "", "", "direct"),
            ("blog.example", "", "", "", "referral"),
            ("blog.example:8080", "", "", "", "referral"),
            ("notgoogle.com", "", "", "", "referral"),
            ("www.google.de", "", "", "", "search"),
            ("news.google.co.uk", "", "", "", "search"),
            ("search.brave.com", "", "", "", "search"),
            ("duckduckgo.com", "", "", "", "search"),
            ("mail.google.com", "", "", "", "mail"),
            ("com.google.android.gm", "", "", "", "mail"),
            ("mail.yahoo.com", "", "", "", "mail"),
            ("gemini.google.com", "", "", "", "ai-assistant"),
            ("copilot.microsoft.com", "", "", "", "ai-assistant"),
            ("www.perplexity.ai", "", "", "", "ai-assistant"),
            ("claude.ai", "", "", "", "ai-assistant"),
            ("l.facebook.com", "", "", "", "social"),
            ("t.co", "", "", "", "social"),
            ("out.reddit.com", "", "", "", "social"),
            ("", "chatgpt.com", "", "", "ai-assistant"),
            ("chatgpt.com", "chatgpt.com", "", "", "ai-assistant"),
            ("", "newsletter", "", "", "mail"),
            ("", "shop", "Email", "spring", "mail"),
            ("mail.google.com", "shop", "banner", "spring", "campaign"),
            ("", "google", "cpc", "spring", "campaign"),
            ("", "Google", "organic", "", "search"),
            ("", "facebook", "paid_social", "", "campaign"),
            ("", "facebook", "", "", "social"),
            ("", "partner", "social", "", "social"),
            ("", "partner", "referral", "", "referral"),
            ("", "partner", "", "", "campaign"),
            ("", "", "qr", "", "campaign"),
            ("www.google.de", "", "", "spring", "campaign"),
        ] {
            let found = Derivation::Rules(CHANNEL).value(|of| {
                let all = [referer, source, medium, name];
                let position = CHANNEL.sources.iter().position(|source| *source == of);
                position.map_or("", |position| all[position]).into()
            });
            assert_eq!(found, expected, "{referer} {source} {medium} {name}");
        }
    }

    #[test]
    fn each_test_is_in_small_letters() {
        for Rule { test, .. } in CHANNEL.rules {
            if let Test::IsOneOf(texts) | Test::IsSite(texts) = test {
                let small = |text: &&str| !text.bytes().any(|byte| byte.is_ascii_uppercase());
                assert!(texts.iter().all(small), "{texts:?}");
            }
        }
    }
}
