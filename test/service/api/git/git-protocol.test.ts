// The wire of a workspace's repository, request by request: what is no git's, what is cut off, who may, and clients that go away.

import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bandLines, FLUSH, PacketReader, packetLine } from "../../../../src/base/git/packet-lines.ts";
import { credentialsOf } from "../../../support/credentials-of-person.ts";
import { SERVED_LIMITS } from "../../../support/fixtures/core-fixture.ts";
import { addPerson } from "../../../support/people.ts";
import { GitFixture, NOTHING, pushBody } from "./git-fixture.ts";

describe("a workspace's repository", () => {
  let at: GitFixture;

  beforeAll(async () => {
    at = await GitFixture.start();
  });
  afterAll(() => at.close());

  it("answers the request by which git asks whether a large push is taken", async () => {
    const { workspaceId } = await at.workspace();
    expect(await at.post(workspaceId, "git-receive-pack", FLUSH)).toEqual({ status: 200, text: "" });
    expect(await at.post(workspaceId, "git-receive-pack", Buffer.alloc(0))).toEqual({
      status: 200,
      text: "",
    });
    expect(await at.post(workspaceId, "git-upload-pack", FLUSH)).toMatchObject({ status: 200 });
  });

  it("takes a push in chunks after it was asked, larger than git's buffer", async () => {
    const { workspaceId, copyId, cwd } = await at.workspace();
    for (let n = 0; n < 40; n += 1)
      await at.write(cwd, `random/${n}.bin`, at.fixture.core.random.bytes(50_000));
    const tip = await at.commit(cwd);
    const config = ["-c", "http.postBuffer=65536"];
    const { code, stderr } = await at.git.run([...config, "push", "origin", "HEAD"], { cwd });
    expect(stderr).toContain(`--copy ${copyId}`);
    expect(code).toBe(0);
    expect(await at.baseOf(workspaceId, copyId)).toBe(tip);
  });

  it("is told from a request that is none of git's", async () => {
    const { workspaceId, base, ref } = await at.workspace();
    const push = (body: string | Buffer) => at.post(workspaceId, "git-receive-pack", Buffer.from(body));
    for (const body of ["zzzz", "0003", "fff0abc", "00", "0008nope", "-001", "0001"]) {
      expect(await push(body), body).toMatchObject({ status: 400 });
    }
    const cut = packetLine(`${base} ${NOTHING} ${ref}\0report-status`);
    expect(await push(cut)).toMatchObject({ status: 400 });
    for (const line of [`${base} ${base} HEAD`, `${base} ${base}`, `${base} zz ${ref}`, `x ${base} ${ref}`]) {
      expect((await push(Buffer.concat([packetLine(line), FLUSH]))).status, line).toBe(400);
    }
    const many = Array.from({ length: 201 }, (_, n) => packetLine(`${base} ${base} refs/heads/${n}`));
    expect(await push(Buffer.concat([...many, FLUSH]))).toMatchObject({ status: 400 });
    const twice = [0, 1].map(() => packetLine(`${base} ${base} ${ref}\0 report-status`));
    expect((await push(Buffer.concat([...twice, FLUSH]))).text).toContain("a push names each branch once");
    const fetched = await at.post(workspaceId, "git-upload-pack", packetLine("want nothing\n"));
    expect(fetched).toMatchObject({ status: 200, text: expect.stringContaining("ERR") });
    const plain = { "content-type": "text/plain" };
    expect(await at.post(workspaceId, "git-upload-pack", FLUSH, plain)).toMatchObject({ status: 415 });
    const brotli = { "content-encoding": "br" };
    expect(await at.post(workspaceId, "git-upload-pack", FLUSH, brotli)).toMatchObject({ status: 415 });
    const gzip = { "content-encoding": "gzip" };
    expect(await at.post(workspaceId, "git-upload-pack", FLUSH, gzip)).toMatchObject({ status: 400 });
    const bomb = gzipSync(Buffer.concat([packetLine("command=fetch\n"), Buffer.alloc(40_000_000, "0032")]));
    const { text: unfolded } = await at
      .post(workspaceId, "git-upload-pack", bomb, { ...gzip, "git-protocol": "version=2" })
      .catch(() => ({ text: "broken off" }));
    expect(unfolded.length).toBeLessThan(1_000);
  });

  it("takes a compressed request", async () => {
    const { workspaceId, base } = await at.workspace();
    const body = Buffer.concat([
      packetLine("command=ls-refs\n"),
      Buffer.from("0001"),
      packetLine("ref-prefix refs/heads/main\n"),
      FLUSH,
    ]);
    const headers = { "content-encoding": "gzip", "git-protocol": "version=2" };
    const { status, text } = await at.post(workspaceId, "git-upload-pack", gzipSync(body), headers);
    expect([status, text]).toEqual([200, `003d${base} refs/heads/main\n0000`]);
  });

  it("passes on no version that is none", async () => {
    const { workspaceId } = await at.workspace();
    const ask = async (version: string) => {
      const url = `${at.api.url}/v1/workspaces/${workspaceId}.git/info/refs?service=git-upload-pack`;
      const headers = { authorization: `Bearer ${at.account.owner}`, "git-protocol": version };
      const answer = await fetch(url, { headers });
      expect(answer.headers.get("cache-control")).toContain("no-cache");
      return await answer.text();
    };
    expect(await ask("version=2")).toMatch(/^000eversion 2\n/);
    expect(await ask("version=1")).toContain("000eversion 1\n");
    for (const version of ["version=3", "version=2;x", "$(id)", "version=2:object-format=sha256 -x"]) {
      expect(await ask(version), version).toMatch(/^001e# service=git-upload-pack\n0000/);
    }
  });

  it("is not there for clients without the smart protocol", async () => {
    const { workspaceId } = await at.workspace();
    const headers = { authorization: `Bearer ${at.account.owner}` };
    for (const path of ["info/refs", "HEAD", "objects/info/packs", "info/refs?service=git-upload-archive"]) {
      const answer = await fetch(`${at.api.url}/v1/workspaces/${workspaceId}.git/${path}`, { headers });
      expect([answer.status, answer.headers.get("content-type")], path).toEqual([
        404,
        expect.stringContaining("text/plain"),
      ]);
    }
  });

  it("is read by viewers and pushed to by members, and by tokens of the scopes", async () => {
    const { workspaceId, copyId, cwd } = await at.workspace();
    const { core } = at.fixture;
    const accountId = at.account.id;
    await at.write(cwd, "new.txt", "new\n");
    await at.commit(cwd);
    const credentials = async (role: "viewer" | "member") =>
      await credentialsOf(core, { accountId, personId: await addPerson(core, { accountId, role }) });
    const viewer = await credentials("viewer");
    const push = async (key: string) =>
      await at.git.run(["push", at.url(workspaceId, key), `HEAD:refs/heads/copies/${copyId}`], { cwd });
    for (const key of [viewer.aiClientKey, viewer.token]) {
      expect(await at.git.git(["ls-remote", at.url(workspaceId, key)])).toContain("refs/heads/main");
      expect((await push(key)).stderr).toContain('remote: The role "viewer" in this account may not do this');
    }
    const member = await credentials("member");
    expect((await push(member.token)).code).toBe(0);
    const { base_revision_id: revisionId } = await at.client.copies.get({
      workspaceId,
      workingCopyId: copyId,
    });
    const { author } = await at.client.revisions.get({ workspaceId, revisionId });
    expect(author).toMatchObject({ type: "ai_client" });
  });

  it("ends what it does for a client that goes away, and moves nothing", async () => {
    const { workspaceId, copyId, cwd, ref, base } = await at.workspace();
    for (let n = 0; n < 20; n += 1)
      await at.write(cwd, `random/${n}.bin`, at.fixture.core.random.bytes(100_000));
    const tip = await at.commit(cwd);
    const body = pushBody({ ref, from: base, to: tip }, Buffer.from("PACK\0\0\0\x02\0\0\0\x10"));
    const { port } = new URL(at.api.url);
    const socket = connect(Number(port), "127.0.0.1");
    socket.write(
      `POST /v1/workspaces/${workspaceId}.git/git-receive-pack HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${at.account.owner}\r\n` +
        `Content-Type: application/x-git-receive-pack-request\r\nContent-Length: 1000000\r\n\r\n`,
    );
    socket.write(body);
    await until(async () => (await at.calls()).length > 0);
    socket.destroy();
    await until(async () => (await at.calls()).length === 0);
    expect(await at.baseOf(workspaceId, copyId)).toBe(base);
    const pushed = await at.git.run(["push", "origin", "HEAD"], { cwd });
    expect(pushed.code, pushed.stderr).toBe(0);
    const clone = at.git.start(["clone", "--quiet", at.url(workspaceId), "killed"]);
    await until(async () => (await at.calls()).length > 0 || clone.exitCode !== null);
    clone.kill("SIGKILL");
    await until(async () => (await at.calls()).length === 0);
  });
});

describe("a push of many files", { tags: ["long"] }, () => {
  const FILES = 26_000;

  it("is one revision, and is cloned as it was pushed", async () => {
    const at = await GitFixture.start({ gitLimits: withObjects(100_000) });
    const { workspaceId, copyId, cwd } = await at.workspace();
    for (let n = 0; n < FILES; n += 1) await at.write(cwd, `src/${n % 500}/file-${n}.txt`, `file ${n}\n`);
    await at.commit(cwd);
    await at.git.git(["push", "--quiet", "origin", "HEAD"], { cwd });
    const copy = await at.client.copies.get({ workspaceId, workingCopyId: copyId });
    const revision = await at.client.revisions.get({ workspaceId, revisionId: copy.base_revision_id });
    expect(revision.files).toBe(FILES + 1);
    await at.git.git(["clone", "--quiet", "--branch", `copies/${copyId}`, at.url(workspaceId), "again"]);
    const tree = async (folder: string) => await at.git.git(["rev-parse", "HEAD^{tree}"], { cwd: folder });
    expect(await tree("again")).toBe(await tree(cwd));
    await at.close();
  });
});

function withObjects(maxObjects: number) {
  return { ...SERVED_LIMITS, push: { ...SERVED_LIMITS.push, maxObjects } };
}

describe("packet lines", () => {
  it("are read however they are cut", async () => {
    const lines = Buffer.concat([
      packetLine("one\n"),
      FLUSH,
      Buffer.from("0001"),
      packetLine(""),
      Buffer.from("rest"),
    ]);
    for (const size of [1, 3, 1_000]) {
      const reader = new PacketReader(inPieces(lines, size));
      const read = [await reader.next(), await reader.next(), await reader.next(), await reader.next()];
      expect(read.map((packet) => packet?.kind)).toEqual(["line", "flush", "delimiter", "line"]);
      const rest: Uint8Array[] = [];
      for await (const chunk of reader.rest()) rest.push(chunk);
      expect(Buffer.concat(rest).toString()).toBe("rest");
    }
  });

  it("of a band hold what a line can", async () => {
    const data = Buffer.alloc(150_000, "x");
    const reader = new PacketReader(inPieces(bandLines(1, data), 70_000));
    const parts: Buffer[] = [];
    for (let packet = await reader.next(); packet !== null; packet = await reader.next()) {
      if (packet.kind === "line") parts.push(packet.data.subarray(1));
    }
    expect(Buffer.concat(parts).equals(data)).toBe(true);
  });
});

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(10);
}
