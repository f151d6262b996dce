"""The sacrebleu whose numbers these are, and who computed them: it stands in every signature."""

from ... import _native

__version__ = "2.6.0+markeval." + _native.version()
