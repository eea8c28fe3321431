//! Error messages with their causes, in one line.

/// An error and its causes, joined by colons. Some errors include their cause in their own message: it is not
/// repeated.
pub fn error_chain(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if text.is_empty() {
            text = cause;
        } else if !text.ends_with(&cause) {
            text.push_str(": ");
            text.push_str(&cause);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::path::Path;

    use super::*;

    #[test]
    fn no_cause_is_told_twice() {
        let error = sink::AtomicFile::create(Path::new("/nowhere/at/all.csv")).unwrap_err();
        let error = anyhow::Error::new(error).context("5 of 6 sites are kept");
        let text = error_chain(&error);
        assert_eq!(text.matches("No such file").count(), 1, "{text}");
        assert!(text.starts_with("5 of 6 sites are kept: cannot create /nowhere/at/"), "{text}");
        let plain = anyhow::Error::new(io::Error::other("full")).context("cannot write a");
        assert_eq!(error_chain(&plain), "cannot write a: full");
    }
}
