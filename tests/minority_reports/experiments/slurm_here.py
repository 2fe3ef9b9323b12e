"""A Slurm of one node on this machine, in a temporary folder, for as long as a test needs it.

The three daemons run as the user who starts them, with a key, ports and sockets of their own: a
Slurm that is installed for real is not touched, and nothing is left behind.
"""

import contextlib
import getpass
import os
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

INSTALL = "apt install slurmctld slurmd slurm-client munge"
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "scancel", "squeue", "sinfo")
#: Debian keeps daemons where the PATH of a plain user does not look.
PATH = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/sbin"])
CPUS, MEMORY_MB = 2, 16_000

# proctrack/linuxproc and task/none need neither cgroups nor root.
CONF = """
ClusterName=here
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ctld_port}
SlurmdPort={d_port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SlurmdParameters=config_overrides
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
KillWait=5
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory={memory} State=UNKNOWN
PartitionName=here Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def absent() -> list[str]:
    """The programs that are needed and not installed."""
    return [name for name in PROGRAMS if shutil.which(name, path=PATH) is None]


def version() -> str:
    """The version of Slurm, such as ``"22.05.8"``."""
    return _answer("slurmctld", "-V").split()[-1]


def _answer(*command: str) -> str:
    where = shutil.which(command[0], path=PATH)
    done = subprocess.run([where, *command[1:]], capture_output=True, text=True, timeout=60)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def free_ports(number: int) -> list[int]:
    """Ports that nobody listens to."""
    with contextlib.ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(number)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def wait_until(condition: Callable[[], object], what: str, seconds: float = 60) -> None:
    """Wait for something to become true; say what it was if it does not."""
    for _ in range(int(seconds / 0.1)):
        if condition():
            return
        time.sleep(0.1)
    raise TimeoutError(f"{what} within {seconds:g} s")


class SlurmHere:
    """The daemons and their folder; use as a context manager."""

    def __enter__(self) -> "SlurmHere":
        # sockets have short names: not below the long ones of pytest's folders
        self.folder = Path(tempfile.mkdtemp(prefix="slurm-"))
        self.folder.chmod(0o755)  # munged wants its socket to be reachable by all
        self._daemons: dict[str, subprocess.Popen] = {}
        self._before = {name: os.environ.get(name) for name in ("SLURM_CONF", "PATH")}
        try:
            self._configure()
            os.environ |= {"SLURM_CONF": str(self.folder / "slurm.conf"), "PATH": PATH}
            self._start_munged()
            self.start_controller()
            self._start("slurmd", "-D", "-N", socket.gethostname().split(".")[0])
            wait_until(lambda: "idle" in _answer("sinfo", "-h", "-o", "%T"), "a node that is idle")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_) -> None:
        with contextlib.suppress(RuntimeError, TimeoutError):
            for job in self.jobs():
                self.kill_job(job)
            wait_until(lambda: not self.jobs(), "jobs ended")
        for name in list(self._daemons)[::-1]:  # munged last: the others talk through it
            self._stop(name)
        for name, value in self._before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        shutil.rmtree(self.folder, ignore_errors=True)

    def jobs(self) -> list[str]:
        """Numbers of the jobs that are queued or running."""
        return _answer("squeue", "-h", "-o", "%i").split()

    def kill_job(self, job: str) -> None:
        """Kill every process of a job without a warning; one that still waits is cancelled."""
        with contextlib.suppress(RuntimeError):  # it has not begun, or has just ended
            _answer("scancel", "--signal=KILL", "--full", job)
        _answer("scancel", "--quiet", job)

    def start_controller(self) -> None:
        """Start slurmctld; it goes on with the jobs that it finds in its folder."""
        self._start("slurmctld", "-D")
        wait_until(self._answers, "slurmctld answers")

    def kill_controller(self) -> None:
        """Kill slurmctld (kill -9)."""
        self._daemons["slurmctld"].kill()
        self._daemons.pop("slurmctld").wait()

    def _answers(self) -> bool:
        try:
            self.jobs()
        except RuntimeError:
            return False
        return True

    def _configure(self) -> None:
        for name in ("state", "spool"):
            (self.folder / name).mkdir(mode=0o755)
        ctld_port, d_port = free_ports(2)
        text = CONF.format(
            host=socket.gethostname().split(".")[0],
            user=getpass.getuser(),
            folder=self.folder,
            ctld_port=ctld_port,
            d_port=d_port,
            cpus=CPUS,
            memory=MEMORY_MB,
        )
        (self.folder / "slurm.conf").write_text(text)
        key = self.folder / "munge.key"
        key.touch(mode=0o600)
        key.write_bytes(secrets.token_bytes(128))

    def _start_munged(self) -> None:
        files = {name: self.folder / f"munge.{name}" for name in ("key", "pid", "log", "seed")}
        options = [f"--{name}-file={file}" for name, file in files.items()]
        address = self.folder / "munge.socket"
        self._start("munged", "--foreground", f"--socket={address}", *options)
        wait_until(address.exists, "munged listens")

    def _start(self, name: str, *options: str) -> None:
        with open(self.folder / f"{name}.out", "ab") as output:
            self._daemons[name] = subprocess.Popen(
                [shutil.which(name, path=PATH), *options], stdout=output, stderr=output
            )

    def _stop(self, name: str) -> None:
        daemon = self._daemons.pop(name)
        daemon.terminate()
        try:
            daemon.wait(20)
        except subprocess.TimeoutExpired:
            daemon.kill()
            daemon.wait()
