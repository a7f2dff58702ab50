import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findSecrets, maskSecrets, maskSecretsInData } from "../../src/report/find-secrets.ts";
import { awsKeyId, awsSecret, filler, harmless, samples } from "./secret-samples.ts";

const forms = Object.entries(samples).flatMap(([title, values]) =>
  values.map((value) => [title, value] as const),
);
const places = [
  (secret: string) => secret,
  (secret: string) => `export TOKEN=${secret}\nnext`,
  (secret: string) => `{"token":"${secret}"}`,
  (secret: string) => `It is \`${secret}\`, see (${secret}).`,
  (secret: string) => `line\\n${secret}\\n`,
  (secret: string) => `https://user:${secret}@host.example/path`,
];

describe("findSecrets", () => {
  it.each(forms)("finds %s wherever it stands", (title, secret) => {
    for (const place of places) {
      const text = place(secret);
      expect(findSecrets(text)[0]?.title, text).toBe(title);
      expect(maskSecrets(text)).toContain(`‹${title}, masked›`);
      expect(maskSecrets(text)).not.toContain(secret.slice(-12));
    }
  });

  it("finds an AWS key's secret near its id, on either side", () => {
    for (const text of [`id = ${awsKeyId}\nsecret = "${awsSecret}"`, `${awsSecret},${awsKeyId}`]) {
      expect(findSecrets(text).map(({ title }) => title)).toEqual(["an AWS secret key"]);
      expect(maskSecrets(text)).not.toContain(awsSecret);
      expect(maskSecrets(text)).toContain(awsKeyId);
    }
  });

  it("finds every one of many, and leaves the rest as it is", () => {
    const all = forms.map(([, secret]) => secret);
    const text = all.map((secret, at) => `${at}: ${secret}.`).join("\n");
    expect(findSecrets(text)).toHaveLength(all.length);
    expect(maskSecrets(text).split("\n")).toHaveLength(all.length);
    expect(maskSecrets(text)).toMatch(/^0: ‹a GitHub token, masked›\.\n1: /);
  });

  it.each(harmless)("takes nothing of %j for a secret", (text) => {
    expect(findSecrets(text)).toEqual([]);
    expect(maskSecrets(text)).toBe(text);
  });

  it("takes nothing of this project's sources and documents for a secret", () => {
    const root = join(import.meta.dirname, "../..");
    const files = ["src", "docs", "examples"].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name)),
    );
    expect(files.length).toBeGreaterThan(500);
    const found = files.filter((path) => findSecrets(readFileSync(path, "utf8")).length > 0);
    expect(found).toEqual([]);
  });

  it("masks a private key that was cut off", () => {
    const [key = ""] = samples["a private key"] ?? [];
    const cut = key.slice(0, key.indexOf("-----END"));
    expect(maskSecrets(`Before\n${cut}`)).toBe("Before\n‹a private key, masked›");
  });

  it("masks the texts of data, in any depth", () => {
    const [token = ""] = samples["a GitHub token"] ?? [];
    const lines = ["-----BEGIN PRIVATE KEY-----", filler(64), "-----END PRIVATE KEY-----"];
    const data = { a: [{ b: `see\n${token}` }], lines, n: 1, none: null };
    expect(maskSecretsInData(data)).toEqual({ ...data, a: [{ b: "see\n‹a GitHub token, masked›" }] });
  });

  it("takes time linear in the text", () => {
    const begin = "-----BEGIN PRIVATE KEY-----";
    const worst = [
      "ghp_",
      "ghs_a.",
      "AKIA",
      `${awsKeyId} `,
      "sk-ant-api03-",
      "sk-proj-",
      "glpat-",
      begin,
      `${begin}${filler(40)}`,
      `${begin}\\n`,
      "A",
      "a.",
      "/",
      "=",
      "-",
      "\\n",
      "xoxb-1",
      "ops_eyJ",
      "fm2_",
      "pypi-AgE",
      "SG.",
      "‹",
    ];
    const cost = (text: string) => {
      const times = Array.from({ length: 5 }, () => {
        const before = process.cpuUsage();
        maskSecrets(text);
        const { user, system } = process.cpuUsage(before);
        return user + system;
      });
      return Math.min(...times);
    };
    for (const unit of worst) {
      const of = (bytes: number) => unit.repeat(Math.ceil(bytes / unit.length)).slice(0, bytes);
      // Below a millisecond the clock decides, and nothing is wrong.
      const small = Math.max(1_000, cost(of(16_384)));
      expect(cost(of(65_536)) / small, unit).toBeLessThanOrEqual(8);
    }
  });
});
