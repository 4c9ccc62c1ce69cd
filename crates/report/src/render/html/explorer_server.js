// What the page asks its server. The token stands in the address behind `#`, which a browser never sends.

/** Why something was not answered. */
class Unanswered extends Error {}

/** The token and the place of an address: `#TOKEN/PLACE`. */
function fromHash(hash) {
  const match = /^#([0-9a-f]*)(?:\/([0-9.~-]*))?$/.exec(hash);
  return { token: match?.[1] ?? "", place: match?.[2] || null };
}

/** Sends a request, and returns the response if there is one. */
async function send(token, name, body) {
  let response;
  try {
    response = await fetch(`/api/${name}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Mazurka-Token": token },
      body: JSON.stringify(body),
      cache: "no-store",
      credentials: "omit",
    });
  } catch {
    throw new Unanswered("The command has ended, or cannot be reached. Start it again; --at goes to the place in this address.");
  }
  if (response.ok) return response;
  const { error } = await response.json().catch(() => ({ error: `the server says ${response.status}` }));
  throw new Unanswered(error);
}

/** Sends a request, and returns the answer. */
async function ask(token, name, body) {
  const response = await send(token, name, body);
  return response.json();
}

/** Lets the browser save a text as a file. */
function saveFile({ name, text }) {
  const address = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  const link = element("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/** The steps of a place, as texts; how many there are is the number of steps that lead there. */
function turnsOf(place) {
  const at = place.indexOf("-");
  return at < 0 ? [] : place.slice(at + 1).split(".");
}

function startOf(place) {
  return place.split("-")[0];
}

/** The place after these steps. */
function placeOf(start, turns) {
  return turns.length === 0 ? String(start) : `${start}-${turns.join(".")}`;
}
