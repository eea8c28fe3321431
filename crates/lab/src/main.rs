/*!
`sitegrove-lab`: measures sitegrove, and trains its default engine. It is a separate program, so that `sitegrove` is built
without the code that only these commands need.

[`evaluate`] compares runs and the output of other tools with gold text ([`gold`]). [`recover`] hides the metadata that pages
declare and counts how much of it is still found ([`fields`]). [`train`] fits the weights of the default engine to pages with known
text, and [`calibrate`] the weights of the confidence of metadata. [`corrections`] measures how marks on one page improve its
siblings. [`bench`](mod@bench) measures speed.
*/

mod bench;
mod calibrate;
mod corrections;
mod evaluate;
mod fields;
mod gold;
mod recover;
mod train;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};
use sitegrove::commands::run;
use terminal::command_line::{CommandContext, MessageArgs, Program, run_program};

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// Measure sitegrove, and train its default engine.
#[derive(Parser, Debug)]
#[command(
    version,
    propagate_version = true,
    max_term_width = 100,
    after_help = "\
Examples:
  sitegrove-lab evaluate out/quickstart --gold data/gold.jsonl
  sitegrove-lab recover crawl/*.warc.gz
  sitegrove-lab train --gold gold.jsonl --out weights.json crawl/*.warc.gz
  sitegrove-lab calibrate out/run --gold gold.jsonl --out confidence.json
  sitegrove-lab corrections --gold gold.jsonl crawl/*.warc.gz
  sitegrove-lab bench crawl/*.warc.gz"
)]
struct Lab {
    #[command(subcommand)]
    command: LabCommand,
    #[command(flatten)]
    messages: MessageArgs,
}

#[derive(Subcommand, Debug)]
enum LabCommand {
    /// Compare runs and the output of other tools with gold text
    Evaluate(evaluate::EvaluateArgs),
    /// Hide what pages declare of their metadata, and count what is found without it
    Recover(recover::RecoverArgs),
    /// Fit the weights of the default engine to pages whose text is known
    Train(train::TrainArgs),
    /// Fit the confidence of metadata to pages whose metadata is known
    Calibrate(calibrate::CalibrateArgs),
    /// Mark a page of each template by its gold, and compare the others
    Corrections(corrections::CorrectionsArgs),
    /// Measure speed, relative to the bare HTML parser
    Bench(bench::BenchArgs),
    /// `sitegrove run`, which `bench` measures in processes of their own
    #[command(hide = true)]
    Run(Box<run::RunArgs>),
}

impl Program for Lab {
    fn messages(&self) -> &MessageArgs {
        &self.messages
    }

    fn writes_files(&self) -> bool {
        false
    }

    fn prints_a_summary(&self) -> bool {
        matches!(self.command, LabCommand::Run(_))
    }

    fn stops_by_itself(&self) -> bool {
        matches!(self.command, LabCommand::Run(_) | LabCommand::Bench(_))
    }

    fn execute(&self, with: CommandContext<'_, '_>) -> Result<ExitCode> {
        let is_good = match &self.command {
            LabCommand::Evaluate(args) => evaluate::run(args, with.out)?,
            LabCommand::Recover(args) => recover::run(args, with.out).map(|()| true)?,
            LabCommand::Train(args) => train::run(args, with.out).map(|()| true)?,
            LabCommand::Calibrate(args) => calibrate::run(args, with.out).map(|()| true)?,
            LabCommand::Corrections(args) => corrections::run(args, with.out).map(|()| true)?,
            LabCommand::Bench(args) => bench::run(args, with.stop, with.out).map(|()| true)?,
            LabCommand::Run(args) => run::run(args, with)?,
        };
        Ok(if is_good { ExitCode::SUCCESS } else { ExitCode::from(1) })
    }
}

fn main() -> ExitCode {
    run_program::<Lab>()
}
