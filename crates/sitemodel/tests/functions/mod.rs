//! Single functions.

mod addresses;
mod agreement;
mod lost_texts;
mod settings;
