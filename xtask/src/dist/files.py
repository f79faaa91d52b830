"""Packs and unpacks the archives of a release, and writes and checks their sums.

Archives don't depend on who packs them: names are sorted, owners and times are left out.
"""

import gzip
import hashlib
import sys
import tarfile
import zipfile
from pathlib import Path


def pack(folder, archive):
    """The folder as an archive with one folder at its top."""
    folder, archive = Path(folder), Path(archive)
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    if archive.suffix == ".zip":
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
            for path in files:
                entry = zipfile.ZipInfo(path.relative_to(folder.parent).as_posix(), (1980, 1, 1, 0, 0, 0))
                entry.compress_type = zipfile.ZIP_DEFLATED
                out.writestr(entry, path.read_bytes())
        return
    with gzip.GzipFile(archive, "wb", mtime=0) as compressed, tarfile.open(fileobj=compressed, mode="w") as out:
        for path in files:
            entry = tarfile.TarInfo(path.relative_to(folder.parent).as_posix())
            entry.size = path.stat().st_size
            entry.mode = 0o755 if path.stat().st_mode & 0o100 else 0o644
            with path.open("rb") as content:
                out.addfile(entry, content)


def unpack(archive, folder):
    """An archive into a folder.

    A file that is there with the same content stays as it is, and others get the time of now: cargo compares
    times to see what it must build again, and those in archives are the same for every version.
    """
    folder, files = Path(folder), members(archive)
    wanted = {folder / name for name in files}
    for path in [path for path in folder.rglob("*") if path.is_file() and path not in wanted]:
        path.unlink()
    for name, (content, executable) in files.items():
        path = folder / name
        if not path.exists() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        if executable:
            path.chmod(0o755)


def members(archive):
    """The files of an archive by name: the content, and whether it is a program."""
    if str(archive).endswith(".zip"):
        with zipfile.ZipFile(archive) as packed:
            return {name: (packed.read(name), name.endswith(".exe")) for name in packed.namelist() if not name.endswith("/")}
    with tarfile.open(archive) as packed:
        return {entry.name: (packed.extractfile(entry).read(), bool(entry.mode & 0o100)) for entry in packed if entry.isfile()}


def sums_of(folder, leave_out):
    """One line for each file, as ``sha256sum`` writes it."""
    files = sorted(path for path in Path(folder).iterdir() if path.name != leave_out)
    return "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files)


def write_sums(folder, name):
    """The sums of the files of a folder."""
    (Path(folder) / name).write_bytes(sums_of(folder, name).encode())


def check_sums(folder, name):
    """Fails if a file is missing, added or changed."""
    if (Path(folder) / name).read_bytes().decode() != sums_of(folder, name):
        sys.exit(f"the files in {folder} don't have the sums in {name}")


if __name__ == "__main__":
    {"pack": pack, "unpack": unpack, "write-sums": write_sums, "check-sums": check_sums}[sys.argv[1]](*sys.argv[2:])
