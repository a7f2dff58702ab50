// A core fixture whose account can sign in to an MCP server on loopback, and a browser of one of its people.

import { BlockList } from "node:net";
import { type SignInOptions, SignInServer } from "../../../fakes/mcp-server/sign-in-server.ts";
import type { Identity } from "../../../fakes/self-signed.ts";
import { rulesOf } from "../../../src/service/core/egress/rules.ts";
import type { EgressProvider, RunEgress } from "../../../src/service/core/egress/run-egress.ts";
import { egressProvider } from "../../../src/service/egress/egress.ts";
import { CoreFixture, type CoreFixtureOptions } from "../fixtures/core-fixture.ts";
import { makeAccount, type TestAccount } from "../service-account.ts";
import { type HttpApi, openHttpApi } from "../service-api.ts";
import { type Answer, call } from "../service-client.ts";
import { type SignedIn, signInTo } from "../web-sign-in.ts";
import { type OpenedPair, openPair } from "./guarded-server.ts";

const PATH = "/settings/connections";

export type ConnectionsFixture = {
  readonly pair: OpenedPair<SignInServer>;
  readonly server: SignInServer;
  readonly core: CoreFixture;
  readonly api: HttpApi;
  readonly account: TestAccount;
  readonly owner: SignedIn;
  /** What a run may reach that names these hosts. */
  egressOf(hosts: readonly string[]): RunEgress;
  get(path: string, cookie?: string): Promise<Answer>;
  post(path: string, form: Readonly<Record<string, string>>, cookie?: string): Promise<Answer>;
  /** Presses "Connect": the page that says where to sign in, and the address that it leads to; null where it leads nowhere. */
  begin(form?: Begun): Promise<{ readonly page: Answer; readonly url: string | null }>;
  /** Signs in there: the path at this service to which the browser is led back. */
  signIn(url: string): Promise<string>;
  /** All of it. The page on which it ends. */
  connect(form?: Begun): Promise<Answer>;
  close(): Promise<void>;
};

type Begun = { readonly name?: string; readonly url?: string; readonly cookie?: string };

type Options = CoreFixtureOptions & {
  /** Of the servers. One of their own unless told. */
  readonly identity?: Identity;
  readonly signIn?: Omit<SignInOptions, "server" | "issuer">;
  /** What the operator lets runs reach. Default: both hosts. */
  readonly entries?: (hosts: readonly string[]) => readonly string[];
};

export async function openConnections({
  signIn = {},
  entries = (hosts) => hosts,
  identity,
  ...options
}: Options = {}): Promise<ConnectionsFixture> {
  const pair = await openPair((origins) => new SignInServer({ ...origins, ...signIn }), identity);
  const egress = loopbackEgress();
  const core = await CoreFixture.start({
    ...options,
    egress,
    policy: {
      webUrl: "http://localhost:4711",
      ...options.policy,
      egress: { entries: entries(pair.hosts), registries: [], needsOwner: true },
    },
  });
  const api = await openHttpApi(core);
  const account = await makeAccount(core);
  const owner = await signInTo(core.core, account.id);
  const get = (path: string, cookie = owner.cookie) => call(api.url + path, { headers: { cookie } });
  const post = (path: string, form: Readonly<Record<string, string>>, cookie = owner.cookie) =>
    call(api.url + path, { method: "POST", form, headers: { "sec-fetch-site": "same-origin", cookie } });
  const begin = async ({ name = "linear", url = pair.url, cookie = owner.cookie }: Begun = {}) => {
    const page = await post(PATH, { name, url }, cookie);
    const [, href = null] = /<p><a href="(https:[^"]+)"/.exec(page.text) ?? [];
    return { page, url: href === null ? null : href.replaceAll("&amp;", "&") };
  };
  const goThere = async (url: string) => {
    const answer = await fetch(url, { redirect: "manual" });
    const location = answer.headers.get("location");
    if (location === null) throw new Error(`The person is not led back: ${await answer.text()}`);
    const back = new URL(location);
    return back.pathname + back.search;
  };
  return {
    pair,
    server: pair.made,
    core,
    api,
    account,
    owner,
    egressOf: (hosts) => egress.open({ runId: "run", rules: rulesOf(hosts, []) }),
    get,
    post,
    begin,
    signIn: goThere,
    connect: async (form = {}) => {
      const { page, url } = await begin(form);
      if (url === null) return page;
      const answer = await get(await goThere(url), form.cookie);
      const location = answer.headers.get("location");
      return location === null ? answer : await get(location, form.cookie);
    },
    close: async () => {
      await api.close();
      await pair.close();
    },
  };
}

/** Reaches names of this machine, as an operator allows it (EGRESS_PRIVATE_HOSTS). */
export function loopbackEgress(): EgressProvider {
  const loopback = new BlockList();
  loopback.addSubnet("127.0.0.0", 8, "ipv4");
  const unused = () => Promise.reject(new Error("No command runs here."));
  return egressProvider({
    config: { privateHosts: [{ name: "localhost", addresses: loopback }], maxBytes: 10_000_000 },
    folders: { make: unused, remove: unused },
    resolve: async () => ["127.0.0.1"],
  });
}
