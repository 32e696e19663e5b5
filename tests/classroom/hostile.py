"""Named answers and cells that try to do harm. None forks more than 200 times."""

from __future__ import annotations

ABORT = {
    "exits": "import os\nos._exit(0)\n",
    "aborts": "import os\nos.abort()\n",
    "kills itself": "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n",
    "crashes": "import ctypes\nctypes.string_at(0)\n",
    "recurses": "def f(): return f() + f()\nimport sys\nsys.setrecursionlimit(10**9)\nf()\n",
    "loops": "while True: pass\n",
    "loops whatever comes": "while True:\n    try:\n        while True: pass\n    except BaseException: pass\n",
}
KILL = {
    "kills all": "import os, signal\nos.kill(-1, signal.SIGKILL)\n",
    "kills by number": "import os, signal\nfor pid in range(1, 5000):\n    try: os.kill(pid, signal.SIGKILL)\n"
    "    except OSError: pass\n",
    "kills its parent": "import os, signal\nfor pid in (os.getppid(), 1):\n    try: os.kill(pid, signal.SIGKILL)\n"
    "    except OSError: pass\n",
}
FLOOD = {
    "prints": "while True: print('x' * 1000)\n",
    "writes to every descriptor": "import os\nwhile True:\n    for descriptor in range(1, 20):\n"
    "        try: os.write(descriptor, b'{not json}\\n' * 99)\n        except OSError: pass\n",
    "writes one endless line": "import os\nwhile True:\n    for descriptor in range(3, 20):\n"
    "        try: os.write(descriptor, b'x' * 65536)\n        except OSError: pass\n",
    "fills the disk": "import os\nfor number in range(100):\n    for folder in ('.', '/tmp', '/dev/shm'):\n"
    "        try:\n            with open(f'{folder}/{number}', 'wb') as file:\n"
    "                for _ in range(100): file.write(bytes(1 << 20))\n        except OSError: pass\n",
}
FORK = {
    "forks": "import os, time\nfor _ in range(200):\n    try:\n"
    "        if os.fork() == 0:\n            while True: pass\n    except (OSError, RuntimeError): pass\n"
    "while True: pass\n",
    "forks beside Python": "import ctypes, time\nlibc = ctypes.CDLL(None)\nfor _ in range(200):\n"
    "    if libc.fork() == 0:\n        while True: pass\nwhile True: pass\n",
    "leaves workers behind": "import ctypes\nlibc = ctypes.CDLL(None)\nfor _ in range(20):\n"
    "    if libc.fork() == 0:\n        libc.setsid()\n        while True: pass\n",
    "starts threads": "import threading\ndef spin():\n    while True: pass\nfor _ in range(200):\n"
    "    try: threading.Thread(target=spin, daemon=True).start()\n    except RuntimeError: pass\nspin()\n",
}
MEMORY = {
    "asks for 50 GB": "import numpy\nx = numpy.ones(50 * 2**27)\n",
    "takes bit by bit": "import numpy\nx = []\nwhile True: x.append(numpy.ones(2**20))\n",
    "takes it in many processes": "import ctypes\nlibc = ctypes.CDLL(None)\nx = []\nfor _ in range(20):\n"
    "    if libc.fork() == 0: break\nwhile True:\n    try: x.append(bytes(bytearray(b'x' * 2**24)))\n"
    "    except MemoryError: pass\n",
    "takes it as files in memory": "import os\nx = []\nwhile True:\n    x.append(os.memfd_create('x'))\n"
    "    for _ in range(60): os.write(x[-1], bytes(1 << 20))\n",
}


def reading(*paths: str) -> str:
    """An answer that tries to read these files or to connect, and prints what it found after LEAKED."""
    return (
        "import os, socket, urllib.request\nfound = []\n"
        f"for path in {paths!r}:\n"
        "    try: found.append(open(path, errors='replace').read())\n    except OSError: pass\n"
        "for address in (('127.0.0.1', 22), ('1.1.1.1', 80)):\n"
        "    try: found.append(str(socket.create_connection(address, 1)))\n    except (OSError, AttributeError): pass\n"
        "if found: print('LEAKED', found)\n"
    )


HOSTILE = {**ABORT, **KILL, **FLOOD, **FORK, **MEMORY}

IN_WEBASSEMBLY = (
    "exits", "recurses", "loops whatever comes", "kills by number", "prints", "writes to every descriptor",
    "fills the disk", "starts threads", "takes bit by bit",
)  # fmt: skip
"""Those that differ where there are no processes, signals and calls of C: each of the others ends like one of these."""

REFUSED = (
    "kills itself", "crashes", "kills all", "kills its parent", "forks", "forks beside Python", "leaves workers behind",
    "asks for 50 GB", "takes it in many processes", "takes it as files in memory",
)  # fmt: skip
"""Those that only raise an error there."""

AGAINST_OTHERS = (
    "exits", "loops whatever comes", "kills all", "kills its parent", "prints", "writes to every descriptor",
    "fills the disk", "forks", "leaves workers behind", "starts threads", "takes it in many processes",
)  # fmt: skip
"""One of each way to harm other pupils or the server."""
