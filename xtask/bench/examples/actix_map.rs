//! The floor of Slugline's own stack: actix-web, one worker, and the links in a map.
//!
//! Takes the address to listen on and a file with a slug and a destination on each line.

use std::{collections::HashMap, env, error::Error, fs, future::ready, sync::Arc};

use actix_web::{
    App, HttpRequest, HttpResponse, HttpServer,
    http::{
        StatusCode,
        header::{CACHE_CONTROL, HeaderValue, LOCATION},
    },
    web,
};

#[actix_web::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let (Some(address), Some(file)) = (arguments.next(), arguments.next()) else {
        return Err("usage: actix_map ADDRESS FILE".into());
    };
    let mut map = HashMap::new();
    for line in fs::read_to_string(file)?.lines() {
        let (slug, destination) = line.split_once(' ').ok_or("a line without a space")?;
        map.insert(slug.to_owned(), HeaderValue::from_str(destination)?);
    }
    let map = Arc::new(map);
    let app = move || {
        let map = Arc::clone(&map);
        let answer = move |request: HttpRequest| ready(answer(&request, &map));
        App::new().default_service(web::to(answer))
    };
    Ok(HttpServer::new(app).workers(1).bind(address)?.run().await?)
}

/// The status and headers of Slugline's answer to a visit.
fn answer(request: &HttpRequest, links: &HashMap<String, HeaderValue>) -> HttpResponse {
    let slug = request.path().strip_prefix('/').unwrap_or_default();
    let Some(destination) = links.get(slug) else {
        return HttpResponse::NotFound().finish();
    };
    let mut response = HttpResponse::new(StatusCode::MOVED_PERMANENTLY);
    let headers = response.headers_mut();
    headers.insert(LOCATION, destination.clone());
    headers.insert(
        CACHE_CONTROL,
        HeaderValue::from_static("private, max-age=90"),
    );
    response
}
