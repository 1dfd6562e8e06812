//! The sources of values, and errors that name the source.

use std::{
    collections::HashMap,
    fmt::{self, Display},
    ops::RangeInclusive,
    path::Path,
    str::FromStr,
};

use thiserror::Error;

use super::catalogue::{CATALOGUE, Setting};
use crate::secret_file::read_secret;

/// The given values, by setting, each with its origin.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    given: HashMap<&'static str, Given>,
}

/// A setting without its secrets, for display.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'s> {
    /// The setting.
    pub setting: &'static Setting,
    /// Its value; `(hidden)` for a secret, empty if none.
    pub value: &'s str,
    /// The origin of the value, in words.
    pub origin: &'s str,
}

#[derive(Clone)]
struct Given {
    /// An error says why the file with the value cannot be read.
    value: Result<String, String>,
    origin: String,
    /// The file that held the value.
    file: Option<String>,
}

impl fmt::Debug for Given {
    /// Omits the value, which may be a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.origin)
    }
}

/// The errors of all settings that are wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingErrors(Vec<SettingError>);

impl SettingErrors {
    /// The errors, at least one.
    pub fn errors(&self) -> &[SettingError] {
        &self.0
    }
}

impl From<SettingError> for SettingErrors {
    fn from(error: SettingError) -> Self {
        Self(vec![error])
    }
}

impl fmt::Display for SettingErrors {
    /// One error in its line; several below a heading, each in a line of its own.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [error] = &self.0[..] {
            return error.fmt(f);
        }
        write!(f, "{} settings are wrong", self.0.len())?;
        self.0.iter().try_for_each(|error| write!(f, "\n  {error}"))
    }
}

impl std::error::Error for SettingErrors {}

/// An error in a setting that prevents the start.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SettingError {
    /// A value is wrong.
    #[error("{name}{value} (from {origin}): {fix}")]
    Wrong {
        /// The setting.
        name: &'static str,
        /// ` is "…"`, or nothing for a secret.
        value: String,
        /// The origin of the value.
        origin: String,
        /// The fault, or the valid values.
        fix: String,
    },
    /// There is no setting of this name.
    #[error("{name} is not a setting; `slugline --help` lists them")]
    Unknown {
        /// The name.
        name: String,
    },
}

impl Sources {
    /// Values given by name.
    ///
    /// # Errors
    /// A name is not a setting.
    pub fn from_pairs<'a>(
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, SettingError> {
        let mut sources = Self::default();
        for (name, value) in pairs {
            let of_name = |setting: &&Setting| setting.name == name;
            let of_file = |setting: &&Setting| setting.secret && setting.file_variable() == name;
            let origin = "the caller".to_owned();
            if let Some(setting) = CATALOGUE.iter().find(of_name) {
                sources.give(setting, value.into(), origin);
            } else if let Some(setting) = CATALOGUE.iter().find(of_file) {
                sources.give_file(setting, value, origin);
            } else {
                return Err(SettingError::Unknown { name: name.into() });
            }
        }
        Ok(sources)
    }

    /// Values of flags, by their names, and of the environment for settings without a flag, all of
    /// these settings only. An empty value counts as not given. A value has priority over a file
    /// with the value. A file that cannot be read is an error of its setting.
    pub(crate) fn of(
        settings: impl Iterator<Item = &'static Setting>,
        flag: impl Fn(&str) -> Option<String>,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Self {
        let mut sources = Self::default();
        let flag = |name: String| Some((flag(&name)?, format!("the flag --{name}")));
        let named = |name: &str| {
            let value = environment(name).filter(|value| !value.is_empty())?;
            Some((value, format!("the environment variable {name}")))
        };
        for setting in settings {
            let secret = Some(setting).filter(|setting| setting.secret);
            let flag_of_file = || flag(secret?.file_flag());
            let variable_of_file = || named(&secret?.file_variable());
            let sinks = || setting.sink_names.iter().find_map(|name| named(name));
            if let Some((value, origin)) = flag(setting.flag()) {
                sources.give(setting, value, origin);
            } else if let Some((path, origin)) = flag_of_file() {
                sources.give_file(setting, &path, origin);
            } else if let Some((value, origin)) = named(setting.name) {
                sources.give(setting, value, origin);
            } else if let Some((path, origin)) = variable_of_file() {
                sources.give_file(setting, &path, origin);
            } else if let Some((value, origin)) = sinks() {
                sources.give(setting, value, origin);
            }
        }
        sources
    }

    fn give_file(&mut self, setting: &Setting, path: &str, origin: String) {
        let given = match read_secret(Path::new(path)) {
            Ok(text) => Given {
                value: Ok(text),
                origin: format!("the file {path}"),
                file: Some(path.to_owned()),
            },
            Err(error) => Given {
                value: Err(format!("the file {path} cannot be read: {error}")),
                origin,
                file: Some(path.to_owned()),
            },
        };
        self.given.insert(setting.name, given);
    }

    fn give(&mut self, setting: &Setting, value: String, origin: String) {
        let given = Given {
            value: Ok(value),
            origin,
            file: None,
        };
        self.given.insert(setting.name, given);
    }

    /// Every setting with its value and its origin, in the order of the
    /// catalogue.
    pub fn shown(&self) -> impl Iterator<Item = Shown<'_>> {
        CATALOGUE.iter().map(|setting| Shown {
            setting,
            value: match self.given.get(setting.name) {
                Some(Given { value: Err(_), .. }) => "(unreadable)",
                Some(_) if setting.secret => "(hidden)",
                Some(Given {
                    value: Ok(text), ..
                }) => text.trim(),
                None => setting.default,
            },
            origin: match self.origin(setting.name) {
                Some(origin) => origin,
                None if !setting.default.is_empty() => "default",
                None => setting.default_in_words().unwrap_or("not set"),
            },
        })
    }

    /// The file that held a setting's value, if one did.
    pub(crate) fn file(&self, name: &str) -> Option<&str> {
        self.given.get(name)?.file.as_deref()
    }

    /// The origin of a setting's value, if given.
    pub(crate) fn origin(&self, name: &str) -> Option<&str> {
        self.given.get(name).map(|given| given.origin.as_str())
    }

    /// The value of a setting that has a default.
    pub(super) fn parsed<T, E: Display>(
        &self,
        name: &'static str,
        parse: impl Fn(&str) -> Result<T, E>,
    ) -> Result<T, SettingError> {
        let setting = find(name);
        let text = match self.given.get(name).map(|given| &given.value) {
            Some(Ok(text)) => text.trim(),
            Some(Err(fix)) => return Err(self.wrong(name, fix)),
            None => setting.default,
        };
        parse(text).map_err(|fix| self.wrong(name, fix))
    }

    /// The value of a setting that may be missing.
    pub(super) fn optional<T, E: Display>(
        &self,
        name: &'static str,
        parse: impl Fn(&str) -> Result<T, E>,
    ) -> Result<Option<T>, SettingError> {
        self.given
            .contains_key(name)
            .then(|| self.parsed(name, parse))
            .transpose()
    }

    /// A comma-separated list.
    pub(super) fn list<T, E: Display>(
        &self,
        name: &'static str,
        parse: impl Fn(&str) -> Result<T, E>,
    ) -> Result<Vec<T>, SettingError> {
        self.parsed(name, |text| {
            let items = text
                .split(',')
                .map(str::trim)
                .filter(|item| !item.is_empty());
            items
                .map(|item| parse(item).map_err(|fix| format!("{item:?}: {fix}")))
                .collect::<Result<Vec<T>, String>>()
        })
    }

    /// A whole number.
    pub(super) fn number<N: FromStr + PartialOrd + Display>(
        &self,
        name: &'static str,
        range: RangeInclusive<N>,
    ) -> Result<N, SettingError> {
        self.parsed(name, number(range))
    }

    /// A yes or a no.
    pub(super) fn flag(&self, name: &'static str) -> Result<bool, SettingError> {
        self.parsed(name, |text| match text.to_ascii_lowercase().as_str() {
            "true" | "1" | "yes" | "on" => Ok(true),
            "false" | "0" | "no" | "off" => Ok(false),
            _ => Err("expected true or false"),
        })
    }

    /// Runs a check again and again, each time without the settings that were wrong, and returns
    /// all their errors. So a check may end at its first error.
    pub(super) fn check_all<T>(
        &self,
        check: impl Fn(&Self) -> Result<T, SettingError>,
    ) -> Result<T, SettingErrors> {
        let mut rest = self.clone();
        let mut errors: Vec<SettingError> = Vec::new();
        loop {
            let error = match check(&rest) {
                Ok(checked) if errors.is_empty() => return Ok(checked),
                Ok(_) => return Err(SettingErrors(errors)),
                Err(error) => error,
            };
            let is_left = match &error {
                SettingError::Wrong { name, .. } => rest.given.remove(name).is_some(),
                SettingError::Unknown { .. } => false,
            };
            errors.push(error);
            if !is_left {
                return Err(SettingErrors(errors));
            }
        }
    }

    /// The error for a setting's value.
    pub(super) fn wrong(&self, name: &'static str, fix: impl Display) -> SettingError {
        let given = self.given.get(name);
        let value = match given {
            Some(Given {
                value: Ok(text), ..
            }) if !find(name).secret => format!(" is {text:?}"),
            Some(_) | None => String::new(),
        };
        let origin = given.map_or_else(|| "its default".into(), |given| given.origin.clone());
        SettingError::Wrong {
            name,
            value,
            origin,
            fix: fix.to_string(),
        }
    }
}

/// Parses a whole number of a range.
pub(super) fn number<N: FromStr + PartialOrd + Display>(
    range: RangeInclusive<N>,
) -> impl Fn(&str) -> Result<N, String> {
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        let (first, last) = (range.start(), range.end());
        number.ok_or_else(|| format!("expected a whole number from {first} to {last}"))
    }
}

fn find(name: &str) -> &'static Setting {
    CATALOGUE
        .iter()
        .find(|setting| setting.name == name)
        .expect("only settings of the catalogue are asked for")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_flag_beats_our_variable_and_ours_beats_sinks() {
        let read = |flag: Option<&str>, environment: &[(&str, &str)]| {
            let sources = Sources::of(
                CATALOGUE.iter(),
                |name| flag.filter(|_| name == "case-sensitive").map(str::to_owned),
                |name| {
                    let given = environment.iter().find(|(given, _)| *given == name);
                    given.map(|(_, value)| (*value).to_owned())
                },
            );
            sources.flag("SLUGLINE_CASE_SENSITIVE").unwrap()
        };
        let (ours, sinks) = ("SLUGLINE_CASE_SENSITIVE", "NUXT_CASE_SENSITIVE");
        assert!(!read(None, &[]));
        assert!(read(None, &[(sinks, "true")]));
        assert!(!read(None, &[(sinks, "true"), (ours, "false")]));
        assert!(
            read(None, &[(sinks, "1"), (ours, "")]),
            "an empty value is none"
        );
        assert!(read(Some("true"), &[(ours, "false")]));
    }

    #[test]
    fn of_several_names_of_sink_the_first_that_is_set_counts() {
        let read = |environment: &[(&str, &str)]| {
            let given = |name: &str| environment.iter().find(|(given, _)| *given == name);
            let sources = Sources::of(
                CATALOGUE.iter(),
                |_| None,
                |name| given(name).map(|(_, value)| (*value).to_owned()),
            );
            let text = |text: &str| Ok::<_, String>(text.to_owned());
            sources.optional("SLUGLINE_HOME_URL", text).unwrap()
        };
        let (new, old) = (
            ("NUXT_PUBLIC_HOME_URL", "https://new.example"),
            ("NUXT_HOME_URL", "https://old.example"),
        );
        assert_eq!(read(&[]), None);
        assert_eq!(read(&[old]).as_deref(), Some(old.1));
        assert_eq!(read(&[old, new]).as_deref(), Some(new.1));
    }

    #[test]
    fn every_secret_may_stand_in_a_file_and_a_value_goes_before_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        fs::write(&path, "\u{feff}from a file\r\n").unwrap();
        let path = path.to_str().unwrap();
        let text = |text: &str| Ok::<_, String>(text.to_owned());
        for setting in CATALOGUE.iter().filter(|setting| setting.secret) {
            let read = |given: &[(&str, &str)]| {
                let given = |name: &str| {
                    let found = given.iter().find(|(given, _)| *given == name);
                    found.map(|(_, value)| (*value).to_owned())
                };
                let sources = Sources::of(CATALOGUE.iter(), given, given);
                Ok::<_, SettingError>(sources.optional(setting.name, text)?.unwrap())
            };
            let (flag, file_flag) = (setting.flag(), setting.file_flag());
            let (name, file_name) = (setting.name, setting.file_variable());
            for (given, value) in [
                (vec![(file_name.as_str(), path)], "from a file"),
                (vec![(file_flag.as_str(), path), (name, "a")], "from a file"),
                (vec![(&file_name, path), (name, "a")], "a"),
                (
                    vec![(&file_flag, "/nowhere"), (&flag, "b"), (name, "a")],
                    "b",
                ),
            ] {
                assert_eq!(read(&given).as_deref(), Ok(value), "{given:?}");
            }
            let error = read(&[(&file_name, "/nowhere")]).unwrap_err().to_string();
            let start = format!(
                "{name} (from the environment variable {file_name}): the file /nowhere cannot be read"
            );
            assert!(error.starts_with(&start), "{error}");
            let pairs = Sources::from_pairs([(file_name.as_str(), path)]).unwrap();
            let given = pairs.optional(name, text).unwrap();
            assert_eq!(given.as_deref(), Some("from a file"));
        }
        assert!(Sources::from_pairs([("SLUGLINE_LISTEN_FILE", path)]).is_err());
    }

    #[test]
    fn yes_and_no_are_said_in_several_ways() {
        let read = |value| {
            let sources = Sources::from_pairs([("SLUGLINE_CASE_SENSITIVE", value)]);
            sources.unwrap().flag("SLUGLINE_CASE_SENSITIVE")
        };
        for (value, expected) in [("Yes", true), ("on", true), ("NO", false), ("off", false)] {
            assert_eq!(read(value), Ok(expected), "{value}");
        }
        let error = read("maybe").unwrap_err().to_string();
        assert!(error.contains("expected true or false"), "{error}");
    }

    #[test]
    fn an_unknown_name_is_refused() {
        let error = Sources::from_pairs([("SLUGLINE_LISEN", "x")]).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("SLUGLINE_LISEN is not a setting")
        );
    }
}
