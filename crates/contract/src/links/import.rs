//! Imports of links.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use slugline_application::{ImportOutcome, ImportedLink};
use slugline_domain::{DomainName, LinkId};

use super::{Note, import_link::ImportLink, key::shown_domain};
use crate::{
    Code, Problem,
    issue::IssueCode,
    scalars::{BoolOrString, JsonInteger},
    sent::Sent,
    validation::Validation,
};

/// Links to be taken over, as an export holds them.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["version", "links"]))]
pub struct ImportLinks {
    /// Version of the form.
    pub version: Sent<String>,
    /// When the links were exported.
    pub exported_at: Sent<String>,
    /// The number of links.
    pub count: Sent<JsonInteger>,
    /// The links.
    // Read one by one, and only if they are not too many: a link takes a hundred
    // times the memory of `{}`.
    #[schemars(with = "Vec<ImportLink>", length(min = 1))]
    pub links: Sent<Vec<Value>>,
    /// Check and store nothing.
    #[schemars(extend("default" = false))]
    pub validate_only: Sent<bool>,
}

/// The terms of an import, for bodies that have no place for them.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ImportTerms {
    /// Check everything and store nothing; the same as in the body.
    #[schemars(extend("default" = false))]
    pub validate_only: Sent<BoolOrString>,
    /// The domain of all links, whatever host they name; empty for the default one.
    pub domain: Sent<String>,
}

impl ImportTerms {
    /// Returns whether the import is only checked, and the domain of all links.
    ///
    /// # Errors
    /// A member is no boolean, or no host.
    pub fn validate(&self) -> Result<(bool, Option<DomainName>), Problem> {
        let mut validation = Validation::default();
        let validate_only = validation.flag("validateOnly", &self.validate_only);
        let domain =
            validation.optional(&["domain"], &self.domain, |it| DomainName::parse(it.trim()));
        validation.finish(|| Some((validate_only, domain)))
    }
}

/// The most links in one import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImportLimit(pub usize);

impl ImportLimit {
    /// Sink's default.
    pub const DEFAULT: Self = Self(100);

    /// Checks the number of links in one request.
    ///
    /// # Errors
    /// There are too many links, or none.
    pub fn validate(self, links: usize) -> Result<(), Problem> {
        let Self(most) = self;
        if links == 0 {
            let mut validation = Validation::default();
            let message = "Too small: expected array to have >=1 items".into();
            validation.note(
                &["links"],
                (IssueCode::TooSmall, message, "1 link or more".into()),
            );
            return validation.finish(|| None);
        }
        if links > most {
            let detail = format!("send the links in parts of at most {most}");
            return Err(Problem {
                title: format!("Too many links. Maximum {most} links per request."),
                ..Problem::new(Code::TooManyLinks, detail)
            });
        }
        Ok(())
    }
}

impl ImportLinks {
    /// Notes faults of the members beside the links.
    pub(crate) fn check_envelope(&self, validation: &mut Validation) {
        validation.there(&["version"], &self.version);
        validation.value(&["exportedAt"], &self.exported_at);
        validation.value(&["count"], &self.count);
        validation.there(&["links"], &self.links);
        validation.value(&["validateOnly"], &self.validate_only);
    }
}

/// The outcome for the links of an import.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkImport {
    /// Links that were taken over.
    pub success: usize,
    /// Links whose slug an active link owns, which stays as it is.
    pub skipped: usize,
    /// Links that could not be taken over.
    pub failed: usize,
    /// Those that were taken over.
    pub success_items: Vec<ImportItem>,
    /// Those that were skipped. One without a reason came before.
    pub skipped_items: Vec<ImportItem>,
    /// Those that failed.
    pub failed_items: Vec<ImportItem>,
    /// Members of links, or columns, that links do not have, and parts of links of other products that
    /// ours cannot have, such as `links.3: tag x: a link has at most 10`. They were ignored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignored_names: Vec<String>,
    /// Present and true if the links were only checked: nothing is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validate_only: Option<bool>,
    /// Present if a link asks what no visit will tell, such as places where they are unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Note,
}

/// A link of an import.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ImportItem {
    /// Its position in the request, from 0.
    pub index: usize,
    /// Its slug.
    pub slug: String,
    /// The host of its domain; left out for the default one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// Its destination.
    pub url: String,
    /// Why it was left out, unless it is here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Says why a link with this identifier was left out, unless it is here from an earlier import.
pub fn left_out(outcome: &ImportOutcome, id: Option<&LinkId>) -> Option<String> {
    let reason = match outcome {
        ImportOutcome::Stored | ImportOutcome::CameBefore => return None,
        ImportOutcome::Skipped => "another link has this slug",
        ImportOutcome::IdTaken => {
            let id = id.map_or("", LinkId::as_str);
            return Some(format!(
                "another link has the id {id:?}; leave id out to get a new one"
            ));
        }
        ImportOutcome::Forwarding(fault) => {
            return Some(format!("{}: {}", fault.path, fault.reason));
        }
        ImportOutcome::NoDomain => "its domain was taken away during the import",
        ImportOutcome::KeyReused => {
            "another link came here under the same Idempotency-Key; take a new key for other links"
        }
        ImportOutcome::LinkDeleted => {
            "it came before under the same Idempotency-Key and was deleted since; bring it back, \
             or take a new key"
        }
    };
    Some(reason.to_owned())
}

impl LinkImport {
    /// Shows the outcomes for the links, in order.
    pub fn new(imported: &[ImportedLink], ignored_names: Vec<String>) -> Self {
        let mut shown = Self {
            ignored_names,
            ..Self::default()
        };
        for (index, imported) in imported.iter().enumerate() {
            let item = ImportItem {
                index,
                slug: imported.link.key.slug.to_string(),
                domain: shown_domain(&imported.link.key.domain),
                url: imported.link.content.destination.to_string(),
                reason: left_out(&imported.outcome, Some(&imported.link.id)),
            };
            let items = match (&imported.outcome, &item.reason) {
                (ImportOutcome::Skipped | ImportOutcome::CameBefore, _) => &mut shown.skipped_items,
                (_, Some(_)) => &mut shown.failed_items,
                (_, None) => &mut shown.success_items,
            };
            items.push(item);
        }
        shown.success = shown.success_items.len();
        shown.skipped = shown.skipped_items.len();
        shown.failed = shown.failed_items.len();
        shown
    }
}
