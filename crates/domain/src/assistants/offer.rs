//! The scopes that assistants can get.

use crate::{Scope, Scopes};

/// The scopes that a person can give to an assistant: all but [`Scope::Admin`], which makes tokens.
pub const OFFERED: [Scope; 3] = [Scope::LinksRead, Scope::LinksWrite, Scope::AnalyticsRead];

/// The scope by which applications ask for tokens that they can renew. They get those in any case.
const RENEWABLE: &str = "offline_access";

/// The offered scopes that a request asks for; all of them if it names none. Unknown scopes and
/// `admin` are left out (RFC 6749, section 3.3). `None` if nothing is left.
pub fn asked_scopes(scope: Option<&str>) -> Option<Scopes> {
    let words: Vec<&str> = words(scope).collect();
    if words.is_empty() {
        return Scopes::new(OFFERED).ok();
    }
    let asked = OFFERED
        .into_iter()
        .filter(|scope| words.contains(&scope.as_str()));
    Scopes::new(asked).ok()
}

/// The granted scopes that a renewal asks for; all of them if it names none. `None` if it asks for
/// more (RFC 6749, section 6).
pub fn narrowed_scopes(scope: Option<&str>, granted: &Scopes) -> Option<Scopes> {
    let grant = |word: &str| granted.iter().find(|scope| scope.as_str() == word);
    let asked: Vec<Scope> = words(scope).map(grant).collect::<Option<_>>()?;
    Some(Scopes::new(asked).unwrap_or_else(|_| granted.clone()))
}

fn words(scope: Option<&str>) -> impl Iterator<Item = &str> {
    let words = scope.unwrap_or_default().split_ascii_whitespace();
    words.filter(|word| *word != RENEWABLE)
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
