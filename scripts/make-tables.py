#!/usr/bin/env python3
"""scripts/make-tables.py [FOLDER [NAME...]]: make the invented data sets of the configs titanic_like, house_prices,
fraud, segmentation, series_generated and sentences.

All of them are drawn at random by the formulas below: no row describes a person, a house, a payment, a photo, a
bicycle or a meal that exists. Columns, missing values and proportions are typical of such tables. Files are written to
FOLDER (default: datasets): titanic-like/passengers.csv, houses/houses.csv, fraud/payments.csv, shapes/*.gz,
rentals/rentals.csv and reviews/reviews.csv; with NAMEs only those in the folders of these names. The output is
reproducible: random numbers come from Python's Mersenne Twister with a fixed seed, whose random() is the same in every
version.
"""
import datetime
import gzip
import math
import pathlib
import random
import struct
import sys


class Draw:
    """Random numbers. Everything is computed from random(): other methods of `random` may change between versions."""

    def __init__(self, seed):
        self.uniform = random.Random(seed).random

    def chance(self, probability):
        return self.uniform() < probability

    def integer(self, low, high):
        """A random integer from low to high, both included."""
        return low + int(self.uniform() * (high - low + 1))

    def normal(self, mean=0.0, deviation=1.0):
        """A normally distributed number (Box and Muller, 1958)."""
        radius = math.sqrt(-2 * math.log(1 - self.uniform()))
        return mean + deviation * radius * math.cos(2 * math.pi * self.uniform())

    def choice(self, weights):
        """A random element of a list; for a dict, a key with a probability in proportion to its value."""
        if not isinstance(weights, dict):
            return weights[int(self.uniform() * len(weights))]
        left = self.uniform() * sum(weights.values())
        for value, weight in weights.items():
            left -= weight
            if left < 0:
                break
        return value


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def write_csv(path, header, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write(header + "\n")
        for row in rows:
            cells = ["" if cell is None else str(cell) for cell in row]
            file.write(",".join(f'"{cell}"' if "," in cell else cell for cell in cells) + "\n")


# --- passengers: who survives? ---

# Surnames are made of a start and an end.
STARTS = "Al Ber Cor Dan El Fen Gar Hol In Jor Kel Lin Mar Nor Or Per Quin Ros Sal Tor".split()
ENDS = "den ford gate ham kin low mer ney rick son ton well".split()
WOMEN = "Ada Clara Edith Flora Grace Ida Jane Lucy Mabel Nora Rose Vera".split()
MEN = "Albert Carl Edgar Frank George Henry Ivan John Louis Oscar Peter Walter".split()


def passenger(draw, number):
    """log(p / (1 - p)) = -1.7 + 3.2 woman + 2.2 child + 1.1 (2 - class) - 0.025 (age - 30) - 0.5 siblings
    + 0.35 (standardized log fare in the class), where p is the probability of survival."""
    cls = draw.choice({1: 24, 2: 21, 3: 55})
    sex = draw.choice({"female": 35, "male": 65})
    age = min(80.0, max(0.5, draw.normal(44 - 6 * cls, 13)))
    if draw.chance(0.08):
        age = draw.integer(1, 11)
    siblings = draw.choice({0: 68, 1: 23, 2: 4, 3: 3, 4: 2})
    parents = draw.choice({0: 76, 1: 14, 2: 9, 3: 1})
    spread = draw.normal()
    fare = math.exp({1: 4.1, 2: 2.9, 3: 2.3}[cls] + 0.5 * spread) * (1 + 0.4 * (siblings + parents))
    child, woman = age < 12, sex == "female"
    logit = (-1.7 + 3.2 * woman + 2.2 * child + 1.1 * (2 - cls) - 0.025 * (age - 30) - 0.5 * siblings + 0.35 * spread)
    title = ("Miss" if draw.chance(0.6) else "Mrs") if woman else "Master" if child else "Mr"
    name = f"{draw.choice(STARTS)}{draw.choice(ENDS)}, {title}. {draw.choice(WOMEN if woman else MEN)}"
    cabin = draw.choice("ABC" if cls == 1 else "DEFG") + str(draw.integer(1, 120))
    return [number, "yes" if draw.chance(sigmoid(logit)) else "no", cls, name, sex,
            None if draw.chance(0.2) else round(age) if age >= 1 else 0.5, siblings, parents,
            draw.choice(["", "", "", "PC ", "C.A. ", "S/O "]) + str(draw.integer(2000, 380000)), f"{fare:.2f}",
            cabin if draw.chance({1: 0.75, 2: 0.1, 3: 0.05}[cls]) else None, draw.choice({"S": 72, "C": 19, "Q": 9})]


def passengers(folder):
    draw = Draw(1912)
    rows = [passenger(draw, i + 1) for i in range(891)]
    for row in (61, 829):
        rows[row][-1] = None
    write_csv(folder / "titanic-like/passengers.csv",
              "PassengerId,Survived,Pclass,Name,Sex,Age,SibSp,Parch,Ticket,Fare,Cabin,Embarked", rows)


# --- houses: at what price, and after how many days, are they sold? ---

# DISTRICTS and ENERGY (rating): factor of the price. TYPES: typical area and garden in square metres.
DISTRICTS = {"Harbour": 1.3, "Old Town": 1.45, "Hillside": 1.25, "Station": 0.9, "Meadows": 1.0, "Mill Lane": 0.85,
             "Northfield": 0.75, "Lakeside": 1.15}
TYPES = {"flat": (75, 0), "terraced": (105, 120), "semi-detached": (125, 280), "detached": (165, 600)}
ENERGY = {"A": 1.08, "B": 1.05, "C": 1.02, "D": 1.0, "E": 0.97, "F": 0.93, "G": 0.88}


def house(draw, number):
    """fair = 3100 area^0.9 district energy (1 + garden / 5000) (1 + 0.06 garage) 1.004^(months since 2022);
    price = fair * asked * noise of 7 %; days = 38 asked^4 season energy^-3 * noise of 20 %. asked: the asked price
    relative to the fair one, with a deviation of 4 %; season: largest in winter, when houses sell slowest."""
    district, kind = draw.choice(list(DISTRICTS)), draw.choice({"flat": 40, "terraced": 25, "semi-detached": 20, "detached": 15})
    area = TYPES[kind][0] * math.exp(draw.normal(0, 0.22))
    garden = TYPES[kind][1] * math.exp(draw.normal(0, 0.4))
    energy, garage = draw.choice({"A": 6, "B": 12, "C": 22, "D": 26, "E": 18, "F": 10, "G": 6}), draw.chance(0.35)
    listed = datetime.date(2022, 1, 3) + datetime.timedelta(days=draw.integer(0, 1090))
    months = (listed.year - 2022) * 12 + listed.month
    fair = (3100 * area**0.9 * DISTRICTS[district] * ENERGY[energy] * (1 + garden / 5000) * (1 + 0.06 * garage) *
            1.004**months)
    asked = math.exp(draw.normal(0, 0.04))
    price = fair * asked * math.exp(draw.normal(0, 0.07))
    season = 1 + 0.45 * math.cos(2 * math.pi * (listed.timetuple().tm_yday - 15) / 365)
    days = 38 * asked**4 * season * ENERGY[energy]**-3 * math.exp(draw.normal(0, 0.2))
    return [f"H{number:04}", listed.isoformat(), district, kind, f"{area:.0f}", max(1, round(area / 27 + draw.normal(0, 0.5))),
            None if draw.chance(0.06) else 1900 + int(120 * draw.uniform()**0.6),
            None if kind == "flat" else f"{garden:.0f}", None if draw.chance(0.12) else energy,
            "yes" if garage else "no", f"{price:.0f}", max(1, round(days))]


def houses(folder):
    draw = Draw(2022)
    write_csv(folder / "houses/houses.csv",
              "id,listed,district,type,area,rooms,year_built,garden,energy,garage,price,days_on_market",
              [house(draw, i + 1) for i in range(1500)])


# --- payments: which are frauds? ---

# SHOPS: weight of the random choice, mean of log amount, term of the suspicion. COUNTRIES: weight of the random choice.
# ABROAD: term of the suspicion.
SHOPS = {"grocery": (30, 3.2, -1.0), "fuel": (12, 3.6, 0.2), "restaurant": (16, 3.3, -0.6), "clothes": (14, 3.9, 0.0),
         "travel": (6, 5.4, 0.6), "electronics": (8, 5.0, 1.3), "games": (8, 2.8, 0.9), "gift cards": (2, 4.1, 2.4),
         "pharmacy": (4, 3.0, -1.0)}
COUNTRIES = {"DE": 70, "FR": 10, "NL": 8, "PL": 5, "US": 4, "BR": 2, "NG": 1}
ABROAD = {"DE": -0.3, "FR": 0.2, "NL": 0.0, "PL": 0.4, "US": 1.0, "BR": 1.5, "NG": 1.9}


def payment(draw):
    """The suspicion is -8.3 + shop + country + 1.1 (log amount - mean of the shop) + 2.4 online + 1.9 at night
    + 1.3 log(1 + payments of the last day) - 0.5 log(1 + months of the card)."""
    shop = draw.choice({name: row[0] for name, row in SHOPS.items()})
    country, online = draw.choice(COUNTRIES), draw.chance(0.3)
    excess = draw.normal()
    amount = math.exp(SHOPS[shop][1] + 0.8 * excess)
    hour = int(draw.normal(15, 5)) % 24
    recent = int(-1.6 * math.log(1 - draw.uniform()))
    months = draw.integer(0, 60)
    night = hour < 6
    suspicion = (-8.3 + SHOPS[shop][2] + ABROAD[country] + 1.1 * excess + 2.4 * online + 1.9 * night +
                 1.3 * math.log1p(recent) - 0.5 * math.log1p(months))
    return [hour, f"{amount:.2f}", shop, country, "online" if online else "card", recent, months, suspicion]


def payments(folder):
    """Of 4000 payments, 120 are frauds: those of the highest suspicion plus 0.6 times a logistic random number."""
    draw = Draw(42)
    rows = [payment(draw) for _ in range(4000)]
    for row in rows:
        chance = draw.uniform() or 0.5
        row[-1] += 0.6 * math.log(chance / (1 - chance))
    limit = sorted(row[-1] for row in rows)[-120]
    for row in rows:
        row[-1] = "yes" if row[-1] >= limit else "no"
    write_csv(folder / "fraud/payments.csv", "hour,amount,shop,country,channel,payments_today,card_months,fraud", rows)


# --- shapes: which pixels belong to a disc, which to a cross? ---

SIDE = 32  # of a picture, in pixels
BACKGROUND, DISC, CROSS, UNLABELED = 0, 1, 2, 255  # classes of pixels


def distance(shape, x, y):
    """Signed distance of a pixel to the outline of a shape; negative inside. A cross has two bars, axis-parallel."""
    kind, cx, cy, radius = shape
    if kind == DISC:
        return math.hypot(x - cx, y - cy) - radius
    long, short = max(abs(x - cx), abs(y - cy)), min(abs(x - cx), abs(y - cy))
    return max(long - 1.1 * radius, short - 0.4 * radius)


def picture(draw):
    """Grey pixels and their classes: one to three shapes that may overlap, brighter or darker than the background, with
    noise. Pixels within half a pixel of an outline have no class. Grey has 16 levels, which keeps the files small."""
    ground = draw.integer(6, 9)
    shapes = [(draw.choice([DISC, CROSS]), draw.integer(5, SIDE - 6), draw.integer(5, SIDE - 6), draw.integer(4, 8))
              for _ in range(draw.integer(1, 3))]
    tones = [ground + draw.choice([-4, -3, 3, 4]) for _ in shapes]
    pixels, classes = bytearray(), bytearray()
    for y in range(SIDE):
        for x in range(SIDE):
            tone, label = ground, BACKGROUND
            for shape, shape_tone in zip(shapes, tones):
                outside = distance(shape, x, y)
                if outside <= 0.5:
                    tone, label = shape_tone, UNLABELED if outside > -0.5 else shape[0]
            pixels.append(17 * min(15, max(0, tone + round(draw.normal(0, 0.5)))))
            classes.append(label)
    return pixels, classes


def write_idx(path, dim, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    header = struct.pack(f">BBBB{len(dim)}I", 0, 0, 8, len(dim), *dim)
    with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, 0) as packed:
        packed.write(header + data)


def shapes(folder):
    draw = Draw(32)
    for split, count in (("train", 500), ("test", 150)):
        pictures = [picture(draw) for _ in range(count)]
        for name, part in (("images", 0), ("classes", 1)):
            write_idx(folder / f"shapes/{split}-{name}.gz", (count, SIDE, SIDE), b"".join(p[part] for p in pictures))


# --- rentals: how many bicycles are rented in the next hours? ---

HOURS = (0.15, 0.25, 1.5, 1.1, 1.7, 0.9)  # factors of each four hours of a day, from midnight on
WEEKDAYS = (1.0, 1.05, 1.05, 1.0, 0.95, 0.7, 0.6)  # factors of Monday to Sunday
STATIONS = {"harbour": 60, "park": 35}  # mean rentals in four hours


def rentals_of(draw, station, time, temperature, holiday):
    """Mean of the station * (1 + 0.002 day) * factor of the hours * factor of the weekday (on holidays that of Sunday)
    * (1 + 0.035 (temperature - 15)) * a log-normal factor with a deviation of 8 %."""
    day = (time - datetime.datetime(2025, 3, 3)).days
    factor = WEEKDAYS[6] if holiday else WEEKDAYS[time.weekday()]
    warmth = max(0.1, 1 + 0.035 * (temperature - 15))
    mean = STATIONS[station] * (1 + 0.002 * day) * HOURS[time.hour // 4] * factor * warmth
    return round(mean * math.exp(draw.normal(0, 0.08)))


def rentals(folder):
    """150 days of two stations. The deviation of a day's temperature from its trend is 0.7 times that of the day before
    plus a random number; within a day the temperature varies by 4 degrees in both directions."""
    draw = Draw(2025)
    rows, weather = [], 0.0
    for day in range(150):
        weather = 0.7 * weather + draw.normal(0, 3)
        holiday = draw.chance(0.05)
        for part in range(6):
            time = datetime.datetime(2025, 3, 3) + datetime.timedelta(days=day, hours=4 * part)
            temperature = 15 + 0.03 * day + weather - 4 * math.cos(2 * math.pi * (part - 0.5) / 6)
            for station in STATIONS:
                count = rentals_of(draw, station, time, temperature, holiday)
                rows.append([f"{time:%Y-%m-%d %H:%M}", station, f"{temperature:.1f}", int(holiday), count])
    write_csv(folder / "rentals/rentals.csv", "time,station,temperature,holiday,rentals", rows)


# --- reviews: did the guest like it? ---

PRAISE = "good great excellent lovely fresh perfect friendly tasty warm charming".split()
BLAME = "bad awful terrible bland stale rude cold slow greasy dull".split()
THINGS = "soup fish bread salad pasta cake coffee wine service waiter music view table menu dessert".split()
DEGREES = ["", "", "", "really ", "very ", "quite ", "so "]
PLACES = ["", "", "On Sunday ", "At noon ", "Last week ", "This time ", "With friends "]


def clause(draw, liked):
    """What a guest says about one thing. Three in ten negate the opposite word: "not bad"."""
    negated = draw.chance(0.3)
    word = draw.choice(PRAISE if liked != negated else BLAME)
    return f"the {draw.choice(THINGS)} was {'not ' if negated else ''}{draw.choice(DEGREES)}{word}"


def review(draw):
    """Most reviews have two opposed clauses: the one after "but", or the one without "although", decides the label.
    2 % of the labels are wrong."""
    liked = draw.chance(0.5)
    main, other = clause(draw, liked), clause(draw, not liked)
    text = draw.choice({
        f"{other}, but {main}": 35,
        f"although {other}, {main}": 20,
        f"{main}, although {other}": 20,
        f"{main}, and {clause(draw, liked)}": 15,
        main: 10,
    })
    text = draw.choice(PLACES) + text + "."
    return [text[0].upper() + text[1:], "liked" if liked != draw.chance(0.02) else "disliked"]


def reviews(folder):
    """2400 reviews, no two alike."""
    draw, rows = Draw(17), {}
    while len(rows) < 2400:
        text, verdict = review(draw)
        rows.setdefault(text, verdict)
    write_csv(folder / "reviews/reviews.csv", "review,verdict", rows.items())


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "datasets")
    sets = {"titanic-like": passengers, "houses": houses, "fraud": payments, "shapes": shapes, "rentals": rentals,
            "reviews": reviews}
    for name in sys.argv[2:] or sets:
        sets[name](folder)


main()
