//! Links that suddenly get many visits: people pass one on, or a robot asks for it again and again.

use super::dice::{Dice, index, length, whole};

/// The times that a link goes viral.
const VIRAL: u32 = 260;

/// The floods by robots.
const FLOODS: u32 = 140;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// People pass on the link, most of them in this area.
    Viral { home: usize },
    /// A robot asks for it.
    Flood { robot: u32 },
}

/// One surge.
#[derive(Clone, Copy, Debug)]
pub(super) struct Surge {
    pub(super) cause: Cause,
    /// Decides the link.
    pub(super) number: u32,
    /// The minute after the first day's midnight.
    first: u32,
    minutes: u32,
    /// Minutes to the peak, and those in which the visits become a third after it.
    rise: f64,
    fall: f64,
    /// Its visits in the minute of the peak, as a part of all visits.
    peak: f64,
}

impl Surge {
    /// Its visits in a minute, as a part of all visits.
    pub(super) fn weight(&self, minute: u32) -> f64 {
        match minute.checked_sub(self.first) {
            Some(since) if since < self.minutes => self.peak * self.shape(f64::from(since)),
            _ => 0.0,
        }
    }

    fn shape(&self, since: f64) -> f64 {
        if since < self.rise {
            (since + 1.0) / (self.rise + 1.0)
        } else {
            (-(since - self.rise) / self.fall).exp()
        }
    }
}

/// All surges, and those that go on.
#[derive(Debug)]
pub(super) struct Surges {
    /// In order of their beginning.
    all: Vec<Surge>,
    begun: usize,
    current: Vec<(f64, Surge)>,
}

impl Surges {
    /// Surges within so many minutes with these parts of all visits.
    pub(super) fn new(
        minutes: u32,
        viral: f64,
        floods: f64,
        areas: &[u32],
        dice: &mut Dice,
    ) -> Self {
        let mut all = Vec::new();
        for (count, share) in [(VIRAL, viral), (FLOODS, floods)] {
            let sizes: f64 = (1..=count).map(size).sum();
            for n in 0..count {
                // They begin by night and by day.
                let first = dice.below(minutes);
                let (cause, rise, fall) = if count == VIRAL {
                    let home = area(areas, dice);
                    (
                        Cause::Viral { home },
                        dice.between(5.0, 40.0),
                        dice.between(60.0, 420.0),
                    )
                } else {
                    let robot = dice.half();
                    // A flood begins and ends at once.
                    (Cause::Flood { robot }, 1.0, dice.between(10.0, 240.0))
                };
                let surge = Surge {
                    cause,
                    number: length(&all),
                    first,
                    minutes: whole(rise + fall * 7.0).min(minutes - first),
                    rise,
                    fall,
                    peak: 1.0,
                };
                let whole_shape: f64 = (0..surge.minutes).map(|m| surge.shape(f64::from(m))).sum();
                let peak = share * size(n + 1) / sizes / whole_shape;
                all.push(Surge { peak, ..surge });
            }
        }
        all.sort_by_key(|surge| (surge.first, surge.number));
        Self {
            all,
            begun: 0,
            current: Vec::new(),
        }
    }

    /// The weight of all surges in each minute.
    pub(super) fn by_minute(&self, minutes: u32) -> Vec<f64> {
        let mut weights = vec![0.0; index(minutes)];
        for surge in &self.all {
            for minute in surge.first..surge.first + surge.minutes {
                weights[index(minute)] += surge.weight(minute);
            }
        }
        weights
    }

    /// Moves on to a minute.
    pub(super) fn move_to(&mut self, minute: u32) {
        while let Some(surge) = self.all.get(self.begun)
            && surge.first <= minute
        {
            self.current.push((0.0, *surge));
            self.begun += 1;
        }
        self.current
            .retain(|(_, surge)| minute < surge.first + surge.minutes);
        for (weight, surge) in &mut self.current {
            *weight = surge.weight(minute);
        }
    }

    /// The surge of a visit in the minute; `None` if there is none.
    pub(super) fn any(&self, dice: &mut Dice) -> Option<Surge> {
        (!self.current.is_empty()).then(|| *dice.weighed(&self.current))
    }
}

/// The relative size of the nth largest.
fn size(n: u32) -> f64 {
    f64::from(n).powf(-0.7)
}

fn area(areas: &[u32], dice: &mut Dice) -> usize {
    let all: u32 = areas.iter().sum();
    let mut left = dice.below(all);
    let found = areas.iter().position(|people| {
        let is_here = left < *people;
        left = left.saturating_sub(*people);
        is_here
    });
    found.unwrap_or_default()
}
