//! Documents of applications in memory.

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicU32, Ordering},
};

use async_trait::async_trait;
use slugline_domain::assistants::{ClientDocument, ClientDocuments, DocumentFailure};
use url::Url;

/// Documents by their addresses, and the number of times that they were fetched.
#[derive(Debug, Default)]
pub struct ListedDocuments {
    documents: Mutex<Vec<(String, ClientDocument)>>,
    fetches: AtomicU32,
}

impl ListedDocuments {
    /// Puts a document at an address.
    pub fn put(&self, address: &str, document: ClientDocument) {
        let mut documents = self
            .documents
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        documents.retain(|(at, _)| at != address);
        documents.push((address.into(), document));
    }

    /// The number of fetches.
    pub fn fetches(&self) -> u32 {
        self.fetches.load(Ordering::Relaxed)
    }
}

#[async_trait]
impl ClientDocuments for ListedDocuments {
    async fn fetch(&self, address: &Url) -> Result<ClientDocument, DocumentFailure> {
        self.fetches.fetch_add(1, Ordering::Relaxed);
        let documents = self
            .documents
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let found = documents.iter().find(|(at, _)| at == address.as_str());
        let document = found.map(|(_, document)| document.clone());
        document.ok_or(DocumentFailure::Refused)
    }
}
