// Tools for the reader of the list: the next and the previous entry, all open or shut, following, by button or by key. Keys of
// one letter can be switched off, since other programs of the reader may use them.

import type { Follower } from "./follower.ts";

const KEYS_OFF = "run-keys-off";

export function setUpTools({ follower, isLive }: { follower: Follower; isLive: boolean }): {
  showFollowing: (isFollowing: boolean) => void;
} {
  const follow = button("Follow (f)", () => follower.set(!follower.isFollowing));
  const open = button("Open all (e)", () => toggleAll(open));
  const keys = keySwitch();
  const showFollowing = (isFollowing: boolean) => {
    follow.ariaPressed = String(isFollowing);
  };
  showFollowing(follower.isFollowing);
  const tools = document.getElementById("tools");
  if (tools !== null) {
    tools.append(...(isLive ? [follow] : []), open, keys.label);
    tools.hidden = false;
  }
  document.addEventListener("keydown", (event) => {
    if (!keys.isOn() || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (event.key === "j") step(1);
    else if (event.key === "k") step(-1);
    else if (event.key === "e") toggleAll(open);
    else if (event.key === "f" && isLive) follower.set(!follower.isFollowing);
    else return;
    event.preventDefault();
  });
  return { showFollowing };
}

/** The entry that the address names is open, and so is what it is folded in. */
export function openNamed(): void {
  const named = document.getElementById(location.hash.slice(1));
  openAround(named);
  if (named?.classList.contains("entry") !== true) return;
  named.focus({ preventScroll: true });
  named.scrollIntoView({ block: "nearest" });
}

/** Opens the element's own fold, and those around it. */
export function openAround(element: Element | null): void {
  const own = element?.querySelector(":scope > .body > details:not(.thought)");
  for (let one = own ?? element; one !== null && one !== undefined; one = one.parentElement)
    if (one instanceof HTMLDetailsElement) one.open = true;
}

function step(by: 1 | -1): void {
  const entries = [...document.querySelectorAll<HTMLElement>(".entry")].filter(isSeen);
  const at = entries.findLastIndex((entry) => entry.contains(document.activeElement));
  const next = entries[at < 0 ? (by > 0 ? 0 : entries.length - 1) : at + by];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

/** Not folded away. */
function isSeen(entry: HTMLElement): boolean {
  return entry.closest("details:not([open])") === null;
}

function toggleAll(pressed: HTMLButtonElement): void {
  const isOpen = pressed.ariaPressed !== "true";
  for (const details of document.querySelectorAll<HTMLDetailsElement>("#entries details, .file"))
    details.open = isOpen;
  pressed.ariaPressed = String(isOpen);
}

function keySwitch(): { label: HTMLLabelElement; isOn: () => boolean } {
  const label = document.createElement("label");
  label.className = "inline";
  const box = document.createElement("input");
  box.type = "checkbox";
  box.checked = localStorage.getItem(KEYS_OFF) === null;
  box.addEventListener("change", () => {
    if (box.checked) localStorage.removeItem(KEYS_OFF);
    else localStorage.setItem(KEYS_OFF, "1");
  });
  label.append(box, "Keys: j and k for the next and the previous");
  return { label, isOn: () => box.checked };
}

function button(text: string, onClick: () => void): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  made.ariaPressed = "false";
  made.addEventListener("click", onClick);
  return made;
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
