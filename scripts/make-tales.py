#!/usr/bin/env python3
"""scripts/make-tales.py [FILE]: make the invented text of datasets/tales, from a small grammar and a fixed seed.

Each tale names a person, a place and an animal at its beginning and uses them until its end, so that a model that
remembers more than a few words writes better ones.
"""
import random
import sys

SEED = 7
TALES = 170

WHO = ["miller", "weaver", "smith", "shepherd", "baker", "sailor", "potter", "carpenter", "gardener", "fiddler"]
HOW = ["old", "young", "poor", "clever", "lazy", "cheerful", "stubborn", "quiet"]
WHERE = ["by the river", "on the hill", "near the harbour", "behind the mill", "at the edge of the forest",
         "below the bridge", "in a narrow valley"]
ANIMAL = ["fox", "crow", "donkey", "goose", "hare", "cat", "frog", "owl", "mouse", "bear"]
THING = ["a copper kettle", "a silver spoon", "a sack of flour", "a wooden flute", "a red lantern", "a loaf of bread",
         "a broken clock", "a pair of boots"]
WHEN = ["One morning", "One evening", "After the rain", "On the first day of spring", "Before the harvest",
        "In the middle of winter", "At midnight"]
ANSWER = ["for three good reasons", "because nobody asked me", "and so does the moon", "but only on Sundays",
          "as my mother did", "if you carry it home", "when the bells ring"]
END = ["From that day on they shared their supper.", "And nobody ever spoke of it again.",
       "So the {who} laughed, and the {animal} laughed, too.", "The {animal} kept the secret, and so do we.",
       "That is why the {who} never locks the door.", "And if they have not moved, they still live {where}."]
MIDDLE = [
    "{when} the {who} found {thing} {where}.",
    "{when} a {animal} came to the door and asked for {thing}.",
    '"What do you want?" said the {who}.',
    '"I want {thing}," said the {animal}, "{answer}."',
    '"You may have {thing}," said the {who}, "{answer}."',
    "The {animal} looked at {thing} and said nothing.",
    "The {who} sat down and thought about it until the sun went down.",
    "Then the {who} and the {animal} walked home together.",
    "But the {animal} was gone, and so was {thing}.",
]


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else "datasets/tales/tales.txt"
    draw = random.Random(SEED)

    def pick(items):
        return items[int(draw.random() * len(items))]  # the same in every version of Python

    tales = []
    for number in range(1, TALES + 1):
        fixed = {"who": pick(WHO), "animal": pick(ANIMAL), "where": pick(WHERE), "thing": pick(THING)}
        lines = [f"TALE {number}.", f"There was once a {pick(HOW)} {fixed['who']} who lived {fixed['where']}."]
        for _ in range(4 + int(draw.random() * 4)):
            lines.append(pick(MIDDLE).format(when=pick(WHEN), answer=pick(ANSWER), **fixed))
        lines.append(pick(END).format(**fixed))
        tales.append("\n".join(lines) + "\n")
    with open(path, "w", encoding="utf-8", newline="\n") as out:
        out.write("\n".join(tales))


if __name__ == "__main__":
    main()
