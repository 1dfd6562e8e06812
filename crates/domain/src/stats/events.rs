//! The latest visits, one by one.

use std::{borrow::Cow, cmp::Ordering, convert::Infallible};

use crate::{
    Degrees, Destinations, Dimension, RowLimit, UnixMillis, VisitFilter, VisitRecord, split_key,
};

/// The question for the latest visits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventsQuery {
    /// The visits to list.
    pub filter: VisitFilter,
    /// The largest number of visits to list.
    pub limit: RowLimit,
}

/// One stored visit as it may be shown: nothing in it identifies a visitor. An
/// empty text means unknown. Events are ordered by their members.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Event {
    /// The time.
    pub at: UnixMillis,
    /// One for each of [`Event::members`].
    values: Vec<Value>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Value {
    Text(String),
    /// Zero when unknown.
    Degrees(Degrees),
}

impl Event {
    /// A visit for a caller who sees these destinations.
    pub fn of(record: &VisitRecord<'_>, destinations: Destinations) -> Self {
        let shows_url = destinations.show(record.protection);
        let Ok(event) = Self::read::<Infallible>(record.at, |dimension| {
            let is_hidden = dimension == Dimension::Url && !shows_url;
            Ok(if is_hidden {
                String::new()
            } else {
                record.value(dimension).into_owned()
            })
        });
        event
    }

    /// The dimensions that are members, in the order of the members. Events contain neither the
    /// visitor's address nor the link's protection.
    pub fn members() -> impl Iterator<Item = Dimension> {
        Dimension::ALL
            .iter()
            .copied()
            .filter(|dimension| *dimension != Dimension::Ip)
    }

    /// Makes an event of texts. Asks for that of each of [`Event::members`], in this order.
    ///
    /// # Errors
    /// A text cannot be had.
    pub fn read<E>(
        at: UnixMillis,
        mut text: impl FnMut(Dimension) -> Result<String, E>,
    ) -> Result<Self, E> {
        let value = |dimension: Dimension| {
            let text = text(dimension)?;
            Ok(if dimension.is_degrees() {
                Value::Degrees(text.parse().map_or(Degrees::ZERO, Degrees::nearest))
            } else {
                Value::Text(text)
            })
        };
        let values = Self::members().map(value).collect::<Result<_, _>>()?;
        Ok(Self { at, values })
    }

    /// The event's text of a dimension; empty if it is no member.
    pub fn value(&self, dimension: Dimension) -> Cow<'_, str> {
        match self.member(dimension) {
            Some(Value::Text(text)) => Cow::Borrowed(text),
            Some(Value::Degrees(degrees)) => degrees.to_string().into(),
            None => Cow::Borrowed(""),
        }
    }

    /// The host of the link's domain, which is empty for the default one, and the slug.
    /// [`Dimension::Slug`] has the text of the key, in which both are.
    pub fn link(&self) -> (&str, &str) {
        match self.member(Dimension::Slug) {
            Some(Value::Text(key)) => split_key(key),
            Some(Value::Degrees(_)) | None => ("", ""),
        }
    }

    /// The event's value of a dimension of degrees; zero if unknown.
    pub fn degrees(&self, dimension: Dimension) -> Degrees {
        match self.member(dimension) {
            Some(Value::Degrees(degrees)) => *degrees,
            Some(Value::Text(_)) | None => Degrees::ZERO,
        }
    }

    fn member(&self, dimension: Dimension) -> Option<&Value> {
        let position = Self::members().position(|member| member == dimension)?;
        self.values.get(position)
    }

    /// Returns whether this event of a link meets the conditions. An event tells
    /// nothing about its visitor, whose address counts as unknown. It was made for
    /// the filter's own destinations.
    pub fn meets(&self, filter: &VisitFilter, link: &str) -> bool {
        let second = self.at.second();
        filter.from.is_none_or(|from| second >= from)
            && filter.until.is_none_or(|until| second <= until)
            && filter.links.admits(link)
            && filter
                .values
                .iter()
                .all(|(dimension, choice)| choice.admits(&*self.value(*dimension)))
    }

    /// The latest of these, newest first. Events of the same moment are ordered
    /// by their content, so that every engine chooses the same ones in the same
    /// order.
    pub fn latest(mut events: Vec<Self>, limit: RowLimit) -> Vec<Self> {
        events.sort_by(Self::newest_first);
        events.truncate(limit.as_usize());
        events
    }

    fn newest_first(&self, other: &Self) -> Ordering {
        other.at.cmp(&self.at).then_with(|| self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    /// An event whose members have these numbers.
    fn event(numbers: &[usize]) -> (Event, Vec<Dimension>) {
        let mut asked = Vec::new();
        let Ok(event) = Event::read(UnixMillis::new(0), |dimension| {
            asked.push(dimension);
            Ok::<_, Infallible>(format!("{}.00", numbers[asked.len() - 1]))
        });
        (event, asked)
    }

    #[test]
    fn the_domain_and_the_slug_of_an_event_are_those_of_its_key() {
        for (key, expected) in [
            ("promo", ("", "promo")),
            ("go.example/a", ("go.example", "a")),
        ] {
            let Ok(event) = Event::read::<Infallible>(UnixMillis::new(0), |dimension| {
                let of_key = dimension == Dimension::Slug;
                Ok(if of_key { key } else { "" }.to_owned())
            });
            assert_eq!(event.link(), expected);
        }
    }

    #[test]
    fn each_member_is_read_once_shown_and_sorts_by_its_place() {
        let numbers: Vec<usize> = (0..Event::members().count()).collect();
        let (read, asked) = event(&numbers);
        assert_eq!(asked, Event::members().collect::<Vec<_>>());
        for &dimension in Dimension::ALL {
            let position = asked.iter().position(|member| *member == dimension);
            let expected = position.map_or(String::new(), |position| format!("{position}.00"));
            assert_eq!(read.value(dimension), expected, "{dimension:?}");
        }
        for position in 0..numbers.len() {
            let (mut small, mut large) = (vec![1; numbers.len()], vec![1; numbers.len()]);
            large[position] = 2;
            small[position + 1..].fill(9);
            assert!(event(&small).0 < event(&large).0, "{:?}", asked[position]);
        }
    }
}
