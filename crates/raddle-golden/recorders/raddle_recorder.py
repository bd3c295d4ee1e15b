class Recorder:
    """Writes what a dispatcher does as a table for `raddle check-placement`."""

    def __init__(self, path, units, wave_slots, resources):
        """`resources`: blocks and `per-wave` or `shared`, by name."""
        self.file, self.names = open(path, "w"), list(resources)
        self.file.write(f"# raddle placement table 1\n# units = {units}\n")
        self.file.write(f"# wave-slots = {wave_slots}\n")
        for name, (blocks, kind) in resources.items():
            self.file.write(f"# resource {name} = {blocks} {kind}\n")
        parts = [f"{name}_{of}" for name in self.names for of in ("start", "size")]
        self.columns = "clock event unit workgroup waves wave tag".split() + parts
        self.file.write(",".join(self.columns) + "\n")

    def _line(self, **cells):
        row = [str(cells.get(name, "")) for name in self.columns]
        self.file.write(",".join(row) + "\n")

    def request(self, clock, workgroup, waves, **sizes):
        sizes = {f"{name}_size": size for name, size in sizes.items()}
        self._line(clock=clock, event="request", workgroup=workgroup, waves=waves, **sizes)

    def place(self, clock, unit, workgroup, waves, **parts):
        """`parts`: start and size of each resource, by name."""
        cells = {f"{name}_start": part[0] for name, part in parts.items()}
        cells |= {f"{name}_size": part[1] for name, part in parts.items()}
        self._line(clock=clock, event="place", unit=unit, workgroup=workgroup, waves=waves, **cells)

    def wave(self, clock, unit, workgroup, wave, tag="", **bases):
        bases = {f"{name}_start": base for name, base in bases.items()}
        self._line(clock=clock, event="wave", unit=unit, workgroup=workgroup, wave=wave, tag=tag, **bases)

    def end(self, clock, unit, workgroup, wave, tag=""):
        self._line(clock=clock, event="end", unit=unit, workgroup=workgroup, wave=wave, tag=tag)

    def free(self, clock, unit, workgroup):
        self._line(clock=clock, event="free", unit=unit, workgroup=workgroup)
