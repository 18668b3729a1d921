/** A certificate to take along: a file that `checker/check.py` checks without hstar. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { download, Problem } from "../api/client";

/** A button that has the browser save what is at the path, or says why there is nothing. */
export function Proof(props: { path: string; body?: object; name?: string }): JSX.Element {
  const [failed, setFailed] = useState<string | null>(null);
  const save = () => {
    setFailed(null);
    download(props.path, props.name, props.body, "application/vnd.hstar.certificate").catch((error: unknown) => setFailed(error instanceof Problem ? error.detail : String(error)));
  };
  return (
    <p class="proof">
      <button type="button" class="plain" onClick={save} title="python checker/check.py FILE checks it, without hstar">
        {props.name ?? "Proof"}
      </button>
      {failed !== null && (
        <span class="quiet" role="status">
          {" "}
          There is none: {failed}
        </span>
      )}
    </p>
  );
}
