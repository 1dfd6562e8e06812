//! Visits for a load, drawn before its clock starts.

use std::{fmt::Write, time::Duration};

use super::export;

/// Requests that follow links, in a fixed order that begins again at its end.
#[derive(Debug)]
pub(crate) struct Visits {
    slugs: Vec<Box<str>>,
    headers: Headers,
    /// The time from one request to the next, over all connections; without it, each connection
    /// sends its next request when the answer is there.
    pub(crate) pace: Option<Duration>,
}

/// The choice of links to follow among those that [`export`] numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pick {
    /// `hot` links in turn, spread evenly among all.
    InTurn { hot: u32, links: u32 },
    /// A random link, each equally likely.
    Uniform { links: u32, seed: u32 },
    /// Few links often and many seldom: rank `r` is `r` times less likely than the first.
    /// Neighbouring ranks do not have neighbouring numbers.
    Zipf { ranks: u32, links: u32, seed: u32 },
    /// Slugs of ten characters that no link has, a new one each time.
    Unknown { seed: u32 },
}

/// The headers of a visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Headers {
    /// Only `Host`.
    Plain,
    /// Also the headers of a browser.
    Browser,
}

impl Visits {
    pub(crate) fn draw(pick: Pick, headers: Headers) -> Self {
        Self {
            slugs: pick.slugs(),
            headers,
            pace: None,
        }
    }

    /// The slug of a request by its number.
    pub(crate) fn slug(&self, request: usize) -> &str {
        &self.slugs[request % self.slugs.len()]
    }

    /// The bytes of every request behind its slug.
    pub(crate) fn tail(&self, host: &str) -> String {
        let mut tail = format!(" HTTP/1.1\r\nhost: {host}\r\n");
        if self.headers == Headers::Browser {
            for (name, value) in BROWSER {
                write!(tail, "{name}: {value}\r\n").expect("strings take what is written");
            }
        }
        tail + "\r\n"
    }
}

impl Pick {
    fn slugs(self) -> Vec<Box<str>> {
        let random = |seed| fastrand::Rng::with_seed(u64::from(seed));
        match self {
            Self::InTurn { hot, links } => {
                let step = (links / hot).max(1);
                (0..hot).map(|n| export::slug(n * step).into()).collect()
            }
            Self::Uniform { links, seed } => {
                let mut random = random(seed);
                draw(|| export::slug(random.u32(..links)))
            }
            Self::Zipf { ranks, links, seed } => {
                let mut random = random(seed);
                let mut sum = 0.0;
                let sums = (1..=ranks).map(|rank| {
                    sum += 1.0 / f64::from(rank);
                    sum
                });
                let sums: Vec<_> = sums.collect();
                draw(|| {
                    let target = random.f64() * sum;
                    let rank = 1 + sums.partition_point(|&sum| sum < target);
                    let rank = u64::try_from(rank).unwrap_or(u64::MAX);
                    let number = rank.wrapping_mul(PRIME) % u64::from(links);
                    export::slug(u32::try_from(number).expect("less than the links"))
                })
            }
            Self::Unknown { seed } => {
                let mut random = random(seed);
                draw(|| format!("{:010x}", random.u64(..1 << 40)))
            }
        }
    }
}

fn draw(mut slug: impl FnMut() -> String) -> Vec<Box<str>> {
    /// More than a server answers in ten seconds.
    const DRAWN: u32 = 1 << 20;
    (0..DRAWN).map(|_| slug().into()).collect()
}

/// Larger than any number of ranks, so that no two ranks give the same link.
const PRIME: u64 = 1_000_003;

/// The headers of a current browser when a person follows a link on a page.
const BROWSER: [(&str, &str); 10] = [
    (
        "user-agent",
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) \
         Chrome/141.0.0.0 Safari/537.36",
    ),
    (
        "accept",
        "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
    ),
    ("accept-language", "de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7"),
    ("accept-encoding", "gzip, deflate, br, zstd"),
    ("referer", "https://news.example/today/links"),
    ("sec-fetch-dest", "document"),
    ("sec-fetch-mode", "navigate"),
    ("sec-fetch-site", "cross-site"),
    ("sec-fetch-user", "?1"),
    ("upgrade-insecure-requests", "1"),
];

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn hot_links_lie_evenly_among_all() {
        let pick = Pick::InTurn {
            hot: 200,
            links: 1_000_000,
        };
        let visits = Visits::draw(pick, Headers::Plain);
        assert_eq!(visits.slug(1), export::slug(5_000));
        assert_eq!(visits.slug(200), export::slug(0));
    }

    #[test]
    fn first_rank_comes_as_often_as_zipf_says() {
        let (ranks, links, seed) = (1_000, 1_000, 7);
        let slugs = Pick::Zipf { ranks, links, seed }.slugs();
        let mut counts: HashMap<&str, f64> = HashMap::new();
        for slug in &slugs {
            *counts.entry(slug).or_default() += 1.0;
        }
        let all: f64 = counts.values().sum();
        let harmonic: f64 = (1..=ranks).map(|rank| 1.0 / f64::from(rank)).sum();
        let [first, second] = [1, 2].map(|rank| counts[&*export::slug(rank * 3 % links)]);
        assert!((first / all * harmonic - 1.0).abs() < 0.05, "{first}");
        assert!((first / second / 2.0 - 1.0).abs() < 0.05, "{second}");
    }

    #[test]
    fn browser_sends_more_than_a_host() {
        let visits = |headers| Visits::draw(Pick::InTurn { hot: 1, links: 1 }, headers);
        assert_eq!(
            visits(Headers::Plain).tail("h"),
            " HTTP/1.1\r\nhost: h\r\n\r\n"
        );
        assert!(
            visits(Headers::Browser)
                .tail("h")
                .contains("\r\nuser-agent: Mozilla")
        );
    }
}
