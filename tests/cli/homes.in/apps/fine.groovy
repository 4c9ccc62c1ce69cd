definition(name: "Fine", namespace: "examples", author: "examples", description: "Turns on the light when somebody is there.")

preferences {
    section("Light") {
        input "light", "capability.switch"
        input "eye", "capability.motionSensor"
    }
}

def installed() {
    subscribe(eye, "motion.active", seen)
}

def seen(evt) {
    light.on()
}
