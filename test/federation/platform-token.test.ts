// ID tokens of the cloud that a process is executed on, by each way that clouds have, and the fake of them by the clouds' own clients.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { GetWebIdentityTokenCommand, STSClient } from "@aws-sdk/client-sts";
import { decodeJwt } from "jose";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startIssuer, type TestIssuer } from "../../fakes/issuer/issuer.ts";
import { PLATFORM_REGION, PlatformsFake, type PlatformWay, platformWays } from "../../fakes/platforms.ts";
import type { Platform } from "../../src/contract/models/clouds.ts";
import { FederationError } from "../../src/federation/federation-error.ts";
import { platformToken } from "../../src/federation/platforms/platform-token.ts";

const AUDIENCE = "https://api.anthropic.com";
const execute = promisify(execFile);
/** Programs that write a token by the clouds' own clients. */
const googleProgram = `import { Compute } from "google-auth-library";
process.stdout.write(await new Compute().fetchIdToken(process.env.AUDIENCE));`;
const microsoftProgram = `import { ManagedIdentityApplication } from "@azure/msal-node";
const { accessToken } = await new ManagedIdentityApplication().acquireToken({ resource: process.env.AUDIENCE });
process.stdout.write(accessToken);`;

let issuer: TestIssuer;
let fake: PlatformsFake;
beforeEach(async () => {
  issuer = await startIssuer();
  fake = await PlatformsFake.start(() => issuer);
});
afterEach(async () => {
  await fake.close();
  await issuer.close();
});

const ask = (platform: Platform, environment: Readonly<Record<string, string>>) =>
  platformToken(platform, { audience: AUDIENCE, environment });
async function refusal(platform: Platform, environment: Readonly<Record<string, string>>) {
  const cause: unknown = await ask(platform, environment).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(cause instanceof FederationError)) throw new Error("It was not refused.", { cause });
  for (const secret of fake.secrets) expect(cause.message).not.toContain(secret);
  return cause;
}

describe("a token of the platform", () => {
  it.each(platformWays.map((way) => ({ way, name: way.join(", by its ") })))(
    "is given by $name, for the audience",
    async ({ way }: { way: PlatformWay }) => {
      const token = await ask(way[0], fake.environment(way));
      expect(decodeJwt(token)).toMatchObject({ aud: AUDIENCE });
      expect(fake.seen.every((one) => one.endsWith(" 200"))).toBe(true);
    },
  );

  it("is asked for with what the process has been given: another key or header is refused", async () => {
    const variables = fake.environment(["aws", "variables"]);
    expect(await refusal("aws", { ...variables, AWS_SECRET_ACCESS_KEY: "another" })).toMatchObject({
      code: "federation_token_missing",
      message: expect.stringContaining("(SignatureDoesNotMatch)"),
    });
    const application = fake.environment(["azure", "application"]);
    expect(await refusal("azure", { ...application, IDENTITY_HEADER: "another" })).toMatchObject({
      status: 401,
      message: expect.stringContaining("Assign an identity"),
    });
  });

  it.each([
    ["OutboundWebIdentityFederationDisabledException", "aws iam enable-outbound-web-identity-federation"],
    ["AccessDenied", "Allow the role sts:GetWebIdentityToken"],
    ["Throttled", "Look at the role"],
  ])("is refused by STS with %s, and says what to do", async (code, said) => {
    fake.refusal = code;
    const { message } = await refusal("aws", fake.environment(["aws", "variables"]));
    expect(message).toContain(`(${code})`);
    expect(message).toContain(said);
  });

  it.each([
    ["gcp", "metadata server", "a service account"],
    ["azure", "metadata service", "Assign an identity"],
    ["aws", "machine", "a role"],
  ] as const)("is missing on %s where nothing has an identity", async (platform, way, said) => {
    fake.hasIdentity = false;
    const found = platformWays.find((one) => one[0] === platform && one[1] === way);
    if (found === undefined) throw new Error("There is no such way.");
    expect(await refusal(platform, fake.environment(found))).toMatchObject({
      code: "federation_token_missing",
      message: expect.stringContaining(said),
    });
  });

  it("is tried again where the platform does not answer, and not where a setting is wrong", async () => {
    const closed = platformWays.map((way) => [way[0], fake.environment(way)] as const);
    await fake.close();
    for (const [platform, environment] of closed)
      expect((await refusal(platform, environment)).isTransient, platform).toBe(true);
    fake = await PlatformsFake.start(() => issuer);
    const { AWS_REGION: _, ...withoutRegion } = fake.environment(["aws", "variables"]);
    expect((await refusal("aws", withoutRegion)).message).toContain("set AWS_REGION");
    const elsewhere = { AWS_CONTAINER_CREDENTIALS_FULL_URI: "http://credentials.example/" };
    expect((await refusal("aws", elsewhere)).message).toContain("has to be https");
    const noFile = {
      ...fake.environment(["aws", "container"]),
      AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: "/nowhere/token",
    };
    expect((await refusal("aws", noFile)).message).toContain("/nowhere/token");
    expect(fake.seen).toEqual([]);
  });

  it("is not asked for beyond the signal", async () => {
    const signal = AbortSignal.abort(new Error("The service stops."));
    const environment = fake.environment(["gcp", "metadata server"]);
    await expect(platformToken("gcp", { audience: AUDIENCE, environment, signal })).rejects.toThrow(
      "The service stops.",
    );
  });
});

describe("the fake of the platforms", () => {
  it("answers Amazon's client: signed requests of the role, XML and all", async () => {
    const {
      AWS_ACCESS_KEY_ID = "",
      AWS_SECRET_ACCESS_KEY = "",
      AWS_SESSION_TOKEN = "",
    } = fake.environment(["aws", "variables"]);
    const client = (secretAccessKey: string) =>
      new STSClient({
        region: PLATFORM_REGION,
        endpoint: fake.url,
        maxAttempts: 1,
        credentials: { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey, sessionToken: AWS_SESSION_TOKEN },
      });
    const command = new GetWebIdentityTokenCommand({ Audience: [AUDIENCE], SigningAlgorithm: "RS256" });
    const { WebIdentityToken = "" } = await client(AWS_SECRET_ACCESS_KEY).send(command);
    expect(decodeJwt(WebIdentityToken)).toMatchObject({ aud: AUDIENCE });
    await expect(client("another").send(command)).rejects.toThrow();
  });

  // They find out once in a process where they are executed.
  it.each([
    ["Google's client", ["gcp", "metadata server"], googleProgram],
    ["Microsoft's client, on a machine", ["azure", "metadata service"], microsoftProgram],
    ["Microsoft's client, in an application", ["azure", "application"], microsoftProgram],
  ] as const)("answers %s", async (_, way, program) => {
    const { stdout } = await execute(process.execPath, ["--input-type=module", "--eval", program], {
      cwd: import.meta.dirname,
      env: { PATH: process.env.PATH, AUDIENCE, ...fake.environment(way) },
    });
    expect(decodeJwt(stdout)).toMatchObject({ aud: AUDIENCE });
    expect(fake.seen.at(-1)).toMatch(/ 200$/);
  });
});
