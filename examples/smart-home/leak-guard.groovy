// A wet floor costs more than a dry garden.
definition(
    name: "Leak Guard",
    namespace: "mazurka",
    author: "Mazurka",
    description: "Closes the main valve when water is where it should not be.",
    category: "Safety & Security"
)

preferences {
    section("When this is wet") {
        input "sensor", "capability.waterSensor"
    }
    section("Close this") {
        input "main", "capability.valve"
    }
}

def installed() {
    subscribe(sensor, "water.wet", wet)
}

def updated() {
    unsubscribe()
    installed()
}

def wet(evt) {
    if (main.currentValue("valve") != "closed") {
        main.close()
        sendPush("Water at ${evt.displayName}: the valve is closed")
    }
}
