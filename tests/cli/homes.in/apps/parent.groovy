definition(name: "Parent", namespace: "examples", author: "examples", description: "Has a device of its own, which a page adds.")

preferences {
    section("Light") { input "light", "capability.switch" }
}

def installed() {
    subscribe(light, "switch", changed)
}

def changed(evt) {
    getChildDevice("mirror").sendEvent(name: "switch", value: evt.value)
}
