//! `sitegrove models`: shows, compares, checks, exports, imports and removes the models that runs keep from night to night.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use config::Config;
use errors::Problem;
use input::waiting::{NEVER_SET, waiting_for_databases};
use model::NightFigures;
use modelstore::{NightRow, RevisionRow, SiteRow, Store};
use report::readable::{count, grouped, size};
use serde_json::{Value, json};
use sitemodel::{SiteModel, Template};
use terminal::arguments::PrintFormat;
use terminal::arguments::whole;
use terminal::printed::{Console, line};

use super::print_done;
use crate::models_table::{self, Imported};

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove models list models.sqlite
  sitegrove models health models.sqlite blog.example
  sitegrove models history models.sqlite blog.example
  sitegrove models diff models.sqlite blog.example --from 1 --to 2
  sitegrove models export models.sqlite --out models.parquet
  sitegrove models check models.sqlite

The file is made by `sitegrove run … --models FILE` (docs/NIGHTLY.md).")]
pub(super) struct ModelsArgs {
    #[command(subcommand)]
    command: ModelsCommand,
}

#[derive(Debug, Subcommand)]
enum ModelsCommand {
    /// List the sites, with the revision and health of each model
    #[command(after_help = "\
Examples:
  sitegrove models list models.sqlite
  sitegrove models list models.sqlite --format json")]
    List(StoreArgs),
    /// Show the templates of a site's model, with their wrappers
    Show(ModelsShowArgs),
    /// Show the revisions of a site's model, and the decision of each run with its reason
    #[command(after_help = "\
Examples:
  sitegrove models history models.sqlite blog.example")]
    History(StoredSiteArgs),
    /// Show what came of a site in each night, as a table, with the verdicts and their evidence
    #[command(after_help = "\
Examples:
  sitegrove models health models.sqlite blog.example
  sitegrove models health models.sqlite blog.example --format json")]
    Health(StoredSiteArgs),
    /// Compare two revisions of a site's model
    Diff(DiffArgs),
    /// Check that the file is intact and that all models and retained pages can be read
    Check(ModelsCheckArgs),
    /// Export revisions of models to a Parquet file
    Export(ModelsExportArgs),
    /// Import models from Parquet files that export wrote
    Import(ImportArgs),
    /// Remove sites and everything that is stored about them
    Forget(ForgetArgs),
}

/// Runs the command. Returns false if `check` found a fault or `diff` a difference.
pub(super) fn run(args: &ModelsArgs, out: &mut Console<'_>) -> Result<bool> {
    match &args.command {
        ModelsCommand::List(args) => list(args, out).map(|()| true),
        ModelsCommand::Show(args) => show(args, out).map(|()| true),
        ModelsCommand::History(args) => history(args, out).map(|()| true),
        ModelsCommand::Health(args) => health(args, out).map(|()| true),
        ModelsCommand::Diff(args) => diff(args, out),
        ModelsCommand::Check(args) => check(args, out),
        ModelsCommand::Export(args) => export(args, out).map(|()| true),
        ModelsCommand::Import(args) => import(args, out).map(|()| true),
        ModelsCommand::Forget(args) => forget(args, out).map(|()| true),
    }
}

/// Reads a revision of a site's model, by default the newest, with its row in the store.
fn revision(store: &Store, site: &str, number: Option<u32>) -> Result<(RevisionRow, SiteModel)> {
    let revisions = store.revisions(site)?;
    let row = match number {
        Some(number) => revisions.into_iter().find(|row| row.revision == number),
        None => revisions.into_iter().next_back(),
    };
    let shown = store.path().display();
    let Some(row) = row else {
        match number {
            Some(number) => bail!("{shown} has no revision {number} of a model of {site}"),
            None => bail!(Problem::new(
                &shown,
                format!("there is no model of {site}"),
                format!("`sitegrove models list {shown}` lists its sites"),
            )),
        }
    };
    let bytes = store.model(site, Some(row.revision))?.unwrap_or_default();
    let model = SiteModel::from_bytes(&bytes)
        .with_context(|| format!("{shown}: revision {} of {site}", row.revision))?;
    Ok((row, model))
}

/// Arguments of all of them but `import`.
#[derive(Args, Debug)]
struct StoreArgs {
    /// The model store
    #[arg(value_name = "FILE")]
    models: PathBuf,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: PrintFormat,
}

/// Arguments of those that concern a site.
#[derive(Args, Debug)]
struct StoredSiteArgs {
    #[command(flatten)]
    store: StoreArgs,
    /// Key of the site
    site: String,
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove models show models.sqlite blog.example
  sitegrove models show models.sqlite blog.example --revision 3 --format json")]
struct ModelsShowArgs {
    #[command(flatten)]
    of: StoredSiteArgs,
    /// Revision of its model [default: the newest]
    #[arg(long, value_name = "N", value_parser = whole::<u32>)]
    revision: Option<u32>,
}

fn date(night: &str) -> &str {
    if night.is_empty() { "no date" } else { night }
}

fn list(args: &StoreArgs, out: &mut Console<'_>) -> Result<()> {
    let store = Store::open_read_only(&args.models)?;
    let sites = store.sites()?;
    if args.format == PrintFormat::Json {
        return Ok(sites.iter().try_for_each(|site| out.json_line(site))?);
    }
    writeln!(
        out,
        "{:<32} {:>8}  {:<13} {:<10}  {:<10} {:>8} {:>9}",
        "site", "revision", "health", "first seen", "last seen", "retained", "bytes"
    )?;
    for SiteRow { site, revision, verdict, first_seen, last_seen, retained, bytes } in &sites {
        let [first, last, site, health] =
            [date(first_seen), date(last_seen), site, verdict].map(line);
        writeln!(
            out,
            "{site:<32} {revision:>8}  {health:<13} {first:<10}  {last:<10} {retained:>8} {bytes:>9}"
        )?;
    }
    let summary = store.summary()?;
    let (sites, runs) =
        (count(summary.sites as usize, "site"), count(summary.runs as usize, "run"));
    let revisions = count(summary.revisions as usize, "revision");
    let retained = count(summary.retained as usize, "retained page");
    let [models, pages] = [summary.model_bytes, summary.sample_bytes].map(size);
    Ok(writeln!(out, "\n{sites}, {revisions} in {models}, {retained} in {pages}, {runs}")?)
}

fn template_json(template: &Template) -> Value {
    json!({
        "template": template.id,
        "kind": template.kind.as_str(),
        "pages": template.pages,
        "examples": template.examples,
        "wrapper": template.wrapper().map(|wrapper| json!({
            "version": wrapper.version,
            "content": wrapper.content,
            "prune": wrapper.prune,
            "confidence": wrapper.confidence,
        })),
        "fields": template.fields(),
    })
}

fn show(args: &ModelsShowArgs, out: &mut Console<'_>) -> Result<()> {
    let store = Store::open_read_only(&args.of.store.models)?;
    let (row, model) = revision(&store, &args.of.site, args.revision)?;
    if args.of.store.format == PrintFormat::Json {
        let templates: Vec<Value> = model.templates().iter().map(template_json).collect();
        let own = json!({ "site": args.of.site, "model": row, "templates": templates });
        return Ok(out.json_line(&own)?);
    }
    let RevisionRow { revision, pages, .. } = row;
    let [site, night, reason, engine] =
        [&*args.of.site, date(&row.night), &row.reason, &row.engine].map(line);
    writeln!(
        out,
        "{site}: revision {revision} of {night}, {reason} ({pages} pages, engine {engine})"
    )?;
    for template in model.templates() {
        let (id, kind, pages) = (line(&template.id), template.kind.as_str(), template.pages);
        writeln!(out, "\n{id}: {kind}, learnt from {pages} pages")?;
        let Some(wrapper) = template.wrapper() else { continue };
        let (version, confidence) = (wrapper.version, wrapper.confidence);
        writeln!(out, "  wrapper version {version}, confidence {confidence:.2}")?;
        for expression in expressions(template) {
            writeln!(out, "  {}", line(&expression))?;
        }
    }
    Ok(())
}

fn history(args: &StoredSiteArgs, out: &mut Console<'_>) -> Result<()> {
    let store = Store::open_read_only(&args.store.models)?;
    let (revisions, nights) = (store.revisions(&args.site)?, store.nights(&args.site)?);
    if revisions.is_empty() && nights.is_empty() {
        bail!(unknown_site(&args.store.models, &args.site, ""));
    }
    if args.store.format == PrintFormat::Json {
        let own = json!({ "site": args.site, "revisions": revisions, "nights": nights });
        return Ok(out.json_line(&own)?);
    }
    writeln!(out, "revision  night       pages  templates  engine      why")?;
    for RevisionRow { revision, night, reason, pages, templates, engine, .. } in &revisions {
        let [night, engine, why] = [date(night), engine, reason].map(line);
        writeln!(
            out,
            "{revision:>8}  {night:<10}  {pages:>5}  {templates:>9}  {engine:<10}  {why}"
        )?;
    }
    writeln!(out, "\nnight       health         revision  sample  unassigned  decision")?;
    for NightRow { night, health, revision, sampled, unassigned, decision, reason, .. } in &nights {
        let ([night, decision, reason], health) =
            ([date(night), decision, reason].map(line), health.verdict.as_str());
        write!(out, "{night:<10}  {health:<13}  {revision:>8}  {sampled:>6}  {unassigned:>10}  ")?;
        writeln!(out, "{decision}: {reason}")?;
    }
    Ok(())
}

fn health(args: &StoredSiteArgs, out: &mut Console<'_>) -> Result<()> {
    let store = Store::open_read_only(&args.store.models)?;
    let nights = store.nights(&args.site)?;
    if nights.is_empty() {
        bail!(unknown_site(&args.store.models, &args.site, ""));
    }
    if args.store.format == PrintFormat::Json {
        return Ok(nights.iter().try_for_each(|night| out.json_line(night))?);
    }
    writeln!(
        out,
        "night       health         pages  articles  words  confidence  walls  lost  gone  evidence"
    )?;
    for NightRow { night, health, figures, .. } in &nights {
        let confidence =
            figures.mean_confidence().map_or("-".to_owned(), |own| format!("{own:.2}"));
        let ([night, evidence], verdict) =
            ([date(night), &health.evidence].map(line), health.verdict.as_str());
        let NightFigures { pages, articles, words, gone, .. } = figures;
        let (words, walls, lost) = (words / articles.max(&1), figures.refused(), figures.lost());
        write!(out, "{night:<10}  {verdict:<13}  {pages:>5}  {articles:>8}  {words:>5}  ")?;
        writeln!(out, "{confidence:>10}  {walls:>5}  {lost:>4}  {gone:>4}  {evidence}")?;
    }
    if let Some(NightRow { health, .. }) = nights.last().filter(|own| !own.health.next.is_empty()) {
        let next = &health.next;
        writeln!(out, "\nNext: {}", line(next))?;
    }
    Ok(())
}

fn unknown_site(models: &Path, site: &str, so: &str) -> Problem {
    let shown = models.display();
    let what = format!("the site {site} is not in this model store{so}");
    Problem::new(&shown, what, format!("`sitegrove models list {shown}` lists its sites"))
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove models diff models.sqlite blog.example
  sitegrove models diff models.sqlite blog.example --from 1 --to 4 \\
      --format json

Exit codes: 0 no difference, 1 some, 2 could not compare.")]
struct DiffArgs {
    #[command(flatten)]
    of: StoredSiteArgs,
    /// The older revision [default: the one before]
    #[arg(long, value_name = "N", value_parser = whole::<u32>)]
    from: Option<u32>,
    /// The newer revision [default: the newest]
    #[arg(long, value_name = "N", value_parser = whole::<u32>)]
    to: Option<u32>,
}

type Templates<'a> = BTreeMap<&'a str, &'a Template>;

fn templates(model: &SiteModel) -> Templates<'_> {
    model.templates().iter().map(|template| (&*template.id, template)).collect()
}

/// Lists the learnt expressions of a template, one per line: for the body, for what is removed from it, and for fields.
fn expressions(template: &Template) -> Vec<String> {
    let wrapper = template.wrapper();
    let content = wrapper.iter().flat_map(|w| w.content.iter().map(|x| format!("content  {x}")));
    let prune = wrapper.iter().flat_map(|w| w.prune.iter().map(|x| format!("prune    {x}")));
    let fields = template.fields().into_iter();
    let fields = fields.flat_map(|(field, of)| {
        of.into_iter().map(move |expression| format!("{field:<9}{expression}"))
    });
    content.chain(prune).chain(fields).collect()
}

fn diff(args: &DiffArgs, out: &mut Console<'_>) -> Result<bool> {
    let store = Store::open_read_only(&args.of.store.models)?;
    let (new_row, new) = revision(&store, &args.of.site, args.to)?;
    let before = args.from.unwrap_or_else(|| new_row.revision.saturating_sub(1).max(1));
    let (old_row, old) = revision(&store, &args.of.site, Some(before))?;
    let (old, new) = (templates(&old), templates(&new));
    let ids: std::collections::BTreeSet<&str> = old.keys().chain(new.keys()).copied().collect();
    let mut differences = 0;
    for id in ids {
        let (then, now) = (old.get(id), new.get(id));
        let what = match (then, now) {
            (None, _) => "added",
            (_, None) => "removed",
            (Some(then), Some(now)) if expressions(then) != expressions(now) => "changed",
            (Some(then), Some(now)) if then.pages != now.pages => "learnt from other pages",
            _ => continue,
        };
        differences += 1;
        if args.of.store.format == PrintFormat::Json {
            let own = json!({
                "site": args.of.site,
                "template": id,
                "difference": what,
                "from": then.map(|template| template_json(template)),
                "to": now.map(|template| template_json(template)),
            });
            out.json_line(&own)?;
            continue;
        }
        let pages = |of: Option<&&Template>| of.map_or(0, |template| template.pages);
        writeln!(out, "{}: {what} ({} → {} pages)", line(id), pages(then), pages(now))?;
        let lines = |of: Option<&&Template>| of.map_or(Vec::new(), |own| expressions(own));
        let (then, now) = (lines(then), lines(now));
        for gone in then.iter().filter(|own| !now.contains(own)) {
            writeln!(out, "  - {}", line(gone))?;
        }
        for new in now.iter().filter(|own| !then.contains(own)) {
            writeln!(out, "  + {}", line(new))?;
        }
    }
    if differences == 0 && args.of.store.format == PrintFormat::Text {
        let (from, to, site) = (old_row.revision, new_row.revision, line(&args.of.site));
        match from == to {
            true => writeln!(out, "{site} is compared with itself: revision {to}")?,
            false => writeln!(out, "revisions {from} and {to} of {site} do not differ")?,
        }
    }
    Ok(differences == 0)
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove models check models.sqlite
  sitegrove models check models.sqlite --config configs/nightly.toml

Exit codes: 0 all can be read, 1 something cannot, 2 the file is not a model store, or is damaged.")]
struct ModelsCheckArgs {
    #[command(flatten)]
    store: StoreArgs,
    /// Settings that the newest models are compared with [default: the defaults]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

fn check(args: &ModelsCheckArgs, out: &mut Console<'_>) -> Result<bool> {
    let settings = Config::load(args.config.as_deref())?.settings();
    let store = Store::open_read_only(&args.store.models)?;
    store.check()?;
    let (mut models, mut pages, mut faults, mut outdated) = (0_u64, 0_u64, 0_u64, 0_u64);
    for site in store.sites()? {
        let mut fault = |what: String| {
            faults += 1;
            match args.store.format {
                PrintFormat::Json => out.json_line(&json!({ "site": site.site, "fault": what })),
                PrintFormat::Text => writeln!(out, "{}: {}", line(&site.site), line(&what)),
            }
        };
        for row in store.revisions(&site.site)? {
            models += 1;
            let bytes = store.model(&site.site, Some(row.revision));
            let bytes = bytes.map_err(|error| error.to_string()).map(Option::unwrap_or_default);
            let read = bytes
                .and_then(|bytes| SiteModel::from_bytes(&bytes).map_err(|error| error.to_string()));
            match read {
                Err(what) => fault(format!("revision {}: {what}", row.revision))?,
                Ok(model) if row.revision == site.revision => {
                    outdated += u64::from(model.fits(&settings).is_err());
                }
                Ok(_) => {}
            }
        }
        match store.sample(&site.site) {
            Ok(sample) => pages += sample.len() as u64,
            Err(error) => fault(error.to_string())?,
        }
    }
    if args.store.format == PrintFormat::Json {
        out.json_line(&json!({
            "models": models,
            "retained_pages": pages,
            "faults": faults,
            "outdated_sites": outdated,
        }))?;
        return Ok(faults == 0);
    }
    writeln!(
        out,
        "{models} models and {pages} retained pages read, {faults} faults; {outdated} sites have a model of \
         other settings or weights, which the next run learns again"
    )?;
    Ok(faults == 0)
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove models export models.sqlite --out models.parquet
  sitegrove models export models.sqlite blog.example --out blog.parquet
  sitegrove models export models.sqlite --since 2026-10-05 \\
      --out tables/models/2026-10-05.parquet")]
struct ModelsExportArgs {
    #[command(flatten)]
    store: StoreArgs,
    /// Keys of sites [default: all]
    #[arg(value_name = "SITE")]
    sites: Vec<String>,
    /// The Parquet file to write: a row for each revision
    #[arg(long, short, value_name = "TABLE")]
    out: PathBuf,
    /// Only revisions that were learnt in this night or later, YYYY-MM-DD
    #[arg(long, value_name = "DATE", value_parser = parse_date)]
    since: Option<jiff::civil::Date>,
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove models import models.sqlite models.parquet
  sitegrove models import models.sqlite tables/models/*.parquet

Revisions keep their numbers. A revision that the store already has is skipped. If the store has a different revision under that number, nothing is imported.")]
struct ImportArgs {
    /// The model store; made where there is none
    #[arg(value_name = "FILE")]
    models: PathBuf,
    /// Tables that `sitegrove models export` wrote
    #[arg(value_name = "TABLE", required = true)]
    tables: Vec<PathBuf>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: PrintFormat,
}

fn parse_date(text: &str) -> Result<jiff::civil::Date, String> {
    text.parse().map_err(|_| "give a date as 2026-01-31".to_owned())
}

fn export(args: &ModelsExportArgs, out: &mut Console<'_>) -> Result<()> {
    let store = Store::open_read_only(&args.store.models)?;
    let since = args.since.map(|date| date.to_string()).unwrap_or_default();
    let revisions = models_table::export(&store, &args.sites, &since, &args.out)?;
    let file = args.out.to_string_lossy();
    let value = json!({ "revisions": revisions, "file": file });
    let said = format_args!("{} in {}", count(revisions, "revision"), line(&file));
    Ok(print_done(args.store.format, said, &value, out)?)
}

fn import(args: &ImportArgs, out: &mut Console<'_>) -> Result<()> {
    let waiting = waiting_for_databases(&NEVER_SET);
    let store = Store::open(&args.models, waiting)?;
    let Imported { added, known } = models_table::import(&store, &args.tables, waiting)?;
    let value = json!({ "added": added, "known": known });
    let (added, known) = (count(added, "revision"), grouped(known as u64));
    let said = format_args!("{added} added, {known} known already");
    Ok(print_done(args.format, said, &value, out)?)
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove models forget models.sqlite blog.example")]
struct ForgetArgs {
    #[command(flatten)]
    store: StoreArgs,
    /// Keys of sites
    #[arg(value_name = "SITE", required = true)]
    sites: Vec<String>,
}

fn forget(args: &ForgetArgs, out: &mut Console<'_>) -> Result<()> {
    let path = &args.store.models;
    if !path.is_file() {
        let next = "`sitegrove run … --models FILE` makes one";
        bail!(Problem::new(path.display(), "there is no model store", next));
    }
    let store = Store::open(path, waiting_for_databases(&NEVER_SET))?;
    for site in &args.sites {
        if !store.forget(site)? {
            bail!(unknown_site(&args.store.models, site, "; nothing was removed"));
        }
        let value = json!({ "site": site, "forgotten": true });
        print_done(args.store.format, format_args!("{}: forgotten", line(site)), &value, out)?;
    }
    store.commit(u64::MAX, waiting_for_databases(&NEVER_SET))?;
    Ok(())
}
