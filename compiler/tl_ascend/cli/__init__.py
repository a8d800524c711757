"""The commands `tl-check` and `tl-ascend`: arguments in, text and exit status out."""
