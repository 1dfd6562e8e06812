//! The dashboard, in a real browser against the running binary.

mod browser; // Chromium, by its driver
mod front; // a reverse proxy that fails and serves an older build
pub(crate) mod instance; // servers with links and visits
mod pages; // what a person sees and does

mod analytics; // numbers of the page are numbers of the API
mod audit; // who changed what
mod bulk; // many links at once
mod compared; // a few links beside each other
mod consent; // a person decides about an assistant
mod domains; // several domains in one instance
mod editor; // making and changing a link
mod entering; // the token, and when it is refused
mod erasing; // the visits of a link are erased
mod fetching; // files of the page that do not come, and those of another build
mod files; // how the page and its files are served
mod hostile; // texts of strangers
mod large; // many links, many visits
mod list; // finding links, addresses of views, keys
mod live; // visits while they happen
mod looks; // every page in both themes and two widths: accessible, and nothing to complain of
mod prefix; // below a path that a proxy strips
mod proxied; // pages of strangers under our origin
mod reach; // every control can be seen, read and used, at every width and in every language
mod refused; // what is off while the server refuses, and that it comes back
mod ruled; // the life, the rules and the split of a link
mod seed; // a believable instance
mod setup; // what the instance says of itself
mod tokens; // tokens are made and revoked, and permit little
mod transfer; // files of links in and out
mod undone; // what was done to a link is undone
