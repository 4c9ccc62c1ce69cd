//! Batches on several machines: jobs and their results in a PostgreSQL database.
//!
//! A run ([`run`]) puts its jobs there, with the files that they need ([`job`]); workers ([`worker`]) on any machine take
//! them one after the other. What the database is asked stands in [`server`].

mod job;
mod run;
mod server;
mod worker;

pub(crate) use run::check_all;
pub(crate) use worker::work;

/// Part of the key of each job, and what a store says that it was made by: results of another version are not taken for
/// ours.
pub(crate) const VERSION: &str = concat!("mazurka jobs 1, ", env!("CARGO_PKG_VERSION"));
