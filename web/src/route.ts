/** The address behind the `#`: `#/solve?puzzle=8-puzzle&k=10`. Every view can be linked, and going back works. */
import { useEffect, useState } from "preact/hooks";

export interface Route {
  /** the first part: which view */
  view: string;
  /** the second part, if there is one: what it shows */
  id: string | null;
  query: URLSearchParams;
}

export function parse(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [view = "", id] = path.split("/");
  return { view: view || "home", id: id ? decodeURIComponent(id) : null, query: new URLSearchParams(query) };
}

export function link(view: string, id: string | null = null, query?: URLSearchParams): string {
  const rest = query?.toString();
  return `#/${view}${id === null ? "" : `/${encodeURIComponent(id)}`}${rest ? `?${rest}` : ""}`;
}

/** The cursor in the path of a list's next page. */
export function cursorOf(next: string | null | undefined): string | null {
  return next ? new URLSearchParams(next.split("?")[1]).get("cursor") : null;
}

/** Show another view; `replace`: the present one is not to be gone back to. */
export function go(to: string, replace = false): void {
  if (location.hash === to) return;
  if (replace) {
    history.replaceState(null, "", to);
    window.dispatchEvent(new HashChangeEvent("hashchange"));
  } else {
    location.hash = to;
  }
}

export function useRoute(): Route {
  const [route, set] = useState(() => parse(location.hash));
  useEffect(() => {
    const follow = () => set(parse(location.hash));
    window.addEventListener("hashchange", follow);
    return () => window.removeEventListener("hashchange", follow);
  }, []);
  return route;
}
