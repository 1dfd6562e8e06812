//! `slugline token add`, `list` and `revoke`: named tokens in the database that the settings
//! name, also while a service uses it.

use std::io::{self, Write};

use anyhow::Context;
use slugline_application::{ListedToken, Tokens};
use slugline_contract::{MakeToken, Problem, RevokeToken, iso_8601, read};
use slugline_domain::{Author, DomainName, LinkKey, Scope, Tag, UnixSeconds};
use tokio::runtime::Runtime;

use crate::{backup::journal, databases, settings::Settings, wiring};

/// The links that a token is to be bound to, as the command line names them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BoundTo<'a> {
    /// Slugs, if the flag was given.
    pub(crate) slugs: Option<&'a [String]>,
    /// Tags, if the flag was given.
    pub(crate) tags: Option<&'a [String]>,
    /// Hosts of domains, if the flag was given.
    pub(crate) domains: Option<&'a [String]>,
}

/// Makes a token and prints its text, the one time that it can be read.
///
/// # Errors
/// A name, a scope or the end is wrong, the name is taken, or the database failed.
pub(crate) fn add(
    settings: &Settings,
    name: &str,
    scopes: &[String],
    bound_to: BoundTo<'_>,
    expires: Option<&str>,
) -> anyhow::Result<()> {
    let mut wanted = serde_json::json!({"name": name, "scopes": scopes});
    for (member, texts) in [
        ("slugs", bound_to.slugs),
        ("tags", bound_to.tags),
        ("domains", bound_to.domains),
    ] {
        if let Some(texts) = texts {
            wanted[member] = texts.into();
        }
    }
    if let Some(expires) = expires {
        // Unix seconds, or a text that names a moment.
        wanted["expiresAt"] = match expires.parse::<i64>() {
            Ok(seconds) => seconds.into(),
            Err(_) => expires.into(),
        };
    }
    let new = read::<MakeToken>(&wanted)?.validate()?;
    let made = with_tokens(settings, async |tokens| {
        tokens.make(new, &Author::operator()).await
    })?;
    let name = &made.listed.record.name;
    // Continue if standard error is closed.
    let _ = writeln!(
        io::stderr(),
        "The token {:?} works from now on. Its text is shown this once:",
        name.as_str()
    );
    Ok(writeln!(io::stdout(), "{}", made.text.as_str())?)
}

/// Prints a line for each token.
///
/// # Errors
/// The database failed.
pub(crate) fn list(settings: &Settings) -> anyhow::Result<()> {
    let tokens = with_tokens(settings, async |tokens| tokens.list().await)?;
    let mut output = io::stdout().lock();
    for token in &tokens {
        writeln!(output, "{}", line(token))?;
    }
    Ok(output.flush()?)
}

/// Revokes a token.
///
/// # Errors
/// No token has the name, or the database failed.
pub(crate) fn revoke(settings: &Settings, name: &str) -> anyhow::Result<()> {
    let name = read::<RevokeToken>(&serde_json::json!({"name": name}))?.validate()?;
    with_tokens(settings, async |tokens| {
        tokens.revoke(&name, &Author::operator()).await
    })?;
    Ok(writeln!(io::stdout(), "revoked {:?}", name.as_str())?)
}

fn with_tokens<T>(
    settings: &Settings,
    work: impl AsyncFnOnce(&Tokens) -> Result<T, slugline_application::Error>,
) -> anyhow::Result<T> {
    let _in_use = journal::use_files(settings)?;
    databases::refuse_missing(settings)?;
    let runtime = Runtime::new().context("the runtime cannot be started")?;
    runtime.block_on(async {
        let tokens = wiring::tokens(settings).await?;
        let done = work(&tokens).await;
        Ok(done.map_err(Problem::from)?)
    })
}

/// The name is last, because it may hold blanks.
fn line(listed: &ListedToken) -> String {
    let token = &listed.record;
    let moment = |moment: Option<UnixSeconds>, none: &str| match moment {
        Some(moment) => iso_8601(moment.start()),
        None => none.to_owned(),
    };
    let scopes: Vec<&str> = token.scopes.iter().map(Scope::as_str).collect();
    format!(
        "{}  {}{}  made {}  ends {}  last used {}  {}",
        scopes.join(","),
        bound(listed),
        assistant(listed),
        moment(Some(token.created_at), ""),
        moment(token.ends_at(), "never"),
        moment(token.last_used_at, "never"),
        token.name.as_str()
    )
}

/// The assistant that a token belongs to.
fn assistant(listed: &ListedToken) -> String {
    let assistant = listed.record.assistant.as_ref();
    assistant.map_or_else(String::new, |assistant| {
        format!("  assistant {} at {}", assistant.name, assistant.host)
    })
}

/// The links that a token reaches.
fn bound(listed: &ListedToken) -> String {
    let Some(binding) = listed.record.reach.binding() else {
        return "all links".into();
    };
    let joined = |texts: Vec<String>| texts.join(",");
    let mut parts = Vec::new();
    if !listed.keys.is_empty() {
        parts.push(format!(
            "slugs {}",
            joined(listed.keys.iter().map(LinkKey::to_string).collect())
        ));
    }
    let deleted = binding.links().len().saturating_sub(listed.keys.len());
    if deleted > 0 {
        parts.push(format!("{deleted} deleted links"));
    }
    if !binding.tags().is_empty() {
        parts.push(format!(
            "tags {}",
            joined(binding.tags().iter().map(Tag::to_string).collect())
        ));
    }
    if !binding.domains().is_empty() {
        let name = |domain: &DomainName| match domain.host() {
            Some(host) => host.to_string(),
            None => "(default)".to_owned(),
        };
        let names = binding.domains().iter().map(name).collect();
        parts.push(format!("domains {}", joined(names)));
    }
    parts.join(" ")
}
