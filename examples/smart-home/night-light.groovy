// Light for as long as somebody moves, and a little longer.
definition(
    name: "Night Light",
    namespace: "mazurka",
    author: "Mazurka",
    description: "Turns a light on when there is motion, and off some time after it.",
    category: "Convenience"
)

preferences {
    section("Watch") {
        input "sensor", "capability.motionSensor"
    }
    section("Light") {
        input "lamps", "capability.switch", multiple: true
        input "minutes", "number", title: "Minutes after the last motion", defaultValue: 5
    }
}

def installed() {
    subscribe(sensor, "motion", motionHandler)
}

def updated() {
    unsubscribe()
    unschedule()
    installed()
}

def motionHandler(evt) {
    if (evt.value == "active") {
        unschedule("lightsOut")
        lamps.on()
    } else {
        runIn(60 * minutes, "lightsOut")
    }
}

def lightsOut() {
    lamps.off()
}
