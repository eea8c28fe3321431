//! What must hold for any bytes: called by the fuzz targets, and by `pipeline/tests/program/corpus.rs` on
//! the inputs in `fuzz/corpus`.
#![allow(dead_code)] // Each target calls one of them.

use std::io::Read;

use archive::{Fault, Format, Limits, Record, RecordReader, Response};

/// Small limits reach the rare paths with small inputs.
const SMALL: Limits = Limits { record_bytes: 4000, head_bytes: 2000, member_bytes: 700, ratio: 50 };

/// Largest decoded payload here.
const PAYLOAD: usize = 1 << 20;

/// An archive is read to its end, in the same way whatever the reads bring; offsets do not go back.
pub(crate) fn records(bytes: &[u8]) {
    Format::sniff(bytes);
    let Some((&first, bytes)) = bytes.split_first() else { return };
    let limits = if first & 1 == 0 { SMALL } else { Limits::USUAL };
    let whole = read(bytes, &limits);
    let most = usize::from(first >> 1) + 1;
    let sliced = read(Sliced { bytes, most }, &limits);
    assert_eq!(whole, sliced, "reads of up to {most} bytes give something else");
    let mut offset = 0;
    for record in &whole.0 {
        assert!(record.offset >= offset, "{} after {offset}", record.offset);
        assert!(record.body.len() as u64 <= limits.record_bytes);
        offset = record.offset;
    }
}

fn read(reader: impl Read, limits: &Limits) -> (Vec<Record>, Vec<Fault>) {
    let (mut records, mut faults) = (Vec::new(), Vec::new());
    for item in RecordReader::new(reader, limits) {
        match item {
            Ok(record) => records.push(record),
            Err(fault) => faults.push(fault),
        }
        assert!(records.len() + faults.len() < 1 << 20, "no end");
    }
    (records, faults)
}

/// Gives at most so many bytes at a time.
struct Sliced<'a> {
    bytes: &'a [u8],
    most: usize,
}

impl Read for Sliced<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let most = self.most.min(buffer.len());
        self.bytes.read(&mut buffer[..most])
    }
}

/// A response's head ends within its block, and its payload keeps to the limit.
pub(crate) fn http(block: &[u8]) {
    if let Ok(response) = Response::parse(block) {
        assert!(response.body <= block.len());
        response.location();
        let kind = response.get("content-type").map(str::to_owned);
        if let Ok((body, _)) = response.into_body(block.to_vec(), PAYLOAD) {
            assert!(body.len() <= PAYLOAD);
            archive::sniff_html(kind.as_deref(), &body);
        }
    }
}

/// A page is decoded and parsed; its tree is no larger than allowed, and can be written out. What is written
/// has nothing that runs.
pub(crate) fn page(bytes: &[u8]) {
    const LABELS: [Option<&str>; 8] = [
        None,
        Some("utf-8"),
        Some("gb2312"),
        Some("shift_jis"),
        Some("utf-16"),
        Some("windows-1251"),
        Some("x-user-defined"),
        Some("iso-2022-jp"),
    ];
    let Some((&first, bytes)) = bytes.split_first() else { return };
    archive::sniff_html(None, bytes);
    let hints = charset::CharsetHints {
        http_charset: LABELS[usize::from(first & 7)],
        url: Some("https://a.example.ru/"),
        ..charset::CharsetHints::default()
    };
    let (html, _) = charset::decode(bytes.to_vec(), &hints);
    let document = dom::parse(&html);
    assert!(document.len() <= 4 * html.len() + 4096, "{} nodes", document.len());
    for id in document.ids() {
        assert!(document.node(id).parent <= id);
    }
    dom::text_of(&document, &[0], &[]);
    if let Ok(base) = url::Url::parse("https://a.example/") {
        let Some(region) = region::region_of(&document, &[0], &[], &base) else { return };
        let fragment = region.html();
        region.markdown(&base);
        assert!(!fragment.to_ascii_lowercase().contains("<script"), "{fragment}");
        let again = dom::parse(&fragment);
        for element in again.ids().filter_map(|id| again.element(id)) {
            for (name, value) in element.attributes() {
                let address = matches!(
                    &**name,
                    "href"
                        | "src"
                        | "srcset"
                        | "cite"
                        | "poster"
                        | "action"
                        | "formaction"
                        | "data"
                );
                let bare: String = value.chars().filter(|c| *c > ' ').collect();
                let runs = address && bare.to_ascii_lowercase().starts_with("javascript:");
                assert!(!runs && !name.starts_with("on"), "{name}={value} in {fragment}");
            }
        }
    }
}

/// Our tokenizer and html5ever's own make the same tree of any page.
pub(crate) fn tokens(bytes: &[u8]) {
    let html = String::from_utf8_lossy(bytes);
    for keep in [dom::Keep::Scripts, dom::Keep::Content] {
        let config = dom::ParseOptions { keep, ..dom::ParseOptions::CONTENT };
        let ours = dom::parse_with(&html, &config);
        let theirs = dom::parse_by_html5ever(&html, &config);
        assert!(ours.same_tree(&theirs), "{html:?}");
    }
}

/// A feed is read or refused; links lead to the web. Its dates and names are read as those of a page are.
pub(crate) fn feed(bytes: &[u8]) {
    let source =
        ::feed::FeedSource { id: "a", url: Some("https://a.example/feed"), http_charset: None };
    let document = dom::parse("<p>Text");
    if let Ok(feed) = ::feed::parse(bytes, &source, 1 << 20) {
        for item in feed.items.iter().take(100) {
            let link = item.link.trim_start().to_ascii_lowercase();
            assert!(link.starts_with("http:") || link.starts_with("https:"), "{link}");
            let fields = ::metadata::metadata(&::metadata::PageContext {
                feed_items: &[item],
                ..::metadata::PageContext::new(&document, "https://a.example/")
            });
            let mut dates = fields.published.iter().map(|field| &field.value);
            assert!(dates.all(|date| date.is_ascii() && date.len() >= 10));
            let mut names = fields.authors.iter().flat_map(|field| &field.value);
            assert!(names.all(|name| !name.trim().is_empty() && !name.contains("{{")));
        }
    }
}

/// A wrapper file (up to a line `<<<`) is read, printed and read again as the same; it is compiled, and
/// applied to a page (the rest): what it selects and takes out is in order and of the page.
pub(crate) fn site_config(bytes: &[u8]) {
    use ::wrapper::site_config::{SiteConfig, apply, compile};
    let text = String::from_utf8_lossy(bytes);
    let (file, html) = text.split_once("\n<<<\n").unwrap_or((&text, "<p>a</p>"));
    let config = SiteConfig::parse(file);
    assert_eq!(SiteConfig::parse(&config.to_string()), config);
    let (wrapper, findings) = compile(&config);
    assert!(findings.iter().all(|f| (1..=config.lines().len()).contains(&f.line)));
    let (document, applied) = apply(html, &wrapper, &dom::ParseOptions::CONTENT);
    for id in document.ids() {
        let node = document.node(id);
        assert!(node.parent <= id && node.end > id && node.end as usize <= document.len());
    }
    let nodes = applied.body.map_or_else(Vec::new, |(_, nodes)| nodes);
    for selected in [&nodes, &applied.removed] {
        assert!(selected.is_sorted_by(|a, b| a < b), "{selected:?}");
        assert!(selected.iter().all(|&id| (id as usize) < document.len()));
    }
    dom::text_of(&document, &nodes, &applied.removed);
}

/// An expression (the first line) is read, printed and read again, and what it selects on a page
/// (the rest) is in document order and matches its last step.
pub(crate) fn wrapper(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (expression, html) = text.split_once('\n').unwrap_or((&text, ""));
    let Ok(path) = expression.parse::<dom::xpath::Path>() else { return };
    let printed = path.to_string();
    assert_eq!(printed.parse().as_ref(), Ok(&path), "{printed}");
    let document = dom::parse(html);
    let selected = path.select(&document);
    assert!(selected.is_sorted_by(|a, b| a < b), "{selected:?}");
    if let Some(last) = path.steps.last() {
        assert!(selected.iter().all(|id| last.matches(&document, *id)), "{printed}");
    }
    let outermost = ::wrapper::select(std::slice::from_ref(&path), &document);
    assert!(outermost.iter().all(|id| selected.contains(id)));
}

/// Bytes of a model give one or an error; what is read back is written as it was read, and applied to a page
/// without a panic. Checksums are set right, so that what is behind them is reached.
pub(crate) fn model(bytes: &[u8]) {
    is_model(bytes);
}

/// The same; says whether they gave a model.
pub(crate) fn is_model(bytes: &[u8]) -> bool {
    let mut bytes = bytes.to_vec();
    let mut at = 12;
    while let Some(head) = bytes.get(at..at + 20) {
        let length = u64::from_le_bytes(std::array::from_fn(|i| head[4 + i]));
        let Some(end) = usize::try_from(length).ok().and_then(|n| n.checked_add(at + 20)) else {
            break;
        };
        let Some(payload) = bytes.get(at + 20..end) else { break };
        let checksum = xxhash_rust::xxh3::xxh3_64(payload).to_le_bytes();
        bytes[at + 12..at + 20].copy_from_slice(&checksum);
        at = end;
    }
    let Ok(model) = sitemodel::SiteModel::from_bytes(&bytes) else { return false };
    let again = model.to_bytes();
    let back = sitemodel::SiteModel::from_bytes(&again).expect("what was written is read");
    assert!(back.to_bytes() == again, "other bytes come of the same model");
    let page = page_of("<body><div id=main class=post><h1>One</h1><p>Some words here.</div>");
    let settings = sitemodel::Settings::standard();
    let _ = model.fits(&settings);
    let _ = model.apply(&page, &[], &settings);
    true
}

pub(crate) fn page_of(html: &str) -> ::model::Page {
    ::model::Page {
        url: "https://example.org/a/one".into(),
        site: "example.org".into(),
        fetched: None,
        origin: ::model::Origin {
            file: "a".into(),
            offset: 0,
            record_id: String::new(),
            truncated: None,
        },
        charset: ::model::Charset {
            name: "UTF-8",
            evidence: ::model::CharsetEvidence::ValidUtf8,
            overruled: ::model::Overruled::default(),
        },
        notes: None,
        html: html.into(),
    }
}
