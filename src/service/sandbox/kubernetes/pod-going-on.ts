// The part of the service's program in a pod that executes a program which goes on beside commands: its pipes are frames of one call, and it ends
// with that. Its words are those of pod-program.ts.

export const podGoingOn = `
// A program that is spoken to.
const goOn = async ({ id, argv, env, isTreeShown }) => {
  const home = base + "/homes/" + id, empty = base + "/programs/" + id;
  const cwd = isTreeShown ? tree : empty;
  for (const folder of [home, cwd]) fs.mkdirSync(folder, { recursive: true });
  const variables = { PATH: inherited.PATH || "/usr/local/bin:/usr/bin:/bin", HOME: home, TMPDIR: "/tmp", ...env, [MARK]: id };
  const child = spawn(argv[0], argv.slice(1), { cwd, env: variables, detached: true, stdio: "pipe" });
  const pass = (stream, kind) => stream.on("data", async (content) => {
    stream.pause();
    for (let from = 0; from < content.length; from += CHUNK) await frame(kind, { content: content.subarray(from, from + CHUNK) });
    stream.resume();
  });
  pass(child.stdout, kinds.output);
  pass(child.stderr, kinds.complaint);
  child.stdin.on("error", () => {});
  const ended = new Promise((resolve) => {
    child.on("error", (cause) => resolve({ fault: String(cause.code) }));
    child.on("close", (exitCode, signal) => resolve({ exitCode, signal }));
  });
  // What it started and let go of holds its pipes.
  child.on("exit", () => endAll(id, child.pid));
  await frame(kinds.started);
  const hear = async () => {
    for (;;) {
      const header = await take(HEADER);
      await take(header.readUInt32BE(3));
      const content = await take(header.readDoubleBE(7));
      const kind = header.readUInt8(0);
      if (kind === kinds.closed) return;
      if (kind === kinds.ended) child.stdin.end();
      if (kind === kinds.data && !child.stdin.write(content))
        await new Promise((resolve) => { child.stdin.once("drain", resolve); child.stdin.once("close", resolve); });
    }
  };
  // A call that is cut ends it, too: nobody can speak to it any more.
  const how = await Promise.race([ended, hear().catch(() => {}).then(() => null)]);
  endAll(id, child.pid);
  const end = how ?? await ended;
  for (const folder of [home, empty]) remove(folder);
  await answer({ ok: true, end });
};
`;
