// Which channels one connection listens to.

import { afterEach, expect, it } from "vitest";
import { SignalChannels } from "../../../src/service/store/signal-channels.ts";

let channels: SignalChannels | null = null;
afterEach(() => channels?.close());

function open(options: { waitedFor?: readonly string[]; keptMs?: number } = {}) {
  const said: string[] = [];
  const followed: string[] = [];
  const answers: (() => void)[] = [];
  const waitedFor = new Set(options.waitedFor);
  let isHeld = false;
  channels = new SignalChannels({
    schema: "public",
    query: async (text) => {
      said.push(text.replace(/agent_service_(\w+)_[0-9a-f]{24}$/, "$1"));
      if (isHeld) await new Promise<void>((resolve) => answers.push(resolve));
    },
    onFollowed: (id) => followed.push(id),
    waitedFor: () => waitedFor,
    keptMs: options.keptMs ?? 60_000,
  });
  const hold = () => {
    isHeld = true;
  };
  const answer = () => {
    isHeld = false;
    for (const resolve of answers.splice(0)) resolve();
  };
  return { channels, said, followed, waitedFor, hold, answer };
}

const wholeChannels = ["listen moved", "listen queued", "listen nudged"];

it("listens to what concerns every node, and to what is waited for", async () => {
  const { channels, said } = open({ waitedFor: ["a"] });
  await channels.listen();
  expect(said).toEqual([...wholeChannels, expect.stringMatching(/^listen moved\d+$/)]);
});

it("listens once for all that are followed on a channel, and wakes each that came before it was heard", async () => {
  const { channels, said, followed, hold, answer } = open();
  await channels.listen();
  hold();
  for (const id of ["a", "a", "b"]) channels.follow(id);
  expect(said.slice(3)).toHaveLength(2);
  expect(followed).toEqual([]);
  answer();
  await expect.poll(() => followed.toSorted()).toEqual(["a", "b"]);
  channels.follow("a");
  expect([said.length, followed.length]).toEqual([5, 2]);
});

it("leaves a channel that nobody has needed for some time, and no other", async () => {
  const { channels, said, waitedFor } = open({ keptMs: 20 });
  await channels.listen();
  waitedFor.add("a");
  channels.follow("a");
  channels.follow("b");
  const left = () => said.filter((text) => text.startsWith("unlisten"));
  await expect.poll(left).toHaveLength(1);
  waitedFor.clear();
  await expect.poll(left).toHaveLength(2);
  channels.follow("a");
  expect(said.at(-1)).toMatch(/^listen moved\d+$/);
});

it("knows its channels by name, with those of nodes that publish all on one", () => {
  const { channels } = open();
  for (const id of ["a", "b", "0198c0de-0000-7000-8000-000000000001"])
    expect(channels.signalOf(channels.channelOf("moved", id))).toBe("moved");
  for (const signal of ["queued", "nudged"] as const)
    expect(channels.signalOf(channels.channelOf(signal, "a"))).toBe(signal);
  expect(channels.signalOf(channels.channelOf("queued", "a").replace("queued", "moved"))).toBe("moved");
  expect(channels.signalOf("agent_service_moved")).toBe(null);
  expect(channels.channelOf("moved", "a").length).toBeLessThan(64);
});
