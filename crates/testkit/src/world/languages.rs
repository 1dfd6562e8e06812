//! The languages that browsers name.

use super::{
    areas::{AREAS, Area},
    dice::Dice,
};

/// The headers of each area's people: in most people's language, and in English.
#[derive(Debug)]
pub(super) struct Languages(Vec<[Box<str>; 4]>);

impl Languages {
    pub(super) fn new() -> Self {
        Self(AREAS.iter().map(headers).collect())
    }

    /// The header of a person of an area.
    pub(super) fn of_person(&self, area: usize, taste: &mut Dice) -> &str {
        let headers = &self.0[area];
        match taste.below(20) {
            0..11 => &headers[0],
            11..16 => &headers[1],
            16..19 => &headers[2],
            _ => &headers[3],
        }
    }
}

fn headers(area: &Area) -> [Box<str>; 4] {
    let Area {
        country, language, ..
    } = area;
    [
        format!("{language}-{country},{language};q=0.9,en-US;q=0.8,en;q=0.7").into(),
        format!("{language}-{country},{language};q=0.9").into(),
        "en-US,en;q=0.9".into(),
        format!("en-{country},en;q=0.9,{language};q=0.8").into(),
    ]
}
