//! Names that people send for members whose names are others.
//!
//! Other programs use these names, so a client that sends one means it. A link without its expiry
//! would be a wrong answer to `expires`.

/// A member in each line, and names under which other programs have a value of the same form; after
/// `~` those under which they have another form of it, such as a duration in place of a moment, or
/// the opposite of a flag. They are in lower case, without hyphens, underscores and spaces.
const CALLED: &str = "
slug: address alias backhalf customalias customslug customurl key keyword shortcode slashtag \
    ~ newslug shortlink shorturl
url: destination destinationurl longlink longurl newurl originalurl redirecturl target targeturl
domain: host hostname shortdomain ~ domainid
comment: comments memo note notes remark remarks
expiration: enddate expirationdate expire expires expiresat expiry expirydate validto validuntil \
    ~ expireafter expirein expiresin expirydelay expirytime lifetime maxage ttl
startsAt: activefrom startdate validfrom validsince
maxVisits: clicklimit clickslimit expireatviews maxclicks maxhits maxuses maxviews visitlimit \
    ~ onetime oneshot singleuse
expiredUrl: expirationredirect expirationurl expiredredirect fallbackurl
disabled: deactivated inactive paused ~ active archived banned enabled isactive isarchived isenabled
password: pass passcode passphrase pwd
tags: label labels tagnames
apple: ios iosurl iphone iphoneurl
google: android androidurl
geo: ~ countries countrytargeting geotargeting
redirectWithQuery: forwardparameters forwardquery passquery
cloaking: cloak masking rewrite
noindex: ~ crawlable doindex
createdAt: created createdon creationdate datecreated
updatedAt: lastmodified modified updated updatedon
reuse: findifexists
q: query search
startAt: from last since start
endAt: end to until
clientTimezone: tz
validateOnly: dryrun
";

/// Returns the member that a name means.
pub(crate) fn meant(name: &str) -> Option<&'static str> {
    find(CALLED, &plain(name), |names| names)
}

/// Returns the member whose values other programs write under this name as we do.
pub(crate) fn same_form(name: &str) -> Option<&'static str> {
    find(CALLED, &plain(name), |names| {
        names.split('~').next().unwrap_or_default()
    })
}

/// Returns the member in the row of a table whose `part` has a name in plain spelling.
pub(crate) fn find(
    table: &'static str,
    name: &str,
    part: fn(&str) -> &str,
) -> Option<&'static str> {
    let mut rows = table.lines().filter_map(|row| row.split_once(": "));
    let row = rows.find(|(_, names)| words(part(names)).any(|word| word == name));
    row.map(|(member, _)| member)
}

fn words(names: &str) -> impl Iterator<Item = &str> {
    names.split([' ', '~']).filter(|word| !word.is_empty())
}

/// Returns whether a name asks for another slug.
pub(crate) fn is_new_slug(name: &str) -> bool {
    plain(name) == "newslug"
}

/// Returns whether a name asks that nothing be stored.
pub(crate) fn is_trial(name: &str) -> bool {
    ["validateonly", "dryrun"].contains(&plain(name).as_str())
}

/// Returns a name without what programs spell differently: case, hyphens, underscores, spaces.
pub(crate) fn plain(name: &str) -> String {
    name.to_lowercase().replace(['_', '-', ' '], "")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn each_name_means_one_member_in_any_spelling() {
        let rows = CALLED.lines().filter_map(|row| row.split_once(": "));
        let names: Vec<&str> = rows.flat_map(|(_, names)| words(names)).collect();
        assert!(names.len() > 100);
        assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len());
        for name in names {
            assert_eq!(plain(name), name);
            assert!(meant(name).is_some(), "{name}");
        }
        assert_eq!(meant("expires_at"), Some("expiration"));
        assert_eq!(meant("customSlug"), Some("slug"));
        assert_eq!(meant("clicks"), None);
        assert_eq!(meant(""), None);
        assert!(is_new_slug("new-slug") && !is_new_slug("alias"));
    }

    #[test]
    fn a_value_in_another_form_is_meant_and_not_the_same() {
        assert_eq!(same_form("Long URL"), Some("url"));
        for (name, member) in [
            ("enabled", "disabled"),
            ("oneTime", "maxVisits"),
            ("ttl", "expiration"),
            ("short_url", "slug"),
        ] {
            assert_eq!((same_form(name), meant(name)), (None, Some(member)));
        }
    }
}
