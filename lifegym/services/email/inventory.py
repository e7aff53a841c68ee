"""A believable past of a mailbox."""

from __future__ import annotations

import datetime as dt
import random
from typing import Any

from lifegym.services.email.life import EmailLife
from lifegym.services.tools import generator
from lifegym.world import clock

__all__ = ["EmailInventory"]

_PEOPLE = (
    ("Nora Whitfield", "nora.whitfield@postbox.example"),
    ("Daniel Osei", "d.osei@lettermail.example"),
    ("Priya Raman", "priya.raman@postbox.example"),
    ("Tomas Lindgren", "tomas@lindgren-family.example"),
    ("Chen Yiming", "yiming.chen@lettermail.example"),
    ("Sofia Marchetti", "sofia.m@postbox.example"),
    ("Grace Adeyemi", "grace.adeyemi@courtyard.example"),
    ("Hugo Ferreira", "hugo@ferreira-studio.example"),
)
_TOPICS = (
    ("Dinner on {day}?", "Shall we try the new noodle place on {day}? I could be there by half past six."),
    ("Photos from the weekend", "I finally sorted the pictures of the lake. The one with the heron is my favourite."),
    (
        "The book you lent me",
        "I am on the last chapter and will bring it back on {day}. Do you want to keep the cover?",
    ),
    (
        "Choir practice moves",
        "The hall is taken, so practice is on {day} this time, same hour. Please bring the blue folder.",
    ),
    (
        "Broken radiator",
        "The radiator in the hall drips again. Do you still have the number of the plumber from last year?",
    ),
    (
        "Birthday present for Mum",
        "I thought of a garden chair, we could share it. Would {day} suit you to go and look?",
    ),
    ("Bicycle pump", "Could I borrow the pump again? I would fetch it on {day} after work."),
    ("Neighbours' meeting", "The meeting about the bins is on {day} at seven. Somebody should take notes this time."),
    ("Recipe", "Here is what you asked for: two cups of lentils, one onion, cumin, a bay leaf, forty minutes."),
    ("Language evening", "We begin again on {day}. Bring a poem or a joke, nothing longer than a minute."),
)
_ANSWERS = (
    "That suits me. See you then.",
    "I have to look at my week first and write again tomorrow.",
    "Good idea. Shall I tell the others?",
    "Sorry, that day is taken. How about the week after?",
    "Thank you, that helps a lot.",
    "Fine with me, and thanks for asking.",
)
_LETTERS = (
    (
        "Greenleaf Market",
        "news@greenleaf-market.example",
        "This week: {item} from {price}",
        "Fresh offers in all branches.",
    ),
    (
        "Harbour Books",
        "letters@harbour-books.example",
        "Our reader's pick: {item}",
        "Ten titles that our shop talks about.",
    ),
    (
        "Wanderlight Travel",
        "hello@wanderlight.example",
        "Weekends away from {price}",
        "Trains, lakes and small hotels.",
    ),
    (
        "City Library",
        "bulletin@city-library.example",
        "What is on at the library",
        "Readings, repair café, story hour.",
    ),
    ("Kiln & Clay", "studio@kiln-clay.example", "New courses: {item}", "Six evenings at the wheel, clay included."),
    ("Pulse Gym", "team@pulse-gym.example", "Bring a friend, pay {price}", "Only this month, in every studio."),
)
_SHOPS = (
    ("Greenleaf Market", "orders@greenleaf-market.example", "Groceries"),
    ("Metro Transit", "receipts@metro-transit.example", "Monthly pass"),
    ("Harbour Books", "orders@harbour-books.example", "Book order"),
    ("Lantern Noodles", "kitchen@lantern-noodles.example", "Your dinner"),
    ("Brightwire", "billing@brightwire.example", "Internet, monthly bill"),
    ("Parcel Point", "service@parcel-point.example", "Locker fee"),
)
_ITEMS = ("pottery", "apricots", "walking shoes", "a river atlas", "olive oil", "winter tea", "a folding lamp", "plums")
_TRAILER = (
    "You read this because you asked for our letter. To end it, answer with the word stop. Prices while stocks last; "
    "opening hours as usual, on holidays until noon. Our shops are at the market square, by the north station and at "
    "the harbour."
)


class EmailInventory(EmailLife):
    """Generators of old mail. Everything is dated before the window, read, and answers to nothing in a task."""

    @generator
    def old_mailbox(
        self, rng: random.Random, threads: int = 25, newsletters: int = 40, receipts: int = 30, days: int = 180
    ) -> None:
        """Fill the days before the window with conversations, newsletters and receipts.

        Conversations lie in INBOX, Archive and, where the person wrote, Sent; receipts in INBOX or Archive.
        """
        mails = [mail for _ in range(threads) for mail in self._conversation(rng, self._moment(rng, days))]
        mails += [self._newsletter(rng, self._moment(rng, days)) for _ in range(newsletters)]
        mails += [self._receipt(rng, self._moment(rng, days)) for _ in range(receipts)]
        mails.sort(key=lambda mail: int(mail["moment"]))
        ids: dict[str, str] = {}
        for mail in mails:
            moment, thread, email_id = mail.pop("moment"), mail.pop("thread", ""), self.new_id("mail")
            first = ids.setdefault(thread, email_id) if thread else email_id
            self.put("mails", **mail, email_id=email_id, at=self.world.iso(moment), read=True, thread_id=first)

    def _moment(self, rng: random.Random, days: int) -> int:
        """Some minute by day, so early that a conversation that begins then ends before the window."""
        day = self.world.start - dt.timedelta(days=rng.randint(6, max(6, days)))
        return clock.day_start(day, self.world.zone) + rng.randint(7 * 60, 22 * 60) * 60

    def _conversation(self, rng: random.Random, moment: int) -> list[dict[str, Any]]:
        """One to four mails to and fro, at most a day apart."""
        name, address = rng.choice(_PEOPLE)
        title, text = (part.replace("{day}", rng.choice(clock.WEEKDAYS)) for part in rng.choice(_TOPICS))
        folder = rng.choice(("INBOX", "INBOX", "Archive"))
        person = self.world.owner_name.split()[0]
        thread, mails = f"{moment} {address} {title}", []
        for number in range(rng.randint(1, 4)):
            mine = number % 2 == 1
            body = text if number == 0 else rng.choice(_ANSWERS)
            mails.append(
                {
                    "moment": moment,
                    "thread": thread,
                    "folder": "Sent" if mine else folder,
                    "sender": self._address() if mine else address,
                    "sender_name": self.world.owner_name if mine else name,
                    "to": [address if mine else self._address()],
                    "subject": title if number == 0 else f"Re: {title}",
                    "body": f"{body}\n\n{person if mine else name.split()[0]}\n",
                }
            )
            moment += rng.randint(20, 24 * 60) * 60
        return mails

    def _newsletter(self, rng: random.Random, moment: int) -> dict[str, Any]:
        name, address, title, text = rng.choice(_LETTERS)
        price = f"{rng.randint(5, 90)}.{rng.choice(('00', '50', '90'))}"
        items = rng.sample(_ITEMS, 3)
        return {
            "moment": moment,
            "sender": address,
            "sender_name": name,
            "to": [self._address()],
            "subject": title.replace("{item}", items[0]).replace("{price}", price),
            "body": f"{text}\n\nThis time: {items[0]}, {items[1]} and {items[2]}, from {price}.\n\n{_TRAILER}\n",
        }

    def _receipt(self, rng: random.Random, moment: int) -> dict[str, Any]:
        name, address, what = rng.choice(_SHOPS)
        number = rng.randint(100000, 999999)
        amount = f"{rng.randint(3, 120)}.{rng.randint(0, 99):02d}"
        day = clock.local(moment, self.world.zone).date().isoformat()
        text = f"{what}\nDate: {day}\nNumber: {number}\nPaid: {amount}\n"
        return {
            "moment": moment,
            "folder": rng.choice(("INBOX", "Archive")),
            "sender": address,
            "sender_name": name,
            "to": [self._address()],
            "subject": f"Receipt {number}: {what}",
            "body": f"Thank you for your purchase.\n\n{text}\n{name}\n",
            "attachments": [{"filename": f"receipt_{number}.txt", "text": text}] if rng.random() < 0.5 else [],
        }
