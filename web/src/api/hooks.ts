import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { connection, Problem } from "./client";

/** Whether the service answers, and whether it wants a key. */
export function useConnection(): { online: boolean; keyWanted: boolean; key: string | null } {
  const [, redraw] = useState(0);
  useEffect(() => connection.subscribe(() => redraw((n) => n + 1)), []);
  return { online: connection.online, keyWanted: connection.keyWanted, key: connection.key };
}

export interface Loaded<T> {
  data: T | undefined;
  problem: Problem | undefined;
  loading: boolean;
  reload: () => void;
}

/**
 * What `load` answers, again whenever a part of `key` changes, and after `again(data)` milliseconds unless that is null.
 *
 * While something new is loaded, what was there stays; when the service is back after it was away, it is asked again.
 */
export function useLoaded<T>(
  key: readonly unknown[],
  load: (signal: AbortSignal) => Promise<T>,
  again: (data: T) => number | null = () => null,
): Loaded<T> {
  const [state, set] = useState<{ data?: T; problem?: Problem; loading: boolean }>({ loading: true });
  const [turn, setTurn] = useState(0);
  const { online, key: apiKey } = useConnection();
  const latest = useRef({ load, again });
  latest.current = { load, again };
  useEffect(() => {
    if (!online) return;
    const abort = new AbortController();
    let timer: number | undefined;
    set((before) => ({ ...before, loading: true }));
    latest.current.load(abort.signal).then(
      (data) => {
        if (abort.signal.aborted) return;
        set({ data, loading: false });
        const pause = latest.current.again(data);
        if (pause !== null) timer = window.setTimeout(() => setTurn((n) => n + 1), pause);
      },
      (error: unknown) => {
        if (abort.signal.aborted) return;
        const problem = error instanceof Problem ? error : new Problem("broken", "This page failed", String(error));
        set((before) => (problem.code === "offline" ? { ...before, loading: true } : { problem, loading: false }));
      },
    );
    return () => {
      abort.abort();
      window.clearTimeout(timer);
    };
  }, [...key, turn, online, apiKey]);
  const reload = useCallback(() => setTurn((n) => n + 1), []);
  return { data: state.data, problem: state.problem, loading: state.loading, reload };
}

/** `value`, once it has not changed for `pause` milliseconds. */
export function useSettled<T>(value: T, pause: number): T {
  const [settled, set] = useState(value);
  useEffect(() => {
    const timer = window.setTimeout(() => set(value), pause);
    return () => window.clearTimeout(timer);
  }, [value, pause]);
  return settled;
}

/** `value`, but changed at the most once in `pause` milliseconds; at once if it is the last. */
export function useStepped<T>(value: T, last: boolean, pause: number): T {
  const [shown, set] = useState(value);
  const changed = useRef(0);
  useEffect(() => {
    const left = changed.current + pause - Date.now();
    const show = () => {
      changed.current = Date.now();
      set(value);
    };
    if (last || left <= 0) return show();
    const timer = window.setTimeout(show, left);
    return () => window.clearTimeout(timer);
  }, [value, last, pause]);
  return last ? value : shown;
}
