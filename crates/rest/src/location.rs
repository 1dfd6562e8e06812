//! `GET /api/location`: the caller's place, at which a map opens.

use actix_web::http::Method;
use slugline_application::Access;
use slugline_contract::Location;
use slugline_httpkit::Failure;

use crate::{extract::ClientPlace, operation_spec::OperationSpec, reply::Json};

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::GET,
        path: "/api/location",
        id: "location_get",
        tag: "Access",
        summary: "Where the caller is",
        description: "Coordinates of the caller's own address, for a map to open at; an empty \
                      object when they are unknown.",
        needs: Access::OPEN,
        fails: &[],
    }
}

pub(crate) async fn handle(
    ClientPlace(place): ClientPlace,
) -> Result<Json<200, Location>, Failure> {
    Ok(Json(place.coordinates.into()))
}
