// A list of runs that goes on by itself: `<ol class="runs" data-list="/runs?part=list">`. While the page is visible and a run on it is
// at work, the list is asked for anew, and only what has changed is drawn: the focus stays where it is, and nothing is read out.

const POLL_MS = 5_000;
const MAX_POLL_MS = 60_000;

for (const list of document.querySelectorAll<HTMLOListElement>("ol.runs[data-list]")) follow(list);

function follow(list: HTMLOListElement): void {
  let etag: string | null = null;
  let delayMs = POLL_MS;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const poll = async (): Promise<void> => {
    const { list: address } = list.dataset;
    // It goes on once it is visible again.
    if (address === undefined || document.hidden) return;
    const answer = await read(address, etag);
    if (answer === null) delayMs = Math.min(MAX_POLL_MS, 2 * delayMs);
    else {
      delayMs = POLL_MS;
      etag = answer.etag;
      if (answer.list === "gone") return;
      if (answer.list !== "same") draw(list, answer.list);
    }
    plan();
  };
  const plan = (): void => {
    clearTimeout(timer);
    if (list.dataset.list !== undefined) timer = setTimeout(poll, delayMs);
  };
  document.addEventListener("visibilitychange", () => {
    clearTimeout(timer);
    if (!document.hidden) void poll();
  });
  plan();
}

type ListAnswer = { readonly etag: string | null; readonly list: HTMLOListElement | "same" | "gone" };

/** Null where there was no answer, or one that passes. "gone": nobody is signed in any more, or the page is another one. */
function read(address: string, etag: string | null): Promise<ListAnswer | null> {
  return new Promise((resolve) => {
    // Not fetch: it gives text, and a page with trusted types may not parse any.
    const request = new XMLHttpRequest();
    request.open("GET", address);
    request.responseType = "document";
    if (etag !== null) request.setRequestHeader("If-None-Match", etag);
    request.onerror = () => resolve(null);
    request.onload = () => {
      const { status } = request;
      if (status === 429 || status >= 500) return resolve(null);
      // Of an empty answer it would be a document that says so, with a style that the page's policy refuses.
      const list = status === 200 ? request.responseXML?.querySelector<HTMLOListElement>("ol.runs") : null;
      const found = status === 304 ? "same" : (list ?? "gone");
      resolve({ etag: request.getResponseHeader("ETag") ?? etag, list: found });
    };
    request.send();
  });
}

function draw(list: HTMLOListElement, next: HTMLOListElement): void {
  const shown = new Map([...list.children].map((item) => [addressOf(item), item]));
  for (const item of [...next.children].reverse()) {
    const address = addressOf(item);
    const known = shown.get(address);
    shown.delete(address);
    const placed = known ?? document.importNode(item, true);
    if (known !== undefined) change(known, item);
    // One that is in its place is not moved: it may have the focus.
    const after = next.children[[...next.children].indexOf(item) + 1];
    const before =
      after === undefined
        ? null
        : ([...list.children].find((one) => addressOf(one) === addressOf(after)) ?? null);
    if (placed.parentNode !== list || placed.nextElementSibling !== before) list.insertBefore(placed, before);
  }
  for (const item of shown.values()) if (!item.contains(document.activeElement)) item.remove();
  if (next.dataset.list === undefined) delete list.dataset.list;
}

/** Takes over the parts that differ, each without the link, which may have the focus. */
function change(item: Element, next: Element): void {
  for (const part of [".state", ".what p", ".cost", ".when"]) {
    const [old, now] = [item.querySelector(part), next.querySelector(part)];
    if (old !== null && now !== null && !old.isEqualNode(now))
      old.replaceWith(document.importNode(now, true));
  }
}

function addressOf(item: Element): string {
  return item.querySelector("a")?.getAttribute("href") ?? "";
}
