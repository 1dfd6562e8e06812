use std::{array, collections::HashMap};

use slugline_testkit::SeededRandom;

use super::*;
use crate::visitor::VisitorHash;

const MINUTE_MS: i64 = 60_000;

fn targets(per_link: u32, overall: u32) -> SamplingTargets {
    SamplingTargets {
        per_link: NonZeroU32::new(per_link),
        overall: NonZeroU32::new(overall),
    }
}

fn sampler(targets: SamplingTargets, seed: u64) -> Sampler {
    Sampler::new(targets, &SeededRandom::new(seed))
}

fn links<const N: usize>() -> [String; N] {
    array::from_fn(|n| format!("link-{n}"))
}

fn random_visitor(chance: &mut SplitMix64) -> Visitor {
    Visitor {
        hash: VisitorHash(chance.draw()),
        luck: chance.draw(),
    }
}

fn below(chance: &mut SplitMix64, end: u64) -> u64 {
    chance.draw() % end
}

fn float(number: u64) -> f64 {
    f64::from(u32::try_from(number).unwrap())
}

/// One visit of the traffic for testing the estimates.
#[derive(Clone, Copy)]
struct Event {
    at: i64,
    visitor: usize,
    link: usize,
    /// A property that filters can select.
    country: u64,
}

/// Visitors besides those of the burst; the last one is abusive.
const REGULARS: usize = 6_001;
const BURST_VISITORS: usize = 6_000;
const VISITORS: usize = REGULARS + BURST_VISITORS;
const ABUSER: usize = REGULARS - 1;

/// Ten minutes of traffic on eight links: regular visitors who return, some of them often; one
/// who makes 20,000 visits of link 0 within two minutes; and a burst of new visitors to link 1
/// within twenty seconds.
fn traffic() -> Vec<Event> {
    let mut chance = SplitMix64::seeded(2026);
    let mut events = Vec::new();
    for visitor in 0..ABUSER {
        let country = below(&mut chance, 4);
        let often = if visitor % 50 == 0 { 40 } else { 3 };
        for _ in 0..=below(&mut chance, often) {
            let first = below(&mut chance, 8);
            events.push(Event {
                at: i64::try_from(below(&mut chance, 600_000)).unwrap(),
                visitor,
                // Low numbers are followed more often.
                link: usize::try_from(below(&mut chance, first + 1)).unwrap(),
                country,
            });
        }
    }
    for n in 0..20_000 {
        events.push(Event {
            at: 3 * MINUTE_MS + n * 6,
            visitor: ABUSER,
            link: 0,
            country: 0,
        });
    }
    for visitor in REGULARS..VISITORS {
        events.push(Event {
            at: 7 * MINUTE_MS + i64::try_from(below(&mut chance, 20_000)).unwrap(),
            visitor,
            link: 1,
            country: below(&mut chance, 4),
        });
    }
    events.sort_by_key(|event| event.at);
    events
}

/// Selects the visits of a question.
type Filter = fn(&Event) -> bool;

const QUESTIONS: [(&str, Filter); 6] = [
    ("everything", |_| true),
    ("the abused link", |event| event.link == 0),
    ("the burst's link", |event| event.link == 1),
    ("a quiet link", |event| event.link == 6),
    ("a country", |event| event.country == 2),
    ("four minutes from before the abuse", |event| {
        (2 * MINUTE_MS..6 * MINUTE_MS).contains(&event.at)
    }),
];

/// The decision about every visit, kept or not: its interval, and whether it is
/// coherent. Neither depends on chance.
fn plan(events: &[Event], links: &[String]) -> Vec<(u32, bool)> {
    let mut chance = SplitMix64::seeded(7);
    let visitors: Vec<_> = (0..VISITORS).map(|_| random_visitor(&mut chance)).collect();
    let mut sampler = sampler(TARGETS, 7);
    let planned = events.iter().map(|event| {
        let at = UnixMillis::new(event.at);
        let link = BuildHasherDefault::<DefaultHasher>::default().hash_one(&links[event.link]);
        let (of_link, of_all) = sampler.halvings(at, link, Pressure::Low);
        let halvings = of_link + of_all;
        let coherent = halvings == 0 || sampler.is_early(at, link, visitors[event.visitor]);
        (1 << halvings, coherent)
    });
    planned.collect()
}

/// The standard deviations of visits and visitors that follow from a plan, as
/// parts of the truth.
///
/// A visit kept by chance with an interval of k adds k - 1 to the variance.
/// Coherent visits of one visitor are kept together: two of them, the smaller
/// of whose intervals is k, add k - 1 each way. A visitor whose smallest
/// interval among coherent visits is k adds k - 1 to that of visitors.
fn implied(
    events: &[Event],
    plan: &[(u32, bool)],
    lets_through: Filter,
    truth: [u64; 2],
) -> [f64; 2] {
    let mut by_chance = 0;
    let mut together: HashMap<usize, Vec<u32>> = HashMap::new();
    for (event, &(interval, coherent)) in events.iter().zip(plan) {
        if lets_through(event) {
            if coherent {
                together.entry(event.visitor).or_default().push(interval);
            } else {
                by_chance += u64::from(interval - 1);
            }
        }
    }
    let mut variances = [by_chance, 0];
    for intervals in together.values() {
        let pairs = intervals
            .iter()
            .flat_map(|one| intervals.iter().map(move |other| one.min(other) - 1));
        variances[0] += pairs.map(u64::from).sum::<u64>();
        variances[1] += u64::from(intervals.iter().min().map_or(0, |smallest| smallest - 1));
    }
    array::from_fn(|figure| float(variances[figure]).sqrt() / float(truth[figure]))
}

/// Visits and visitors as an answer estimates them.
#[derive(Default)]
struct Estimate {
    visits: u64,
    smallest: HashMap<usize, u32>,
}

impl Estimate {
    fn add(&mut self, event: &Event, row: Sampled) {
        self.visits += u64::from(row.interval.get());
        if row.coherent {
            let interval = row.interval.get();
            let smallest = self.smallest.entry(event.visitor).or_insert(interval);
            *smallest = interval.min(*smallest);
        }
    }

    fn figures(&self) -> [u64; 2] {
        let visitors = self.smallest.values().copied().map(u64::from).sum();
        [self.visits, visitors]
    }
}

const TARGETS: SamplingTargets = SamplingTargets {
    per_link: NonZeroU32::new(600),
    overall: NonZeroU32::new(3_000),
};

/// Mean and standard deviation of the relative errors of an estimate.
#[derive(Clone, Copy, Default)]
struct Errors {
    sum: f64,
    squares: f64,
    trials: f64,
}

impl Errors {
    fn add(&mut self, estimate: u64, truth: u64) {
        let error = float(estimate) / float(truth) - 1.0;
        self.sum += error;
        self.squares += error * error;
        self.trials += 1.0;
    }

    fn mean(self) -> f64 {
        self.sum / self.trials
    }

    fn spread(self) -> f64 {
        (self.squares / self.trials - self.mean().powi(2)).sqrt()
    }

    /// Returns whether the errors fit an unbiased estimate with this standard
    /// deviation, as far as so many trials can tell: within three standard
    /// deviations of their mean, and of their standard deviation.
    fn are_those_of(self, deviation: f64) -> bool {
        let of_mean = deviation / self.trials.sqrt();
        let of_spread = deviation / (2.0 * self.trials).sqrt();
        self.mean().abs() <= 3.0 * of_mean && (self.spread() - deviation).abs() <= 3.0 * of_spread
    }
}

#[test]
fn visits_and_visitors_are_estimated_without_bias_under_abuse_bursts_and_filters() {
    const TRIALS: u64 = 60;
    let events = traffic();
    let links: [String; 8] = links();
    let truths = QUESTIONS.map(|(_, lets_through)| {
        let mut truth = Estimate::default();
        for event in events.iter().filter(|event| lets_through(event)) {
            let row = Sampled {
                interval: SamplingInterval::EVERY,
                coherent: true,
            };
            truth.add(event, row);
        }
        truth.figures()
    });

    let mut errors = [[Errors::default(); 2]; QUESTIONS.len()];
    let (mut kept, mut largest) = (0, 1);
    for trial in 0..TRIALS {
        let mut chance = SplitMix64::seeded(trial << 32);
        let visitors: Vec<_> = (0..VISITORS).map(|_| random_visitor(&mut chance)).collect();
        let mut sampler = sampler(TARGETS, trial);
        let mut estimates: [Estimate; QUESTIONS.len()] = array::from_fn(|_| Estimate::default());
        for event in &events {
            let (at, visitor) = (UnixMillis::new(event.at), visitors[event.visitor]);
            let decision = sampler.decide(at, &links[event.link], visitor, Pressure::Low);
            if let Some(row) = decision.kept {
                kept += 1;
                largest = largest.max(row.interval.get());
                for ((_, lets_through), estimate) in QUESTIONS.iter().zip(&mut estimates) {
                    if lets_through(event) {
                        estimate.add(event, row);
                    }
                }
            }
        }
        for ((estimate, truth), errors) in estimates.iter().zip(truths).zip(&mut errors) {
            for ((estimate, truth), errors) in estimate.figures().iter().zip(truth).zip(errors) {
                errors.add(*estimate, truth);
            }
        }
    }

    // The table at the head of the module; `--nocapture` shows it.
    println!(
        "{} visits, {} rows, intervals to {largest}",
        events.len(),
        kept / TRIALS
    );
    let plan = plan(&events, &links);
    for (((question, lets_through), errors), truth) in QUESTIONS.iter().zip(errors).zip(truths) {
        let implied = implied(&events, &plan, *lets_through, truth);
        for (index, figure) in ["visits", "visitors"].iter().enumerate() {
            let (errors, implied) = (errors[index], implied[index]);
            let said = format!(
                "{question}: {} {figure} {:+.2} % ± {:.2} %, implied {:.2} %",
                truth[index],
                100.0 * errors.mean(),
                100.0 * errors.spread(),
                100.0 * implied
            );
            println!("{said}");
            assert!(errors.are_those_of(implied), "{said}");
        }
    }
    assert!(largest >= 32, "the interval has to change");
}

/// Sends `per_second` visits by new visitors each second, evenly over the links, and returns
/// the decisions.
fn steady<const LINKS: usize>(
    sampler: &mut Sampler,
    seconds: i64,
    per_second: u64,
) -> Vec<Option<Sampled>> {
    let links: [String; LINKS] = links();
    let mut chance = SplitMix64::seeded(5);
    let mut decisions = Vec::new();
    for second in 0..seconds {
        for n in 0..per_second {
            let link = &links[usize::try_from(n).unwrap() % LINKS];
            let at = UnixMillis::new(second * 1_000);
            let visitor = random_visitor(&mut chance);
            decisions.push(sampler.decide(at, link, visitor, Pressure::Low).kept);
        }
    }
    decisions
}

fn rows(decisions: &[Option<Sampled>]) -> usize {
    decisions.iter().flatten().count()
}

#[test]
fn a_small_site_is_exact() {
    // 10 visits a second of one link, and 300 a second in all, are the targets.
    let busy = steady::<30>(&mut sampler(SamplingTargets::default(), 1), 300, 300);
    let exact = Sampled {
        interval: SamplingInterval::EVERY,
        coherent: true,
    };
    assert!(busy.into_iter().all(|row| row == Some(exact)));
}

#[test]
fn rows_stay_within_the_targets_at_two_hundred_thousand_visits_a_second() {
    let mut one = sampler(SamplingTargets::default(), 1);
    let decisions = steady::<1>(&mut one, 3, 200_000);
    // A minute's allowance, the first second's halvings, then some ten a second.
    assert!((600..12_000).contains(&rows(&decisions)));
    assert!((1..30).contains(&rows(&decisions[400_000..])));

    let mut many = sampler(SamplingTargets::default(), 1);
    let decisions = steady::<5_000>(&mut many, 3, 200_000);
    assert!((100..500).contains(&rows(&decisions[400_000..])));
}

#[test]
fn a_link_that_everybody_follows_does_not_make_others_less_exact() {
    let mut sampler = sampler(targets(600, 2_000), 1);
    let [viral, quiet] = links();
    let mut chance = SplitMix64::seeded(5);
    for n in 0..200_000 {
        let at = UnixMillis::new(n / 4);
        sampler.decide(at, &viral, random_visitor(&mut chance), Pressure::Low);
        if n % 1_000 == 0 {
            let row = sampler.decide(at, &quiet, random_visitor(&mut chance), Pressure::Low);
            assert_eq!(
                row.kept.map(|row| row.interval),
                Some(SamplingInterval::EVERY)
            );
        }
    }
}

#[test]
fn only_a_visitors_first_visits_of_a_link_in_an_hour_are_coherent() {
    let mut sampler = sampler(targets(1, 0), 1);
    let [first, second] = links();
    // A visitor whom luck always keeps.
    let lucky = Visitor {
        hash: VisitorHash(9),
        luck: 0,
    };
    let at = |millis| UnixMillis::new(millis);
    let mut decide = |millis, link| sampler.decide(at(millis), link, lucky, Pressure::Low).kept;
    for (hour, link) in [(0, &first), (0, &second), (1, &first)] {
        let start = hour * MILLIS_PER_HOUR;
        let exact = decide(start, link).unwrap();
        assert_eq!(exact.interval, SamplingInterval::EVERY);
        let early: Vec<_> = (1..=4).map(|n| decide(start + n, link)).collect();
        assert!(early.iter().flatten().all(|row| row.coherent), "{early:?}");
        assert_eq!(early.iter().flatten().count(), 4);
        let later: Vec<_> = (5..1_000).map(|n| decide(start + n, link)).collect();
        assert!(later.iter().flatten().all(|row| !row.coherent));
        assert!(rows(&later) < 500);
    }
}

#[test]
fn a_filling_queue_raises_the_interval() {
    assert_eq!(Pressure::of(4, 8), Pressure::Low);
    assert_eq!(Pressure::of(5, 8), Pressure::High);
    assert_eq!(Pressure::of(6, 8), Pressure::High);
    assert_eq!(Pressure::of(7, 8), Pressure::VeryHigh);

    let lucky = Visitor {
        hash: VisitorHash(9),
        luck: 0,
    };
    let [link] = links();
    let interval = |targets, pressure| {
        let decision = sampler(targets, 1).decide(UnixMillis::new(0), &link, lucky, pressure);
        decision.kept.unwrap().interval.get()
    };
    assert_eq!(interval(SamplingTargets::default(), Pressure::Low), 1);
    assert_eq!(interval(SamplingTargets::default(), Pressure::High), 2);
    assert_eq!(interval(SamplingTargets::default(), Pressure::VeryHigh), 4);
    assert_eq!(interval(SamplingTargets::NONE, Pressure::VeryHigh), 1);
}

#[test]
fn an_interval_is_a_power_of_two_up_to_65536() {
    let mut sampler = sampler(targets(1, 1), 1);
    let lucky = Visitor {
        hash: VisitorHash(9),
        luck: 0,
    };
    let [link] = links();
    let mut largest = 0;
    for _ in 0..400_000 {
        // Each call brings another minute's worth of visits.
        let decision = sampler.decide(UnixMillis::new(0), &link, lucky, Pressure::VeryHigh);
        if let Some(row) = decision.kept {
            assert!(row.interval.get().is_power_of_two());
            largest = largest.max(row.interval.get());
        }
    }
    assert_eq!(largest, 1 << 16);
}

#[test]
fn decisions_repeat_with_moments_and_random_bytes() {
    let decide = |seed| steady::<3>(&mut sampler(targets(60, 100), seed), 20, 200);
    assert_eq!(decide(1), decide(1));
}

#[test]
fn visitors_who_are_kept_have_identities_like_all_others() {
    let key = crate::visitor::VisitorKey::new(&[7; 32]);
    let visitors = (0..20_000_u32).map(|n| key.identify(std::net::Ipv4Addr::from_bits(n).into()));
    let kept: Vec<_> = visitors
        .filter(|visitor| visitor.luck.leading_zeros() >= 2)
        .collect();
    let small = kept
        .iter()
        .filter(|visitor| visitor.hash.0.leading_zeros() >= 2)
        .count();
    // A quarter of a quarter, give or take four standard deviations.
    assert!((4_750..5_250).contains(&kept.len()), "{}", kept.len());
    assert!((1_125..1_375).contains(&small), "{small}");
}
