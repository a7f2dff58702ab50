// The same row in the list and in the timeline: pointing at one marks the other, and so does the focus.

const MARKED = "marked";

export function markCounterparts(): void {
  const log = document.getElementById("log");
  for (const type of ["pointerover", "focusin"] as const)
    log?.addEventListener(type, ({ target }) => mark(target));
  log?.addEventListener("pointerleave", () => mark(null));
}

function mark(target: EventTarget | null): void {
  const found = target instanceof Element ? counterpartOf(target) : null;
  for (const one of document.querySelectorAll(`.${MARKED}`)) if (one !== found) one.classList.remove(MARKED);
  found?.classList.add(MARKED);
}

function counterpartOf(target: Element): Element | null {
  const bar = target.closest(".waterfall li");
  if (bar !== null) {
    const { hash = "" } = bar.querySelector("a") ?? {};
    return document.getElementById(hash.slice(1));
  }
  const ids = [target.closest(".entry"), target.closest(".reads")].flatMap((one) => one?.id ?? []);
  const links = ids.map((id) => document.querySelector(`.waterfall a[href="#${id}"]`));
  return links.find((link) => link !== null)?.closest("li") ?? null;
}
