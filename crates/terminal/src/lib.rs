/*!
What a program shows and is told at a terminal: its arguments, signals and exit code ([`command_line`]), messages
([`messages`]), what its commands print ([`printed`]), and how far they are ([`progress_bar`]). Nothing else prints.
*/

pub mod command_line;
pub mod format;
pub mod messages;
mod narrower;
pub mod observer;
pub mod printed;
pub mod progress_bar;
pub mod shortened;
pub mod whole_number;
