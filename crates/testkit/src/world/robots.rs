//! Programs that act without a person, and libraries and command lines.

use std::net::{IpAddr, Ipv4Addr};

use super::{
    dice::{Dice, mixed},
    words::word,
};

/// A program that runs on servers.
#[derive(Debug)]
pub(super) struct Robot {
    pub(super) header: Box<str>,
    /// The first of its addresses.
    network: u32,
    addresses: u32,
}

impl Robot {
    fn new(header: String, addresses: u32, number: u64) -> Self {
        let network = mixed(number, 0x0b07) >> 32;
        Self {
            header: header.into(),
            network: u32::try_from(network).expect("a shift leaves 32 bits") & 0xffff_f000,
            addresses,
        }
    }

    /// The address of one of its machines.
    pub(super) fn address(&self, dice: &mut Dice) -> IpAddr {
        let machine = dice.skewed(self.addresses, 0.5);
        Ipv4Addr::from_bits(self.network + machine).into()
    }
}

/// Robots of all kinds, the busiest of each first.
#[derive(Debug)]
pub(super) struct Robots {
    /// They crawl the web on their own.
    pub(super) crawlers: Vec<Robot>,
    /// They fetch a page because a person mentioned it.
    pub(super) fetchers: Vec<Robot>,
    /// Libraries and command lines, which the log does not take for bots.
    pub(super) tools: Vec<Robot>,
}

const CRAWLERS: [&str; 26] = [
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/136.0.0.0 Safari/537.36",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
    "meta-externalagent/1.1 (+https://developers.facebook.com/docs/sharing/webmasters/crawler)",
    "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)",
    "Mozilla/5.0 (compatible; SemrushBot/7~bl; +http://www.semrush.com/bot.html)",
    "Mozilla/5.0 (Linux; Android 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Mobile Safari/537.36 (compatible; Bytespider; spider-feedback@bytedance.com)",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Amazonbot/0.1; +https://developer.amazon.com/support/amazonbot) Chrome/119.0.6045.214 Safari/537.36",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.1.1 Safari/605.1.15 (Applebot/0.1; +http://www.apple.com/go/applebot)",
    "Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)",
    "Mozilla/5.0 (compatible; DotBot/1.2; +https://opensiteexplorer.org/dotbot; help@moz.com)",
    "Mozilla/5.0 (compatible; MJ12bot/v1.4.8; http://mj12bot.com/)",
    "Mozilla/5.0 (compatible; PetalBot;+https://webmaster.petalsearch.com/site/petalbot)",
    "CCBot/2.0 (https://commoncrawl.org/faq/)",
    "Mozilla/5.0 (compatible; Baiduspider/2.0; +http://www.baidu.com/search/spider.html)",
    "DuckDuckBot/1.1; (+http://duckduckgo.com/duckduckbot.html)",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; PerplexityBot/1.0; +https://perplexity.ai/perplexitybot)",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; OAI-SearchBot/1.0; +https://openai.com/searchbot)",
    "Mozilla/5.0 (compatible; SeznamBot/4.0; +https://o-seznam.cz/napoveda/vyhledavani/en/seznambot-crawler/)",
    "Mozilla/5.0 (compatible; BLEXBot/1.0; +https://help.seranking.com/en/blex-crawler)",
    "Mozilla/5.0 (compatible; DataForSeoBot/1.0; +https://dataforseo.com/dataforseo-bot)",
    "Mozilla/5.0 (compatible; Barkrowler/0.9; +https://babbar.tech/crawler)",
    "serpstatbot/2.1 (advanced backlink tracking bot; https://serpstatbot.com/; abuse@serpstatbot.com)",
    "Scrapy/2.11.2 (+https://scrapy.org)",
    "Mozilla/5.0 (compatible; archive.org_bot +http://archive.org/details/archive.org_bot)",
];

const FETCHERS: [&str; 18] = [
    "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
    "TelegramBot (like TwitterBot)",
    "Twitterbot/1.0",
    "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
    "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)",
    "LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Claude-User/1.0; +Claude-User@anthropic.com)",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Perplexity-User/1.0; +https://perplexity.ai/perplexity-user)",
    "Mozilla/5.0 (compatible; Bluesky Cardyb/1.1; +mailto:support@bsky.app)",
    "Mozilla/5.0 (compatible; redditbot/1.0; +http://www.reddit.com/feedback)",
    "Mozilla/5.0 (compatible; Pinterestbot/1.0; +https://www.pinterest.com/bot.html)",
    "Mozilla/5.0 (compatible; vkShare; +http://vk.com/dev/Share)",
    "Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5 skype-url-preview@microsoft.com",
    "Mozilla/5.0 (compatible; UptimeRobot/2.0; http://www.uptimerobot.com/)",
    "Iframely/1.3.1 (+https://iframely.com/docs/about)",
    "Feedly/1.0 (+http://www.feedly.com/fetcher.html; 10 subscribers; like FeedFetcher-Google)",
    "FeedFetcher-Google; (+http://www.google.com/feedfetcher.html)",
];

pub(super) fn robots() -> Robots {
    let listed = |headers: &[&str]| headers.iter().map(ToString::to_string).collect::<Vec<_>>();
    let on_telephones = (110..143).map(|version| {
        format!(
            "Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, \
             like Gecko) Chrome/{version}.0.{}.114 Mobile Safari/537.36 (compatible; \
             Googlebot/2.1; +http://www.google.com/bot.html)",
            2_000 + version * 38
        )
    });
    let small = (0..600).map(|n| {
        let name = word(n * 131);
        let site = name.to_ascii_lowercase();
        format!(
            "Mozilla/5.0 (compatible; {name}Bot/1.{}; +https://{site}.example/bot)",
            n % 10
        )
    });
    let whatsapp = (0..300).map(|n| {
        let system = ["A", "i", "N", "W"][n % 4];
        format!("WhatsApp/2.25{}.{} {system}", 40 - n / 12, 60 + n % 40)
    });
    let mastodon = (0..200).map(|n| {
        let site = word(n * 53).to_ascii_lowercase();
        format!(
            "Mastodon/4.{}.{} (http.rb/5.1.1; +https://{site}.social/)",
            1 + n % 4,
            n % 13
        )
    });
    let tools = (0..400_u32).map(|n| match n % 10 {
        0 => format!("curl/8.{}.{}", n / 10 % 17, n / 170),
        1 => format!("python-requests/2.{}.{}", 20 + n / 10 % 13, n / 130),
        2 => format!("okhttp/4.{}.{}", n / 10 % 13, n / 130),
        3 => format!("Go-http-client/{}.{}", 1 + n / 10 % 2, n / 20 % 2),
        4 => format!("axios/1.{}.{}", n / 10 % 13, n / 130),
        5 => format!("Wget/1.{}", n / 10 % 26),
        6 => format!(
            "Apache-HttpClient/4.5.{} (Java/17.0.{})",
            n / 10 % 15,
            n / 30
        ),
        7 => format!("aiohttp/3.{}.{}", n / 10 % 13, n / 130),
        8 => format!("GuzzleHttp/7.{}", n / 10 % 10),
        _ => format!("Java/17.0.{}", n / 10),
    });
    let mut fetchers = listed(&FETCHERS);
    // Its versions are among the busiest.
    fetchers.splice(1..1, whatsapp);
    Robots {
        crawlers: numbered(
            listed(&CRAWLERS)
                .into_iter()
                .chain(on_telephones)
                .chain(small),
            1,
            400,
        ),
        fetchers: numbered(fetchers.into_iter().chain(mastodon), 10_000, 60),
        tools: numbered(tools, 20_000, 25),
    }
}

fn numbered(headers: impl Iterator<Item = String>, first: u64, addresses: u32) -> Vec<Robot> {
    headers
        .zip(first..)
        .map(|(header, number)| Robot::new(header, addresses, number))
        .collect()
}
