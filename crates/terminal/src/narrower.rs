//! A terminal for progress bars that is two columns narrower than it is.
//!
//! A bar fills its line. The terminal echoes Ctrl-C as `^C` behind the cursor: on a full line that begins the next one, and
//! the line of the bar is not cleared.

use std::io;

use console::Term;
use indicatif::TermLike;

/// Columns of `^C`.
const ECHO: u16 = 2;

#[derive(Debug)]
pub(super) struct Narrower(pub(super) Term);

impl TermLike for Narrower {
    fn width(&self) -> u16 {
        TermLike::width(&self.0).saturating_sub(ECHO)
    }

    fn height(&self) -> u16 {
        TermLike::height(&self.0)
    }

    fn move_cursor_up(&self, n: usize) -> io::Result<()> {
        self.0.move_cursor_up(n)
    }

    fn move_cursor_down(&self, n: usize) -> io::Result<()> {
        self.0.move_cursor_down(n)
    }

    fn move_cursor_right(&self, n: usize) -> io::Result<()> {
        self.0.move_cursor_right(n)
    }

    fn move_cursor_left(&self, n: usize) -> io::Result<()> {
        self.0.move_cursor_left(n)
    }

    fn write_line(&self, s: &str) -> io::Result<()> {
        self.0.write_line(s)
    }

    fn write_str(&self, s: &str) -> io::Result<()> {
        self.0.write_str(s)
    }

    fn clear_line(&self) -> io::Result<()> {
        self.0.clear_line()
    }

    fn flush(&self) -> io::Result<()> {
        self.0.flush()
    }
}
