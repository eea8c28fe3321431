//! Single functions.

mod addresses;
mod agreement;
