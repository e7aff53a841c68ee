"""Airports and seat layouts that any world may use."""

from __future__ import annotations

from typing import Any

__all__ = ["AIRPORTS", "CARRIERS", "LAYOUTS", "layout_for"]

# code, city, country, name, zone, latitude, longitude
_AIRPORTS = """
AKL Auckland|New Zealand|Auckland|Pacific/Auckland|-37.0|174.8
AMS Amsterdam|Netherlands|Schiphol|Europe/Amsterdam|52.3|4.8
ARN Stockholm|Sweden|Arlanda|Europe/Stockholm|59.6|17.9
ATH Athens|Greece|Eleftherios Venizelos|Europe/Athens|37.9|23.9
BCN Barcelona|Spain|El Prat|Europe/Madrid|41.3|2.1
BER Berlin|Germany|Brandenburg|Europe/Berlin|52.4|13.5
BGO Bergen|Norway|Flesland|Europe/Oslo|60.3|5.2
BKK Bangkok|Thailand|Suvarnabhumi|Asia/Bangkok|13.7|100.7
BOS Boston|United States|Logan|America/New_York|42.4|-71.0
BRU Brussels|Belgium|Zaventem|Europe/Brussels|50.9|4.5
CAN Guangzhou|China|Baiyun|Asia/Shanghai|23.4|113.3
CDG Paris|France|Charles de Gaulle|Europe/Paris|49.0|2.5
CEB Cebu|Philippines|Mactan|Asia/Manila|10.3|124.0
CGK Jakarta|Indonesia|Soekarno-Hatta|Asia/Jakarta|-6.1|106.7
CHC Christchurch|New Zealand|Harewood|Pacific/Auckland|-43.5|172.5
CPH Copenhagen|Denmark|Kastrup|Europe/Copenhagen|55.6|12.7
CTS Sapporo|Japan|New Chitose|Asia/Tokyo|42.8|141.7
DEL Delhi|India|Indira Gandhi|Asia/Kolkata|28.6|77.1
DOH Doha|Qatar|Hamad|Asia/Qatar|25.3|51.6
DUB Dublin|Ireland|Collinstown|Europe/Dublin|53.4|-6.2
DUS Dusseldorf|Germany|Lohausen|Europe/Berlin|51.3|6.8
DXB Dubai|United Arab Emirates|Garhoud|Asia/Dubai|25.3|55.4
EWR New York|United States|Newark Liberty|America/New_York|40.7|-74.2
FCO Rome|Italy|Fiumicino|Europe/Rome|41.8|12.2
FRA Frankfurt|Germany|Main|Europe/Berlin|50.0|8.6
FUK Fukuoka|Japan|Itazuke|Asia/Tokyo|33.6|130.5
GOT Gothenburg|Sweden|Landvetter|Europe/Stockholm|57.7|12.3
GRU Sao Paulo|Brazil|Guarulhos|America/Sao_Paulo|-23.4|-46.5
HAM Hamburg|Germany|Fuhlsbuttel|Europe/Berlin|53.6|10.0
HEL Helsinki|Finland|Vantaa|Europe/Helsinki|60.3|25.0
HKG Hong Kong|Hong Kong|Chek Lap Kok|Asia/Hong_Kong|22.3|113.9
HND Tokyo|Japan|Haneda|Asia/Tokyo|35.6|139.8
ICN Seoul|South Korea|Incheon|Asia/Seoul|37.5|126.4
GMP Seoul|South Korea|Gimpo|Asia/Seoul|37.6|126.8
ILO Iloilo|Philippines|Cabatuan|Asia/Manila|10.8|122.5
IST Istanbul|Turkey|Arnavutkoy|Europe/Istanbul|41.3|28.7
ITM Osaka|Japan|Itami|Asia/Tokyo|34.8|135.4
JFK New York|United States|John F Kennedy|America/New_York|40.6|-73.8
JNB Johannesburg|South Africa|O R Tambo|Africa/Johannesburg|-26.1|28.2
KIX Osaka|Japan|Kansai|Asia/Tokyo|34.4|135.2
KMQ Kanazawa|Japan|Komatsu|Asia/Tokyo|36.4|136.4
KUL Kuala Lumpur|Malaysia|Sepang|Asia/Kuala_Lumpur|2.7|101.7
LAX Los Angeles|United States|Westchester|America/Los_Angeles|33.9|-118.4
LGW London|United Kingdom|Gatwick|Europe/London|51.1|-0.2
LHR London|United Kingdom|Heathrow|Europe/London|51.5|-0.5
LIS Lisbon|Portugal|Humberto Delgado|Europe/Lisbon|38.8|-9.1
MAD Madrid|Spain|Barajas|Europe/Madrid|40.5|-3.6
MAN Manchester|United Kingdom|Ringway|Europe/London|53.4|-2.3
MEX Mexico City|Mexico|Benito Juarez|America/Mexico_City|19.4|-99.1
MNL Manila|Philippines|Ninoy Aquino|Asia/Manila|14.5|121.0
MUC Munich|Germany|Franz Josef Strauss|Europe/Berlin|48.4|11.8
NBO Nairobi|Kenya|Jomo Kenyatta|Africa/Nairobi|-1.3|36.9
NGO Nagoya|Japan|Chubu|Asia/Tokyo|34.9|136.8
NRT Tokyo|Japan|Narita|Asia/Tokyo|35.8|140.4
OPO Porto|Portugal|Francisco Sa Carneiro|Europe/Lisbon|41.2|-8.7
ORY Paris|France|Orly|Europe/Paris|48.7|2.4
OSL Oslo|Norway|Gardermoen|Europe/Oslo|60.2|11.1
PEK Beijing|China|Capital|Asia/Shanghai|40.1|116.6
PKX Beijing|China|Daxing|Asia/Shanghai|39.5|116.4
PEN Penang|Malaysia|Bayan Lepas|Asia/Kuala_Lumpur|5.3|100.3
PVG Shanghai|China|Pudong|Asia/Shanghai|31.1|121.8
RTM Rotterdam|Netherlands|The Hague|Europe/Amsterdam|52.0|4.4
SFO San Francisco|United States|San Bruno|America/Los_Angeles|37.6|-122.4
SHA Shanghai|China|Hongqiao|Asia/Shanghai|31.2|121.3
SIN Singapore|Singapore|Changi|Asia/Singapore|1.4|104.0
SYD Sydney|Australia|Kingsford Smith|Australia/Sydney|-33.9|151.2
TAC Tacloban|Philippines|Daniel Romualdez|Asia/Manila|11.2|125.0
TBS Tbilisi|Georgia|Shota Rustaveli|Asia/Tbilisi|41.7|45.0
TPE Taipei|Taiwan|Taoyuan|Asia/Taipei|25.1|121.2
VIE Vienna|Austria|Schwechat|Europe/Vienna|48.1|16.6
WAW Warsaw|Poland|Chopin|Europe/Warsaw|52.2|21.0
WLG Wellington|New Zealand|Rongotai|Pacific/Auckland|-41.3|174.8
YUL Montreal|Canada|Trudeau|America/Toronto|45.5|-73.7
YVR Vancouver|Canada|Sea Island|America/Vancouver|49.2|-123.2
YWG Winnipeg|Canada|Richardson|America/Winnipeg|49.9|-97.2
YYZ Toronto|Canada|Pearson|America/Toronto|43.7|-79.6
ZRH Zurich|Switzerland|Kloten|Europe/Zurich|47.5|8.5
"""

# Other names of a city; they mean all of its airports.
_CITY_ALIASES = {
    "Beijing": ("BJS", "Peking", "北京"),
    "Dusseldorf": ("Düsseldorf",),
    "Frankfurt": ("Frankfurt am Main",),
    "Gothenburg": ("Göteborg",),
    "Guangzhou": ("Canton", "广州"),
    "Hong Kong": ("香港",),
    "Lisbon": ("Lisboa",),
    "London": ("LON",),
    "Montreal": ("Montréal", "YMQ"),
    "Munich": ("München",),
    "New York": ("NYC", "New York City"),
    "Osaka": ("OSA", "大阪"),
    "Paris": ("PAR",),
    "Porto": ("Oporto",),
    "Rome": ("ROM", "Roma"),
    "Sao Paulo": ("SAO", "São Paulo"),
    "Sapporo": ("SPK", "札幌"),
    "Seoul": ("SEL", "서울", "首尔"),
    "Shanghai": ("SHA", "上海"),
    "Stockholm": ("STO",),
    "Taipei": ("台北",),
    "Tokyo": ("TYO", "Tokio", "东京", "東京"),
    "Vienna": ("Wien",),
    "Zurich": ("Zürich",),
}
_AIRPORT_ALIASES = {
    "HND": ("羽田",),
    "KIX": ("关西", "関西"),
    "NRT": ("成田",),
    "PVG": ("浦东",),
    "SHA": ("虹桥",),
    "JFK": ("Kennedy",),
    "CDG": ("Roissy",),
}


def _airports() -> list[dict[str, Any]]:
    found = []
    for line in _AIRPORTS.strip().splitlines():
        head, country, name, zone, latitude, longitude = line.split("|")
        code, city = head[:3], head[4:]
        aliases = [*_CITY_ALIASES.get(city, ()), *_AIRPORT_ALIASES.get(code, ())]
        found.append(
            {
                "code": code,
                "city": city,
                "country": country,
                "name": name,
                "zone": zone,
                "aliases": aliases,
                "latitude": float(latitude),
                "longitude": float(longitude),
            }
        )
    return found


AIRPORTS = _airports()
"""Fields of the airports."""

CARRIERS = {
    "BQ": "Blue Quay Airways",
    "EV": "Evening Star",
    "GL": "Goldleaf Air",
    "KO": "Koro Pacific",
    "MN": "Meridian North",
    "TS": "Transsonne",
}
"""Code and name of carriers that distractor flights have."""


def _layout(
    name: str,
    cabins: list[tuple[str, int, int, str]],
    exits: list[int],
    lavatories: list[int],
    missing: tuple[str, ...] = (),
) -> dict[str, Any]:
    parts = [
        {"cabin": cabin, "first_row": first, "last_row": last, "letters": letters}
        for cabin, first, last, letters in cabins
    ]
    return {
        "name": name,
        "cabins": parts,
        "exit_rows": exits,
        "lavatory_rows": lavatories,
        "missing_seats": list(missing),
    }


LAYOUTS = [
    _layout(
        "A350 3-3-3",
        [
            ("FIRST", 1, 2, "A DG K"),
            ("BUSINESS", 3, 8, "A DG K"),
            ("PREMIUM_ECONOMY", 11, 14, "AC DEG HK"),
            ("ECONOMY", 20, 54, "ABC DEG HJK"),
        ],
        exits=[20, 42],
        lavatories=[1, 8, 14, 31, 41, 54],
    ),
    _layout(
        "A330 2-4-2",
        [("BUSINESS", 1, 6, "A DG K"), ("ECONOMY", 11, 45, "AC DEFG HK")],
        exits=[11, 30],
        lavatories=[1, 6, 29, 45],
    ),
    _layout(
        "A321 3-3",
        [("BUSINESS", 1, 3, "AC DF"), ("ECONOMY", 5, 36, "ABC DEF")],
        exits=[11, 25],
        lavatories=[1, 22, 36],
    ),
    _layout(
        "A320 3-3",
        [("BUSINESS", 1, 2, "AC DF"), ("ECONOMY", 4, 31, "ABC DEF")],
        exits=[12, 13],
        lavatories=[1, 31],
        missing=("31A", "31F"),
    ),
    _layout("E190 2-2", [("ECONOMY", 1, 25, "AC DF")], exits=[13], lavatories=[1, 25]),
]
"""Fields of the seat layouts."""


_FLEET = (
    ("E190", "E190 2-2"),
    ("A320", "A320 3-3"),
    ("A321neo", "A321 3-3"),
    ("A330-300", "A330 2-4-2"),
    ("A350-900", "A350 3-3-3"),
)


def layout_for(kilometres: float, large: bool, cabin: str) -> tuple[str, str]:
    """Aircraft and layout that fly a distance, the smaller or the larger one that does, with a cabin of this kind."""
    smallest = (3 if kilometres > 5000 else 2 if kilometres > 1500 else 0) + large
    with_cabin = {fields["name"] for fields in LAYOUTS if any(part["cabin"] == cabin for part in fields["cabins"])}
    return next(pair for pair in _FLEET[smallest:] if pair[1] in with_cabin)
