/*!
The terminal interface of the programs: arguments, signals and exit code ([`command_line`]), messages ([`messages`]),
standard output ([`printed`]) and progress ([`progress_bar`]). No other crate prints.
*/

pub mod arguments;
pub mod command_line;
pub mod messages;
pub mod printed;
pub mod progress_bar;
