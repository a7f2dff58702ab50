// A headless Chromium, driven by its DevTools protocol: a page in, a picture of one of its elements out.
// The browser resolves no name, so a page has only what is in it or lies beside it.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const START_MS = 30_000;
const ANSWER_MS = 60_000;
const END_MS = 5_000;
/** Sharp enough for a fine screen; every job that uses the Action downloads the pictures, too. */
const PIXELS = 1.5;

export type Shot = {
  /** A file: URL. The page sets `window.isDrawn`, a promise, which says what went wrong by rejecting. */
  readonly url: string;
  /** A CSS selector of what is shown. */
  readonly selector: string;
  readonly isDark: boolean;
  readonly width: number;
};

export interface Browser {
  /** A PNG, with `PIXELS` to a pixel of the page. */
  shoot(shot: Shot): Promise<Buffer>;
  close(): Promise<void>;
}

type Environment = Readonly<Record<string, string | undefined>>;
type Answer = {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
};
type Send = (method: string, params?: object) => Promise<unknown>;

/** `CHROME_PATH`, or the first Chromium in `PATH`. Throws where there is none. */
export async function findBrowser({ CHROME_PATH = "", PATH = "" }: Environment): Promise<string> {
  if (CHROME_PATH !== "") {
    if (await isProgram(CHROME_PATH)) return CHROME_PATH;
    throw new Error(
      `CHROME_PATH is ${JSON.stringify(CHROME_PATH)}, which is no program. Name a Chromium or a Chrome.`,
    );
  }
  for (const folder of PATH.split(delimiter).filter((path) => path !== "")) {
    for (const name of NAMES) {
      const path = join(folder, name);
      if (await isProgram(path)) return path;
    }
  }
  throw new Error(`PATH has none of ${NAMES.join(", ")}. Install Chromium, or set CHROME_PATH to a Chrome.`);
}

async function isProgram(path: string): Promise<boolean> {
  return await access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** `profile` is an empty folder that the browser may fill. */
export async function openBrowser(program: string, profile: string): Promise<Browser> {
  const child = spawn(
    program,
    [
      "--headless",
      "--remote-debugging-port=0",
      `--user-data-dir=${profile}`,
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
      // Else a page on disk may not read the fonts that lie beside it.
      "--allow-file-access-from-files",
      "--no-first-run",
      "--disable-extensions",
      "--disable-gpu",
      "--disable-dev-shm-usage",
      "--hide-scrollbars",
      // Chromium has no sandbox for root.
      ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
      "about:blank",
    ],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  const ended = once(child, "close").catch(() => {});
  const close = async (): Promise<void> => {
    child.kill("SIGTERM");
    const late = setTimeout(() => child.kill("SIGKILL"), END_MS);
    await ended;
    clearTimeout(late);
  };
  try {
    const endpoint = new URL(await within(START_MS, endpointOf(child), `${program} did not start`));
    return { shoot: (shot) => shootOn(endpoint, shot), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function endpointOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    child.once("error", reject);
    child.once("close", (code) =>
      reject(new Error(`The browser ended with ${code}:\n${text.slice(-2_000)}`)),
    );
    child.stderr?.on("data", (chunk: Buffer) => {
      text = `${text}${chunk.toString()}`.slice(-10_000);
      const url = /DevTools listening on (ws:\S+)/.exec(text)?.[1];
      if (url !== undefined) resolve(url);
    });
  });
}

async function shootOn({ host }: URL, shot: Shot): Promise<Buffer> {
  const made = await fetch(`http://${host}/json/new?about:blank`, { method: "PUT" });
  const { id, webSocketDebuggerUrl } = (await made.json()) as { id: string; webSocketDebuggerUrl: string };
  const socket = new WebSocket(webSocketDebuggerUrl);
  try {
    await within(START_MS, once(socket, "open"), "The browser's page did not answer");
    return await drawn(sender(socket), shot);
  } finally {
    socket.close();
    await fetch(`http://${host}/json/close/${id}`);
  }
}

async function drawn(send: Send, { url, selector, isDark, width }: Shot): Promise<Buffer> {
  const scheme = { name: "prefers-color-scheme", value: isDark ? "dark" : "light" };
  await send("Emulation.setEmulatedMedia", { features: [scheme] });
  await send("Emulation.setDeviceMetricsOverride", {
    width,
    height: 800,
    deviceScaleFactor: PIXELS,
    mobile: false,
  });
  await send("Page.enable");
  await send("Page.navigate", { url });
  const ask = `new Promise((done) => (document.readyState === "complete" ? done() : addEventListener("load", done)))
    .then(() => window.isDrawn)
    .then(() => document.fonts.ready)
    .then(() => JSON.stringify(document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect()))`;
  const { result, exceptionDetails } = (await send("Runtime.evaluate", {
    expression: ask,
    awaitPromise: true,
  })) as { result: { value: string }; exceptionDetails?: { exception?: { description?: string } } };
  if (exceptionDetails !== undefined) {
    throw new Error(
      `The page was not drawn: ${exceptionDetails.exception?.description ?? "it did not say why"}`,
    );
  }
  const { x, y, width: wide, height } = JSON.parse(result.value) as DOMRect;
  const clip = { x, y, width: wide, height, scale: 1 };
  const shot = await send("Page.captureScreenshot", { format: "png", clip, captureBeyondViewport: true });
  return Buffer.from((shot as { data: string }).data, "base64");
}

function sender(socket: WebSocket): Send {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  socket.addEventListener("message", ({ data }) => {
    const { id, result, error } = JSON.parse(String(data)) as Answer;
    if (id === undefined) return;
    const asked = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) asked?.resolve(result);
    else asked?.reject(new Error(`The browser refused: ${error.message}`));
  });
  socket.addEventListener("close", () => {
    for (const asked of waiting.values()) asked.reject(new Error("The browser hung up."));
  });
  let lastId = 0;
  return async (method, params = {}) => {
    lastId += 1;
    const answer = Promise.withResolvers<unknown>();
    waiting.set(lastId, answer);
    socket.send(JSON.stringify({ id: lastId, method, params }));
    return await within(ANSWER_MS, answer.promise, `The browser did not answer ${method}`);
  };
}

async function within<T>(ms: number, promise: Promise<T>, what: string): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`${what} within ${ms / 1000} s.`)), ms);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
