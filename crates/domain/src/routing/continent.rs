//! Continents, and the countries on them.

use super::value::Value;
use crate::Country;

/// A continent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Continent(usize);

/// Codes of continents, and of the countries on each, as UN M49 and `GeoNames` place them.
const COUNTRIES: [(&str, &str); 7] = [
    (
        "AF",
        "AO BF BI BJ BW CD CF CG CI CM CV DJ DZ EG EH ER ET GA GH GM GN GQ GW KE KM LR LS LY MA MG \
         ML MR MU MW MZ NA NE NG RE RW SC SD SH SL SN SO SS ST SZ TD TG TN TZ UG YT ZA ZM ZW",
    ),
    ("AN", "AQ BV GS HM TF"),
    (
        "AS",
        "AE AF AM AZ BD BH BN BT CC CN CX GE HK ID IL IN IO IQ IR JO JP KG KH KP KR KW KZ LA LB LK \
         MM MN MO MV MY NP OM PH PK PS QA SA SG SY TH TJ TL TM TR TW UZ VN YE",
    ),
    (
        "EU",
        "AD AL AT AX BA BE BG BY CH CY CZ DE DK EE ES FI FO FR GB GG GI GR HR HU IE IM IS IT JE LI \
         LT LU LV MC MD ME MK MT NL NO PL PT RO RS RU SE SI SJ SK SM UA VA XK",
    ),
    (
        "NA",
        "AG AI AW BB BL BM BQ BS BZ CA CR CU CW DM DO GD GL GP GT HN HT JM KN KY LC MF MQ MS MX NI \
         PA PM PR SV SX TC TT US VC VG VI",
    ),
    (
        "OC",
        "AS AU CK FJ FM GU KI MH MP NC NF NR NU NZ PF PG PN PW SB TK TO TV UM VU WF WS",
    ),
    ("SA", "AR BO BR CL CO EC FK GF GY PE PY SR UY VE"),
];

impl Continent {
    /// The continent of a country; `None` for a code that no country has.
    pub fn of(country: Country) -> Option<Self> {
        let code = country.as_str();
        let has = |(_, countries): &(&str, &str)| countries.split(' ').any(|known| known == code);
        COUNTRIES.iter().position(has).map(Self)
    }

    /// The code: AF, AN, AS, EU, NA, OC or SA.
    pub fn as_str(self) -> &'static str {
        COUNTRIES.get(self.0).map_or("", |(code, _)| code)
    }

    /// True if every continent is among them.
    pub(super) fn are_all(continents: &[Self]) -> bool {
        (0..COUNTRIES.len()).all(|index| continents.contains(&Self(index)))
    }
}

impl Value for Continent {
    const EXPECTED: &'static str = "AF, AN, AS, EU, NA, OC or SA";

    fn parse(text: &str) -> Option<Self> {
        let is = |(code, _): &(&str, &str)| code.eq_ignore_ascii_case(text);
        COUNTRIES.iter().position(is).map(Self)
    }

    fn show(&self) -> String {
        self.as_str().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_country_with_a_name_is_on_one_continent() {
        for first in b'A'..=b'Z' {
            for second in b'A'..=b'Z' {
                let code = String::from_utf8(vec![first, second]).unwrap();
                let country = Country::parse(&code).unwrap();
                let on: Vec<_> = COUNTRIES
                    .iter()
                    .filter(|(_, countries)| countries.split(' ').any(|known| known == code))
                    .collect();
                let has_a_name = country.english_name() != code;
                assert_eq!(on.len(), usize::from(has_a_name), "{code}");
            }
        }
        let of = |code| Continent::of(Country::parse(code).unwrap()).map(Continent::as_str);
        assert_eq!(
            (of("DE"), of("US"), of("ZZ")),
            (Some("EU"), Some("NA"), None)
        );
    }
}
