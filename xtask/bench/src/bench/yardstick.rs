//! Servers that do the least a redirect needs. What Slugline costs is told beside them.

use std::{fmt::Write, fs, path::Path};

use anyhow::Result;

use super::{
    export,
    guard::{Server, free_address},
    nginx::{Nginx, Redirects},
    plan::Plan,
};

/// Its name, its origin and its processes.
pub(crate) type At<'y> = (&'static str, &'y str, &'y [u32]);

/// The yardsticks for a number of links of [`export`].
#[derive(Debug)]
pub(crate) struct Yardsticks {
    nginx: Nginx,
    /// The stack that Slugline is built on, with the links in a map and nothing else.
    actix: (Server, [u32; 1]),
    /// The machine's floor: a thread, epoll and one answer.
    epoll: (Server, [u32; 1]),
}

pub(crate) const MAP: &str = "nginx map";

/// The machine's floor, which costs as little as the load does, so no load keeps it busy.
const FLOOR: &str = "epoll constant";

impl Yardsticks {
    pub(crate) fn start(plan: &Plan, links: u32, folder: &Path) -> Result<Self> {
        fs::create_dir_all(folder)?;
        let mut map = String::new();
        for i in 0..links {
            writeln!(map, "{} {}", export::slug(i), export::destination(i))?;
        }
        let file = folder.join("links.txt");
        fs::write(&file, map)?;
        let example = |name: &str| {
            let address = free_address()?;
            let mut command = plan.cpus.server(plan.yardsticks.join(name));
            let server = Server::start(command.arg(address.to_string()).arg(&file), address)?;
            let pid = server.pid();
            anyhow::Ok((server, [pid]))
        };
        Ok(Self {
            nginx: Nginx::start(&folder.join("map"), Redirects::Map(links), plan.cpus)?,
            actix: example("actix_map")?,
            epoll: example("epoll_constant")?,
        })
    }

    /// nginx's map first, to which the others are compared.
    pub(crate) fn all(&self) -> [At<'_>; 3] {
        [
            (MAP, self.nginx.origin(), self.nginx.workers()),
            ("actix map", self.actix.0.origin(), &self.actix.1),
            (FLOOR, self.epoll.0.origin(), &self.epoll.1),
        ]
    }
}
