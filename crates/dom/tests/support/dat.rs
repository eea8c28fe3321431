//! Reads `.dat` files.

use std::path::PathBuf;

/// The folder of the checkout of html5lib-tests that `HTML5LIB_TESTS` names.
pub(crate) fn html5lib_tests() -> PathBuf {
    let folder = std::env::var_os("HTML5LIB_TESTS").map(PathBuf::from);
    let folder = folder.expect("HTML5LIB_TESTS names no checkout of html5lib-tests");
    assert!(folder.join("tree-construction").is_dir(), "no html5lib-tests: {}", folder.display());
    folder
}

/// One case of a `.dat` file.
#[derive(Default)]
pub(crate) struct Case {
    pub(crate) data: String,
    pub(crate) document: String,
    pub(crate) fragment: bool,
    pub(crate) script_on: bool,
}

/// The cases of a file. A section begins with a line `#name`; a case with `#data`.
pub(crate) fn cases(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut section = "";
    for line in text.split('\n') {
        // `#data` begins a case only at the start of the file or after an empty line.
        let starts_case = line == "#data" && section != "#data";
        if starts_case {
            cases.push(Case::default());
            section = "#data";
            continue;
        }
        let Some(case) = cases.last_mut() else { continue };
        match line {
            "#errors" | "#new-errors" | "#document" => section = line,
            "#document-fragment" => {
                case.fragment = true;
                section = line;
            }
            "#script-on" => case.script_on = true,
            "#script-off" => {}
            _ => {
                let target = match section {
                    "#data" => &mut case.data,
                    "#document" => &mut case.document,
                    _ => continue,
                };
                target.push_str(line);
                target.push('\n');
            }
        }
    }
    for case in &mut cases {
        case.data.pop();
    }
    cases
}
