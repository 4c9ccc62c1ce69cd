// Light in the hall when somebody comes in.
definition(
    name: "Welcome Home",
    namespace: "mazurka",
    author: "Mazurka",
    description: "Turns on the lights when somebody comes home, and says so.",
    category: "Convenience"
)

preferences {
    section("When") {
        input "people", "capability.presenceSensor", multiple: true
    }
    section("Turn on") {
        input "lamps", "capability.switch", multiple: true
        input "phone", "phone", title: "And tell", required: false
    }
}

def installed() {
    subscribe(people, "presence", presence)
}

def updated() {
    unsubscribe()
    installed()
}

def presence(evt) {
    if (evt.value == "present") {
        lamps*.on()
        if (phone) {
            sendSms(phone, "${evt.displayName} is home")
        }
    }
}
