//! What a program is read with, besides its files.

use crate::load::Kind;
use mazurka::report::terminal::name as shown;
use mazurka_home::{HomeText, Options, Profile};

/// What a program is read with, besides its files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Constants of a `.mz` program.
    pub defines: Vec<(String, i64)>,
    /// The file that says which devices a home has.
    pub home: Option<String>,
    /// The environment of a home.
    pub profile: Profile,
    /// What must never be in a home.
    pub never: Vec<String>,
    /// Whether apps may fight over a device.
    pub no_conflicts: bool,
    /// The file of the dependences of a trace.
    pub dependence: Option<String>,
}

impl Settings {
    /// Settings that only set constants of a `.mz` program.
    pub fn defines(defines: &[(String, i64)]) -> Self {
        Settings { defines: defines.to_vec(), ..Settings::default() }
    }

    /// What a home is made for.
    pub(crate) fn of_home(&self, home: Option<HomeText>) -> Options {
        Options { profile: self.profile, conflicts: !self.no_conflicts, never: self.never.clone(), home }
    }

    /// Says which setting does not belong to a kind of program, if one does not.
    pub(crate) fn refuse_others(&self, kind: Kind) -> Result<(), String> {
        let (of_mz, of_home, of_trace) = (
            "expected a .mz file for this option",
            "expected .groovy files for this option",
            "expected a trace for this option",
        );
        let given = [
            (self.defines.first().map(|(name, _)| format!("-D {}", shown(name))), Kind::Mz, of_mz),
            (self.home.as_ref().map(|_| "--home".to_owned()), Kind::Home, of_home),
            (self.never.first().map(|_| "--never".to_owned()), Kind::Home, of_home),
            (self.no_conflicts.then(|| "--no-conflicts".to_owned()), Kind::Home, of_home),
            ((self.profile != Profile::default()).then(|| "--profile".to_owned()), Kind::Home, of_home),
            (self.dependence.as_ref().map(|_| "--dependence".to_owned()), Kind::Trace, of_trace),
        ];
        let mut others = given.into_iter().filter(|(_, belongs, _)| *belongs != kind);
        let wrong = others.find_map(|(option, _, expected)| Some((option?, expected)));
        wrong.map_or(Ok(()), |(option, expected)| Err(format!("error: {option}: not for this program\n{expected}")))
    }

    /// The settings by name, those that are not the usual ones: so they stand in a saved schedule.
    pub fn written(&self) -> Vec<(String, String)> {
        let mut all: Vec<(String, String)> =
            self.defines.iter().map(|(name, value)| (name.clone(), value.to_string())).collect();
        all.extend(self.home.iter().map(|file| ("home".to_owned(), file.clone())));
        if self.profile == Profile::Paper {
            all.push(("profile".to_owned(), "paper".to_owned()));
        }
        all.extend(self.never.iter().map(|rule| ("never".to_owned(), rule.clone())));
        if self.no_conflicts {
            all.push(("conflicts".to_owned(), "no".to_owned()));
        }
        all
    }

    /// Reads what was written for a kind of program; otherwise says what is wrong and what was expected.
    pub fn read(written: &[(String, String)], kind: Kind) -> Result<Settings, String> {
        let mut settings = Settings::default();
        for (name, value) in written {
            match (kind, name.as_str(), value.as_str()) {
                (Kind::Mz, ..) => {
                    let number =
                        value.parse().map_err(|_| format!("`define {name}={value}`\nexpected a whole number"))?;
                    settings.defines.push((name.clone(), number));
                }
                (Kind::Home, "home", file) => settings.home = Some(file.to_owned()),
                (Kind::Home, "profile", "paper") => settings.profile = Profile::Paper,
                (Kind::Home, "never", rule) => settings.never.push(rule.to_owned()),
                (Kind::Home, "conflicts", "no") => settings.no_conflicts = true,
                (Kind::Trace, ..) => {
                    return Err(format!("`define {name}={value}`\nexpected no constants: a trace has none"));
                }
                (Kind::Home, ..) => {
                    let expected = "expected home=FILE, profile=paper, never=RULE or conflicts=no";
                    return Err(format!("`define {name}={value}`\n{expected}"));
                }
            }
        }
        Ok(settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let home = Settings {
            home: Some("my home.toml".to_owned()),
            profile: Profile::Paper,
            never: vec!["mode == \"Away\"".to_owned(), "lock == \"locked\"".to_owned()],
            no_conflicts: true,
            ..Settings::default()
        };
        assert_eq!(Settings::read(&home.written(), Kind::Home), Ok(home));
        let mz = Settings::defines(&[("N".to_owned(), -3)]);
        assert_eq!(Settings::read(&mz.written(), Kind::Mz), Ok(mz));
        let wrong = [("profile".to_owned(), "papr".to_owned())];
        assert!(Settings::read(&wrong, Kind::Home).is_err_and(|error| error.contains("profile=papr")));
        assert!(Settings::read(&wrong, Kind::Mz).is_err_and(|error| error.contains("expected a whole number")));
    }

    #[test]
    fn a_setting_of_another_kind_of_program_is_refused() {
        let never = Settings { never: vec!["x".to_owned()], ..Settings::default() };
        assert!(never.refuse_others(Kind::Mz).is_err_and(|error| error.starts_with("error: --never")));
        assert_eq!(never.refuse_others(Kind::Home), Ok(()));
        let defines = Settings::defines(&[("N".to_owned(), 1)]);
        assert!(defines.refuse_others(Kind::Home).is_err_and(|error| error.starts_with("error: -D N")));
    }
}
