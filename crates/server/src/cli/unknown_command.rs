//! Better words for a command line that names what is not there.

use clap::{
    CommandFactory,
    error::{ContextKind, ContextValue, ErrorKind},
};

use super::grammar::CommandLine;
use crate::settings::{CATALOGUE, Setting};

/// Words for work of the API, and the request that does it: the path, and what else `curl` is told.
const REQUESTS: &[(&[&str], &str)] = &[
    (
        &["create", "add", "link", "new", "make", "shorten", "short"],
        r#"link/create -H "$AUTH" --json '{"url":"https://example.com/","slug":"hello"}'"#,
    ),
    (
        &["list", "ls", "links", "search", "find"],
        r#"link/list?limit=20 -H "$AUTH""#,
    ),
    (
        &["get", "show", "query", "info"],
        r#"link/query?slug=hello -H "$AUTH""#,
    ),
    (
        &["edit", "update", "change", "patch", "set"],
        r#"link/edit -X PATCH -H "$AUTH" --json '{"slug":"hello","url":"https://example.com/"}'"#,
    ),
    (
        &["delete", "del", "rm", "remove"],
        r#"link/delete -H "$AUTH" --json '{"slug":"hello"}'"#,
    ),
    (
        &["stats", "stat", "analytics", "counters", "clicks"],
        r#"stats/counters?slug=hello -H "$AUTH""#,
    ),
    (
        &["explain", "why", "test"],
        r#"link/explain -H "$AUTH" --json '{"slug":"hello","country":"DE"}'"#,
    ),
];

/// Words for commands with another name and for parts of the dashboard, and the way to each.
const COMMANDS: &[(&[&str], &str)] = &[
    (
        &["qr", "qrcode", "qr-code"],
        "the dashboard shows the QR code of each link; open the address that `slugline token show` \
         prints",
    ),
    (
        &["dashboard", "login", "open", "ui"],
        "open the address that `slugline token show` prints",
    ),
    (
        &["init", "install", "setup"],
        "there is nothing to set up; `slugline serve` makes what is missing",
    ),
];

/// Flags of other programs, and the setting that each means.
const FLAGS: &[(&[&str], &str)] = &[
    (
        &["port", "p", "host", "bind", "address", "addr"],
        "use --listen, which takes an address and a port, such as --listen 127.0.0.1:8080",
    ),
    (
        &["config", "c", "config-file", "settings", "env-file"],
        "there is no configuration file; settings are flags and environment variables, which \
         `slugline --help` lists",
    ),
    (
        &["token", "auth-token", "api-key", "password"],
        "use SLUGLINE_SITE_TOKEN, or --site-token-file with the file that holds it",
    ),
    (
        &["data", "dir", "folder", "path", "data-folder", "datadir"],
        "use --data-dir",
    ),
    (
        &["db", "database", "postgres", "sqlite"],
        "use --database-url, such as --database-url postgres://user@host/name",
    ),
    (
        &["url", "domain", "base", "origin", "public-url"],
        "use --base-url, such as --base-url https://sl.example",
    ),
    (
        &["verbose", "v", "debug", "quiet", "q", "log-level"],
        "use --log, such as --log debug",
    ),
];

/// Says where what was asked for is done, if the command line names a command or a flag that is
/// not there. Of clap's tips it keeps those that differ by a slip of the fingers.
///
/// `first` is the first argument, and `origin` the address of the service.
pub(super) fn explained(error: clap::Error, first: Option<&str>, origin: &str) -> clap::Error {
    let kind = error.kind();
    let given = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    let said = if kind == ErrorKind::InvalidSubcommand {
        let name = given(ContextKind::InvalidSubcommand);
        name.and_then(|name| of_command(&name, first, origin))
    } else if kind == ErrorKind::UnknownArgument {
        given(ContextKind::InvalidArg).and_then(|flag| of_flag(&flag))
    } else {
        None
    };
    match said {
        Some(said) => CommandLine::command().error(kind, said),
        None => without_far_tips(error),
    }
}

fn of_command(name: &str, first: Option<&str>, origin: &str) -> Option<String> {
    if first != Some(name) {
        return None;
    }
    let lower = name.to_lowercase();
    let wanted = if lower.contains("://") {
        "create"
    } else {
        &lower
    };
    let request = REQUESTS.iter().find(|(names, _)| names.contains(&wanted));
    if let Some((path, rest)) = request.and_then(|(_, request)| request.split_once(' ')) {
        return Some(format!(
            "there is no command {name:?}: links and their numbers are in the dashboard, in the API \
             and over MCP, such as\n\n  \
             AUTH=\"Authorization: Bearer $(slugline token show --bare)\"\n  \
             curl '{origin}/api/{path}' {rest}\n\n\
             `slugline token show` prints the address of the dashboard"
        ));
    }
    let row = COMMANDS.iter().find(|(names, _)| names.contains(&&*lower));
    row.map(|(_, advice)| format!("there is no command {name:?}: {advice}"))
}

fn of_flag(flag: &str) -> Option<String> {
    let name = flag.trim_start_matches('-');
    let is_named =
        |setting: &Setting| setting.flag() == name || setting.secret && setting.file_flag() == name;
    if CATALOGUE.iter().any(is_named) {
        return Some(format!(
            "{flag} is a setting of `slugline serve` that this command does not use; leave it out"
        ));
    }
    let row = FLAGS.iter().find(|(names, _)| names.contains(&name));
    row.map(|(_, advice)| format!("there is no {flag}: {advice}"))
}

/// Clap takes `create` for `migrate`, and `--port` for `--import-request-limit`.
fn without_far_tips(mut error: clap::Error) -> clap::Error {
    for (given, suggested) in [
        (
            ContextKind::InvalidSubcommand,
            ContextKind::SuggestedSubcommand,
        ),
        (ContextKind::InvalidArg, ContextKind::SuggestedArg),
    ] {
        let Some(ContextValue::String(given)) = error.get(given).cloned() else {
            continue;
        };
        let kept: Vec<String> = match error.remove(suggested) {
            Some(ContextValue::String(one)) => vec![one],
            Some(ContextValue::Strings(several)) => several,
            _ => Vec::new(),
        };
        let kept: Vec<String> = kept
            .into_iter()
            .filter(|one| is_near(&given, one))
            .collect();
        if !kept.is_empty() {
            error.insert(suggested, ContextValue::Strings(kept));
        }
    }
    error
}

/// A slip of the fingers, or one is the beginning of the other.
fn is_near(given: &str, name: &str) -> bool {
    const SLIPS: usize = 2;
    let begins = given.len() > SLIPS && name.starts_with(given);
    begins || name.len() > 2 * SLIPS && strsim::damerau_levenshtein(given, name) <= SLIPS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(arguments: &[&str]) -> String {
        let whole = std::iter::once("slugline").chain(arguments.iter().copied());
        let error = CommandLine::command()
            .try_get_matches_from(whole)
            .unwrap_err();
        let first = arguments.first().copied();
        explained(error, first, "https://sl.example").to_string()
    }

    #[test]
    fn what_the_api_does_is_told_with_the_request() {
        for (arguments, request) in [
            (&["create", "https://a.example"][..], "/api/link/create"),
            (&["https://a.example/x"], "/api/link/create"),
            (&["link", "add"], "/api/link/create"),
            (&["List"], "/api/link/list"),
            (&["stats"], "/api/stats/counters"),
            (&["rm", "docs"], "/api/link/delete"),
        ] {
            let said = said(arguments);
            let curl = format!("curl 'https://sl.example{request}");
            assert!(said.contains(&curl), "{said}");
            assert!(
                said.contains("dashboard") && !said.contains("similar"),
                "{said}"
            );
        }
    }

    /// zsh takes a `?` or `*` outside quotes for files, and each shell ends a command at `&`.
    #[test]
    fn no_tip_holds_a_character_that_a_shell_reads_otherwise() {
        let below = |words: &'static [&str]| move |name: &&'static str| [words, &[*name]].concat();
        let names = |table: &'static [(&[&'static str], &str)]| {
            table.iter().flat_map(|(names, _)| names.iter())
        };
        let flags = names(FLAGS).map(|flag| match flag.len() {
            1 => format!("-{flag}"),
            _ => format!("--{flag}"),
        });
        let commands = names(REQUESTS).chain(names(COMMANDS)).map(below(&[]));
        let mut tips: Vec<String> = commands.map(|line| said(&line)).collect();
        tips.extend(flags.map(|flag| said(&[&flag])));
        for tip in tips {
            let mut quote = None;
            for (at, c) in tip.char_indices() {
                match (quote, c) {
                    (None, '\'' | '"') => quote = Some(c),
                    (Some(open), _) if open == c => quote = None,
                    (None, '?' | '&' | '*') => panic!("{:?} in {tip}", &tip[at..]),
                    _ => {}
                }
            }
            assert_eq!(quote, None, "{tip}");
        }
    }

    #[test]
    fn other_names_lead_to_the_right_command_or_flag() {
        for (arguments, right) in [
            (&["qr", "docs"][..], "the dashboard shows the QR code"),
            (&["--port", "9000"], "use --listen"),
            (&["serve", "--port=9000"], "use --listen"),
            (
                &["--config", "slugline.toml"],
                "there is no configuration file",
            ),
            (&["-v"], "use --log"),
        ] {
            let said = said(arguments);
            assert!(said.contains(right) && !said.contains("similar"), "{said}");
        }
    }

    #[test]
    fn tips_are_for_slips_of_the_fingers() {
        for (arguments, near) in [
            (&["serv"][..], "'serve'"),
            (&["exprot"], "'export'"),
            (&["--data-dri", "x"], "'--data-dir'"),
            (&["--retention", "3"], "'--retention-days'"),
        ] {
            assert!(said(arguments).contains(near), "{}", said(arguments));
        }
        for far in [
            &["creates"][..],
            &["xyzzy"],
            &["--portal", "1"],
            &["visits", "list"],
        ] {
            assert!(!said(far).contains("similar"), "{}", said(far));
        }
    }

    #[test]
    fn no_name_is_that_of_a_command_or_a_setting() {
        let ours = CommandLine::command();
        let tables = REQUESTS.iter().chain(COMMANDS);
        for name in tables.flat_map(|(names, _)| names.iter()) {
            assert!(ours.find_subcommand(name).is_none(), "{name}");
        }
        for name in FLAGS.iter().flat_map(|(names, _)| names.iter()) {
            let of = |setting: &Setting| setting.flag() == *name;
            assert!(!CATALOGUE.iter().any(of), "{name}");
        }
    }
}
