//! What a program is read with, besides its files.

use crate::load::Kind;
use mazurka::report::terminal::name as shown;
use mazurka_home::{HomeText, Options, Profile};

/// What says in a home with Home Assistant that something has to happen.
const OF_HOME_ASSISTANT: &str =
    "expected an expectation in mazurka.yaml instead, as `within 10 min of A, B`: time is exact there";

/// That an option about what has to happen in the end is not for Home Assistant, and what is.
pub fn not_for_home_assistant(option: &str) -> String {
    format!("{option}: not for this program\n{OF_HOME_ASSISTANT}")
}

/// What a program is read with, besides its files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Constants of a `.mz` program, or macros of a C program.
    pub defines: Vec<(String, i64)>,
    /// The file that says which devices a home has.
    pub home: Option<String>,
    /// Further folders with libraries that apps include.
    pub libraries: Vec<String>,
    /// The environment of a home.
    pub profile: Profile,
    /// What must never be in a home.
    pub never: Vec<String>,
    /// What has to be true in a home at some point.
    pub eventually: Vec<String>,
    /// What has to be true in a home again and again.
    pub always_eventually: Vec<String>,
    /// What has to follow what in a home.
    pub leads_to: Vec<String>,
    /// The devices and events of a home that come about in the end.
    pub fair: Vec<String>,
    /// Whether apps may fight over a device.
    pub no_conflicts: bool,
    /// The automations of Home Assistant to check together, by name; none for all that matter.
    pub automations: Vec<String>,
    /// What is expected of a home with Home Assistant, if only that is to be looked at, by its name.
    pub expectation: Option<String>,
    /// The automations of Home Assistant of which nothing is told.
    pub ignored: Vec<String>,
    /// Whether it is told that one automation undoes what another one did because of an earlier event.
    pub takeovers: bool,
    /// The file with accepted findings.
    pub accepted: Option<String>,
    /// The file of the dependences of a trace.
    pub dependence: Option<String>,
    /// What clang is told.
    pub clang: Vec<String>,
    /// The function of a C program that runs first, if that is not `main`.
    pub entry: Option<String>,
    /// The values that are explored where a C program asks for any.
    pub nondet: Option<(i64, i64)>,
    /// The arguments of a C program.
    pub arguments: Vec<String>,
    /// The `compile_commands.json` that tells the files of a C program, and what clang is told for each.
    pub compile_commands: Option<String>,
    /// Which of these files has the `main` that is meant.
    pub main: Option<String>,
    /// Whether no local variable of a C program counts as private.
    pub all_visible: bool,
    /// Whether it is wrong to read memory of a C program that was never set.
    pub uninitialized: bool,
    /// Whether it is wrong that the threads of a C program go on for ever.
    pub livelock: bool,
}

impl Settings {
    /// Settings that only set constants of a `.mz` program.
    pub fn defines(defines: &[(String, i64)]) -> Self {
        Settings { defines: defines.to_vec(), ..Settings::default() }
    }

    /// What a home is made for.
    pub(crate) fn of_home(&self, home: Option<HomeText>) -> Options {
        Options {
            profile: self.profile,
            conflicts: !self.no_conflicts,
            never: self.never.clone(),
            eventually: self.eventually.clone(),
            always_eventually: self.always_eventually.clone(),
            leads_to: self.leads_to.clone(),
            fair: self.fair.clone(),
            home,
        }
    }

    /// What a C program is made with.
    pub(crate) fn of_c(&self) -> mazurka_c::Options {
        let usual = mazurka_c::Options::default();
        mazurka_c::Options {
            entry: self.entry.clone().unwrap_or(usual.entry),
            arguments: self.arguments.clone(),
            nondet: self.nondet,
            all_visible: self.all_visible,
            unset: self.uninitialized,
            livelocks: self.livelock,
        }
    }

    /// Says which setting does not belong to a kind of program, if one does not.
    pub(crate) fn refuse_others(&self, kind: Kind) -> Result<(), String> {
        let (of_mz, of_c, of_home, of_assistant, of_trace) = (
            "expected a .mz file or C files for this option",
            "expected C files for this option",
            "expected .groovy files for this option",
            "expected the configuration of Home Assistant for this option",
            "expected a trace for this option",
        );
        // What has to happen in the end is said elsewhere where it can be said at all.
        let of_promises = match kind {
            Kind::Mz => "expected `eventually`, `leads_to` or `fair` in the .mz file instead",
            Kind::C => "expected --livelock instead, or calls of mazurka_progress() in the program",
            Kind::HomeAssistant => OF_HOME_ASSISTANT,
            Kind::Home | Kind::Trace => of_home,
        };
        let given = [
            (self.defines.first().map(|(name, _)| format!("-D {}", shown(name))), Kind::Mz, of_mz),
            (self.clang.first().map(|option| shown(option).into_owned()), Kind::C, of_c),
            (self.entry.as_ref().map(|_| "--entry".to_owned()), Kind::C, of_c),
            (self.nondet.map(|_| "--nondet".to_owned()), Kind::C, of_c),
            (self.arguments.first().map(|_| "--arguments".to_owned()), Kind::C, of_c),
            (self.compile_commands.as_ref().map(|_| "--compile-commands".to_owned()), Kind::C, of_c),
            (self.main.as_ref().map(|_| "--main".to_owned()), Kind::C, of_c),
            (self.all_visible.then(|| "--all-visible".to_owned()), Kind::C, of_c),
            (self.uninitialized.then(|| "--uninitialized".to_owned()), Kind::C, of_c),
            (self.livelock.then(|| "--livelock".to_owned()), Kind::C, of_c),
            (self.home.as_ref().map(|_| "--home".to_owned()), Kind::Home, of_home),
            (self.libraries.first().map(|_| "--library".to_owned()), Kind::Home, of_home),
            (self.never.first().map(|_| "--never".to_owned()), Kind::Home, of_home),
            (self.eventually.first().map(|_| "--eventually".to_owned()), Kind::Home, of_promises),
            (self.always_eventually.first().map(|_| "--always-eventually".to_owned()), Kind::Home, of_promises),
            (self.leads_to.first().map(|_| "--leads-to".to_owned()), Kind::Home, of_promises),
            (self.fair.first().map(|_| "--fair".to_owned()), Kind::Home, of_promises),
            (self.no_conflicts.then(|| "--no-conflicts".to_owned()), Kind::Home, of_home),
            ((self.profile != Profile::default()).then(|| "--profile".to_owned()), Kind::Home, of_home),
            (self.automations.first().map(|_| "--automation".to_owned()), Kind::HomeAssistant, of_assistant),
            (self.expectation.as_ref().map(|_| "--expectation".to_owned()), Kind::HomeAssistant, of_assistant),
            (self.ignored.first().map(|_| "--ignore".to_owned()), Kind::HomeAssistant, of_assistant),
            (self.takeovers.then(|| "--takeovers".to_owned()), Kind::HomeAssistant, of_assistant),
            (self.accepted.as_ref().map(|_| "--accept".to_owned()), Kind::HomeAssistant, of_assistant),
            (self.dependence.as_ref().map(|_| "--dependence".to_owned()), Kind::Trace, of_trace),
        ];
        // Some have constants, and some have rules.
        let fits = |option: Option<&str>, belongs: Kind| {
            belongs == kind
                || belongs == Kind::Mz && kind == Kind::C
                || option == Some("--never") && kind == Kind::HomeAssistant
        };
        let mut others = given.into_iter().filter(|(option, belongs, _)| !fits(option.as_deref(), *belongs));
        let wrong = others.find_map(|(option, _, expected)| Some((option?, expected)));
        wrong.map_or(Ok(()), |(option, expected)| Err(format!("error: {option}: not for this program\n{expected}")))
    }

    /// The settings by name, those that are not the usual ones: so they stand in a saved schedule.
    pub fn written(&self) -> Vec<(String, String)> {
        let mut all: Vec<(String, String)> =
            self.defines.iter().map(|(name, value)| (name.clone(), value.to_string())).collect();
        all.extend(self.home.iter().map(|file| ("home".to_owned(), file.clone())));
        all.extend(self.libraries.iter().map(|folder| ("library".to_owned(), folder.clone())));
        if self.profile == Profile::Paper {
            all.push(("profile".to_owned(), "paper".to_owned()));
        }
        let rules = [
            ("never", &self.never),
            ("eventually", &self.eventually),
            ("always-eventually", &self.always_eventually),
            ("leads-to", &self.leads_to),
            ("fair", &self.fair),
        ];
        all.extend(rules.iter().flat_map(|(name, rules)| rules.iter().map(|rule| ((*name).to_owned(), rule.clone()))));
        if self.no_conflicts {
            all.push(("conflicts".to_owned(), "no".to_owned()));
        }
        all.extend(self.clang.iter().map(|option| ("clang".to_owned(), option.clone())));
        all.extend(self.entry.iter().map(|entry| ("entry".to_owned(), entry.clone())));
        all.extend(self.nondet.iter().map(|(from, to)| ("nondet".to_owned(), format!("{from}..{to}"))));
        all.extend(self.arguments.iter().map(|argument| ("argument".to_owned(), argument.clone())));
        all.extend(self.compile_commands.iter().map(|file| ("compile-commands".to_owned(), file.clone())));
        let flags =
            [("all-visible", self.all_visible), ("uninitialized", self.uninitialized), ("livelock", self.livelock)];
        for (name, is_set) in flags {
            all.extend(is_set.then(|| (name.to_owned(), "yes".to_owned())));
        }
        all.extend(self.automations.iter().map(|name| ("automation".to_owned(), name.clone())));
        all.extend(self.expectation.iter().map(|name| ("expectation".to_owned(), name.clone())));
        if self.takeovers {
            all.push(("takeovers".to_owned(), "yes".to_owned()));
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
                (Kind::C, "clang", option) => settings.clang.push(option.to_owned()),
                (Kind::C, "entry", entry) => settings.entry = Some(entry.to_owned()),
                (Kind::C, "argument", argument) => settings.arguments.push(argument.to_owned()),
                (Kind::C, "compile-commands", file) => settings.compile_commands = Some(file.to_owned()),
                (Kind::C, "all-visible", "yes") => settings.all_visible = true,
                (Kind::C, "uninitialized", "yes") => settings.uninitialized = true,
                (Kind::C, "livelock", "yes") => settings.livelock = true,
                (Kind::C, "nondet", range) => {
                    let range = parse_range(range).map_err(|error| format!("`define nondet={value}`\n{error}"))?;
                    settings.nondet = Some(range);
                }
                (Kind::C, ..) => {
                    let number = value.parse().map_err(|_| {
                        format!("`define {name}={value}`\nexpected a whole number, or clang, entry, nondet or argument")
                    })?;
                    settings.defines.push((name.clone(), number));
                }
                (Kind::Home, "home", file) => settings.home = Some(file.to_owned()),
                (Kind::Home, "library", folder) => settings.libraries.push(folder.to_owned()),
                (Kind::Home, "profile", "paper") => settings.profile = Profile::Paper,
                (Kind::Home, "never", rule) => settings.never.push(rule.to_owned()),
                (Kind::Home, "eventually", rule) => settings.eventually.push(rule.to_owned()),
                (Kind::Home, "always-eventually", rule) => settings.always_eventually.push(rule.to_owned()),
                (Kind::Home, "leads-to", rules) => settings.leads_to.push(rules.to_owned()),
                (Kind::Home, "fair", name) => settings.fair.push(name.to_owned()),
                (Kind::Home, "conflicts", "no") => settings.no_conflicts = true,
                (Kind::HomeAssistant, "automation", name) => settings.automations.push(name.to_owned()),
                (Kind::HomeAssistant, "expectation", name) => settings.expectation = Some(name.to_owned()),
                (Kind::HomeAssistant, "takeovers", "yes") => settings.takeovers = true,
                (Kind::HomeAssistant, "never", rule) => settings.never.push(rule.to_owned()),
                (Kind::HomeAssistant, ..) => {
                    let expected = "expected automation=NAME, expectation=NAME, takeovers=yes or never=RULE";
                    return Err(format!("`define {name}={value}`\n{expected}"));
                }
                (Kind::Trace, ..) => {
                    return Err(format!("`define {name}={value}`\nexpected no constants: a trace has none"));
                }
                (Kind::Home, ..) => {
                    let expected = "expected home=FILE, library=DIR, profile=paper, never=RULE, eventually=RULE, \
                                    always-eventually=RULE, leads-to=RULES, fair=NAME or conflicts=no";
                    return Err(format!("`define {name}={value}`\n{expected}"));
                }
            }
        }
        Ok(settings)
    }
}

/// A range of numbers, as in `0..3`, both ends included.
pub fn parse_range(text: &str) -> Result<(i64, i64), String> {
    let wrong = || "expected two whole numbers, as in 0..3, the smaller one first".to_owned();
    let (from, to) = text.split_once("..").ok_or_else(wrong)?;
    let number = |text: &str| text.trim().parse::<i64>().map_err(|_| wrong());
    let (from, to) = (number(from)?, number(to)?);
    if from <= to { Ok((from, to)) } else { Err(wrong()) }
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
        let c = Settings {
            defines: vec![("N".to_owned(), 3)],
            clang: vec!["-Iinclude".to_owned()],
            entry: Some("test".to_owned()),
            nondet: Some((-1, 2)),
            arguments: vec!["a b".to_owned()],
            compile_commands: Some("build/compile_commands.json".to_owned()),
            all_visible: true,
            uninitialized: true,
            livelock: true,
            ..Settings::default()
        };
        assert_eq!(Settings::read(&c.written(), Kind::C), Ok(c));
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
