//! Node.js, which runs the official MCP client of the end-to-end tests.

use crate::process;

/// The oldest major version that the clients support.
pub(crate) const OLDEST: u32 = 20;

/// What keeps the Node.js of this machine from running the clients.
pub(crate) fn problem() -> Option<String> {
    let Some(version) = process::answer(process::program("node").arg("--version")) else {
        return Some("Node.js is not installed".to_owned());
    };
    if major(&version).is_none_or(|major| major < OLDEST) {
        return Some(format!("Node.js {version} is too old"));
    }
    match process::answer(process::program("npm").arg("--version")) {
        Some(_) => None,
        None => Some("npm is not installed".to_owned()),
    }
}

/// `20` of `v20.19.2`.
fn major(version: &str) -> Option<u32> {
    version.strip_prefix('v')?.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn major_version_is_the_first_number() {
        assert_eq!(major("v20.19.2"), Some(20));
        assert_eq!(major("v8.1.0"), Some(8));
        assert_eq!(major("20"), None);
    }
}
