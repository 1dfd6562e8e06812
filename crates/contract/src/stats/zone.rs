//! Names of time zones.

use jiff::{Timestamp, tz::TimeZone};
use slugline_domain::{UnixMillis, UnixSeconds, UtcOffset, VisitFilter, ZoneOffsets};

use crate::{
    issue::{Fault, IssueCode},
    sent::Sent,
    validation::Validation,
};

/// The longest name: Sink's bound. IANA's longest has 30 characters.
const MAX_CHARS: usize = 64;

/// The form of a name as a regular expression, for the error: Sink's.
const PATTERN: &str = r"^[\w+-]+(?:\/[\w+-]+)*$";

/// The zone if none is named.
pub(super) const DEFAULT: &str = "Etc/UTC";

/// Browsers send it if their system has no zone.
const UNKNOWN: &str = "Etc/Unknown";

/// The earliest possible visit.
const EARLIEST: i64 = 0;

/// 2100-01-01. Offsets are computed until then if a query has no end.
const LATEST: i64 = 4_102_444_800;

/// Returns the offsets of the named zone over the time range of a filter.
pub(super) fn validate(
    validation: &mut Validation,
    sent: &Sent<String>,
    filter: &VisitFilter,
) -> ZoneOffsets {
    let name = validation.value(&["clientTimezone"], sent);
    let name = name.map_or(DEFAULT, String::as_str);
    let zone = find(name).unwrap_or_else(|| {
        validation.note(&["clientTimezone"], fault(name));
        TimeZone::UTC
    });
    let within = |moment: Option<UnixSeconds>, otherwise: i64| {
        let seconds = moment.map_or(otherwise, UnixSeconds::get);
        seconds.clamp(EARLIEST, LATEST)
    };
    offsets(
        &zone,
        within(filter.from, EARLIEST),
        within(filter.until, LATEST),
    )
}

/// Returns the name of the zone of an answer: the named one, else the default.
pub(super) fn in_force(sent: &Sent<String>) -> String {
    let named = sent.value().and_then(|name| find(name));
    let name = named.as_ref().and_then(TimeZone::iana_name);
    name.unwrap_or(DEFAULT).to_owned()
}

/// Returns whether a zone has the name.
pub(crate) fn is_known(name: &str) -> bool {
    find(name).is_some()
}

/// Returns a question for the zone of a city, if one has the name: `, did you mean
/// Europe/Berlin?`
pub(super) fn hint(city: &str) -> String {
    let city = city.trim().replace(' ', "_");
    let named = jiff::tz::db().available().find_map(|zone| {
        let (_, last) = zone.as_str().rsplit_once('/')?;
        last.eq_ignore_ascii_case(&city).then(|| zone.to_string())
    });
    named.map_or_else(String::new, |zone| format!(", did you mean {zone}?"))
}

fn find(name: &str) -> Option<TimeZone> {
    let name = if name.eq_ignore_ascii_case(UNKNOWN) {
        DEFAULT
    } else {
        name
    };
    is_legal(name).then(|| TimeZone::get(name).ok())?
}

/// The fault of a name that no zone has.
fn fault(name: &str) -> Fault {
    if is_legal(name) {
        let message = format!("There is no time zone {name:?}{}", hint(name));
        let expected = "an IANA name, such as Europe/Berlin".to_owned();
        return (IssueCode::InvalidValue, message, expected);
    }
    let message = format!("Invalid string: must match pattern /{PATTERN}/");
    let expected =
        format!("the name of a time zone, at most {MAX_CHARS} characters, such as {DEFAULT}");
    (IssueCode::InvalidFormat, message, expected)
}

fn is_legal(name: &str) -> bool {
    let is_part = |part: &str| {
        let legal = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'+' | b'-');
        !part.is_empty() && part.bytes().all(legal)
    };
    name.len() <= MAX_CHARS && name.split('/').all(is_part)
}

/// Returns the offsets of a zone between two seconds.
fn offsets(zone: &TimeZone, from: i64, until: i64) -> ZoneOffsets {
    let moment = |seconds| Timestamp::from_second(seconds).unwrap_or(Timestamp::UNIX_EPOCH);
    let offset = |offset: jiff::tz::Offset| {
        UtcOffset::from_seconds(offset.seconds()).unwrap_or(UtcOffset::UTC)
    };
    let (from, until) = (moment(from), moment(until));
    let changes = zone
        .following(from)
        .take_while(|change| change.timestamp() <= until)
        .map(|change| {
            let at = UnixMillis::new(change.timestamp().as_millisecond());
            (at, offset(change.offset()))
        })
        .collect();
    ZoneOffsets::new(offset(zone.to_offset(from)), changes)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::faults::faults;

    fn zone(name: &str, from: i64, until: i64) -> Option<ZoneOffsets> {
        let filter = slugline_testkit::questions::between(from, until);
        let mut validation = Validation::default();
        let zone = validate(&mut validation, &Sent::Value(name.into()), &filter);
        validation.finish(|| Some(zone)).ok()
    }

    /// 2025-03-01 and 2025-12-01.
    const YEAR: (i64, i64) = (1_740_787_200, 1_764_547_200);

    #[rstest]
    #[case("Etc/UTC", 0, &[])]
    #[case("Asia/Kathmandu", 20_700, &[])]
    #[case("america/new_york", -18_000, &[(1_741_503_600, -14_400), (1_762_063_200, -18_000)])]
    #[case("Australia/Lord_Howe", 39_600, &[(1_743_865_200, 37_800), (1_759_591_800, 39_600)])]
    #[case("Europe/Berlin", 3_600, &[(1_743_296_400, 7_200), (1_761_440_400, 3_600)])]
    #[case("Etc/GMT+5", -18_000, &[])]
    #[case("Etc/Unknown", 0, &[])]
    #[case("etc/unknown", 0, &[])]
    fn zones_have_the_offsets_of_their_clocks(
        #[case] name: &str,
        #[case] first: i32,
        #[case] changes: &[(i64, i32)],
    ) {
        let zone = zone(name, YEAR.0, YEAR.1).unwrap();
        assert_eq!(zone.first().seconds(), first);
        let found: Vec<(i64, i32)> = zone
            .changes()
            .iter()
            .map(|(at, offset)| (at.second().get(), offset.seconds()))
            .collect();
        assert_eq!(found, changes);
    }

    #[test]
    fn the_zone_in_force_is_named() {
        let sent = |name: &str| Sent::Value(name.to_owned());
        assert_eq!(in_force(&sent("america/new_york")), "America/New_York");
        assert_eq!(in_force(&sent("Etc/Unknown")), "Etc/UTC");
        assert_eq!(in_force(&Sent::Absent), "Etc/UTC");
    }

    #[rstest]
    #[case("Europe/Berlim", "There is no time zone \"Europe/Berlim\"")]
    #[case(
        "Berlin",
        "There is no time zone \"Berlin\", did you mean Europe/Berlin?"
    )]
    #[case(
        "new_york",
        "There is no time zone \"new_york\", did you mean America/New_York?"
    )]
    fn a_zone_that_does_not_exist_is_refused(#[case] name: &str, #[case] message: &str) {
        let mut validation = Validation::default();
        let sent = Sent::Value(name.to_owned());
        validate(&mut validation, &sent, &VisitFilter::default());
        let fault = ("clientTimezone".to_owned(), message.to_owned());
        assert_eq!(faults(validation.finish(|| Some(()))), [fault]);
    }

    #[test]
    fn changes_outside_the_question_are_not_listed() {
        let summer = zone("America/New_York", 1_741_503_600, 1_762_063_199).unwrap();
        assert_eq!(summer.first().seconds(), -14_400);
        assert_eq!(summer.changes(), []);
        let endless = zone("America/New_York", UnixSeconds::MIN, UnixSeconds::MAX).unwrap();
        assert!((200..300).contains(&endless.changes().len()));
    }

    #[rstest]
    #[case("")]
    #[case("Europe/")]
    #[case("/Europe")]
    #[case("Europe Berlin")]
    #[case("Europe/Zürich")]
    #[case("../etc/passwd")]
    #[case("a.b")]
    fn names_of_another_form_are_refused(#[case] name: &str) {
        assert_eq!(zone(name, 0, 0), None);
    }

    #[test]
    fn a_name_is_bounded() {
        let refused = |length: usize| fault(&"a".repeat(length)).0;
        assert_eq!(refused(64), IssueCode::InvalidValue);
        assert_eq!(refused(65), IssueCode::InvalidFormat);
    }
}
