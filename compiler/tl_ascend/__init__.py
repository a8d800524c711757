"""tl-ascend: a TileLang-to-Ascend compiler that lives in the editor and in CI."""

__version__ = "0.1.0"
