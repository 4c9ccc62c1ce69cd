// One mode for the whole house.
definition(
    name: "Good Night",
    namespace: "mazurka",
    author: "Mazurka",
    description: "When the house goes to sleep, turns everything off and locks the door.",
    category: "Mode Magic"
)

preferences {
    section("At night") {
        input "lamps", "capability.switch", title: "Turn these off", multiple: true
        input "door", "capability.lock", title: "Lock this"
    }
}

def installed() {
    subscribe(location, "mode", modeChanged)
}

def updated() {
    unsubscribe()
    installed()
}

def modeChanged(evt) {
    switch (evt.value) {
        case "Night":
            lamps.off()
            door.lock()
            break
        case "Home":
            log.debug "Good morning"
            break
        default:
            log.debug "Mode ${evt.value} is none of our business"
    }
}
