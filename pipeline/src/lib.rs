//! sitegrove
