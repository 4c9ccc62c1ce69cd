definition(name: "Asking", namespace: "examples", author: "examples", description: "Asks for a number on a page that nobody has seen.")

preferences {
    page(name: "first")
}

def first() {
    dynamicPage(name: "first", install: true) {
        section("Light") { input "light", "capability.switch" }
        if (state.expert) {
            section("Expert") { input "minutes", "number" }
        }
    }
}

def installed() {
    subscribe(light, "switch.on", changed)
}

def changed(evt) {
    runIn(minutes * 60, off)
}

def off() {
    light.off()
}
