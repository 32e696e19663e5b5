"""A watched program: `program.py RECORDS PER_SECOND [END [PER_STEP [RUN]]]`.

It sends RECORDS records at that rate, prints the number of every hundredth after it was sent, and ends as END says:
`finish` (the default) or `vanish` (without a last record). A step has 100 records by default.
On SIGTERM it stops sending, and ends in the same way.
"""

from __future__ import annotations

import signal
import sys
import threading
import time

from minigrad.observe.publish.publisher import Publisher
from tests.webui.synthetic import record, started


def main(records: int, per_second: float, end: str = "finish", per_step: str = "100", run: str = "r1") -> None:
    size = int(per_step)
    publisher = Publisher()
    enough = threading.Event()
    signal.signal(signal.SIGTERM, lambda number, frame: enough.set())
    begun = time.monotonic()
    publisher.send(started(run))
    seq = 1
    while seq < records and not enough.is_set():
        seq += 1
        ahead = seq / per_second - (time.monotonic() - begun)
        if ahead > 0:
            enough.wait(ahead)
        publisher.send(record(seq, seq // size, "scalar", name="accuracy", value=seq / records))
        if seq % 100 == 0:
            print(seq, flush=True)
    if end == "finish":
        publisher.send(record(seq + 1, seq // size, "run_finished", status="finished"))
    publisher.close()
    print("ended", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]), *sys.argv[3:])
