"""The exceptions of sitegrove. All can be pickled."""

from __future__ import annotations

__all__ = ["InputError", "InternalError", "ModelError", "SettingsError", "SitegroveError"]


class SitegroveError(Exception):
    """Base of all exceptions of sitegrove."""


class InputError(SitegroveError):
    """An input cannot be read or used.

    Parameters
    ----------
    message : str
        What is wrong.
    path : str, optional
        The file.
    offset : int, optional
        Bytes of it that were read before.
    """

    def __init__(self, message: str, path: str | None = None, offset: int | None = None) -> None:
        super().__init__(message, path, offset)
        self.path = path
        self.offset = offset

    def __str__(self) -> str:
        return str(self.args[0])


class ModelError(SitegroveError):
    """Bytes are no site model of this version, or the model was learnt with other settings."""


class SettingsError(SitegroveError):
    """A setting is not known or has a wrong value."""


class InternalError(SitegroveError):
    """A mistake in sitegrove itself (a panic). The process stays usable; please report it."""
