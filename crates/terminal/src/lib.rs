/*!
What a program shows and is told at a terminal: its arguments, signals and exit code ([`command_line`]), messages
([`messages`]), what its commands print ([`printed`]), and how far they are ([`progress_bar`]). Nothing else prints.
*/

pub mod arguments;
pub mod command_line;
pub mod messages;
pub mod printed;
pub mod progress_bar;
pub mod shortened;
