// Every documented path and method, and no other method on a documented path; the OpenAPI document; the WebSocket's address.

import { NO_ID } from "../kit/beginnings.ts";
import { member } from "../kit/exchange.ts";
import { expectHeader, expectMember, expectRefused, expectStatus, expectThat } from "../kit/expect.ts";
import { fill, nameOf, type RouteFact, routes } from "../kit/routes.ts";
import { type Statement, statementsOf } from "../kit/statement.ts";
import type { World } from "../kit/world.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const DOCUMENT = "/openapi.json";

/** Of this service alone: the specification leaves them open, and they are in its document. */
const OWN: ReadonlySet<string> = new Set(["DELETE /v1/agents/{agentID}", "DELETE /v1/ci/oidc/exchange"]);

const byPath = Map.groupBy(routes, ({ path }) => path);

/** Another method is 404 or 405, whoever asks. */
const methods = [...byPath].flatMap(([path, ofPath]): readonly Statement[] =>
  METHODS.filter(
    (method) => !ofPath.some((route) => route.method === method) && !OWN.has(`${method} ${path}`),
  ).map((method) => ({
    id: `not-served/${method} ${path}`,
    section: "9",
    says: `${method} ${path} is not served: 404 or 405.`,
    check: async (world) => {
      const [fact] = ofPath;
      if (fact !== undefined)
        expectRefused(await world.send(method, fill(fact, {}, NO_ID), undefined), [404, 405]);
    },
  })),
);

const prefixes = routes.map((route): Statement => {
  const bare = route.path.replace(/^\/v1/, "");
  return {
    id: `prefix/${nameOf(route)}`,
    section: "9",
    says: `${nameOf(route)} is not served without the prefix /v1.`,
    check: async (world) => {
      const answer = await world.send(
        route.method,
        fill({ ...route, path: bare }, {}, NO_ID),
        route.body === "json" ? {} : undefined,
      );
      expectThat(answer.status >= 300 && answer.status < 500, "no success", answer);
      expectStatus(answer, 301, 302, 303, 307, 308, 401, 403, 404, 405);
    },
  };
});

async function document(world: World) {
  return await world.once("openapi", async () =>
    expectStatus(await world.ask({ path: DOCUMENT, as: "nobody" }), 200),
  );
}

function operationOf(json: unknown, { method, path }: RouteFact): unknown {
  return member(json, "paths", path, method.toLowerCase());
}

const documented = routes.flatMap((route): readonly Statement[] => [
  {
    id: `document/${nameOf(route)}`,
    section: "9",
    says: `The OpenAPI document has ${nameOf(route)}.`,
    check: async (world) => {
      const answer = await document(world);
      expectThat(operationOf(answer.json, route) !== undefined, `paths with ${nameOf(route)}`, answer);
    },
  },
]);

const guarded = routes.filter(({ callers }) => callers !== "everybody");

const documents = statementsOf("9", { prefix: "openapi" }, [
  [
    "public",
    `${DOCUMENT} needs no credential.`,
    async (world) => void expectStatus(await document(world), 200),
  ],
  [
    "version",
    "The description is OpenAPI 3.1.0.",
    async (world) => expectMember(await document(world), "openapi", "3.1.0"),
  ],
  [
    "document-version",
    "The description's version is 1.0.0.",
    async (world) => expectMember(await document(world), "info.version", "1.0.0"),
  ],
  [
    "title",
    "The description has a title.",
    async (world) => {
      const answer = await document(world);
      expectThat(typeof member(answer.json, "info", "title") === "string", "info.title", answer);
    },
  ],
  [
    "prefix",
    "Every path of the API in the description has the prefix /v1; only health has none.",
    async (world) => {
      const answer = await document(world);
      const paths = Object.keys((member(answer.json, "paths") ?? {}) as object);
      const others = paths.filter((path) => !path.startsWith("/v1/") && !/^\/(healthz|readyz)$/.test(path));
      expectThat(
        paths.length > others.length && others.length === 0,
        `no path but those of /v1: ${others.join(", ")}`,
        answer,
      );
    },
  ],
  [
    "no-other-method",
    "A documented path has no method in the description that the specification does not list.",
    async (world) => {
      const answer = await document(world);
      const others = [...byPath].flatMap(([path, ofPath]) =>
        METHODS.filter((method) => !ofPath.some((route) => route.method === method))
          .filter((method) => member(answer.json, "paths", path, method.toLowerCase()) !== undefined)
          .map((method) => `${method} ${path}`)
          .filter((name) => !OWN.has(name)),
      );
      const isThere = [...byPath.keys()].every((path) => member(answer.json, "paths", path) !== undefined);
      expectThat(isThere && others.length === 0, `each path, and no ${others.join(", ")}`, answer);
    },
  ],
  [
    "credential",
    "Every route that needs a credential says 401 in the description.",
    async (world) => {
      const answer = await document(world);
      const silent = guarded.filter(
        (route) => member(operationOf(answer.json, route), "responses", "401") === undefined,
      );
      expectThat(silent.length === 0, `401 of ${silent.map(nameOf).join(", ")}`, answer);
    },
  ],
  [
    "unique",
    "Every operation of the description has an id of its own.",
    async (world) => {
      const answer = await document(world);
      const ids = routes.map((route) => member(operationOf(answer.json, route), "operationId"));
      expectThat(
        new Set(ids).size === routes.length && !ids.includes(undefined),
        "an operationId each",
        answer,
      );
    },
  ],
  [
    "security",
    "The description has a scheme of bearer credentials.",
    async (world) => {
      const answer = await document(world);
      const schemes = Object.values((member(answer.json, "components", "securitySchemes") ?? {}) as object);
      expectThat(
        schemes.some((one) => member(one, "scheme") === "bearer"),
        "a scheme with bearer",
        answer,
      );
    },
  ],
]);

const WS = "/v1/ws";

const socket = statementsOf("4.7", { prefix: "ws" }, [
  [
    "no-upgrade",
    "GET /v1/ws without an upgrade is answered 426.",
    async (world) => void expectRefused(await world.get(WS), 426, "upgrade_required"),
  ],
  [
    "upgrade-header",
    "The refusal says which upgrade it takes.",
    async (world) => expectHeader(await world.get(WS), "upgrade", /websocket/i),
  ],
  [
    "nobody",
    "GET /v1/ws without an upgrade and a credential is refused: 401 or 426.",
    async (world) => void expectRefused(await world.ask({ path: WS, as: "nobody" }), [401, 426]),
  ],
  ...["POST", "PUT", "DELETE", "PATCH"].map(
    (method) =>
      [
        `not-${method}`,
        `${method} ${WS} is not served: 404 or 405.`,
        async (world: World) => void expectRefused(await world.send(method, WS, undefined), [404, 405]),
      ] as const,
  ),
  [
    "document",
    "The OpenAPI document has GET /v1/ws.",
    async (world) => {
      const answer = await document(world);
      expectThat(member(answer.json, "paths", WS, "get") !== undefined, `paths with GET ${WS}`, answer);
    },
  ],
]);

export const served: readonly Statement[] = [...methods, ...prefixes, ...documented, ...documents, ...socket];
