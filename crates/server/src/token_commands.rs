//! `slugline token add`, `list` and `revoke`: named tokens in the database that the settings
//! name, also while a service uses it.

use std::io::{self, Write};

use clap::Args;
use slugline_application::{ListedToken, Tokens};
use slugline_contract::{MakeToken, Problem, RevokeToken, iso_8601, read};
use slugline_domain::{Author, DomainName, LinkKey, Scope, Tag, UnixSeconds};

use crate::{backup::journal, databases, process, settings::Settings, wiring};

/// The token to make.
#[derive(Debug, Args)]
pub(crate) struct Wanted {
    /// A name that no other token has
    name: String,
    /// What it permits, once or more; admin permits everything
    #[arg(
        long = "scope",
        value_name = "SCOPE",
        required = true,
        value_delimiter = ',',
        value_parser = Scope::ALL.map(Scope::as_str)
    )]
    scopes: Vec<String>,
    /// Bind it to the link with this slug, once or more [default: all links]
    #[arg(long = "slug", value_name = "SLUG")]
    slugs: Option<Vec<String>>,
    /// Bind it to the links with this tag, once or more [default: all links]
    #[arg(long = "tag", value_name = "TAG")]
    tags: Option<Vec<String>>,
    /// Bind it to links of this domain, once or more [default: all domains]
    #[arg(long = "domain", value_name = "HOST")]
    domains: Option<Vec<String>>,
    /// Its end, such as 2027-01-01 or Unix seconds [default: none]
    #[arg(long, value_name = "WHEN")]
    expires: Option<String>,
}

/// Makes a token and prints its text, the one time that it can be read.
///
/// # Errors
/// A name, a scope or the end is wrong, the name is taken, or the database failed.
pub(crate) fn add(settings: &Settings, wanted: Wanted) -> anyhow::Result<()> {
    let mut sent = serde_json::json!({"name": wanted.name, "scopes": wanted.scopes});
    let lists = [
        ("slugs", wanted.slugs),
        ("tags", wanted.tags),
        ("domains", wanted.domains),
    ];
    for (member, texts) in lists {
        if let Some(texts) = texts {
            sent[member] = texts.into();
        }
    }
    if let Some(expires) = wanted.expires {
        // Unix seconds, or a text that names a moment.
        sent["expiresAt"] = match expires.parse::<i64>() {
            Ok(seconds) => seconds.into(),
            Err(_) => expires.into(),
        };
    }
    let new = read::<MakeToken>(&sent)?.validate()?;
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
    let runtime = process::runtime()?;
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
