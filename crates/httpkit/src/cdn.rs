//! The headers in which content delivery networks name a visitor's place.

use std::{fmt, str::FromStr};

use actix_web::HttpRequest;
use percent_encoding::percent_decode_str;
use slugline_domain::{Colo, Coordinates, Country, Place, PlaceName, TimeZoneName};
use thiserror::Error;

use crate::header::header;

/// The networks whose headers give a visitor's place. Headers count from trusted proxies
/// only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlaceHeaders {
    /// The network whose headers a request has. Headers of two networks give no place: a
    /// network passes on headers that it does not know, so a visitor could have added the
    /// others.
    #[default]
    Auto,
    /// Always this network.
    Of(Cdn),
    /// No network: headers give no place.
    Nobody,
}

impl PlaceHeaders {
    /// Returns the sender's place, if the request's headers name one.
    pub(crate) fn place(self, request: &HttpRequest) -> Option<Place> {
        let network = match self {
            Self::Auto => Cdn::of(request)?,
            Self::Of(network) => network,
            Self::Nobody => return None,
        };
        let place = network.place(request);
        (!place.is_unknown()).then_some(place)
    }
}

impl FromStr for PlaceHeaders {
    type Err = PlaceHeadersError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "auto" => Ok(Self::Auto),
            "none" => Ok(Self::Nobody),
            _ => Cdn::ALL
                .into_iter()
                .find(|network| network.as_str() == text)
                .map(Self::Of)
                .ok_or(PlaceHeadersError),
        }
    }
}

/// The text is not a valid choice of headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected auto, cloudflare, cloudfront, fastly, vercel or none")]
pub struct PlaceHeadersError;

/// A content delivery network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cdn {
    /// Cloudflare. It sends the country by default, and the rest with the managed
    /// transform "Add visitor location headers".
    Cloudflare,
    /// Amazon's `CloudFront`, with an origin request policy that adds these headers.
    CloudFront,
    /// Fastly, with VCL that copies its variables into headers of these names,
    /// as its own examples do: `set req.http.client-geo-country =
    /// client.geo.country_code`.
    Fastly,
    /// Vercel.
    Vercel,
}

/// The headers of one network.
struct Names {
    country: &'static str,
    region: &'static str,
    city: &'static str,
    timezone: &'static str,
    latitude: &'static str,
    longitude: &'static str,
}

impl Cdn {
    const ALL: [Self; 4] = [
        Self::Cloudflare,
        Self::CloudFront,
        Self::Fastly,
        Self::Vercel,
    ];

    fn as_str(self) -> &'static str {
        match self {
            Self::Cloudflare => "cloudflare",
            Self::CloudFront => "cloudfront",
            Self::Fastly => "fastly",
            Self::Vercel => "vercel",
        }
    }

    /// Returns the network whose country header a request has, if there is only one.
    fn of(request: &HttpRequest) -> Option<Self> {
        let headers = request.headers();
        let mut present = Self::ALL
            .into_iter()
            .filter(|network| headers.contains_key(network.names().country));
        let first = present.next()?;
        present.next().is_none().then_some(first)
    }

    fn place(self, request: &HttpRequest) -> Place {
        let names = self.names();
        let text = |name| text(request, name).filter(|text| text != "?");
        let degrees = |name| text(name)?.trim().parse::<f64>().ok();
        Place {
            country: text(names.country)
                .and_then(|code| Country::parse(&code).ok())
                // Cloudflare's code for an unknown country.
                .filter(|country| country.as_str() != "XX"),
            region: text(names.region).and_then(|name| PlaceName::new(&name)),
            city: text(names.city).and_then(|name| PlaceName::new(&name)),
            timezone: text(names.timezone).and_then(|name| TimeZoneName::new(&name)),
            colo: self.colo(request),
            coordinates: degrees(names.latitude)
                .zip(degrees(names.longitude))
                .and_then(|(latitude, longitude)| Coordinates::new(latitude, longitude)),
        }
    }

    fn names(self) -> Names {
        match self {
            // developers.cloudflare.com/rules/transform/managed-transforms/reference
            Self::Cloudflare => Names {
                country: "cf-ipcountry",
                region: "cf-region",
                city: "cf-ipcity",
                timezone: "cf-timezone",
                latitude: "cf-iplatitude",
                longitude: "cf-iplongitude",
            },
            // docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/adding-cloudfront-headers.html
            Self::CloudFront => Names {
                country: "cloudfront-viewer-country",
                region: "cloudfront-viewer-country-region-name",
                city: "cloudfront-viewer-city",
                timezone: "cloudfront-viewer-time-zone",
                latitude: "cloudfront-viewer-latitude",
                longitude: "cloudfront-viewer-longitude",
            },
            // fastly.com/documentation/reference/vcl/variables/geolocation
            Self::Fastly => Names {
                country: "client-geo-country",
                region: "client-geo-region",
                city: "client-geo-city",
                timezone: "client-geo-timezone",
                latitude: "client-geo-latitude",
                longitude: "client-geo-longitude",
            },
            // vercel.com/docs/headers/request-headers
            Self::Vercel => Names {
                country: "x-vercel-ip-country",
                region: "x-vercel-ip-country-region",
                city: "x-vercel-ip-city",
                timezone: "x-vercel-ip-timezone",
                latitude: "x-vercel-ip-latitude",
                longitude: "x-vercel-ip-longitude",
            },
        }
    }

    /// Returns the data centre that received the request.
    fn colo(self, request: &HttpRequest) -> Option<Colo> {
        match self {
            // A number and the code: 230b030023ae2822-SJC.
            Self::Cloudflare => {
                let ray = text(request, "cf-ray")?;
                Colo::new(ray.rsplit_once('-')?.1)
            }
            // The code of the first data centre comes first: cdg1::iad1::a1b2-17.
            Self::Vercel => {
                let id = text(request, "x-vercel-id")?;
                Colo::new(id.split_once("::")?.0)
            }
            Self::CloudFront | Self::Fastly => None,
        }
    }
}

impl fmt::Display for Cdn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Returns a header as text. Names of cities may hold characters beyond ASCII: some
/// networks send plain UTF-8, others percent-encode it, and no city's name has a `%`.
fn text(request: &HttpRequest, name: &str) -> Option<String> {
    let value = header(request, name)?;
    let decoded = percent_decode_str(&value).decode_utf8().ok()?;
    Some(decoded.into_owned())
}

#[cfg(test)]
mod tests {
    use actix_web::{http::header::HeaderValue, test::TestRequest};
    use rstest::rstest;

    use super::*;

    fn request(headers: &[(&'static str, &'static str)]) -> HttpRequest {
        let request = headers
            .iter()
            .fold(TestRequest::default(), |request, (name, value)| {
                let value = HeaderValue::from_bytes(value.as_bytes()).unwrap();
                request.append_header((*name, value))
            });
        request.to_http_request()
    }

    fn sao_paulo(region: &str, colo: &str) -> Place {
        Place {
            country: Country::parse("BR").ok(),
            region: PlaceName::new(region),
            city: PlaceName::new("São Paulo"),
            timezone: TimeZoneName::new("America/Sao_Paulo"),
            colo: Colo::new(colo),
            coordinates: Coordinates::new(-23.55, -46.64),
        }
    }

    const CLOUDFLARE: [(&str, &str); 7] = [
        ("cf-ipcountry", "BR"),
        ("cf-region", "São Paulo"),
        ("cf-ipcity", "São Paulo"),
        ("cf-timezone", "America/Sao_Paulo"),
        ("cf-iplatitude", "-23.54750"),
        ("cf-iplongitude", "-46.63611"),
        ("cf-ray", "230b030023ae2822-GRU"),
    ];
    const CLOUDFRONT: [(&str, &str); 6] = [
        ("cloudfront-viewer-country", "BR"),
        ("cloudfront-viewer-country-region-name", "S%C3%A3o%20Paulo"),
        ("cloudfront-viewer-city", "S%C3%A3o%20Paulo"),
        ("cloudfront-viewer-time-zone", "America/Sao_Paulo"),
        ("cloudfront-viewer-latitude", "-23.54750"),
        ("cloudfront-viewer-longitude", "-46.63611"),
    ];
    const FASTLY: [(&str, &str); 6] = [
        ("client-geo-country", "BR"),
        ("client-geo-region", "SP"),
        ("client-geo-city", "São Paulo"),
        ("client-geo-timezone", "America/Sao_Paulo"),
        ("client-geo-latitude", "-23.548"),
        ("client-geo-longitude", "-46.636"),
    ];
    const VERCEL: [(&str, &str); 7] = [
        ("x-vercel-ip-country", "BR"),
        ("x-vercel-ip-country-region", "SP"),
        ("x-vercel-ip-city", "S%C3%A3o%20Paulo"),
        ("x-vercel-ip-timezone", "America/Sao_Paulo"),
        ("x-vercel-ip-latitude", "-23.5475"),
        ("x-vercel-ip-longitude", "-46.6361"),
        ("x-vercel-id", "gru1::iad1::kpwjx-123567064-7bc72e60b8d1"),
    ];

    #[rstest]
    #[case("cloudflare", &CLOUDFLARE, sao_paulo("São Paulo", "GRU"))]
    #[case("cloudfront", &CLOUDFRONT, sao_paulo("São Paulo", ""))]
    #[case("fastly", &FASTLY, sao_paulo("SP", ""))]
    #[case("vercel", &VERCEL, sao_paulo("SP", "GRU1"))]
    fn each_network_is_read_by_its_own_names(
        #[case] name: &str,
        #[case] headers: &[(&'static str, &'static str)],
        #[case] place: Place,
    ) {
        let request = request(headers);
        assert_eq!(PlaceHeaders::Auto.place(&request).as_ref(), Some(&place));
        for network in Cdn::ALL {
            let read = PlaceHeaders::Of(network).place(&request);
            let expected = (network.to_string() == name).then_some(&place);
            assert_eq!(read.as_ref(), expected, "{network}");
        }
        assert_eq!(PlaceHeaders::Nobody.place(&request), None);
    }

    #[test]
    fn a_visitor_cannot_add_the_headers_of_another_network() {
        let both = request(&[("cloudfront-viewer-country", "BR"), ("cf-ipcountry", "DE")]);
        assert_eq!(PlaceHeaders::Auto.place(&both), None);
        let country = |network| {
            let place = PlaceHeaders::Of(network).place(&both)?;
            place.country.map(|country| country.to_string())
        };
        assert_eq!(country(Cdn::CloudFront).as_deref(), Some("BR"));
        assert_eq!(country(Cdn::Fastly), None);
    }

    #[rstest]
    #[case("cf-ipcountry", "XX")] // unknown
    #[case("cf-ipcountry", "T1")] // Tor
    #[case("cf-ipcountry", "")]
    #[case("client-geo-city", "?")]
    #[case("client-geo-latitude", "999.0")]
    fn what_a_network_does_not_know_is_unknown(
        #[case] name: &'static str,
        #[case] value: &'static str,
    ) {
        let request = request(&[
            (name, value),
            ("client-geo-longitude", "999.0"),
            ("cf-ipcity", "%ff"),
            ("cf-timezone", "none at all"),
        ]);
        for network in Cdn::ALL {
            assert_eq!(PlaceHeaders::Of(network).place(&request), None);
        }
    }

    #[test]
    fn settings_name_a_network_or_none() {
        assert_eq!("auto".parse(), Ok(PlaceHeaders::Auto));
        assert_eq!("none".parse(), Ok(PlaceHeaders::Nobody));
        for network in Cdn::ALL {
            assert_eq!(network.to_string().parse(), Ok(PlaceHeaders::Of(network)));
        }
        assert_eq!("akamai".parse::<PlaceHeaders>(), Err(PlaceHeadersError));
    }
}
