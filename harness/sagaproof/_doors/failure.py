"""A campaign that did not come out clean, as what is raised at whoever started it."""

from __future__ import annotations

from sagaproof._search.campaign import Campaign

__all__ = ["CampaignFailed"]


class CampaignFailed(AssertionError):
    """The first line of the text says what it is: findings, `incomplete:`, or `harness error:`.

    `campaign` is None where it did not come to one.
    """

    def __init__(self, text: str, campaign: Campaign | None = None) -> None:
        self.text = text
        self.campaign = campaign
        super().__init__(text)

    @property
    def headline(self) -> str:
        """The first line."""
        return self.text.partition("\n")[0]
