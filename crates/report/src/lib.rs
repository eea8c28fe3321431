//! HTML pages about a run and about its sites.
