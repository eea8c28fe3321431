//! Single functions.

mod addresses;
mod agreement;
mod settings;
