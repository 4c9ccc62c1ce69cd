//! What apps can ask of the platform, one test for each kind of thing.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{Visit, app, home, home_by, home_with, study};
use mazurka_core::{System, ViolationKind};
use mazurka_home::{Options, Profile};

const LIGHT: &str = "input \"light\", \"capability.switch\"";
const LIGHT_AND_DOOR: &str = "input \"light\", \"capability.switch\"\ninput \"door\", \"capability.contactSensor\"";

#[test]
fn an_event_runs_the_handlers_of_its_subscribers() {
    let opener = app(
        "Light At The Door",
        LIGHT_AND_DOOR,
        "def installed() { subscribe(door, \"contact.open\", opened); subscribe(door, \"contact.closed\", \"closed\") }
         def opened(evt) { light.on() }
         def closed(evt) { light.off() }",
    );
    let home = home(&[opener]);
    let mut visit = Visit::at_start(&home, 1);
    assert_eq!(visit.enabled(), ["contact sensor closes", "contact sensor opens"]);
    assert_eq!(visit.value("switch").as_deref(), Some("off"));
    assert_eq!(visit.described("contact sensor opens"), "\"Light At The Door\" turns on the switch");
    visit.happen("contact sensor opens");
    assert_eq!(visit.value("switch").as_deref(), Some("on"));
    // What changes nothing runs no handler, and only looks.
    visit.happen("contact sensor opens");
    assert!(visit.footprint.is_read_only());
    visit.happen("contact sensor closes");
    assert_eq!(visit.value("switch").as_deref(), Some("off"));
}

#[test]
fn a_command_that_changes_something_is_an_event_within_the_same_step() {
    let first = app(
        "First",
        LIGHT_AND_DOOR,
        "def installed() { subscribe(door, \"contact.open\", opened) }\ndef opened(evt) { light.on() }",
    );
    let second = app(
        "Second",
        "input \"lamp\", \"capability.switch\"\ninput \"lock\", \"capability.lock\"",
        "def installed() { subscribe(lamp, \"switch.on\", \"lit\") }
         def lit(evt) { state.physical = evt.physical; if (evt.device.currentSwitch == evt.value) lock.lock() }",
    );
    let home = home(&[first, second]);
    let mut visit = Visit::at_start(&home, 1);
    visit.happen("contact sensor opens");
    assert_eq!(visit.value("lock").as_deref(), Some("locked"));
    assert_eq!(visit.value("\"Second\".state.physical").as_deref(), Some("false"));
}

#[test]
fn subscriptions_can_change_while_apps_run() {
    let app = app(
        "Once",
        LIGHT_AND_DOOR,
        "def installed() { subscribe(door, \"contact\", moved); subscribe(light, \"switch\", lit) }
         def moved(evt) { unsubscribe(door); state.moved = true }
         def lit(evt) { unsubscribe(); subscribe(location, \"mode\", changed) }
         def changed(evt) { state.mode = evt.value }",
    );
    let home = home(&[app]);
    let mut visit = Visit::at_start(&home, 1);
    visit.happen("contact sensor opens");
    assert_eq!(visit.changed("subscriptions of \"Once\""), Some(true));
    assert_eq!(visit.enabled(), ["switch turned on by hand", "switch turned off by hand"]);
    visit.happen("switch turned on by hand");
    assert_eq!(visit.enabled(), ["mode Home", "mode Away", "mode Night"]);
    visit.happen("mode Night");
    assert_eq!(visit.value("\"Once\".state.mode").as_deref(), Some("Night"));
}

#[test]
fn apps_can_be_tapped_and_the_sun_rises() {
    let app = app(
        "Sunny",
        LIGHT,
        "def installed() { subscribe(app, tapped); subscribe(location, \"sunset\", dusk); subscribe(location, \"sunriseTime\", dawn) }
         def tapped(evt) { light.off() }
         def dusk(evt) { light.on() }
         def dawn(evt) { state.dawn = true }",
    );
    let home = home(&[app]);
    let mut visit = Visit::at_start(&home, 1);
    assert_eq!(visit.enabled(), ["sunset", "sunriseTime", "\"Sunny\" tapped"]);
    visit.happen("sunset");
    assert_eq!(visit.value("switch").as_deref(), Some("on"));
    visit.happen("\"Sunny\" tapped");
    assert_eq!(visit.value("switch").as_deref(), Some("off"));
}

#[test]
fn the_mode_can_be_set_and_heard_of() {
    let setter = app(
        "Setter",
        "input \"door\", \"capability.contactSensor\"",
        "def installed() { subscribe(door, \"contact.open\", a); subscribe(door, \"contact.closed\", b) }
         def a(evt) { setLocationMode(\"Night\") }\ndef b(evt) { location.setMode(\"Home\") }",
    );
    let hearer = app(
        "Hearer",
        LIGHT,
        "def installed() { subscribe(location, \"mode.Night\", night); subscribe(location, changed) }
         def night(evt) { light.on() }\ndef changed(evt) { state.mode = location.mode; state.name = evt.name }",
    );
    let home = home(&[setter, hearer]);
    let mut visit = Visit::at_start(&home, 1);
    visit.happen("contact sensor opens");
    assert_eq!(visit.value("switch").as_deref(), Some("on"));
    assert_eq!(visit.value("mode").as_deref(), Some("Night"));
    assert_eq!(visit.value("\"Hearer\".state.name").as_deref(), Some("mode"));
    visit.happen("contact sensor closes");
    assert_eq!(visit.value("\"Hearer\".state.mode").as_deref(), Some("Home"));
}

#[test]
fn timers_enable_events_of_their_own() {
    let app = app(
        "Timed",
        "input \"light\", \"capability.switch\"\ninput \"door\", \"capability.contactSensor\"\ninput \"key\", \"capability.lock\"",
        "def installed() { subscribe(door, \"contact.open\", opened); subscribe(door, \"contact.closed\", closed); subscribe(key, \"lock\", all) }
         def opened(evt) { runIn(60, turnOff, [data: [why: \"open\"]]) }
         def closed(evt) { unschedule(turnOff); runEvery5Minutes(\"check\") }
         def all(evt) { unschedule() }
         def turnOff(data) { light.off(); state.why = data.why }
         def check() { light.on() }",
    );
    let home = home(&[app]);
    let mut visit = Visit::at_start(&home, 1);
    let off = "\"Timed\": time for turnOff";
    let check = "\"Timed\": time for check";
    assert!(!visit.enabled().contains(&off.to_owned()));
    visit.happen("contact sensor opens");
    assert!(visit.enabled().contains(&off.to_owned()));
    assert_eq!(visit.changed("timer of \"Timed\".turnOff"), Some(true));
    visit.happen(off);
    assert_eq!(visit.value("\"Timed\".state.why").as_deref(), Some("open"));
    assert!(!visit.enabled().contains(&off.to_owned()), "it goes off once");
    visit.happen("contact sensor closes");
    visit.happen(check).happen(check);
    assert_eq!(visit.value("switch").as_deref(), Some("on"));
    assert!(visit.enabled().contains(&check.to_owned()), "it goes off again and again");
    visit.happen("lock unlocked by hand");
    assert!(!visit.enabled().contains(&check.to_owned()), "all timers were stopped");
}

#[test]
fn a_timer_that_overwrites_goes_off_once_and_one_that_does_not_goes_off_twice() {
    let of = |options: &str| {
        app(
            "Twice",
            "input \"door\", \"capability.contactSensor\"",
            &format!(
                "def installed() {{ subscribe(door, \"contact\", moved); state.n = 0 }}
                 def moved(evt) {{ runIn(5, later{options}) }}\ndef later() {{ state.n = state.n + 1 }}"
            ),
        )
    };
    for (options, times) in [("", 1), (", [overwrite: false]", 2)] {
        let home = home(&[of(options)]);
        let mut visit = Visit::at_start(&home, 1);
        visit.happen("contact sensor opens").happen("contact sensor closes");
        let mut count = 0;
        while visit.enabled().contains(&"\"Twice\": time for later".to_owned()) {
            visit.happen("\"Twice\": time for later");
            count += 1;
        }
        assert_eq!(count, times, "{options}");
    }
}

#[test]
fn state_lasts_and_is_told_apart_by_key() {
    let app = app(
        "Keeper",
        "input \"door\", \"capability.contactSensor\"\ninput \"light\", \"capability.switch\"\ninput \"lock\", \"capability.lock\"",
        "def installed() { state.list = []; state.same = 1; state.lots = [a: [b: 1]]; atomicState.copy = []
           subscribe(door, \"contact.open\", opened); subscribe(light, \"switch.on\", lit); subscribe(lock, \"lock.locked\", sized) }
         def opened(evt) { state.list << evt.value; state.same = 1; state.lots.a.b += 1; atomicState.copy << 1 }
         def lit(evt) { def unused = state.list; state.remove(\"same\") }
         def sized(evt) { state.size = state.size() }",
    );
    let home = home(&[app]);
    let mut visit = Visit::at_start(&home, 1);
    visit.happen("contact sensor opens");
    assert_eq!(visit.value("\"Keeper\".state.list").as_deref(), Some("[open]"));
    assert_eq!(visit.value("\"Keeper\".state.lots").as_deref(), Some("[a:[b:2]]"));
    assert_eq!(visit.value("\"Keeper\".atomicState.copy").as_deref(), Some("[]"), "atomicState hands out copies");
    assert_eq!(visit.changed("\"Keeper\".state.list"), Some(true));
    assert_eq!(visit.changed("\"Keeper\".state.same"), Some(false), "the same value again is no change");
    assert_eq!(visit.changed("keys of \"Keeper\".state"), None, "no key came or went");
    visit.happen("switch turned on by hand");
    assert_eq!(visit.changed("\"Keeper\".state.list"), Some(false), "looked at");
    assert_eq!(visit.changed("keys of \"Keeper\".state"), Some(true), "a key went");
    visit.happen("lock locked by hand");
    visit.happen("lock unlocked by hand").happen("lock locked by hand");
    assert_eq!(visit.value("\"Keeper\".state.size").as_deref(), Some("2"));
}

#[test]
fn the_past_is_a_choice() {
    let app = app(
        "Historian",
        "input \"light\", \"capability.switch\"\ninput \"heat\", \"capability.temperatureMeasurement\"",
        "def installed() { subscribe(light, \"switch\", h); subscribe(heat, \"temperature\", t) }
         def h(evt) { state.n = light.eventsSince(new Date()).findAll { it.value == \"on\" }.size() }
         def t(evt) { state.t = heat.statesSince(\"temperature\", new Date()).collect { it.value } }",
    );
    let home = home(&[app]);
    let mut visit = Visit::at_start(&home, 1);
    visit.choose("switch turned on by hand", 2);
    assert_eq!(visit.outcomes, 5);
    assert_eq!(visit.value("\"Historian\".state.n").as_deref(), Some("2"));
    visit.choose("temperature sensor: temperature 55", 1);
    assert_eq!(visit.outcomes, 2);
    assert_eq!(visit.value("\"Historian\".state.t").as_deref(), Some("[55]"));
}

#[test]
fn devices_answer_questions() {
    let app = app(
        "Curious",
        "input \"lights\", \"capability.switch\", multiple: true\ninput \"heat\", \"capability.thermostat\"",
        "def installed() {
           state.list = lights.currentSwitch
           state.each = lights.collect { it.currentValue(\"switch\") }
           state.latest = heat.latestValue(\"heatingSetpoint\")
           state.current = heat.currentHeatingSetpoint
           state.reading = heat.currentState(\"thermostatMode\").value
           state.property = heat.thermostatModeState.value
           state.can = [heat.hasCommand(\"heat\"), heat.hasCommand(\"fly\"), heat.hasAttribute(\"temperature\"), heat.hasCapability(\"Thermostat\")]
           state.missing = heat.currentValue(\"color\")
           state.name = heat.displayName + \" \" + heat.getLabel() + \" \" + heat.id
           state.knows = lights[0].supportedCommands.collect { it.name }
           state.size = lights.size()
           heat.setHeatingSetpoint(64.0); heat.cool(); lights.on(); lights*.off(); lights.each { it.setLevel(7) }
         }",
    );
    let home = home(&[app]);
    let visit = Visit::at_start(&home, 0);
    assert_eq!(visit.violations, []);
    let state = |key: &str| visit.value(&format!("\"Curious\".state.{key}")).unwrap();
    assert_eq!(state("list"), "[on]");
    assert_eq!(state("each"), "[on]");
    assert_eq!((state("latest"), state("current")), ("50".into(), "50".into()));
    assert_eq!((state("reading"), state("property")), ("heat".into(), "heat".into()));
    assert_eq!(state("can"), "[true, false, true, true]");
    assert_eq!(state("missing"), "null");
    assert_eq!(state("name"), "thermostat thermostat thermostat");
    assert_eq!(state("knows"), "[on, off, setLevel]");
    assert_eq!(state("size"), "1");
    assert_eq!(visit.value("thermostat heating setpoint").as_deref(), Some("64"));
    assert_eq!(visit.value("thermostat thermostat mode").as_deref(), Some("cool"));
    assert_eq!(visit.value("switch").as_deref(), Some("off"));
    assert_eq!(visit.value("switch level").as_deref(), Some("7"));
}

#[test]
fn events_answer_questions() {
    let app = app(
        "Asker",
        "input \"heat\", \"capability.temperatureMeasurement\"\ninput \"knob\", \"capability.button\"",
        "def installed() { subscribe(heat, \"temperature\", h); subscribe(knob, \"button.pushed\", b) }
         def h(evt) { state.all = [evt.name, evt.value, evt.numericValue + 1, evt.doubleValue > 50, evt.isStateChange(), evt.physical,
                      evt.isPhysical(), evt.device.id, evt.deviceId, evt.displayName, evt.date == null, evt.descriptionText] }
         def b(evt) { state.button = evt.jsonData.buttonNumber + 1 }",
    );
    let home = home(&[app]);
    let mut visit = Visit::at_start(&home, 1);
    visit.happen("temperature sensor: temperature 55");
    assert_eq!(visit.messages(), Vec::<String>::new());
    assert_eq!(
        visit.value("\"Asker\".state.all").unwrap(),
        "[temperature, 55, 56, true, true, true, true, temperatureMeasurement, temperatureMeasurement, \
         temperature sensor, false, temperature sensor temperature is 55]"
    );
    visit.happen("button pushed").happen("button pushed");
    assert_eq!(visit.value("\"Asker\".state.button").as_deref(), Some("2"));
}

#[test]
fn nothing_leaves_the_home() {
    let app = app(
        "Talker",
        "input \"light\", \"capability.switch\"",
        "def installed() {
           sendPush(\"x\"); sendSms(\"1\", \"x\"); sendNotificationEvent(\"x\"); httpGet(\"http://x\") { state.called = true }
           log.debug \"hello\"; location.helloHome?.execute(\"Good Night!\"); createAccessToken()
           state.children = getChildDevices().size(); state.child = getChildDevice(\"x\")
           addChildDevice(\"a\", \"b\", \"c\", null, [:]).refresh(); light.refresh()
           state.token = state.accessToken != null
           state.phrases = location.helloHome.getPhrases()*.label.size()
         }",
    );
    let home = home(&[app]);
    let visit = Visit::at_start(&home, 0);
    assert_eq!(visit.violations, []);
    assert_eq!(visit.value("\"Talker\".state.called"), None);
    assert_eq!(visit.value("\"Talker\".state.children").as_deref(), Some("0"));
    assert_eq!(visit.value("\"Talker\".state.token").as_deref(), Some("true"));
    assert_eq!(visit.value("\"Talker\".state.phrases").as_deref(), Some("4"));
}

#[test]
fn time_stands_still() {
    let app = app(
        "Clock",
        "input \"at\", \"time\"",
        "def installed() {
           state.same = now() == now()
           state.today = timeToday(at, location.timeZone).time <= now()
           state.between = timeOfDayIsBetween(timeToday(\"10:00\", location.timeZone), timeToday(\"20:00\", location.timeZone), new Date(), location.timeZone)
           state.not = timeOfDayIsBetween(timeToday(\"20:00\", location.timeZone), timeToday(\"10:00\", location.timeZone), new Date(), location.timeZone)
           def sun = getSunriseAndSunset(); state.sun = sun.sunrise.time < sun.sunset.time
         }",
    );
    let home = home(&[app]);
    let visit = Visit::at_start(&home, 0);
    assert_eq!(visit.violations, []);
    let state = |key: &str| visit.value(&format!("\"Clock\".state.{key}")).unwrap();
    assert_eq!(
        [state("same"), state("today"), state("between"), state("not"), state("sun")],
        ["true", "true", "true", "false", "true"]
    );
}

#[test]
fn inputs_have_values_and_are_in_the_settings() {
    let app = app(
        "Inputs",
        "input \"n\", \"number\"\ninput \"b\", \"bool\"\ninput \"e\", \"enum\", options: [\"x\", \"y\"]\ninput \"es\", \"enum\", options: [\"x\", \"y\"], multiple: true
         input \"d\", \"number\", defaultValue: 7\ninput \"m\", \"mode\"",
        "def installed() { state.all = [n, b, e, es, d, m, settings.n, settings[\"e\"], settings.nothing] }",
    );
    let home = home(std::slice::from_ref(&app));
    let visit = Visit::at_start(&home, 0);
    assert_eq!(visit.value("\"Inputs\".state.all").as_deref(), Some("[50, true, x, [x], 7, Home, 50, x, null]"));
    let home = study(&[app]);
    let visit = Visit::at_start(&home, 0);
    assert_eq!(visit.value("\"Inputs\".state.all").as_deref(), Some("[50, true, x, x, 50, home, 50, x, null]"));
}

#[test]
fn a_home_file_names_devices_and_gives_values() {
    let app = app(
        "Bound",
        "input \"doors\", \"capability.lock\", multiple: true\ninput \"lamp\", \"capability.switch\"\ninput \"n\", \"number\"\ninput \"m\", \"mode\"",
        "def installed() { subscribe(doors, \"lock.unlocked\", h) }
         def h(evt) { state.name = evt.device.displayName; lamp.on(); state.n = n; setLocationMode(m) }",
    );
    let toml = "modes = [\"Day\", \"Dark\"]\nmode = \"Day\"\n[[device]]\nname = \"front door\"\ncapability = \"lock\"\nstart = { lock = \"locked\" }
        [[device]]\nname = \"back door\"\ncapability = [\"lock\", \"battery\"]\n[[device]]\nname = \"lamp\"\ncapability = \"switch\"\nstart = { switch = \"off\" }
        [app.Bound]\ndoors = [\"front door\", \"back door\"]\nn = 3\nm = \"Dark\"\n";
    let home = home_by(toml, &[app]);
    let mut visit = Visit::at_start(&home, 0);
    assert_eq!(
        visit.enabled(),
        [
            "front door locked by hand",
            "front door unlocked by hand",
            "back door locked by hand",
            "back door unlocked by hand"
        ]
    );
    visit.happen("front door unlocked by hand");
    assert_eq!(visit.value("\"Bound\".state.name").as_deref(), Some("front door"));
    assert_eq!(visit.value("lamp switch").as_deref(), Some("on"));
    assert_eq!(
        (visit.value("mode").as_deref(), visit.value("\"Bound\".state.n").as_deref()),
        (Some("Dark"), Some("3"))
    );
}

#[test]
fn an_input_may_take_any_device() {
    let any = |more: &str| {
        app(
            "Any",
            &format!("input \"things\", \"capability.*\", multiple: true\n{more}"),
            "def installed() { subscribe(things, \"lock\", h); subscribe(things, \"switch\", h) }
             def h(evt) { state.name = evt.device.displayName }",
        )
    };
    let value = |home: &mazurka_home::Home| home.overview()[0].inputs[0].value.clone();
    // All devices that inputs of any app ask for, also of those that come later; one switch where there is none.
    let locker = app("Locker", "input \"door\", \"capability.lock\"", "");
    assert_eq!(value(&home(&[any("input \"lamp\", \"capability.switch\""), locker])), "switch, lock");
    let alone = home(&[any("")]);
    assert_eq!(value(&alone), "switch");
    assert_eq!(alone.overview()[0].inputs[0].kind, "capability.*");
    let mut visit = Visit::at_start(&alone, 0);
    visit.happen("switch turned off by hand");
    assert_eq!(visit.value("\"Any\".state.name").as_deref(), Some("switch"));
    // A home says which.
    let toml =
        "[[device]]\nname = \"door\"\ncapability = \"lock\"\n[[device]]\nname = \"lamp\"\ncapability = \"switch\"\n
        [app.Any]\nthings = [\"door\"]\n";
    assert_eq!(value(&home_by(toml, &[any("")])), "door");
}

fn fighters() -> [String; 2] {
    let alarm = app(
        "Fire Alarm",
        "input \"smoke\", \"capability.smokeDetector\"\ninput \"door\", \"capability.lock\"",
        "def installed() { subscribe(smoke, \"smoke.detected\", fire) }\ndef fire(evt) { door.unlock() }",
    );
    let locker = app(
        "Lock It When I Leave",
        "input \"who\", \"capability.presenceSensor\"\ninput \"door\", \"capability.lock\"",
        "def installed() { subscribe(who, \"presence\", moved); subscribe(app, tapped) }
         def moved(evt) { if (evt.value == \"not present\") door.lock() }\ndef tapped(evt) { door.lock() }",
    );
    [alarm, locker]
}

#[test]
fn apps_that_undo_each_other_are_in_conflict() {
    let home = home(&fighters());
    let mut visit = Visit::at_start(&home, 1);
    visit.happen("presence sensor arrives");
    visit.happen("smoke detected");
    assert_eq!(visit.messages(), Vec::<String>::new());
    visit.happen("presence sensor leaves");
    assert_eq!(visit.messages(), ["\"Lock It When I Leave\" locks the lock that \"Fire Alarm\" unlocked"]);
    let violation = &visit.violations[0];
    assert_eq!(violation.kind, ViolationKind::Conflict);
    assert_eq!(violation.location.as_ref().map(|place| (&*place.file, place.line)), Some(("1.groovy", 7)));
    // A person who asks for it is no conflict.
    let mut visit = Visit::at_start(&home, 1);
    visit.happen("smoke detected").happen("\"Lock It When I Leave\" tapped");
    assert_eq!(visit.messages(), Vec::<String>::new());
    assert_eq!(visit.value("lock").as_deref(), Some("locked"));
}

#[test]
fn who_wrote_last_is_part_of_the_state_only_when_it_matters() {
    let with = home(&fighters());
    let without = home_with(&Options { conflicts: false, ..Options::default() }, &fighters());
    let ends = |home| {
        let mut visit = Visit::at_start(home, 1);
        visit.happen("smoke detected");
        visit.touched().iter().any(|(name, _)| name == "last writer of lock")
    };
    assert!(ends(&with));
    assert!(!ends(&without));
}

#[test]
fn a_cascade_without_end_is_found_by_the_state_that_comes_back() {
    let on = app("On", LIGHT, "def installed() { subscribe(light, \"switch.off\", h) }\ndef h(evt) { light.on() }");
    let off = app("Off", LIGHT, "def installed() { subscribe(light, \"switch.on\", h) }\ndef h(evt) { light.off() }");
    let home = home_with(&Options { conflicts: false, ..Options::default() }, &[on, off]);
    let mut visit = Visit::at_start(&home, 1);
    visit.happen("switch turned on by hand");
    let violation = &visit.violations[0];
    assert_eq!(violation.kind, ViolationKind::Cascade);
    assert_eq!(violation.message, "\"On\" changes the switch without end: on and off, again and again");
}

#[test]
fn a_handler_that_crashes_is_a_violation_with_its_line() {
    let app = app(
        "Careless",
        LIGHT_AND_DOOR,
        "def installed() { subscribe(door, \"contact.open\", h); subscribe(door, \"contact.closed\", loop) }
         def h(evt) { light.on()\n state.missing.field.deeper() }
         def loop(evt) { while (true) { state.n = (state.n ?: 0) + 1 } }",
    );
    let home = home(&[app]);
    let mut visit = Visit::at_start(&home, 1);
    visit.happen("contact sensor opens");
    assert_eq!(visit.violations[0].kind, ViolationKind::Crash);
    assert!(visit.messages()[0].starts_with("\"Careless\" crashes: "), "{:?}", visit.messages());
    assert_eq!(visit.violations[0].location.as_ref().map(|place| place.line), Some(8));
    assert_eq!(visit.value("switch").as_deref(), Some("on"), "what was done before stays done");
    // Whether a loop ends is not known: it is followed for a while.
    let before = visit.state.clone();
    visit.happen("contact sensor closes");
    assert_eq!(visit.violations[0].kind, ViolationKind::Unsupported);
    assert!(visit.messages()[0].starts_with("\"Careless\" is not followed to its end: "), "{:?}", visit.messages());
    assert!(visit.violations[0].location.is_some());
    assert_eq!(visit.state, before, "nothing is known of what comes behind it");
}

#[test]
fn budgets_are_no_faults_of_an_app() {
    for body in [
        "while (true) { }",
        "def x = []; while (true) { x << 'a' * 1000 }",
        "h(evt)",
        "def l = []; for (i in 1..65) { l = [l] }; state.l = l",
        "def n = 0; (1..1000).each { a -> (1..10000).each { b -> n++ } }",
        "(1..100000).each { state.list = (state.list ?: []) + it; light.on(); light.off() }",
    ] {
        let methods = format!("def installed() {{ subscribe(door, \"contact.open\", h) }}\ndef h(evt) {{ {body} }}");
        let home = home(&[app("Busy", LIGHT_AND_DOOR, &methods)]);
        let mut visit = Visit::at_start(&home, 1);
        visit.happen("contact sensor opens");
        let kinds: Vec<ViolationKind> = visit.violations.iter().map(|violation| violation.kind).collect();
        assert_eq!(kinds, [ViolationKind::Unsupported], "{body}: {:?}", visit.messages());
    }
}

#[test]
fn many_timers_subscriptions_and_keys_take_no_square_of_their_number() {
    let many = app(
        "Many",
        LIGHT,
        "def installed() { (1..10000).each { runIn(it, \"h${it}\"); state[\"k$it\"] = it; subscribe(location, \"e$it\", x) } }
         def x(evt) { }",
    );
    let started = std::time::Instant::now();
    let home = home(&[many]);
    // In a second or so; with a set stored for each of them it took minutes and gigabytes.
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
    let visit = Visit::at_start(&home, 0);
    assert_eq!(visit.violations, []);
    assert_eq!(visit.enabled().len(), 10_000);
    assert_eq!(visit.value("\"Many\".state.k10000").as_deref(), Some("10000"));
}

#[test]
fn apps_are_installed_within_a_budget() {
    use mazurka_core::{Budget, Cancel, StopReason};
    let slow = app("Slow", LIGHT, "def installed() { def n = 0; while (true) { n++ } }");
    let sources: Vec<(String, String)> = (0..40).map(|index| (format!("{index}.groovy"), slow.clone())).collect();
    let budget = Budget { time: Some(std::time::Duration::ZERO), ..Budget::default() };
    let home = mazurka_home::Home::load_within(&sources, &Options::default(), &budget).expect("they are apps");
    assert_eq!(home.stopped(), Some(StopReason::TimeLimit));
    let cancel = Cancel::default();
    cancel.cancel();
    let budget = Budget { cancel, ..Budget::default() };
    let home = mazurka_home::Home::load_within(&sources, &Options::default(), &budget).expect("they are apps");
    assert_eq!(home.stopped(), Some(StopReason::Cancelled));
    assert!(home.initial_states().is_empty());
}

#[test]
fn a_setting_that_was_never_answered_is_no_fault_of_an_app() {
    for (body, setting) in [
        ("hidden.size()", "hidden"),
        ("def x = hidden; state.n = x + 1", "hidden"),
        ("settings.hidden.toUpperCase()", "hidden"),
        ("settings[\"level${light.id}\"].intValue()", "levelswitch"),
        ("helper(settings.nothing)", "nothing"),
        ("int n = hidden", "hidden"),
        ("Integer.parseInt(hidden)", "hidden"),
        ("hidden[0]", "hidden"),
        ("hidden.x = 3", "hidden"),
    ] {
        let methods = format!(
            "def installed() {{ subscribe(light, \"switch.on\", h) }}\ndef h(evt) {{ {body} }}\ndef helper(x) {{ x.length() }}
             def page() {{ if (location.nothing) {{ input \"hidden\", \"number\" }} }}"
        );
        let home = home(&[app("Asking", LIGHT, &methods)]);
        let mut visit = Visit::at_start(&home, 1);
        visit.happen("switch turned on by hand");
        let wanted = format!("\"Asking\" depends on the setting \"{setting}\", which was never answered");
        assert_eq!(visit.messages(), [wanted], "{body}");
        assert_eq!(visit.violations[0].kind, ViolationKind::Unsupported, "{body}");
    }
    let by_page = "definition(name: \"Paged\")\npreferences { page(name: \"main\") }
        def main() { state.table = [:]; dynamicPage(name: \"main\") { section(\"x\") { input \"light\", \"capability.switch\" } } }
        def installed() { subscribe(light, \"switch.on\", h) }
        def h(evt) { def level = this.\"${evt.device.id}_level\" ?: 3; state.level = level; state.table.put(1, 2) }";
    let paged = home(&[by_page.to_owned()]);
    let mut visit = Visit::at_start(&paged, 1);
    visit.happen("switch turned on by hand");
    assert_eq!(visit.messages(), ["\"Paged\" depends on state.table, which its pages set"]);
    // To ask whether there is an answer is no trouble, and a null of another kind is a fault.
    let methods = "def installed() { subscribe(light, \"switch\", h) }
        def h(evt) { state.n = hidden ?: 5; state.s = \"$hidden\" + settings.no?.foo; if (evt.value == \"off\") { state.nope.foo() } }
        def page() { if (location.nothing) { input \"hidden\", \"number\" } }";
    let home = home(&[app("Asking", LIGHT, methods)]);
    let mut visit = Visit::at_start(&home, 1);
    visit.happen("switch turned on by hand");
    assert_eq!(visit.messages(), Vec::<String>::new());
    assert_eq!(visit.value("\"Asking\".state.n").as_deref(), Some("5"));
    assert_eq!(visit.value("\"Asking\".state.s").as_deref(), Some("nullnull"));
    visit.happen("switch turned off by hand");
    assert_eq!(visit.violations[0].kind, ViolationKind::Crash);
}

#[test]
fn child_devices_are_followed_as_far_as_they_are_modelled() {
    let methods = |body: &str| {
        format!(
            "def installed() {{
               def child = getChildDevice(\"a\")
               if (!child) child = addChildDevice(\"ns\", \"Virtual Switch\", \"a\", null, [label: \"Own\"])
               child.on(); state.about = [child.label, child.deviceNetworkId, \"$child\", getChildDevices().size(), childDevices[0].id]
               subscribe(light, \"switch.on\", h)
             }}
             def h(evt) {{ {body} }}"
        )
    };
    let visited = |body: &str| {
        let home = home(&[app("Parent", LIGHT, &methods(body))]);
        let mut visit = Visit::at_start(&home, 1);
        assert_eq!(visit.violations, []);
        assert_eq!(visit.value("\"Parent\".state.about").as_deref(), Some("[Own, a, Own, 1, a]"));
        visit.happen("switch turned on by hand");
        visit.violations.iter().map(|violation| (violation.kind, violation.message.clone())).collect::<Vec<_>>()
    };
    for fine in [
        "getChildDevice(\"a\").setLevel(5)",
        "getChildDevices().each { it.off() }",
        "getChildDevice(\"a\").sendEvent(name: \"switch\", value: \"on\")",
        "getChildDevice(\"b\")?.on()",
        "deleteChildDevice(\"a\"); state.n = getChildDevices().size()",
    ] {
        assert_eq!(visited(fine), [], "{fine}");
    }
    for unmodelled in [
        "getChildDevice(\"b\").on()",
        "deleteChildDevice(\"a\"); getChildDevice(\"a\").on()",
        "if (getChildDevice(\"a\").currentSwitch == \"on\") light.off()",
        "getChildDevice(\"a\").currentValue(\"switch\")",
        "subscribe(getChildDevice(\"a\"), \"switch\", h)",
        "parent.report()",
        "getChildAppById(3).run()",
        "location.hubs[0].localIP.split(\"x\")",
        "httpGet(\"http://x\").data.size()",
        "getAllGlobalVars()",
        "evt.somethingOfThePlatform",
        "location.somethingOfThePlatform",
        "light.roomName.length()",
    ] {
        let found = visited(unmodelled);
        assert!(matches!(found[..], [(ViolationKind::Unsupported, _)]), "{unmodelled}: {found:?}");
    }
}

#[test]
fn what_is_not_supported_is_told_when_it_is_reached() {
    let app = app(
        "Odd",
        LIGHT_AND_DOOR,
        "def installed() { subscribe(door, \"contact.open\", h) }\ndef h(evt) { subscribe(light, \"switch\", { 1 }) }",
    );
    let home = home(&[app]);
    let mut visit = Visit::at_start(&home, 1);
    assert_eq!(visit.violations, []);
    visit.happen("contact sensor opens");
    assert_eq!(visit.violations[0].kind, ViolationKind::Unsupported);
    assert_eq!(visit.messages(), ["\"Odd\" uses what is not supported: a closure as the handler of a subscription"]);
}

#[test]
fn an_unknown_command_is_not_supported() {
    let app = app(
        "Vendor",
        LIGHT,
        "def installed() { subscribe(light, \"switch\", h) }\ndef h(evt) { light.flyToTheMoon() }",
    );
    let home = home(&[app]);
    let mut visit = Visit::at_start(&home, 1);
    visit.happen("switch turned on by hand");
    assert_eq!(visit.violations[0].kind, ViolationKind::Unsupported);
    assert!(visit.messages()[0].contains("the command flyToTheMoon"), "{:?}", visit.messages());
}

#[test]
fn rules_are_checked_and_their_steps_conflict() {
    let options = Options {
        never: vec!["lock == \"unlocked\" and smoke == \"clear\"".into()],
        conflicts: false,
        ..Options::default()
    };
    let home = home_with(&options, &fighters());
    let mut visit = Visit::at_start(&home, 1);
    assert_eq!(visit.violations, []);
    visit.happen("smoke detected");
    assert_eq!(visit.violations, []);
    visit.happen("smoke clears");
    assert_eq!(visit.messages(), ["never: lock == \"unlocked\" and smoke == \"clear\""]);
    assert_eq!(visit.violations[0].kind, ViolationKind::Invariant);
    assert_eq!(visit.violations[0].values.len(), 2);
    assert_eq!(visit.changed("rule lock == \"unlocked\" and smoke == \"clear\""), Some(true));
    let wrong = Options { never: vec!["door == \"open\"".into()], ..Options::default() };
    let sources: Vec<(String, String)> = fighters().into_iter().map(|app| ("a".to_owned(), app)).collect();
    let faults = mazurka_home::Home::load(&sources, &wrong).expect_err("there is no door");
    assert_eq!(&*faults[0].file, "--never");
    assert!(faults[0].diagnostics[0].label.contains("lock"), "{:?}", faults[0].diagnostics);
}

#[test]
fn a_guard_that_looks_is_in_the_footprint() {
    let app = app(
        "Guarded",
        LIGHT_AND_DOOR,
        "def installed() { subscribe(door, \"contact.open\", h) }\ndef h(evt) { light.on() }",
    );
    let home = home_with(&Options { conflicts: false, ..Options::default() }, &[app]);
    let mut visit = Visit::at_start(&home, 0);
    visit.happen("contact sensor closes").happen("contact sensor opens");
    assert_eq!(visit.changed("switch"), Some(false), "it was on already");
    assert_eq!(visit.changed("contact sensor"), Some(true));
}

#[test]
fn in_the_study_timers_run_at_once_and_the_last_app_comes_first() {
    let first = app(
        "First",
        LIGHT_AND_DOOR,
        "def installed() { subscribe(door, \"contact\", h); runIn(60, later) }\ndef h(evt) { light.on() }\ndef later() { state.later = 1 }",
    );
    let second = app(
        "Second",
        LIGHT_AND_DOOR,
        "def installed() { subscribe(door, \"contact\", h) }\ndef h(evt) { light.off() }",
    );
    let home = study(&[first, second]);
    let mut visit = Visit::at_start(&home, 1);
    assert_eq!(visit.value("\"First\".state.later").as_deref(), Some("1"));
    visit.happen("contact sensor opens");
    assert_eq!(visit.value("switch").as_deref(), Some("on"));
    assert_eq!(home.initial_states().len(), 2);
}

#[test]
fn in_the_study_the_sun_overwrites_the_mode() {
    let app = app("Sun", LIGHT, "def installed() { subscribe(location, \"sunset\", h) }\ndef h(evt) { light.on() }");
    let home = home_with(&Options { profile: Profile::Paper, conflicts: false, ..Options::default() }, &[app]);
    let mut visit = Visit::at_start(&home, 1);
    assert_eq!(visit.enabled(), ["sunset", "nothing"]);
    visit.happen("sunset");
    assert_eq!(visit.value("mode").as_deref(), Some("sunset"));
    assert_eq!(visit.value("switch").as_deref(), Some("on"));
}

#[test]
fn an_unknown_property_of_a_device_is_not_supported() {
    for use_of in [
        "light.foo",
        "light?.foo",
        "light[\"foo\"]",
        "light.each { it.foo }",
        "light*.foo",
        "[light].foo",
        "light.getFoo()",
        "light.foo = 3",
        "light.with { foo.bar }",
    ] {
        for many in ["", ", multiple: true"] {
            let inputs = format!("{LIGHT}{many}");
            let methods = format!("def installed() {{ subscribe(light, \"switch\", h) }}\ndef h(evt) {{ {use_of} }}");
            for home in [home(&[app("Curious", &inputs, &methods)]), study(&[app("Curious", &inputs, &methods)])] {
                let mut visit = Visit::at_start(&home, 1);
                visit.happen("switch turned on by hand");
                let kinds: Vec<ViolationKind> = visit.violations.iter().map(|violation| violation.kind).collect();
                assert_eq!(kinds, [ViolationKind::Unsupported], "{use_of}{many}: {:?}", visit.messages());
                assert!(visit.messages()[0].to_lowercase().contains("foo"), "{:?}", visit.messages());
            }
        }
    }
}

#[test]
fn an_app_can_catch_what_a_device_does_not_have() {
    let app = app(
        "Careful",
        LIGHT,
        "def installed() { subscribe(light, \"switch\", h) }
         def h(evt) { try { light.foo } catch (MissingPropertyException e) { state.caught = true } }",
    );
    let home = home(&[app]);
    let mut visit = Visit::at_start(&home, 1);
    visit.happen("switch turned on by hand");
    assert_eq!(visit.violations, []);
    assert_eq!(visit.value("\"Careful\".state.caught").as_deref(), Some("true"));
}

#[test]
fn devices_have_the_properties_that_the_platforms_give_them() {
    let known = [
        "id",
        "deviceId",
        "deviceNetworkId",
        "displayName",
        "label",
        "name",
        "typeName",
        "capabilities",
        "supportedAttributes",
        "supportedCommands",
        "currentStates",
        "currentSwitch",
        "latestSwitch",
        "switchState",
        "hub",
        "status",
        "data",
        "disabled",
        "roomName",
        "lastActivity",
        "manufacturerName",
        "modelName",
        "currentNothingAtAll",
    ];
    let reads: Vec<String> = known.iter().map(|name| format!("light.{name}; light[\"{name}\"]")).collect();
    let app = app(
        "Reader",
        LIGHT,
        &format!(
            "def installed() {{ {}
             state.about = [light.id, light.getLabel(), light.isDisabled(), light.capabilities*.name, light.supportedAttributes[0].name,
                            light.supportedAttributes[0].values] }}",
            reads.join("\n")
        ),
    );
    let home = home(&[app]);
    let visit = Visit::at_start(&home, 0);
    assert_eq!(visit.messages(), Vec::<String>::new());
    let about = visit.value("\"Reader\".state.about").unwrap();
    assert_eq!(about, "[switch, switch, false, [switch], switch, [on, off]]");
}
