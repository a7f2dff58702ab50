// The bounds of a fetch into the job's checkout.

import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../src/base/clock.ts";
import { readCheckout } from "../../../src/base/git/found-checkout.ts";
import { githubHost } from "../../../src/github/git/github-host.ts";
import { fetchCommits } from "../../../src/job/git/fetch-commits.ts";
import { JobCheckout } from "../../github/git/job-checkout.ts";

const { signal } = new AbortController();

let job: JobCheckout;
beforeEach(async () => {
  job = await JobCheckout.make();
});
afterEach(async () => await job.close());

describe("a fetch into the checkout", () => {
  it("ends once it has stored more than it may, and removes what it left unfinished", async () => {
    const { env, root, temp } = job;
    const found = await readCheckout({ root, home: temp, environment: env }, signal);
    if (found === null) throw new Error("There is no checkout.");
    const packs = join(found.objects, "pack");
    await writeFile(join(packs, "tmp_pack_before"), "");
    const sleeps: number[] = [];
    const fetched = fetchCommits({
      env,
      host: githubHost({ env, token: "", setSecret: () => undefined }),
      signal,
      found,
      home: temp,
      fetchFolder: join(job.folder, "fetch.git"),
      wanted: [job.headSha],
      depth: 1,
      limits: {
        maxBytes: 1_000,
        timeoutFactor: 1,
        clock: {
          ...systemClock,
          // The first look finds what git has written by then.
          sleep: async (ms) => {
            sleeps.push(ms);
            await writeFile(join(packs, "tmp_pack_ours"), Buffer.alloc(1_001));
          },
        },
      },
    });
    await expect(fetched).rejects.toMatchObject({
      code: "git_output_too_large",
      message: "git fetch took more than the 0.001 MB that it may.",
    });
    expect(sleeps).toEqual([250]);
    expect((await readdir(packs)).filter((name) => name.startsWith("tmp_"))).toEqual(["tmp_pack_before"]);
  });
});
