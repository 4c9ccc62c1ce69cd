// Nobody at home, so the door is locked.
definition(
    name: "Lock When Away",
    namespace: "mazurka",
    author: "Mazurka",
    description: "Locks the door when the last person leaves.",
    category: "Safety & Security"
)

preferences {
    section("When these people have left") {
        input "people", "capability.presenceSensor", title: "Who?", multiple: true
    }
    section("Lock this") {
        input "door", "capability.lock", title: "Door"
    }
}

def installed() {
    subscribe(people, "presence", presenceHandler)
}

def updated() {
    unsubscribe()
    subscribe(people, "presence", presenceHandler)
}

def presenceHandler(evt) {
    def somebodyIsHome = people.any { it.currentPresence == "present" }
    if (!somebodyIsHome) {
        log.info "Everybody has left: locking ${door.displayName}"
        door.lock()
    }
}
