definition(name: "Curious", namespace: "examples", author: "examples", description: "Asks a device for what it does not have.")

preferences {
    section("Light") { input "light", "capability.switch" }
}

def installed() {
    subscribe(light, "switch", changed)
}

def changed(evt) {
    log.debug light.foo
}
