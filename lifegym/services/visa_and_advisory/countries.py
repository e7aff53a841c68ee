"""Countries by the names that people use: codes, English names, what their people are called, other spellings."""

from __future__ import annotations

from functools import cache

from lifegym.services.search import fold, matches_word, words

__all__ = ["COUNTRIES", "country_code", "country_name"]

COUNTRIES: dict[str, tuple[str, str, str]] = {
    # code: (three letters, name, other names separated by semicolons)
    "AE": ("ARE", "United Arab Emirates", "uae;emirates;emirati;dubai;abu dhabi"),
    "AL": ("ALB", "Albania", "albanian"),
    "AM": ("ARM", "Armenia", "armenian"),
    "AR": ("ARG", "Argentina", "argentine;argentinian"),
    "AT": ("AUT", "Austria", "austrian"),
    "AU": ("AUS", "Australia", "australian"),
    "AZ": ("AZE", "Azerbaijan", "azerbaijani"),
    "BD": ("BGD", "Bangladesh", "bangladeshi"),
    "BE": ("BEL", "Belgium", "belgian"),
    "BG": ("BGR", "Bulgaria", "bulgarian"),
    "BR": ("BRA", "Brazil", "brazilian"),
    "CA": ("CAN", "Canada", "canadian"),
    "CH": ("CHE", "Switzerland", "swiss"),
    "CL": ("CHL", "Chile", "chilean"),
    "CN": ("CHN", "China", "chinese;prc;mainland china;people's republic of china"),
    "CO": ("COL", "Colombia", "colombian"),
    "CR": ("CRI", "Costa Rica", "costa rican"),
    "CU": ("CUB", "Cuba", "cuban"),
    "CY": ("CYP", "Cyprus", "cypriot"),
    "CZ": ("CZE", "Czechia", "czech;czech republic"),
    "DE": ("DEU", "Germany", "german;deutschland"),
    "DK": ("DNK", "Denmark", "danish"),
    "EE": ("EST", "Estonia", "estonian"),
    "EG": ("EGY", "Egypt", "egyptian"),
    "ES": ("ESP", "Spain", "spanish"),
    "ET": ("ETH", "Ethiopia", "ethiopian"),
    "FI": ("FIN", "Finland", "finnish"),
    "FR": ("FRA", "France", "french"),
    "GB": ("GBR", "United Kingdom", "uk;britain;great britain;british;england;english;scotland;wales"),
    "GE": ("GEO", "Georgia", "georgian;sakartvelo"),
    "GH": ("GHA", "Ghana", "ghanaian"),
    "GR": ("GRC", "Greece", "greek"),
    "HK": ("HKG", "Hong Kong", "hksar;hong kong sar"),
    "HR": ("HRV", "Croatia", "croatian"),
    "HU": ("HUN", "Hungary", "hungarian"),
    "ID": ("IDN", "Indonesia", "indonesian;bali"),
    "IE": ("IRL", "Ireland", "irish"),
    "IL": ("ISR", "Israel", "israeli"),
    "IN": ("IND", "India", "indian"),
    "IS": ("ISL", "Iceland", "icelandic"),
    "IT": ("ITA", "Italy", "italian"),
    "JM": ("JAM", "Jamaica", "jamaican"),
    "JO": ("JOR", "Jordan", "jordanian"),
    "JP": ("JPN", "Japan", "japanese;nippon;nihon"),
    "KE": ("KEN", "Kenya", "kenyan"),
    "KH": ("KHM", "Cambodia", "cambodian"),
    "KP": ("PRK", "North Korea", "dprk;democratic people's republic of korea"),
    "KR": ("KOR", "South Korea", "korea;korean;republic of korea;rok"),
    "KZ": ("KAZ", "Kazakhstan", "kazakh"),
    "LA": ("LAO", "Laos", "lao;laotian"),
    "LK": ("LKA", "Sri Lanka", "sri lankan"),
    "LT": ("LTU", "Lithuania", "lithuanian"),
    "LV": ("LVA", "Latvia", "latvian"),
    "MA": ("MAR", "Morocco", "moroccan"),
    "MN": ("MNG", "Mongolia", "mongolian"),
    "MO": ("MAC", "Macao", "macau;macanese"),
    "MV": ("MDV", "Maldives", "maldivian"),
    "MX": ("MEX", "Mexico", "mexican"),
    "MY": ("MYS", "Malaysia", "malaysian"),
    "NG": ("NGA", "Nigeria", "nigerian"),
    "NL": ("NLD", "Netherlands", "the netherlands;holland;dutch"),
    "NO": ("NOR", "Norway", "norwegian"),
    "NP": ("NPL", "Nepal", "nepali;nepalese"),
    "NZ": ("NZL", "New Zealand", "new zealander;aotearoa"),
    "PE": ("PER", "Peru", "peruvian"),
    "PH": ("PHL", "Philippines", "the philippines;filipino;philippine"),
    "PK": ("PAK", "Pakistan", "pakistani"),
    "PL": ("POL", "Poland", "polish"),
    "PT": ("PRT", "Portugal", "portuguese"),
    "RO": ("ROU", "Romania", "romanian"),
    "RS": ("SRB", "Serbia", "serbian"),
    "RU": ("RUS", "Russia", "russian;russian federation"),
    "SA": ("SAU", "Saudi Arabia", "saudi;ksa"),
    "SE": ("SWE", "Sweden", "swedish"),
    "SG": ("SGP", "Singapore", "singaporean"),
    "SI": ("SVN", "Slovenia", "slovenian"),
    "SK": ("SVK", "Slovakia", "slovak"),
    "TH": ("THA", "Thailand", "thai"),
    "TN": ("TUN", "Tunisia", "tunisian"),
    "TR": ("TUR", "Turkey", "turkish;turkiye"),
    "TW": ("TWN", "Taiwan", "taiwanese;chinese taipei"),
    "TZ": ("TZA", "Tanzania", "tanzanian"),
    "UA": ("UKR", "Ukraine", "ukrainian"),
    "UG": ("UGA", "Uganda", "ugandan"),
    "US": ("USA", "United States", "america;american;united states of america;us of a"),
    "UZ": ("UZB", "Uzbekistan", "uzbek"),
    "VN": ("VNM", "Vietnam", "viet nam;vietnamese"),
    "ZA": ("ZAF", "South Africa", "south african"),
    "ZM": ("ZMB", "Zambia", "zambian"),
    "ZW": ("ZWE", "Zimbabwe", "zimbabwean"),
}


def country_name(code: str) -> str:
    """The English name of a country, or its code where it has none here."""
    return COUNTRIES[code][1] if code in COUNTRIES else code


@cache
def _names() -> dict[str, str]:
    """Every folded name, code and other name to the country's code; names before other names."""
    found = {fold(name): code for code, (_, name, _) in COUNTRIES.items()}
    for code, (three, _, others) in COUNTRIES.items():
        for text in (code, three, *others.split(";")):
            found.setdefault(fold(text), code)
    return found


def country_code(text: str) -> str | None:
    """The code of the country that a text means: a code, a name, a people, or one of these misspelt; None if unknown.

    Two codes that a world uses for itself (``XK``) pass as they are.
    """
    plain = fold(text[:100]).replace(".", "").strip()
    known = _names()
    if plain in known:
        return known[plain]
    if len(plain) == 2 and plain.isascii() and plain.isalpha():
        return plain.upper()
    return _similar(plain) if len(plain) > 3 else None


def _similar(text: str) -> str | None:
    """The one country whose name has every word of a text, misspellings included."""
    asked = words(text)
    best: tuple[float, str] | None = None
    for name, code in _names().items():
        have = words(name)
        if not asked or len(have) != len(asked) or len(name) < 4:
            continue
        grade = min(max(matches_word(word, other) for other in have) for word in asked)
        if grade and (best is None or grade > best[0]):
            best = (grade, code)
    return best[1] if best else None
