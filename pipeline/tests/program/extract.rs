//! `sitegrove extract`: articles of a few pages.

use std::fs;
use std::path::PathBuf;

use crate::common::crawl::Crawl;
use crate::common::program::{
    call, in_repository, parts, repository, sitegrove, succeeded, write_file,
};
use crate::common::prose;
use crate::common::results::{parse, text};

const ALMANAC: &str = "data/pages/lighthouse-almanac.example";

fn page(name: &str) -> String {
    in_repository(ALMANAC).join(name).to_string_lossy().into_owned()
}

fn siblings() -> Vec<String> {
    ["letters-to-a-rock.html", "closing-note.html", "oil-whale-to-vapour.html"].map(page).into()
}

/// Gold text of the almanac by file name.
fn gold(file: &str) -> String {
    let lines = fs::read_to_string(repository().join("data/gold.jsonl")).unwrap();
    let of_file = lines
        .lines()
        .map(parse)
        .find(|page| page["file"].as_str().is_some_and(|path| path.ends_with(file)));
    text(&of_file.unwrap(), "gold_text").to_owned()
}

fn extract(arguments: &[&str], pages: &[String]) -> (i32, String, String) {
    let arguments: Vec<&str> = ["extract"]
        .iter()
        .chain(arguments)
        .copied()
        .chain(pages.iter().map(String::as_str))
        .collect();
    parts(&call(&arguments))
}

#[test]
fn text_shows_title_path_and_text() {
    let (code, stdout, stderr) = extract(&[], &siblings());
    assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
    for file in ["letters-to-a-rock.html", "closing-note.html", "oil-whale-to-vapour.html"] {
        assert!(stdout.contains(file), "{file} is not named\n{stdout}");
        let first = gold(file);
        let first = first.split("\n\n").next().unwrap();
        assert!(stdout.contains(first), "{file} lacks its first paragraph: {first}\n{stdout}");
    }
    assert_eq!(stdout.lines().filter(|l| l.starts_with("# ")).count(), 3, "{stdout}");
    assert!(stdout.contains("//"), "no XPath is shown\n{stdout}");
    assert!(stdout.contains("\nAgnes Tolliver; 2024-08-08\n"), "no author and date\n{stdout}");
}

#[test]
fn json_is_as_in_a_run() {
    let (code, stdout, stderr) = extract(&["--format", "json"], &siblings());
    assert_eq!((code, stderr.as_str()), (0, ""));
    let articles: Vec<_> = stdout.lines().map(parse).collect();
    assert_eq!(articles.len(), 3);
    for article in &articles {
        assert_eq!(article["schema"], 1);
        assert_eq!(article["engine"], "grove");
        assert_eq!(article["site"], "lighthouse-almanac.example");
        assert!(!text(article, "title").is_empty() && !text(article, "text").is_empty());
    }
}

#[test]
fn html_is_a_fragment() {
    let (code, stdout, _) = extract(&["--format", "html"], &siblings());
    assert_eq!(code, 0);
    assert!(stdout.contains("<p>") && !stdout.contains("<body") && !stdout.contains("<script"));
}

#[test]
fn markdown_has_the_titles_and_the_words() {
    let (code, stdout, stderr) = extract(&["--format", "markdown"], &siblings());
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(stdout.lines().filter(|l| l.starts_with("# ")).count(), 3, "{stdout}");
    // Its first paragraph ends with the one emphasis in it.
    let text = gold("letters-to-a-rock.html");
    let emphasised = "To the Gentlemen of the Light";
    let first = text.split("\n\n").next().unwrap();
    let marked = first.replace(emphasised, &format!("*{emphasised}*"));
    assert_ne!(first, marked);
    assert!(stdout.contains(&marked), "{stdout}");
    // Not in the records unless requested.
    let (_, json, _) = extract(&["--format", "json"], &siblings());
    let articles: Vec<_> = json.lines().map(parse).collect();
    assert_eq!(articles.len(), 3);
    assert!(articles.iter().all(|article| article.get("markdown").is_none()));
}

#[test]
fn one_page_alone_is_read_page_wise() {
    let (code, stdout, stderr) = extract(&["--format", "json"], &siblings()[..1]);
    assert_eq!(code, 0, "{stderr}");
    let article = parse(stdout.trim());
    assert_eq!(article["route"], "page-wise");
    assert_eq!(article["engine"], "grove");
    let first = gold("letters-to-a-rock.html");
    assert!(text(&article, "text").contains(first.split("\n\n").next().unwrap()), "{article}");
}

#[test]
fn engines_by_name() {
    for engine in ["forest", "coverage", "forest-j", "forest-u"] {
        let (code, stdout, stderr) =
            extract(&["--format", "json", "--engine", engine], &siblings());
        assert_eq!(code, 0, "{engine}: {stderr}");
        assert_eq!(stdout.lines().count(), 3, "{engine}: {stdout}");
        assert!(stdout.lines().all(|l| parse(l)["engine"] == engine), "{engine}: {stdout}");
    }
    for engine in ["words-leaves", "euclid", "blocks", "density", "text-density"] {
        let (code, stdout, stderr) =
            extract(&["--format", "json", "--engine", engine], &siblings());
        assert_eq!(code, 0, "{engine}: {stderr}");
        assert_eq!(stdout.lines().count(), 3, "{engine}");
        for article in stdout.lines().map(parse) {
            assert_eq!(article["engine"], engine);
            assert_eq!(article["route"], "page-wise");
        }
    }
    let (code, _, stderr) = extract(&["--engine", "oracle"], &siblings());
    assert_eq!(code, 2);
    assert!(stderr.contains("oracle") && stderr.contains("text-density"), "{stderr}");
}

#[test]
fn folders_and_files_of_any_name() {
    let folder = in_repository(ALMANAC).to_string_lossy().into_owned();
    let (code, stdout, _) = extract(&["--format", "json"], &[folder]);
    assert_eq!(code, 0);
    // Includes the home page, because pages given as inputs are always extracted.
    assert_eq!(stdout.lines().count(), fs::read_dir(in_repository(ALMANAC)).unwrap().count());

    let folder = tempfile::tempdir().unwrap();
    let saved = write_file(folder.path(), "saved page.txt", prose::post(1));
    let (code, stdout, stderr) = extract(&[], &[saved.to_string_lossy().into_owned()]);
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains(&prose::paragraphs(1)[0]), "{stdout}");
}

#[test]
fn files_named_from_within_their_folder_are_siblings() {
    let folder = tempfile::tempdir().unwrap();
    for n in 0..4 {
        fs::write(folder.path().join(format!("post-{n}.html")), prose::post(n)).unwrap();
    }
    for names in [&["post-0.html", "post-1.html", "post-2.html", "post-3.html"][..], &["."]] {
        let output = sitegrove()
            .current_dir(folder.path())
            .args(["extract", "--format", "json"])
            .args(names)
            .output()
            .unwrap();
        let stdout = succeeded(&output);
        let articles: Vec<_> = stdout.lines().map(parse).collect();
        assert_eq!(articles.len(), 4);
        for article in articles {
            assert_eq!((&article["route"], &article["site"]), (&"wrapper".into(), &"files".into()));
        }
    }
}

#[test]
fn pages_without_articles_and_without_files() {
    let folder = tempfile::tempdir().unwrap();
    let empty: PathBuf = folder.path().join("empty.html");
    fs::write(&empty, "").unwrap();
    let (code, stdout, stderr) = extract(&[], &[empty.to_string_lossy().into_owned()]);
    assert_eq!((code, stdout.as_str()), (2, ""));
    assert!(stderr.contains("no article found"), "{stderr}");
    let (code, _, stderr) = extract(&[], &["nowhere.html".to_owned()]);
    assert_eq!(code, 2);
    assert!(stderr.contains("nowhere.html"), "{stderr}");
    let (code, _, stderr) = extract(&[], &[]);
    assert_eq!(code, 2);
    assert!(stderr.contains("<INPUT>"), "{stderr}");
}

/// An archive with posts and other pages of one site, and a page of another.
fn archive(folder: &std::path::Path) -> String {
    let mut crawl = Crawl::of_posts("https://blog.example/posts/", 0..6);
    crawl.page("https://other.example/1", &prose::post(9));
    crawl.write(folder, "crawl.warc.gz").to_string_lossy().into_owned()
}

#[test]
fn pages_of_archives() {
    let folder = tempfile::tempdir().unwrap();
    let archive = archive(folder.path());
    let (code, stdout, stderr) = extract(&["--format", "json"], std::slice::from_ref(&archive));
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert_eq!(stdout.lines().count(), 7, "{stdout}");
    // One page by its address; the others of its site are its siblings.
    for url in ["https://blog.example/posts/3", "blog.example/posts/3/?utm_source=x"] {
        let (code, stdout, stderr) =
            extract(&["--format", "json", "--url", url], std::slice::from_ref(&archive));
        assert_eq!((code, stderr.as_str()), (0, ""), "{url}");
        let article = parse(stdout.trim());
        assert_eq!(article["url"], "https://blog.example/posts/3");
        assert_eq!(article["route"], "wrapper");
        assert!(text(&article, "text").contains(&prose::paragraphs(3)[0]), "{article}");
    }
    let (code, stdout, stderr) = extract(&["--url", "https://blog.example/post/3"], &[archive]);
    assert_eq!((code, stdout.as_str()), (2, ""));
    assert!(stderr.contains("there is no page with the address") && stderr.contains("nearest"));
    assert_eq!(stderr.matches("https://blog.example/posts/").count(), 1, "{stderr}");
}

#[test]
fn standard_input_is_a_page_or_an_archive() {
    let folder = tempfile::tempdir().unwrap();
    let archive = fs::read(archive(folder.path())).unwrap();
    let from_stdin = |arguments: &[&str], bytes: &[u8]| {
        let arguments = [&["extract", "-", "--format", "json"], arguments].concat();
        parts(&sitegrove().args(arguments).write_stdin(bytes).output().unwrap())
    };
    let (code, stdout, stderr) = from_stdin(&["--url", "blog.example/posts/2"], &archive);
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert_eq!(parse(stdout.trim())["url"], "https://blog.example/posts/2");
    let page = prose::post(4);
    let (code, stdout, stderr) = from_stdin(&["--url", "https://a.example/x"], page.as_bytes());
    assert_eq!((code, stderr.as_str()), (0, ""));
    let article = parse(stdout.trim());
    assert_eq!(
        (&article["url"], &article["site"]),
        (&"https://a.example/x".into(), &"a.example".into())
    );
    assert_eq!(from_stdin(&[], page.as_bytes()).0, 0);
    let (code, stdout, stderr) = from_stdin(&[], b"%PDF-1.7 and more");
    assert_eq!((code, stdout.as_str()), (2, ""));
    assert!(stderr.starts_with("error: standard input: is a PDF document"), "{stderr}");
}

#[test]
fn a_page_without_a_title_has_no_heading() {
    let folder = tempfile::tempdir().unwrap();
    let untitled =
        write_file(folder.path(), "untitled.html", prose::post(1).replace(&prose::title(1), ""));
    let (code, stdout, stderr) = extract(&[], &[untitled.to_str().unwrap().to_owned()]);
    assert_eq!(code, 0, "{stderr}");
    assert!(!stdout.lines().any(|line| line.starts_with('#')), "{stdout}");
    assert!(stdout.contains(&prose::paragraphs(1)[0]), "{stdout}");
}

#[test]
fn code_does_not_tell_the_language_of_an_article() {
    let folder = tempfile::tempdir().unwrap();
    let text = "<p>農家の人たちは大きな市でりんごとチーズを売りました。天気のよい日には、子どもたちが川のそばの公園で遊んでいます。</p>";
    let line = "if (query.length > 2) { setResults(items.filter((item) => item.name.includes(query))); }\n";
    let body = format!("{text}<pre><code>{}</code></pre>{text}", line.repeat(12));
    let html = format!("<html lang=ja><body><main><h1>市の公園</h1>{body}</main></body></html>");
    let page = write_file(folder.path(), "code.html", &html);
    let (code, stdout, stderr) =
        extract(&["--format", "json"], &[page.to_str().unwrap().to_owned()]);
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("\"language\":\"ja\""), "{stdout}");
}

#[test]
fn what_is_no_html_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = write_file(folder.path(), name, bytes);
        path.to_string_lossy().into_owned()
    };
    let png = b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR and so on";
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut gzip, prose::post(1).as_bytes()).unwrap();
    let gzip = gzip.finish().unwrap();
    let good = write("good.html", prose::post(1).as_bytes());
    for (name, bytes, what) in [
        ("paper.pdf", &b"%PDF-1.7 ..."[..], "a PDF document"),
        ("picture.html", png, "a file of type image/png"),
        ("picture", png, "a file of type image/png"),
        ("notes.txt", b"only words", "text"),
        ("page.html.gz", &gzip, "an HTML page in a gzip file"),
        ("data.bin", b"\x00\x01\x02\xff\xfe\xfd", "binary data"),
    ] {
        let bad = write(name, bytes);
        let (code, stdout, stderr) = extract(&[], &[good.clone(), bad.clone()]);
        assert_eq!((code, stdout.as_str()), (2, ""), "{name}");
        assert!(stderr.contains(&format!("{bad}: is {what}")), "{name}: {stderr}");
    }
    // Charsets other than UTF-8 are text.
    let wide: Vec<u8> =
        format!("\u{feff}{}", prose::post(2)).encode_utf16().flat_map(u16::to_le_bytes).collect();
    let latin: Vec<u8> =
        prose::post(3).chars().map(|c| if c.is_ascii() { c as u8 } else { 0xe4 }).collect();
    let zeros = prose::post(4).replacen("<body", "\0<body", 1);
    for page in [
        write("wide.html", &wide),
        write("latin.html", &latin),
        write("zeros.html", zeros.as_bytes()),
    ] {
        let (code, _, stderr) = extract(&[], &[page]);
        assert_eq!(code, 0, "{stderr}");
    }
}
