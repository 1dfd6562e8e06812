//! A change of a member that can be kept, removed or set.

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
    /// Changes a member that can be absent.
    pub fn apply(self, member: &mut Option<T>) {
        match self {
            Self::Keep => {}
            Self::Clear => *member = None,
            Self::Set(value) => *member = Some(value),
        }
    }

    /// Changes a member that is empty instead of absent.
    pub(crate) fn apply_or_default(self, member: &mut T)
    where
        T: Default,
    {
        match self {
            Self::Keep => {}
            Self::Clear => *member = T::default(),
            Self::Set(value) => *member = value,
        }
    }
}
