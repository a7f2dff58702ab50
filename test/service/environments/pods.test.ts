// The cache of setups of runs in pods of the fake cluster: what comes back, to whom, and what an attacker may try.

import { readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeCluster } from "../../../fakes/kubernetes/cluster.ts";
import { EnvironmentsFixture, MEGABYTE } from "./environments-fixture.ts";

const INSTALL = "mkdir -p node_modules/a && echo good > node_modules/a/index && echo good > ~/tool";

describe("the cache of setups in pods", { tags: ["sandbox"] }, () => {
  let cluster: FakeCluster;
  let fixture: EnvironmentsFixture;
  beforeEach(async () => {
    cluster = await FakeCluster.start({ pods: "bubblewrap" });
    fixture = await EnvironmentsFixture.make();
    await useCluster();
  });
  afterEach(async () => {
    await fixture.close();
    await cluster.close();
  });

  const useCluster = async (more: Readonly<Record<string, string>> = {}) => {
    fixture.sandbox = await fixture.sandboxes.find({ environment: { ...cluster.environment, ...more } });
  };
  const commit = (files: Readonly<Record<string, string | { readonly link: string }>> = {}) =>
    fixture.git.repository.commit({
      files: { ".gitignore": "node_modules/\n*.log\n", "package-lock.json": "{}", ...files },
    });
  const pullRequest = (number: number) => ({ class: { pullRequest: number } });
  const packOf = async () => join(fixture.cacheFolder, (await fixture.entries())[0] ?? "", "pack");

  it("gives a later run what an equal setup left, in tree and home, with modes, times, links and large files", async () => {
    const sha = commit();
    const script = `${INSTALL}; chmod 755 ~/tool; touch -d 2020-01-01 node_modules/a/index; ln -s a node_modules/b; mkfifo node_modules/pipe; head -c 3000000 /dev/urandom > node_modules/large; sha256sum < node_modules/large > node_modules/sum; mkdir -p ~/index/.git; echo x > ~/index/.git/x; chmod 555 node_modules/a; echo own > packed.log`;
    const first = await fixture.prepare(sha, script);
    expect(first.state).toBe("executed");
    const second = await fixture.prepare(sha, script);
    expect(second.state).toBe("cached");
    const look =
      "cat node_modules/b/index ~/tool packed.log ~/index/.git/x; ls node_modules | tr '\\n' ' '; sha256sum < node_modules/large | cmp - node_modules/sum && stat -c '%a %y' ~/tool node_modules/a/index | cut -c1-8";
    expect(await fixture.command(second, look)).toMatch(
      /^good\ngood\nown\nx\na b large sum 755 \d{4}\n\d{3} 2020\n$/,
    );
    expect((await second.checkout.workingChanges()).files).toEqual([]);
    // It stays a part of the pod that the run's changes know nothing of.
    await fixture.command(second, "echo two > edited; rm -r node_modules");
    expect((await second.checkout.workingChanges()).files.map(({ path }) => path)).toEqual(["edited"]);
    expect(await fixture.entries()).toHaveLength(1);
  });

  it("gives nobody what a run without trust has left, but the same pull request", async () => {
    const sha = commit();
    expect((await fixture.prepare(sha, INSTALL, pullRequest(7))).state).toBe("executed");
    expect((await fixture.prepare(sha, INSTALL, pullRequest(8))).state).toBe("executed");
    expect((await fixture.prepare(sha, INSTALL)).state).toBe("executed");
    expect((await fixture.prepare(sha, INSTALL, pullRequest(7))).state).toBe("cached");
    expect((await fixture.prepare(commit(), INSTALL, pullRequest(9))).state).toBe("cached");
    expect((await fixture.prepare(sha, INSTALL, { class: null })).state).toBe("cached");
    expect(await fixture.entries()).toHaveLength(3);
  });

  it("replaces nothing of the head's, goes behind no link, and brings nothing that the head does not ignore", async () => {
    const script = `${INSTALL}; mkdir -p out && echo cached > out/a.log && echo cached > b.log`;
    await fixture.prepare(commit(), script);
    const linked = await fixture.prepare(commit({ out: { link: "/workspace/home" } }), script);
    expect(linked.state).toBe("cached");
    expect(await fixture.command(linked, "ls ~; cat node_modules/a/index")).toBe("tool\ngood\n");
    const shown = await fixture.prepare(commit({ ".gitignore": "node_modules/\n" }), script);
    expect(shown.state).toBe("cached");
    expect(await fixture.command(shown, "ls; cat node_modules/a/index")).toBe(
      "node_modules\npackage-lock.json\ngood\n",
    );
    expect((await shown.checkout.workingChanges()).files).toEqual([]);
  });

  it("is another one in another image", async () => {
    const sha = commit();
    await fixture.prepare(sha, INSTALL);
    cluster.imageId = "sha256:two";
    expect((await fixture.prepare(sha, INSTALL)).state).toBe("executed");
    expect((await fixture.prepare(sha, INSTALL)).state).toBe("cached");
  });

  it("is made anew where it is damaged", async () => {
    const sha = commit();
    await fixture.prepare(sha, INSTALL);
    const bytes = await readFile(await packOf());
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
    await writeFile(await packOf(), bytes);
    expect((await fixture.prepare(sha, INSTALL)).state).toBe("executed");
    expect((await fixture.prepare(sha, INSTALL)).state).toBe("cached");
    await truncate(await packOf(), 10);
    const again = await fixture.prepare(sha, INSTALL);
    expect(again.state).toBe("executed");
    expect(await fixture.command(again, "cat ~/tool node_modules/a/index")).toBe("good\ngood\n");
  });

  it("keeps nothing that is larger than a repository's share, and brings nothing back that the pod may not hold", async () => {
    const large = `${INSTALL}; head -c 3000000 /dev/urandom > ~/large`;
    await fixture.open(8 * MEGABYTE);
    const sha = commit();
    expect((await fixture.prepare(sha, large)).state).toBe("executed");
    expect(await fixture.entries()).toEqual([]);
    await fixture.open();
    const zeros = `${INSTALL}; head -c 30000000 /dev/zero > ~/large`;
    expect((await fixture.prepare(sha, zeros)).state).toBe("executed");
    expect((await fixture.prepare(sha, zeros)).state).toBe("cached");
    await useCluster({ SANDBOX_DISK_MB: "16" });
    const small = await fixture.prepare(sha, zeros);
    expect(small.state).toBe("failed");
    expect(small.setup).toMatchObject({ value: { limit: "disk" } });
  });

  it("comes back whole though the connection is cut in the middle", async () => {
    const sha = commit();
    const script = `${INSTALL}; head -c 3000000 /dev/urandom > ~/large; sha256sum < ~/large > ~/sum`;
    await fixture.prepare(sha, script);
    let cuts = 0;
    const cutting = setInterval(() => {
      cuts += 1;
      if (cuts < 8) cluster.cutConnections();
    }, 150);
    try {
      const cut = await fixture.prepare(sha, script);
      expect(cut.state).toBe("cached");
      expect(
        await fixture.command(cut, "sha256sum < ~/large | cmp - ~/sum && cat node_modules/a/index"),
      ).toBe("good\n");
    } finally {
      clearInterval(cutting);
    }
    expect(cuts).toBeGreaterThan(0);
  });
});
