// A lamp that must not be dark.
definition(
    name: "Always On",
    namespace: "mazurka",
    author: "Mazurka",
    description: "Turns a lamp on again as soon as somebody turns it off.",
    category: "Convenience"
)

preferences {
    section("Keep on") {
        input "lamp", "capability.switch"
    }
}

def installed() {
    subscribe(lamp, "switch.off", again)
}

def updated() {
    unsubscribe()
    installed()
}

def again(evt) {
    lamp.on()
}
