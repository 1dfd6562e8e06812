//! A suggester with scripted answers.

use std::sync::Mutex;

use async_trait::async_trait;
use slugline_domain::{Destination, LanguageTag, ports::Suggester};

/// Suggests the same for every destination, or nothing.
#[derive(Debug, Default)]
pub struct ScriptedSuggester {
    slug: Option<String>,
    preview: Option<(String, String)>,
    asked: Mutex<Vec<(Destination, Option<LanguageTag>)>>,
}

impl ScriptedSuggester {
    /// Suggests the first text for slugs, and the others as title and
    /// description.
    pub fn saying(slug: &str, title: &str, description: &str) -> Self {
        Self {
            slug: Some(slug.to_owned()),
            preview: Some((title.to_owned(), description.to_owned())),
            ..Self::default()
        }
    }

    /// The destinations asked about so far, with the language if one was named.
    ///
    /// # Panics
    /// A test panicked while it held the lock.
    pub fn asked(&self) -> Vec<(Destination, Option<LanguageTag>)> {
        self.asked.lock().expect(UNPOISONED).clone()
    }
}

const UNPOISONED: &str = "no test panics while holding the lock";

#[async_trait]
impl Suggester for ScriptedSuggester {
    async fn slug(&self, destination: &Destination) -> Option<String> {
        let asked = (destination.clone(), None);
        self.asked.lock().expect(UNPOISONED).push(asked);
        self.slug.clone()
    }

    async fn preview(
        &self,
        destination: &Destination,
        language: &LanguageTag,
    ) -> Option<(String, String)> {
        let asked = (destination.clone(), Some(language.clone()));
        self.asked.lock().expect(UNPOISONED).push(asked);
        self.preview.clone()
    }
}
