//! Names of applications and of their tokens.

use slugline_domain::{
    TokenName,
    assistants::{ClientName, ClientNameError, ConsentCode},
};

/// The name of an application, or its host if it has none.
pub(super) fn name_or_host(name: Option<&str>, host: &str) -> Result<ClientName, ClientNameError> {
    let given = name.filter(|name| !name.trim().is_empty());
    let shown = match given {
        Some(given) => given.to_owned(),
        None => host.chars().take(ClientName::MAX_CHARS).collect(),
    };
    ClientName::parse(&shown)
}

/// A name that looks like none of the others: that of the application with its host, and a number
/// if need be.
pub(super) fn name_for(code: &ConsentCode, others: &[TokenName]) -> TokenName {
    let taken = |name: &TokenName| others.iter().any(|other| other.looks_like(name));
    let mut number: u32 = 1;
    loop {
        let name = numbered(code, number);
        if !taken(&name) {
            return name;
        }
        number += 1;
    }
}

fn numbered(code: &ConsentCode, number: u32) -> TokenName {
    let tail = match number {
        1 => format!(" ({})", code.host),
        _ => format!(" ({}) {number}", code.host),
    };
    let room = TokenName::MAX_CHARS.saturating_sub(tail.chars().count());
    let head: String = code.name.as_str().chars().take(room).collect();
    let whole = format!("{}{tail}", head.trim_end());
    let plain = || format!("Assistant {number}");
    // A host may be too long, or have a character that no name has.
    let name = TokenName::parse(&whole).or_else(|_| TokenName::parse(&plain()));
    name.expect("a word and a number are a name")
}
