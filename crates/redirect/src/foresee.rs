//! Tells what a visitor would get.

use actix_web::{
    HttpResponse,
    http::header::{CACHE_CONTROL, HeaderName, LOCATION},
};
use slugline_domain::{
    Answer, AnswerHead, Arrival, DomainName, Explanation, FollowedLink, Means, Visitor,
};
use slugline_httpkit::{Code, Foresight};

use crate::{
    answer::{self, Passage, Validity},
    asked_domain::AskedDomain,
    redirects::Redirects,
};

impl Foresight for Redirects {
    fn foresee<'l>(
        &self,
        link: &'l FollowedLink,
        asked: &DomainName,
        visitor: &Visitor<'_>,
        used_up: bool,
    ) -> (Explanation<'l>, AnswerHead) {
        let explanation = link.explain(visitor, self.rules(), used_up);
        let head = self.head(link, asked, visitor, &explanation);
        (explanation, head)
    }
}

impl Redirects {
    fn head(
        &self,
        link: &FollowedLink,
        asked: &DomainName,
        visitor: &Visitor<'_>,
        explanation: &Explanation<'_>,
    ) -> AnswerHead {
        if !explanation.gates.is_empty() {
            return page(200, "no-store");
        }
        match &explanation.answer {
            Answer::Absent => self.nothing(asked, Code::LinkNotFound),
            Answer::Over => self.nothing(asked, Code::LinkExpired),
            Answer::Arrival(Arrival::Detour(target)) => {
                head_of(&answer::detour(target, Passage::Open))
            }
            Answer::Arrival(Arrival::Led(lead)) if lead.by == Means::Redirect => {
                let validity = Validity {
                    left: link.seconds_left(visitor.now),
                    varies: link.varies_at(visitor.now),
                };
                let (target, open) = (&lead.target, Passage::Open);
                head_of(&answer::redirect(target, &self.options, open, validity))
            }
            // The destination decides.
            Answer::Arrival(Arrival::Led(lead)) if lead.by == Means::Proxy => AnswerHead::default(),
            Answer::Arrival(Arrival::Led(_) | Arrival::Sealed) => page(200, "no-store, private"),
        }
    }

    fn nothing(&self, asked: &DomainName, code: Code) -> AnswerHead {
        let domain = AskedDomain::named(asked, self.resolver.domains());
        match answer::instead(code, &self.options, &domain, |_| false) {
            Some(address) => head_of(&answer::elsewhere(&address)),
            None => page(code.status(), "no-store"),
        }
    }
}

/// The head of a page.
fn page(status: u16, cache_control: &str) -> AnswerHead {
    AnswerHead {
        status: Some(status),
        location: None,
        cache_control: Some(cache_control.to_owned()),
    }
}

fn head_of(response: &HttpResponse) -> AnswerHead {
    let value = |name: HeaderName| {
        let value = response.headers().get(name)?;
        Some(value.to_str().ok()?.to_owned())
    };
    AnswerHead {
        status: Some(response.status().as_u16()),
        location: value(LOCATION),
        cache_control: value(CACHE_CONTROL),
    }
}
