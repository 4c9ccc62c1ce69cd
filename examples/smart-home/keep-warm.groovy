// Warm enough, whoever opened the window.
definition(
    name: "Keep Warm",
    namespace: "mazurka",
    author: "Mazurka",
    description: "Heats when it is too cold.",
    category: "Green Living"
)

preferences {
    section("Measure here") {
        input "sensor", "capability.temperatureMeasurement"
    }
    section("Heat with") {
        input "heating", "capability.thermostat"
        input "lowest", "number", title: "When it is colder than", defaultValue: 50
    }
}

def installed() {
    subscribe(sensor, "temperature", measured)
}

def updated() {
    unsubscribe()
    installed()
}

def measured(evt) {
    if (evt.doubleValue < lowest) {
        heating.heat()
    }
}
