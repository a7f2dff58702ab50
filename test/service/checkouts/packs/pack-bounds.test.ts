// What a pack may cost: what its objects unfold to, processor time, turns among owners and repositories, and nothing in it to
// which its commit does not lead.

import { execFileSync } from "node:child_process";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ManualClock } from "../../../support/clocks/manual-clock.ts";
import {
  chunks,
  PackFixture,
  refusalOf,
  type SendOptions,
  unfoldingPack,
  writePack,
} from "./pack-fixture.ts";

const NO_COMMIT = "0".repeat(40);
/** Unfolds to 16 MB each. */
const UNFOLDED = 16_000_004;

let fixture: PackFixture;

beforeEach(async () => {
  fixture = await PackFixture.make();
});

afterEach(async () => {
  expect(await fixture.leftOvers()).toEqual([]);
  await fixture.remove();
});

const commit = (text: string, parents: readonly string[] = []) =>
  fixture.repository.commit({ files: { "a.txt": text }, parents });

/** A body that stops after the pack's header, until it is released. */
function heldBack(pack: Buffer): {
  content: AsyncIterable<Uint8Array>;
  begun: Promise<void>;
  release(): void;
} {
  const begun = Promise.withResolvers<void>();
  const rest = Promise.withResolvers<void>();
  const content = async function* () {
    yield pack.subarray(0, 20);
    begun.resolve();
    await rest.promise;
    yield* chunks(pack.subarray(20));
  };
  return { content: content(), begun: begun.promise, release: rest.resolve };
}

describe("what a pack unfolds to", () => {
  it("is refused before git unfolds it, with what came and what to do", async () => {
    const pack = unfoldingPack(7_800);
    expect(pack.length).toBeLessThan(500_000);
    // No process of git may unfold anything.
    const kept = fixture.kept({ limits: { maxCpuSeconds: 1, maxUnfoldedBytes: 1_000_000_000 } });
    expect(refusalOf(await fixture.send(kept, NO_COMMIT, { pack }))).toEqual({
      reason: "contents_too_large",
      detail: expect.stringMatching(
        /^The pack of 0\.\d MB unfolds to 1,0\d\d(\.\d)? MB with object 6\d of 7,801, this service unfolds at most 1,000 MB of it\. Send fewer commits at once, or leave large generated files out of the history\.$/,
      ),
    });
  });

  it("may be twenty times what may be stored of it, to the byte", async () => {
    const differences = 3;
    const pack = unfoldingPack(differences);
    const [, ...instructions] = Array.from({ length: differences + 1 }, () => 3 + 4 + 16 * 4 + 5);
    const whole = 1_000_000 + differences * UNFOLDED + instructions.reduce((sum, bytes) => sum + bytes, 0);
    for (const size of [777, 100_000]) {
      const sendAt = async (maxUnfoldedBytes: number) =>
        refusalOf(
          await fixture.send(fixture.kept({ limits: { maxUnfoldedBytes } }), NO_COMMIT, {
            pack,
            content: chunks(pack, size),
          }),
        ).reason;
      expect(await sendAt(whole - 1)).toBe("contents_too_large");
      // Only the commit is missing.
      expect(await sendAt(whole)).toBe("commit_absent");
    }
    const stored = Math.ceil(whole / 20);
    const less = await fixture.send(fixture.kept(), NO_COMMIT, { pack, maxStoredBytes: stored - 1 });
    expect(refusalOf(less).reason).toBe("contents_too_large");
  });

  it("is found in packs of every kind that git writes", async () => {
    let tip = "";
    for (let day = 0; day < 30; day += 1) {
      const files = { "a.txt": "line\n".repeat(5_000) + day, "big.bin": Buffer.alloc(300_000, day) };
      tip = fixture.repository.commit({ files, parents: tip === "" ? [] : [tip], day });
    }
    for (const options of [[], ["--no-reuse-delta", "--depth=50"], ["--depth=0"]]) {
      const pack = fixture.packObjects(`${tip}\n`, ["--revs", ...options]);
      for (const size of [97, 65_536]) {
        const taken = await fixture.send(fixture.kept(), tip, { pack, content: chunks(pack, size) });
        expect(taken.ok, JSON.stringify(taken)).toBe(true);
        if (taken.ok) await taken.value.close();
      }
    }
  });

  it.each([
    ["contents that are longer than their size", { type: 3, content: Buffer.alloc(200_000), size: 100_000 }],
    ["contents that are shorter", { type: 3, content: Buffer.alloc(10), size: 100_000 }],
    ["small contents that are longer", { type: 3, content: Buffer.alloc(200), size: 100 }],
    ["an entry of no type", { type: 5, content: Buffer.alloc(10) }],
    ["a difference without its sizes", { type: 7, content: Buffer.alloc(1, 0x80), prefix: Buffer.alloc(20) }],
  ])("is not known of %s: the pack is malformed", async (_name, object) => {
    const pack = writePack([object]);
    expect(refusalOf(await fixture.send(fixture.kept(), NO_COMMIT, { pack })).reason).toBe("pack_malformed");
  });
});

describe("the processor time of a pack", () => {
  it("is bounded, and the job is told how long", async () => {
    const kept = fixture.kept({ limits: { maxCpuSeconds: 1 } });
    expect(refusalOf(await fixture.send(kept, NO_COMMIT, { pack: unfoldingPack(100) }))).toEqual({
      reason: "took_too_long",
      detail:
        "The pack takes more than the 1 s of processor time that this service checks it for. " +
        "Send fewer commits at once, or leave large generated files out of the history.",
    });
  });

  it("is bounded by time where there is no prlimit, once the pack is there", async () => {
    const programs = join(fixture.folder, "bin");
    await mkdir(programs);
    await symlink(execFileSync("which", ["git"], { encoding: "utf8" }).trim(), join(programs, "git"));
    const clock = new ManualClock();
    const kept = fixture.kept({ clock, environment: { PATH: programs }, limits: { maxCpuSeconds: 2 } });
    const pack = unfoldingPack(100);
    const { content, begun, release } = heldBack(pack);
    const sending = fixture.send(kept, NO_COMMIT, { pack, content });
    await begun;
    // While the job sends, its own pace counts: the deadline and the watch of the disk sleep.
    clock.advance(3_000);
    await clock.whenSleeping(2);
    release();
    await clock.whenSleeping(3);
    clock.advance(2_000);
    expect(refusalOf(await sending)).toMatchObject({
      reason: "took_too_long",
      detail: expect.stringContaining("longer than the 2 s"),
    });
  });
});

describe("turns", () => {
  it("go to another owner while one has four packs that unfold to 125 GB each", async () => {
    const pack = unfoldingPack(7_800);
    const kept = fixture.kept();
    const bodies = Array.from({ length: 4 }, () => heldBack(pack));
    const attacks = bodies.map(({ content }, place) =>
      fixture.send(kept, NO_COMMIT, { pack, content, owner: "mallory", repository: `mallory/${place}` }),
    );
    await Promise.all(bodies.slice(0, 2).map(({ begun }) => begun));
    const sha = commit("honest");
    const honest = await fixture.send(kept, sha, { pack: fixture.pack([sha]), repository: "octo/honest" });
    expect(honest.ok).toBe(true);
    if (honest.ok) await honest.value.close();
    for (const { release } of bodies) release();
    for (const refused of await Promise.all(attacks)) {
      expect(refusalOf(refused).reason).toBe("contents_too_large");
    }
  });

  it("come one after another to the packs of a repository", async () => {
    const sha = commit("first");
    const pack = fixture.pack([sha]);
    const kept = fixture.kept();
    const first = heldBack(pack);
    const second = heldBack(pack);
    let hasSecondBegun = false;
    void second.begun.then(() => {
      hasSecondBegun = true;
    });
    const sendings = [first, second].map(({ content }) => fixture.send(kept, sha, { pack, content }));
    await first.begun;
    const other = await fixture.send(kept, sha, { pack, repository: "octo/other" });
    expect(other.ok).toBe(true);
    if (other.ok) await other.value.close();
    expect(hasSecondBegun).toBe(false);
    first.release();
    await second.begun;
    second.release();
    for (const taken of await Promise.all(sendings)) {
      expect(taken.ok).toBe(true);
      if (taken.ok) await taken.value.close();
    }
  });

  it.each<[string, Partial<SendOptions>, string, number]>([
    ["of its repository", {}, "repository_uploads", 1],
    ["of its owner", { repository: "octo/other" }, "owner_uploads", 1],
    ["of all", { repository: "hubot/other", owner: "hubot" }, "uploads", 1],
  ])(
    "that do not come in time are refused by what is full: those %s",
    async (_name, whose, what, allowed) => {
      const clock = new ManualClock();
      const sha = commit("first");
      const pack = fixture.pack([sha]);
      const limits = { maxUploads: 1, maxUploadsOfOwner: 1, uploadWaitMs: 30_000 };
      const kept = fixture.kept({ clock, limits });
      const first = heldBack(pack);
      const taking = fixture.send(kept, sha, { pack, content: first.content });
      await first.begun;
      const waiting = fixture.send(kept, sha, { pack, ...whose });
      await clock.whenSleeping(3);
      clock.advance(30_000);
      expect(refusalOf(await waiting)).toEqual({ reason: "overloaded", what, allowed });
      first.release();
      const taken = await taking;
      expect(taken.ok).toBe(true);
      if (taken.ok) await taken.value.close();
    },
  );

  it("are not waited for where too many of the owner wait, and another owner may", async () => {
    const sha = commit("first");
    const pack = fixture.pack([sha]);
    const limits = { maxUploads: 1, maxUploadsOfOwner: 1, maxWaitingUploadsOfOwner: 1 };
    const kept = fixture.kept({ limits });
    const first = heldBack(pack);
    const sendings = [fixture.send(kept, sha, { pack, content: first.content })];
    await first.begun;
    sendings.push(fixture.send(kept, sha, { pack, repository: "octo/second" }));
    const third = fixture.send(kept, sha, { pack, repository: "octo/third" });
    expect(refusalOf(await third)).toEqual({ reason: "overloaded", what: "owner_uploads", allowed: 1 });
    sendings.push(fixture.send(kept, sha, { pack, owner: "hubot", repository: "hubot/first" }));
    first.release();
    for (const taken of await Promise.all(sendings)) {
      expect(taken.ok).toBe(true);
      if (taken.ok) await taken.value.close();
    }
  });
});

describe("objects to which the commit does not lead", () => {
  it("are refused, also beside a pack that is held", async () => {
    const first = commit("first");
    const blob = fixture.repository.blob("nobody names this");
    const names = (revisions: readonly string[]) =>
      fixture.repository.git(["rev-list", "--objects", "--no-object-names", ...revisions]);
    const kept = fixture.kept();
    const pack = fixture.packObjects(`${names([first])}\n${blob}\n`, []);
    const refused = {
      reason: "object_refused",
      detail: `The commit does not lead to 1 of the pack's objects, for one ${blob}. Send only what it leads to.`,
    };
    expect(refusalOf(await fixture.send(kept, first, { pack }))).toEqual(refused);
    const base = await fixture.hold(kept, first, { pack: fixture.pack([first]) });
    const second = commit("second", [first]);
    const more = fixture.packObjects(`${names([second, `^${first}`])}\n${blob}\n`, []);
    expect(refusalOf(await fixture.send(kept, second, { pack: more, bases: [base] }))).toEqual(refused);
  });

  it("are not those from which git makes a thin pack whole, nor those that are held already", async () => {
    const text = "the same line\n".repeat(2_000);
    const first = fixture.repository.commit({ files: { "a.txt": text, "b.txt": "b" } });
    const second = fixture.repository.commit({ files: { "a.txt": `${text}.` }, parents: [first] });
    const kept = fixture.kept();
    const base = await fixture.hold(kept, first, { pack: fixture.pack([first]) });
    const thin = fixture.pack([second, `^${first}`]);
    const taken = await fixture.send(kept, second, { pack: thin, bases: [base] });
    expect(taken.ok && taken.value.objects).toBe(thin.readUInt32BE(8) + 1);
    if (taken.ok) await taken.value.close();
    const both = await fixture.send(kept, second, { pack: fixture.pack([second]), bases: [base] });
    expect(both.ok).toBe(true);
    if (both.ok) await both.value.close();
  });
});
