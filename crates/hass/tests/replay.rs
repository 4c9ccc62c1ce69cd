//! Findings, replayed in Home Assistant itself: what the model foretells happens there.
//!
//! `MAZURKA_HOME_ASSISTANT` is the path of a Python that has Home Assistant; without it nothing is replayed. With
//! `MAZURKA_HOMES`, folders with colons between them, the first ten findings of each of these homes are counted instead.
#![expect(clippy::print_stderr, reason = "a long run tells how it goes")]

mod oracle;

use mazurka_core::{Budget, Found, Meter, Schedule};
use mazurka_engines::{Engine, Options, explore, shorten};
use mazurka_hass::config::{Files, read_configuration, read_files};
use mazurka_hass::{Home, OneSlice};
use oracle::Oracle;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

struct Folder(PathBuf);

impl Files for Folder {
    fn read(&mut self, path: &str) -> Result<Option<String>, String> {
        Ok(fs::read_to_string(self.0.join(path)).ok())
    }

    fn list(&mut self, folder: &str) -> Result<Option<Vec<(String, bool)>>, String> {
        let Ok(entries) = fs::read_dir(self.0.join(folder)) else { return Ok(None) };
        let name = |entry: fs::DirEntry| Some((entry.file_name().into_string().ok()?, entry.path().is_dir()));
        Ok(Some(entries.flatten().filter_map(name).collect()))
    }
}

/// The findings of a home, fights and loops first, the short ones before the long ones.
fn findings(home: &Home) -> Vec<Found> {
    let mut all: Vec<Found> = Vec::new();
    for slice in 0..home.slice_count().0 {
        let mut options = Options { all: true, ..Options::default() };
        options.budget.size = Some(50_000);
        options.budget.time = Some(Duration::from_secs(15));
        let explored = explore(Engine::Exhaustive, &OneSlice(home, slice), &options, &mut mazurka_core::Silent);
        for mut found in explored.violations {
            found.schedule.start = slice;
            if !all.iter().any(|known| known.violation.same_site(&found.violation)) {
                all.push(found);
            }
        }
    }
    let is_minor = |found: &Found| found.violation.message.split('"').next().is_some_and(|words| words.contains(':'));
    all.sort_by_key(|found| (is_minor(found), found.schedule.moves.len()));
    all
}

/// Replays the first ten findings; tells how many happened, and how many there were.
fn replayed(home: &Home, home_assistant: &mut Oracle) -> (usize, usize) {
    let (mut happened, mut count) = (0, 0);
    for found in findings(home).iter().take(10) {
        let meter = Meter::start(&Budget { time: Some(Duration::from_secs(10)), ..Budget::default() });
        let short = shorten(home, found, 2_000, &meter);
        let Schedule { moves, .. } = &short.schedule;
        let test = home.as_test(&found.violation.message, &short.schedule).expect("it is of a slice");
        let test = serde_json::from_str(&test).expect("it is JSON");
        let told = home_assistant.play(&test);
        count += 1;
        if told["replayed"] == true {
            happened += 1;
        } else {
            eprintln!("NOT REPLAYED {} ({} moves)\n  {told}\n  {test}", found.violation.told(), moves.len());
        }
    }
    (happened, count)
}

#[test]
fn findings_happen_in_home_assistant() {
    let Some(mut home_assistant) = Oracle::start() else { return };
    if let Ok(homes) = std::env::var("MAZURKA_HOMES") {
        for folder in homes.split(':') {
            let configuration = read_configuration(&mut Folder(folder.into())).expect("it can be read");
            let options = mazurka_hass::Options { unavailable: false, ..mazurka_hass::Options::default() };
            let home = Home::new(configuration, &[], &options).expect("there are automations");
            let (happened, count) = replayed(&home, &mut home_assistant);
            eprintln!("{folder}: {happened} of the first {count} findings replayed");
        }
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/home-assistant");
    for (file, unavailable, wanted) in [
        ("hall.yaml", false, 1),
        ("night-mode.yaml", false, 2),
        ("light-by-motion.yaml", false, 1),
        ("light-by-motion.yaml", true, 2),
        ("light-by-motion-mended.yaml", true, 0),
    ] {
        let configuration = read_files(&mut Folder(folder.clone()), &[file.to_owned()]).expect("it can be read");
        let options = mazurka_hass::Options { unavailable, ..mazurka_hass::Options::default() };
        let home = Home::new(configuration, &[], &options).expect("there are automations");
        assert_eq!(replayed(&home, &mut home_assistant), (wanted, wanted), "{file}, unavailable: {unavailable}");
    }
}
