//! The ports: traits through which the domain and the use cases reach stores,
//! networks, the clock and the random source.
//!
//! Each store has a contract suite in `testkit`. The stores of links, of tokens and of old links have
//! an implementation in memory there, which passes the suite of the real stores. The clock, the random
//! source, the prober and the screen have a scripted implementation there. The other ports are tested
//! with the real thing only: both engines of the access log against a naive third one, the forwarder
//! against servers, the place finder against files.

mod audit;
mod domains;
mod links;
mod machine;
mod migration;
mod outbound;
mod tokens;
mod visits;
mod watch;

pub use crate::insertion::Insertion;
pub use audit::AuditTrail;
pub use domains::{DomainRemoval, DomainStore, LinkMove};
pub use links::{
    ChangeObserver, Deletion, Hearing, LinkChange, LinkObserver, LinkStore, StoreError, Taking,
    Update, Version,
};
pub use machine::{Clock, DiskTrouble, DiskWatch, LinksWatch, Random};
pub use migration::{MigrationStore, OldStore, OldStoreError};
pub use outbound::{DestinationScreen, Forwarder, LinkProber};
pub use tokens::{SecretStore, SignInCodes, TokenStore};
pub use visits::{
    AccessRows, AgentReader, PlaceFinder, VisitEraser, VisitLog, VisitLogError, VisitObserver,
    VisitRows, VisitSink,
};
pub use watch::{WatchObserver, WatchStore};
