//! The state of the listener: hearing announcements, or deaf.

use std::sync::atomic::{AtomicU64, Ordering};

use slugline_domain::ports::Hearing;

/// Tells whether the listener hears announcements. One listener sets it, and every redirect
/// reads it.
#[derive(Debug, Default)]
pub(super) struct Ear {
    /// 0 while deaf; else the number of times that the listener may have missed announcements.
    open: AtomicU64,
    missed: AtomicU64,
    /// The number of times that tokens may have been revoked.
    tokens: AtomicU64,
    /// The number of times that domains may have changed.
    domains: AtomicU64,
}

impl Ear {
    pub(super) fn hearing(&self) -> Hearing {
        match self.open.load(Ordering::Acquire) {
            0 => Hearing::Deaf,
            missed => Hearing::Announced(missed),
        }
    }

    /// The state of announcements of revoked tokens.
    pub(super) fn hearing_of_tokens(&self) -> Hearing {
        self.hearing_of(&self.tokens)
    }

    /// The state of announcements of domains.
    pub(super) fn hearing_of_domains(&self) -> Hearing {
        self.hearing_of(&self.domains)
    }

    /// Both numbers only grow, so their sum stays the same only while both do.
    fn hearing_of(&self, changes: &AtomicU64) -> Hearing {
        match self.hearing() {
            Hearing::Announced(missed) => {
                Hearing::Announced(missed + changes.load(Ordering::Acquire))
            }
            otherwise @ (Hearing::Deaf | Hearing::Counted(_)) => otherwise,
        }
    }

    /// Domains may have changed.
    pub(super) fn domains_changed(&self) {
        self.domains.fetch_add(1, Ordering::Release);
    }

    /// A token may have been revoked.
    pub(super) fn tokens_changed(&self) {
        self.tokens.fetch_add(1, Ordering::Release);
    }

    /// The listener hears announcements from now on. It may have missed earlier ones, or one
    /// said that everything may have changed.
    pub(super) fn open_anew(&self) {
        let missed = self.missed.fetch_add(1, Ordering::Relaxed) + 1;
        self.open.store(missed, Ordering::Release);
    }

    pub(super) fn close(&self) {
        self.open.store(0, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_time_it_opens_it_hears_in_another_way() {
        let ear = Ear::default();
        let mut heard = vec![ear.hearing()];
        ear.open_anew();
        heard.push(ear.hearing());
        ear.open_anew();
        heard.push(ear.hearing());
        ear.close();
        assert_eq!(ear.hearing(), Hearing::Deaf);
        ear.open_anew();
        heard.push(ear.hearing());
        let expected = [
            Hearing::Deaf,
            Hearing::Announced(1),
            Hearing::Announced(2),
            Hearing::Announced(3),
        ];
        assert_eq!(heard, expected);
    }

    #[test]
    fn a_revoked_token_changes_only_how_tokens_are_heard_of() {
        let ear = Ear::default();
        ear.tokens_changed();
        assert_eq!(ear.hearing_of_tokens(), Hearing::Deaf);
        ear.open_anew();
        let (links, tokens) = (ear.hearing(), ear.hearing_of_tokens());
        ear.tokens_changed();
        assert_eq!(ear.hearing(), links);
        assert_ne!(ear.hearing_of_tokens(), tokens);
        let tokens = ear.hearing_of_tokens();
        ear.close();
        ear.open_anew();
        assert_ne!(ear.hearing_of_tokens(), tokens);
    }
}
