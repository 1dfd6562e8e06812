//! The yardstick of redirects: nginx.

use std::{
    fmt::Write,
    fs,
    net::TcpListener,
    path::Path,
    process::{Child, Stdio},
    time::Duration,
};

use anyhow::{Context, Result};

use crate::process;

/// A running nginx that redirects slugs of a map and keeps a buffered access log.
#[derive(Debug)]
pub(crate) struct Nginx {
    master: Child,
    origin: String,
}

impl Nginx {
    /// Starts it with these slugs, one worker, and a log that is written 64 KiB
    /// at a time.
    pub(crate) fn start(folder: &Path, slugs: u32) -> Result<Self> {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let mut map = String::new();
        for i in 0..slugs {
            writeln!(map, "/link-{i} https://example.com/{i};")
                .expect("strings take what is written");
        }
        let at = folder.display();
        let configuration = format!(
            "daemon off; worker_processes 1; pid {at}/nginx.pid; error_log {at}/error.log;\n\
             events {{ worker_connections 1024; }}\n\
             http {{\n\
             map_hash_max_size 262144; map_hash_bucket_size 128;\n\
             access_log {at}/access.log combined buffer=64k flush=1s;\n\
             client_body_temp_path {at}/b; proxy_temp_path {at}/p; fastcgi_temp_path {at}/f;\n\
             uwsgi_temp_path {at}/u; scgi_temp_path {at}/s;\n\
             keepalive_requests 1000000;\n\
             map $uri $target {{ default \"\";\n{map}}}\n\
             server {{ listen 127.0.0.1:{port};\n\
             location / {{ if ($target = \"\") {{ return 404; }} return 301 $target; }} }}\n\
             }}\n"
        );
        let file = folder.join("nginx.conf");
        fs::write(&file, configuration)?;
        let master = process::program("nginx")
            .arg("-c")
            .arg(&file)
            .stderr(Stdio::null())
            .spawn()
            .context("nginx")?;
        let nginx = Self {
            master,
            origin: format!("http://127.0.0.1:{port}"),
        };
        for _ in 0..100 {
            if !nginx.workers()?.is_empty() {
                break;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(nginx)
    }

    pub(crate) fn origin(&self) -> &str {
        &self.origin
    }

    /// The processes that serve requests.
    pub(crate) fn workers(&self) -> Result<Vec<u32>> {
        let pid = self.master.id();
        let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"))?;
        Ok(children
            .split_whitespace()
            .filter_map(|pid| pid.parse().ok())
            .collect())
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        let pid = self.master.id().to_string();
        // A master that is killed outright would leave its worker behind.
        let _ = process::program("kill").args(["-TERM", &pid]).status();
        let _ = self.master.wait();
    }
}
