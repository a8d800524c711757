// What the host part includes; the device part needs nothing of it.
