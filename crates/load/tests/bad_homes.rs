//! Bad configurations of Home Assistant: a clear error, bounded time and memory, nothing read outside of the folder.

use mazurka::{Check, Verdict};
use mazurka_load::{Settings, load, load_configuration};
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("mazurka-bad-homes-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    for (name, text) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap_or(&folder)).expect("a folder can be made");
        fs::write(path, text).expect("it can be written");
    }
    folder
}

/// The first problem of a configuration, or why there is none.
fn problem(name: &str, files: &[(&str, &str)]) -> String {
    let folder = folder(name, files);
    let told = match load_configuration(&[folder.display().to_string()]) {
        Ok(read) => read.problems.first().map_or_else(String::new, |problem| {
            format!("{}: {}; {}", read.shown(problem.place), problem.message, problem.expected)
        }),
        Err(error) => error.to_string(),
    };
    let _ = fs::remove_dir_all(&folder);
    told
}

#[test]
fn includes_that_go_round_or_out_are_told_and_followed_no_further() {
    let own = problem("own", &[("configuration.yaml", "automation: !include configuration.yaml\n")]);
    assert_eq!(own, "configuration.yaml:1: configuration.yaml includes itself; expected files that come to an end");
    let round = [
        ("configuration.yaml", "automation: !include a.yaml\n"),
        ("a.yaml", "- !include b.yaml\n"),
        ("b.yaml", "- !include a.yaml\n"),
    ];
    assert_eq!(problem("round", &round), "b.yaml:1: a.yaml includes itself; expected files that come to an end");
    for path in ["../../etc/passwd", "/etc/passwd", "a/../../x.yaml", "..\\x.yaml"] {
        let out = problem("out", &[("configuration.yaml", &format!("automation: !include {path}\n"))]);
        assert!(out.contains("lies outside of the folder"), "{path}: {out}");
    }
    let folders = problem("folders", &[("configuration.yaml", "automation: !include_dir_merge_list ../..\n")]);
    assert!(folders.contains("lies outside of the folder"), "{folders}");
}

#[test]
fn a_bomb_of_aliases_is_refused() {
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        bomb += &format!("a{level}: &a{level} [{}]\n", format!("*a{},", level - 1).repeat(10));
    }
    let told = problem("bomb", &[("configuration.yaml", &bomb)]);
    assert!(told.contains("with its aliases, the configuration has more than 2000000 values"), "{told}");
    let deep = problem("deep", &[("configuration.yaml", &format!("automation:\n - {}", "[".repeat(100_000)))]);
    assert!(deep.contains("this is no YAML"), "{deep}");
}

#[test]
fn templates_without_end_come_to_one() {
    let templates = [
        "{% for i in range(1000000000) %}x{% endfor %}",
        "{% for i in range(100000) %}{% for j in range(100000) %}x{% endfor %}{% endfor %}",
        "{{ 'x' * 10000000000 }}",
        "{{ range(10**12)|list|length > 3 }}",
        "{% macro a() %}{{ a() }}{% endmacro %}{{ a() }}",
        "{{ ('a'*100000)|replace('a','b'*100000) }}",
        "{{ ('a'*100000).replace('a','b'*100000) }}",
        "{{ range(90000)|join('b'*100000) }}",
        "{{ 9**9**9 }}",
        "{{ '{:>1000000000}'.format(1) }}",
        "{% set n = namespace(x='a') %}{% for i in range(60) %}{% set n.x = n.x ~ n.x %}{% endfor %}{{ n.x }}",
        "{{ 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab' | regex_match('(a+)+$') }}",
    ];
    for (number, template) in templates.iter().enumerate() {
        let text = format!(
            "automation:\n- alias: T\n  triggers: {{trigger: state, entity_id: binary_sensor.m, to: 'on'}}\n  \
             conditions: \"{template}\"\n  actions:\n    - {{action: light.turn_on, target: {{entity_id: light.x}}}}\n    - \
             delay: 5\n    - {{action: light.turn_off, target: {{entity_id: light.x}}}}\n"
        );
        let folder = folder(&format!("template-{number}"), &[("configuration.yaml", &text)]);
        let loaded = load(&[folder.display().to_string()], &Settings::default(), false).expect("it can be read");
        let checked = Check::new(&*loaded.subject).name("home").time_limit(Duration::from_secs(60)).run();
        let verdict = &checked.exploration.verdict;
        assert!(matches!(verdict, Verdict::Verified | Verdict::Violated), "{template}: {verdict:?}");
        let _ = fs::remove_dir_all(&folder);
    }
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_folder_is_not_followed() {
    let folder =
        folder("link", &[("configuration.yaml", "automation: !include_dir_merge_list all\n"), ("all/a.yaml", "")]);
    std::os::unix::fs::symlink("/etc", folder.join("all/etc")).expect("a link can be made");
    std::os::unix::fs::symlink("/etc/hostname", folder.join("all/b.yaml")).expect("a link can be made");
    let read = load_configuration(&[folder.display().to_string()]).expect("it can be read");
    assert_eq!(
        read.sources.iter().map(|source| source.path.as_str()).collect::<Vec<_>>(),
        ["configuration.yaml", "all/a.yaml"]
    );
    assert!(read.problems.iter().any(|problem| problem.message.contains("a link leads out of the folder")));
    let _ = fs::remove_dir_all(&folder);
}
