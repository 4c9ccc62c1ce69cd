// Water for the garden, by hand or when the sun has set.
definition(
    name: "Garden Watering",
    namespace: "mazurka",
    author: "Mazurka",
    description: "Opens the valve at sunset, closes it after a while.",
    category: "Green Living"
)

preferences {
    section("Water") {
        input "main", "capability.valve"
        input "minutes", "number", title: "For so many minutes", defaultValue: 20
    }
}

def installed() {
    subscribe(location, "sunset", water)
    subscribe(app, water)
}

def updated() {
    unsubscribe()
    unschedule()
    installed()
}

def water(evt) {
    main.open()
    runIn(minutes * 60, stopWatering)
}

def stopWatering() {
    main.close()
}
