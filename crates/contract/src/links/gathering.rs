//! Gathers the links of an import.

use std::ops::ControlFlow;

use slugline_application as application;

use super::{
    import::{ImportLimit, ImportLinks},
    import_link::ImportLink,
};
use crate::{Problem, bounds::Bounds, sent::Sent, validation::Validation};

/// The links of an import.
#[derive(Debug)]
pub struct LinksToImport {
    /// The links, checked.
    pub links: Vec<application::ImportLink>,
    /// Unknown members or columns, which were ignored.
    pub ignored: Vec<String>,
    /// `true` if the body asks to check the links only.
    pub validate_only: bool,
}

/// Gathers the links of an import, or the faults of all invalid ones.
pub(super) struct Gathering<'r> {
    bounds: &'r Bounds,
    limit: ImportLimit,
    read: usize,
    links: Vec<application::ImportLink>,
    validation: Validation,
    failure: Option<Problem>,
    validate_only: bool,
}

impl<'r> Gathering<'r> {
    pub(super) fn new(bounds: &'r Bounds, limit: ImportLimit) -> Self {
        Self {
            bounds,
            limit,
            read: 0,
            links: Vec::new(),
            validation: Validation::default(),
            failure: None,
            validate_only: false,
        }
    }

    pub(super) fn envelope(&mut self, envelope: &ImportLinks) {
        envelope.check_envelope(&mut self.validation);
        self.validate_only = envelope.validate_only == Sent::Value(true);
    }

    pub(super) fn take(&mut self, link: Result<ImportLink, Problem>) -> ControlFlow<()> {
        let index = self.read.to_string();
        self.read += 1;
        if self.read > self.limit.0 {
            return ControlFlow::Break(());
        }
        match link.and_then(|link| link.validate(self.bounds)) {
            Ok(link) => self.links.push(link),
            Err(problem) if problem.issues.is_empty() => {
                self.failure = Some(problem);
                return ControlFlow::Break(());
            }
            Err(problem) => self.validation.below(&["links", &index], problem),
        }
        ControlFlow::Continue(())
    }

    pub(super) fn finish(self, ignored: Vec<String>) -> Result<LinksToImport, Problem> {
        if let Some(problem) = self.failure {
            return Err(problem);
        }
        if self.read > self.limit.0 || self.validation.is_empty() {
            self.limit.validate(self.read)?;
        }
        let (links, validate_only) = (self.links, self.validate_only);
        self.validation.finish(|| {
            Some(LinksToImport {
                links,
                ignored,
                validate_only,
            })
        })
    }
}
