import { readdir, readFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { GitError } from "../../../src/base/git/git.ts";
import { refusalOf } from "../../../src/service/checkouts/clone-refusal.ts";
import { ManualClock } from "../../support/clocks/manual-clock.ts";
import { CheckoutFixture } from "./checkout-fixture.ts";

let fixture: CheckoutFixture;
let sha: string;
beforeEach(async () => {
  fixture = await CheckoutFixture.make();
  sha = fixture.repository.commit({ files: { a: "a\n" } });
});
afterEach(() => fixture.close());

const named = () => `Could not clone octo/fixture at ${sha.slice(0, 7)}: `;

describe("what the server says", () => {
  it("names a repository that is not there", async () => {
    fixture.server.fault = { kind: "status", status: 404 };
    expect(await fixture.refusal(sha)).toEqual({
      reason: "clone_failed",
      detail:
        `${named()}the server says the repository was not found ` +
        "(a repository that is not public is not cloned: its job sends the commit).",
    });
  });

  it.each([
    [401, "the server asks for credentials"],
    [403, "the server asks for credentials"],
    [429, "too many requests"],
    [503, "an error of its own"],
  ])("explains status %i", async (status, words) => {
    fixture.server.fault = { kind: "status", status };
    const refusal = await fixture.refusal(sha);
    expect(refusal.reason).toBe("clone_failed");
    expect(refusal.detail).toContain(named());
    expect(refusal.detail).toContain(words);
  });

  it.each([301, 302, 307, 308])("does not follow a redirect with status %i", async (status) => {
    const location = `${fixture.server.url}/elsewhere/info/refs?service=git-upload-pack`;
    fixture.server.fault = { kind: "status", status, location };
    const refusal = await fixture.refusal(sha);
    expect(refusal.reason).toBe("clone_refused");
    expect(refusal.detail).toContain("not followed");
    expect(fixture.server.requests.join()).not.toContain("elsewhere");
  });

  it("names a commit that the server does not have", async () => {
    const refusal = await fixture.refusal("0123456789012345678901234567890123456789");
    expect(refusal.detail).toBe(
      "Could not clone octo/fixture at 0123456: the server does not have this commit; " +
        "its branch may have been force-pushed or deleted.",
    );
  });

  it("names a server that does not answer", async () => {
    const cloneUrl = "http://127.0.0.1:1/octo/fixture.git";
    const refusal = await fixture.refusal(sha, { source: { cloneUrl } });
    expect(refusal).toEqual({ reason: "clone_failed", detail: `${named()}the server could not be reached.` });
  });

  it("says so when there is no git", async () => {
    const refusal = await fixture.refusal(sha, { environment: { PATH: "/nowhere" } });
    expect(refusal).toEqual({
      reason: "service_fault",
      detail: `${named()}the service has no git; tell its operator.`,
    });
  });
});

describe("what is not even tried", () => {
  it.each([
    ["file:///etc", "only https:// is allowed for cloning, the clone URL begins with file:"],
    ["ssh://git@example.com/a.git", "holds credentials"],
    ["ext::sh -c id", "only https:// is allowed"],
    ["git://example.com/a.git", "only https:// is allowed"],
    ["http://example.com/a.git", "only https:// is allowed"],
    ["http://127.0.0.1.example.com/a.git", "only https:// is allowed"],
    ["https://name:s3cret@example.com/a.git", "its clone URL holds credentials"],
    ["--upload-pack=id", "is not a URL"],
    ["/etc", "is not a URL"],
  ])("refuses to clone %s", async (cloneUrl, words) => {
    const refusal = await fixture.refusal(sha, { source: { cloneUrl } });
    expect(refusal.reason).toBe("clone_refused");
    expect(refusal.detail).toContain(words);
    expect(refusal.detail).not.toContain("s3cret");
    expect(fixture.server.requests).toEqual([]);
  });

  it.each(["HEAD", "--all", "main", "A".repeat(40), `${"a".repeat(40)}\n`, "a".repeat(41)])(
    "refuses %j for a commit's name",
    async (name) => {
      const refusal = await fixture.refusal(name);
      expect(refusal.reason).toBe("clone_refused");
      expect(fixture.server.requests).toEqual([]);
    },
  );

  it.each(["../run", "", "a/b", ".", "a".repeat(200)])(
    "takes no folder from the run id %j",
    async (runId) => {
      await expect(fixture.open(sha, { source: { runId } })).rejects.toThrow(TypeError);
      expect(await fixture.leftOvers()).toEqual([]);
    },
  );
});

describe("limits", () => {
  it("refuses a checkout that would be too large, before a file of it is written", async () => {
    const big = fixture.repository.commit({ files: { zeros: Buffer.alloc(3_000_000), a: "a\n" } });
    expect(await fixture.refusal(big, { limits: { maxCheckoutBytes: 2_000_000 } })).toEqual({
      reason: "clone_too_large",
      detail:
        `Could not clone octo/fixture at ${big.slice(0, 7)}: ` +
        "its 2 files have 3 MB together, this service allows 2 MB.",
    });
  });

  it("counts a blob as often as the tree names it", async () => {
    const blob = fixture.repository.blob(Buffer.alloc(1_000_000));
    let tree = fixture.repository.tree([{ mode: "100644", name: "f", sha: blob }]);
    for (let level = 0; level < 3; level++) {
      const names = Array.from({ length: 10 }, (_, at) => String(at));
      tree = fixture.repository.tree(names.map((name) => ({ mode: "40000", name, sha: tree })));
    }
    const refusal = await fixture.refusal(fixture.repository.commitTree(tree, {}));
    expect(refusal.detail).toContain("its 1,000 files have 1,000 MB together, this service allows 50 MB");
  });

  it("refuses a history that git stored beyond the limit", async () => {
    const noise = fixture.repository.commit({ files: { noise: noiseOf(300_000) } });
    const refusal = await fixture.refusal(noise, { limits: { maxBytes: 200_000 } });
    expect(refusal.reason).toBe("clone_too_large");
    expect(refusal.detail).toContain("larger than the 0.2 MB that this service allows");
  });

  it("ends a fetch while it grows beyond the limit", async () => {
    const noise = fixture.repository.commit({ files: { noise: noiseOf(3_000_000) } });
    fixture.server.fault = { kind: "stall", afterBytes: 2_000_000 };
    const clock = new ManualClock();
    const refusing = fixture.refusal(noise, { clock, limits: { maxBytes: 1_000_000 } });
    await fixture.server.stuck;
    const ticking = setInterval(() => clock.advance(250), 20);
    const refusal = await refusing.finally(() => clearInterval(ticking));
    expect(refusal.reason).toBe("clone_too_large");
    expect(await gitProcesses(fixture.folder)).toEqual([]);
  });

  it("ends a clone that takes too long, its processes included", async () => {
    fixture.server.fault = { kind: "hang" };
    const clock = new ManualClock();
    const refusing = fixture.refusal(sha, { clock, limits: { cloneTimeoutMs: 90_000 } });
    await fixture.server.stuck;
    expect(await gitProcesses(fixture.folder)).not.toEqual([]);
    clock.advance(90_000);
    expect(await refusing).toEqual({
      reason: "clone_timed_out",
      detail: `${named()}it took longer than the 90 s that this service allows.`,
    });
    expect(await gitProcesses(fixture.folder)).toEqual([]);
  });

  it("rejects with the reason of an abort, and leaves neither process nor folder", async () => {
    fixture.server.fault = { kind: "hang" };
    const controller = new AbortController();
    const opening = fixture.provider().open(fixture.source(sha), controller.signal);
    await fixture.server.stuck;
    controller.abort(new Error("cancelled by its owner"));
    await expect(opening).rejects.toThrow("cancelled by its owner");
    expect(await gitProcesses(fixture.folder)).toEqual([]);
    expect(await fixture.leftOvers()).toEqual([]);
  });
});

/** Bytes that do not compress, the same in every run. */
function noiseOf(length: number): Buffer {
  const noise = Buffer.alloc(length);
  let state = 1;
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    noise[at] = state >>> 16;
  }
  return noise;
}

/** Processes of this machine whose environment names the folder: git and all that it started. */
async function gitProcesses(folder: string): Promise<string[]> {
  const ids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  const found: string[] = [];
  for (const id of ids) {
    const environment = await readFile(`/proc/${id}/environ`, "utf8").catch(() => "");
    if (environment.includes(`GIT_DIR=${folder}/runs`)) found.push(id);
  }
  return found;
}

describe("what git says", () => {
  const refused = (stderr: string) => {
    const cause = new GitError({ code: "git_failed", message: "git has failed.", stderr });
    return refusalOf(cause, fixture.source(sha), { maxCpuSeconds: 1 }).detail;
  };

  it.each([
    ["fatal: cannot open '/var/lib/x/y.lock': no room", `git says "fatal: cannot open '<path>': no room"`],
    ["fatal: cannot open /var/lib/x", 'git says "fatal: cannot open <path>"'],
    ["fatal: a/b stays", 'git says "fatal: a/b stays"'],
    ["fatal: bad https://user:pass@git.test/x thing", 'git says "fatal: bad <url> thing"'],
    ["error: rings\u0007\u001b[31m twice", 'git says "error: rings [31m twice"'],
    ["error: first\nfatal: last", 'git says "fatal: last"'],
    ["remote: of the server\nfatal: own", 'git says "fatal: own"'],
    [`fatal: ${"x".repeat(200)}`, `git says "fatal: ${"x".repeat(153)}"`],
    ["remote: of the server alone", "git has failed"],
  ])("is quoted of %j", (stderr, why) => {
    expect(refused(stderr)).toBe(`${named()}${why}.`);
  });
});
