//! Credentials from the file of the AWS command line (`~/.aws/credentials`): one section of `key = value` lines per profile.

use std::collections::BTreeMap;
use std::path::PathBuf;

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct AwsProfile {
    pub(crate) access_key_id: String,
    pub(crate) secret_access_key: String,
    pub(crate) session_token: Option<String>,
}

/// Reads the profile that `AWS_PROFILE` names, or else `default`; `None` if the file or the profile does not exist.
pub(crate) fn profile() -> Option<AwsProfile> {
    let named = std::env::var_os("AWS_SHARED_CREDENTIALS_FILE").map(PathBuf::from);
    let file = named.or_else(|| {
        Some(PathBuf::from(std::env::var_os("HOME")?).join(".aws").join("credentials"))
    })?;
    let name = std::env::var("AWS_PROFILE").unwrap_or_else(|_| "default".to_owned());
    read(&std::fs::read_to_string(file).ok()?, &name)
}

fn read(text: &str, name: &str) -> Option<AwsProfile> {
    let is_own =
        |line: &str| line.strip_prefix('[')?.strip_suffix(']').map(|own| own.trim() == name);
    let mut values = BTreeMap::new();
    let mut within = false;
    for line in text.lines().map(str::trim) {
        if let Some(own) = is_own(line) {
            within = own;
        } else if within && let Some((key, value)) = line.split_once('=') {
            values.insert(key.trim(), value.trim().to_owned());
        }
    }
    Some(AwsProfile {
        access_key_id: values.remove("aws_access_key_id")?,
        secret_access_key: values.remove("aws_secret_access_key")?,
        session_token: values.remove("aws_session_token"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_are_read_by_name() {
        let text = "[default]\naws_access_key_id = A\naws_secret_access_key=B\n\n[ other ]\n\
                    aws_access_key_id = C\naws_secret_access_key = D=\naws_session_token = E\n[none]\n";
        let profile = |name| read(text, name).map(|own| (own.access_key_id, own.secret_access_key));
        assert_eq!(profile("default"), Some(("A".to_owned(), "B".to_owned())));
        assert_eq!(profile("other"), Some(("C".to_owned(), "D=".to_owned())));
        assert_eq!(read(text, "other").unwrap().session_token.as_deref(), Some("E"));
        assert_eq!((profile("none"), profile("nobody")), (None, None));
    }
}
