// Hands full of shopping: the door opens by itself.
definition(
    name: "Open On Arrival",
    namespace: "mazurka",
    author: "Mazurka",
    description: "Unlocks the door when somebody comes home.",
    category: "Convenience"
)

preferences {
    section("When somebody arrives") {
        input "people", "capability.presenceSensor", multiple: true
    }
    section("Unlock") {
        input "door", "capability.lock"
    }
}

def installed() {
    subscribe(people, "presence.present", arrived)
}

def updated() {
    unsubscribe()
    installed()
}

def arrived(evt) {
    door.unlock()
}
