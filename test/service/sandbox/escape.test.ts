// What an agent that wants out may try. Each is executed, and each is refused or ended.

import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Sandbox } from "../../../src/service/core/ports/sandbox.ts";
import { MARK_VARIABLE } from "../../../src/service/sandbox/crash-guard.ts";
import { offlineVariables } from "../../../src/service/sandbox/toolchain-variables.ts";
import { marked, processesWith, SandboxFixture, SECRET, until } from "./sandbox-fixture.ts";

const MEGABYTE = 1024 * 1024;

describe("a sandboxed command", { tags: ["sandbox"] }, () => {
  let fixture: SandboxFixture;
  let sandbox: Sandbox;
  beforeEach(async () => {
    fixture = new SandboxFixture();
    sandbox = await fixture.find({ environment: { SANDBOX: "bubblewrap" } });
  });
  afterEach(() => fixture.close());

  describe("that reads", () => {
    it("does not find the service's database, nor its folder", async () => {
      const database = join(fixture.dataDir, "agent-service.sqlite");
      const result = await fixture.result(sandbox, `cat '${database}'; ls '${fixture.dataDir}'; cat ../../*`);
      expect(result.output).not.toContain(SECRET);
      expect(result.output).toContain("No such file or directory");
      expect(result.exitCode).not.toBe(0);
    });

    it("does not find the database where it lies within something visible", async () => {
      const tools = join(fixture.dataDir, "tools");
      mkdirSync(join(tools, "data"), { recursive: true });
      writeFileSync(join(tools, "tool"), "a tool");
      writeFileSync(join(tools, "data", "database"), SECRET);
      const hiding = await fixture.find({
        config: { readPaths: [tools], hiddenPaths: [join(tools, "data")] },
      });
      const result = await fixture.result(
        hiding,
        `cat ${tools}/tool; ls -A ${tools}/data; cat ${tools}/data/database`,
      );
      expect(result.output).toContain("a tool");
      expect(result.output).not.toContain(SECRET);
    });

    it("does not find another run's checkout, by its path or by a link in its own", async () => {
      symlinkSync(fixture.otherRun, join(fixture.checkout.root, "link"));
      const result = await fixture.result(
        sandbox,
        `cat '${fixture.otherRun}'; cat link; ls /proc/1/root /proc/1/cwd/..`,
      );
      expect(result.output).not.toContain(SECRET);
      expect(result.output.match(/No such file/g)).toHaveLength(2);
    });

    it("sees no environment but its own, in its own and in every /proc/*/environ", async () => {
      const neighbour = spawn("sleep", ["1000"], { env: { PATH: process.env.PATH, KEY: SECRET } });
      try {
        const result = await fixture.result(sandbox, "cat /proc/*/environ | tr '\\0' '\\n'; env");
        expect(result.output).not.toContain(SECRET);
        const names = result.output.split("\n").map((line) => line.split("=")[0]);
        expect(new Set(names)).toEqual(
          new Set(
            ["", "GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_0", "GIT_CONFIG_VALUE_0", "GIT_OPTIONAL_LOCKS"].concat(
              ["GIT_PAGER", "GIT_TERMINAL_PROMPT", "HOME", "LANG", "LOGNAME", "PATH", "PWD", "SHELL", "TERM"],
              // Of the sandbox's first process, bubblewrap itself: the mark by which its service finds it.
              ["TMPDIR", "USER", MARK_VARIABLE],
              // Of bash.
              ["SHLVL", "_"],
              Object.keys(offlineVariables),
            ),
          ),
        );
      } finally {
        neighbour.kill();
      }
    });

    it("finds no folder of the service in the command line of the sandbox's first process", async () => {
      const result = await fixture.result(sandbox, "tr '\\0' '\\n' </proc/1/cmdline; cat /proc/*/cmdline");
      expect(result.output).toContain("bwrap");
      expect(result.output).not.toContain(fixture.dataDir);
    });

    it("sees its own processes alone, and is given no descriptor of ours", async () => {
      const result = await fixture.result(sandbox, "ls /proc | grep -c '^[0-9]'");
      expect(Number(result.output)).toBeLessThan(8);
      const own = await fixture.result(sandbox, "ls -l /proc/self/fd");
      const opened = [...own.output.matchAll(/ (\d+) -> (\S+)/g)].map(([, fd, target]) => [fd, target]);
      // A descriptor that the test's own process was started with is there, and is nothing.
      const isNothing = ([fd, target]: (string | undefined)[]) => Number(fd) > 3 && target === "/dev/null";
      expect(opened.filter((each) => !isNothing(each)).sort()).toEqual([
        ["0", "/dev/null"],
        ["1", expect.stringMatching(/^socket:/)],
        ["2", expect.stringMatching(/^socket:/)],
        ["3", expect.stringMatching(/^\/proc\/\d+\/fd$/)],
      ]);
    });

    it("finds nothing of the machine's /home, /root, /run, /var and /etc/shadow", async () => {
      const folders = await fixture.result(
        sandbox,
        "ls -A /home /var; ls -d /root /run /sys /srv /mnt /etc/shadow /etc/ssl/private",
      );
      expect(folders.output).toMatch(/\/home:\nagent\n/);
      expect(folders.output).toMatch(/\/var:\ntmp\n/);
      expect(folders.output.match(/cannot access/g)).toHaveLength(7);
    });
  });

  describe("that writes", () => {
    it("reaches the checkout and memory, and nothing else", async () => {
      const outside = ["/usr", "/usr/bin", "/etc", "/", "/dev", "/proc", "/opt", "/lib", "/home", "/var"];
      const marker = "written-by-an-agent";
      const tries = outside.map((folder) => `(echo x > ${folder}/${marker}) && echo WROTE ${folder}`);
      const result = await fixture.result(sandbox, [...tries, `echo x > ${marker}`, "ls"].join("\n"));
      expect(result.output).not.toContain("WROTE");
      expect(result.output).toMatch(new RegExp(`^${marker}$`, "m"));
      expect(readdirSync(fixture.checkout.root)).toEqual([".git", marker]);
      expect(outside.filter((folder) => existsSync(`${folder}/${marker}`))).toEqual([]);
    });

    it("does not reach the kernel's settings, which to a service that is root would be its own", async () => {
      const result = await fixture.result(
        sandbox,
        "cat /proc/sys/vm/swappiness > /proc/sys/vm/swappiness && echo WROTE; " +
          "for file in /proc/sys/kernel/core_pattern /proc/sysrq-trigger /proc/mtrr /proc/self/oom_score_adj; do " +
          "[ -w $file ] && echo WRITABLE $file; done; find /proc/sys -type f -writable | head -n 3",
      );
      expect(result.output).not.toMatch(/WROTE|WRITABLE|^\/proc\/sys/m);
    });

    it("has no capability, gains none by a set-user-id program, and mounts nothing", async () => {
      const result = await fixture.result(
        sandbox,
        "grep -E '^(Cap|NoNewPrivs)' /proc/self/status; mount -t tmpfs none /tmp && echo MOUNTED; " +
          "unshare --user --map-root-user true && echo NESTED; chroot / true && echo CHANGED; id -u",
      );
      expect(result.output).toMatch(/CapEff:\t0{16}/);
      expect(result.output).toMatch(/CapBnd:\t0{16}/);
      expect(result.output).toMatch(/NoNewPrivs:\t1/);
      expect(result.output).toMatch(/^1000$/m);
      expect(result.output).not.toMatch(/MOUNTED|NESTED|CHANGED/);
    });
  });

  describe("that reaches for the network", () => {
    it("finds neither a service on loopback nor the address of cloud metadata", async () => {
      const server = await listen();
      const address = server.address();
      const port = typeof address === "object" ? address?.port : 0;
      let connections = 0;
      server.on("connection", () => {
        connections += 1;
      });
      const targets = [`127.0.0.1/${port}`, "169.254.169.254/80", "fe80::1/80", "fd00:ec2::254/80"];
      const tries = targets.map((target) => `(exec 3<>/dev/tcp/${target}) && echo CONNECTED || echo REFUSED`);
      const result = await fixture.result(
        sandbox,
        `bash -c '${tries.join("; ")}; tail -n +3 /proc/net/dev | cut -d: -f1'`,
      );
      server.close();
      expect(result.output).not.toContain("CONNECTED");
      expect(result.output.match(/^REFUSED$/gm)).toHaveLength(4);
      expect(result.output).toContain("Network is unreachable");
      expect(connections).toBe(0);
      expect(result.output).toMatch(/REFUSED\n *lo\n$/);
    });

    it("meets a filter where no namespace is", { tags: ["x64"] }, async () => {
      const calls = { socketOfVirtualMachine: [41, 40, 1, 0], keyRing: [250, 0, -3, 0], ring: [425, 1, 0] };
      const peeking = {
        trace: [101, 16, 1, 0, 0],
        readMemory: [310, 1, 0, 0, 0, 0, 0],
        descriptor: [438, 3, 0, 0],
      };
      const hiding = { memoryFile: [319, 0, 0], sharedSegment: [29, 0, 1_000_000, 0o1600] };
      const allowed = { socket: [41, 1, 1, 0], smallSegment: [29, 0, 4096, 0o1600] };
      const script = Object.entries({ ...calls, ...peeking, ...hiding, ...allowed }).map(
        ([name, numbers]) =>
          `$r = syscall(${numbers.join(", ")}); print "${name} ", $r < 0 ? $!+0 : "ok", "\\n";`,
      );
      const result = await fixture.result(sandbox, `perl -e '${script.join(" ")}'`);
      expect(result.output.trim().split("\n")).toEqual([
        "socketOfVirtualMachine 97",
        "keyRing 1",
        "ring 1",
        "trace 1",
        "readMemory 1",
        "descriptor 1",
        "memoryFile 38",
        "sharedSegment 12",
        "socket ok",
        "smallSegment ok",
      ]);
    });
  });

  describe("that has the machine's network", () => {
    it("reaches no abstract unix socket of the machine, and has its pipes", {
      tags: ["x64-or-arm64"],
    }, async () => {
      const name = marked("abstract");
      const server = createServer((socket) => socket.end("REACHED\n"));
      await new Promise<void>((done) => server.listen(`\0${name}`, done));
      try {
        const networked = await fixture.find({ environment: { SANDBOX_NETWORK: "allowed" } });
        const connect =
          `socket(S, AF_UNIX, SOCK_STREAM, 0) or die "REFUSED ", $!+0, "\\n"; ` +
          `connect(S, pack_sockaddr_un("\\0${name}")) or die "UNREACHED"; print <S>;`;
        const pair = `socketpair(A, B, AF_UNIX, SOCK_STREAM, 0) and print "PAIR\\n";`;
        const script = `perl -MSocket -e '${pair}'; perl -MSocket -e '${connect}'`;
        expect((await fixture.result(networked, script)).output).toBe("PAIR\nREFUSED 97\n");
        // Where it has a network of its own, unix sockets are made, and the machine's are not there.
        expect((await fixture.result(sandbox, script)).output).toMatch(/^PAIR\nUNREACHED/);
      } finally {
        await new Promise((done) => server.close(done));
      }
    });
  });

  describe("that takes all there is", () => {
    const multiplies = async (pause: string): Promise<void> => {
      const few = await fixture.find({ limits: { processes: 60 } });
      const more = `b ${marked("fork-bomb")}`;
      const bomb = `b() { ${pause} ${more} | ${more} & }; ${more}; while :; do sleep 1; done`;
      const result = await fixture.result(few, `bash -c '${bomb}' ${marked("fork-bomb")}`, {
        timeoutMs: 50_000,
      });
      // Root is not held by the kernel but by the watch; for others the kernel refuses before the watch looks.
      expect(["processes", "time"]).toContain(result.limit);
      if (process.getuid?.() === 0) expect(result.limit).toBe("processes");
      expect(await processesWith(marked("fork-bomb"))).toEqual([]);
    };

    it("is ended when it multiplies", () => multiplies("sleep 0.2;"));

    // Where root executes it, there are thousands before the watch has its turn.
    it("is ended when it multiplies as fast as it can", { tags: ["long"] }, () => multiplies(""));

    it("is ended when its threads multiply or its processes take the memory together", async () => {
      const small = await fixture.find({ limits: { memoryBytes: 64 * MEGABYTE } });
      const one = `perl -e '$x = "x" x ${20 * MEGABYTE}; sleep 1000'`;
      const result = await fixture.result(small, `${`${one} & `.repeat(6)} wait`);
      expect(result.limit).toBe("memory");
      expect(result.exitCode).toBeNull();
    });

    it("fails alone when one process asks for too much", async () => {
      const small = await fixture.find({ limits: { memoryBytes: 64 * MEGABYTE } });
      const result = await fixture.result(small, `perl -e '$x = "x" x ${500 * MEGABYTE}' || echo refused`);
      expect(result.output).toMatch(/Out of memory[\s\S]*refused/);
    });

    it("is ended when it fills the disk, in many files or in folders it closes to us", async () => {
      const small = await fixture.find({ limits: { diskBytes: 24 * MEGABYTE } });
      const fill = "i=0; while :; do i=$((i+1)); head -c 1000000 /dev/zero > f$i; done";
      expect((await fixture.result(small, fill)).limit).toBe("disk");
      const hide = `rm -f f*; mkdir d; cd d; chmod 300 .; ${fill}`;
      expect((await fixture.result(small, hide)).limit).toBe("disk");
      expect((await fixture.result(small, "chmod 700 d; rm -r d; ls")).output).toBe("");
    });

    it("cannot fill memory through /tmp, /dev/shm or its home, nor the disk with one file", async () => {
      const small = await fixture.find({ limits: { temporaryBytes: MEGABYTE, diskBytes: 16 * MEGABYTE } });
      const places = ["/tmp/x", "/dev/shm/x", "~/x", "big"];
      const result = await fixture.result(
        small,
        places.map((place) => `head -c 40000000 /dev/zero > ${place} || echo REFUSED`).join("; "),
      );
      expect(result.limit ?? result.output.match(/REFUSED/g)?.length).toBeOneOf([4, "disk"]);
      expect(result.output.match(/No space left on device/g)).toHaveLength(3);
    });
  });

  describe("that wants to stay", () => {
    it("leaves no daemon behind", async () => {
      const daemon = `setsid nohup sh -c 'trap "" HUP TERM INT; while :; do sleep 1; done' ${marked("daemon")}`;
      const result = await fixture.result(sandbox, `${daemon} >/dev/null 2>&1 & echo started`);
      expect(result).toMatchObject({ exitCode: 0, output: "started\n" });
      // bubblewrap exits when the command has ended; the kernel ends the rest of its namespace right after.
      await until(async () => (await processesWith(marked("daemon"))).length === 0);
    });

    it("ends as a whole at its time limit, whatever it ignores", async () => {
      const stubborn = `trap "" HUP TERM INT; setsid sh -c 'trap "" TERM; sleep 1000' ${marked("time")} & sleep 1000`;
      const result = await fixture.result(sandbox, stubborn, { timeoutMs: 300 });
      expect(result).toMatchObject({ timedOut: true, limit: "time", exitCode: null, signal: "SIGKILL" });
      await until(async () => (await processesWith(marked("time"))).length === 0);
    });

    it("ends as a whole when it is aborted, early or late", async () => {
      const late = new AbortController();
      const running = fixture.result(sandbox, `sh -c 'sleep 1000' ${marked("abort")}`, {
        signal: late.signal,
      });
      await until(async () => (await processesWith(marked("abort"))).length > 0);
      late.abort(new Error("enough"));
      await expect(running).rejects.toThrow("enough");
      for (let turns = 0; turns < 12; turns += 1) {
        const early = new AbortController();
        const starting = fixture.result(sandbox, `sleep 1000 # ${marked("abort")}`, { signal: early.signal });
        for (let turn = 0; turn < turns * 3; turn += 1) await new Promise(setImmediate);
        early.abort(new Error("at once"));
        await expect(starting).rejects.toThrow("at once");
      }
      expect(await processesWith(marked("abort"))).toEqual([]);
    });
  });

  it("cannot put a link in the place of git's folder, for the next command to be shown what it names", async () => {
    const plant = `ln -sfn '${fixture.dataDir}' .git && echo MADE; mv .git x && echo MADE; rm .git && echo MADE`;
    const result = await fixture.result(sandbox, `${plant}; ls -A .git`);
    expect(result.output).not.toContain("MADE");
    expect((await fixture.result(sandbox, "ls -A .git; cat .git/*")).output).not.toContain("sqlite");
  });

  describe("that looks at git", () => {
    beforeEach(() => {
      const git = (...args: string[]) => execFileSync("git", ["-C", fixture.checkout.root, ...args]);
      git("init", "--quiet");
      writeFileSync(join(fixture.checkout.root, "file.txt"), "one\n");
      git("add", "file.txt");
      git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "--message=first");
      git("config", "http.https://github.com/.extraheader", `AUTHORIZATION: basic ${SECRET}`);
      git("config", "remote.origin.url", `https://x:${SECRET}@example.com/a.git`);
      mkdirSync(join(fixture.checkout.root, ".git", "modules", "m"), { recursive: true });
      writeFileSync(join(fixture.checkout.root, ".git", "modules", "m", "config"), SECRET);
    });

    const look = "echo two >> file.txt; git diff --stat; git status --short; git log --format=%s";

    it("reads history and differences, and no credential that a checkout left", async () => {
      const result = await fixture.result(sandbox, `${look}; cat .git/config; grep -r ${SECRET} .git`);
      expect(result.output).toMatch(/1 file changed, 1 insertion[\s\S]* M file\.txt\nfirst\n/);
      expect(result.output).not.toContain(SECRET);
    });

    it("plants neither a hook nor a setting that would run outside", async () => {
      const before = readFileSync(join(fixture.checkout.root, ".git", "config"), "utf8");
      const plant =
        "git config core.fsmonitor /checkout/evil && echo WROTE; echo evil > .git/hooks/pre-commit && echo WROTE; " +
        "mv .git other && echo WROTE; rm -rf .git && echo WROTE; echo x > .git/index && echo WROTE";
      const result = await fixture.result(sandbox, plant);
      expect(result.output).not.toContain("WROTE");
      expect(readFileSync(join(fixture.checkout.root, ".git", "config"), "utf8")).toBe(before);
      expect((await fixture.result(sandbox, "git log --format=%s")).output).toBe("first\n");
    });

    it("finds a folder that lies beside the tree, too", async () => {
      const gitFolder = join(fixture.checkout.root, "..", "git");
      execFileSync("mv", [join(fixture.checkout.root, ".git"), gitFolder]);
      const options = { checkout: { gitFolder } };
      const result = await fixture.result(sandbox, `${look}; cat /git/config`, options);
      expect(result.output).toMatch(/1 file changed, 1 insertion[\s\S]* M file\.txt\nfirst\n/);
      expect(result.output).not.toContain(SECRET);
      const again = await fixture.result(
        sandbox,
        "echo x > .git && echo WROTE; git log --format=%s",
        options,
      );
      expect(again.output).toMatch(/^first$/m);
      expect(again.output).not.toContain("WROTE");
    });
  });
});

function listen(): Promise<Server> {
  const { promise, resolve } = Promise.withResolvers<Server>();
  const server = createServer().listen(0, "127.0.0.1", () => resolve(server));
  return promise;
}
