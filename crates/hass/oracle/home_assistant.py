"""Plays scenarios in Home Assistant's own core, and prints what happened.

    python3.13 -m venv ha && ha/bin/pip install homeassistant==2025.2.5
    ha/bin/python home_assistant.py scenarios.json

A file holds one scenario or a list of them; with `-`, scenarios are read from the input, one a line. A scenario is an object:
  name           what it is called
  configuration  as in configuration.yaml: automation, script, input_boolean, timer, template, group ...
  states         the states of other entities at the start: {"binary_sensor.m": "off"}
  start          the time at the start, in UTC (default 2026-01-05T12:00:00, a Monday)
  steps          what happens, in order: {"wait": seconds}, {"set": {"input_boolean.x": "on"}} (one call for all),
                 {"state": ["sensor.t", "19", {"attribute": 1}]} (a device reports), {"event": ["type", {}]},
                 {"call": ["domain", "service", {}]}; with "at", so many seconds after the start
  devices        what services do: {"light.turn_on": {"light.l": [{"when": {}, "writes": [["light.l", "on"]]}]}}; `when` is
                 data of the call, "toggle" is a state, too
  sun            the seconds of the day at which it rises and sets (default 23400, 64800)
  answers        how long the devices take to answer, in seconds, call by call (default 0.02)
  settle         seconds to wait at the end (default 0.3)
  attributes     the attributes that are told like states, as pairs of an entity and a name
  expected       the runs and changes that a checker has foretold; "replayed" tells whether they happened

In actions, dev.slow {entity, state, t} is a device that answers after t seconds, and dev.now one that answers at once.
Without a file it plays its own scenarios: those that `mazurka check --as-test` wrote. The exit code is 1 if what was
foretold did not happen. Prints one JSON object a line: name, log (runs as "[alias]", changes as "entity:old->new", "|" after each step), final.
Time is not waited for: the loop's clock jumps to the next timer. Events are dispatched as in 2026.7 and later.
"""
import asyncio, collections, dataclasses, datetime, json, logging, sys, tempfile, time

SCENARIOS = "[]"
EPOCH = datetime.datetime(2026, 1, 5, 12, tzinfo=datetime.UTC).timestamp()


class JumpingLoop(asyncio.SelectorEventLoop):
    """A loop whose clock jumps to the next timer when nothing else is left to do."""

    def __init__(self):
        super().__init__()
        self.virtual, self.working, self.epoch = 0.0, 0, EPOCH
        select = self._selector.select

        def jump(timeout):
            events = select(0)
            if events or timeout == 0:
                return events
            if self.working:
                return select(0.01)
            if timeout is None:
                return select(None)
            self.virtual += timeout
            return []

        self._selector.select = jump

    def time(self):
        return self.virtual

    def run_in_executor(self, executor, function, *args):
        self.working += 1
        future = super().run_in_executor(executor, function, *args)

        def done(_):
            self.working -= 1

        future.add_done_callback(done)
        return future


LOOP = JumpingLoop()
time.time = lambda: LOOP.epoch + LOOP.virtual

import homeassistant.util.dt as dt_util


def virtual_now(zone=None):
    return datetime.datetime.fromtimestamp(time.time(), zone or dt_util.DEFAULT_TIME_ZONE)


dt_util.utcnow = lambda: virtual_now(datetime.UTC)
dt_util.now = virtual_now

from homeassistant import bootstrap, const, core, loader
from homeassistant.components import automation
from homeassistant.config_entries import ConfigEntries
from homeassistant.helpers import condition as sun_condition, event as event_helper
from homeassistant.helpers import service as service_helper, sun as sun_helper
from homeassistant.setup import async_setup_component

logging.disable(logging.CRITICAL)

# What is set up before automations, in this order.
FIRST = ("input_boolean", "input_number", "input_select", "input_text", "input_button", "input_datetime", "counter",
         "timer", "group", "script")
HELPERS = {*FIRST, "automation", "scene", "homeassistant", "dev"}
MOST_LINES = 300


def dispatch_as_in_2026():
    """A nested event waits until the current one has been dispatched; state listeners are called directly."""
    event_helper._KEYED_TRACK_STATE_CHANGE = dataclasses.replace(
        event_helper._KEYED_TRACK_STATE_CHANGE, dispatcher_callable=event_helper._async_dispatch_entity_id_event)
    original, queue, busy = core.EventBus.async_fire_internal, collections.deque(), [False]

    def fire(self, *args, **named):
        if busy[0]:
            queue.append((args, named))
            return
        busy[0] = True
        try:
            original(self, *args, **named)
            for _ in range(10_000):
                if not queue:
                    break
                more, more_named = queue.popleft()
                original(self, *more, **more_named)
            queue.clear()
        finally:
            busy[0] = False

    core.EventBus.async_fire_internal = fire


def answer_all_calls():
    """Services that nobody has registered are those of devices."""
    call = core.ServiceRegistry.async_call

    async def async_call(registry, domain, service, *args, **named):
        if domain not in HELPERS and not registry.has_service(domain, service):
            registry.async_register(domain, service, Play.now.device,
                                    supports_response=core.SupportsResponse.OPTIONAL)
        return await call(registry, domain, service, *args, **named)

    core.ServiceRegistry.async_call = async_call


def change_in_the_order_of_the_call():
    """In which order the entities of one call are changed is open, and another one in each process: take the call's."""
    candidates = service_helper._get_permissible_entity_candidates

    def ordered(call, *args):
        named = call.data.get("entity_id", [])
        return sorted(candidates(call, *args), key=lambda entity: named.index(entity.entity_id)
                      if isinstance(named, list) and entity.entity_id in named else len(named))

    service_helper._get_permissible_entity_candidates = ordered


class Play:
    now = None

    def __init__(self, scenario):
        Play.now = self
        self.scenario, self.log = scenario, []
        self.answers = list(scenario.get("answers", []))
        self.devices = scenario.get("devices", {})

    async def device(self, call):
        """A device that is asked for something, and answers some time later."""
        effects = self.devices.get(f"{call.domain}.{call.service}", {})

        def writes_of(name):
            # The first of the calls of this name that gives the same data.
            known = effects.get(name, [])
            same = [entry for entry in known
                    if all(call.data.get(key) == value for key, value in entry["when"].items())]
            return (same or known or [{"writes": []}])[0]["writes"]

        named = []
        for key in ("entity_id", "device_id", "area_id", "floor_id", "label_id"):
            given = call.data.get(key, [])
            given = [given] if isinstance(given, str) else given
            named += [name if key == "entity_id" else f"{key}:{name}" for name in given]
        writes = []
        for name in named:
            writes += writes_of(name)
        if not writes:
            return None
        await asyncio.sleep(self.answers.pop(0) if self.answers else 0.02)
        for entity, state, *attributes in writes:
            known = self.hass.states.get(entity)
            attributes = {**(known.attributes if known else {}), **(attributes[0] if attributes else {})}
            if state is None:
                state = known.state if known else "unknown"
            if state == "press":
                state = "after" if known and known.state == "before" else "before"
            if state == "toggle":
                other = {"on": "off", "off": "on", "open": "closed", "closed": "open", "playing": "paused",
                         "paused": "playing"}
                state = other.get(known and known.state, "on")
            self.hass.states.async_set(entity, state, attributes, context=call.context)
        return None

    async def boot(self, folder):
        scenario = self.scenario
        self.start = EPOCH
        if "start" in scenario:
            self.start = datetime.datetime.fromisoformat(scenario["start"]).replace(tzinfo=datetime.UTC).timestamp()
        LOOP.epoch = self.start - LOOP.virtual
        rises, sets = scenario.get("sun", (23_400, 64_800))

        def next_sun(hass, event, utc_point_in_time=None, offset=None):
            now = utc_point_in_time or dt_util.utcnow()
            moment = now.replace(hour=0, minute=0, second=0, microsecond=0) - datetime.timedelta(days=1)
            moment += datetime.timedelta(seconds=rises if event == "sunrise" else sets) + (offset or datetime.timedelta())
            while moment <= now:
                moment += datetime.timedelta(days=1)
            return moment

        def sun_of_day(hass, event, date=None):
            day = date or dt_util.utcnow().date()
            day = day.date() if isinstance(day, datetime.datetime) else day
            midnight = datetime.datetime.combine(day, datetime.time(), datetime.UTC)
            return midnight + datetime.timedelta(seconds=rises if event == "sunrise" else sets)

        sun_helper.get_astral_event_next = event_helper.get_astral_event_next = next_sun
        sun_helper.get_astral_event_date = sun_condition.get_astral_event_date = sun_of_day
        self.hass = hass = core.HomeAssistant(folder)
        hass.config_entries = ConfigEntries(hass, {})
        hass.config.skip_pip = True
        loader.async_setup(hass)
        await bootstrap.async_load_base_functionality(hass)
        hass.config.latitude, hass.config.longitude = 0.0, 0.0
        dt_util.set_default_time_zone(datetime.UTC)
        await async_setup_component(hass, "homeassistant", {})

        async def slow(call):
            await asyncio.sleep(call.data.get("t", 0.02))
            hass.states.async_set(call.data["entity"], call.data["state"], context=call.context)

        async def now(call):
            hass.states.async_set(call.data["entity"], call.data["state"], context=call.context)

        hass.services.async_register("dev", "slow", slow)
        hass.services.async_register("dev", "now", now)
        for service in self.devices:
            if service.split(".")[0] not in HELPERS - {"scene"}:
                hass.services.async_register(*service.split("."), self.device,
                                             supports_response=core.SupportsResponse.OPTIONAL)
        for entity, state in scenario.get("states", {}).items():
            text, attributes = state if isinstance(state, list) else (state, None)
            hass.states.async_set(entity, text, attributes)
        configuration = scenario["configuration"]
        domains = [domain for domain in FIRST if configuration.get(domain)]
        domains += [domain for domain in configuration if domain not in HELPERS and configuration[domain]]
        self.refused = []
        for domain in [*domains, "automation"]:
            if configuration.get(domain) is not None and not await async_setup_component(
                    hass, domain, {domain: configuration[domain]}):
                self.refused.append(domain)
        hass.set_state(core.CoreState.starting)
        hass.bus.async_fire("homeassistant_start")
        await hass.async_block_till_done()
        hass.set_state(core.CoreState.running)
        hass.bus.async_fire("homeassistant_started")
        await hass.async_block_till_done()
        # Scenarios begin a millisecond after a whole second.
        await asyncio.sleep(1.001 - time.time() % 1)

    def record(self, event):
        if event.event_type == "automation_triggered":
            self.log.append(f"[{event.data['name']}]")
        elif event.event_type == "state_changed":
            entity, old, new = (event.data[key] for key in ("entity_id", "old_state", "new_state"))
            if entity.startswith(("automation.", "script.", "scene.")):
                return
            foretold = "expected" in self.scenario
            if not foretold or (old and old.state) != (new and new.state) or entity.startswith("timer."):
                self.log.append(f"{entity}:{old and old.state}->{new and new.state}")
            for owner, attribute in self.scenario.get("attributes", []):
                before, after = (state and state.attributes.get(attribute) for state in (old, new))
                if owner == entity and before != after:
                    self.log.append(f"{entity}.{attribute}:{before}->{after}")

    async def step(self, step):
        hass = self.hass
        if "at" in step:
            await asyncio.sleep(max(0, self.start + step["at"] - time.time()))
        if "wait" in step:
            await asyncio.sleep(step["wait"])
            return
        for value in ("on", "off"):
            names = [entity for entity, wanted in step.get("set", {}).items() if wanted == value]
            if names:
                await hass.services.async_call("input_boolean", f"turn_{value}", {"entity_id": names}, blocking=True)
        if "state" in step:
            entity, state, *attributes = step["state"]
            known = hass.states.get(entity)
            attributes = {**(known.attributes if known else {}), **(attributes[0] if attributes else {})}
            hass.states.async_set(entity, known.state if state is None and known else state, attributes)
        if "event" in step:
            hass.bus.async_fire(*step["event"])
        if "call" in step:
            await hass.services.async_call(*step["call"], blocking=True)
        self.log.append("|")

    async def play(self):
        with tempfile.TemporaryDirectory() as folder:
            await self.boot(folder)
            hass, log = self.hass, self.log
            trigger = automation.AutomationEntity.async_trigger

            async def guarded(entity, *args, **named):
                return await trigger(entity, *args, **named) if len(log) < MOST_LINES else None

            automation.AutomationEntity.async_trigger = guarded
            try:
                hass.bus.async_listen(const.MATCH_ALL, core.callback(lambda event: self.record(event)))
                for step in self.scenario["steps"]:
                    await self.step(step)
                await asyncio.sleep(self.scenario.get("settle", 0.3))
            finally:
                automation.AutomationEntity.async_trigger = trigger
            final = {state.entity_id: state.state for state in hass.states.async_all()
                     if not state.entity_id.startswith(("automation.", "script.", "scene."))}
            await hass.async_stop(force=True)
            told = {"name": self.scenario["name"], "log": log[:MOST_LINES], "final": final}
            if "expected" in self.scenario:
                told |= compared(self.scenario["expected"], log)
            if self.refused:
                told["refused"] = self.refused
            return told


def compared(expected, log):
    """Whether what was foretold has happened; if not, where it ceased to."""
    def plain(line):
        change, new = line.rsplit("->", 1) if "->" in line else (line, "")
        return "->".join(part.removesuffix(".0") for part in (change, new)) if new else line

    entities = {line.rsplit(":", 1)[0] for line in expected if "->" in line}
    names = {line for line in expected if line.startswith("[")}
    happened = [plain(line) for line in log
                if line.startswith("[") or "->" in line and line.split("->")[0].rsplit(":", 1)[0] in entities]
    wanted = [plain(line) for line in expected]
    if happened[:len(wanted)] == wanted:
        return {"replayed": True}
    same = next((n for n, pair in enumerate(zip(wanted, happened)) if pair[0] != pair[1]), min(len(wanted), len(happened)))
    return {"replayed": False, "same": same, "foretold": wanted[same:same + 4], "happened": happened[same:same + 4]}


def load(path):
    if path == "-":
        for line in sys.stdin:
            yield json.loads(line)
        return
    scenarios = json.load(open(path))
    yield from scenarios if isinstance(scenarios, list) else [scenarios]


async def main(scenarios):
    differ = 0
    for scenario in scenarios:
        try:
            told = await Play(scenario).play()
        except Exception as error:
            told = {"name": scenario["name"], "error": repr(error), "log": [], "final": {}}
        differ += not told.get("replayed", True)
        print(json.dumps(told, ensure_ascii=False), flush=True)
    return 1 if differ else 0


if __name__ == "__main__":
    dispatch_as_in_2026()
    answer_all_calls()
    change_in_the_order_of_the_call()
    asyncio.set_event_loop(LOOP)
    scenarios = load(sys.argv[1]) if len(sys.argv) > 1 else json.loads(SCENARIOS)
    sys.exit(LOOP.run_until_complete(main(scenarios)))
