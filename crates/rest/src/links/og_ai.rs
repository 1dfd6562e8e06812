//! `GET /api/link/og-ai`

use actix_web::{FromRequest, HttpRequest, dev::Payload, http::Method};
use aide::OperationInput;
use slugline_application::Suggestions;
use slugline_contract::{PreviewSuggestion, SuggestPreview};
use slugline_domain::LanguageTag;
use slugline_httpkit::{Failure, header};

use crate::{
    extract::{Context, Query},
    operation_spec::OperationSpec,
    reply::Json,
};

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::GET,
        path: "/api/link/og-ai",
        id: "preview_suggest",
        tag: super::TAG,
        summary: "Suggest a preview",
        description: "Suggests a title and a text for the preview of a destination: a language \
                      model's, if the instance has one and it has a good idea, else the \
                      destination's host and a sentence with its address. Without `locale`, the \
                      language is the one that the request's `Accept-Language` begins with.",
        needs: Suggestions::NEEDS,
        fails: &[],
    }
}

pub(crate) async fn handle(
    context: Context,
    Preferred(preferred): Preferred,
    Query(query): Query<SuggestPreview>,
) -> Result<Json<200, PreviewSuggestion>, Failure> {
    let (destination, language) = query.validate(&context.rules)?;
    let language = language.unwrap_or(preferred);
    let suggestions = &context.app.suggestions;
    let preview = suggestions.preview(&destination, &language).await;
    Ok(Json((&preview).into()))
}

/// The language that the caller prefers: the dashboard's cookie, else the browser's first
/// language, else English.
pub(crate) struct Preferred(LanguageTag);

impl FromRequest for Preferred {
    type Error = Failure;
    type Future = std::future::Ready<Result<Self, Failure>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let cookies = header(request, "cookie").unwrap_or_default().split(';');
        let chosen = cookies
            .filter_map(|cookie| cookie.trim().strip_prefix("sink_i18n_redirected="))
            .find_map(|tag| tag.parse().ok());
        let browsers = || {
            let first = header(request, "accept-language")?
                .split([',', ';'])
                .next()?;
            first.trim().parse().ok()
        };
        let english = || "en-US".parse().expect("a well-formed tag");
        let preferred = chosen.or_else(browsers).unwrap_or_else(english);
        std::future::ready(Ok(Self(preferred)))
    }
}

impl OperationInput for Preferred {}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[actix_web::test]
    async fn the_cookie_counts_before_the_browser_and_the_browser_before_english() {
        for (cookie, accepted, preferred) in [
            ("a=b; sink_i18n_redirected=fr-FR", "de", "fr-FR"),
            ("sink_i18n_redirected=f r", "de-AT, en;q=0.5", "de-AT"),
            ("", "pt;q=0.9", "pt"),
            ("", "*", "en-US"),
            ("", "", "en-US"),
        ] {
            let request = TestRequest::default()
                .insert_header(("cookie", cookie))
                .insert_header(("accept-language", accepted))
                .to_http_request();
            let Preferred(tag) = Preferred::extract(&request).await.unwrap();
            assert_eq!(tag.as_str(), preferred, "{cookie} {accepted}");
        }
    }
}
