//! The guarded client against servers and name look-ups under the test's control.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support; // listeners that count, answers by script, a resolver by script

mod forward; // passing requests on
mod hops; // redirects: followed, refused, too many
mod limits; // time and size
mod names; // look-ups: refused addresses, rebinding
mod probe; // the domain's port on the client
mod requests; // methods and bodies
mod screen; // a name service that hides dangerous hosts
mod webhook; // telling a receiver of visits
