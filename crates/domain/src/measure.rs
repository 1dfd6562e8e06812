//! Numbers that grow while the service works: counters and histograms; and counts as fractions.
//!
//! Each part keeps its own and returns them as plain values; an adapter shows them. Updates use
//! only relaxed atomic additions, without a lock or an allocation, because redirects make them.

use std::{
    sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed},
    time::Duration,
};

/// The target of spans that are traced. Every other target belongs to the log output.
pub const TRACES: &str = "slugline::traces";

/// A count as a fraction: exact up to 2^53, and nearly so beyond.
pub fn fraction(count: u64) -> f64 {
    const HALF: f64 = 4_294_967_296.0;
    let half = |bits: u64| f64::from(u32::try_from(bits).unwrap_or(u32::MAX));
    half(count >> 32).mul_add(HALF, half(count & u64::from(u32::MAX)))
}

/// The number of stripes over which threads spread a counter.
const STRIPES: usize = 16;

/// A number that only grows. Threads add to different cache lines to avoid contention.
#[derive(Debug, Default)]
pub struct Counter {
    stripes: [Stripe; STRIPES],
}

/// One cache line, on common processors.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Stripe(AtomicU64);

/// The next stripe for a thread that counts for the first time.
static NEXT: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static STRIPE: usize = NEXT.fetch_add(1, Relaxed) % STRIPES;
}

impl Counter {
    /// Adds one.
    pub fn count(&self) {
        self.add(1);
    }

    /// Adds a number.
    pub fn add(&self, number: u64) {
        // A thread that is ending has lost its stripe.
        let stripe = STRIPE.try_with(|stripe| *stripe).unwrap_or(0);
        self.stripes[stripe].0.fetch_add(number, Relaxed);
    }

    /// The sum.
    pub fn get(&self) -> u64 {
        self.stripes
            .iter()
            .map(|stripe| stripe.0.load(Relaxed))
            .sum()
    }
}

/// Durations, counted in buckets.
#[derive(Debug, Default)]
pub struct Histogram {
    buckets: [AtomicU64; Timings::BOUNDS.len() + 1],
    nanoseconds: AtomicU64,
}

/// The content of a histogram at a moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timings {
    /// The number of durations in each bucket: at most the bound of the same index, and more
    /// than the bound before. The last bucket is beyond all bounds.
    pub buckets: [u64; Self::BOUNDS.len() + 1],
    /// The sum of all durations.
    pub sum: Duration,
}

impl Histogram {
    /// Counts a duration.
    pub fn observe(&self, took: Duration) {
        let bucket = Timings::BOUNDS.partition_point(|bound| *bound < took);
        self.buckets[bucket].fetch_add(1, Relaxed);
        let nanoseconds = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        self.nanoseconds.fetch_add(nanoseconds, Relaxed);
    }

    /// The counts so far.
    pub fn get(&self) -> Timings {
        Timings {
            buckets: std::array::from_fn(|bucket| self.buckets[bucket].load(Relaxed)),
            sum: Duration::from_nanos(self.nanoseconds.load(Relaxed)),
        }
    }
}

impl Timings {
    /// From a redirect out of the cache to a query on all visits.
    pub const BOUNDS: [Duration; 16] = [
        Duration::from_micros(10),
        Duration::from_micros(25),
        Duration::from_micros(100),
        Duration::from_micros(250),
        Duration::from_millis(1),
        Duration::from_micros(2_500),
        Duration::from_millis(5),
        Duration::from_millis(10),
        Duration::from_millis(25),
        Duration::from_millis(50),
        Duration::from_millis(100),
        Duration::from_millis(250),
        Duration::from_millis(500),
        Duration::from_secs(1),
        Duration::from_millis(2_500),
        Duration::from_secs(10),
    ];

    /// The number of durations counted.
    pub fn count(&self) -> u64 {
        self.buckets.iter().sum()
    }

    /// Adds the counts of another histogram.
    pub fn add(&mut self, other: &Self) {
        for (own, other) in self.buckets.iter_mut().zip(other.buckets) {
            *own += other;
        }
        self.sum = self.sum.saturating_add(other.sum);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_threads_count_adds_up() {
        let counter = Counter::default();
        std::thread::scope(|scope| {
            for _ in 0..STRIPES + 2 {
                scope.spawn(|| (0..1_000).for_each(|_| counter.count()));
            }
        });
        counter.add(5);
        assert_eq!(counter.get(), 18_005);
    }

    #[test]
    fn durations_are_counted_up_to_their_bound() {
        assert!(Timings::BOUNDS.is_sorted());
        let histogram = Histogram::default();
        for (micros, bucket) in [(0, 0), (10, 0), (11, 1), (10_000_000, 15), (10_000_001, 16)] {
            let before = histogram.get().buckets[bucket];
            histogram.observe(Duration::from_micros(micros));
            assert_eq!(histogram.get().buckets[bucket], before + 1, "{micros}");
        }
        let mut timings = histogram.get();
        assert_eq!(timings.count(), 5);
        assert_eq!(timings.sum, Duration::from_micros(20_000_022));
        timings.add(&histogram.get());
        assert_eq!(timings.count(), 10);
    }
}
