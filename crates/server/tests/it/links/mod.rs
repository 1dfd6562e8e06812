//! Links: changing them, finding them, and where they lead.

pub(crate) mod safe_browsing; // dangerous destinations get a warning by themselves

mod by_visits; // links in the order of their visits
mod check; // destinations are asked, and inner ones are not
mod checked_only; // changes that are only checked, and equal links
mod conditional; // changes that are meant for a version
mod domains; // two domains with the same slug
mod editing; // changing links
mod explaining; // what visitors would get, and why
mod hidden_destinations; // destinations behind a password, from who may not read links
mod history; // changes and deletions are undone, and links erased
mod moving; // links of other products
mod repeating; // requests that are sent again under a key
mod routing; // rules, splits and patterns
mod searching; // finding and counting links
mod suggestions; // slugs and previews are suggested
mod transfer;
mod watch; // destinations are asked in turn // export and import, by HTTP and by the command line
