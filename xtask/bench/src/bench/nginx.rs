//! nginx, the reference for redirects.

use std::{fmt::Write, fs, path::Path, thread, time::Duration};

use anyhow::{Result, ensure};

use super::{
    cpus::Cpus,
    export,
    guard::{Server, free_address},
    memory::Memory,
};

/// The redirects of nginx.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Redirects {
    /// A number of links of [`export`], by their slugs in a map.
    Map(u32),
    /// The same redirect for every request.
    Constant,
}

/// A running nginx that redirects and keeps a buffered access log.
#[derive(Debug)]
pub(crate) struct Nginx {
    master: Server,
    workers: Vec<u32>,
}

impl Nginx {
    /// Starts it with one worker on the CPU of servers, a log with a buffer of 64 KiB, and a
    /// new folder at this path.
    pub(crate) fn start(folder: &Path, redirects: Redirects, cpus: Cpus) -> Result<Self> {
        fs::create_dir_all(folder)?;
        let address = free_address()?;
        let file = folder.join("nginx.conf");
        fs::write(
            &file,
            configuration(folder, &address.to_string(), redirects),
        )?;
        let master = Server::start(cpus.server("nginx").arg("-c").arg(&file), address)?;
        let mut workers = children(master.pid())?;
        for _ in 0..100 {
            if !workers.is_empty() {
                break;
            }
            thread::sleep(Duration::from_millis(50));
            workers = children(master.pid())?;
        }
        ensure!(!workers.is_empty(), "nginx started no worker");
        Ok(Self { master, workers })
    }

    pub(crate) fn origin(&self) -> &str {
        self.master.origin()
    }

    /// The processes that serve requests.
    pub(crate) fn workers(&self) -> &[u32] {
        &self.workers
    }

    /// Memory of the master and of its first worker. They share a part of it.
    pub(crate) fn memory(&self) -> Result<(Memory, Memory)> {
        Ok((Memory::of(self.master.pid())?, Memory::of(self.workers[0])?))
    }
}

fn configuration(folder: &Path, address: &str, redirects: Redirects) -> String {
    let at = folder.display();
    let (map, location) = match redirects {
        Redirects::Map(links) => {
            let mut map = String::from("map $uri $target { default \"\";\n");
            for i in 0..links {
                writeln!(map, "/{} {};", export::slug(i), export::destination(i))
                    .expect("strings take what is written");
            }
            map.push_str("}\n");
            let location = "if ($target = \"\") { return 404; } return 301 $target;";
            (map, location)
        }
        Redirects::Constant => (String::new(), "return 301 https://shop.example/p/0;"),
    };
    format!(
        "daemon off; worker_processes 1; pid {at}/nginx.pid; error_log {at}/error.log;\n\
         events {{ worker_connections 1024; }}\n\
         http {{\n\
         map_hash_max_size 4194304; map_hash_bucket_size 128;\n\
         access_log {at}/access.log combined buffer=64k flush=1s;\n\
         client_body_temp_path {at}/b; proxy_temp_path {at}/p; fastcgi_temp_path {at}/f;\n\
         uwsgi_temp_path {at}/u; scgi_temp_path {at}/s;\n\
         keepalive_requests 1000000000;\n\
         {map}server {{ listen {address}; location / {{ {location} }} }}\n\
         }}\n"
    )
}

fn children(pid: u32) -> Result<Vec<u32>> {
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"))?;
    let pids = children
        .split_whitespace()
        .filter_map(|pid| pid.parse().ok());
    Ok(pids.collect())
}
