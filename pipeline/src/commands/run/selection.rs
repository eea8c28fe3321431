//! Options that choose pages.

use clap::Args;
use config::Config;
use terminal::whole_number::at_least_one;

/// Which pages of the inputs to take.
#[derive(Args, Debug)]
#[command(next_help_heading = "Choice of pages")]
pub struct SelectionArgs {
    /// Only pages of this site, named by its host (repeatable)
    #[arg(long, value_name = "HOST")]
    pub site: Vec<String>,
    /// Only pages captured on this date or later: 2026-10-05, or with a time, 2026-10-05T03:00:00Z
    #[arg(long, value_name = "DATE")]
    pub since: Option<String>,
    /// Only pages captured on this date or earlier; the date itself is included
    #[arg(long, value_name = "DATE")]
    pub until: Option<String>,
    /// Only the first N of these pages, in the order of the inputs' paths
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub limit: Option<u64>,
}

impl SelectionArgs {
    /// Changes the settings accordingly.
    pub(crate) fn apply(&self, config: &mut Config) {
        let run = &mut config.run;
        if !self.site.is_empty() {
            run.sites.clone_from(&self.site);
        }
        if let Some(since) = &self.since {
            run.since.clone_from(since);
        }
        if let Some(until) = &self.until {
            run.until.clone_from(until);
        }
        if let Some(limit) = self.limit {
            run.limit = limit;
        }
    }
}
