//! How much memory this process has taken, and how much the machine has left for it: free memory, the limits
//! of its container, and those of its shell (`ulimit`).

use std::path::{Path, PathBuf};

use sysinfo::{MemoryRefreshKind, System};

/// What stays free of an address space: stacks of threads and what an allocator asks for at once.
const SPARED: u64 = 96 << 20;

/// The bytes that this process may still take; none if the system does not report it.
///
/// The least of: memory that the system can give without swapping; the limit of each control group (v1 or v2)
/// that holds the process, as in a container, without what its processes hold; and what `ulimit -v` and
/// `ulimit -d` leave.
pub fn available_memory() -> Option<u64> {
    let mut system = System::new();
    system.refresh_memory_specifics(MemoryRefreshKind::nothing().with_ram());
    let free = Some(system.available_memory()).filter(|_| system.total_memory() > 0);
    free.into_iter()
        .chain(in_groups(Path::new("/proc/self/cgroup"), Path::new("/sys/fs/cgroup")))
        .chain(in_limits())
        .min()
}

/// The peak memory of this process, if the system reports it.
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib * 1024)
}

/// What each control group leaves. `membership` is the list of the groups of the process, `root` where they
/// are mounted.
fn in_groups(membership: &Path, root: &Path) -> Vec<u64> {
    let Ok(membership) = std::fs::read_to_string(membership) else { return Vec::new() };
    let mut left = Vec::new();
    for line in membership.lines() {
        // Number, controllers, path; version 2 has no controllers in its line.
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else { continue };
        let (folder, limit, held, key) = match controllers {
            "" => (root.to_path_buf(), "memory.max", "memory.stat", "anon"),
            _ if controllers.split(',').any(|name| name == "memory") => {
                (root.join("memory"), "memory.limit_in_bytes", "memory.stat", "total_rss")
            }
            _ => continue,
        };
        // The limit of a group holds for all that are in it, so each on the way up counts. Inside a container
        // the path may be that of the host, which isn't there.
        let path = Path::new(path.trim_start_matches('/'));
        for group in path.ancestors().map(|group| folder.join(group)).collect::<Vec<PathBuf>>() {
            let Some(limit) = number(&group.join(limit)) else { continue };
            let held = keyed_number(&group.join(held), key).unwrap_or(0);
            left.push(limit.saturating_sub(held));
        }
    }
    left
}

/// The number that a file holds; none for "max".
fn number(path: &Path) -> Option<u64> {
    std::fs::read_to_string(path).ok()?.trim().parse().ok()
}

/// The number after a key at the beginning of a line.
fn keyed_number(path: &Path, key: &str) -> Option<u64> {
    let text = std::fs::read_to_string(path).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix([' ', ':', '\t']))?;
    line.trim().trim_end_matches(" kB").trim().parse().ok()
}

/// What the limits of the process on its address space and its data leave.
#[cfg(unix)]
fn in_limits() -> Vec<u64> {
    let status = Path::new("/proc/self/status");
    let limits = [(rlimit::Resource::AS, "VmSize"), (rlimit::Resource::DATA, "VmData")];
    let left = |(resource, held): (rlimit::Resource, &str)| {
        let (soft, _) = resource.get().ok().filter(|(soft, _)| *soft != rlimit::INFINITY)?;
        let held = keyed_number(status, held).map_or(0, |kilobytes| kilobytes * 1024);
        Some(soft.saturating_sub(held).saturating_sub(SPARED))
    };
    limits.into_iter().filter_map(left).collect()
}

#[cfg(not(unix))]
fn in_limits() -> Vec<u64> {
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, text: &str) {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, text).expect("written");
    }

    #[test]
    fn the_machine_says_how_much_memory_it_has() {
        let available = available_memory().expect("Linux, macOS and Windows say it");
        assert!(available > 1 << 20, "{available}");
    }

    #[test]
    fn limits_of_every_group_on_the_way_up_count_in_both_versions() {
        let folder = tempfile::tempdir().expect("a folder");
        let (root, membership) = (folder.path().join("groups"), folder.path().join("membership"));
        write(&membership, "0::/user/task\n");
        assert_eq!(in_groups(&membership, &root), Vec::<u64>::new(), "no limit");
        write(&root.join("user/task/memory.max"), "max\n");
        write(&root.join("user/memory.max"), "3000\n");
        write(&root.join("user/memory.stat"), "anon 1000\nfile 5000\n");
        write(&root.join("memory.max"), "9000\n");
        assert_eq!(in_groups(&membership, &root), [2000, 9000]);
        write(&membership, "5:cpu,memory:/docker/ab\n4:cpu:/docker/ab\n");
        write(&root.join("memory/docker/ab/memory.limit_in_bytes"), "700\n");
        write(&root.join("memory/docker/ab/memory.stat"), "rss 1\ntotal_rss 800\n");
        assert_eq!(in_groups(&membership, &root), [0], "nothing is left");
    }
}
