"""Notifications, alerts and the feeds of official accounts."""

from lifegym.services.notification_hub.tools import NotificationHub

__all__ = ["NotificationHub"]
