// Elements. Texts of the program are only ever set as text, never as markup.

/** How many colours there are for actors and engines; the style has them as `lane-0` and so on. */
const LANE_COLOURS = 8;

/** A sign for each verdict; pairs of apps may also have failed to be checked. */
const SIGNS = { verified: "✓", violated: "✗", bounded: "…", inconclusive: "?", unsupported: "–", failed: "!", accepted: "✓" };

/** An HTML element with attributes (`on` holds listeners) and children. */
function element(tag, attributes = {}, ...children) {
  return furnish(document.createElement(tag), attributes, children);
}

/** An SVG element. */
function svg(tag, attributes = {}, ...children) {
  return furnish(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function furnish(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
    } else if (name === "style") {
      // As an attribute it would be refused where the page's policy allows no style but its own.
      node.style.cssText = value;
    } else if (value !== null && value !== undefined && value !== false) {
      node.setAttribute(name, value === true ? "" : value);
    }
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** `1 step`, `2 steps`. */
function count(number, one, many) {
  return `${number} ${number === 1 ? one : many}`;
}

/** A file's name without its folders. */
function baseName(file) {
  return file.split(/[\\/]/).pop();
}

/** Scrolls a box, and nothing but the box, until a child is well inside it. */
function bringIntoBox(box, child) {
  const [outer, inner] = [box.getBoundingClientRect(), child.getBoundingClientRect()];
  const margin = Math.min(60, outer.height / 4);
  if (inner.top < outer.top + margin) box.scrollTop -= outer.top + margin - inner.top;
  else if (inner.bottom > outer.bottom - margin) box.scrollTop += inner.bottom - outer.bottom + margin;
}
