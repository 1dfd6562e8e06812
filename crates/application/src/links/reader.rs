//! The use cases that read links, for one caller.

use std::ops::Deref;

use slugline_domain::Reach;

use super::LinkService;
use crate::caller::Caller;

/// The use cases that read links, for one caller. Links that the caller does not reach are not
/// there.
#[derive(Clone, Debug)]
pub struct LinkReader {
    service: LinkService,
    pub(super) reach: Reach,
}

impl LinkService {
    /// Returns the use cases that read the links of this caller.
    pub fn seen_by(&self, caller: &Caller) -> LinkReader {
        LinkReader {
            service: self.clone(),
            reach: caller.reach().clone(),
        }
    }
}

impl LinkReader {
    /// The links that the caller reaches.
    pub(crate) fn reach(&self) -> &Reach {
        &self.reach
    }
}

impl Deref for LinkReader {
    type Target = LinkService;

    fn deref(&self) -> &LinkService {
        &self.service
    }
}
