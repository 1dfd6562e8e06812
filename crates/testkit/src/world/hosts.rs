//! Referring pages.

use super::{
    dice::{Dice, whole},
    words::word,
};

/// Sites that hardly anyone knows, in all.
const SMALL: u32 = 60_000;

/// The part of referring pages that are on one of those.
const FROM_SMALL: f64 = 0.3;

/// Weights and hosts of the sites that send most visitors.
const LARGE: [(f64, &str); 58] = [
    (160.0, "www.google.com"),
    (22.0, "www.google.de"),
    (18.0, "www.google.co.uk"),
    (18.0, "www.google.co.in"),
    (14.0, "www.google.com.br"),
    (12.0, "www.google.fr"),
    (10.0, "www.google.es"),
    (10.0, "www.google.it"),
    (9.0, "www.google.ca"),
    (7.0, "www.google.pl"),
    (7.0, "www.google.com.mx"),
    (6.0, "www.google.nl"),
    (28.0, "www.bing.com"),
    (17.0, "duckduckgo.com"),
    (9.0, "search.yahoo.com"),
    (9.0, "yandex.ru"),
    (6.0, "www.baidu.com"),
    (5.0, "search.naver.com"),
    (5.0, "www.ecosia.org"),
    (4.0, "search.brave.com"),
    (2.0, "www.qwant.com"),
    (2.0, "www.startpage.com"),
    (2.0, "search.seznam.cz"),
    (3.0, "com.google.android.googlequicksearchbox"),
    (70.0, "l.facebook.com"),
    (55.0, "m.facebook.com"),
    (60.0, "t.co"),
    (50.0, "l.instagram.com"),
    (40.0, "www.linkedin.com"),
    (35.0, "www.reddit.com"),
    (45.0, "www.youtube.com"),
    (18.0, "out.reddit.com"),
    (14.0, "www.pinterest.com"),
    (14.0, "www.tiktok.com"),
    (12.0, "web.telegram.org"),
    (11.0, "t.me"),
    (10.0, "l.threads.com"),
    (9.0, "go.bsky.app"),
    (8.0, "news.ycombinator.com"),
    (7.0, "discord.com"),
    (7.0, "vk.com"),
    (5.0, "mastodon.social"),
    (4.0, "www.quora.com"),
    (4.0, "www.xing.com"),
    (34.0, "chatgpt.com"),
    (9.0, "gemini.google.com"),
    (9.0, "www.perplexity.ai"),
    (6.0, "claude.ai"),
    (6.0, "copilot.microsoft.com"),
    (4.0, "chat.deepseek.com"),
    (3.0, "grok.com"),
    (26.0, "mail.google.com"),
    (12.0, "outlook.live.com"),
    (9.0, "mail.yahoo.com"),
    (5.0, "navigator.gmx.net"),
    (5.0, "e.mail.ru"),
    (30.0, "shop.example"),
    (14.0, "en.wikipedia.org"),
];

/// All pages.
#[derive(Debug)]
pub(super) struct Hosts {
    /// The large sites, each as often among these as it sends visitors.
    large: Vec<Box<str>>,
    small: Vec<Box<str>>,
}

impl Hosts {
    pub(super) fn new() -> Self {
        let repeated = |(weight, host): (f64, &str)| {
            let times = usize::try_from(whole(weight)).expect("weights are small");
            std::iter::repeat_n(format!("https://{host}/").into(), times)
        };
        Self {
            large: LARGE.into_iter().flat_map(repeated).collect(),
            small: (0..SMALL).map(|n| small(n).into()).collect(),
        }
    }

    /// A page that names the link.
    pub(super) fn any(&self, dice: &mut Dice) -> &str {
        if dice.unit() < FROM_SMALL {
            dice.text(&self.small, 0.9)
        } else {
            dice.text(&self.large, 0.0)
        }
    }
}

fn small(n: u32) -> String {
    let name = word(n).to_ascii_lowercase();
    let end = ["com", "net", "org", "de", "co.uk", "fr", "io", "blog"]
        [usize::from(n.to_le_bytes()[0] % 8)];
    match n % 5 {
        0 => format!("https://blog.{name}.{end}/posts/{n}"),
        1 | 2 => format!("https://www.{name}.{end}/"),
        _ => format!("https://{name}.{end}/page/{}", n % 40),
    }
}
