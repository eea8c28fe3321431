//! The help of every command.

use super::program::{call, parts, sitegrove};

/// Every command and subcommand, as arguments.
pub(crate) fn all_commands() -> Vec<Vec<String>> {
    let below = |of: &[String]| -> Vec<Vec<String>> {
        let arguments: Vec<&str> = of.iter().map(String::as_str).chain(["--help"]).collect();
        let (_, help, _) = parts(&call(&arguments));
        let listed = help.lines().skip_while(|l| *l != "Commands:").skip(1);
        let names = listed.take_while(|l| !l.is_empty()).filter_map(|l| l.strip_prefix("  "));
        let names = names.filter(|l| !l.starts_with(' ')).filter_map(|l| l.split(' ').next());
        names.filter(|name| *name != "help").map(|name| [of, &[name.to_owned()]].concat()).collect()
    };
    let mut all = below(&[]);
    let nested: Vec<_> = all.iter().flat_map(|of| below(of)).collect();
    all.extend(nested);
    all
}

/// Checks that the lines of a command's help are filled, at two widths of a terminal.
pub(crate) fn assert_help_is_not_ragged(command: &[String]) {
    let indent = |line: &str| line.len() - line.trim_start().len();
    for columns in [80, 120] {
        let mut asked = sitegrove();
        asked.args(command).arg("--help").env("COLUMNS", columns.to_string());
        let (_, help, _) = parts(&asked.output().unwrap());
        let width = columns.min(100);
        let lines: Vec<&str> = help.lines().collect();
        for line in &lines {
            let one_word = !line.trim_start().contains(' ');
            let fits = one_word || line.chars().count() <= width;
            assert!(fits, "{command:?} at {columns}: {line}");
        }
        for pair in lines.windows(2) {
            let (line, next) = (pair[0], pair[1]);
            let begins = ["sitegrove", "-", "[", "Usage", "Example"];
            let apart = next.trim().is_empty()
                || line.trim().is_empty()
                || indent(line) != indent(next)
                || line.trim_end().ends_with(':')
                || indent(next) == 2
                || begins.iter().any(|begin| next.trim_start().starts_with(begin));
            // Examples are not wrapped, but broken as a shell reads them.
            let is_example = ["  sitegrove", "  curl "].iter().any(|own| line.starts_with(own));
            let broken = is_example && indent(next) <= 2 && !next.trim().is_empty();
            let begun = ["  sitegrove", "  curl "].iter().any(|own| next.starts_with(own));
            assert!(!broken || begun, "{command:?} at {columns}:\n{line}\n{next}");
            let word = next.split_whitespace().next().unwrap_or_default();
            let room = line.chars().count() + 1 + word.chars().count() <= width;
            assert!(apart || !room, "{command:?} at {columns} is ragged:\n{line}\n{next}");
        }
    }
}

/// Checks that a command has the option `--format` with JSON, and those of messages.
pub(crate) fn assert_has_one_format(command: &[String]) {
    let name = command.join(" ");
    let arguments: Vec<&str> = command.iter().map(String::as_str).chain(["--help"]).collect();
    let (_, help, _) = parts(&call(&arguments));
    assert!(!help.contains("--json"), "{name}: {help}");
    if help.contains("\nCommands:") {
        return;
    }
    let format = help.split("--format <FORMAT>").nth(1);
    let format = format.unwrap_or_else(|| panic!("{name} has no --format\n{help}"));
    assert!(format.contains("json"), "{name}: {help}");
    for option in ["-q, --quiet", "-v, --verbose"] {
        assert!(help.contains(option), "{name} lacks {option}");
    }
}
