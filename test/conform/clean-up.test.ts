// What the statements have made is taken away at the end, also where something was still at work in it.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { systemRandom } from "../../src/base/ids.ts";
import { openConnection } from "../../src/conform/kit/connection.ts";
import { World } from "../../src/conform/kit/world.ts";
import { type InstantClock, instantClock } from "../support/clocks/instant-clock.ts";

const nobody = { owner: "key", other: null, ai: null, empty: null, capped: null };

type Served = { readonly world: World; readonly asked: readonly string[]; readonly clock: InstantClock };

/** A deployment that answers each path by the statuses given for it, one after the other, and the last one for good. */
async function serve(statuses: Readonly<Record<string, readonly number[]>>): Promise<Served> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    const before = asked.filter((one) => one === path).length;
    asked.push(path);
    const answers = statuses[path] ?? [];
    response.writeHead(answers[before] ?? answers.at(-1) ?? 500).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clock = instantClock();
  const connection = openConnection({ baseUrls: [url], userAgent: "test", clock });
  const world = new World({ connection, credentials: nobody, issuer: null, clock, random: systemRandom });
  for (const path of Object.keys(statuses))
    world.atEnd(path, async () => await world.ask({ method: "DELETE", path }));
  return { world, asked, clock };
}

it("begins with what was made last, and takes what is gone as taken away", async () => {
  const { world, asked, clock } = await serve({ "/first": [204], "/second": [404], "/third": [202] });
  expect(await world.cleanUp()).toEqual([]);
  expect(asked).toEqual(["/third", "/second", "/first"]);
  expect(clock.sleeps).toEqual([]);
});

it("tries at the end what was refused while another thing was there", async () => {
  const { world, asked, clock } = await serve({ "/inner": [204], "/outer": [403, 204] });
  expect(await world.cleanUp()).toEqual([]);
  expect(asked).toEqual(["/outer", "/inner", "/outer"]);
  expect(clock.sleeps).toEqual([]);
});

it("waits for what something is at work in", async () => {
  const { world, asked, clock } = await serve({ "/busy": [409, 409, 409, 204], "/other": [204] });
  expect(await world.cleanUp()).toEqual([]);
  expect(asked.filter((path) => path === "/other")).toHaveLength(1);
  expect(clock.sleeps).toEqual([1_000, 1_000]);
});

it("says what is left, after ten seconds where it is at work", async () => {
  const { world, clock } = await serve({ "/busy": [409], "/refused": [403] });
  expect(await world.cleanUp()).toEqual(["/refused (403)", "/busy (409)"]);
  expect(clock.sleeps).toHaveLength(10);
});
