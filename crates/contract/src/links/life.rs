//! The members that bound a link's life, as clients send them.

use schemars::JsonSchema;
use serde::Deserialize;
use slugline_domain::{Destination, DestinationRules, Life, LifePatch, MaxVisits, UnixSeconds};

use crate::{
    bounds::Bounds, instant::Instant, issue::IssueCode, json_integer::JsonInteger, sent::Sent,
    validation::Validation,
};

/// When a link starts and ends, and where visitors go before and after.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct LifeMembers {
    /// When it starts; hidden until then.
    #[schemars(range(min = UnixSeconds::MIN, max = UnixSeconds::MAX))]
    pub starts_at: Sent<Instant>,
    /// Destination before startsAt.
    #[schemars(url, length(min = 1, max = DestinationRules::DEFAULT_MAX_CHARS))]
    pub start_url: Sent<String>,
    /// Destination when expired or used up.
    #[schemars(url, length(min = 1, max = DestinationRules::DEFAULT_MAX_CHARS))]
    pub expired_url: Sent<String>,
    /// Visits it takes; 1 for a one-time link.
    #[schemars(range(min = 1, max = MaxVisits::MAX))]
    pub max_visits: Sent<JsonInteger>,
    /// Hide it from visitors.
    pub disabled: Sent<bool>,
}

impl LifeMembers {
    /// Returns the change that the members make; `null` removes. A new link has what it sets.
    pub(super) fn patch(&self, validation: &mut Validation, bounds: &Bounds) -> LifePatch {
        let Self {
            starts_at,
            start_url,
            expired_url,
            max_visits,
            disabled,
        } = self;
        let to = |validation: &mut Validation, name: &str, url: &str| {
            validation.member(&[name], Destination::parse(url, &bounds.destinations))
        };
        LifePatch {
            starts_at: validation.change(&["startsAt"], starts_at, |validation, sent| {
                validation.member(&["startsAt"], sent.planned())
            }),
            start_url: validation.change(&["startUrl"], start_url, |validation, url| {
                to(validation, "startUrl", url)
            }),
            expired_url: validation.change(&["expiredUrl"], expired_url, |validation, url| {
                to(validation, "expiredUrl", url)
            }),
            max_visits: validation.change(&["maxVisits"], max_visits, |validation, visits| {
                validation.member(&["maxVisits"], MaxVisits::new(visits.0))
            }),
            disabled: validation.change(&["disabled"], disabled, |_, flag| Some(*flag)),
        }
    }

    /// Notes each `null`, which stands for nothing in a new link.
    pub(super) fn refuse_null(&self, validation: &mut Validation) {
        let Self {
            starts_at,
            start_url,
            expired_url,
            max_visits,
            disabled,
        } = self;
        validation.refuse_null("startsAt", starts_at);
        validation.refuse_null("startUrl", start_url);
        validation.refuse_null("expiredUrl", expired_url);
        validation.refuse_null("maxVisits", max_visits);
        validation.refuse_null("disabled", disabled);
    }

    /// The members that are texts.
    pub(super) fn texts(&mut self) -> [&mut Sent<String>; 2] {
        [&mut self.start_url, &mut self.expired_url]
    }
}

/// The names of the members, which a replacing body may set to `null`.
pub(super) const NAMES: [&str; 5] = [
    "startsAt",
    "startUrl",
    "expiredUrl",
    "maxVisits",
    "disabled",
];

/// The destinations among the members, with their names.
pub(super) fn destinations(life: &Life) -> [(&'static str, Option<&Destination>); 2] {
    let Life {
        starts_at: _,
        start_url,
        expired_url,
        max_visits: _,
        disabled: _,
    } = life;
    [
        ("startUrl", start_url.as_ref()),
        ("expiredUrl", expired_url.as_ref()),
    ]
}

/// Returns the number of visits used of an imported link: an export says how many are left. A
/// link without a limit has none.
pub(super) fn visits_used(
    validation: &mut Validation,
    most: Option<MaxVisits>,
    left: &Sent<JsonInteger>,
) -> u32 {
    let left = validation.value(&["visitsLeft"], left);
    let (Some(most), Some(JsonInteger(left))) = (most, left) else {
        return 0;
    };
    let left = u32::try_from(*left).ok();
    let used = left.and_then(|left| most.get().checked_sub(left));
    used.unwrap_or_else(|| {
        let message = "visitsLeft must be a number from 0 to maxVisits".to_owned();
        let expected = format!("0 to {}", most.get());
        validation.note(&["visitsLeft"], (IssueCode::Custom, message, expected));
        0
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use slugline_domain::Change;
    use slugline_testkit::{assert_matches, full_link};

    use super::*;
    use crate::{
        Problem,
        links::{CreateLink, EditLink, ExportedLink, ImportLink, PatchLink},
        reader::read,
    };

    fn create(life: &Value) -> Result<Life, Problem> {
        let mut link = json!({"url": "https://example.com/", "expiration": 1_900_000_000});
        let members = link.as_object_mut().unwrap();
        members.extend(life.as_object().unwrap().clone());
        let (link, _) = read::<CreateLink>(&link)?.validate(&Bounds::default())?;
        Ok(link.content.life)
    }

    #[test]
    fn faults_name_the_member_and_the_way_out() {
        for (life, path, message) in [
            (json!({"startsAt": "soon"}), "startsAt", "RFC"),
            (
                json!({"startsAt": 1_900_000_000}),
                "startsAt",
                "earlier than expiration",
            ),
            (
                json!({"startUrl": "https://soon.example/"}),
                "startUrl",
                "needs startsAt",
            ),
            (json!({"startsAt": 5, "startUrl": "x"}), "startUrl", "URL"),
            (json!({"expiredUrl": "javascript:1"}), "expiredUrl", ""),
            (json!({"maxVisits": 0}), "maxVisits", "from 1 to 1000000000"),
            (
                json!({"maxVisits": 1_000_000_001}),
                "maxVisits",
                "from 1 to",
            ),
            (json!({"maxVisits": 1.5}), "maxVisits", "integer"),
        ] {
            let problem = create(&life).unwrap_err();
            let issue = &problem.issues[0];
            assert_eq!(issue.path, [path], "{life}");
            let said = format!("{} {}", issue.message, issue.expected);
            assert!(message == "RFC" || said.contains(message), "{life}: {said}");
            assert_eq!(problem.issues.len(), 1, "{problem}");
        }
        let life = create(
            &json!({"startsAt": "2027-01-15T08:00:00Z", "maxVisits": 1.0,
            "startUrl": "https://soon.example/", "disabled": false}),
        );
        let life = life.unwrap();
        assert_eq!(life.starts_at.unwrap().get(), 1_800_000_000);
        assert_eq!(life.max_visits.unwrap().get(), 1);
        assert!(!life.disabled && life.expired_url.is_none());
    }

    #[test]
    fn a_replacing_body_keeps_what_it_leaves_out_and_removes_what_is_null() {
        let body = json!({"slug": "docs", "url": "https://e.example/", "maxVisits": null,
            "startsAt": 5});
        let edit = read::<EditLink>(&body).unwrap();
        let life = edit.validate(&Bounds::default()).unwrap().0.ours.life;
        assert_eq!(life.max_visits, Change::Clear);
        assert_matches!(life.starts_at, Change::Set(_));
        assert_eq!(life.expired_url, Change::Keep);
        let patch = read::<PatchLink>(&json!({"slug": "docs", "disabled": null})).unwrap();
        let (_, patch, _) = patch.validate(&Bounds::default()).unwrap();
        assert_eq!(patch.life.disabled, Change::Clear);
        assert_eq!(patch.life.max_visits, Change::Keep);
    }

    #[test]
    fn an_export_is_imported_with_the_visits_that_were_used() {
        let mut link = full_link("docs");
        link.password = None;
        let exported = serde_json::to_value(ExportedLink::from(&link)).unwrap();
        assert_eq!(exported["visitsLeft"], 60);
        let read_back = |exported: &Value| {
            let link = read::<ImportLink>(exported).unwrap();
            link.validate(&Bounds::default())
        };
        let imported = read_back(&exported).unwrap();
        assert_eq!(imported.visits_used, 40);
        assert_eq!(imported.content.life, link.content.life);
        let mut wrong = exported.clone();
        for left in [json!(101), json!(-1)] {
            wrong["visitsLeft"] = left;
            let problem = read_back(&wrong).unwrap_err();
            assert_eq!(problem.issues[0].path, ["visitsLeft"]);
        }
        wrong.as_object_mut().unwrap().remove("maxVisits");
        assert_eq!(read_back(&wrong).unwrap().visits_used, 0);
    }
}
