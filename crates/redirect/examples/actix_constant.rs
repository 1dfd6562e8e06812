//! The minimum that an actix-web server can do for a redirect. `cargo xtask bench`
//! measures Slugline beside it. Takes the address to listen on.

use std::io;

use actix_web::{
    App, HttpResponse, HttpServer,
    http::{
        StatusCode,
        header::{CACHE_CONTROL, HeaderValue, LOCATION},
    },
    web,
};

#[actix_web::main]
async fn main() -> io::Result<()> {
    let address = std::env::args().nth(1);
    let address = address.ok_or_else(|| io::Error::other("usage: actix_constant ADDRESS"))?;
    HttpServer::new(|| App::new().default_service(web::to(redirect)))
        .workers(1)
        .bind(address)?
        .run()
        .await
}

/// The status and headers of Slugline's answer to a visit.
async fn redirect() -> HttpResponse {
    let mut response = HttpResponse::new(StatusCode::MOVED_PERMANENTLY);
    let headers = response.headers_mut();
    headers.insert(
        LOCATION,
        HeaderValue::from_static("https://shop.example/p/0?campaign=summer"),
    );
    headers.insert(
        CACHE_CONTROL,
        HeaderValue::from_static("private, max-age=90"),
    );
    response
}
