//! The public side: what visitors meet.

mod domains; // hosts with links of their own
mod followed; // destinations that real programs follow
mod languages; // pages in the visitor's language
mod link_pages; // links that answer with a page
mod lives; // links before their start, after their end, hidden and used up
mod long_targets; // requests with a very long address
mod nothing_there; // the bare origin, and paths that lead nowhere
mod preview_mode; // a public demonstration
mod proxied_scripts; // scripts of proxied pages, in Chromium
mod proxy; // a destination's answer under the short link's address
mod requests; // slugs, methods and headers of requests
