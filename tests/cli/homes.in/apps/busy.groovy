definition(name: "Busy", namespace: "examples", author: "examples", description: "Waits in a loop.")

preferences {
    section("Light") { input "light", "capability.switch" }
}

def installed() {
    subscribe(light, "switch.on", changed)
}

def changed(evt) {
    while (light.currentSwitch == "on") { }
}
