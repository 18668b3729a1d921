/** The API, typed by its own OpenAPI document: `await ask(api.GET("/v1/puzzles"))`. */
import createClient from "openapi-fetch";
import type { components, paths } from "./schema";

export type Schemas = components["schemas"];

export interface Fault {
  where: string;
  message: string;
}

/** What the service refused and why (RFC 9457), or that it did not answer (`code` is then "offline"). */
export class Problem extends Error {
  constructor(
    readonly code: string,
    readonly title: string,
    readonly detail: string,
    readonly status = 0,
    readonly faults: readonly Fault[] = [],
    readonly retryAfter: number | null = null,
  ) {
    super(`${title}: ${detail}`);
  }

  /** The faults at one place of the request, such as /heuristic, and below it. */
  at(place: string): Fault[] {
    return this.faults.filter((fault) => fault.where === place || fault.where.startsWith(`${place}/`));
  }
}

type Listener = () => void;

/** What concerns all views: whether the service answers, and the API key, which lives as long as the tab. */
class Connection {
  private listeners = new Set<Listener>();
  private probe: number | undefined;
  online = true;
  keyWanted = false;

  get key(): string | null {
    return sessionStorage.getItem("hstar-key");
  }

  subscribe(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  setKey(key: string | null): void {
    if (key === null) sessionStorage.removeItem("hstar-key");
    else sessionStorage.setItem("hstar-key", key);
    this.keyWanted = false;
    this.tell();
  }

  wantKey(): void {
    this.keyWanted = true;
    this.tell();
  }

  /** The service has not answered: look again until it does. */
  lost(): void {
    if (!this.online) return;
    this.online = false;
    this.tell();
    const look = async () => {
      try {
        if ((await fetch("/health/live", { cache: "no-store" })).ok) {
          this.online = true;
          this.tell();
          return;
        }
      } catch {
        // still away
      }
      this.probe = window.setTimeout(look, 1000);
    };
    window.clearTimeout(this.probe);
    this.probe = window.setTimeout(look, 500);
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}

export const connection = new Connection();

async function send(request: Request): Promise<Response> {
  const { key } = connection;
  if (key !== null) request.headers.set("Authorization", `Bearer ${key}`);
  let response: Response;
  try {
    response = await fetch(request);
  } catch (error) {
    if (request.signal.aborted) throw error;
    connection.lost();
    throw new Problem("offline", "The service does not answer", "Nothing is lost; this page goes on when it is back.");
  }
  // Not if it was sent before somebody gave the key that there is now.
  if (response.status === 401 && key === connection.key) connection.wantKey();
  return response;
}

/** A new Idempotency-Key. `crypto.randomUUID` is only there over HTTPS and on the machine itself. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Only JSON is read here. The CSV that some paths answer, if their `format` says so, is saved as it is: `download`. */
export const api = createClient<paths, "application/json">({ fetch: send });

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

export async function problemOf(response: Response, found?: unknown): Promise<Problem> {
  const body = (found ?? (await response.json().catch(() => null))) as Partial<Schemas["Problem"]> | null;
  const retry = Number(response.headers.get("Retry-After"));
  if (body === null || typeof body !== "object" || body.title === undefined) {
    return new Problem("unreadable", "The service failed", `It answered with status ${response.status}.`, response.status);
  }
  const code = (body.type ?? "").split("#").pop() ?? "";
  return new Problem(code, body.title, body.detail ?? "", response.status, body.errors ?? [], retry || null);
}

/** The data of an answer; throws `Problem` for every other answer. */
export async function ask<T>(answer: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await answer;
  if (error !== undefined || data === undefined) throw await problemOf(response, error);
  return data;
}

/** That something was deleted, which has no data; throws `Problem` for every other answer. */
export async function gone(answer: Promise<Answer<unknown>>): Promise<void> {
  const { error, response } = await answer;
  if (!response.ok) throw await problemOf(response, error);
}

/** A job of any kind. */
export type Job = Schemas["JobPage"]["items"][number];
type OfKind<K extends Job["kind"]> = Extract<Job, { kind: K }>;

/** A job of one kind; with `wait`, once it has ended, or after so many seconds. */
export async function askJob<K extends Job["kind"]>(kind: K, id: string, options: { wait?: number; signal?: AbortSignal } = {}): Promise<OfKind<K>> {
  const { wait, signal } = options;
  const params = { path: { id }, ...(wait && { header: { Prefer: `wait=${wait}` } }) };
  const job = await ask(api.GET("/v1/jobs/{id}", { params, ...(signal && { signal }) }));
  if (job.kind !== kind) throw new Problem("not-found", "Not found", `There is a job ${id}, but of another kind.`, 404);
  return job as OfKind<K>;
}

/** All jobs from the first to the last of a batch, in their order. */
export async function askBatch<K extends Job["kind"]>(kind: K, batch: Schemas["JobBatch"]): Promise<OfKind<K>[]> {
  const found: OfKind<K>[] = [];
  const ids = batch.items.map(({ id }) => id);
  let next: string | null | undefined;
  do {
    const cursor = next && new URLSearchParams(next.split("?")[1]).get("cursor");
    const query = { kind: [kind], first: ids[0], last: ids[ids.length - 1], limit: 200, ...(cursor && { cursor }) };
    const page = await ask(api.GET("/v1/jobs", { params: { query } }));
    found.push(...(page.items as OfKind<K>[]));
    next = page.next;
  } while (next);
  return found.reverse();
}

/** The gradebook as an object: without `format`, its path answers nothing else. */
export async function askGradebook(id: string): Promise<Schemas["Gradebook"]> {
  const book = await ask(api.GET("/v1/assignments/{id}/gradebook", { params: { path: { id } } }));
  if (!Array.isArray(book) && "entries" in book) return book;
  throw new Problem("unreadable", "The service failed", "It answered another format than the gradebook's.");
}

/** The text at a path, such as a picture. */
export async function askText(path: string, signal?: AbortSignal): Promise<string> {
  const response = await send(new Request(path, signal ? { signal } : {}));
  if (!response.ok) throw await problemOf(response);
  return response.text();
}

/** Have the browser save what is at a path, with the key if there is one; `name`: if the service does not name it. `body`: what is
 * sent there first. */
export async function download(path: string, name?: string, body?: object, accept = "*/*"): Promise<void> {
  const sent = body && { method: "POST", headers: { "Content-Type": "application/json", Accept: accept }, body: JSON.stringify(body) };
  const response = await send(new Request(path, sent));
  if (!response.ok) throw await problemOf(response);
  const named = /filename="?([^";]+)/.exec(response.headers.get("Content-Disposition") ?? "");
  const anchor = document.createElement("a");
  anchor.href = URL.createObjectURL(await response.blob());
  const ending = response.headers.get("Content-Type")?.startsWith("application/json") ? ".json" : ".csv";
  anchor.download = named?.[1] ?? (name === undefined ? (path.split("/").pop() ?? "download") : name + ending);
  anchor.click();
  window.setTimeout(() => URL.revokeObjectURL(anchor.href), 10_000);
}
