//! Visits like those of a busy site, for measurements.
//!
//! They fill a quarter of a year. One link gets half of all; the others follow Zipf's law, some of
//! them go viral within minutes, and robots flood some. People sleep by the clocks of their
//! countries, return, share addresses and change them. The headers of their programs and the hosts
//! they come from have long tails, as in real logs. A fifth are bots. The same number of visits
//! always gives the same visits.

mod agents;
mod areas;
mod calendar;
mod campaigns;
mod dice;
mod hosts;
mod languages;
mod links;
mod people;
mod places;
mod robots;
mod schedule;
mod span;
mod surges;
mod words;

use std::sync::Arc;

use slugline_domain::{FollowedLink, Visit, VisitHeaders, Way};

use agents::{Agent, Agents};
use campaigns::Campaigns;
use dice::{Dice, index, length};
use hosts::Hosts;
use languages::Languages;
use links::Links;
use people::People;
use places::Cities;
use robots::{Robot, Robots, robots};
use schedule::{Moment, Reason, Schedule};
pub use span::{DAYS, END};
use surges::Cause;

/// The part of all visits that the busiest link gets.
const HALF: f64 = 0.5;

/// The visits, in order of time.
#[derive(Debug)]
pub struct Visits {
    schedule: Schedule,
    dice: Dice,
    links: Links,
    people: People,
    cities: Cities,
    agents: Agents,
    robots: Robots,
    hosts: Hosts,
    languages: Languages,
    campaigns: Campaigns,
}

impl Visits {
    /// So many visits of links in the default domain.
    pub fn new(count: u32) -> Self {
        Self::over_domains(count, 1)
    }

    /// So many visits of links in so many domains. Most are in the default one; the others are
    /// `d1.example` and so on, with about as many visits each.
    pub fn over_domains(count: u32, domains: u32) -> Self {
        let mut dice = Dice::new(0);
        Self {
            schedule: Schedule::new(count, &mut dice),
            links: Links::over(domains.max(1)),
            people: People::new(count),
            cities: Cities::new(&mut dice),
            agents: Agents::new(&mut dice),
            robots: robots(),
            hosts: Hosts::new(),
            languages: Languages::new(),
            campaigns: Campaigns::new(&mut dice),
            dice,
        }
    }
}

impl Iterator for Visits {
    type Item = Visit;

    fn next(&mut self) -> Option<Visit> {
        let (moment, reason) = self.schedule.next(&mut self.dice)?;
        let mut dice = self.dice.clone();
        let visit = match reason {
            Reason::Person => {
                let area = self.schedule.area(&mut dice);
                let link = self.link(1.05, &mut dice);
                self.by_person(moment, area, 0.55, link, &mut dice)
            }
            Reason::Surge(surge) => {
                let link = Arc::clone(self.links.unknown(surge.number));
                match surge.cause {
                    Cause::Viral { .. } if dice.unit() < 0.12 => {
                        let robot = dice.pick(&self.robots.fetchers, 0.95);
                        self.by_robot(moment, robot, link, &mut dice)
                    }
                    Cause::Viral { home } => {
                        let area = match dice.unit() {
                            at_home if at_home < 0.6 => home,
                            _ => self.schedule.area(&mut dice),
                        };
                        // Most come for the first time.
                        self.by_person(moment, area, 0.1, link, &mut dice)
                    }
                    Cause::Flood { robot } => {
                        let robots = [&self.robots.crawlers, &self.robots.tools][index(robot % 2)];
                        let robot = &robots[index(robot / 2 % length(robots))];
                        self.by_robot(moment, robot, link, &mut dice)
                    }
                }
            }
            Reason::Crawler => self.of_list(moment, &self.robots.crawlers, 0.5, &mut dice),
            Reason::Fetcher => self.of_list(moment, &self.robots.fetchers, 1.05, &mut dice),
            Reason::Tool => self.of_list(moment, &self.robots.tools, 0.9, &mut dice),
        };
        self.dice = dice;
        Some(visit)
    }
}

impl Visits {
    /// The link of a visit outside of surges, which never are about the busiest.
    fn link(&self, exponent: f64, dice: &mut Dice) -> Arc<FollowedLink> {
        let busiest = HALF / (1.0 - schedule::SURGES);
        Arc::clone(if dice.unit() < busiest {
            self.links.busiest()
        } else {
            self.links.other(exponent, dice)
        })
    }

    fn by_person(
        &self,
        moment: Moment,
        area: usize,
        exponent: f64,
        link: Arc<FollowedLink>,
        dice: &mut Dice,
    ) -> Visit {
        let person = self.people.someone(area, exponent, dice);
        let mut taste = person.taste.clone();
        let place = self.cities.of_resident(area, &mut taste);
        let language = self.languages.of_person(area, &mut taste);
        let in_app = dice.unit() < 0.4;
        let Agent { header, site } =
            self.agents
                .of_person(person.device, in_app, moment.day(), taste);
        let referer = match (site, dice.unit()) {
            (Some(site), draw) if draw < 0.6 => Some(format!("https://{site}/")),
            _ => None,
        };
        let referer = match (&referer, dice.unit()) {
            (Some(site), _) => site,
            (None, draw) if draw < 0.62 => self.hosts.any(dice),
            _ => "",
        };
        let headers = VisitHeaders::new(header, referer, language);
        Visit {
            at: moment.at,
            link,
            client: person.address(&self.people, moment.hour()),
            headers: if dice.unit() < 0.15 {
                headers.with_query(self.campaigns.any(moment.day(), dice))
            } else {
                headers
            },
            place: Some(Box::new(place.clone())),
            way: Way::Main,
        }
    }

    /// A visit by one of these robots, which knows the links with this exponent.
    fn of_list(&self, moment: Moment, robots: &[Robot], exponent: f64, dice: &mut Dice) -> Visit {
        let link = self.link(exponent, dice);
        self.by_robot(moment, dice.pick(robots, 0.9), link, dice)
    }

    fn by_robot(
        &self,
        moment: Moment,
        robot: &Robot,
        link: Arc<FollowedLink>,
        dice: &mut Dice,
    ) -> Visit {
        let client = robot.address(dice);
        let place = self.cities.with_servers(dice);
        Visit {
            at: moment.at,
            link,
            client,
            headers: VisitHeaders::new(&robot.header, "", ""),
            place: Some(Box::new(place.clone())),
            way: Way::Main,
        }
    }
}

#[cfg(test)]
mod tests;
