// A backup of a service whose owner chose how repositories are read without a job, and what the accesses are worth where it is restored.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CodeHost, startCodeHost } from "../../fakes/code-host/code-host.ts";
import { sealingKeyOf } from "../../src/base/sealed-text.ts";
import type { Client } from "../../src/client/client.ts";
import { exchangeResponseSchema } from "../../src/contract/ci/exchange.ts";
import type { ChosenAccessKind } from "../../src/contract/repository-access.ts";
import { PackFixture } from "../service/checkouts/packs/pack-fixture.ts";
import { makeTestKey, operateOn, type TestKey } from "../support/account-key.ts";
import { BackupPlace, clientOf, readBackup } from "../support/backup/backup-place.ts";
import { call } from "../support/service-client.ts";
import { SshServer } from "../support/ssh-server.ts";
import { onEveryStore } from "../support/stores/on-every-store.ts";

const KEY = Buffer.alloc(32, 7);
const FINGERPRINT = sealingKeyOf(KEY).id;
const SEALING = { RUN_SECRETS_KEY: KEY.toString("base64") };
const AUDIENCE = "backup.example";
const body = { message: "read" };

onEveryStore((kind) => {
  describe("a backup with accesses to repositories", { tags: ["ssh"] }, () => {
    let codeHost: CodeHost;
    let ssh: SshServer;
    let packs: PackFixture;
    let folder: string;
    let settings: Readonly<Record<string, string>>;
    let app: Readonly<Record<string, string>>;
    let backup: string;
    let key: TestKey;
    /** The agent of each access, and the public key of the deploy key. */
    const agents = { deploy_key: "", github_app: "" };
    let publicKey = "";
    /** By the command that made the backup. */
    let printed = "";
    const places: BackupPlace[] = [];

    beforeAll(async () => {
      [codeHost, ssh, packs] = await Promise.all([
        startCodeHost({ repositories: {} }),
        SshServer.start(),
        PackFixture.make(),
      ]);
      folder = await mkdtemp(join(tmpdir(), "agent-service-backup-access-"));
      const files = { knownHosts: join(folder, "known_hosts"), appKey: join(folder, "app.pem") };
      await writeFile(files.knownHosts, await ssh.knownHosts());
      await writeFile(files.appKey, codeHost.app.privateKey, { mode: 0o600 });
      settings = {
        BACKEND: "offline",
        SANDBOX: "off",
        CI_AUDIENCE: AUDIENCE,
        CI_ISSUERS: JSON.stringify([{ ...codeHost.issuerEntry, ssh_url: ssh.urlTemplate }]),
        SSH_KNOWN_HOSTS_FILE: files.knownHosts,
      };
      app = { GITHUB_APP_ID: codeHost.app.id, GITHUB_APP_PRIVATE_KEY_FILE: files.appKey };
      packs.repository.commit({ files: { "a.txt": "before" }, day: 1, subject: "before" });
      backup = await makeBackup();
    });

    afterAll(async () => {
      for (const place of places) await place.close();
      await Promise.all([codeHost.close(), ssh.close(), packs.remove()]);
      await rm(folder, { recursive: true, force: true });
    });

    /** A service in which an owner has chosen both accesses and used them, as a backup. */
    async function makeBackup(): Promise<string> {
      const place = await makePlace();
      key = await makeTestKey(place.store);
      await operateOn(place.store, ({ grant }) => grant({ accountId: key.accountId, credits: 1_000 }));
      const url = await place.start({ ...settings, ...app, ...SEALING });
      const owner = clientOf(url, key.secret);
      for (const access of ["deploy_key", "github_app"] as const) {
        const { name, id, agentId } = await claim(url, access);
        agents[access] = agentId;
        const shown = await owner.repositoryAccess.put({ agentId, body: { kind: access } });
        const { path } = packs.repository;
        if (access === "github_app") codeHost.app.install({ name, id, path });
        else {
          publicKey = shown.public_key ?? "";
          await ssh.allow(publicKey, { name, path });
        }
        expect(await workedOn(owner, access)).toBe("before");
      }
      const written = join(folder, "backup");
      const { code, stdout, stderr } = await place.run(["backup", written], SEALING);
      if (code !== 0) throw new Error(stderr);
      printed = stdout;
      await place.stop();
      return written;
    }

    async function makePlace(): Promise<BackupPlace> {
      const place = await BackupPlace.make(kind, { blobs: "a folder", isEmpty: places.length > 0 });
      places.push(place);
      return place;
    }

    /** A private repository, claimed by the account. */
    async function claim(url: string, access: ChosenAccessKind) {
      const [name, id] = [`owner/${access}`, access === "deploy_key" ? "501" : "502"];
      const claims = { aud: AUDIENCE, repository: name, repository_id: id, repository_owner_id: "500" };
      const exchange = async (more: Readonly<Record<string, string>>) => {
        const { issuer } = codeHost;
        const private_ = { ...claims, repository_visibility: "private" };
        const json = { subject_token: issuer.sign(issuer.githubClaims(private_)), ...more };
        return await call(`${url}/v1/ci/oidc/exchange`, { method: "POST", json });
      };
      const { claim_url, agent_id: agentId } = exchangeResponseSchema.parse((await exchange({})).body);
      const json = { claim: claim_url?.split("/").at(-1) };
      await call(`${url}/v1/ci/claim`, { method: "POST", bearer: key.secret, json });
      const accepted = await exchange({ account: key.accountId });
      expect(accepted.text).toContain('"claim":"claimed"');
      return { name, id, agentId };
    }

    /** The subject of the commit that a run without a job works on. */
    async function workedOn(owner: Client, access: ChosenAccessKind): Promise<string> {
      const agentId = agents[access];
      const { runId } = await owner.runs.submit({ agentId, body });
      const { commit } = await owner.runs.get({ agentId, runId });
      expect(commit).toMatchObject({ from: "code_host", ref: "refs/heads/main" });
      return packs.repository.git(["log", "-1", "--format=%s", commit?.sha ?? ""]).trim();
    }

    it("names the key that sealed them, and has neither it nor a key in the clear", async () => {
      expect(printed).toContain(
        `RUN_SECRETS_KEY (fingerprint ${FINGERPRINT}) is not in the backup, and opens 1 value of it`,
      );
      const { tables } = await readBackup(backup);
      const rows = JSON.stringify(tables);
      expect(rows).toContain(publicKey);
      for (const secret of ["PRIVATE KEY", SEALING.RUN_SECRETS_KEY]) expect(rows).not.toContain(secret);
    });

    it("works as before where it is restored with the same key and the same App", async () => {
      const place = await makePlace();
      const { code, stdout } = await place.run(["restore", backup], SEALING);
      expect([code, stdout]).toEqual([0, expect.not.stringContaining("cannot be opened")]);
      const owner = clientOf(await place.start({ ...settings, ...app, ...SEALING }), key.secret);
      const shown = await owner.repositoryAccess.get({ agentId: agents.deploy_key });
      expect(shown).toMatchObject({ kind: "deploy_key", public_key: publicKey });
      expect(shown).not.toHaveProperty("fault");
      packs.repository.commit({ files: { "a.txt": "after" }, day: 2, subject: "after" });
      expect(await workedOn(owner, "deploy_key")).toBe("after");
      expect(await workedOn(owner, "github_app")).toBe("after");
    });

    it("says what is missing where the key and the App are not there, at the restore and at each use", async () => {
      const place = await makePlace();
      const { code, stdout } = await place.run(["restore", backup]);
      expect([code, stdout]).toEqual([
        0,
        expect.stringContaining(
          `1 value cannot be opened without RUN_SECRETS_KEY with fingerprint ${FINGERPRINT}, which is not set here.`,
        ),
      ]);
      expect(await place.runJson("restore", backup, "--replace")).toMatchObject({
        missing_keys: [{ setting: "RUN_SECRETS_KEY", fingerprint: FINGERPRINT, values: 1 }],
      });
      const owner = clientOf(await place.start(settings), key.secret);
      const missing = {
        deploy_key: /no key that opens the deploy key: its operator sets RUN_SECRETS_KEY/,
        github_app: /no GitHub App. Its operator sets GITHUB_APP_ID and GITHUB_APP_PRIVATE_KEY_FILE/,
      };
      for (const access of ["deploy_key", "github_app"] as const) {
        const agentId = agents[access];
        const said = expect.stringMatching(missing[access]);
        expect(await owner.repositoryAccess.get({ agentId })).toMatchObject({ kind: access, fault: said });
        await expect(owner.runs.submit({ agentId, body })).rejects.toMatchObject({
          status: 409,
          code: "commit_unreachable",
          message: said,
        });
      }
    });
  });
});
