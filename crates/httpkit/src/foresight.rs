//! What a redirect would answer.

use std::fmt;

use slugline_contract::AnswerHead;
use slugline_domain::{DomainName, Explanation, FollowedLink, Visitor};

/// Tells what a redirect would answer. Nothing is recorded, and no visit is used up.
pub trait Foresight: fmt::Debug + Send + Sync {
    /// Explains the answer to a browser of this visitor, and tells its head. `asked` is the domain
    /// of the request, which may fall through to the link of another one; `used_up` tells if no
    /// visit of the link is left.
    fn foresee<'l>(
        &self,
        link: &'l FollowedLink,
        asked: &DomainName,
        visitor: &Visitor<'_>,
        used_up: bool,
    ) -> (Explanation<'l>, AnswerHead);
}
