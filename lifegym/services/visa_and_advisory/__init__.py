"""Entry rules, travel advisories and visa applications."""

from lifegym.services.visa_and_advisory.applying import VisaAndAdvisory

__all__ = ["VisaAndAdvisory"]
