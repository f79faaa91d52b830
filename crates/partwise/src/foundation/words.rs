//! Numbers and lists in words, for messages.

/// "720 GB", "1.2 MB": three digits at most, in powers of 1000.
#[doc(hidden)]
pub fn in_words(bytes: u64) -> String {
    let units = ["bytes", "kB", "MB", "GB", "TB", "PB", "EB"];
    let (mut value, mut at) = (bytes as f64, 0);
    while value >= 999.5 && at + 1 < units.len() {
        (value, at) = (value / 1000.0, at + 1);
    }
    let digits = if at == 0 || value >= 99.5 { 0 } else { 1 };
    format!("{value:.digits$} {}", units[at])
}

/// "3, 17, 20 and 4 more".
pub(crate) fn list_indices(indices: &[usize]) -> String {
    const SHOWN: usize = 10;
    let shown: Vec<String> = indices.iter().take(SHOWN).map(usize::to_string).collect();
    match indices.len().checked_sub(SHOWN) {
        Some(more) if more > 0 => format!("{} and {more} more", shown.join(", ")),
        _ => shown.join(", "),
    }
}
