//! From files to a program that can be checked.
//!
//! [`load`] knows the kind of a program by its files, reads them, and makes a [`Subject`](mazurka::Subject) of them.
//! [`Settings`] is what a program is read with besides its files, and [`diagnostic`] shows what is wrong with a text.
#![forbid(unsafe_code)]

mod bundle;
mod c;
mod compile_commands;
pub mod diagnostic;
mod folder;
mod hass;
mod home;
mod include;
mod library;
mod load;
mod read;
mod settings;

pub use bundle::{Bundle, FilesByPlace, JOB_FOLDER, fingerprint_of};
pub use c::CProgram;
pub use folder::Folder;
pub use hass::{HomeAssistant, Silenced, is_configuration, load_configuration};
pub use home::HomeProgram;
pub use library::read_app;
pub use load::{Kind, LoadError, Loaded, load, load_home_with, load_within, read_home};
pub use read::{MOST_BYTES, confine, file_trouble, read_bytes, read_text};
pub use settings::{Settings, not_for_home_assistant, parse_range};
