//! Data tables in GitHub's syntax. Layout tables are recognised and rendered as blocks.

use html5ever::{LocalName, local_name};

use crate::{Document, NodeId, is_heading};

/// A cell with its text as Markdown.
#[derive(Debug, Default)]
pub(super) struct TableCell {
    pub(super) text: String,
    pub(super) header: bool,
    pub(super) columns: usize,
    pub(super) rows: usize,
}

/// Maximum number of columns of a data table; spans are limited to it.
const MOST_COLUMNS: usize = 60;
/// Longest cell of a data table, in bytes; longer cells contain prose.
const LONGEST_CELL: usize = 1_500;

/// Whether an element is part of a table but has no syntax of its own in Markdown.
pub(super) fn is_part(name: &LocalName) -> bool {
    matches!(*name, local_names!("thead" "tbody" "tfoot" "colgroup" "col"))
}

/// Whether a table is a data table: at least two columns, at least two rows or a header cell, and cells with single lines. If it
/// has header cells, others may contain lists, paragraphs and the like, which are written as one line.
pub(super) fn is_of_data(document: &Document, table: NodeId) -> bool {
    if document.attribute(table, &LocalName::from("role")) == Some("presentation") {
        return false;
    }
    let (mut rows, mut cells, mut widest, mut headings, mut paragraphs) = (0, 0, 0, 0, 0);
    let (mut is_heading_cell, mut has_blocks) = (false, false);
    for id in document.subtree(table).skip(1) {
        let Some(name) = document.name(id) else { continue };
        match *name {
            local_names!("table" "figure" "article" "section" "hr") => return false,
            // Lines of code would be joined.
            local_name!("pre") if document.text_content(id).trim().contains('\n') => return false,
            local_names!("ul" "ol" "dl" "pre" "blockquote") => has_blocks = true,
            _ if is_heading(name) && !is_heading_cell => has_blocks = true,
            local_name!("tr") => {
                rows += 1;
                cells = 0;
            }
            local_names!("td" "th") => {
                cells += 1;
                widest = widest.max(cells);
                paragraphs = 0;
                is_heading_cell = *name == local_name!("th");
                headings += usize::from(is_heading_cell);
                if document.text_content(id).len() > LONGEST_CELL {
                    return false;
                }
            }
            local_name!("p") => {
                paragraphs += 1;
                has_blocks |= paragraphs > 1;
            }
            _ => {}
        }
    }
    (2..=MOST_COLUMNS).contains(&widest) && (headings > 0 || rows > 1 && !has_blocks)
}

/// The table as Markdown; `None` if it has no text. If it has no heading row, the heading row that
/// Markdown requires is left empty.
pub(super) fn render_table(rows: Vec<Vec<TableCell>>) -> Option<String> {
    let has_text = |row: &Vec<TableCell>| row.iter().any(|cell| !cell.text.is_empty());
    if !rows.iter().any(has_text) {
        return None;
    }
    let headed = rows.first().is_some_and(|row| row.iter().all(|cell| cell.header));
    let mut grid: Vec<Vec<String>> = Vec::with_capacity(rows.len());
    // For each column, the number of rows that the cell above still spans.
    let mut taken: Vec<usize> = Vec::new();
    for row in rows {
        let mut line: Vec<String> = Vec::new();
        let skip_taken = |line: &mut Vec<String>, taken: &mut Vec<usize>| {
            while let Some(rows) = taken.get_mut(line.len()).filter(|rows| **rows > 0) {
                *rows -= 1;
                line.push(String::new());
            }
        };
        for cell in row {
            skip_taken(&mut line, &mut taken);
            let width = cell.columns.clamp(1, MOST_COLUMNS.saturating_sub(line.len()).max(1));
            let at = line.len();
            line.push(cell.text);
            line.resize(at + width, String::new());
            taken.resize(taken.len().max(line.len()), 0);
            // A span of 0 extends to the end.
            let more = if cell.rows == 0 { usize::MAX } else { cell.rows - 1 };
            taken[at..at + width].fill(more);
        }
        skip_taken(&mut line, &mut taken);
        if !line.is_empty() {
            grid.push(line);
        }
    }
    let columns = grid.iter().map(Vec::len).max().unwrap_or(0);
    let mut lines = Vec::with_capacity(grid.len() + 2);
    if !headed {
        lines.push(format!("|{}", "  |".repeat(columns)));
    } else if let Some(first) = grid.first_mut() {
        first.resize(columns, String::new());
    }
    for row in &grid {
        lines.push(format!("| {} |", row.join(" | ")));
    }
    lines.insert(1, format!("|{}", " --- |".repeat(columns)));
    Some(lines.join("\n"))
}
