// A browser as far as HTTP goes: cookies by origin, one redirect at a time.

import { type Answer, type Call, call } from "./service-client.ts";

export class WebBrowser {
  readonly #cookies = new Map<string, Map<string, string>>();
  readonly #reach: (url: string) => string;

  /** `reach` says where a request for an address goes. Default: to the address. */
  constructor(reach: (url: string) => string = (url) => url) {
    this.#reach = reach;
  }

  async get(url: string): Promise<Answer> {
    return await this.#send(url, {});
  }

  /** Sends a form of a page of the same origin. */
  async post(url: string, form: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return await this.#send(url, { method: "POST", form, headers: { "sec-fetch-site": "same-origin" } });
  }

  /** Goes where an answer leads, until one leads nowhere. Returns it, and where it was. */
  async follow(first: Answer, from: string): Promise<{ answer: Answer; url: string }> {
    let [answer, url] = [first, from];
    for (let steps = 0; steps < 10; steps += 1) {
      const location = answer.headers.get("location");
      if (location === null) return { answer, url };
      url = new URL(location, url).href;
      answer = await this.get(url);
    }
    throw new Error(`${from} leads in circles.`);
  }

  async open(url: string): Promise<{ answer: Answer; url: string }> {
    return await this.follow(await this.get(url), url);
  }

  async #send(url: string, options: Call): Promise<Answer> {
    const { origin } = new URL(url);
    const jar = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await call(this.#reach(url), { ...options, headers: { ...options.headers, cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [name = "", value = ""] = (line.split(";")[0] ?? "").split("=");
      if (/Max-Age=0/.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    return answer;
  }
}
