// Counts how often the door opens, and stumbles over its own first day: the count is only there once the button was pushed.
definition(
    name: "Door Counter",
    namespace: "mazurka",
    author: "Mazurka",
    description: "Counts how often a door is opened.",
    category: "Fun & Social"
)

preferences {
    section("Count") {
        input "door", "capability.contactSensor"
        input "reset", "capability.button", title: "Start again with"
    }
}

def installed() {
    subscribe(door, "contact.open", opened)
    subscribe(reset, "button.pushed", startAgain)
}

def updated() {
    unsubscribe()
    installed()
}

def startAgain(evt) {
    state.days = [openings: 0]
}

def opened(evt) {
    state.days.openings = (state.days.openings + 1) % 10
}
