import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { gitCheckouts } from "../../../src/service/checkouts/git-checkouts.ts";
import { CheckoutFixture } from "./checkout-fixture.ts";
import { textQuery } from "./text-query.ts";

let fixture: CheckoutFixture;
beforeEach(async () => {
  fixture = await CheckoutFixture.make();
});
afterEach(() => fixture.close());

const signal = () => AbortSignal.timeout(30_000);

describe("an empty checkout", () => {
  it("is a repository without files, on which every call works", async () => {
    const opened = await fixture.provider().openEmpty({ runId: "run-1" }, signal());
    if (!opened.ok) throw new Error(opened.refusal.detail);
    const checkout = opened.value;
    expect(await readdir(checkout.root)).toEqual([]);
    expect(await checkout.files()).toEqual([]);
    expect(await checkout.recentCommits(5)).toMatchObject([{ sha: checkout.headSha }]);
    expect(await checkout.changesSinceBase()).toBeNull();
    const query = textQuery("x");
    expect(await checkout.findText(query)).toEqual({ matches: [], complete: true });
    await writeFile(join(checkout.root, "note"), "x");
    await checkout.close();
    expect(await fixture.leftOvers()).toEqual([]);
  });

  it("that cannot be made says so, and leaves nothing behind", async () => {
    const provider = gitCheckouts({
      folder: join(fixture.folder, "runs"),
      limits: { maxBytes: 1, maxCheckoutBytes: 1, cloneTimeoutMs: 1, maxUnfoldedBytes: 1, maxCpuSeconds: 1 },
      environment: process.env,
      gitPath: join(fixture.folder, "no-git"),
    });
    expect(await provider.openEmpty({ runId: "run-1" }, signal())).toEqual({
      ok: false,
      refusal: { reason: "service_fault", detail: expect.stringContaining("could not be started") },
    });
    expect(await fixture.leftOvers()).toEqual([]);
  });

  it("of a run that was stopped meanwhile is removed", async () => {
    const opening = fixture.provider().openEmpty({ runId: "run-1" }, AbortSignal.abort(new Error("stopped")));
    await expect(opening).rejects.toThrow("stopped");
    expect(await fixture.leftOvers()).toEqual([]);
  });
});
