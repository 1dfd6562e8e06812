//! The destinations among the members of a link.

use crate::{
    Comment, Countries, Description, Destination, Holds, ImageRef, LinkContent, MaxVisits, Rules,
    Split, Tags, Title, UnixSeconds, VisitCount, VisitsBefore, link_members, text::Text,
};

macro_rules! destinations {
    ($(
        $(#[$says:meta])+
        $name:ident: $Type:ty, $wire:literal, $whose:ident, $($place:ident).+, $shown:literal;
    )+) => {
        impl LinkContent {
            /// Every destination that the link may send a visitor to, behind its path on the wire
            /// and whether what stands behind the slug is filled in.
            pub(crate) fn named_destinations(
                &self,
            ) -> impl Iterator<Item = (String, bool, &Destination)> {
                let mut all = vec![("url".to_owned(), true, &self.destination)];
                $(
                    let value = Holds::<$Type>::held(&self.$($place).+);
                    for (below, is_filled, to) in value.into_iter().flat_map(Leads::destinations) {
                        all.push((format!("{}{below}", $wire), is_filled, to));
                    }
                )+
                all.into_iter()
            }
        }
    };
}

link_members!(destinations);

impl LinkContent {
    /// Every destination that the link may send a visitor to.
    pub fn destinations(&self) -> impl Iterator<Item = &Destination> {
        self.named_destinations().map(|(_, _, to)| to)
    }
}

/// The value of a member, which may lead visitors somewhere.
trait Leads {
    /// The destinations in the value, each behind its path in the value and whether what stands
    /// behind the slug is filled in.
    fn destinations(&self) -> Vec<(String, bool, &Destination)> {
        Vec::new()
    }
}

impl Leads for bool {}
impl Leads for VisitCount {}
impl Leads for Tags {}
impl<const MAX: usize> Leads for Text<MAX> {}
impl Leads for UnixSeconds {}

impl Leads for Destination {
    fn destinations(&self) -> Vec<(String, bool, &Destination)> {
        vec![(String::new(), false, self)]
    }
}

impl Leads for Countries {
    fn destinations(&self) -> Vec<(String, bool, &Destination)> {
        let all = self.iter();
        all.map(|(country, to)| (format!(".{country}"), true, to))
            .collect()
    }
}

impl Leads for Rules {
    fn destinations(&self) -> Vec<(String, bool, &Destination)> {
        let all = self.iter().enumerate();
        all.map(|(index, rule)| (format!(".{index}.url"), true, rule.destination()))
            .collect()
    }
}

impl Leads for Split {
    fn destinations(&self) -> Vec<(String, bool, &Destination)> {
        let all = self.shares().iter().enumerate();
        all.map(|(index, share)| (format!(".{index}.url"), true, &share.destination))
            .collect()
    }
}
