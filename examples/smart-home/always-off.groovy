// A lamp that must not burn.
definition(
    name: "Always Off",
    namespace: "mazurka",
    author: "Mazurka",
    description: "Turns a lamp off again as soon as somebody turns it on.",
    category: "Green Living"
)

preferences {
    section("Keep off") {
        input "lamp", "capability.switch"
    }
}

def installed() {
    subscribe(lamp, "switch.on", again)
}

def updated() {
    unsubscribe()
    installed()
}

def again(evt) {
    lamp.off()
}
