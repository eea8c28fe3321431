//! The directives of the format, and compilation of the lines of a file to a site config, with a finding for each
//! directive.

use std::collections::BTreeMap;

use dom::LocalName;

use crate::site_config::{Directive, Expression, SiteConfig, SiteConfigLine};

/// All directives of the format, grouped by their treatment and its reason. `prune` and `insert_detected_image` are honoured
/// as `no`; see `compile`.
const DIRECTIVES: [(DirectiveVerdict, &str, &str); 9] = {
    use DirectiveVerdict::{Honoured, Needless, NotHonoured};
    [
        (
            Honoured,
            "",
            "author autodetect_on_failure body date dissolve find_string if_page_contains \
             insert_detected_image move_into next_page_link prune replace_string single_page_link \
             skip_json_ld src_lazy_load_attr strip strip_attr strip_id_or_class strip_image_src \
             test_contains test_url title wrap_in",
        ),
        (
            Needless,
            "two line breaks begin a paragraph of the text anyway",
            "convert_double_br_tags",
        ),
        (Needless, "comments of the markup never come out", "strip_comments"),
        (Needless, "pages are parsed as browsers parse them", "parser tidy"),
        (NotHonoured, "nothing is fetched: pages are taken as the crawl has them", "http_header"),
        (
            NotHonoured,
            "nothing is fetched, so nobody logs in: the crawler has to",
            "login_extra_fields login_password_field login_uri login_username_field \
             not_logged_in_xpath requires_login",
        ),
        (
            NotHonoured,
            "nothing is fetched, and pages are joined by `group.join_parts` only",
            "autodetect_next_page single_page_link_in_feed",
        ),
        (NotHonoured, "articles have no field that calls them advertisements", "native_ad_clue"),
        (
            NotHonoured,
            "carried over from Instapaper; no reader we know of honours it",
            "footnotes post_strip_attr skip_id_or_class test_urls unstrip",
        ),
    ]
};

/// The known directives with their treatment and its reason (empty if the directive has its effect), sorted by name.
pub fn known_directives() -> Vec<(&'static str, DirectiveVerdict, &'static str)> {
    let all = DIRECTIVES
        .iter()
        .flat_map(|&(verdict, why, names)| names.split(' ').map(move |name| (name, verdict, why)));
    let mut all: Vec<_> = all.collect();
    all.sort_unstable_by_key(|directive| directive.0);
    all
}

/// The treatment of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Line, from 1.
    pub line: usize,
    /// The directive's name, or the line if it has none.
    pub directive: String,
    /// Its treatment.
    pub verdict: DirectiveVerdict,
    /// The reason, unless it is simply honoured.
    pub why: Option<String>,
}

/// The treatment of a directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DirectiveVerdict {
    /// The directive has its effect.
    Honoured,
    /// The directive needs no action here, because the article is the same without it.
    Needless,
    /// The directive has no effect: the article may differ from the article of other readers.
    NotHonoured,
}

impl DirectiveVerdict {
    /// The name written to outputs: `honoured`, `needless`, `not honoured`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Honoured => "honoured",
            Self::Needless => "needless",
            Self::NotHonoured => "not honoured",
        }
    }
}

/// A test of a site config: the address of a page, and texts that its article must contain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigTest {
    /// `test_url`.
    pub url: String,
    /// The `test_contains` lines that follow it.
    pub contains: Vec<String>,
}

/// A compiled site config. The default value has no effect.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CompiledSiteConfig {
    /// Expressions by the names of their directives. For values, the body and links, the first one that selects something is
    /// used; for removals and changes, all are. `single_page_link` is used only if one of `if_page_contains` selects
    /// something.
    expressions: BTreeMap<String, Vec<Expression>>,
    /// All of the following are used.
    pub(crate) strip_id_or_class: Vec<String>,
    pub(crate) strip_image_src: Vec<String>,
    pub(crate) wrap_in: Vec<(LocalName, Expression)>,
    /// Destination, and the nodes to move.
    pub(crate) move_into: Vec<(Expression, Expression)>,
    /// Search string and replacement.
    pub(crate) replace: Vec<(String, String)>,
    pub(crate) src_lazy_load_attr: Vec<String>,
    pub(crate) skip_json_ld: bool,
    /// `None` if the file does not set it; the default is yes.
    autodetect_on_failure: Option<bool>,
    tests: Vec<ConfigTest>,
}

impl CompiledSiteConfig {
    /// The expressions of all directives with this name.
    pub(crate) fn all(&self, name: &str) -> &[Expression] {
        self.expressions.get(name).map_or(&[], Vec::as_slice)
    }

    /// Whether a page on which no body is found is extracted as if it had no site config.
    pub fn autodetects(&self) -> bool {
        self.autodetect_on_failure.unwrap_or(true)
    }

    /// Whether it has expressions of the body.
    pub fn has_body(&self) -> bool {
        !self.all("body").is_empty()
    }

    /// Whether it may give the addresses of other pages of the same article.
    pub fn names_pages(&self) -> bool {
        ["single_page_link", "next_page_link"].iter().any(|name| !self.all(name).is_empty())
    }

    /// Expressions of the body, in the order they are tried.
    pub fn body(&self) -> impl Iterator<Item = String> {
        self.all("body").iter().map(ToString::to_string)
    }

    /// The tests of the site config.
    pub fn tests(&self) -> &[ConfigTest] {
        &self.tests
    }

    /// Adds the directives of the file for all sites (`global.txt`), as the format's readers do.
    /// Its expressions are added after the expressions of this file, and its switches are used if this file does not set them. A
    /// file that forbids autodetection takes nothing from it.
    pub fn extend(&mut self, global: &Self) {
        if !self.autodetects() {
            return;
        }
        let is_taken = |name: &str| !matches!(name, "single_page_link" | "if_page_contains");
        for (name, global) in global.expressions.iter().filter(|own| is_taken(own.0)) {
            let own = self.expressions.entry(name.clone()).or_default();
            for expression in global {
                if !own.contains(expression) {
                    own.push(expression.clone());
                }
            }
        }
        self.strip_id_or_class.extend(global.strip_id_or_class.iter().cloned());
        self.strip_image_src.extend(global.strip_image_src.iter().cloned());
        self.wrap_in.extend(global.wrap_in.iter().cloned());
        self.move_into.extend(global.move_into.iter().cloned());
        self.replace.extend(global.replace.iter().cloned());
        self.src_lazy_load_attr.extend(global.src_lazy_load_attr.iter().cloned());
        self.skip_json_ld |= global.skip_json_ld;
        self.autodetect_on_failure = self.autodetect_on_failure.or(global.autodetect_on_failure);
    }
}

/// Compiles a file. Never fails: directives that cannot be honoured get a finding with the reason, and the others are used.
/// Findings are in the order of lines. Blank lines and comments have no finding.
pub fn compile(config: &SiteConfig) -> (CompiledSiteConfig, Vec<Finding>) {
    let mut compiler = Compiler::default();
    for (at, line) in config.lines().iter().enumerate() {
        compiler.line = at + 1;
        match line {
            SiteConfigLine::Blank | SiteConfigLine::Comment(_) => {}
            SiteConfigLine::Directive(directive) => compiler.directive(directive),
            SiteConfigLine::Unread(text) => compiler.unread(text),
        }
    }
    compiler.finish()
}

/// Maximum number of directives with the same name, because each is evaluated on the whole of every page. The longest of
/// 2,000 public files has some hundreds of all names together.
const MOST: usize = 500;

#[derive(Default)]
struct Compiler {
    wrapper: CompiledSiteConfig,
    findings: Vec<Finding>,
    /// Number of directives so far, by name.
    counts: BTreeMap<String, usize>,
    line: usize,
    /// Lines and values of `find_string` and `replace_string` in their two-line form.
    find: Vec<(usize, String)>,
    replace: Vec<(usize, String)>,
}

impl Compiler {
    fn found(&mut self, directive: &str, verdict: DirectiveVerdict, why: Option<String>) {
        let directive = directive.to_owned();
        self.findings.push(Finding { line: self.line, directive, verdict, why });
    }

    fn unread(&mut self, text: &str) {
        let why = match text.split_once(':') {
            None => "no colon: readers of the format skip the line",
            Some((_, value)) if value.trim().is_empty() => {
                "no value: readers of the format skip the line"
            }
            Some((name, _)) if name.contains('(') && !name.contains(')') => {
                "the first colon of a line ends the name, also inside brackets: readers of the \
                 format skip the line; use find_string and replace_string instead"
            }
            Some(_) => "no name before the colon: readers of the format skip the line",
        };
        let shown: String = text.chars().take(60).collect();
        self.found(&shown, DirectiveVerdict::NotHonoured, Some(why.to_owned()));
    }

    fn directive(&mut self, directive: &Directive) {
        let name = directive.name();
        match DIRECTIVES.iter().find(|known| known.2.split(' ').any(|known| known == name)) {
            None => {
                let why = "the format has no such directive; perhaps it is misspelt";
                self.found(name, DirectiveVerdict::NotHonoured, Some(why.to_owned()));
            }
            Some((DirectiveVerdict::Honoured, ..)) if self.is_beyond(name) => {
                let why = format!("only the first {MOST} of one name are used");
                self.found(name, DirectiveVerdict::NotHonoured, Some(why));
            }
            Some((DirectiveVerdict::Honoured, ..)) => match self.honour(directive) {
                Ok(()) => self.found(name, DirectiveVerdict::Honoured, None),
                Err(why) => self.found(name, DirectiveVerdict::NotHonoured, Some(why)),
            },
            Some((verdict, why, _)) => self.found(name, *verdict, Some((*why).to_owned())),
        }
    }

    /// Counts a directive; returns whether it exceeds the maximum for its name.
    fn is_beyond(&mut self, name: &str) -> bool {
        let count = self.counts.entry(name.to_owned()).or_default();
        *count += 1;
        *count > MOST
    }

    /// Returns the reason if the directive is not honoured.
    fn honour(&mut self, directive: &Directive) -> Result<(), String> {
        let value = directive.value();
        let line = self.line;
        let expression = || Expression::new(value).map_err(|e| e.to_string());
        let is_yes = matches!(value, "yes" | "true");
        if directive.argument().is_some()
            && !matches!(directive.name(), "replace_string" | "wrap_in" | "move_into")
        {
            return Err("takes nothing in brackets".to_owned());
        }
        let unquoted = Some(value.replace(['\'', '"'], "")).filter(|value| !value.is_empty());
        let wrapper = &mut self.wrapper;
        match directive.name() {
            name @ ("title" | "body" | "date" | "author" | "strip" | "strip_attr" | "dissolve"
            | "single_page_link" | "next_page_link" | "if_page_contains") => {
                wrapper.expressions.entry(name.to_owned()).or_default().push(expression()?);
            }
            // The format's readers put these values into an expression, without their quotes.
            "strip_id_or_class" => wrapper
                .strip_id_or_class
                .push(unquoted.ok_or("nothing but quotes: it would take out everything")?),
            "strip_image_src" => wrapper
                .strip_image_src
                .push(unquoted.ok_or("nothing but quotes: it would take out every image")?),
            "wrap_in" => {
                let tag = directive.argument().unwrap_or_default().trim().to_ascii_lowercase();
                if !dom::xpath::is_name(&tag) {
                    return Err("needs a tag in brackets: wrap_in(tag)".to_owned());
                }
                wrapper.wrap_in.push((LocalName::from(tag), expression()?));
            }
            "move_into" => {
                let into = directive.argument().unwrap_or_default().trim();
                if into.is_empty() {
                    return Err("needs an expression in brackets: move_into(XPath)".to_owned());
                }
                // Some files have only the name of the element.
                let into = if dom::xpath::is_name(into) {
                    Expression::new(&format!("//{into}"))
                } else {
                    Expression::new(into)
                };
                wrapper.move_into.push((into.map_err(|e| e.to_string())?, expression()?));
            }
            "find_string" => self.find.push((line, value.to_owned())),
            "replace_string" => match directive.argument() {
                Some("") => return Err("looks for nothing".to_owned()),
                Some(find) => wrapper.replace.push((find.to_owned(), value.to_owned())),
                None => self.replace.push((line, value.to_owned())),
            },
            "src_lazy_load_attr" => {
                wrapper.src_lazy_load_attr.push(value.to_ascii_lowercase());
            }
            "skip_json_ld" => wrapper.skip_json_ld = is_yes,
            "autodetect_on_failure" => wrapper.autodetect_on_failure = Some(is_yes),
            "prune" if is_yes => {
                Err("what body selects is taken as it is; nothing is guessed away")?;
            }
            "insert_detected_image" if is_yes => {
                Err("the image stands in the field `image`, not in the text")?;
            }
            "prune" | "insert_detected_image" => {}
            "test_url" => {
                wrapper.tests.push(ConfigTest { url: value.to_owned(), contains: Vec::new() });
            }
            "test_contains" => match wrapper.tests.last_mut() {
                Some(test) => test.contains.push(value.to_owned()),
                None => return Err("stands before any test_url".to_owned()),
            },
            name => return Err(format!("`{name}` is not done")),
        }
        Ok(())
    }

    fn finish(self) -> (CompiledSiteConfig, Vec<Finding>) {
        let Self { mut wrapper, mut findings, find, replace, .. } = self;
        if find.len() == replace.len() {
            let pairs = find.into_iter().zip(replace).map(|((_, find), (_, with))| (find, with));
            // The format's readers keep one list for both forms, in order of lines. The order
            // matters only if one replacement produces the search string of another.
            wrapper.replace.extend(pairs);
        } else {
            let why = format!(
                "{} find_string and {} replace_string: they go in pairs",
                find.len(),
                replace.len()
            );
            for (line, _) in find.into_iter().chain(replace) {
                for finding in findings.iter_mut().filter(|f| f.line == line) {
                    finding.verdict = DirectiveVerdict::NotHonoured;
                    finding.why = Some(why.clone());
                }
            }
        }
        (wrapper, findings)
    }
}
