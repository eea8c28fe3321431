//! Articles that several addresses have, by the public functions.

mod address;
mod sketch;
