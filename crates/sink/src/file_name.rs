//! Site keys as file names that are valid on any system.

use xxhash_rust::xxh3::xxh3_64;

/// The file name (without extension) for a site key. Letters, digits, dots, hyphens and underscores
/// are kept, all other bytes become `%` and two hex digits. Names that a system reserves, and
/// hidden or overlong ones, get a prefix or a hash. So different sites have different names, and
/// none leaves its folder.
pub fn site_file_name(site: &str) -> String {
    let mut name = String::with_capacity(site.len());
    for byte in site.bytes() {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-' | b'_' => name.push(byte as char),
            _ => name.push_str(&format!("%{byte:02x}")),
        }
    }
    let stem = name.split('.').next().unwrap_or_default();
    let reserved = matches!(stem, "con" | "prn" | "aux" | "nul")
        || (stem.len() == 4
            && (stem.starts_with("com") || stem.starts_with("lpt"))
            && stem.ends_with(|c: char| c.is_ascii_digit()));
    if reserved || name.is_empty() || name.starts_with(['.', '-']) || name.ends_with('.') {
        name = format!("%site-{name}%");
    }
    if name.len() > 120 {
        name = format!("{}%{:016x}", &name[..100], xxh3_64(site.as_bytes()));
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_in_their_folder_and_apart() {
        assert_eq!(site_file_name("news.example.co.uk"), "news.example.co.uk");
        assert_eq!(site_file_name("../../etc/passwd"), "%site-..%2f..%2fetc%2fpasswd%");
        assert_eq!(site_file_name("a:b\\c"), "a%3ab%5cc");
        assert_eq!(site_file_name("[::1]"), "%5b%3a%3a1%5d");
        assert_eq!(site_file_name("con.example"), "%site-con.example%");
        assert_eq!(site_file_name("com1.example"), "%site-com1.example%");
        assert_eq!(site_file_name("lpt9"), "%site-lpt9%");
        for allowed in ["comb.example", "abc1.example", "com12.example", "compose.example"] {
            assert_eq!(site_file_name(allowed), allowed);
        }
        assert_eq!(site_file_name(""), "%site-%");
        assert_eq!(site_file_name(&"x".repeat(120)), "x".repeat(120));
        assert_ne!(site_file_name("A"), site_file_name("a"));
        let long = "x".repeat(300);
        assert!(site_file_name(&long).len() <= 120);
        assert_ne!(site_file_name(&long), site_file_name(&"x".repeat(301)));
    }
}
