//! Synthesis of wrappers, and site configs, by the public functions.

mod export;
mod host;
mod properties;
mod samples;
mod selection;
mod site_config;
mod synthesis;
