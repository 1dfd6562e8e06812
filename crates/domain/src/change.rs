//! A change of a member that can be kept, removed or set.

use crate::{Countries, Rules, Tags};

/// A change of one member.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Change<T> {
    /// Keeps the member.
    #[default]
    Keep,
    /// Removes the member.
    Clear,
    /// Sets the member to this value.
    Set(T),
}

impl<T> Change<T> {
    /// The change of a member that clients of Sink know, where they replace a link: what they leave
    /// out is removed.
    pub(crate) fn sinks(self) -> Self {
        match self {
            Self::Keep => Self::Clear,
            Self::Clear | Self::Set(_) => self,
        }
    }

    /// The change of a member that they do not know, and therefore leave out: it is kept.
    pub(crate) fn ours(self) -> Self {
        self
    }

    /// Changes a member.
    pub fn apply(self, member: &mut impl Holds<T>) {
        match self {
            Self::Keep => {}
            Self::Clear => member.hold(None),
            Self::Set(value) => member.hold(Some(value)),
        }
    }
}

/// Holds a member of a link: an option of its value, or a value that is empty if the link does not
/// have the member.
pub trait Holds<T> {
    /// The value, if there is one.
    fn held(&self) -> Option<&T>;

    /// Sets or removes the value.
    fn hold(&mut self, value: Option<T>);
}

impl<T> Holds<T> for Option<T> {
    fn held(&self) -> Option<&T> {
        self.as_ref()
    }

    fn hold(&mut self, value: Option<T>) {
        *self = value;
    }
}

macro_rules! empty_if_absent {
    ($($Type:ty),+) => {$(
        impl Holds<$Type> for $Type {
            fn held(&self) -> Option<&$Type> {
                (*self != Self::default()).then_some(self)
            }

            fn hold(&mut self, value: Option<$Type>) {
                *self = value.unwrap_or_default();
            }
        }
    )+};
}

empty_if_absent!(bool, Countries, Rules);

/// A link without tags has an empty list of them.
impl Holds<Self> for Tags {
    fn held(&self) -> Option<&Self> {
        Some(self)
    }

    fn hold(&mut self, value: Option<Self>) {
        *self = value.unwrap_or_default();
    }
}
