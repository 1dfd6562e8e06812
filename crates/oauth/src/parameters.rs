//! Queries and forms.

use actix_web::{HttpRequest, web::Payload};
use slugline_httpkit::{Code, Problem, media_type, read_body};

/// The names and values of a query or a form.
#[derive(Debug, Default)]
pub(crate) struct Parameters(Vec<(String, String)>);

impl Parameters {
    /// The most bytes of a body.
    pub(crate) const LIMIT: usize = 64 << 10;

    /// Reads a text of names and values; a broken one has none.
    pub(crate) fn read(text: &str) -> Self {
        Self(serde_urlencoded::from_str(text).unwrap_or_default())
    }

    /// Reads a body.
    pub(crate) async fn of_body(request: &HttpRequest, body: Payload) -> Result<Self, Problem> {
        if media_type(request) != "application/x-www-form-urlencoded" {
            let detail = "the body must be application/x-www-form-urlencoded";
            return Err(Problem::new(Code::ValidationError, detail));
        }
        let bytes = read_body(request, body, Self::LIMIT).await?;
        let text = std::str::from_utf8(&bytes).unwrap_or_default();
        Ok(Self::read(text))
    }

    /// The value of a name. An empty one counts as none (RFC 6749, section 3.1).
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let mut given = self.0.iter().filter(|(given, _)| given == name);
        let (_, value) = given.find(|(_, value)| !value.is_empty())?;
        Some(value)
    }

    /// Every value of a name that is not empty.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let of = self.0.iter().filter(move |(given, _)| given == name);
        of.map(|(_, value)| value.as_str())
            .filter(|value| !value.is_empty())
    }

    /// The first of these names that occurs more than once, which RFC 6749, section 3.1, forbids.
    pub(crate) fn repeated<'n>(&self, names: &[&'n str]) -> Option<&'n str> {
        let count = |name: &str| self.0.iter().filter(|(given, _)| given == name).count();
        names.iter().copied().find(|name| count(name) > 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_value_is_none_and_a_repeated_name_is_noticed() {
        let read = Parameters::read("a=1&b=&c=x%20y&a=2");
        assert_eq!(read.get("a"), Some("1"));
        assert_eq!(read.get("b"), None);
        assert_eq!(read.get("c"), Some("x y"));
        assert_eq!(read.all("a").count(), 2);
        assert_eq!(read.repeated(&["c", "a"]), Some("a"));
        assert_eq!(read.repeated(&["b", "c", "d"]), None);
    }
}
