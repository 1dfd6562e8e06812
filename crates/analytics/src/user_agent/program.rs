//! Kinds of programs, and the names of those that `uap-core` does not know.

use std::borrow::Cow;

use super::names;

/// A program.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Program<'u> {
    pub(super) name: Cow<'u, str>,
    pub(super) kind: Kind,
}

/// A kind of program, by the words of `ua-parser-js`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// An ordinary browser.
    Browser,
    /// Crawls the web on its own.
    Crawler,
    /// Fetches a page because a person mentioned it or asked about it.
    Fetcher,
    /// A command-line tool.
    Cli,
    /// A library for programs of all kinds.
    Library,
    /// A mail program.
    Email,
    /// A browser inside an app.
    InApp,
    /// A media player.
    MediaPlayer,
    /// A vehicle's browser.
    Vehicle,
}

impl Kind {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Browser => "",
            Self::Crawler => "crawler",
            Self::Fetcher => "fetcher",
            Self::Cli => "cli",
            Self::Library => "library",
            Self::Email => "email",
            Self::InApp => "inapp",
            Self::MediaPlayer => "mediaplayer",
            Self::Vehicle => "vehicle",
        }
    }
}

/// Words in lower case → kind and name. The first one that occurs decides, so
/// fetchers stand before the libraries and apps whose names they mention.
#[rustfmt::skip]
const PROGRAMS: &[(&str, Kind, &str)] = &[
    // Previews of links, and assistants that answer questions.
    ("facebookexternalhit", Kind::Fetcher, "facebookexternalhit"),
    ("facebot", Kind::Fetcher, "facebookexternalhit"),
    ("telegrambot", Kind::Fetcher, "TelegramBot"),
    ("twitterbot", Kind::Fetcher, "Twitterbot"),
    ("linkedinbot", Kind::Fetcher, "LinkedInBot"),
    ("discordbot", Kind::Fetcher, "Discordbot"),
    ("slackbot", Kind::Fetcher, "Slackbot"),
    ("slack-imgproxy", Kind::Fetcher, "Slackbot"),
    ("skypeuripreview", Kind::Fetcher, "SkypeUriPreview"),
    ("whatsapp/", Kind::Fetcher, "WhatsApp"),
    ("mastodon/", Kind::Fetcher, "Mastodon"),
    ("bluesky cardyb", Kind::Fetcher, "Bluesky Cardyb"),
    ("redditbot", Kind::Fetcher, "redditbot"),
    ("pinterestbot", Kind::Fetcher, "Pinterestbot"),
    ("vkshare", Kind::Fetcher, "vkShare"),
    ("meta-externalfetcher", Kind::Fetcher, "Meta-ExternalFetcher"),
    ("zulipurlpreview", Kind::Fetcher, "ZulipURLPreview"),
    ("kakaotalk-scrap", Kind::Fetcher, "kakaotalk-scrap"),
    ("viberurldownloader", Kind::Fetcher, "ViberUrlDownloader"),
    ("snap url preview", Kind::Fetcher, "Snap URL Preview"),
    ("iframely", Kind::Fetcher, "Iframely"),
    ("discourse forum onebox", Kind::Fetcher, "Discourse Forum Onebox"),
    ("embedly", Kind::Fetcher, "Embedly"),
    ("google web preview", Kind::Fetcher, "Google Web Preview"),
    ("google-pagerenderer", Kind::Fetcher, "Google-PageRenderer"),
    ("feedly/", Kind::Fetcher, "Feedly"),
    ("feedfetcher-google", Kind::Fetcher, "FeedFetcher-Google"),
    ("chatgpt-user", Kind::Fetcher, "ChatGPT-User"),
    ("claude-user", Kind::Fetcher, "Claude-User"),
    ("perplexity-user", Kind::Fetcher, "Perplexity-User"),
    ("mistralai-user", Kind::Fetcher, "MistralAI-User"),
    ("duckassistbot", Kind::Fetcher, "DuckAssistBot"),
    ("uptimerobot", Kind::Fetcher, "UptimeRobot"),
    ("pingdom", Kind::Fetcher, "Pingdom"),
    ("statuscake", Kind::Fetcher, "StatusCake"),
    ("chrome-lighthouse", Kind::Fetcher, "Chrome-Lighthouse"),
    ("w3c_validator", Kind::Fetcher, "W3C_Validator"),
    ("uptime-kuma", Kind::Fetcher, "Uptime-Kuma"),
    ("updown.io", Kind::Fetcher, "updown.io"),
    ("site24x7", Kind::Fetcher, "Site24x7"),
    ("check_http/", Kind::Fetcher, "check_http"),
    ("w3c-checklink/", Kind::Fetcher, "W3C-checklink"),
    ("lychee/", Kind::Fetcher, "lychee"),
    ("bingpreview", Kind::Fetcher, "BingPreview"),
    // The watch and the checks of this service, also of other instances.
    ("slugline/", Kind::Fetcher, "Slugline"),
    ("tiktokspider", Kind::Crawler, "TikTokSpider"),
    ("proximic", Kind::Crawler, "proximic"),
    ("slurp", Kind::Crawler, "Yahoo! Slurp"),
    ("ia_archiver", Kind::Crawler, "ia_archiver"),
    ("google-extended", Kind::Crawler, "Google-Extended"),
    ("meta-externalagent", Kind::Crawler, "Meta-ExternalAgent"),
    // Command lines.
    ("curl/", Kind::Cli, "curl"),
    ("wget", Kind::Cli, "Wget"),
    ("httpie/", Kind::Cli, "HTTPie"),
    ("xh/", Kind::Cli, "xh"),
    ("powershell/", Kind::Cli, "PowerShell"),
    ("aria2/", Kind::Cli, "aria2"),
    ("lynx/", Kind::Cli, "Lynx"),
    ("elinks", Kind::Cli, "ELinks"),
    ("w3m/", Kind::Cli, "w3m"),
    // Libraries, and tools for developers that are built on them.
    ("postmanruntime/", Kind::Library, "PostmanRuntime"),
    ("insomnia/", Kind::Library, "Insomnia"),
    ("bruno-runtime/", Kind::Library, "Bruno"),
    ("python-requests", Kind::Library, "python-requests"),
    ("python-urllib", Kind::Library, "python-urllib"),
    ("python-httpx", Kind::Library, "python-httpx"),
    ("aiohttp/", Kind::Library, "aiohttp"),
    ("scrapy/", Kind::Crawler, "Scrapy"),
    ("go-http-client", Kind::Library, "Go-http-client"),
    ("okhttp/", Kind::Library, "okhttp"),
    ("apache-httpclient", Kind::Library, "Apache-HttpClient"),
    ("java-http-client", Kind::Library, "Java-http-client"),
    ("java/", Kind::Library, "Java"),
    ("axios/", Kind::Library, "axios"),
    ("node-fetch", Kind::Library, "node-fetch"),
    ("undici", Kind::Library, "undici"),
    ("got (", Kind::Library, "got"),
    ("go-resty/", Kind::Library, "go-resty"),
    ("guzzlehttp", Kind::Library, "GuzzleHttp"),
    ("libwww-perl", Kind::Library, "libwww-perl"),
    ("reqwest/", Kind::Library, "reqwest"),
    ("faraday", Kind::Library, "Faraday"),
    ("http.rb/", Kind::Library, "http.rb"),
    ("dart/", Kind::Library, "Dart"),
    // Mail.
    ("thunderbird/", Kind::Email, "Thunderbird"),
    ("microsoft outlook", Kind::Email, "Outlook"),
    ("outlook-ios", Kind::Email, "Outlook"),
    ("outlook-android", Kind::Email, "Outlook"),
    ("googleimageproxy", Kind::Email, "Gmail"),
    ("yahoomailproxy", Kind::Email, "Yahoo Mail"),
    ("emclient/", Kind::Email, "eM Client"),
    ("airmail", Kind::Email, "Airmail"),
    // Browsers inside apps.
    ("instagram", Kind::InApp, "Instagram"),
    ("barcelona ", Kind::InApp, "Threads"),
    ("fban/messenger", Kind::InApp, "Messenger"),
    ("fb_iab/orca", Kind::InApp, "Messenger"),
    ("fban/", Kind::InApp, "Facebook"),
    ("fbav/", Kind::InApp, "Facebook"),
    ("musical_ly", Kind::InApp, "TikTok"),
    ("bytedancewebview", Kind::InApp, "TikTok"),
    ("tiktok", Kind::InApp, "TikTok"),
    ("micromessenger", Kind::InApp, "WeChat"),
    ("snapchat/", Kind::InApp, "Snapchat"),
    ("linkedinapp", Kind::InApp, "LinkedIn"),
    ("kakaotalk", Kind::InApp, "KAKAOTALK"),
    ("twitter for ", Kind::InApp, "Twitter"),
    ("twitterandroid", Kind::InApp, "Twitter"),
    (" line/", Kind::InApp, "Line"),
    ("[pinterest/", Kind::InApp, "Pinterest"),
    ("telegram-android", Kind::InApp, "Telegram"),
    ("gsa/", Kind::InApp, "GSA"),
    ("slack_ssb", Kind::InApp, "Slack"),
    ("discord/", Kind::InApp, "Discord"),
    // Players, cars.
    ("applecoremedia", Kind::MediaPlayer, "AppleCoreMedia"),
    ("vlc/", Kind::MediaPlayer, "VLC"),
    ("spotify/", Kind::MediaPlayer, "Spotify"),
    ("itunes/", Kind::MediaPlayer, "iTunes"),
    (" tesla/", Kind::Vehicle, "Tesla"),
];

/// Programs whose whole header is their name.
const WHOLE: [(&str, Kind, &str); 1] = [("node", Kind::Library, "node-fetch")];

/// Recognises a program, given its header also in lower case, and the family
/// that `uap-core` sees in it.
pub(super) fn recognise<'u>(user_agent: &'u str, lower: &str, family: &'u str) -> Program<'u> {
    let listed = PROGRAMS.iter().find(|(word, ..)| lower.contains(word));
    let listed = listed.or_else(|| WHOLE.iter().find(|(word, ..)| lower == *word));
    // Programs put their own name beside that of the library by which they ask.
    let may_have_own = listed.is_none_or(|(_, kind, _)| *kind == Kind::Library);
    let library = listed.map(|(word, ..)| *word);
    let own = || own_name(user_agent, lower, library);
    match (may_have_own.then(own).flatten(), listed) {
        (Some(own), _) => Program {
            name: own.into(),
            kind: Kind::Crawler,
        },
        (None, Some((_, kind, name))) => Program {
            name: (*name).into(),
            kind: *kind,
        },
        (None, None) => Program {
            name: names::browser(family).into(),
            kind: Kind::Browser,
        },
    }
}

/// The name that a program without a person gives itself: a robot's name, or that beside the page
/// about it, which no browser names. `library` has a page, too.
fn own_name<'u>(user_agent: &'u str, lower: &str, library: Option<&str>) -> Option<&'u str> {
    if let Some(word) = robot_word(user_agent) {
        return Some(word);
    }
    let page = lower.find("://")?;
    let is_of_library = library.is_some_and(|word| {
        let name = word.trim_end_matches(['/', '(', ' ']);
        lower[page..].contains(name)
    });
    if is_of_library || lower[page..].starts_with(EMBEDDED_EXPLORER) {
        return None;
    }
    // `NAME/1.0 (+https://…)`, `NAME 1.0; https://…`, `LIBRARY/5.1 (NAME/1.0; +https://…)`
    let words = user_agent[..page].rsplit([' ', ';', '(', '+', '/']).skip(1);
    let mut names = words.filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic()));
    Some(names.find(|word| !word.contains('\'')).unwrap_or_default())
}

/// A component by which programs of people showed pages in Internet Explorer; it named its page.
const EMBEDDED_EXPLORER: &str = "://bsalsa.com";

/// The first word that has the ending of a robot's name: `Googlebot`, `Baiduspider`. "CUBOT" is
/// a maker of telephones.
fn robot_word(user_agent: &str) -> Option<&str> {
    const ENDINGS: [&str; 11] = [
        "bot",
        "spider",
        "crawler",
        "checker",
        "fetcher",
        "monitor",
        "pinger",
        "preview",
        "probe",
        "synthetic",
        "synthetics",
    ];
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    user_agent.split(|c| !is_part(c)).find(|word| {
        let lower = word.to_ascii_lowercase();
        ENDINGS.iter().any(|ending| lower.ends_with(ending)) && lower != "cubot"
    })
}
