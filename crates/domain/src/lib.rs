//! Values, rules and ports of Slugline.
//!
//! This crate depends on no other crate of ours. It defines links, their valid values and the
//! answers to visitors. It contains no protocol and no SQL, and it reads no clock and no random
//! source: callers provide those through the [`ports`]. Requests and answers that pass through
//! a port ([`forwarding`], [`probe`]) are plain values here; an adapter turns them into HTTP.
//!
//! ```
//! use slugline_domain::{Destination, DestinationRules, Slug};
//!
//! let slug: Slug = "spring-sale".parse()?;
//! let to = Destination::parse("https://example.com/sale", &DestinationRules::default())?;
//! assert_eq!(slug.as_str(), "spring-sale");
//! assert!(Destination::parse("javascript:alert(1)", &DestinationRules::default()).is_err());
//! # let _ = to;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | holds |
//! |---|---|
//! | [`slug`], [`destination`], [`text`], [`tag`], [`country`], [`place`], [`password`], [`id`], [`time`] | values that are valid by construction |
//! | [`password_form`], [`imported_password`] | stored passwords, ours and those of imported links |
//! | [`host`], [`origin`] | names of hosts; scheme, host and port of an address |
//! | [`link_key`], [`domains`] | domain and slug of a link; the named hosts of an instance |
//! | [`uri`], `authority` | addresses as they leave the service; where the host stands in one |
//! | [`link`], [`content`], `leads` | the record that these values make up; the part of it that authors decide; where it leads |
//! | [`followed_link`] | the part of the record that a redirect needs |
//! | [`visitor`] | the visitor of a link |
//! | [`resolution`] | the decision: a link, a moment and a visitor → the visitor's answer |
//! | [`explanation`] | why a visitor gets that answer |
//! | [`routing`] | where a link leads whom: rules, splits, and what stands behind the slug |
//! | `first_language`, `referring_host` | the facts in two headers of a visitor |
//! | [`user_agent`] | device and bot, from the `User-Agent` |
//! | [`token`], [`reach`] | named tokens and their scopes; the links that they are bound to |
//! | [`assistants`] | applications of others that get tokens by consent |
//! | [`token_name`] | names of tokens, none of which looks like another |
//! | [`visit`], [`visit_headers`], [`campaign`], [`protection`], [`sampling`], [`stats`] | followed links, and queries on them |
//! | [`audit`] | the audit trail: a line for each change |
//! | [`client_network`] | clients as limits count them |
//! | [`zone`] | local time, for answers by hour and day |
//! | `split_mix` | numbers that look random and repeat with a seed |
//! | `unicode` | texts that a person takes for one, in one form |
//! | `text_forms` | the texts of values, and of the values of enums |
//! | `query` | the visitor's query merged into a destination |
//! | [`own_addresses`], [`circle`] | destinations that are the address of the link itself; links that lead in circles |
//! | [`measure`] | numbers that grow while the service works |
//! | `causes` | errors in words |
//! | [`page`], [`search`] | keyset paging, searching for links |
//! | [`suggestion`] | slugs and previews made from a destination |
//! | [`forwarding`] | a visitor's request that is passed on, and the answer |
//! | [`legacy`], [`migration`] | links in an older instance's store, and moving them here |
//! | [`probe`], [`screening`] | checks that a destination answers and is not dangerous |
//! | [`watch`] | destinations asked in turn: how far a round is, when to say that one is broken |
//! | [`ports`] | interfaces that callers must provide: stores, clock, network |

#[macro_use]
mod text_forms;

pub mod assistants;
pub mod audit;
mod authority;
mod base_url;
pub mod campaign;
mod causes;
pub mod change;
pub mod circle;
pub mod client_network;
pub mod content;
pub mod country;
pub mod destination;
pub mod domains;
pub mod explanation;
mod first_language;
#[cfg(test)]
mod fixture;
pub mod followed_link;
pub mod forwarding;
pub mod history;
pub mod host;
pub mod id;
pub mod imported_password;
pub mod insertion;
mod leads;
pub mod legacy;
mod life;
pub mod link;
pub mod link_key;
pub mod measure;
pub mod migration;
pub mod origin;
pub mod own_addresses;
pub mod page;
pub mod password;
pub mod password_form;
pub mod place;
pub mod ports;
pub mod probe;
pub mod protection;
mod query;
pub mod reach;
mod referring_host;
mod request;
pub mod resolution;
mod reuse;
pub mod routing;
pub mod sampling;
pub mod screening;
pub mod search;
pub mod slug;
mod split_mix;
pub mod stats;
pub mod suggestion;
pub mod tag;
pub mod text;
pub mod time;
pub mod token;
pub mod token_name;
mod unicode;
pub mod uri;
pub mod user_agent;
pub mod visit;
pub mod visit_headers;
pub mod visitor;
pub mod watch;
pub mod zone;

pub use audit::{
    AuditFilter, AuditLine, AuditNote, AuditPosition, AuditQuery, AuditedOperation, Author,
    CallerName, CallerNameError, ClientTag, ClientTagError, OperationError,
};
pub use base_url::{BaseUrl, BaseUrlError};
pub use campaign::Campaign;
pub use causes::with_causes;
pub use change::{Change, Holds};
pub use circle::{ForwardingFault, ForwardingReason};
pub use client_network::ClientNetwork;
pub use content::{Delivery, LinkContent, LinkPatch, Preview, Routing};
pub use country::{Countries, Country, CountryError};
pub use destination::{Destination, DestinationError, DestinationRules, Scheme, SchemeError};
pub use domains::{Domain, DomainSet};
pub use explanation::{Answer, AnswerHead, Explanation, MissedRule};
pub use first_language::first_language;
pub use followed_link::{FollowedLink, Terms};
pub use forwarding::{
    BrokenOff, Flow, ForwardFailure, ForwardedAnswer, ForwardedRequest, HeaderLine, Source,
};
pub use history::{
    Ending, FormerVersion, Keeping, LinkVersions, MadeLink, Purge, TrashPosition, TrashQuery,
};
pub use host::{Host, HostError};
pub use id::{LinkId, LinkIdError};
pub use imported_password::{ImportedPassword, ImportedPasswordError};
pub use insertion::Insertion;
pub use legacy::{EntryFault, EntryKey, LINK_KEY_PREFIX, OldCursor, OldEntry, OldLink, OldPage};
pub use life::{Life, LifeFault, MaxVisits, VisitCount, VisitCountError, VisitsBefore};
pub use link::{Link, LinkStatus, Revision};
pub use link_key::{DomainName, LinkKey, LinkKeyError, split_key};
pub use migration::{
    Advance, FailedEntry, MigrationRun, MigrationState, MigrationStep, MovedLink, Tally,
};
pub use origin::{Origin, OriginError};
pub use own_addresses::OwnAddresses;
pub use page::{LinkOrder, ListQuery, PageSize, PageSizeError, Position};
pub use password::{Password, PasswordError, PasswordHash};
pub use password_form::{PasswordForm, PasswordFormError, SinkForm};
pub use place::{Colo, Coordinates, Place, PlaceError, PlaceName, TimeZoneName};
pub use ports::{AccessRows, VisitRows};
pub use probe::{
    CheckSize, ProbeBoundError, ProbeCaller, ProbeFailure, ProbeOutcome, ProbeRequest, ProbeTimeout,
};
pub use protection::Protection;
pub use reach::{Binding, BindingError, OutOfReach, Reach};
pub use referring_host::referring_host;
pub use request::{IdempotencyKey, IdempotencyKeyError, RequestDigests};
pub use resolution::{Arrival, Gate, InstanceDefaults, Lead, Means, Resolution, Way};
pub use routing::{PathRest, Rules, Split};
pub use sampling::{SamplingInterval, SamplingNote};
pub use screening::ScreenVerdict;
pub use search::{LinkFilter, SearchText, SearchTextError, StatusFilter, TagCount, searched_text};
pub use slug::{Slug, SlugCase, SlugError};
pub use split_mix::SplitMix64;
pub use stats::{
    AccessRow, Bots, Choice, CounterRow, Counters, CountersQuery, CountersReport, Degrees,
    Derivation, Destinations, Dimension, DimensionError, DimensionKind, Erasure, Event,
    EventsQuery, HeatmapQuery, HeatmapReport, HeatmapRow, LocationRow, LocationsQuery,
    LocationsReport, LogTrouble, MetricRow, MetricsQuery, MetricsReport, Report, RowLimit,
    RowLimitError, Rule, StdError, StoredVisit, Test, Variance, ViewRow, ViewsQuery, ViewsReport,
    VisitColumn, VisitColumnKind, VisitFilter, VisitTexts, WeekSeconds,
};
pub use suggestion::{LanguageTag, LanguageTagError, SuggestedPreview};
pub use tag::{Tag, TagError, Tags, TagsError};
pub use text::{Comment, Description, ImageRef, Text, TextError, Title};
pub use time::{MomentError, TimeError, UnixMillis, UnixSeconds};
pub use token::{Scope, ScopeError, Scopes, TokenRecord};
pub use token_name::{TokenName, TokenNameError};
pub use uri::Uri;
pub use user_agent::Platform;
pub use visit::{Visit, VisitRecord};
pub use visit_headers::VisitHeaders;
pub use visitor::Visitor;
pub use watch::{
    BadAnswer, Failing, WatchLease, WatchNews, WatchRound, WatchTurn, WatchedLink, WatchedPiece,
    host_rest, host_to_ask, is_watched, judge, second_look,
};
pub use zone::{HourOfWeek, LocalSeconds, Stretch, TimeUnit, UtcOffset, ZoneOffsets};
