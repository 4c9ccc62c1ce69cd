// When there is smoke, nobody should need a key to get out.
definition(
    name: "Fire Alarm",
    namespace: "mazurka",
    author: "Mazurka",
    description: "Sounds the alarm and unlocks the door when smoke is detected.",
    category: "Safety & Security"
)

preferences {
    section("When smoke is detected by") {
        input "detector", "capability.smokeDetector", title: "Smoke detector"
    }
    section("Sound this and open this") {
        input "siren", "capability.alarm", title: "Siren"
        input "door", "capability.lock", title: "Door"
    }
}

def installed() {
    initialize()
}

def updated() {
    unsubscribe()
    initialize()
}

def initialize() {
    subscribe(detector, "smoke", smokeHandler)
}

def smokeHandler(evt) {
    if (evt.value == "detected") {
        siren.both()
        door.unlock()
    } else if (evt.value == "clear") {
        siren.off()
    }
}
