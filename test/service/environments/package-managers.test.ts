// Projects of npm and pip: set up from a registry, their tests pass in a sandbox without a network, first and from the cache.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type PackageRegistry,
  startPackageRegistry,
} from "../../../fakes/package-registry/package-registry.ts";
import type { Sandbox } from "../../../src/service/core/ports/sandbox.ts";
import { EnvironmentsFixture } from "./environments-fixture.ts";

describe("a project", { tags: ["sandbox"] }, () => {
  let fixture: EnvironmentsFixture;
  let registry: PackageRegistry;
  let offline: Sandbox;
  beforeEach(async () => {
    fixture = await EnvironmentsFixture.make();
    registry = await startPackageRegistry();
    offline = fixture.sandbox;
    const environment = { SANDBOX: "bubblewrap", SANDBOX_NETWORK: "allowed", PATH: "/usr/bin:/bin" };
    fixture.sandbox = await fixture.sandboxes.find({ environment });
  });
  afterEach(async () => {
    await fixture.close();
    await registry.close();
  });

  /** Sets it up twice, each time tested without a network. Returns how often the registry was asked the second time. */
  async function testTwice(
    files: Readonly<Record<string, string>>,
    script: string,
    test: string,
  ): Promise<number> {
    const sha = fixture.git.repository.commit({ files });
    const online = fixture.sandbox;
    let before = 0;
    for (const state of ["executed", "cached"]) {
      before = registry.requests.length;
      fixture.sandbox = online;
      const prepared = await fixture.prepare(sha, script);
      const said = prepared.setup.ok === true ? prepared.setup.value.output : "";
      expect(prepared.state, said).toBe(state);
      fixture.sandbox = offline;
      expect(await fixture.command(prepared, `PATH=/usr/bin:/bin; ${test}`)).toContain("TESTED\n");
    }
    return registry.requests.length - before;
  }

  it("of npm tests with what npm ci installed", { tags: ["npm"] }, async () => {
    const manifest = { name: "project", version: "1.0.0", dependencies: { "is-one": "1.0.0" } };
    const scripts = { test: "node -e \"require('is-one') === 1 && console.log('TESTED')\"" };
    const files = {
      ".gitignore": "node_modules/\n",
      "package.json": JSON.stringify({ ...manifest, scripts }),
      "package-lock.json": registry.npmLock,
    };
    expect(
      await testTwice(files, "#!/bin/sh\nset -eu\nnpm ci --no-audit --no-fund\n", "npm test --silent"),
    ).toBe(0);
    expect(registry.requests).toEqual(["/npm/is-one.tgz"]);
  });

  it("of pip tests with what pip installed into the home", { tags: ["pip"] }, async () => {
    const files = { "requirements.txt": "is-two==1.0.0\n" };
    const script = `#!/bin/sh\nset -eu\npython3 -m pip install --quiet --user --break-system-packages --index-url ${registry.url}/simple/ -r requirements.txt\n`;
    const test = "python3 -c 'import is_two; assert is_two.VALUE == 2; print(\"TESTED\")'";
    expect(await testTwice(files, script, test)).toBe(0);
    expect(registry.requests).toContain("/files/is_two-1.0.0-py3-none-any.whl");
  });
});
