//! The default engine, by its public functions.

mod block;
mod decide;
mod ending;
mod fast_path;
mod patterns;
mod pools;
mod weights;
