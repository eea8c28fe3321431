//! Repairs damaged JSON.

/// Repairs JSON that templates and scripts wrote: raw control characters and quotes in strings, unknown escapes, halves of
/// surrogate pairs, trailing commas. Returns the repaired text, and the quotation mark and brackets that are missing at its end. One
/// pass, linear in the text.
pub fn repair_json(text: &str) -> (String, String) {
    let mut out = String::with_capacity(text.len() + 16);
    let mut closers = Vec::new();
    let mut in_string = false;
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        let rest = &text[at + c.len_utf8()..];
        if in_string {
            match c {
                '\\' => match rest.chars().next() {
                    Some(next @ ('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't')) => {
                        out.extend(['\\', next]);
                        chars.next();
                    }
                    Some('u') if escaped_unit(rest).is_some() => {
                        let pair = rest[5..].strip_prefix('\\').and_then(escaped_unit);
                        let (escape, length) = match (escaped_unit(rest), pair) {
                            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => (&rest[..11], 11),
                            (Some(0xd800..=0xdfff), _) => ("ufffd", 5),
                            _ => (&rest[..5], 5),
                        };
                        out.push('\\');
                        out.push_str(escape);
                        chars.nth(length - 1);
                    }
                    Some('\'') => {}
                    _ => out.push_str("\\\\"),
                },
                '"' if ends_string(rest) => {
                    in_string = false;
                    out.push('"');
                }
                '"' => out.push_str("\\\""),
                '\n' => out.push_str("\\n"),
                c if c.is_control() => out.push(' '),
                c => out.push(c),
            }
            continue;
        }
        match c {
            '"' => in_string = true,
            '{' => closers.push('}'),
            '[' => closers.push(']'),
            '}' | ']' => {
                closers.pop();
            }
            ',' if rest.trim_start().starts_with(['}', ']', ',']) => continue,
            _ => {}
        }
        out.push(c);
    }
    let quote = in_string.then_some('"');
    (out, quote.into_iter().chain(closers.into_iter().rev()).collect())
}

/// The UTF-16 unit of an escape without its backslash: "u00e9".
fn escaped_unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix('u')?.get(..4)?;
    let is_hexadecimal = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hexadecimal.then(|| u16::from_str_radix(digits, 16).ok())?
}

/// Whether a quote followed by `rest` ends its string: JSON syntax follows.
fn ends_string(rest: &str) -> bool {
    let rest = rest.trim_start();
    match rest.as_bytes().first() {
        None | Some(b':' | b'}' | b']') => true,
        Some(b',') => {
            let after = rest[1..].trim_start();
            after.is_empty()
                || after.starts_with(['"', '{', '[', '}', ']', '-'])
                || after.starts_with(|c: char| c.is_ascii_digit())
                || ["true", "false", "null"].iter().any(|word| after.starts_with(word))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    #[test]
    fn halves_of_pairs_and_odd_escapes_are_repaired() {
        let read = |text: &str| serde_json::from_str::<Value>(&repair_json(text).0).unwrap();
        assert_eq!(
            read(r#"{"a": "x\ud83d", "b": "\ud83d\ude00 \u00e9",}"#),
            json!({"a": "x\u{fffd}", "b": "😀 é"})
        );
        assert_eq!(
            read("{\"a\": \"one\ntwo \\' \\x \"three\" \"}"),
            json!({"a": "one\ntwo ' \\x \"three\" "})
        );
    }

    proptest! {
        #[test]
        fn valid_json_stays_as_it_is(text in "[a-zé😀\n\" ,{}:\\\\]{0,12}", number in any::<i32>()) {
            let value = json!({"a": [number, {"b": number, "c": null}, [], true], "d": {}, "e": text.replace('"', "'")});
            let written = value.to_string();
            prop_assert_eq!(repair_json(&written), (written.clone(), String::new()));
        }

        #[test]
        fn nothing_panics(text in "[\\[\\]{}:,\"\\\\a-fu0-9 \n\u{1}é'/]{0,200}") {
            repair_json(&text);
        }
    }
}
