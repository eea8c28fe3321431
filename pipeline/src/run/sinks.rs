//! The outputs of a run, opened by name.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use config::files::address_of;
use config::{Config, EmitConfig, SinkName};
use errors::Problem;
use index::{IndexSink, is_index};
use input::waiting::waiting_for_databases;
use sink::{
    AtomicFile, DatasetSink, ParquetSink, Sink, SinkError, SiteConfigSink, SiteRowsSink,
    VersionsSink, WarcSink, bulk_file, csv_file, jsonl_file,
};

/// Checks the settings of outputs before any work.
pub(crate) fn check_outputs(emit: &EmitConfig, run: &Path) -> anyhow::Result<()> {
    let dataset = emit.dataset_made_in.as_ref().unwrap_or(&emit.dataset);
    if let Some(address) = [run, dataset].into_iter().find_map(address_of) {
        anyhow::bail!(Problem::new(
            address,
            "only `sitegrove run` and `sitegrove merge` write to an address",
            "name a local folder"
        ));
    }
    if emit.chosen().contains(&SinkName::Dataset) && emit.dataset.as_os_str().is_empty() {
        anyhow::bail!("the output dataset needs a folder: name it with --dataset or emit.dataset");
    }
    if !emit.chosen().contains(&SinkName::Index) {
        return Ok(());
    }
    let (memory, least) = (emit.index_memory, index::MIN_MEMORY);
    if memory < least {
        anyhow::bail!("emit.index_memory is {memory}; an index takes at least {least} bytes");
    }
    Ok(())
}

/// Opens an output for a run folder. Setting `stop` ends a wait for other programs.
pub(crate) fn open_sink<'a>(
    name: SinkName,
    folder: &Path,
    config: &Config,
    stop: &'a AtomicBool,
) -> Result<Box<dyn Sink + 'a>, SinkError> {
    let emit = &config.emit;
    let path = name.path(folder, emit);
    Ok(match name {
        SinkName::Jsonl => Box::new(jsonl_file(&path, emit.jsonl)?),
        SinkName::Csv => Box::new(csv_file(&path, emit.csv)?),
        SinkName::Parquet => Box::new(ParquetSink::create(&path)?),
        SinkName::Bulk => Box::new(bulk_file(&path, emit.bulk)?),
        SinkName::Warc => {
            let index = folder.join(name.files()[1]);
            Box::new(WarcSink::create(&path, &index, emit.warc)?)
        }
        SinkName::Sqlite => {
            let waiting = waiting_for_databases(stop);
            let (key, rereads) = (article_key(config), config.run.reextract);
            Box::new(VersionsSink::open(&path, key, rereads, waiting)?)
        }
        SinkName::Index => {
            let begin = match name.is_in_run_folder(emit) {
                true => IndexSink::create,
                false => IndexSink::open,
            };
            Box::new(begin(&path, emit.index_memory)?.with_gone_removed(emit.forget_gone))
        }
        SinkName::Dataset => Box::new(DatasetSink::open(&path)?),
        SinkName::SiteConfig => Box::new(SiteConfigSink::create(&path)?),
        SinkName::Report => Box::new(SiteRowsSink::create(&report::folder_of(folder))?),
    })
}

/// Removes files of an earlier run that this run does not replace, because a run folder holds the files of one run. An
/// archive of articles or an index elsewhere belongs to many runs and stays.
pub(crate) fn remove_stale(name: SinkName, folder: &Path, config: &EmitConfig, written: bool) {
    for file in name.files() {
        // Left by an unfinished run.
        let _ = fs::remove_file(AtomicFile::temporary(&folder.join(file)));
    }
    let current = if written { name.written(config) } else { &[] };
    for file in name.files().iter().filter(|file| !current.contains(file)) {
        let path = folder.join(file);
        // A leftover that cannot be removed does no harm.
        let _ = match name {
            SinkName::Sqlite => Ok(()),
            SinkName::Index if is_index(&path) => fs::remove_dir_all(path),
            SinkName::Index => Ok(()),
            SinkName::SiteConfig => {
                SiteConfigSink::remove(&path);
                Ok(())
            }
            _ => fs::remove_file(path),
        };
    }
    if name == SinkName::Report && !written {
        report::remove_from(folder);
    }
}

/// Adds `https://` to an address without a scheme.
pub(crate) fn with_scheme(url: &str) -> String {
    if url.contains("://") { url.to_owned() } else { format!("https://{url}") }
}

/// Returns the function that gives the forms of an address by which an archive identifies an article.
pub(crate) fn article_key(config: &Config) -> sink::KeyOf {
    let tracking = grouping::Tracking::new(&config.group.tracking_parameters);
    std::sync::Arc::new(move |url: &str, canonical: Option<&str>| {
        let Some(own) = tracking.address(url) else {
            let url = url.to_owned();
            return sink::ArticleKey { own: url.clone(), named: None, stripped: url };
        };
        // Runs read different pages: only the page itself can show that a parameter is one of tracking, by
        // its canonical address.
        let named = canonical.and_then(|canonical| tracking.address(canonical));
        let named = named.filter(|named| named.key == own.key && *named != own);
        let named = named.map(|named| named.exact());
        sink::ArticleKey { own: own.exact(), named, stripped: own.key }
    })
}
