"""What a guest writes and keeps: reviews, questions, saved merchants."""

from __future__ import annotations

from typing import Any

from lifegym.services.base import limited
from lifegym.services.review_platform.records import Stars
from lifegym.services.review_platform.reserving import ReviewReserving
from lifegym.services.tools import ToolError, tool

__all__ = ["ReviewPlatform"]

_QUESTION_LIMIT = 500
_REVIEW_LIMIT = 2000
_CAPTIONS, _CAPTION_LIMIT = 9, 200


class ReviewPlatform(ReviewReserving):
    """Local merchants: finding them, reserving, reviewing. Times are the merchant's local time."""

    @tool(write=True)
    def write_review(
        self, user_id: str, merchant_id: str, rating: Stars, body: str, image_captions: list[str] | None = None
    ) -> dict[str, Any]:
        """Publish a review of a merchant. Everybody can read it; there is one per user and merchant, for good.

        Args:
            user_id: Who writes; the account's user.
            merchant_id: From search_merchants.
            rating: 1 (bad) to 5 (excellent).
            body: The text, 10 to 2000 characters.
            image_captions: What the attached pictures show, up to 9 of up to 200 characters.

        Returns:
            The review with its review_id; merchant_rating and review_count with it counted in.

        Errors:
            not_signed_in: user_id is not the account's user.
            not_found: There is no such merchant.
            bad_body: The text is shorter than 10 or longer than 2000 characters.
            bad_captions: There are more than 9 captions, or one is empty or longer than 200 characters.
            exists: The user has reviewed this merchant already.
        """
        self._check_user(user_id)
        self._merchant(merchant_id)
        text = body.strip()
        if not 10 <= len(text) <= _REVIEW_LIMIT:
            raise ToolError("bad_body", f"a review has 10 to {_REVIEW_LIMIT} characters, not {len(text)}")
        captions = image_captions or []
        if len(captions) > _CAPTIONS or not all(0 < len(caption) <= _CAPTION_LIMIT for caption in captions):
            raise ToolError("bad_captions", f"up to {_CAPTIONS} captions of 1 to {_CAPTION_LIMIT} characters")
        for row in self.rows("reviews"):
            if row["user_id"] == user_id and row["merchant_id"] == merchant_id:
                raise ToolError("exists", f"{user_id} has reviewed {merchant_id} already: {row['review_id']}")
        review = self._put_review(merchant_id, user_id, self.world.owner_name, rating, text, captions)
        merchant = self._merchant(merchant_id)
        return {**review, "merchant_rating": merchant["rating"], "review_count": merchant["review_count"]}

    @tool(write=True)
    def ask_question(self, user_id: str, merchant_id: str, body: str) -> dict[str, Any]:
        """Ask a question on a merchant's page. Everybody can read it; answers come later, see get_merchant_qa.

        Args:
            user_id: Who asks; the account's user.
            merchant_id: From search_merchants.
            body: The question, 5 to 500 characters.

        Returns:
            The question with its question_id.

        Errors:
            not_signed_in: user_id is not the account's user.
            not_found: There is no such merchant.
            merchant_closed: The merchant has closed for good; nobody would answer.
            bad_body: The question is shorter than 5 or longer than 500 characters.
            exists: The user has asked the same already.
        """
        self._check_user(user_id)
        merchant = self._merchant(merchant_id)
        if merchant["status"] == "closed":
            raise ToolError("merchant_closed", f"{merchant['name']} has closed for good; nobody would answer")
        text = body.strip()
        if not 5 <= len(text) <= _QUESTION_LIMIT:
            raise ToolError("bad_body", f"a question has 5 to {_QUESTION_LIMIT} characters, not {len(text)}")
        for row in self.rows("questions"):
            if (row["user_id"], row["merchant_id"], row["body"]) == (user_id, merchant_id, text):
                raise ToolError("exists", f"this is asked already as {row['question_id']}; get_merchant_qa shows it")
        question = self.put(
            "questions",
            question_id=self.new_id("qst"),
            merchant_id=merchant_id,
            user_id=user_id,
            body=text,
            at=self.stamp(),
        )
        self._await_answer(question)
        return question

    @tool(write=False)
    def list_saved_merchants(self, user_id: str, limit: int = 50) -> dict[str, Any]:
        """List the merchants that the user has saved, the last one first.

        Args:
            user_id: Whose; the account's user.
            limit: How many at most, up to 100.

        Returns:
            merchants: as search_merchants shows them, with status (open or closed for good) and saved_at; total.

        Errors:
            not_signed_in: user_id is not the account's user.
            bad_limit: limit is not between 1 and 100.
        """
        self._check_user(user_id)
        found = [row for row in self.rows("saved") if row["user_id"] == user_id]
        found.sort(key=lambda row: (self.seconds(row["at"]), row.doc_id), reverse=True)
        deals = self._deal_counts()
        shown = []
        for row in limited(found, limit, 100):
            merchant = self._merchant_of(row)
            shown.append({**self._brief(merchant, deals), "status": merchant["status"], "saved_at": row["at"]})
        return {"merchants": shown, "total": len(found)}

    @tool(write=True)
    def save_merchant(self, user_id: str, merchant_id: str) -> dict[str, Any]:
        """Save a merchant to the user's list, to find it again.

        Args:
            user_id: Whose list; the account's user.
            merchant_id: From search_merchants.

        Returns:
            saved_id, user_id, merchant_id, at.

        Errors:
            not_signed_in: user_id is not the account's user.
            not_found: There is no such merchant.
            exists: It is saved already.
        """
        self._check_user(user_id)
        self._merchant(merchant_id)
        for row in self.rows("saved"):
            if row["user_id"] == user_id and row["merchant_id"] == merchant_id:
                raise ToolError("exists", f"{merchant_id} is saved already, since {row['at']}")
        return self.put(
            "saved", saved_id=self.new_id("saved"), user_id=user_id, merchant_id=merchant_id, at=self.stamp()
        )
