//! dom_smoothie as a peer: answers the lines of `scripts/measure/peers.d/process.py`.
//!
//! A line `{"html"}` on standard input, a line `{"text","seconds"}` or `{"error","seconds"}` on standard output;
//! `seconds` is the CPU time of this process in the extraction alone.

use std::{
    error::Error,
    io::{BufRead, Write},
};

use cpu_time::ProcessTime;
use dom_smoothie::{Config, Readability, ReadabilityError, TextMode};
use serde::{Deserialize, Serialize};

#[derive(Deserialize)]
struct Page {
    html: String,
}

#[derive(Serialize)]
struct Answer {
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    seconds: f64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let page: Page = serde_json::from_str(&line?)?;
        serde_json::to_writer(&mut out, &answer(page.html))?;
        out.write_all(b"\n")?;
        out.flush()?;
    }
    Ok(())
}

fn answer(html: String) -> Answer {
    let start = ProcessTime::now();
    let extracted = extract(html);
    let seconds = start.elapsed().as_secs_f64();
    let (text, error) = match extracted {
        Ok(text) => (Some(text), None),
        Err(error) => (None, Some(error.to_string())),
    };
    Answer { text, error, seconds }
}

/// The text of the article. `Formatted`, since `Raw` runs the last word of a paragraph into the
/// first of the next.
fn extract(html: String) -> Result<String, ReadabilityError> {
    let config = Config { text_mode: TextMode::Formatted, ..Config::default() };
    let article = Readability::new(html, None, Some(config))?.parse()?;
    Ok(article.text_content.to_string())
}
