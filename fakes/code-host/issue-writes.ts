// What a job's token writes on issues and pull requests beside comments: labels, assignees, reviewers, their state, and new issues.
// https://docs.github.com/en/rest/issues/issues, …/issues/labels, …/issues/assignees, …/pulls/review-requests (2026-11-27)

import type { IncomingMessage, ServerResponse } from "node:http";
import { ACTIONS_BOT } from "./comments.ts";
import { sendJson } from "./server.ts";

type Fields = Record<string, unknown>;
type Person = { readonly login: string };

export type IssueShelf = {
  readonly webUrl: string;
  /** All that are at paths like "/issues/7". */
  all(): readonly Fields[];
  find(path: string): Fields | undefined;
  put(path: string, fields: Fields): void;
};

type Asked = { readonly url: URL; readonly path: string; readonly body: string; readonly shelf: IssueShelf };

export class CodeHostIssueWrites {
  /** Who can be assigned, and whose review can be requested. Others are left out, or refused, as GitHub does. */
  readonly people = new Set(["octocat", "hubot"]);
  /** Short names of teams. A job's own token can request none of them. */
  mayRequestTeams = true;
  readonly #requested = new Map<string, { users: Person[]; teams: { slug: string }[] }>();
  #nextNumber = 501;

  requestedOf(number: number): {
    readonly users: readonly Person[];
    readonly teams: readonly { slug: string }[];
  } {
    return this.#requestedAt(String(number));
  }

  /** False for a request that is none of these. */
  handle(request: IncomingMessage, response: ServerResponse, asked: Asked): boolean {
    const { path, body, shelf } = asked;
    const given = () => JSON.parse(body) as Fields;
    const [, number, part] =
      /^\/(?:issues|pulls)\/(\d+)(?:\/(labels|assignees|requested_reviewers))?$/.exec(path) ?? [];
    switch (`${request.method} ${path.replace(/\d+/, "N")}`) {
      case "GET /issues":
        this.#list(response, asked);
        return true;
      case "POST /issues":
        this.#create(response, { shelf, given: given() });
        return true;
      case "POST /issues/N/labels":
      case "POST /issues/N/assignees":
      case "PATCH /issues/N":
        this.#change(response, { shelf, path: `/issues/${number}`, part, given: given() });
        return true;
      case "GET /pulls/N/requested_reviewers":
        sendJson(response, 200, this.#requestedAt(number ?? ""));
        return true;
      case "POST /pulls/N/requested_reviewers":
        this.#request(response, { number: number ?? "", given: given() });
        return true;
      default:
        return false;
    }
  }

  #list(response: ServerResponse, { url, shelf }: Asked): void {
    const state = url.searchParams.get("state") ?? "open";
    const found = shelf
      .all()
      .filter((issue) => state === "all" || (issue.state ?? "open") === state)
      .toSorted((a, b) => Number(b.number) - Number(a.number));
    sendJson(
      response,
      200,
      found.slice(0, Number(url.searchParams.get("per_page") ?? 30)).map((issue) => inForm(issue, shelf)),
    );
  }

  #create(response: ServerResponse, { shelf, given }: { shelf: IssueShelf; given: Fields }): void {
    const { title, body = null } = given;
    if (typeof title !== "string" || title === "" || title.length > 256) {
      sendJson(response, 422, { message: "Validation Failed", errors: [{ message: "title is too long" }] });
      return;
    }
    const number = this.#nextNumber++;
    const issue = { number, title, body, state: "open", user: ACTIONS_BOT, labels: [], assignees: [] };
    shelf.put(`/issues/${number}`, issue);
    sendJson(response, 201, inForm(issue, shelf));
  }

  #change(
    response: ServerResponse,
    {
      shelf,
      path,
      part,
      given,
    }: { shelf: IssueShelf; path: string; part: string | undefined; given: Fields },
  ): void {
    const issue = shelf.find(path);
    if (issue === undefined) {
      sendJson(response, 404, { message: "Not Found", status: "404" });
      return;
    }
    const lists = {
      labels: (issue.labels ?? []) as { name: string }[],
      assignees: (issue.assignees ?? []) as Person[],
    };
    if (part === "labels") {
      const names = new Set([...lists.labels.map(({ name }) => name), ...(given.labels as string[])]);
      lists.labels = [...names].map((name) => ({ name }));
    }
    if (part === "assignees") {
      const allowed = (given.assignees as string[]).filter((login) => this.people.has(login));
      const logins = new Set([...lists.assignees.map(({ login }) => login), ...allowed]);
      lists.assignees = [...logins].map((login) => ({ login }));
    }
    const changed = { ...issue, ...lists, ...(part === undefined ? given : {}) };
    shelf.put(path, changed);
    if (part === "labels") sendJson(response, 200, lists.labels);
    else sendJson(response, part === "assignees" ? 201 : 200, inForm(changed, shelf));
  }

  #request(response: ServerResponse, { number, given }: { number: string; given: Fields }): void {
    const { reviewers = [], team_reviewers: teams = [] } = given as {
      reviewers?: string[];
      team_reviewers?: string[];
    };
    if (!reviewers.every((login) => this.people.has(login)) || (teams.length > 0 && !this.mayRequestTeams)) {
      const message = "Reviews may only be requested from collaborators.";
      sendJson(response, 422, { message, status: "422" });
      return;
    }
    const there = this.#requestedAt(number);
    this.#requested.set(number, {
      users: [...there.users, ...reviewers.map((login) => ({ login }))],
      teams: [...there.teams, ...teams.map((slug) => ({ slug }))],
    });
    sendJson(response, 201, { number: Number(number) });
  }

  #requestedAt(number: string): { users: Person[]; teams: { slug: string }[] } {
    return this.#requested.get(number) ?? { users: [], teams: [] };
  }
}

function inForm(issue: Fields, { webUrl }: IssueShelf): Fields {
  return { state: "open", html_url: `${webUrl}/issues/${issue.number}`, labels: [], assignees: [], ...issue };
}
