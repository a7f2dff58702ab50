// The part of the service's program in a pod that executes a program which goes on beside commands: its pipes are frames of one call, and it ends
// with that. Its words are those of pod-program.ts, pod-files.ts and pod-commands.ts.

export const podGoingOn = `
// A program that is spoken to. "agentHome" is the folder that a coding agent has as its home, beside which nothing may configure it.
const goOn = async ({ id, argv, env, isTreeShown, agentHome, maxDiskBytes }) => {
  const home = base + "/" + (agentHome ?? "homes/" + id), empty = base + "/programs/" + id;
  const cwd = isTreeShown ? tree : empty;
  const known = new Set([agentHome, "tree", "home", "homes", "programs", ".agent-service"]);
  // Agents read instructions in the folders above theirs.
  if (agentHome !== null) for (const name of fs.readdirSync(base)) if (!known.has(name)) try { removeHard(Buffer.from(base + "/" + name)); } catch {}
  for (const folder of [home, cwd]) fs.mkdirSync(folder, { recursive: true });
  const before = { weight: Math.max(maxDiskBytes, weigh(Buffer.from(base), Infinity)), killed: oomKills() };
  const variables = { PATH: inherited.PATH || "/usr/local/bin:/usr/bin:/bin", TMPDIR: "/tmp", ...env, HOME: home, [MARK]: id };
  const child = spawn(argv[0], argv.slice(1), { cwd, env: variables, detached: true, stdio: "pipe" });
  const pass = (stream, kind) => stream.on("data", async (content) => {
    stream.pause();
    for (let from = 0; from < content.length; from += CHUNK) await frame(kind, { content: content.subarray(from, from + CHUNK) });
    stream.resume();
  });
  pass(child.stdout, kinds.output);
  pass(child.stderr, kinds.complaint);
  child.stdin.on("error", () => {});
  let limit;
  const ended = new Promise((resolve) => {
    child.on("error", (cause) => resolve({ fault: String(cause.code) }));
    child.on("close", (exitCode, signal) => resolve({ exitCode, signal }));
  });
  child.on("exit", (exitCode, signal) => {
    const allowed = Number(readText("/sys/fs/cgroup/memory.max"));
    if (signal === "SIGKILL" && oomKills() > before.killed && allowed > 0) limit ??= { limit: "memory", allowed };
    // What it started and let go of holds its pipes.
    endAll(id, child.pid);
  });
  await frame(kinds.started);
  const hear = async () => {
    for (;;) {
      const header = await take(HEADER);
      await take(header.readUInt32BE(3));
      const content = await take(header.readDoubleBE(7));
      const kind = header.readUInt8(0);
      if (kind === kinds.closed) return;
      if (kind === kinds.ended) child.stdin.end();
      if (kind === kinds.terminated && child.pid !== undefined) try { process.kill(-child.pid, "SIGTERM"); } catch {}
      if (kind === kinds.data && !child.stdin.write(content))
        await new Promise((resolve) => { child.stdin.once("drain", resolve); child.stdin.once("close", resolve); });
    }
  };
  // Weighing takes a twentieth of the time at most.
  const weighAgain = async () => {
    for (let tookMs = 0; ; ) {
      await sleep(Math.max(500, 20 * tookMs));
      const from = performance.now();
      if (weigh(Buffer.from(base), before.weight) > before.weight) { limit ??= { limit: "disk", allowed: before.weight }; endAll(id, child.pid); }
      tookMs = performance.now() - from;
    }
  };
  weighAgain();
  // A call that is cut ends it, too: nobody can speak to it any more.
  const how = await Promise.race([ended, hear().catch(() => {}).then(() => null)]);
  endAll(id, child.pid);
  const end = how ?? await ended;
  if (agentHome === null) remove(home);
  remove(empty);
  await answer({ ok: true, end: { ...end, ...limit } });
};
`;
