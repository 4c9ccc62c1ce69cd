// Nobody heats the garden.
definition(
    name: "Window Watch",
    namespace: "mazurka",
    author: "Mazurka",
    description: "Turns the heating off while a window is open.",
    category: "Green Living"
)

preferences {
    section("When one of these is open") {
        input "windows", "capability.contactSensor", multiple: true
    }
    section("Turn off") {
        input "heating", "capability.thermostat"
    }
}

def installed() {
    subscribe(windows, "contact", contact)
}

def updated() {
    unsubscribe()
    installed()
}

def contact(evt) {
    def open = windows.findAll { it.currentContact == "open" }
    if (open) {
        state.before = heating.currentThermostatMode
        heating.off()
    } else if (state.before) {
        heating.setThermostatMode(state.before)
        state.before = null
    }
}
