//! The text form of values: `as_str` shows it, `Display` writes it and `FromStr` parses it.
//!
//! Secrets have no `Display`, so that none is printed by mistake. Numbers and values with a form of
//! their own implement these beside their type.

/// Implements the forms that are named, as a derive does: `as_str` for a value that holds a text,
/// `Display` by the value's `as_str`, `FromStr` by its `parse`.
macro_rules! text_form {
    ($Value:ident: $($form:ident $(<$Error:ident>)?),+) => {
        $(text_form! { @$form $Value $($Error)? })+
    };
    (@as_str $Value:ident) => {
        impl $Value {
            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }
    };
    (@Display $Value:ident) => {
        impl std::fmt::Display for $Value {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
    (@FromStr $Value:ident $Error:ident) => {
        impl std::str::FromStr for $Value {
            type Err = $Error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::parse(text)
            }
        }
    };
}

/// Makes an enum of a list of its values, each with its name in texts.
macro_rules! named_values {
    (
        $(#[$about:meta])*
        pub enum $Type:ident {
            $($(#[$says:meta])* $value:ident = $name:literal,)+
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $Type {
            $($(#[$says])* $value,)+
        }

        impl $Type {
            /// Every value, in order.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$value),+];

            /// The value with this name.
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|value| value.as_str() == name)
            }

            /// The name.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$value => $name,)+
                }
            }
        }
    };
}
