//! Random numbers that repeat with the seed.

/// The generator `SplitMix64` (Steele, Lea, Flood 2014).
#[derive(Clone, Debug)]
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// The upper half of the bits.
    pub(super) fn half(&mut self) -> u32 {
        u32::try_from(self.bits() >> 32).expect("a shift leaves 32 bits")
    }

    /// A number from 0 to just below 1.
    pub(super) fn unit(&mut self) -> f64 {
        f64::from(self.half()) / 4_294_967_296.0
    }

    /// A number from 0 to just below `end`, each as often.
    pub(super) fn below(&mut self, end: u32) -> u32 {
        whole(self.unit() * f64::from(end)).min(end - 1)
    }

    pub(super) fn between(&mut self, least: f64, most: f64) -> f64 {
        least + self.unit() * (most - least)
    }

    /// A number from 0 to just below `end` by Zipf's law: n has a probability of about 1/n to the
    /// power of `exponent`, which is not 1.
    pub(super) fn skewed(&mut self, end: u32, exponent: f64) -> u32 {
        let power = 1.0 - exponent;
        let span = (f64::from(end) + 1.0).powf(power) - 1.0;
        let drawn = (1.0 + self.unit() * span).powf(1.0 / power) - 1.0;
        whole(drawn).min(end - 1)
    }

    /// An item; the first ones more often.
    pub(super) fn pick<'a, T>(&mut self, items: &'a [T], exponent: f64) -> &'a T {
        &items[index(self.skewed(length(items), exponent))]
    }

    /// An item; each as often.
    pub(super) fn any<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[index(self.below(length(items)))]
    }

    /// A text; the first ones more often.
    pub(super) fn text<'a>(&mut self, texts: &'a [Box<str>], exponent: f64) -> &'a str {
        &texts[index(self.skewed(length(texts), exponent))]
    }

    /// An item of a list with the weight of each.
    pub(super) fn weighed<'a, T>(&mut self, items: &'a [(f64, T)]) -> &'a T {
        let all: f64 = items.iter().map(|(weight, _)| weight).sum();
        let mut left = self.unit() * all;
        let drawn = items.iter().find(|(weight, _)| {
            left -= weight;
            left < 0.0
        });
        &drawn.or(items.last()).expect("lists are not empty").1
    }
}

/// Mixes two numbers into one that looks random.
pub(super) fn mixed(a: u64, b: u64) -> u64 {
    let mut dice = Dice(a);
    Dice(dice.bits() ^ b).bits()
}

#[expect(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "no other conversion from a float exists, and this one saturates"
)]
pub(super) fn whole(number: f64) -> u32 {
    number as u32
}

pub(super) fn index(n: u32) -> usize {
    usize::try_from(n).expect("32 bits fit a pointer's size")
}

pub(super) fn length<T>(items: &[T]) -> u32 {
    u32::try_from(items.len()).expect("lists are short")
}
