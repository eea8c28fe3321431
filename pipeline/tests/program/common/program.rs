//! The real binary, isolated from the developer's environment.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::Duration;

use assert_cmd::Command;
use serde_json::Value;

use super::results::{Results, parse};

/// The binary under test: the program, or the lab, which has the command `run` as well.
pub(crate) const PATH: &str =
    match (option_env!("CARGO_BIN_EXE_sitegrove"), option_env!("CARGO_BIN_EXE_sitegrove-lab")) {
        (Some(path), _) | (None, Some(path)) => path,
        (None, None) => panic!("cargo names no binary"),
    };

/// The folder of the repository.
pub(crate) fn repository() -> PathBuf {
    let mut above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    above.find(|folder| folder.join("Cargo.lock").exists()).unwrap().to_owned()
}

/// A file or folder of the repository, e.g. `data/crawl`.
pub(crate) fn in_repository(path: &str) -> PathBuf {
    repository().join(path)
}

/// The binary, ready for arguments; a hang is a failure.
pub(crate) fn sitegrove() -> Command {
    let mut command = Command::new(PATH);
    command.env_remove("RUST_LOG").env_remove("NO_COLOR").timeout(Duration::from_secs(300));
    command
}

/// Calls the binary with these arguments.
pub(crate) fn call<S: AsRef<OsStr>>(arguments: &[S]) -> Output {
    sitegrove().args(arguments).output().unwrap()
}

/// Exit code, standard output and standard error.
pub(crate) fn parts(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

/// What a command that must have succeeded wrote to its standard output.
#[track_caller]
pub(crate) fn succeeded(output: &Output) -> String {
    let (code, stdout, stderr) = parts(output);
    assert_eq!(code, 0, "{stdout}\n{stderr}");
    stdout
}

/// What a command that must have refused its arguments or inputs wrote to its standard error.
#[track_caller]
pub(crate) fn refused(output: &Output) -> String {
    let (code, stdout, stderr) = parts(output);
    assert_eq!(code, 2, "{stdout}\n{stderr}");
    stderr
}

/// Calls the binary with arguments with which it must succeed; its standard output.
#[track_caller]
pub(crate) fn succeed<S: AsRef<OsStr>>(arguments: &[S]) -> String {
    succeeded(&call(arguments))
}

/// Calls the binary with arguments that it must refuse; its standard error.
#[track_caller]
pub(crate) fn refuse<S: AsRef<OsStr>>(arguments: &[S]) -> String {
    refused(&call(arguments))
}

/// The lines of JSON that the binary prints with these arguments; must succeed.
#[track_caller]
pub(crate) fn json_lines(arguments: &[&str]) -> Vec<Value> {
    succeed(arguments).lines().map(parse).collect()
}

/// A path as an argument among others.
pub(crate) fn word(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Writes a file into a folder; its path.
pub(crate) fn write_file(
    folder: impl AsRef<Path>,
    name: impl AsRef<Path>,
    content: impl AsRef<[u8]>,
) -> PathBuf {
    let path = folder.as_ref().join(name);
    std::fs::write(&path, content).unwrap();
    path
}

/// Runs a check of `scripts/check` in Chromium on the path that an option names; fails without Chromium.
pub(crate) fn check_in_browser(name: &str, option: &str, path: &Path) {
    let mut command = std::process::Command::new(in_repository("scripts/check/run"));
    let checked = command.args(["--gate", "-k", name, option]).arg(path).output().unwrap();
    let (code, found, messages) = parts(&checked);
    assert!(code == 0 && found.contains(" passed"), "{found}\n{messages}");
}

/// `sitegrove run` on these inputs with further arguments; must succeed.
pub(crate) fn run(inputs: &[&Path], out: &Path, more: &[&str]) -> Results {
    let output =
        sitegrove().arg("run").args(inputs).arg("--out").arg(out).args(more).output().unwrap();
    succeeded(&output);
    Results::read(out)
}
