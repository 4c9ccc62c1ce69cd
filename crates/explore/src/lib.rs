//! The live explorer: a page on this machine on which a program is run step by step.
//!
//! [`serve`] binds a port on the loopback interface and serves one page with a few requests below `/api`. `guard` decides who may
//! ask, before anything else is looked at; `server` reads requests and writes answers; `session` knows the
//! program, and `watch` runs an engine on it. What is asked
//! and answered is in [`mazurka::report::explore`], which also serialises it; the page is made by [`mazurka::report::html`].
//!
//! No request names a file, nothing is written, and nothing is started but engines on the program that was given.
#![forbid(unsafe_code)]

mod guard;
mod server;
mod session;
mod watch;

pub use server::{Opened, ServeError, serve};
pub use session::{Begin, Exhibit};
