//! Random questions, zones among them.

use std::ops::Range;

use slugline_domain::{
    Bots, Choice, Destinations, Dimension, EventsQuery, HeatmapQuery, LinkId, LocationsQuery,
    MetricsQuery, RowLimit, TimeUnit, UnixMillis, UnixSeconds, UtcOffset, ViewsQuery, VisitFilter,
    ZoneOffsets,
};

use super::{
    dice::Dice,
    question::Question,
    visits::{self, DOMAINS, LINKS, MOMENTS, texts_of},
};
use crate::questions::{by_link, total};

/// A random query. Those with the lowest numbers ask for the values of each dimension, among all
/// visits, and then among those with some of its values.
pub(super) fn random(dice: &Dice, number: usize) -> Question {
    let mut filter = VisitFilter {
        destinations: destinations(dice),
        ..filter(dice)
    };
    let dimensions = Dimension::ALL.len();
    if number < 2 * dimensions {
        let dimension = Dimension::ALL[number % dimensions];
        if number >= dimensions {
            let values = several(dice).map(|_| value(dice, dimension));
            filter.links = Choice::default();
            filter.values = vec![(dimension, choice(dice, values))];
            let bots = dice.pick(&[Bots::Include, Bots::Exclude]);
            filter.values.extend(bots.condition());
            if dice.one_in(3) {
                filter.values.push(on_domains(dice));
            }
        }
        return Question::Metrics(MetricsQuery {
            filter,
            dimension,
            limit: limit(dice),
            visitors: dice.one_in(2),
        });
    }
    match number % 7 {
        0 => Question::Counters(total(filter)),
        1 => Question::Counters(by_link(filter)),
        2 | 3 => Question::Views(ViewsQuery {
            filter,
            unit: dice.pick(&[TimeUnit::Minute, TimeUnit::Hour, TimeUnit::Day]),
            zone: zone(dice),
        }),
        4 => Question::Heatmap(HeatmapQuery {
            filter,
            zone: zone(dice),
        }),
        5 if dice.one_in(3) => Question::Visits(filter),
        5 if dice.one_in(2) => Question::Locations(LocationsQuery {
            filter,
            limit: limit(dice),
        }),
        5 => Question::Access(filter),
        _ => Question::Events(EventsQuery {
            filter,
            limit: limit(dice),
        }),
    }
}

/// The destinations of a caller who sees all, or of one who does not.
fn destinations(dice: &Dice) -> Destinations {
    if dice.one_in(2) {
        return Destinations::All;
    }
    Destinations::Unprotected
}

fn limit(dice: &Dice) -> RowLimit {
    let rows = dice.pick(&[1, 2, 3, 7, 20, 500, 5_000]);
    RowLimit::new(rows, RowLimit::MAX).expect("test limits are within bounds")
}

/// New York and Lord Howe Island, whose clocks change by an hour and by half an
/// hour; Kathmandu, which is 45 minutes off; and others.
fn zone(dice: &Dice) -> ZoneOffsets {
    let offset = |minutes: i32| {
        UtcOffset::from_seconds(minutes * 60).expect("test offsets are within bounds")
    };
    let [
        to_summer,
        lord_howe_to_winter,
        _,
        lord_howe_to_summer,
        to_winter,
    ] = MOMENTS.map(UnixMillis::new);
    match dice.below(5) {
        0 => ZoneOffsets::default(),
        1 => ZoneOffsets::new(
            offset(-5 * 60),
            vec![(to_summer, offset(-4 * 60)), (to_winter, offset(-5 * 60))],
        ),
        2 => ZoneOffsets::new(
            offset(11 * 60),
            vec![
                (lord_howe_to_winter, offset(10 * 60 + 30)),
                (lord_howe_to_summer, offset(11 * 60)),
            ],
        ),
        3 => ZoneOffsets::fixed(offset(5 * 60 + 45)),
        _ => ZoneOffsets::fixed(offset(13 * 60)),
    }
}

fn filter(dice: &Dice) -> VisitFilter {
    const DAY: i64 = 86_400;
    let second = || {
        let second = visits::second(dice);
        if dice.one_in(3) {
            second - second.rem_euclid(DAY)
        } else {
            second
        }
    };
    let mut filter = VisitFilter::default();
    if dice.one_in(4) {
        filter.from = UnixSeconds::new(second()).ok();
    }
    if dice.one_in(4) {
        filter.until = UnixSeconds::new(second() - 1).ok();
    }
    let bots = dice.pick(&[Bots::Include, Bots::Include, Bots::Exclude, Bots::Only]);
    filter.values.extend(bots.condition());
    if dice.one_in(3) {
        filter.values.push(on_domains(dice));
    }
    if dice.one_in(3) {
        return filter;
    }
    if dice.one_in(4) {
        let links = several(dice).filter_map(|_| LinkId::parse(dice.pick(&LINKS)).ok());
        filter.links = choice(dice, links);
    }
    for _ in 0..dice.below(5).saturating_sub(2) {
        let dimension = dice.pick(Dimension::ALL);
        let values = several(dice).map(|_| value(dice, dimension));
        filter.values.push((dimension, choice(dice, values)));
    }
    filter
}

/// A condition on domains: mostly one of them, as a person or a token that is bound to it asks.
fn on_domains(dice: &Dice) -> (Dimension, Choice<String>) {
    let domains = if dice.one_in(4) {
        let several = several(dice).map(|_| value(dice, Dimension::Domain));
        choice(dice, several)
    } else {
        Choice::any_of([dice.pick(&DOMAINS).to_owned()])
    };
    (Dimension::Domain, domains)
}

/// The number of values of a choice; seldom zero.
fn several(dice: &Dice) -> Range<u32> {
    0..if dice.one_in(12) {
        0
    } else {
        1 + dice.below(4)
    }
}

fn choice<T: Ord>(dice: &Dice, values: impl Iterator<Item = T>) -> Choice<T> {
    if dice.one_in(2) {
        Choice::any_of(values)
    } else {
        Choice::none_of(values)
    }
}

/// A value that some row may have, or that no row has.
fn value(dice: &Dice, dimension: Dimension) -> String {
    if dice.one_in(8) {
        return "nothing like it".to_owned();
    }
    if dimension == Dimension::Ip {
        return visits::token(visits::visitor(dice));
    }
    // Answers show hidden destinations like this.
    if dimension == Dimension::Url && dice.one_in(4) {
        return String::new();
    }
    dice.pick(&texts_of(dimension)).to_owned()
}
