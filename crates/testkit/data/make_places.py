#!/usr/bin/env python3
"""Writes places.mmdb, countries.mmdb and networks.mmdb: small files of our own
in MaxMind's format, with documentation addresses (RFC 5737, RFC 3849) in made-up
places. Needs `pip install mmdb_writer==0.2.7`; run it in this folder."""

from netaddr import IPSet
from mmdb_writer import MMDBWriter


def place(country, *, city=None, region=None, zone=None, at=None):
    entry = {"country": {"iso_code": country, "names": {"en": "unread"}}}
    if city:
        entry["city"] = {"names": {"de": "ungelesen", "en": city}}
    if region:
        entry["subdivisions"] = [{"iso_code": "X", "names": {"en": region}}]
    if zone:
        entry["location"] = {"time_zone": zone, "accuracy_radius": 20}
    if at:
        entry["location"] |= {"latitude": at[0], "longitude": at[1]}
    return entry


PLACES = {
    "192.0.2.0/25": place(
        "DE", city="Munich", region="Bavaria", zone="Europe/Berlin", at=(48.13743, 11.57549)
    ),
    "192.0.2.128/25": place(
        "BR", city="São Paulo", region="São Paulo", zone="America/Sao_Paulo", at=(-23.5475, -46.63611)
    ),
    "198.51.100.0/24": place("FR"),
    "2001:db8::/32": place(
        "JP", city="Tokyo", region="Tokyo", zone="Asia/Tokyo", at=(35.6895, 139.69171)
    ),
}


def write(name, kind, entries):
    writer = MMDBWriter(
        ip_version=6, ipv4_compatible=True, database_type=kind, languages=["en"],
        description="Documentation addresses, for tests", float_type="f64",
    )
    for network, entry in entries.items():
        writer.insert_network(IPSet([network]), entry)
    writer.to_db_file(name)


write("places.mmdb", "Slugline-Test-City", PLACES)
write(
    "countries.mmdb",
    "Slugline-Test-Country",
    {network: place(entry["country"]["iso_code"]) for network, entry in PLACES.items()},
)
write("networks.mmdb", "Slugline-Test-ASN", {"192.0.2.0/24": {"autonomous_system_number": 64496}})
