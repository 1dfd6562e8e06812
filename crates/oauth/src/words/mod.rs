//! The texts of the pages, one file per language.

mod de;
mod en;
mod fr;
mod id;
mod it;
mod pt_br;
mod pt_pt;
mod texts;
mod vi;
mod zh_cn;
mod zh_tw;

use actix_web::HttpRequest;
use slugline_httpkit::Locale;

pub(crate) use self::texts::Words;

impl Words {
    /// The texts for a visitor.
    pub(crate) fn for_visitor(request: &HttpRequest) -> &'static Self {
        Self::of(Locale::of(request))
    }

    /// The texts in this language.
    pub(crate) fn of(locale: Locale) -> &'static Self {
        match locale {
            Locale::German => &de::WORDS,
            Locale::English => &en::WORDS,
            Locale::French => &fr::WORDS,
            Locale::Indonesian => &id::WORDS,
            Locale::Italian => &it::WORDS,
            Locale::BrazilianPortuguese => &pt_br::WORDS,
            Locale::EuropeanPortuguese => &pt_pt::WORDS,
            Locale::Vietnamese => &vi::WORDS,
            Locale::SimplifiedChinese => &zh_cn::WORDS,
            Locale::TraditionalChinese => &zh_tw::WORDS,
        }
    }
}
