use std::{ops::Range, sync::Arc};

use slugline_domain::{
    Bots, Choice, CountersQuery, Degrees, Destinations, Dimension, EventsQuery, HeatmapQuery,
    LinkId, LocationsQuery, MetricsQuery, RowLimit, TimeUnit, UnixMillis, UnixSeconds, UtcOffset,
    ViewsQuery, VisitFilter, ZoneOffsets,
};

use super::{
    Question,
    dice::Dice,
    rows::{
        self, AGENTS, BROWSER_TYPES, BROWSERS, CITIES, COLOS, COUNTRIES, DEVICE_TYPES, DEVICES,
        LANGUAGES, LATITUDES, LINKS, LONGITUDES, MOMENTS, PROTECTIONS, REFERERS, REGIONS, SLUGS,
        SYSTEMS, URLS, UTM_CAMPAIGNS, UTM_MEDIUMS, UTM_SOURCES, ZONES,
    },
};

/// A random query. The first ones of a round use each dimension.
pub(super) fn random(dice: &Dice, number: usize) -> Question {
    let mut filter = VisitFilter {
        destinations: destinations(dice),
        ..filter(dice)
    };
    if let Some(&dimension) = Dimension::ALL.get(number) {
        if dice.one_in(4) {
            let values = several(dice).map(|_| value(dice, dimension));
            filter.links = Choice::default();
            filter.values = vec![(dimension, choice(dice, values))];
        }
        return Question::Metrics(MetricsQuery {
            filter,
            dimension,
            limit: limit(dice),
            visitors: dice.one_in(2),
        });
    }
    match number % 7 {
        0 => Question::Counters(CountersQuery {
            filter,
            per_link: false,
        }),
        1 => Question::Counters(CountersQuery {
            filter,
            per_link: true,
        }),
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
        5 if dice.one_in(3) => Question::Unrecorded(filter),
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

/// Those of somebody who sees all, or of somebody from whom some are hidden.
fn destinations(dice: &Dice) -> Destinations {
    if dice.one_in(2) {
        return Destinations::All;
    }
    let links = several(dice).filter_map(|_| LinkId::parse(dice.pick(&LINKS)).ok());
    Destinations::Unprotected {
        unrecorded: Arc::new(links.collect()),
    }
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
        let second = rows::second(dice);
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
    if dice.one_in(3) {
        return filter;
    }
    if dice.one_in(4) {
        let links = several(dice).filter_map(|_| LinkId::parse(dice.pick(&LINKS)).ok());
        filter.links = choice(dice, links);
    }
    for _ in 0..dice.below(5).saturating_sub(2) {
        let dimension = dice.pick(&Dimension::ALL);
        let values = several(dice).map(|_| value(dice, dimension));
        filter.values.push((dimension, choice(dice, values)));
    }
    let bots = dice.pick(&[Bots::Include, Bots::Include, Bots::Exclude, Bots::Only]);
    filter.values.extend(bots.condition());
    filter
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
    let degrees = |degrees| Degrees::nearest(degrees).to_string();
    let text = match dimension {
        Dimension::Slug => dice.pick(&SLUGS),
        Dimension::Url if dice.one_in(4) => "",
        Dimension::Url => dice.pick(&URLS),
        Dimension::UserAgent => dice.pick(&AGENTS),
        Dimension::Referer => dice.pick(&REFERERS),
        Dimension::Country => dice.pick(&COUNTRIES),
        Dimension::Region => dice.pick(&REGIONS),
        Dimension::City => dice.pick(&CITIES),
        Dimension::Timezone => dice.pick(&ZONES),
        Dimension::Language => dice.pick(&LANGUAGES),
        Dimension::Os => dice.pick(&SYSTEMS),
        Dimension::Browser => dice.pick(&BROWSERS),
        Dimension::BrowserType => dice.pick(&BROWSER_TYPES),
        Dimension::Device => dice.pick(&DEVICES),
        Dimension::DeviceType => dice.pick(&DEVICE_TYPES),
        Dimension::Colo => dice.pick(&COLOS),
        Dimension::UtmSource => dice.pick(&UTM_SOURCES),
        Dimension::UtmMedium => dice.pick(&UTM_MEDIUMS),
        Dimension::UtmCampaign => dice.pick(&UTM_CAMPAIGNS),
        Dimension::Protection => dice.pick(&PROTECTIONS),
        Dimension::Ip => return rows::visitor(dice).to_string(),
        Dimension::Latitude => return degrees(dice.pick(&LATITUDES)),
        Dimension::Longitude => return degrees(dice.pick(&LONGITUDES)),
    };
    text.to_owned()
}
