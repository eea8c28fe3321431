//! Single functions.

mod addresses;
mod agreement;
mod earlier;
mod lost_texts;
mod settings;
