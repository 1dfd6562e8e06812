//! A simulation of the standard error: intervals of 1.96 of it have to cover the truth in 95 % of
//! all runs.
//!
//! The visits are sampled as the recorder does it: the first four visits of a visitor are kept or
//! dropped together by luck, and later ones by chance. Most visitors come once, some often.

use slugline_analytics::{columns::text_of, moments::Crowd};
use slugline_domain::{Dimension, SplitMix64};

use crate::{
    file::limits::QuestionMemory,
    format::{block::Block, selection::number, values::Values},
    query::totals::Crowds,
};

const RUNS: u32 = 2_500;

/// The number of visitors whom a run keeps, on average. With few of them the errors are not normal.
const KEPT: u64 = 512;

/// A visitor's visits that are kept or dropped together.
const EARLY: u64 = 4;

/// Random numbers that repeat.
struct Chance(SplitMix64);

impl Chance {
    /// Keeps one in 2^`halvings` of some items, each by itself.
    fn keep<T: Copy>(&mut self, halvings: u32, items: &[T], mut take: impl FnMut(T)) {
        for items in items.chunks(64) {
            let mut kept = (0..halvings).fold(u64::MAX, |kept, _| kept & self.0.draw());
            while kept != 0 {
                let next = usize::try_from(kept.trailing_zeros()).unwrap();
                if let Some(&item) = items.get(next) {
                    take(item);
                }
                kept &= kept - 1;
            }
        }
    }
}

/// All visitors, and the visits behind their early ones.
struct Traffic {
    visitors: Vec<u64>,
    later: Vec<u64>,
    truth: Crowd,
}

impl Traffic {
    fn of(visitors: u64) -> Self {
        let visitors: Vec<u64> = (0..visitors).collect();
        let later = |&visitor: &u64| (EARLY..visits_of(visitor)).map(move |_| visitor);
        Self {
            later: visitors.iter().flat_map(later).collect(),
            truth: Crowd {
                visits: visitors.iter().copied().map(visits_of).sum(),
                visitors: number(visitors.len()),
                ..Crowd::default()
            },
            visitors,
        }
    }

    /// The estimate from the rows of one run.
    fn sampled(&self, chance: &mut Chance, halvings: u32) -> Crowd {
        let (mut visitor, mut coherent) = (Vec::new(), Vec::new());
        chance.keep(halvings, &self.visitors, |kept| {
            for _ in 0..visits_of(kept).min(EARLY) {
                visitor.push(kept);
                coherent.push(1);
            }
        });
        chance.keep(halvings, &self.later, |kept| {
            visitor.push(kept);
            coherent.push(0);
        });
        let mut block = Block {
            rows: visitor.len(),
            interval: Values::Same(1 << halvings),
            coherent: Values::Each(coherent),
            visitor: Values::Each(visitor),
            ..Block::default()
        };
        block.forget(text_of(Dimension::Referer));
        let mut crowds = Crowds::within(QuestionMemory::default());
        crowds.add(&block, |_| Some(0), |_, _| {});
        crowds.get(0)
    }
}

/// The number of visits of a visitor: 1.9 on average.
fn visits_of(visitor: u64) -> u64 {
    match SplitMix64::mixed(visitor) % 100 {
        0..60 => 1,
        60..85 => 2,
        85..95 => 4,
        95..99 => 8,
        _ => 20,
    }
}

#[test]
fn intervals_of_the_standard_error_cover_the_truth_in_95_of_100_runs() {
    let share = |covered: u32| f64::from(covered) / f64::from(RUNS);
    let small = |number: u64| f64::from(u32::try_from(number).unwrap());
    for halvings in [1, 3, 6] {
        let k = 1_u32 << halvings;
        let mut chance = Chance(SplitMix64::seeded(k.into()));
        let traffic = Traffic::of(KEPT * u64::from(k));
        let truth = traffic.truth;
        let (mut visits, mut visitors, mut naive) = (0, 0, 0);
        for _ in 0..RUNS {
            let found = traffic.sampled(&mut chance, halvings);
            let error = found.variance.std_error().unwrap();
            let covers = |found: u64, truth: u64, error: f64| {
                u32::from((small(found) - small(truth)).abs() <= 1.96 * error)
            };
            visits += covers(found.visits, truth.visits, error.visits);
            visitors += covers(found.visitors, truth.visitors, error.visitors);
            // As if chance had decided about every row.
            let rows = small(found.visits) / f64::from(k);
            let of_rows = (rows * f64::from(k) * f64::from(k - 1)).sqrt();
            naive += covers(found.visits, truth.visits, of_rows);
        }
        let (visits, visitors, naive) = (share(visits), share(visitors), share(naive));
        println!("k = {k}: visits {visits}, visitors {visitors}, visits without luck {naive}");
        for covered in [visits, visitors] {
            assert!((0.94..=0.96).contains(&covered), "k = {k}: {covered}");
        }
        assert!(naive < 0.92, "k = {k}: {naive}");
    }
}
