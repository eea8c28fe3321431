//! Entry point of the program `sitegrove`.

use std::process::ExitCode;

use sitegrove::commands::Cli;
use terminal::command_line::run_program;

#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    run_program::<Cli>()
}
