//! People: where they live, what they hold in the hand and how they are connected.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::{
    agents::{DEVICES, Device},
    areas::AREAS,
    dice::{Dice, mixed, whole},
};

/// The visits of a person, on average.
const VISITS_OF_A_PERSON: f64 = 5.0;

/// People behind one address of a company or a school.
const IN_AN_OFFICE: u32 = 30;

/// People for each address of a mobile network.
const ON_A_MOBILE_ADDRESS: u32 = 40;

/// The hours for which a telephone keeps its address.
const HOURS_OF_A_MOBILE_ADDRESS: u32 = 6;

/// Everyone who ever visits a link.
#[derive(Debug)]
pub(super) struct People {
    /// The number of people in each area.
    of_area: Vec<u32>,
}

/// One of them.
#[derive(Debug)]
pub(super) struct Person {
    pub(super) area: usize,
    pub(super) device: Device,
    /// Dice that all visits of the person throw alike.
    pub(super) taste: Dice,
    number: u32,
    connection: Connection,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Connection {
    Home,
    /// A home with IPv6, which knows a home by the first half of an address.
    NewHome,
    Mobile,
    Office,
}

impl People {
    /// The people for so many visits.
    pub(super) fn new(visits: u32) -> Self {
        let all: f64 = AREAS.iter().map(|area| f64::from(area.people)).sum();
        let people = f64::from(visits) / VISITS_OF_A_PERSON + 5_000.0;
        let of_area = AREAS
            .iter()
            .map(|area| whole(people * f64::from(area.people) / all) + 5)
            .collect();
        Self { of_area }
    }

    /// Someone from an area. Some return often; with an exponent of 0 all do alike.
    pub(super) fn someone(&self, area: usize, exponent: f64, dice: &mut Dice) -> Person {
        let number = dice.skewed(self.of_area[area], exponent);
        let area_number = u64::try_from(area).expect("there are few areas");
        let mut taste = Dice::new(mixed(area_number, u64::from(number)));
        let device = *taste.weighed(&DEVICES);
        let draw = taste.unit();
        let connection = match device.is_phone() {
            true if draw < 0.6 => Connection::Mobile,
            false if draw < 0.25 => Connection::Office,
            _ if draw < 0.8 => Connection::Home,
            _ => Connection::NewHome,
        };
        Person {
            area,
            device,
            taste,
            number,
            connection,
        }
    }
}

impl Person {
    /// The address at an hour since the first day's midnight.
    pub(super) fn address(&self, people: &People, hour: u32) -> IpAddr {
        let area = u64::try_from(self.area).expect("there are few areas");
        let number = u64::from(self.number);
        let (kind, host) = match self.connection {
            Connection::Home => (1, number),
            Connection::NewHome => {
                let network = mixed(area << 8 | 2, number) >> 8;
                return Ipv6Addr::from_bits(u128::from(network | 0x2a << 56) << 64 | 1).into();
            }
            Connection::Mobile => {
                let addresses = people.of_area[self.area] / ON_A_MOBILE_ADDRESS + 1;
                // Not all get a new one at the same hour.
                let lease = u64::from((hour + self.number % 7) / HOURS_OF_A_MOBILE_ADDRESS);
                (3, mixed(number, lease) % u64::from(addresses))
            }
            Connection::Office => (4, u64::from(self.number / IN_AN_OFFICE)),
        };
        let address = mixed(area << 8 | kind, host) >> 32;
        Ipv4Addr::from_bits(u32::try_from(address).expect("a shift leaves 32 bits")).into()
    }
}
