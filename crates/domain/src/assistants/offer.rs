//! The scopes that assistants can get.

use crate::{Scope, Scopes};

/// The scopes that a person can give to an assistant: all but [`Scope::Admin`], which makes tokens.
pub const OFFERED: [Scope; 3] = [Scope::LinksRead, Scope::LinksWrite, Scope::AnalyticsRead];

/// The scope by which applications ask for tokens that they can renew. They get those in any case.
const RENEWABLE: &str = "offline_access";

/// The offered scopes that a request asks for; all of them if it names none. Unknown scopes and
/// `admin` are left out (RFC 6749, section 3.3). `None` if nothing is left.
pub fn asked_scopes(scope: Option<&str>) -> Option<Scopes> {
    let mut words = scope.unwrap_or_default().split_ascii_whitespace();
    let words: Vec<&str> = words.by_ref().filter(|word| *word != RENEWABLE).collect();
    if words.is_empty() {
        return Scopes::new(OFFERED).ok();
    }
    let asked = OFFERED
        .into_iter()
        .filter(|scope| words.contains(&scope.as_str()));
    Scopes::new(asked).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(text: &str) -> Option<Vec<Scope>> {
        asked_scopes(Some(text)).map(|scopes| scopes.iter().collect())
    }

    #[test]
    fn admin_is_never_given() {
        assert_eq!(asked_scopes(None).unwrap().iter().count(), 3);
        assert_eq!(asked("").unwrap(), OFFERED);
        assert_eq!(asked("offline_access").unwrap(), OFFERED);
        assert_eq!(
            asked("links:write  admin links:read x").unwrap(),
            [Scope::LinksRead, Scope::LinksWrite]
        );
        assert_eq!(asked("admin"), None);
        assert_eq!(asked("openid profile"), None);
    }
}
