//! dom_smoothie as a peer: a line with a page as a JSON string on standard input, a line `{"text","error","seconds"}` on standard
//! output. `seconds` is the CPU time of this process in the extraction alone.

use std::io::BufRead;

use cpu_time::ProcessTime;
use dom_smoothie::{Config, Readability, ReadabilityError, TextMode};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for line in std::io::stdin().lock().lines() {
        let html: String = serde_json::from_str(&line?)?;
        let start = ProcessTime::now();
        let extracted = extract(html);
        let seconds = start.elapsed().as_secs_f64();
        let error = extracted.as_ref().err().map(ToString::to_string);
        println!("{}", serde_json::json!({"text": extracted.ok(), "error": error, "seconds": seconds}));
    }
    Ok(())
}

/// The text of the article. `Formatted`, since `Raw` runs the last word of a paragraph into the first of the next.
fn extract(html: String) -> Result<String, ReadabilityError> {
    let config = Config { text_mode: TextMode::Formatted, ..Config::default() };
    let article = Readability::new(html, None, Some(config))?.parse()?;
    Ok(article.text_content.to_string())
}
